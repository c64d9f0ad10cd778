// A file chooser that is open on the person's desktop, shown by the portal or by a program. The picker waits for it
// together with the host's word, so neither may ever block.
#pragma once
#include <poll.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sg::host {

/// How a dialog ended. `unavailable` is said only when nothing was shown, so that another way may be tried.
struct Choice {
  enum class Kind { picked, cancelled, refused, unavailable, failed };
  Kind kind = Kind::failed;
  std::string text;  // the path picked, or what to tell the person
};

class Dialog {
 public:
  virtual ~Dialog() = default;  // takes it off the screen
  /// Adds what to wait for, and lowers `milliseconds` (-1: no limit) to what it can wait.
  virtual void watch(std::vector<pollfd>& files, int& milliseconds) = 0;
  /// Goes on as far as it can without waiting; a choice when the dialog has ended.
  virtual std::optional<Choice> advance() = 0;
};

/// By xdg-desktop-portal on the session bus.
std::unique_ptr<Dialog> open_portal(bool file);
/// By zenity or kdialog, started by absolute path with fixed arguments; `kdialog` says which of the two it is.
std::unique_ptr<Dialog> open_program(const std::string& path, bool kdialog, bool file);

/// The path of a file:// URI of this machine, or "" when it is none: percent-decoded once, no host, no query.
std::string path_of_uri(const std::string& uri);

}  // namespace sg::host
