// The system calls that the host never makes, as a seccomp filter. A list of what is refused, not of what is allowed:
// which calls a C library makes differs from release to release, and a host that fails on the next one helps nobody.
// Calls newer than this list answer "no such call", as an older kernel would, which every C library provides for.
#include "native_host/harden.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#define SG_SECCOMP
#endif

namespace sg::host {

#if defined(SG_SECCOMP)
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kOwnTable = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kOwnTable = AUDIT_ARCH_AARCH64;
#endif

/// set_mempolicy_home_node of Linux 5.17, the newest call that was weighed for this list.
constexpr std::uint32_t kNewestCall = 450;

constexpr std::uint32_t kRefused[] = {
    // Programs.
    SYS_execve,
    SYS_execveat,
    // Sockets; the browser's pipes are read and written as files, whatever they are.
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_setsockopt,
    SYS_shutdown,
    // Other processes: their memory, files and signals (tgkill within this process is looked at below).
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_kcmp,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setparam,
    SYS_sched_setscheduler,
    SYS_sched_setattr,
    // Memory shared by name, queues and semaphores of System V and POSIX: Landlock knows nothing of them.
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_semget,
    SYS_semop,
    SYS_semctl,
    SYS_semtimedop,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_mq_notify,
    SYS_memfd_create,
    SYS_memfd_secret,
    // Keys, and what has the kernel run or watch something.
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_fanotify_init,
    // Mounts and namespaces.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_unshare,
    SYS_setns,
    // Files past their paths; and owners, rights, times and attributes, which Landlock leaves to whoever has the file.
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_truncate,
    // Another person, and the machine as a whole.
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_setgroups,
    SYS_capset,
    SYS_personality,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_vhangup,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
#if defined(__x86_64__)
    // Older names of the above.
    SYS_fork,
    SYS_vfork,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_modify_ldt,
    SYS_iopl,
    SYS_ioperm,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
    SYS_kexec_file_load,
#endif
};

// io_uring would open sockets past this filter, and clone3's flags can't be seen by it: both answer "no such call", so
// that the C library takes the way of older kernels.
constexpr std::uint32_t kUnknown[] = {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_clone3};

constexpr std::uint32_t refuse(std::uint32_t error) { return SECCOMP_RET_ERRNO | error; }

/// A program for the kernel, put together in the order in which its tests are made.
class Filter {
 public:
  Filter() {
    // A call through another architecture's table is refused as a whole.
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    skip_if(BPF_JEQ, kOwnTable, 1);
    give(refuse(EPERM));
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    skip_unless(BPF_JGT, kNewestCall, 1);  // x32's numbers as well, which begin at 2^30
    give(refuse(ENOSYS));
  }

  void answer(std::uint32_t call, std::uint32_t error) {
    skip_unless(BPF_JEQ, call, 1);
    give(refuse(error));
  }

  /// Refuses `call` unless its argument (the low half), under `mask`, is one of `values`.
  void only(std::uint32_t call, int argument, std::initializer_list<std::uint32_t> values,
            std::uint32_t mask = ~std::uint32_t{0}) {
    const auto count = static_cast<std::uint8_t>(values.size());
    skip_unless(BPF_JEQ, call, static_cast<std::uint8_t>(count + 4));
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * argument));
    add(BPF_ALU | BPF_AND | BPF_K, mask);
    std::uint8_t left = count;
    for (const std::uint32_t value : values) skip_if(BPF_JEQ, value, left--);
    give(refuse(EPERM));
    give(SECCOMP_RET_ALLOW);
  }

  bool install() {
    give(SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  std::vector<sock_filter> code_;

  void add(std::uint32_t code, std::uint32_t k, std::uint8_t yes = 0, std::uint8_t no = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), yes, no, k});
  }
  void give(std::uint32_t what) { add(BPF_RET | BPF_K, what); }
  void skip_if(std::uint32_t test, std::uint32_t k, std::uint8_t count) { add(BPF_JMP | test | BPF_K, k, count, 0); }
  void skip_unless(std::uint32_t test, std::uint32_t k, std::uint8_t count) {
    add(BPF_JMP | test | BPF_K, k, 0, count);
  }
};

}  // namespace

bool refuse_calls() {
  Filter filter;
  for (const std::uint32_t call : kRefused) filter.answer(call, EPERM);
  for (const std::uint32_t call : kUnknown) filter.answer(call, ENOSYS);
  if (!kLeakChecker) {
    filter.answer(SYS_ptrace, EPERM);
    filter.only(SYS_clone, 0, {CLONE_THREAD}, CLONE_THREAD);  // threads, no processes and so no namespaces
  }
  filter.only(SYS_tgkill, 0, {static_cast<std::uint32_t>(getpid())});
  filter.only(SYS_prlimit64, 0, {0});
  filter.only(SYS_ioctl, 1, {FIONBIO, FIOCLEX, FIONREAD, TCGETS});  // libuv's, and "is this a terminal?"
  // What is written to memory is never run.
  for (const std::uint32_t call : {SYS_mmap, SYS_mprotect, SYS_pkey_mprotect}) filter.only(call, 2, {0}, PROT_EXEC);
  return filter.install();
}
#else
bool refuse_calls() { return false; }
#endif

}  // namespace sg::host
