#include "tests/native_host/desktop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sg::test {
namespace {

constexpr int kPatience = 30'000;  // milliseconds
namespace fs = std::filesystem;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// True once `holds` does; false after a generous time.
template <class Holds>
bool soon(Holds holds) {
  for (int waited = 0; waited < kPatience; waited += 5) {
    if (holds()) return true;
    usleep(5000);
  }
  return false;
}

/// The state letter of a process, or 0 when there is none.
char state_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t end = text.rfind(')');
  return end == std::string::npos ? '\0' : text[end + 2];
}

}  // namespace

Puppet::Puppet(const std::vector<std::string>& words, const std::vector<std::string>& environment, bool quiet) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) throw std::runtime_error("pipe");
  std::vector<std::string> own = words, variables = environment;
  const std::vector<char*> argv = pointers(own), env = pointers(variables);
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    dup2(in[0], 0);
    dup2(out[1], 1);
    if (quiet) dup2(open("/dev/null", O_WRONLY), 2);
    execvpe(argv[0], argv.data(), env.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

Puppet::~Puppet() {
  kill();
  close(in_);
  close(out_);
}

void Puppet::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string Puppet::line() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      const std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    pollfd p{out_, POLLIN, 0};
    char bytes[4096];
    const ssize_t n = poll(&p, 1, kPatience) > 0 ? read(out_, bytes, sizeof bytes) : 0;
    if (n <= 0) return "";
    buffer_.append(bytes, static_cast<std::size_t>(n));
  }
}

void Puppet::say(const std::string& line) {
  const std::string text = line + "\n";
  if (write(in_, text.data(), text.size()) < 0) throw std::runtime_error("a puppet does not listen");
}

Desktop::Desktop() : address_(folder_ / "bus") {
  const std::string config = folder_ / "bus.conf";
  write_file(config,
             "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
             "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n<busconfig><type>session</type><listen>"
             "unix:path=" +
                 address_ +
                 "</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\" "
                 "eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>\n");
  bus_ = std::make_unique<Puppet>(
      std::vector<std::string>{"/usr/bin/dbus-daemon", "--config-file=" + config, "--nofork", "--print-address=1"},
      std::vector<std::string>{}, true);  // it complains of limits that it doesn't need
  if (bus_->line().rfind("unix:path=", 0) != 0) throw std::runtime_error("no private bus: is dbus-daemon installed?");
}

Puppet& Desktop::portal(const std::vector<std::string>& how) {
  std::vector<std::string> words{SG_FAKE_PORTAL};
  words.insert(words.end(), how.begin(), how.end());
  portal_ = std::make_unique<Puppet>(words, environment());
  if (portal_->line() != "ready") throw std::runtime_error("the fake portal did not start");
  return *portal_;
}

std::string script(const std::string& path, const std::string& text) {
  write_file(path, "#!/bin/sh\n" + text + "\n");
  chmod(path.c_str(), 0700);
  return path;
}

bool appears(const std::string& path) {
  return soon([&] { return exists(path); });
}

bool ends(int pid) {
  return soon([&] {
    const char state = state_of(pid);
    return state == '\0' || state == 'Z' || state == 'X';
  });
}

bool traced(int pid) {
  return soon([&] {
    const std::string status = read_file("/proc/" + std::to_string(pid) + "/status");
    return status.find("TracerPid:\t") != std::string::npos && status.find("TracerPid:\t0\n") == std::string::npos;
  });
}

std::vector<int> children(int pid) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const int child = std::atoi(entry.path().filename().c_str());
    if (child <= 0) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos) continue;
    char state = 0;
    int parent = 0;
    std::istringstream(text.substr(end + 2)) >> state >> parent;
    if (parent == pid) found.push_back(child);
  }
  return found;
}

}  // namespace sg::test
