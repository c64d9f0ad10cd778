// Drives the real program over two pipes, as a browser does, in a home of its own. Reading has a deadline only so that
// a host that hangs fails its test instead of stopping the suite.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sg::test {

using Json = nlohmann::json;

/// An empty folder, removed with everything in it at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& path, const std::string& bytes);
std::string read_file(const std::string& path);
bool exists(const std::string& path);
std::vector<std::string> names(const std::string& folder);

/// `size` bytes that differ from place to place.
std::string noise(std::size_t size, unsigned seed = 1);
std::string base64(const std::string& bytes);
std::string unbase64(const std::string& text);
/// A small valid checkpoint with these metadata.
std::string checkpoint(const std::string& step, std::size_t floats = 8);
unsigned checksum(const std::string& bytes);

/// The arguments that Chromium gives.
std::vector<std::string> chromium_arguments();

struct Result {
  int status = -1;  // exit status, or 128 + signal
  std::string out, err;
  std::size_t unread = 0;  // bytes of the input that it left
};

/// Runs the program to its end with nothing to read; `home` is HOME and, with .config, where settings are.
Result run_host(const std::string& home, const std::vector<std::string>& arguments, const std::string& input = "");
/// The same for another copy of the program.
Result run_program(const std::string& program, const std::string& home, const std::vector<std::string>& arguments,
                   const std::string& input = "");

class Program {
 public:
  explicit Program(const std::string& home, std::vector<std::string> arguments = chromium_arguments(),
                   unsigned long file_size_limit = 0, const std::vector<std::string>& environment = {});
  /// Another program, which starts the host or behaves like it.
  static Program of(const std::string& program, const std::string& home, const std::vector<std::string>& arguments);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int pid() const { return pid_; }
  /// False when the program no longer reads.
  bool send_bytes(const std::string& bytes);
  void send(const Json& message);
  /// The next message; nothing when the output ended.
  std::optional<Json> receive();
  /// Nothing more comes within `milliseconds`.
  bool silent(int milliseconds);
  /// Sends and gives the message with the same id.
  Json ask(const Json& message);
  /// hello with the version that both speak.
  Json hello();
  void close_input();
  void close_output();
  void kill();
  /// Waits for the end; -1 when there is none within a generous time. Seconds it took are in `waited`. What the program
  /// has written by then can still be received, and is checked to be frames, whole but for the last.
  int wait();
  double waited = 0;
  std::string err() const;

 private:
  int pid_ = -1, in_ = -1, out_ = -1, err_ = -1;
  std::string buffer_;
  Program(int pid, int in, int out, int err) : pid_(pid), in_(in), out_(out), err_(err) {}
  bool fill(int milliseconds);
  void drain();
};

/// A line of /proc/PID/status such as VmHWM, the most memory that was resident, in bytes; 0 when there is none.
std::size_t status_bytes(int pid, const std::string& line);

/// All of a stream after its reply: frames until the end frame or failure, crediting each frame as it comes.
struct Received {
  std::string bytes;
  std::vector<Json> frames;
  Json last;
};
Received receive_stream(Program& host, long id, long credits_each = 1);

}  // namespace sg::test
