// What a locked process can still do, tried from within: a child of this test locks itself as the host does and reports
// the error of each attempt, from the thread that locked it and from one that was started later.
#include "native_host/harden.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "tests/native_host/program.h"

using namespace sg::test;
using sg::host::Fd;
using sg::host::Powers;
namespace fs = std::filesystem;

namespace {

/// A name, and a call that gives -1 and errno when it is refused.
struct Attempt {
  std::string name;
  std::function<long()> call;
};
using Errors = std::map<std::string, int>;

Errors make(const std::vector<Attempt>& attempts) {
  Errors errors;
  for (const auto& [name, call] : attempts) {
    errno = 0;
    errors[name] = call() < 0 ? errno : 0;
  }
  return errors;
}

/// Locks a child with `lock`, makes the attempts there on two threads, and gives what both saw.
Errors locked(const std::function<void()>& lock, const std::vector<Attempt>& attempts) {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const int child = fork();
  if (child == 0) {
    lock();
    const auto report = [&](const Errors& errors) {
      std::string text;
      for (const auto& [name, error] : errors) text += name + "\n" + std::to_string(error) + "\n";
      if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    };
    report(make(attempts));
    std::thread([&] { report(make(attempts)); }).join();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
  Errors errors;
  std::istringstream lines(text);
  std::size_t seen = 0;
  for (std::string name, error; std::getline(lines, name) && std::getline(lines, error); ++seen) {
    const auto [at, first] = errors.emplace(name, std::stoi(error));
    INFO(name << " on the second thread");
    REQUIRE((first || at->second == std::stoi(error)));
  }
  REQUIRE(seen == 2 * attempts.size());
  return errors;
}

long open_close(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  return file < 0 ? -1 : close(file);
}

Attempt opening(const std::string& path, int flags) {
  return {"open " + path + " with " + std::to_string(flags), [=] { return open_close(path, flags); }};
}

template <class... Arguments>
Attempt calling(const char* name, long number, Arguments... arguments) {
  return {name, [=] { return syscall(number, arguments...); }};
}

/// A folder to read, one to write and one for neither.
struct Folders {
  Folder home;
  std::string granted = home / "granted", own = home / "own", other = home / "other";

  Folders() {
    write_file(granted + "/sub/x.csv", "a\n1\n");
    write_file(own + "/sub/y.bin", "y");
    write_file(other + "/z.txt", "secret");
  }
  Powers powers() const {
    Powers p;
    p.read.emplace_back(open(granted.c_str(), O_PATH | O_CLOEXEC));
    p.write.emplace_back(open(own.c_str(), O_PATH | O_CLOEXEC));
    return p;
  }
};

}  // namespace

TEST_CASE("a locked process starts nothing, connects to nothing and reaches into nothing", "[host]") {
  static char* const none[] = {nullptr};
  static char memory[16];
  static iovec piece{memory, sizeof memory};
  const long parent = getpid();
  std::vector<Attempt> attempts{
      calling("execve", SYS_execve, "/bin/true", none, none),
      calling("execveat", SYS_execveat, AT_FDCWD, "/bin/true", none, none, 0),
      calling("socket inet", SYS_socket, AF_INET, SOCK_STREAM, 0),
      calling("socket unix", SYS_socket, AF_UNIX, SOCK_STREAM, 0),
      calling("socket netlink", SYS_socket, AF_NETLINK, SOCK_RAW, 0),
      calling("socketpair", SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, memory),
      calling("connect", SYS_connect, 0, memory, 16),
      calling("bind", SYS_bind, 0, memory, 16),
      calling("listen", SYS_listen, 0, 1),
      calling("accept4", SYS_accept4, 0, nullptr, nullptr, 0),
      calling("sendto", SYS_sendto, 0, memory, 1, 0, nullptr, 0),
      calling("sendmsg", SYS_sendmsg, 0, memory, 0),
      calling("recvmsg", SYS_recvmsg, 0, memory, 0),
      calling("process_vm_readv", SYS_process_vm_readv, parent, &piece, 1, &piece, 1, 0),
      calling("process_vm_writev", SYS_process_vm_writev, parent, &piece, 1, &piece, 1, 0),
      calling("pidfd_open", SYS_pidfd_open, parent, 0),
      calling("kill the parent", SYS_kill, parent, 0),
      calling("tgkill the parent", SYS_tgkill, parent, parent, 0),
      calling("prlimit the parent", SYS_prlimit64, parent, RLIMIT_NOFILE, nullptr, nullptr),
      calling("setpriority", SYS_setpriority, PRIO_PROCESS, parent, 1),
      calling("keyctl", SYS_keyctl, 0, 0, 0, 0, 0),
      calling("add_key", SYS_add_key, "user", "x", "x", 1, -2),
      calling("bpf", SYS_bpf, 0, nullptr, 0),
      calling("perf_event_open", SYS_perf_event_open, nullptr, 0, -1, -1, 0),
      calling("userfaultfd", SYS_userfaultfd, 0),
      calling("mount", SYS_mount, "none", "/", "tmpfs", 0, nullptr),
      calling("umount", SYS_umount2, "/", 0),
      calling("chroot", SYS_chroot, "/"),
      calling("unshare", SYS_unshare, CLONE_NEWUSER),
      calling("setns", SYS_setns, 0, 0),
      calling("open_by_handle_at", SYS_open_by_handle_at, 0, memory, 0),
      calling("memfd_create", SYS_memfd_create, "x", 0),
      calling("shmget", SYS_shmget, 0, 4096, 01600),
      calling("mq_open", SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, nullptr),
      calling("init_module", SYS_init_module, memory, 0, ""),
      calling("setuid", SYS_setuid, 1),
      calling("personality", SYS_personality, 0xffffffff),
      calling("ioctl TIOCSTI", SYS_ioctl, 0, TIOCSTI, "x"),
      calling("mmap to be run", SYS_mmap, nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      calling("mprotect to be run", SYS_mprotect, nullptr, 4096, PROT_READ | PROT_EXEC),
  };
  if (!sg::host::kLeakChecker) {
    attempts.push_back(calling("ptrace", SYS_ptrace, PTRACE_TRACEME, 0, 0, 0));
    attempts.push_back(calling("clone", SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
    attempts.push_back({"fork", [] { return static_cast<long>(fork()); }});
  }
  const std::vector<Attempt> absent{
      calling("io_uring_setup", SYS_io_uring_setup, 1, memory),
      calling("io_uring_enter", SYS_io_uring_enter, 0, 0, 0, 0, nullptr, 0),
      calling("clone3", SYS_clone3, memory, 0),
      calling("a call of later kernels", 451),
      calling("the last call there can be", 0x3fffffff),
      calling("x32", 0x40000000 + 59, "/bin/true", none, none),
  };
  const auto lock = [] {
    if (!sg::host::refuse_calls()) _exit(2);
  };
  for (const auto& [name, error] : locked(lock, attempts)) {
    INFO(name);
    REQUIRE(error == EPERM);
  }
  for (const auto& [name, error] : locked(lock, absent)) {
    INFO(name);
    REQUIRE(error == ENOSYS);
  }
}

TEST_CASE("a locked process does what the host needs", "[host]") {
  Folders f;
  const std::string file = f.own + "/new";
  const std::vector<Attempt> attempts{
      opening(f.granted + "/sub/x.csv", O_RDONLY),
      opening(f.granted + "/sub", O_RDONLY | O_DIRECTORY),
      opening(f.own + "/sub/y.bin", O_RDWR),
      opening(file, O_RDWR | O_CREAT),
      {"truncate by opening", [&] { return open_close(file, O_WRONLY | O_TRUNC); }},
      {"rename", [&] { return rename(file.c_str(), (file + "2").c_str()); }},
      {"move to another folder", [&] { return rename((file + "2").c_str(), (f.own + "/sub/new").c_str()); }},
      {"unlink", [&] { return unlink((f.own + "/sub/new").c_str()); }},
      {"mkdir", [&] { return mkdir((f.own + "/d").c_str(), 0700); }},
      {"rmdir", [&] { return rmdir((f.own + "/d").c_str()); }},
      {"stat anything",
       [&] {
         struct stat s {};
         return stat((f.other + "/z.txt").c_str(), &s);
       }},
      {"random numbers", [] { return sg::host::random_name().size() == 16 ? 0L : -1L; }},
      {"a pipe",
       [] {
         int ends[2];
         return pipe2(ends, O_CLOEXEC) < 0 ? -1L : close(ends[0]) + close(ends[1]);
       }},
      {"a signal to itself",
       [] {
         signal(SIGUSR1, SIG_IGN);
         return raise(SIGUSR1) == 0 ? 0L : -1L;
       }},
      {"its own limits",
       [] {
         rlimit r{};
         return getrlimit(RLIMIT_NOFILE, &r);
       }},
      {"memory", [] { return std::string(64 << 20, 'x').size() > 0 ? 0L : -1L; }},
  };
  for (const auto& [name, error] : locked([&] { sg::host::harden(f.powers()); }, attempts)) {
    INFO(name);
    REQUIRE(error == 0);
  }
}

TEST_CASE("a locked process reaches no file but those it was given, with every Landlock there has been", "[host]") {
  for (int newest = 1; newest <= sg::host::kNewestLandlock; ++newest) {
    Folders f;
    const int in_use = [&] {
      int status = 0;
      const int child = fork();
      if (child == 0) _exit(sg::host::confine_files(f.powers(), newest));
      waitpid(child, &status, 0);
      return WEXITSTATUS(status);
    }();
    if (in_use == 0) {
      WARN("this kernel has no Landlock: only the paths that the host opens are confined");
      return;
    }
    CAPTURE(newest, in_use);
    REQUIRE(in_use <= newest);
    const std::string x = f.granted + "/sub/x.csv", y = f.own + "/sub/y.bin";
    const auto renaming = [](const std::string& from, const std::string& to) {
      return Attempt{"rename " + from + " to " + to, [=] { return rename(from.c_str(), to.c_str()); }};
    };
    std::vector<Attempt> attempts{
        opening("/etc/passwd", O_RDONLY),
        opening("/", O_RDONLY | O_DIRECTORY),
        opening("/dev/zero", O_RDONLY),
        opening("/dev/urandom", O_RDONLY),
        opening("/tmp", O_RDONLY | O_DIRECTORY),
        opening(f.home.path(), O_RDONLY | O_DIRECTORY),
        opening(f.other + "/z.txt", O_RDONLY),
        opening(f.other + "/z.txt", O_WRONLY),
        opening(f.other + "/new", O_WRONLY | O_CREAT),
        opening(f.granted + "/../other/z.txt", O_RDONLY),
        opening(x, O_WRONLY),
        opening(x, O_RDWR),
        opening(x, O_WRONLY | O_TRUNC),
        opening(f.granted + "/new", O_WRONLY | O_CREAT),
        {"unlink", [&] { return unlink(x.c_str()); }},
        {"mkdir", [&] { return mkdir((f.granted + "/d").c_str(), 0700); }},
        {"rmdir", [&] { return rmdir((f.granted + "/sub").c_str()); }},
        {"symlink in its own folder", [&] { return symlink("/etc/passwd", (f.own + "/link").c_str()); }},
        {"mkfifo in its own folder", [&] { return mkfifo((f.own + "/fifo").c_str(), 0600); }},
        {"a device in its own folder", [&] { return mknod((f.own + "/zero").c_str(), S_IFCHR | 0600, makedev(1, 5)); }},
        {"a link to what is outside", [&] { return link((f.other + "/z.txt").c_str(), (f.own + "/z").c_str()); }},
        {"a link to what is granted", [&] { return link(x.c_str(), (f.own + "/x").c_str()); }},
        renaming(x, f.own + "/x"),
        renaming(f.other + "/z.txt", f.own + "/z"),
        renaming(y, f.granted + "/y"),
        renaming(y, f.other + "/y"),
    };
    if (!sg::host::kLeakChecker) attempts.push_back(opening("/proc/self/environ", O_RDONLY));
    for (const auto& [name, error] : locked([&] { sg::host::confine_files(f.powers(), newest); }, attempts)) {
      INFO(name);
      // Between two folders it is "another file system", so that programs copy instead.
      REQUIRE((error == EACCES || (error == EXDEV && (name.find("link") == 2 || name.find("rename") == 0))));
    }
  }
}

TEST_CASE("a locked process changes no modes, owners, times or attributes, not even of its own files", "[host]") {
  Folders f;
  const std::string y = f.own + "/sub/y.bin";
  const std::vector<Attempt> attempts{
      {"chmod", [&] { return chmod(y.c_str(), 0777); }},
      {"chown", [&] { return chown(y.c_str(), 1, 1); }},
      {"lchown", [&] { return lchown(y.c_str(), 1, 1); }},
      {"utimensat", [&] { return utimensat(AT_FDCWD, y.c_str(), nullptr, 0); }},
      {"truncate", [&] { return truncate(y.c_str(), 0); }},
      calling("setxattr", SYS_setxattr, y.c_str(), "user.x", "x", 1, 0),
  };
  for (const auto& [name, error] : locked([&] { sg::host::harden(f.powers()); }, attempts)) {
    INFO(name);
    REQUIRE(error == EPERM);
  }
}

TEST_CASE("the running host can gain nothing, start nothing and connect to nothing", "[host]") {
  Folder home;
  Program host(home.path());
  host.hello();
  const std::string process = "/proc/" + std::to_string(host.pid());
  int threads = 0;
  for (const auto& thread : fs::directory_iterator(process + "/task")) {
    const std::string status = read_file(thread.path() / "status");
    REQUIRE(status.find("NoNewPrivs:\t1") != std::string::npos);
    REQUIRE(status.find("Seccomp:\t2") != std::string::npos);
    ++threads;
  }
  REQUIRE(threads > 1);  // the pool's as well
  for (const auto& entry : fs::directory_iterator(process + "/fd")) {
    REQUIRE(fs::read_symlink(entry.path()).string().rfind("socket:", 0) != 0);
  }
}
