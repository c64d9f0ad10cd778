// The calls to the system that files and the store make, under POSIX's names on every system. On Windows they are
// declared here, for sg::host alone, and made of Win32's in files_windows.cpp: folders have descriptors, names are
// UTF-8, nothing is followed that O_NOFOLLOW forbids, and an open file can be renamed, replaced and removed as
// elsewhere.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <string>

#if !defined(_WIN32)

#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#if !defined(O_PATH)  // Linux's alone
#define O_PATH O_RDONLY
#endif
#if defined(__APPLE__)
#define st_mtim st_mtimespec
#endif

namespace sg::host {
using ::open;
}

#else

#include <ctime>

#define O_CLOEXEC 0  // nothing is inherited here
#define O_NONBLOCK 0
#define O_NOCTTY 0
#define O_DIRECTORY 0x10000000
#define O_NOFOLLOW 0x20000000
#define O_PATH 0
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR 0x200
#define LOCK_EX 2
#define LOCK_NB 4
#define S_IFLNK 0xA000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#if !defined(EDQUOT)
#define EDQUOT 122
#endif

namespace sg::host {

struct stat {
  unsigned st_mode = 0;
  std::uint64_t st_nlink = 0;  // 0 once the name is gone, even while the file is open
  std::int64_t st_size = 0;
  timespec st_mtim{};
};

struct statvfs {
  std::uint64_t f_bavail = 0, f_frsize = 1;
};

int open(const char* path, int flags, unsigned mode = 0);
int lstat(const char* path, struct stat* s);
int openat(int folder, const char* name, int flags, unsigned mode = 0);
int mkdirat(int folder, const char* name, unsigned mode);
int unlinkat(int folder, const char* name, int flags);
int renameat(int from_folder, const char* from, int to_folder, const char* to);
int fstat(int file, struct stat* s);
int fstatat(int folder, const char* name, struct stat* s, int flags);
int fchmod(int file, unsigned mode);
int flock(int file, int how);
int statvfs(const char* path, struct statvfs* fs);
int fstatvfs(int file, struct statvfs* fs);

}  // namespace sg::host

#endif

namespace sg::host {

/// A variable of the environment as UTF-8 with slashes between folders; empty when it is not set.
std::string environment(const char* name);

}  // namespace sg::host
