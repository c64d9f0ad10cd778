// What the host gives up before it reads a byte: gaining privileges, starting programs, every socket, reaching into
// other processes, and all files but those beneath the folders that it is given here. Best effort: an old kernel or a
// foreign processor leaves the host with less of this, never without its work. What is refused fails with an error,
// mostly EPERM (system calls) or EACCES (files); nothing kills the process. Threads started later have the same limits.
#pragma once
#include <vector>

#include "native_host/files.h"

namespace sg::host {

/// Files and folders, with all that lies beneath; may be opened with O_PATH.
struct Powers {
  std::vector<Fd> read;
  std::vector<Fd> write;
};

// The leak checker of sanitized builds stops the other threads at the end, by ptrace and from a process of its own, and
// reads /proc: there the host keeps these powers.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kLeakChecker = true;
#else
inline constexpr bool kLeakChecker = false;
#endif

/// The newest Landlock that is understood here; Debian 12's kernel has 2.
inline constexpr int kNewestLandlock = 7;

/// Both of the following. To be called while the process has one thread.
void harden(const Powers& powers);

/// Landlock; gives the version in use, 0 without any. `newest` is there so that tests can do as older kernels do.
int confine_files(const Powers& powers, int newest = kNewestLandlock);

/// Seccomp; false where there is none.
bool refuse_calls();

}  // namespace sg::host
