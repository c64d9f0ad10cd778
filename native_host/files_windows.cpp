// POSIX's calls on files, made of Win32's: see posix.h. Paths go to the system with the prefix \\?\, so that no name
// means a device and none is trimmed or cut.
#define _CRT_RAND_S
#include <cstdlib>
// clang-format off
#include <windows.h>
#include <io.h>
// clang-format on

#include <algorithm>
#include <memory>
#include <system_error>

#include "native_host/files.h"
#include "native_host/text_windows.h"

namespace sg::host {
namespace {

constexpr std::int64_t kTicksTo1970 = 116'444'736'000'000'000;  // of 100 ns, from 1601
constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr DWORD kLockedByte = 0x4000'0000;  // high half of a position past every file's end

/// Sets errno to what the system's last error means.
int set_errno(DWORD error = GetLastError()) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      errno = ENOENT;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_DELETE_PENDING:
      errno = EACCES;
      break;
    case ERROR_WRITE_PROTECT:
      errno = EROFS;
      break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_DIR_NOT_EMPTY:
      errno = ENOTEMPTY;
      break;
    case ERROR_DIRECTORY:
      errno = ENOTDIR;
      break;
    default:
      errno = EIO;
  }
  return -1;
}

int fail_with(int error) {
  errno = error;
  return -1;
}

[[noreturn]] void fail(const std::string& what) {
  set_errno();
  throw std::system_error(errno, std::generic_category(), what);
}

std::wstring with_backslashes(std::string_view text) {
  std::wstring out = wide(text);
  std::replace(out.begin(), out.end(), L'/', L'\\');
  return out;
}

std::wstring full_path(const char* path) {
  const std::wstring given = with_backslashes(path);
  if (given.rfind(L"\\\\", 0) == 0) return given;
  std::wstring full(32'768, L'\0');
  full.resize(GetFullPathNameW(given.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
  return L"\\\\?\\" + full;
}

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

/// The path of `name` in an open folder; empty when the name is none.
std::wstring path_in(int folder, const char* name) {
  const std::wstring own = with_backslashes(name);
  // A colon opens another stream of a file, and a backslash another folder.
  if (own.empty() || own == L"." || own == L".." || own.find_first_of(L":\\") != std::wstring::npos) return L"";
  std::wstring path(32'768, L'\0');
  path.resize(GetFinalPathNameByHandleW(handle_of(folder), path.data(), static_cast<DWORD>(path.size()), 0));
  return path.empty() ? L"" : path + L"\\" + own;
}

int open_path(const std::wstring& path, int flags) {
  if (path.empty()) return fail_with(EINVAL);
  const bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
  const DWORD access = writes ? GENERIC_READ | GENERIC_WRITE | DELETE : GENERIC_READ;
  const DWORD how = (flags & O_EXCL) != 0 ? CREATE_NEW : (flags & O_CREAT) != 0 ? OPEN_ALWAYS : OPEN_EXISTING;
  const DWORD links = (flags & O_NOFOLLOW) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  const HANDLE handle = CreateFileW(path.c_str(), access, kShare, nullptr, how,
                                    FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS | links, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return set_errno();
  BY_HANDLE_FILE_INFORMATION info{};
  const bool known = GetFileInformationByHandle(handle, &info) != 0;
  const bool folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  const bool link = (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && links != 0;
  const int error = !known || GetFileType(handle) != FILE_TYPE_DISK ? EINVAL
                    : link                                          ? ELOOP
                    : folder && writes                              ? EISDIR
                    : !folder && (flags & O_DIRECTORY) != 0         ? ENOTDIR
                                                                    : 0;
  const int file = error != 0 ? -1 : _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY | _O_NOINHERIT);
  if (file < 0) {
    CloseHandle(handle);
    return fail_with(error != 0 ? error : EMFILE);
  }
  return file;
}

timespec time_of(const FILETIME& t) {
  const std::int64_t ticks = (std::int64_t{t.dwHighDateTime} << 32 | t.dwLowDateTime) - kTicksTo1970;
  timespec time{};
  time.tv_sec = static_cast<time_t>(ticks / 10'000'000);
  time.tv_nsec = static_cast<long>(ticks % 10'000'000 * 100);
  return time;
}

OVERLAPPED at_offset(std::uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

/// Renames as POSIX does, over a file that others have open; Windows can since version 10 (1709).
bool rename_as_posix(const std::wstring& from, const std::wstring& to) {
  const HANDLE handle = CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, kShare, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return false;
  struct Rename {
    DWORD flags;
    HANDLE folder;
    DWORD bytes;
    wchar_t name[1];
  };
  constexpr DWORD kReplaceAsPosix = 3;
  constexpr auto kFileRenameInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  std::string buffer(sizeof(Rename) + to.size() * sizeof(wchar_t), '\0');
  auto* rename = reinterpret_cast<Rename*>(buffer.data());
  rename->flags = kReplaceAsPosix;
  rename->bytes = static_cast<DWORD>(to.size() * sizeof(wchar_t));
  std::copy(to.begin(), to.end(), rename->name);
  const bool done =
      SetFileInformationByHandle(handle, kFileRenameInfoEx, rename, static_cast<DWORD>(buffer.size())) != 0;
  CloseHandle(handle);
  return done;
}

}  // namespace

int open(const char* path, int flags, unsigned) { return open_path(full_path(path), flags); }

int openat(int folder, const char* name, int flags, unsigned) { return open_path(path_in(folder, name), flags); }

int mkdirat(int folder, const char* name, unsigned) {
  // Below the person's own folders a new one is theirs alone by inheritance.
  return CreateDirectoryW(path_in(folder, name).c_str(), nullptr) != 0 ? 0 : set_errno();
}

int unlinkat(int folder, const char* name, int flags) {
  const std::wstring path = path_in(folder, name);
  const bool gone = (flags & AT_REMOVEDIR) != 0 ? RemoveDirectoryW(path.c_str()) != 0 : DeleteFileW(path.c_str()) != 0;
  return gone ? 0 : set_errno();
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  const std::wstring old_path = path_in(from_folder, from), new_path = path_in(to_folder, to);
  if (old_path.empty() || new_path.empty()) return fail_with(EINVAL);
  if (rename_as_posix(old_path, new_path)) return 0;
  const DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  return MoveFileExW(old_path.c_str(), new_path.c_str(), how) != 0 ? 0 : set_errno();
}

int fstat(int file, struct stat* s) {
  BY_HANDLE_FILE_INFORMATION info{};
  FILE_STANDARD_INFO standard{};
  const HANDLE handle = handle_of(file);
  if (GetFileInformationByHandle(handle, &info) == 0) return set_errno();
  const bool asked = GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard) != 0;
  s->st_mode = (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 ? S_IFLNK
               : (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0   ? S_IFDIR
                                                                           : S_IFREG;
  s->st_nlink = asked && standard.DeletePending ? 0 : info.nNumberOfLinks;
  s->st_size = static_cast<std::int64_t>(std::uint64_t{info.nFileSizeHigh} << 32 | info.nFileSizeLow);
  s->st_mtim = time_of(info.ftLastWriteTime);
  return 0;
}

int fstatat(int folder, const char* name, struct stat* s, int flags) {
  const std::wstring path = path_in(folder, name);
  const DWORD links = (flags & AT_SYMLINK_NOFOLLOW) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  const HANDLE handle = CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kShare, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS | links, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return set_errno();
  const Fd file(_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY | _O_NOINHERIT));
  return fstat(file.get(), s);
}

int lstat(const char* path, struct stat* s) {
  const Fd file(open_path(full_path(path), O_RDONLY));
  return file ? fstat(file.get(), s) : -1;
}

int fchmod(int, unsigned) { return 0; }  // who may read is inherited from the folder

int flock(int file, int how) {
  OVERLAPPED place{};
  place.OffsetHigh = kLockedByte;
  const DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | ((how & LOCK_NB) != 0 ? LOCKFILE_FAIL_IMMEDIATELY : 0);
  return LockFileEx(handle_of(file), flags, 0, 1, 0, &place) != 0 ? 0 : set_errno();
}

int statvfs(const char* path, struct statvfs* fs) {
  ULARGE_INTEGER free{};
  if (GetDiskFreeSpaceExW(full_path(path).c_str(), &free, nullptr, nullptr) == 0) return set_errno();
  fs->f_bavail = free.QuadPart;
  return 0;
}

int fstatvfs(int file, struct statvfs* fs) {
  std::wstring path(32'768, L'\0');
  path.resize(GetFinalPathNameByHandleW(handle_of(file), path.data(), static_cast<DWORD>(path.size()), 0));
  return path.empty() ? set_errno() : statvfs(narrow(path.c_str()).c_str(), fs);
}

std::string environment(const char* name) {
  std::wstring value(32'768, L'\0');
  value.resize(GetEnvironmentVariableW(wide(name).c_str(), value.data(), static_cast<DWORD>(value.size())));
  std::replace(value.begin(), value.end(), L'\\', L'/');
  return narrow(value.c_str());
}

Fd open_beneath(int folder, const std::string& path, int flags) { return open_beneath_by_steps(folder, path, flags); }

std::size_t read_at(int file, char* to, std::size_t size, std::uint64_t offset) {
  return read_full(to, size, [&](char* at, std::size_t most, std::size_t have) -> std::size_t {
    OVERLAPPED place = at_offset(offset + have);
    DWORD n = 0;
    const auto piece = static_cast<DWORD>(std::min<std::size_t>(most, 1u << 30));
    if (ReadFile(handle_of(file), at, piece, &n, &place) == 0 && GetLastError() != ERROR_HANDLE_EOF) fail("read");
    return n;
  });
}

void write_at(int file, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    OVERLAPPED place = at_offset(offset);
    DWORD n = 0;
    const auto most = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1u << 30));
    if (WriteFile(handle_of(file), bytes.data(), most, &n, &place) == 0 || n == 0) fail("write");
    bytes.remove_prefix(n);
    offset += n;
  }
}

void sync_file(int file) {
  struct stat s {};
  // A folder can't be flushed here: the names are in the file system's own journal.
  if (fstat(file, &s) == 0 && S_ISDIR(s.st_mode)) return;
  if (FlushFileBuffers(handle_of(file)) == 0) fail("flush");
}

std::string random_name() {
  std::string name;
  for (int part = 0; part < 2; ++part) {
    unsigned value = 0;
    if (rand_s(&value) != 0) fail("random numbers");
    for (int shift = 28; shift >= 0; shift -= 4) name += "0123456789abcdef"[value >> shift & 15];
  }
  return name;
}

std::vector<std::string> names_in(int folder, std::size_t limit, bool* more) {
  WIN32_FIND_DATAW found{};
  const HANDLE search = FindFirstFileW(path_in(folder, "*").c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) fail("reading a folder");
  const std::unique_ptr<void, BOOL(WINAPI*)(HANDLE)> own(search, FindClose);
  std::vector<std::string> names;
  do {
    const std::string name = narrow(found.cFileName);
    if (name == "." || name == "..") continue;
    if (names.size() == limit) {
      if (more != nullptr) *more = true;
      break;
    }
    names.push_back(name);
  } while (FindNextFileW(search, &found) != 0);
  return names;
}

}  // namespace sg::host
