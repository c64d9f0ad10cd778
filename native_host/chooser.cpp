// The dialogs that a program shows where the desktop has no portal: zenity, or kdialog. They are started by absolute
// path, with arguments that stand here and nowhere else, and with an environment that holds what a window needs.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "native_host/dialog.h"
#include "native_host/error.h"
#include "native_host/files.h"

extern char** environ;

namespace sg::host {
namespace {

constexpr const char* kFolderTitle = "Let Shadegrad read a folder";
constexpr const char* kFileTitle = "Let Shadegrad read a file";
constexpr std::size_t kMostOutput = PATH_MAX + 1;
constexpr std::size_t kMostComplaint = 4096;
constexpr int kUntilItEnds = 20;  // milliseconds between two looks at a program that has closed its output

std::vector<std::string> arguments(const std::string& path, bool kdialog, bool file) {
  const std::string title = file ? kFileTitle : kFolderTitle;
  if (kdialog) return {path, "--title", title, file ? "--getopenfilename" : "--getexistingdirectory"};
  if (file) return {path, "--file-selection", "--title", title};
  return {path, "--file-selection", "--directory", "--title", title};
}

/// XAUTHORITY is the key to an X display; the rest says where windows go, in which language, and where the person's
/// settings are.
std::vector<std::string> dialog_environment() {
  std::vector<std::string> kept;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    for (const std::string_view wanted : {"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "HOME", "LANG"}) {
      if (name == wanted) kept.emplace_back(variable);
    }
    if (name.rfind("XDG_", 0) == 0) kept.emplace_back(variable);
  }
  return kept;
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

class Program : public Dialog {
 public:
  Program(const std::string& path, bool kdialog, bool file) : path_(path) {
    if (access(path.c_str(), X_OK) != 0) {
      unavailable_ = "there is no " + path;
    } else if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
      unavailable_ = "there is no display";
    } else {
      start(arguments(path, kdialog, file));
    }
  }

  ~Program() override {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  void watch(std::vector<pollfd>& files, int& milliseconds) override {
    if (out_) files.push_back({out_.get(), POLLIN, 0});
    if (err_) files.push_back({err_.get(), POLLIN, 0});
    if (!unavailable_.empty()) milliseconds = 0;
    if (pid_ > 0 && !out_) milliseconds = kUntilItEnds;
  }

  std::optional<Choice> advance() override {
    if (!unavailable_.empty()) return Choice{Choice::Kind::unavailable, unavailable_};
    read_some(err_, complaint_, kMostComplaint);
    if (!read_some(out_, output_, kMostOutput)) {
      return Choice{Choice::Kind::failed, path_ + " said more than a path."};
    }
    if (out_) return std::nullopt;
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
    pid_ = -1;
    read_some(err_, complaint_, kMostComplaint);
    return choice(status);
  }

 private:
  void start(std::vector<std::string> words) {
    std::vector<std::string> variables = dialog_environment();
    const std::vector<char*> argv = pointers(words), env = pointers(variables);
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    out_ = Fd(out[0]);
    const Fd out_end(out[1]);
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    err_ = Fd(err[0]);
    const Fd err_end(err[1]);
    const pid_t picker = getpid();
    // Without the handlers of libraries: libuv's would renew a pipe by numbers that are others' files here by now.
    pid_ = _Fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != picker || dup2(out_end.get(), 1) < 0 || dup2(err_end.get(), 2) < 0) _exit(126);
    fcntl(1, F_SETFL, 0);
    fcntl(2, F_SETFL, 0);
    signal(SIGPIPE, SIG_DFL);
    close_range(3, ~0U, 0);
    execve(argv[0], argv.data(), env.data());
    _exit(127);
  }

  /// False when more than `most` bytes came. What is over a complaint's bound is dropped.
  bool read_some(Fd& from, std::string& to, std::size_t most) {
    std::array<char, 1024> bytes{};
    while (from) {
      const ssize_t n = read(from.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return true;
      if (n <= 0) {
        from.reset();
        return true;
      }
      const std::size_t room = most - to.size();
      to.append(bytes.data(), std::min(static_cast<std::size_t>(n), room));
      if (static_cast<std::size_t>(n) > room && &to == &output_) return false;
    }
    return true;
  }

  Choice choice(int status) {
    const bool exited = WIFEXITED(status);
    if (exited && WEXITSTATUS(status) == 0) {
      if (!output_.empty() && output_.back() == '\n') output_.pop_back();
      if (!output_.empty() && output_[0] == '/' && output_.find('\0') == std::string::npos) {
        return {Choice::Kind::picked, output_};
      }
      return {Choice::Kind::refused, "What was picked is not a file or folder of this machine."};
    }
    // Both programs end with 1 when the person cancels; zenity also when it can't open the display.
    const bool no_display = complaint_.find("open display") != std::string::npos;
    if (exited && WEXITSTATUS(status) == 1 && !no_display) return {Choice::Kind::cancelled, ""};
    return {Choice::Kind::unavailable, path_ + (no_display ? " can't open the display" : " did not work")};
  }

  std::string path_, unavailable_, output_, complaint_;
  Fd out_, err_;
  pid_t pid_ = -1;
};

}  // namespace

std::unique_ptr<Dialog> open_program(const std::string& path, bool kdialog, bool file) {
  return std::make_unique<Program>(path, kdialog, file);
}

}  // namespace sg::host
