// Landlock by its system calls: C libraries have no names for them, and Debian 12's headers know version 2 alone. Each
// version adds rights that can be taken away; a kernel is asked only for those that it knows.
#include "native_host/harden.h"

#if defined(__linux__)
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#endif

namespace sg::host {

#if defined(__linux__)
namespace {

// The numbers are the same on every processor.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr std::uint32_t kAskVersion = 1, kPathBeneath = 1;

struct Ruleset {
  std::uint64_t files, network, scope;
};

struct __attribute__((packed)) PathBeneath {
  std::uint64_t allowed;
  std::int32_t folder;
};

constexpr std::uint64_t bit(int n) { return std::uint64_t{1} << n; }

constexpr std::uint64_t kWriteFile = bit(1), kReadFile = bit(2), kReadFolder = bit(3), kRemoveFolder = bit(4),
                        kRemoveFile = bit(5), kMakeFolder = bit(7), kMakeFile = bit(8), kMove = bit(13),
                        kTruncate = bit(14);
constexpr std::uint64_t kRead = kReadFile | kReadFolder;
constexpr std::uint64_t kWrite =
    kRead | kWriteFile | kRemoveFolder | kRemoveFile | kMakeFolder | kMakeFile | kMove | kTruncate;

/// All that this version can take away: from 2 on moving between folders, from 3 truncating, from 5 a device's ioctl,
/// from 4 TCP, from 6 abstract sockets and signals beyond this process.
Ruleset all_of(int version) {
  const int files = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return {bit(files) - 1, version >= 4 ? std::uint64_t{3} : 0, version >= 6 ? std::uint64_t{3} : 0};
}

void allow(int ruleset, const Fd& at, std::uint64_t rights) {
  struct stat s {};
  if (fstat(at.get(), &s) != 0) return;
  if (!S_ISDIR(s.st_mode)) rights &= kReadFile | kWriteFile | kTruncate;  // what a file can have
  const PathBeneath rule{rights, at.get()};
  // Where no rule can be made, what it would have allowed stays refused.
  (void)syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
}

}  // namespace

int confine_files(const Powers& powers, int newest) {
  const long known = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  const int version = std::min(static_cast<int>(known), newest);
  if (version < 1) return 0;
  const Ruleset taken = all_of(version);
  const Fd ruleset(static_cast<int>(syscall(kCreateRuleset, &taken, sizeof taken, 0)));
  if (!ruleset) return 0;
  for (const Fd& at : powers.read) allow(ruleset.get(), at, kRead & taken.files);
  for (const Fd& at : powers.write) allow(ruleset.get(), at, kWrite & taken.files);
  if (kLeakChecker) allow(ruleset.get(), Fd(open("/proc", O_PATH | O_CLOEXEC)), kRead);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(kRestrictSelf, ruleset.get(), 0) == 0 ? version : 0;
}
#else
int confine_files(const Powers&, int) { return 0; }
#endif

void harden(const Powers& powers) {
  confine_files(powers);
  refuse_calls();
}

}  // namespace sg::host
