"""Landlock: from now on this process opens only the files that it was told it may read.

It is the outer wall where bubblewrap is refused, as in most containers. What Landlock does not cover, or covers only in
later kernels, is refused by the filter of system calls: signals, sockets, changed names, rights and sizes of files.
"""

import ctypes
import errno
import os
import stat

from course_lib.classroom.box.confine import PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG

CREATE, ADD, RESTRICT = 444, 445, 446
ASK_VERSION, BENEATH = 1, 1
READ_FILE, READ_FOLDER, WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
# How many kinds of access each version knows: to files, to ports, and what reaches beyond the process.
FILE_ACCESS = {1: 13, 2: 14, 3: 15, 4: 15}
LATER_FILE_ACCESS, PORT_ACCESS, SCOPES = 16, 2, 2
# In front of a folder's path: it may be listed, and what is in it not read.
LISTED = "list:"
DEVICES = {"/dev/null": READ_FILE | WRITE_FILE, "/dev/urandom": READ_FILE}
SIGKILL = 9


class Ruleset(ctypes.Structure):
    """What is refused where no rule allows it."""

    _fields_ = [("files", ctypes.c_uint64), ("ports", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class Rule(ctypes.Structure):
    """What is allowed in one folder, or with one file."""

    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


class Header(ctypes.Structure):
    """Whose capabilities are set; 0 is this process."""

    _fields_ = [("version", ctypes.c_uint32), ("process", ctypes.c_int)]


def version():
    """The version of the kernel's Landlock; 0 where there is none."""
    return max(0, _library().syscall(CREATE, None, 0, ASK_VERSION))


def _library():
    """The C library, and no search for it: that would start other programs."""
    return ctypes.CDLL(None, use_errno=True)


def confine(readable):
    """Lets this process, and all that it starts, read some files and no other; it cannot be taken back.

    Parameters
    ----------
    readable : list of str
        Paths of files and folders; with `LISTED` in front of folders that are listed only.

    Raises
    ------
    OSError
    """
    library = _library()
    _checked(library.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
    _checked(library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _drop_capabilities(library)
    ruleset = _ruleset(library)
    for path in readable:
        listed = path.startswith(LISTED)
        _allow(library, ruleset, path.removeprefix(LISTED), READ_FOLDER if listed else READ_FILE | READ_FOLDER)
    for path, access in DEVICES.items():
        _allow(library, ruleset, path, access)
    _checked(library.syscall(RESTRICT, ruleset, 0))
    os.close(ruleset)


def _ruleset(library):
    """A descriptor of rules that refuse everything that this kernel's version can refuse."""
    found = version()
    if found < 1:
        raise OSError(errno.ENOSYS, "there is no Landlock")
    wanted = Ruleset((1 << FILE_ACCESS.get(found, LATER_FILE_ACCESS)) - 1)
    size = 8
    if found >= 4:
        wanted.ports, size = (1 << PORT_ACCESS) - 1, 16
    if found >= 6:
        wanted.scopes, size = (1 << SCOPES) - 1, 24
    return _checked(library.syscall(CREATE, ctypes.byref(wanted), size, 0))


def _allow(library, ruleset, path, access):
    """Adds the rule for one path; a file has no access that only folders have."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            access &= ~READ_FOLDER
        rule = Rule(access, place)
        _checked(library.syscall(ADD, ruleset, BENEATH, ctypes.byref(rule), 0))
    finally:
        os.close(place)


def _drop_capabilities(library):
    """Gives up what an administrator may do more than others."""
    # Version 3 of the header has two words for each of: in force, permitted, inherited.
    header, nothing = Header(0x20080522, 0), (ctypes.c_uint32 * 6)()
    _checked(library.capset(ctypes.byref(header), nothing))


def _checked(result):
    """A result that is no failure."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"the wall was not taken: {os.strerror(number)}")
    return result
