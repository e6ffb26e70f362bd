"""What a process may do from now on: limits of the system, and a list of system calls that are refused.

This is the inner wall. The outer one is bubblewrap, or Landlock where that is refused.
"""

import ctypes
import errno
import platform
import resource
import struct

from course_lib.classroom.box.refused import ALLOWED_WITH, CLONE3, REFUSED, REFUSED_WITH

GIB = 1 << 30
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
REFUSE = ERROR | errno.EPERM


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
    """The filter: another machine's calls end the process, those of the lists fail, all others pass."""
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
        steps += [_step(JUMP_EQUAL, 0, 1, number), _step(RETURN, 0, 0, REFUSE)]
    for pair, argument, values in REFUSED_WITH.values():
        steps += _by_argument(pair[column], argument, values, REFUSE, ALLOW)
    for pair, argument, values in ALLOWED_WITH.values():
        steps += _by_argument(pair[column], argument, values, ALLOW, REFUSE)
    return b"".join([*steps, _step(RETURN, 0, 0, ALLOW)])


def _by_argument(number, argument, values, found, otherwise):
    """The steps for one call, whose argument decides: what is returned for some values, and for all others."""
    tests = [step for value in values for step in (_step(JUMP_EQUAL, 0, 1, value), _step(RETURN, 0, 0, found))]
    # The lower half of an argument: the kernel reads no more of these.
    steps = [_step(LOAD, 0, 0, 16 + 8 * argument), *tests, _step(RETURN, 0, 0, otherwise)]
    return [_step(JUMP_EQUAL, 0, len(steps), number), *steps]


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
