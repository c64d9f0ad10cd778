// A whole conversation with the host in a home of its own: every line of the input is a message, after a hello. So each
// request is read and handled as from a browser, whatever messages there are. Every byte that comes back is a frame of
// JSON, and none of them admits a fault of the host.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "native_host/framing.h"
#include "native_host/host.h"
#include "native_host/json.h"
#include "tests/fuzz/targets.h"

namespace sg::fuzz {
namespace {

namespace fs = std::filesystem;

/// A home with a granted folder and a data set, gone at the end of the program.
struct Home {
  std::string path;
  Home() {
    char name[] = "/tmp/shadegrad-fuzz-XXXXXX";
    if (mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
    path = name;
    fs::create_directories(path + "/Shadegrad/folder");
    std::ofstream(path + "/Shadegrad/data.csv") << "time,value\n2020-01-01,1\n2020-01-02,2.5\n2020-01-03,x\n";
    std::ofstream(path + "/Shadegrad/folder/other.csv") << "a;b\n1,5;2\n";
  }
  ~Home() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string frames_of(std::string_view lines) {
  std::string frames =
      host::encode_frame(R"({"id":1,"type":"hello","protocol":{"min":1,"max":1},"extension":"0.1.0"})");
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (!line.empty()) frames += host::encode_frame(line);
  }
  return frames;
}

void run(Bytes bytes) {
  if (bytes.size() > 65'536) return;
  static const Home home;
  int in[2], out[2];
  for (int* pair : {in, out}) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) throw std::runtime_error("socketpair");
  }
  const std::string frames = frames_of(text_of(bytes));
  std::thread browser([&, to = in[1]] {
    std::string_view rest = frames;
    while (!rest.empty()) {
      const ssize_t n = write(to, rest.data(), rest.size());
      if (n <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    close(to);
  });
  std::string answers;
  std::thread reader([&, from = out[1]] {
    char buffer[65'536];
    for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;) answers.append(buffer, static_cast<std::size_t>(n));
    close(from);
  });
  int status = 0;
  {
    host::Loop loop;
    host::Host host(loop, host::Grants({home.path, home.path + "/.config"}));
    status = host.serve(in[0], out[0]);
  }
  browser.join();
  reader.join();
  hold(status == 0, "the host ended with status " + std::to_string(status));
  host::Decoder decoder;
  decoder.feed(answers, [](const std::string& text) {
    const host::Json reply = host::Json::parse(text);
    hold(reply.is_object() && reply.contains("id"), "a reply without an id: " + text);
    hold(reply.value("code", "") != "host.internal", text);
  });
  hold(!decoder.in_message(), "the host's last frame is cut");
}

const Registered target("requests", run);

}  // namespace
}  // namespace sg::fuzz
