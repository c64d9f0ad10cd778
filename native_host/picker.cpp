#include "native_host/picker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "native_host/dialog.h"

namespace sg::host {
namespace {

constexpr std::size_t kMostText = 4096;
constexpr std::size_t kHeader = 3;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// The picker's whole life: hears the host, shows one dialog at a time, grants what was picked, answers.
class Picker {
 public:
  Picker(Fd in, Fd out, const Places& places, const Choosers& choosers)
      : in_(std::move(in)), out_(std::move(out)), grants_(places), choosers_(choosers) {}

  /// Until the host closes its end.
  void run() {
    for (;;) {
      std::vector<pollfd> files{{in_.get(), POLLIN, 0}};
      int milliseconds = -1;
      if (dialog_) dialog_->watch(files, milliseconds);
      if (poll(files.data(), files.size(), milliseconds) < 0 && errno != EINTR) fail("waiting");
      if (files[0].revents != 0 && !hear()) return;
      if (!dialog_) continue;
      if (const auto choice = dialog_->advance()) ended(*choice);
    }
  }

 private:
  bool hear() {
    char ask = 0;
    const ssize_t n = read(in_.get(), &ask, 1);
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    if (ask == static_cast<char>(Ask::close)) {
      // With no dialog open its answer has crossed this word on the way.
      if (dialog_) answer({Answer::Kind::cancelled, ""});
    } else if (ask == static_cast<char>(Ask::folder) || ask == static_cast<char>(Ask::file)) {
      if (dialog_) throw std::runtime_error("the host asked for a second dialog");
      file_ = ask == static_cast<char>(Ask::file);
      way_ = 0;
      why_.clear();
      next_way();
    } else {
      throw std::runtime_error("the host said something unknown");
    }
    return true;
  }

  /// The portal first: it is the desktop's own dialog, in the person's language. Then the programs.
  void next_way() {
    switch (way_++) {
      case 0:
        dialog_ = open_portal(file_);
        break;
      case 1:
        dialog_ = open_program(choosers_.zenity, false, file_);
        break;
      case 2:
        dialog_ = open_program(choosers_.kdialog, true, file_);
        break;
      default:
        answer({Answer::Kind::unavailable, why_});
    }
  }

  void ended(const Choice& choice) {
    switch (choice.kind) {
      case Choice::Kind::picked:
        return answer(grant(choice.text));
      case Choice::Kind::cancelled:
        return answer({Answer::Kind::cancelled, ""});
      case Choice::Kind::refused:
        return answer({Answer::Kind::refused, choice.text});
      case Choice::Kind::failed:
        return answer({Answer::Kind::failed, choice.text});
      case Choice::Kind::unavailable:
        why_ += (why_.empty() ? "" : "; ") + choice.text;
        next_way();
    }
  }

  Answer grant(const std::string& path) {
    try {
      return {Answer::Kind::granted, grants_.grant(path, file_).root.name};
    } catch (const Failure& e) {
      return {e.code() == "path.refused" ? Answer::Kind::refused : Answer::Kind::failed, e.what()};
    }
  }

  void answer(const Answer& answer) {
    dialog_.reset();
    const std::string bytes = answer.encode();
    // Less than a pipe always takes whole; a host that is gone is seen at the next read.
    if (write(out_.get(), bytes.data(), bytes.size()) < 0 && errno != EPIPE) fail("answering");
  }

  Fd in_, out_;
  Grants grants_;
  Choosers choosers_;
  std::unique_ptr<Dialog> dialog_;
  std::string why_;
  int way_ = 0;
  bool file_ = false;
};

/// Everything but stderr and the two pipes: the browser's pipes must end with the host, and no frame may come from
/// here.
void keep_only(int a, int b) {
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0) fail("/dev/null");
  const auto [low, high] = std::minmax(a, b);
  const auto drop = [](int from, int to) {
    if (from <= to) close_range(static_cast<unsigned>(from), static_cast<unsigned>(to), 0);
  };
  drop(3, low - 1);
  drop(low + 1, high - 1);
  close_range(static_cast<unsigned>(high) + 1, ~0U, 0);
}

[[noreturn]] void live(Fd in, Fd out, pid_t host, const Places& places, const Choosers& choosers) {
  int status = 0;
  try {
    prctl(PR_SET_NAME, "shadegrad-pick", 0, 0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Beside the end of the pipes, which always ends it: from Linux 6.12 on Landlock keeps a locked host's death to
    // itself.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != host) _exit(0);  // it died before it could be watched
    signal(SIGPIPE, SIG_IGN);
    keep_only(in.get(), out.get());
    // Where a chooser program begins to look.
    if (chdir(places.home.c_str()) != 0 && chdir("/") != 0) fail("/");
    Picker(std::move(in), std::move(out), places, choosers).run();
  } catch (const std::exception& e) {
    std::cerr << "shadegrad-host: the picker ends: " << e.what() << "\n";
    status = 1;
  }
  _exit(status);
}

}  // namespace

std::string Answer::encode() const {
  const std::string_view cut = std::string_view(text).substr(0, kMostText);
  std::string bytes{static_cast<char>(kind), static_cast<char>(cut.size() & 255), static_cast<char>(cut.size() >> 8)};
  return bytes.append(cut);
}

void AnswerReader::feed(std::string_view bytes, const std::function<void(const Answer&)>& answer) {
  bytes_ += bytes;
  while (bytes_.size() >= kHeader) {
    const std::size_t length = static_cast<unsigned char>(bytes_[1]) + 256u * static_cast<unsigned char>(bytes_[2]);
    if (std::string_view("gxrue").find(bytes_[0]) == std::string_view::npos || length > kMostText) {
      throw std::runtime_error("the picker said something unknown");
    }
    if (bytes_.size() < kHeader + length) return;
    const Answer whole{static_cast<Answer::Kind>(bytes_[0]), bytes_.substr(kHeader, length)};
    bytes_.erase(0, kHeader + length);
    answer(whole);
  }
}

PickerEnds start_picker(const Places& places, const Choosers& choosers) {
  int asks[2], answers[2];
  if (pipe2(asks, O_CLOEXEC) != 0) fail("making a pipe");
  Fd ask_out(asks[0]), ask_in(asks[1]);
  if (pipe2(answers, O_CLOEXEC) != 0) fail("making a pipe");
  Fd answer_out(answers[0]), answer_in(answers[1]);
  const pid_t host = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail("starting the picker");
  if (pid == 0) {
    ask_in.reset();
    answer_out.reset();
    live(std::move(ask_out), std::move(answer_in), host, places, choosers);
  }
  return {std::move(answer_out), std::move(ask_in), pid};
}

}  // namespace sg::host
