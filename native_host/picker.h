// The picker: a small process beside the host, forked before the host locks itself. It alone may show something to the
// person (the desktop's own file chooser) and writes the grant of what was picked. The host tells it in one byte what
// kind of thing to ask for and hears a short answer; no path, program or argument ever goes that way.
#pragma once
#include <sys/types.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "native_host/files.h"
#include "native_host/grants.h"

namespace sg::host {

/// What the host may say: one byte each.
enum class Ask : char { folder = 'd', file = 'f', close = 'c' };

/// What the picker answers, once for each folder or file asked for: a byte, two bytes of length, and text.
struct Answer {
  enum class Kind : char {
    granted = 'g',      // text: the root's name
    cancelled = 'x',    // by the person or by Ask::close
    refused = 'r',      // what was picked may not be granted; text: why
    unavailable = 'u',  // there is no desktop to ask on; text: why
    failed = 'e',       // text: what went wrong
  };
  Kind kind = Kind::failed;
  std::string text;
  std::string encode() const;
};

/// Answers as their bytes come, in any split.
class AnswerReader {
 public:
  /// Throws std::runtime_error at bytes that no picker sends.
  void feed(std::string_view bytes, const std::function<void(const Answer&)>& answer);

 private:
  std::string bytes_;
};

/// The programs that show a file chooser where the desktop has no portal.
struct Choosers {
  std::string zenity = "/usr/bin/zenity", kdialog = "/usr/bin/kdialog";
};

/// The host's ends of the pipes to its picker. The picker ends when they are closed, and when the host dies.
struct PickerEnds {
  Fd from, to;
  pid_t pid = -1;
};

/// Forks the picker; it keeps none of this process's files but stderr. Throws std::system_error.
PickerEnds start_picker(const Places& places, const Choosers& choosers = {});

}  // namespace sg::host
