"""How a process locks itself in: namespaces, limits and a system call filter, straight from libc.

Runs inside the sandbox's read-only file system, in processes that are about to run hostile code.
Everything here is a one-way door: nothing in this file can be undone by the process that did it.
"""

import ctypes
import os
import platform
import resource
import signal
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
libc.mount.argtypes = [*[ctypes.c_char_p] * 3, ctypes.c_ulong, ctypes.c_char_p]

# <linux/sched.h>
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
CLONE_THREAD = 0x00010000

# <sys/mount.h>
MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REC = 0x4000
MS_PRIVATE = 0x40000

# <sys/prctl.h>
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63  # dropping one that the kernel does not know fails, which ends the loop

MOST_HELD = 384 * 2**20  # bytes, in a call whose memory is limited; imports take a hundred
M_MMAP_THRESHOLD, LARGE_BLOCK = -3, 64 * 2**10  # of mallopt; bytes
USER = 1000  # inside; what it is outside does not show
NOBODY = 65534  # outside, where the grader is started by root: root's processes have no limit


@dataclass(frozen=True)
class Allowance:
    """What one submission may use."""

    memory_bytes: int = 2 * 2**30  # on top of what the fork server has
    scratch_bytes: int = 64 * 2**20  # in its private /tmp, which is memory too
    scratch_files: int = 4096
    open_files: int = 128
    threads: int = 32
    stack_bytes: int = 8 * 2**20


def _called(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def die_with_parent() -> None:
    """Be killed when the parent dies. Gaining or losing privileges undoes it: call it last."""
    _called(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "PR_SET_PDEATHSIG")


def _become_nobody() -> None:
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    # Changing users makes a process's own files in /proc root's.
    _called(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "PR_SET_DUMPABLE")


def rule_own_processes() -> None:
    """Go on in a child that is the first process of a namespace of its own, with power over it.

    That power is what `fork_as_first` needs. The parent stays to pass on how the child ends.
    """
    if os.getuid() == 0:
        _become_nobody()
    user, group = os.geteuid(), os.getegid()
    _called(libc.unshare(CLONE_NEWUSER | CLONE_NEWPID), "unshare")
    _map_user(user, group)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(max(os.waitstatus_to_exitcode(status), 0))
    die_with_parent()


def fork_as_first() -> int:
    """os.fork(), where the child is the first process of a new namespace.

    It sees no other process, and when it ends, the kernel ends whatever it started.
    """
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    try:
        _called(libc.unshare(CLONE_NEWPID), "unshare")
        try:
            return os.fork()
        finally:
            # In the parent, undone: its next children belong to another one. The child is in it.
            libc.setns(own, CLONE_NEWPID)
    finally:
        os.close(own)


def enter_namespaces() -> None:
    """New user, mount, network, IPC and host name namespaces.

    The network has not even a loopback device, and abstract sockets belong to it, so nothing
    outside can be reached. The user's number is kept, but its powers end at these namespaces.
    """
    user, group = os.geteuid(), os.getegid()
    flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS
    _called(libc.unshare(flags | CLONE_NEWCGROUP), "unshare")
    _map_user(user, group)


def _map_user(user: int, group: int) -> None:
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{USER} {user} 1"),
        ("gid_map", f"{USER} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def mount_scratch(scratch: str, allowance: Allowance) -> None:
    """A private, empty, size-limited directory at `scratch`, and nothing at all in /proc."""
    _called(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "mount /")
    size = f"size={allowance.scratch_bytes},nr_inodes={allowance.scratch_files},mode=0700"
    safe = MS_NOSUID | MS_NODEV
    _called(
        libc.mount(b"tmpfs", scratch.encode(), b"tmpfs", safe, size.encode()), f"mount {scratch}"
    )
    _called(
        libc.mount(b"tmpfs", b"/proc", b"tmpfs", safe | MS_NOEXEC | MS_RDONLY, b"size=4k"),
        "mount /proc",
    )


def limit_resources(allowance: Allowance) -> None:
    """Limits for whatever runs from here on; soft and hard ones, so that none can be raised."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if the machine runs out of memory, this is the process to end
    with open("/proc/self/statm") as file:
        size, data = (
            int(file_pages) * resource.getpagesize() for file_pages in _sizes(file.read())
        )
    limits = {
        resource.RLIMIT_AS: size + allowance.memory_bytes,
        resource.RLIMIT_DATA: data + allowance.memory_bytes,
        resource.RLIMIT_STACK: allowance.stack_bytes,
        resource.RLIMIT_FSIZE: allowance.scratch_bytes,
        resource.RLIMIT_NOFILE: allowance.open_files,
        resource.RLIMIT_NPROC: allowance.threads,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 256,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_RTPRIO: 0,
    }
    for name, value in limits.items():
        resource.setrlimit(name, (value, value))


def _sizes(statm: str) -> tuple[int, int]:
    """Pages of all memory, and of what is a process's own: its data and stack."""
    fields = statm.split()
    return int(fields[0]), int(fields[5])


def limit_one_call(process: int, statm: str, room: int | None, allowance: Allowance) -> None:
    """Let another process hold no more than `room` bytes of data beyond what it holds.

    Nor more than MOST_HELD beyond what it began with, or what was put aside before would not
    count. With None, the limit for whole submissions is back. Only the process's keeper can do
    this: in the process itself, the system call filter refuses to change a limit.
    """
    soft, hard = resource.prlimit(process, resource.RLIMIT_DATA)
    if room is None:
        soft = hard
    else:
        held = _sizes(Path(statm).read_text())[1] * resource.getpagesize()
        soft = min(held + room, hard - allowance.memory_bytes + MOST_HELD, hard)
    resource.prlimit(process, resource.RLIMIT_DATA, (soft, hard))


def hold_only_what_is_used() -> None:
    """Give large blocks back to the system as soon as they are freed.

    The C library keeps what was freed for the next time, several times what is in use: a limit on
    one call would count that too.
    """
    libc.mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)


def drop_privileges() -> None:
    """No capability in any set, and no way to gain one by running another program."""
    _called(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS")
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(LAST_CAPABILITY + 1):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    _called(libc.capset(header, struct.pack("6I", *[0] * 6)), "capset")


# Numbers of system calls: (x86_64, aarch64); None where the architecture has none.
# Both agree from 424 on.
PRLIMIT = (302, 261)
CLONE, SOCKET, CLONE3 = (56, 220), (41, 198), (435, 435)
FCNTL, FUTEX = (72, 25), (202, 98)
MISSING = {
    "clone3": CLONE3,
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),
    # futexes by newer names
    "futex_waitv": (449, 449),
    "futex_wake": (454, 454),
    "futex_wait": (455, 455),
    "futex_requeue": (456, 456),
}
# Said to have worked, and not done: they act on files that others read too, where a neighbor could
# notice it. A submission's own files are nobody else's.
PRETENDED = {
    "flock": (73, 32),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "sync_file_range": (277, 84),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
}
DENIED = {
    # other programs and processes: a submission is one process
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    # looking into, or acting on, another process
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "perf_event_open": (298, 241),
    # the file system's shape, and namespaces, which would give power over new ones
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "unshare": (272, 97),
    "setns": (308, 268),
    # what siblings and the machine do
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "mincore": (27, 232),
    "cachestat": (451, 451),
    "preadv2": (327, 286),  # can ask whether somebody has read a file before
    "statmount": (457, 457),
    "listmount": (458, 458),
    # disturbing them
    "sched_setaffinity": (203, 122),
    "membarrier": (324, 283),
    "set_tid_address": (218, 96),  # wakes whoever waits there when the thread ends
    # memory that no limit counts
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # large and rarely needed parts of the kernel, where its bugs have been
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "vmsplice": (278, 75),
    # the machine itself
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "iopl": (172, None),
    "ioperm": (173, None),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "setrlimit": (160, 164),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000
AF_UNIX = 1

# <linux/bpf_common.h>, <linux/seccomp.h>
LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
JUMP_BITS = 0x45  # BPF_JMP | BPF_JSET | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K
KILL, ERRNO, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
# Offsets in struct seccomp_data, little endian.
NUMBER, ARCH, FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 24, 32
EPERM, ENOSYS = 1, 38


# <fcntl.h>: a file's flags and duplicates are a process's own matter, locks are pretended; leases
# and notices of changes reach others.
FCNTL_OWN = (0, 1, 2, 3, 4, 1030)
FCNTL_LOCKS = (5, 6, 7, 36, 37, 38)
# <linux/futex.h>: threads wake each other by private ones. The others are known by the file that
# lies there, also to a neighbor; waiting at one is how a thread is joined.
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME, FUTEX_WAIT, FUTEX_WAIT_BITSET = 128, 256, 0, 9
FUTEX_WAITS = [
    wait | clock for wait in (FUTEX_WAIT, FUTEX_WAIT_BITSET) for clock in (0, FUTEX_CLOCK_REALTIME)
]


def filter_program(machine: str | None = None) -> bytes:
    """The filter as BPF: everything is allowed but what would reach beyond one process."""
    machine = machine or platform.machine()
    if machine not in AUDIT_ARCH:
        raise OSError(f"No system call filter is known for {machine}.")
    column = 0 if machine == "x86_64" else 1
    program = [
        _step(LOAD, ARCH),
        _step(JUMP_EQUAL, AUDIT_ARCH[machine], yes=1),
        _step(RETURN, KILL),  # a 32-bit call on a 64-bit kernel has other numbers
        _step(LOAD, NUMBER),
        _step(JUMP_AT_LEAST, X32_BIT, no=1),
        _step(RETURN, ERRNO | EPERM),
    ]
    for call, steps in _looked_into():
        program += [_step(JUMP_EQUAL, call[column], no=len(steps)), *steps]
    for calls, number in ((MISSING, ENOSYS), (PRETENDED, 0), (DENIED, EPERM)):
        for pair in calls.values():
            if (call_number := pair[column]) is not None:
                program += [_step(JUMP_EQUAL, call_number, no=1), _step(RETURN, ERRNO | number)]
    return b"".join([*program, _step(RETURN, ALLOW)])


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _looked_into() -> Iterator[tuple[tuple[int, int], list[bytes]]]:
    """The calls whose arguments decide, each with the steps that end in an answer."""
    refused = _step(RETURN, ERRNO | EPERM)
    allowed = _step(RETURN, ALLOW)
    # A thread is welcome (the number of them is limited), a process is not.
    thread = [_step(LOAD, FIRST_ARGUMENT), _step(JUMP_BITS, CLONE_THREAD, no=1)]
    yield CLONE, [*thread, allowed, refused]
    # Unix sockets are what asyncio needs; every other family is a way out, or into the kernel.
    unix = [_step(LOAD, FIRST_ARGUMENT), _step(JUMP_EQUAL, AF_UNIX, no=1)]
    yield SOCKET, [*unix, allowed, refused]
    # Limits can be asked for, and not changed: `limit_one_call` moves them from outside.
    asked = [_step(LOAD, THIRD_ARGUMENT), _step(JUMP_EQUAL, 0, no=3)]
    asked += [_step(LOAD, THIRD_ARGUMENT + 4), _step(JUMP_EQUAL, 0, no=1)]
    yield PRLIMIT, [*asked, allowed, refused]
    answers = dict.fromkeys(FCNTL_OWN, ALLOW) | dict.fromkeys(FCNTL_LOCKS, ERRNO)
    yield FCNTL, [_step(LOAD, SECOND_ARGUMENT), *_answered(answers), refused]
    private = [_step(JUMP_BITS, FUTEX_PRIVATE, no=1), allowed]
    waits = dict.fromkeys(FUTEX_WAITS, ALLOW)
    yield FUTEX, [_step(LOAD, SECOND_ARGUMENT), *private, *_answered(waits), refused]


def _answered(answers: dict[int, int]) -> list[bytes]:
    """For each value of what is loaded, its answer."""
    pairs = (
        (_step(JUMP_EQUAL, value, no=1), _step(RETURN, found)) for value, found in answers.items()
    )
    return [step for pair in pairs for step in pair]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def filter_system_calls(program: bytes) -> None:
    """Put the filter in place for this process; it needs drop_privileges() first."""
    packed = _Program(len(program) // 8, program)
    _called(
        libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(packed), 0, 0),
        "PR_SET_SECCOMP",
    )


def keep_only(descriptor: int) -> int:
    """Close every file but one, which becomes number 3; 0, 1 and 2 lead to /dev/null."""
    null = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    if descriptor != 3:
        os.dup2(descriptor, 3, inheritable=False)
    os.closerange(4, 2**20)
    return 3
