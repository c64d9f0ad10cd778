// A desktop for tests: a private bus, a portal on it that a test moves like a puppet, and programs that stand in for
// zenity and kdialog.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tests/native_host/program.h"

namespace sg::test {

/// A program whose lines are read and written; killed at the end.
class Puppet {
 public:
  Puppet(const std::vector<std::string>& words, const std::vector<std::string>& environment, bool quiet = false);
  ~Puppet();
  Puppet(const Puppet&) = delete;
  Puppet& operator=(const Puppet&) = delete;
  /// The next line of its output; "" when it has ended, or stays silent for a generous time.
  std::string line();
  void say(const std::string& line);
  void kill();

 private:
  int pid_ = -1, in_ = -1, out_ = -1;
  std::string buffer_;
};

class Desktop {
 public:
  /// A bus without a portal.
  Desktop();
  /// What a program needs to find the bus.
  std::vector<std::string> environment() const { return {"DBUS_SESSION_BUS_ADDRESS=unix:path=" + address_}; }
  /// Puts a portal on it that has begun to listen.
  Puppet& portal(const std::vector<std::string>& how = {});
  void kill_bus() { bus_->kill(); }

 private:
  Folder folder_;
  std::string address_;
  std::unique_ptr<Puppet> bus_, portal_;
};

/// A program (a script) that can be run; what it does is `text`.
std::string script(const std::string& path, const std::string& text);

/// Whether `path` is there within a generous time; something else in another process makes it.
bool appears(const std::string& path);
/// Whether the process is gone, or will be within a generous time.
bool ends(int pid);
/// Whether something traces the process within a generous time.
bool traced(int pid);
/// The children of a process.
std::vector<int> children(int pid);

}  // namespace sg::test
