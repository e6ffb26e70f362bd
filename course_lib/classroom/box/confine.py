"""What a process may do from now on: limits of the system, and a list of system calls that are refused.

The sandbox around it has no files, no network and no other processes already. This is the second wall.
"""

import ctypes
import errno
import platform
import resource
import struct

GIB = 1 << 30
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
# System calls by number: x86_64, then aarch64; None where there is none.
REFUSED = {
    "socket": (41, 198), "socketpair": (53, 199), "clone": (56, 220), "fork": (57, None), "vfork": (58, None),
    "execve": (59, 221), "execveat": (322, 281), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "process_madvise": (440, 440), "kcmp": (312, 272), "unshare": (272, 97),
    "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "bpf": (321, 280), "userfaultfd": (323, 282), "perf_event_open": (298, 241), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    "personality": (135, 92), "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262), "timer_create": (222, 107), "setpriority": (141, 140), "acct": (163, 89),
    "reboot": (169, 142), "swapon": (167, 224), "migrate_pages": (256, 238), "move_pages": (279, 239),
}  # fmt: skip
CLONE3 = 435
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000


class Program(ctypes.Structure):
    """What the kernel takes as a filter."""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def limit(cpu, memory=GIB):
    """Sets the limits: seconds of the processor, bytes of memory, no files written, no processes."""
    wanted = {
        resource.RLIMIT_CORE: (0, 0),
        # The second one ends a process that ignores the signal of the first.
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_AS: (memory, memory),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_NOFILE: (32, 32),
        resource.RLIMIT_STACK: (8 << 20, 8 << 20),
        resource.RLIMIT_NPROC: (0, 0),
    }
    for what, values in wanted.items():
        resource.setrlimit(what, values)


def filter_code():
    """The filter: another machine's calls end the process, those of the list fail, all others pass."""
    column, machine = MACHINES[platform.machine()]
    numbers = [pair[column] for pair in REFUSED.values() if pair[column] is not None]
    steps = [
        _step(LOAD, 0, 0, 4),
        _step(JUMP_EQUAL, 1, 0, machine),
        _step(RETURN, 0, 0, KILL),
        _step(LOAD, 0, 0, 0),
        # Numbers from here on are a second set of calls on x86_64.
        _step(JUMP_AT_LEAST, 0, 1, 0x40000000),
        _step(RETURN, 0, 0, KILL),
        _step(JUMP_EQUAL, 0, 1, CLONE3),
        _step(RETURN, 0, 0, ERROR | errno.ENOSYS),
    ]
    for number in numbers:
        steps += [_step(JUMP_EQUAL, 0, 1, number), _step(RETURN, 0, 0, ERROR | errno.EPERM)]
    return b"".join([*steps, _step(RETURN, 0, 0, ALLOW)])


def _step(code, yes, no, value):
    """One instruction of a filter."""
    return struct.pack("<HBBI", code, yes, no, value)


def refuse_calls():
    """Puts the filter in force; it cannot be taken off again."""
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
    code = filter_code()
    buffer = ctypes.create_string_buffer(code, len(code))
    program = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    for words in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0)):
        if library.prctl(*words):
            raise OSError(ctypes.get_errno(), "the filter for system calls was not taken")


def hide():
    """Lets no other process look into this one."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
