//! Which system calls a program may not make, as a filter that the kernel runs (classic BPF, see seccomp(2)).
//!
//! Namespaces shut in what they know. What they do not know is refused here: keyrings, sockets that have no namespace
//! (between virtual machines, Bluetooth, the kernel's cryptography), tracing, new namespaces, clocks, and the many doors of
//! the kernel that an ordinary program never opens.

/// One instruction, as the kernel reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Instruction {
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
const SECOND_DOOR: u32 = 0x4000_0000;

/// Flags of `clone` that make namespaces.
const NEW_NAMESPACES: u32 = 0x7e02_0080;

/// Kinds of sockets that have a namespace: unix, internet (4 and 6), netlink.
const SOCKETS: [u32; 4] = [1, 2, 10, 16];

/// Requests to a terminal that put words into the mouth of whoever sits there.
const TERMINAL_REQUESTS: [u32; 2] = [0x5412, 0x541c];

/// Calls that are refused as not permitted.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Memory that no process seems to have: refused where nothing but a look at the processes limits memory.
const HIDDEN_MEMORY: &[libc::c_long] = &[libc::SYS_memfd_create, libc::SYS_memfd_secret, libc::SYS_shmget];

/// The filter as bytes, as bubblewrap takes it from a descriptor. Nothing where the machine is of a kind that it is not
/// written for.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
#[expect(clippy::unnecessary_wraps, reason = "on other machines there is none")]
pub(crate) fn bytes(is_memory_watched: bool) -> Option<Vec<u8>> {
    let refused = REFUSE | libc::EPERM.unsigned_abs();
    let unknown = REFUSE | libc::ENOSYS.unsigned_abs();
    let mut program = vec![
        load(ARCHITECTURE),
        jump(JUMP_EQUAL, OURS, 1, 0),
        answer(unknown),
        load(NUMBER),
        jump(JUMP_AT_LEAST, SECOND_DOOR, 0, 1),
        answer(unknown),
    ];
    let mut refuse = |number: libc::c_long, with: u32| {
        program.push(jump(JUMP_EQUAL, number_of(number), 0, 1));
        program.push(answer(with));
    };
    for number in REFUSED {
        refuse(*number, refused);
    }
    if is_memory_watched {
        for number in HIDDEN_MEMORY {
            refuse(*number, unknown);
        }
    }
    // Its flags lie in memory where a filter cannot see them; libraries fall back to the older call.
    refuse(libc::SYS_clone3, unknown);
    program.push(jump(JUMP_EQUAL, number_of(libc::SYS_clone), 0, 4));
    program.push(load(FIRST_ARGUMENT));
    program.push(jump(JUMP_ANY_BIT, NEW_NAMESPACES, 0, 1));
    program.push(answer(refused));
    program.push(answer(ALLOW));
    let kinds = jumps(&SOCKETS);
    for number in [libc::SYS_socket, libc::SYS_socketpair] {
        program.push(jump(JUMP_EQUAL, number_of(number), 0, kinds + 3));
        program.push(load(FIRST_ARGUMENT));
        for (left, kind) in (1..=kinds).rev().zip(SOCKETS) {
            program.push(jump(JUMP_EQUAL, kind, left, 0));
        }
        program.push(answer(refused));
        program.push(answer(ALLOW));
    }
    let requests = jumps(&TERMINAL_REQUESTS);
    program.push(jump(JUMP_EQUAL, number_of(libc::SYS_ioctl), 0, requests + 3));
    program.push(load(SECOND_ARGUMENT));
    for (left, request) in (1..=requests).rev().zip(TERMINAL_REQUESTS) {
        program.push(jump(JUMP_EQUAL, request, left, 0));
    }
    program.push(answer(ALLOW));
    program.push(answer(refused));
    program.push(answer(ALLOW));
    Some(program.iter().flat_map(|instruction| instruction.bytes()).collect())
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

const fn load(offset: u32) -> Instruction {
    Instruction { code: LOAD, jump_true: 0, jump_false: 0, constant: offset }
}

const fn jump(code: u16, constant: u32, jump_true: u8, jump_false: u8) -> Instruction {
    Instruction { code, jump_true, jump_false, constant }
}

const fn answer(constant: u32) -> Instruction {
    Instruction { code: RETURN, jump_true: 0, jump_false: 0, constant }
}

impl Instruction {
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
        let refused = REFUSE | 1;
        assert_eq!(ask(libc::SYS_read, [0, 0]), ALLOW);
        assert_eq!(ask(libc::SYS_memfd_create, [0, 0]), ALLOW);
        assert_eq!(ask(libc::SYS_keyctl, [0, 0]), refused);
        assert_eq!(ask(libc::SYS_vhangup, [0, 0]), refused);
        assert_eq!(ask(libc::SYS_clone3, [0, 0]), REFUSE | libc::ENOSYS.unsigned_abs());
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
        assert_eq!(ask(libc::SYS_ioctl, [0, 0x5412]), refused);
        assert_eq!(ask(libc::SYS_ioctl, [0, 0x541c]), refused);
        assert_eq!(ask(libc::SYS_ioctl, [0, 0x5401]), ALLOW);
        assert_eq!(run(&program, SECOND_DOOR + 250, OURS, [0, 0]), REFUSE | libc::ENOSYS.unsigned_abs());
        assert_eq!(run(&program, 0, 0x4000_0003, [0, 0]), REFUSE | libc::ENOSYS.unsigned_abs());
        let watched = bytes(true).unwrap();
        assert_eq!(
            run(&watched, number_of(libc::SYS_memfd_create), OURS, [0, 0]),
            REFUSE | libc::ENOSYS.unsigned_abs()
        );
    }
}
