#include "native_host/partial.h"

#include <system_error>

namespace sg::host {
namespace {

constexpr std::string_view kPrefix = ".partial-";
constexpr std::size_t kMostNames = 100'000;

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

Partial::Partial(int folder) : folder_(folder) {
  struct stat s {};
  do {
    // Between its making and its locking another host may take the file for a leftover: then it has no name, and is
    // made anew.
    name_ = std::string(kPrefix) + random_name();
    file_ = Fd(openat(folder, name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file_) fail();
    if (flock(file_.get(), LOCK_EX) != 0 || fstat(file_.get(), &s) != 0) {
      const int error = errno;
      unlinkat(folder, name_.c_str(), 0);
      errno = error;
      fail();
    }
  } while (s.st_nlink == 0);
}

Partial::~Partial() {
  if (file_) unlinkat(folder_, name_.c_str(), 0);
}

void Partial::become(const std::string& name) {
  sync_file(file_.get());
  if (renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) fail();
}

void remove_partials(int folder) {
  for (const std::string& name : names_in(folder, kMostNames)) {
    if (name.rfind(kPrefix, 0) != 0) continue;
    const Fd file(openat(folder, name.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (file && flock(file.get(), LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name.c_str(), 0);
  }
}

}  // namespace sg::host
