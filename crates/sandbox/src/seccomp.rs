//! Which system calls a program may make, as a filter that the kernel runs (classic BPF, see seccomp(2)).
//!
//! Namespaces shut in what they know. What they do not know is not on the list: keyrings, sockets that have no namespace
//! (between virtual machines, Bluetooth, the kernel's cryptography), tracing, new namespaces, clocks, the limits of other
//! processes, and the many doors of the kernel that an ordinary program never opens, those of kernels to come included.
//! That numpy, scipy, pandas, threads, processes and their tools need no more is for a test to show.

/// One instruction, as the kernel reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BpfInstruction {
    code: u16,
    jump_true: u8,
    jump_false: u8,
    constant: u32,
}

const LOAD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const REFUSE: u32 = 0x0005_0000;

/// Offsets in what the filter is shown: number of the call, architecture, low half of the first argument.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;
const SECOND_ARGUMENT: u32 = 24;

#[cfg(target_arch = "x86_64")]
const OURS: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const OURS: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const OURS: u32 = 0xc000_00f3;

/// Numbers from here on are a second door to the same calls on x86-64.
const X32_CALLS: u32 = 0x4000_0000;

/// Flags of `clone` that make namespaces.
const NEW_NAMESPACES: u32 = 0x7e02_0080;

/// Kinds of sockets that have a namespace: unix, internet (4 and 6), netlink.
const SOCKETS: &[u32] = &[1, 2, 10, 16];

/// Calls that ordinary programs make, on every kind of machine.
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_brk,
    libc::SYS_capget,
    libc::SYS_chdir,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_connect,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_fgetxattr,
    libc::SYS_flistxattr,
    libc::SYS_flock,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_get_mempolicy,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getitimer,
    libc::SYS_getpeername,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_getxattr,
    libc::SYS_kill,
    libc::SYS_lgetxattr,
    libc::SYS_linkat,
    libc::SYS_listen,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lseek,
    libc::SYS_lsetxattr,
    libc::SYS_madvise,
    libc::SYS_mbind,
    libc::SYS_membarrier,
    libc::SYS_mincore,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munlock,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_read,
    libc::SYS_readahead,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmmsg,
    libc::SYS_recvmsg,
    libc::SYS_removexattr,
    libc::SYS_renameat2,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getattr,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_yield,
    libc::SYS_sendfile,
    libc::SYS_sendmmsg,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_set_mempolicy,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_setitimer,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_setsockopt,
    libc::SYS_setxattr,
    libc::SYS_shutdown,
    libc::SYS_sigaltstack,
    libc::SYS_signalfd4,
    libc::SYS_splice,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_symlinkat,
    libc::SYS_sync,
    libc::SYS_sync_file_range,
    libc::SYS_syncfs,
    libc::SYS_sysinfo,
    libc::SYS_tee,
    libc::SYS_tgkill,
    libc::SYS_timer_create,
    libc::SYS_timer_delete,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_gettime,
    libc::SYS_timer_settime,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    libc::SYS_times,
    libc::SYS_tkill,
    libc::SYS_truncate,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_unlinkat,
    libc::SYS_utimensat,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Calls of the same kind that only some machines have.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[libc::c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_creat,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_fork,
    libc::SYS_futimesat,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_lchown,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_mknod,
    libc::SYS_mseal,
    libc::SYS_newfstatat,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_signalfd,
    libc::SYS_stat,
    libc::SYS_symlink,
    libc::SYS_time,
    libc::SYS_unlink,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_vfork,
];
#[cfg(target_arch = "aarch64")]
const ALLOWED_HERE: &[libc::c_long] = &[libc::SYS_mseal, libc::SYS_newfstatat, libc::SYS_renameat];
#[cfg(target_arch = "riscv64")]
const ALLOWED_HERE: &[libc::c_long] = &[libc::SYS_newfstatat];

/// Requests to files and terminals that look, or say how this process alone reads. None puts words into the mouth of
/// whoever sits at a terminal, and none reaches a device.
const REQUESTS: &[u32] = &[
    0x5401,      // TCGETS: is it a terminal?
    0x540f,      // TIOCGPGRP
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x8004_6601, // FS_IOC_GETFLAGS, by copying tools
    0x4004_9409, // FICLONE, by copying tools
];

/// What a process may set about itself: signal at its parent's end, dumps, name, timers, huge pages, names of memory.
const SETTINGS: &[u32] = &[1, 2, 3, 4, 15, 16, 21, 23, 29, 30, 39, 41, 42, 0x5356_4d41];

/// Memory that no process seems to have: refused where nothing but a look at the processes limits memory.
const HIDDEN_MEMORY: libc::c_long = libc::SYS_memfd_create;

/// The filter as bytes, as bubblewrap takes it from a descriptor. Nothing where the machine is of a kind that it is not
/// written for. What is not on the list is answered as not permitted (EPERM); a few calls are answered as unknown (ENOSYS),
/// because libraries then take an older one that can be looked at.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
#[expect(clippy::unnecessary_wraps, reason = "on other machines there is none")]
pub(crate) fn bytes(is_memory_watched: bool) -> Option<Vec<u8>> {
    let refused = REFUSE | libc::EPERM.unsigned_abs();
    let unknown = REFUSE | libc::ENOSYS.unsigned_abs();
    let mut program = vec![
        load(ARCHITECTURE),
        jump(JUMP_EQUAL, OURS, 1, 0),
        return_action(unknown),
        load(NUMBER),
        jump(JUMP_AT_LEAST, X32_CALLS, 0, 1),
        return_action(unknown),
    ];
    for number in ALLOWED.iter().chain(ALLOWED_HERE) {
        program.extend([jump(JUMP_EQUAL, number_of(*number), 0, 1), return_action(ALLOW)]);
    }
    let hidden = if is_memory_watched { unknown } else { ALLOW };
    // The flags of the newer `clone` lie in memory where a filter cannot see them.
    for (number, with) in [(HIDDEN_MEMORY, hidden), (libc::SYS_clone3, unknown)] {
        program.extend([jump(JUMP_EQUAL, number_of(number), 0, 1), return_action(with)]);
    }
    program.extend([
        jump(JUMP_EQUAL, number_of(libc::SYS_clone), 0, 4),
        load(FIRST_ARGUMENT),
        jump(JUMP_ANY_BIT, NEW_NAMESPACES, 0, 1),
        return_action(refused),
        return_action(ALLOW),
    ]);
    // A process is itself, and no other: what keeps the sandbox is not for a program to limit or slow down.
    let itself: &[u32] = &[0];
    for (number, argument, values) in [
        (libc::SYS_socket, FIRST_ARGUMENT, SOCKETS),
        (libc::SYS_socketpair, FIRST_ARGUMENT, SOCKETS),
        (libc::SYS_ioctl, SECOND_ARGUMENT, REQUESTS),
        (libc::SYS_prctl, FIRST_ARGUMENT, SETTINGS),
        (libc::SYS_prlimit64, FIRST_ARGUMENT, itself),
        (libc::SYS_setpriority, SECOND_ARGUMENT, itself),
    ] {
        program.extend(allow_argument_values(number, argument, values, refused));
    }
    #[cfg(target_arch = "x86_64")]
    program.extend([jump(JUMP_EQUAL, number_of(libc::SYS_setrlimit), 0, 1), return_action(ALLOW)]);
    program.push(return_action(refused));
    Some(program.iter().flat_map(|instruction| instruction.bytes()).collect())
}

/// Lets a call through where the low half of an argument is one of a few values.
fn allow_argument_values(number: libc::c_long, argument: u32, values: &[u32], refused: u32) -> Vec<BpfInstruction> {
    let count = jumps(values);
    let mut program = vec![jump(JUMP_EQUAL, number_of(number), 0, count + 3), load(argument)];
    for (left, value) in (1..=count).rev().zip(values) {
        program.push(jump(JUMP_EQUAL, *value, left, 0));
    }
    program.extend([return_action(refused), return_action(ALLOW)]);
    program
}

/// Without a filter the level is `none`.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
pub(crate) fn bytes(_is_memory_watched: bool) -> Option<Vec<u8>> {
    None
}

/// Lists are short: a jump over one fits.
fn jumps(list: &[u32]) -> u8 {
    u8::try_from(list.len()).unwrap_or(u8::MAX)
}

/// Numbers of calls are small.
fn number_of(number: libc::c_long) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

const fn load(offset: u32) -> BpfInstruction {
    BpfInstruction { code: LOAD, jump_true: 0, jump_false: 0, constant: offset }
}

const fn jump(code: u16, constant: u32, jump_true: u8, jump_false: u8) -> BpfInstruction {
    BpfInstruction { code, jump_true, jump_false, constant }
}

const fn return_action(constant: u32) -> BpfInstruction {
    BpfInstruction { code: RETURN, jump_true: 0, jump_false: 0, constant }
}

impl BpfInstruction {
    fn bytes(self) -> [u8; 8] {
        let [first, second] = self.code.to_ne_bytes();
        let [a, b, c, d] = self.constant.to_ne_bytes();
        [first, second, self.jump_true, self.jump_false, a, b, c, d]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel would answer: the instructions that are used here, and no others.
    fn run(program: &[u8], number: u32, architecture: u32, arguments: [u32; 2]) -> u32 {
        let read = |at: usize| {
            let bytes = &program[at * 8..at * 8 + 8];
            let code = u16::from_ne_bytes([bytes[0], bytes[1]]);
            (code, bytes[2], bytes[3], u32::from_ne_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]))
        };
        let (mut at, mut held) = (0, 0);
        loop {
            let (code, yes, no, constant) = read(at);
            at += 1;
            let is_so = match code {
                LOAD => {
                    held = match constant {
                        NUMBER => number,
                        ARCHITECTURE => architecture,
                        FIRST_ARGUMENT => arguments[0],
                        SECOND_ARGUMENT => arguments[1],
                        other => panic!("nothing lies at {other}"),
                    };
                    continue;
                }
                JUMP_EQUAL => held == constant,
                JUMP_AT_LEAST => held >= constant,
                JUMP_ANY_BIT => held & constant != 0,
                RETURN => return constant,
                other => panic!("no instruction {other:#x}"),
            };
            at += usize::from(if is_so { yes } else { no });
        }
    }

    #[test]
    fn what_is_refused_and_what_is_not() {
        let Some(program) = bytes(false) else { return };
        let ask = |number: libc::c_long, arguments| run(&program, number_of(number), OURS, arguments);
        let (refused, unknown) = (REFUSE | 1, REFUSE | libc::ENOSYS.unsigned_abs());
        for number in [libc::SYS_read, libc::SYS_openat, libc::SYS_execve, libc::SYS_futex, libc::SYS_memfd_create] {
            assert_eq!(ask(number, [0, 0]), ALLOW, "{number}");
        }
        let doors = [
            libc::SYS_keyctl,
            libc::SYS_add_key,
            libc::SYS_request_key,
            libc::SYS_vhangup,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_pivot_root,
            libc::SYS_chroot,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_io_uring_setup,
            libc::SYS_userfaultfd,
            libc::SYS_seccomp,
            libc::SYS_pidfd_getfd,
            libc::SYS_open_by_handle_at,
            libc::SYS_name_to_handle_at,
            libc::SYS_memfd_secret,
            libc::SYS_shmget,
            libc::SYS_msgget,
            libc::SYS_mq_open,
            libc::SYS_setuid,
            libc::SYS_capset,
            libc::SYS_sched_setscheduler,
            libc::SYS_clock_settime,
            libc::SYS_sethostname,
            libc::SYS_syslog,
            libc::SYS_init_module,
            libc::SYS_kexec_load,
            libc::SYS_fanotify_init,
            libc::SYS_personality,
        ];
        for number in doors {
            assert_eq!(ask(number, [0, 0]), refused, "{number}");
        }
        // Calls that nobody has thought of yet.
        for number in 470..600 {
            assert_eq!(ask(number, [0, 0]), refused, "{number}");
        }
        assert_eq!(ask(libc::SYS_clone3, [0, 0]), unknown);
        assert_eq!(ask(libc::SYS_clone, [0x11, 0]), ALLOW);
        for flag in [0x1000_0000, 0x0002_0000, 0x2000_0000, 0x4000_0000, 0x0800_0000, 0x0400_0000, 0x0200_0000, 0x80] {
            assert_eq!(ask(libc::SYS_clone, [flag | 0x11, 0]), refused, "{flag:#x}");
        }
        for (kind, expected) in
            [(1, ALLOW), (2, ALLOW), (10, ALLOW), (16, ALLOW), (17, refused), (38, refused), (40, refused)]
        {
            assert_eq!(ask(libc::SYS_socket, [kind, 0]), expected, "{kind}");
            assert_eq!(ask(libc::SYS_socketpair, [kind, 0]), expected, "{kind}");
        }
        for (request, expected) in [(0x5412, refused), (0x541c, refused), (0x5401, ALLOW), (0x8915, refused)] {
            assert_eq!(ask(libc::SYS_ioctl, [0, request]), expected, "{request:#x}");
        }
        // Its own limits and priority, nobody else's.
        assert_eq!(ask(libc::SYS_prlimit64, [0, 6]), ALLOW);
        assert_eq!(ask(libc::SYS_prlimit64, [1, 6]), refused);
        assert_eq!(ask(libc::SYS_setpriority, [0, 0]), ALLOW);
        assert_eq!(ask(libc::SYS_setpriority, [0, 1]), refused);
        assert_eq!(ask(libc::SYS_prctl, [15, 0]), ALLOW);
        assert_eq!(ask(libc::SYS_prctl, [22, 2]), refused);
        assert_eq!(run(&program, X32_CALLS + 250, OURS, [0, 0]), unknown);
        assert_eq!(run(&program, 0, 0x4000_0003, [0, 0]), unknown);
        let watched = bytes(true).unwrap();
        assert_eq!(run(&watched, number_of(libc::SYS_memfd_create), OURS, [0, 0]), unknown);
    }
}
