#include "tests/native_host/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "io/crc32c.h"
#include "io/safetensors.h"
#include "native_host/base64.h"
#include "native_host/build.h"
#include "native_host/framing.h"

namespace sg::test {
namespace {

constexpr int kPatience = 30'000;  // milliseconds, for a host that hangs
namespace fs = std::filesystem;

struct Child {
  int pid = -1, in = -1, out = -1, err = -1;
  int unread = -1;  // the other end of `in`
};

Child start(const std::string& program, const std::string& home, const std::vector<std::string>& arguments,
            unsigned long file_size_limit, const std::vector<std::string>& environment = {}) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) throw std::runtime_error("pipe");
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables{"HOME=" + home, "PATH=/nowhere", "ASAN_OPTIONS=detect_leaks=1"};
  variables.insert(variables.end(), environment.begin(), environment.end());
  std::vector<char*> env;
  for (std::string& v : variables) env.push_back(v.data());
  env.push_back(nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int pid = fork();
  if (pid == 0) {
    signal(SIGPIPE, SIG_DFL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    if (file_size_limit > 0) {
      const rlimit limit{file_size_limit, file_size_limit};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    execve(argv[0], argv.data(), env.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  return {pid, in[1], out[0], err[0], in[0]};
}

std::string read_rest(int file) {
  std::string all(1 << 16, '\0'), text;
  for (ssize_t n; (n = read(file, all.data(), all.size())) > 0;) text.append(all, 0, static_cast<std::size_t>(n));
  return text;
}

/// How many bytes of `bytes` are whole frames; throws when something there is no frame.
std::size_t whole_frames(const std::string& bytes) {
  std::size_t at = 0;
  while (bytes.size() - at > 4) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, 4);
    if (length == 0 || length > host::kOutboundCap || bytes[at + 4] != '{')
      throw std::runtime_error("stdout holds something that is no frame");
    if (bytes.size() - at < 4 + length) break;
    if (!Json::accept(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                      bytes.begin() + static_cast<std::ptrdiff_t>(at) + 4 + length))
      throw std::runtime_error("stdout holds a frame that is not JSON");
    at += 4 + length;
  }
  return at;
}

int status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Folder::Folder() {
  char name[] = "/tmp/shadegrad-test-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const std::string& path, const std::string& bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool exists(const std::string& path) { return fs::exists(fs::symlink_status(path)); }

std::vector<std::string> names(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path().filename());
  std::sort(all.begin(), all.end());
  return all;
}

std::string noise(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  std::uint32_t x = seed * 2654435761u + 1;
  for (char& c : bytes) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    c = static_cast<char>(x >> 11);
  }
  return bytes;
}

std::string base64(const std::string& bytes) {
  std::string text;
  host::append_base64(text, bytes);
  return text;
}

std::string unbase64(const std::string& text) {
  auto bytes = host::decode_base64(text);
  if (!bytes) throw std::runtime_error("not base64");
  return *bytes;
}

std::string checkpoint(const std::string& step, std::size_t floats) {
  const std::string raw = noise(floats * 4);
  const TensorBytes tensor{
      "head.weight", Dtype::I32, {floats}, {reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size()}};
  const auto file = write_safetensors(
      {&tensor, 1}, {{"format", std::string(kCheckpointFormat)}, {"state", "{\"step\":" + step + "}"}});
  return {file.begin(), file.end()};
}

unsigned checksum(const std::string& bytes) {
  return crc32c({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::vector<std::string> chromium_arguments() {
  return {"chrome-extension://" + std::string(host::kChromiumIds[0]) + "/"};
}

Result run_host(const std::string& home, const std::vector<std::string>& arguments, const std::string& input) {
  return run_program(SG_HOST_PROGRAM, home, arguments, input);
}

Result run_program(const std::string& program, const std::string& home, const std::vector<std::string>& arguments,
                   const std::string& input) {
  const Child child = start(program, home, arguments, 0);
  // Small inputs alone: they fit a pipe, so that nobody waits for anybody.
  if (!input.empty() && write(child.in, input.data(), input.size()) < 0 && errno != EPIPE)
    throw std::runtime_error("write");
  close(child.in);
  Result result;
  result.out = read_rest(child.out);
  result.err = read_rest(child.err);
  close(child.out);
  close(child.err);
  int status = 0;
  waitpid(child.pid, &status, 0);
  result.status = status_of(status);
  int unread = 0;
  if (ioctl(child.unread, FIONREAD, &unread) != 0) throw std::runtime_error("ioctl");
  result.unread = static_cast<std::size_t>(unread);
  close(child.unread);
  return result;
}

Program::Program(const std::string& home, std::vector<std::string> arguments, unsigned long file_size_limit,
                 const std::vector<std::string>& environment) {
  const Child child = start(SG_HOST_PROGRAM, home, arguments, file_size_limit, environment);
  close(child.unread);
  pid_ = child.pid;
  in_ = child.in;
  out_ = child.out;
  err_ = child.err;
}

Program Program::of(const std::string& program, const std::string& home, const std::vector<std::string>& arguments) {
  const Child child = start(program, home, arguments, 0);
  close(child.unread);
  return Program(child.pid, child.in, child.out, child.err);
}

Program::~Program() {
  if (pid_ > 0) {
    kill();
    try {
      wait();
    } catch (const std::exception& e) {
      FAIL_CHECK(e.what());
    }
  }
  close_input();
  if (out_ >= 0) close_output();
  close(err_);
}

bool Program::send_bytes(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(in_, bytes.data() + at, bytes.size() - at);
    if (n < 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

void Program::send(const Json& message) { send_bytes(host::encode_frame(message.dump())); }

bool Program::fill(int milliseconds) {
  pollfd p{out_, POLLIN, 0};
  if (poll(&p, 1, milliseconds) <= 0) return false;
  char bytes[1 << 16];
  const ssize_t n = read(out_, bytes, sizeof bytes);
  if (n > 0) buffer_.append(bytes, static_cast<std::size_t>(n));
  return n > 0;
}

std::optional<Json> Program::receive() {
  for (;;) {
    std::uint32_t length = 0;
    if (buffer_.size() >= 4) {
      std::memcpy(&length, buffer_.data(), 4);
      if (length == 0 || length > host::kOutboundCap)
        throw std::runtime_error("stdout holds something that is no frame");
      if (buffer_.size() >= 4 + length) {
        Json message = Json::parse(buffer_.substr(4, length));
        buffer_.erase(0, 4 + length);
        return message;
      }
    }
    if (!fill(kPatience)) return std::nullopt;
  }
}

bool Program::silent(int milliseconds) { return buffer_.empty() && !fill(milliseconds); }

Json Program::ask(const Json& message) {
  send(message);
  for (;;) {
    const auto got = receive();
    if (!got) throw std::runtime_error("the host gave no answer; stderr: " + err());
    if ((*got)["id"] == message["id"]) return *got;
  }
}

Json Program::hello() {
  return ask({{"id", 1'000'000}, {"type", "hello"}, {"protocol", {{"min", 1}, {"max", 1}}}, {"extension", "0.1.0"}});
}

void Program::close_input() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

void Program::close_output() {
  close(out_);
  out_ = -1;
}

void Program::kill() { ::kill(pid_, SIGKILL); }

int Program::wait() {
  const auto begin = std::chrono::steady_clock::now();
  const auto so_far = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  while ((waited = so_far()) * 1000 < kPatience) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      drain();
      return status_of(status);
    }
    usleep(2000);
  }
  return -1;
}

void Program::drain() {
  while (out_ >= 0 && fill(0)) continue;
  whole_frames(buffer_);
}

std::string Program::err() const {
  std::string text(1 << 16, '\0');
  pollfd p{err_, POLLIN, 0};
  const ssize_t n = poll(&p, 1, 100) > 0 ? read(err_, text.data(), text.size()) : 0;
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

std::size_t status_bytes(int pid, const std::string& line) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == line + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

Received receive_stream(Program& host, long id, long credits_each) {
  Received received;
  for (;;) {
    const auto message = host.receive();
    if (!message) throw std::runtime_error("the stream broke off; stderr: " + host.err());
    if ((*message)["id"] != id) continue;
    if (message->contains("ok") || !message->contains("sequence")) {
      received.last = *message;
      return received;
    }
    received.bytes += unbase64((*message)["bytes"]);
    received.frames.push_back(*message);
    if (credits_each > 0) host.send({{"id", id}, {"type", "flow.credit"}, {"frames", credits_each}});
  }
}

}  // namespace sg::test
