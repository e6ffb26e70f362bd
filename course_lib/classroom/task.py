"""One submission, wherever it is graded: in this process, in one of a pool, or on another machine."""

import atexit
import contextlib
import ctypes
import hashlib
import json
import signal
import threading

import numpy as np

from course_lib.classroom import grading, sandbox, settings, similar_code
from course_lib.classroom.box import confine
from course_lib.classroom.files import Carried, TooLarge
from course_lib.classroom.sandbox import Zygote
from course_lib.classroom.submissions import Submission
from course_lib.workspace import COURSE

# What crosses to another machine for one student. Later attempts come first, as they count.
MOST_BYTES = 256 << 20
TOO_MUCH = "with the student's other files it is more than is read for one student"


def grade(zygote, submission, chosen):
    """The row of a submission, and why there is nothing to grade where there is nothing.

    Parameters
    ----------
    zygote : Zygote
    submission : Submission
    chosen : Settings

    Returns
    -------
    dict
        As `course_lib.classroom.grading.grade` gives it, with ``level``: in what the programs ran.
    """
    student = grading.allowance(chosen)
    row = grading.grade(zygote, submission, chosen, student)
    row["problems"] += submission.problems()
    with contextlib.suppress(sandbox.NoSandbox):
        # Also for who handed in nothing that runs: a row tells nothing of those before it.
        zygote.start()
    row["level"] = zygote.level
    if chosen.similar:
        similar_code.add(zygote, submission, row, student)
    return row


# The sandbox of this process, which is started when it is needed.
ZYGOTE, LOCK = Zygote(), threading.Lock()
atexit.register(ZYGOTE.stop)


def begin():
    """Prepares a process of a pool: it ends when its parent does, and leaves Ctrl-C to it."""
    ctypes.CDLL(None).prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def in_pool(submission, chosen):
    """One submission, in a process of a pool."""
    return grade(ZYGOTE, submission, chosen)


def carried(submission):
    """A submission as plain values and bytes, which can cross to another machine."""
    files, left = [], MOST_BYTES
    for file in submission.files[: -grading.MOST_FILES - 1 : -1]:
        data, why = _read(file)
        if len(data) > left:
            data, why = b"", TOO_MUCH
        left -= len(data)
        files.append((file.name, file.late, data, why))
    return submission.key, submission.name, submission.identifier, submission.others, files[::-1]


def _read(file):
    """The bytes of a file, and why there are none."""
    try:
        return file.read(), ""
    except TooLarge as error:
        return b"", str(error)
    except grading.CANNOT_READ as error:
        return b"", f"the file cannot be read ({type(error).__name__})"


def elsewhere(key, name, identifier, others, files, chosen):
    """One submission, in a process on any machine: bytes come and bytes go.

    Parameters
    ----------
    key, name, identifier, others, files
        As `carried` gives them.
    chosen : bytes
        Packed settings.

    Returns
    -------
    bytes
        The row, in JSON.
    """
    found = tuple(Carried(*file) for file in files)
    # A sandbox holds one program at a time.
    with LOCK:
        row = grade(ZYGOTE, Submission(key, name, identifier, found, others), settings.unpacked(chosen))
    return json.dumps(row).encode()


def version():
    """What must be the same in every process that grades: the version of the course's grading and of NumPy."""
    digest = hashlib.sha256(np.__version__.encode())
    for path in sorted((COURSE / "course_lib").rglob("*.py")):
        digest.update(path.relative_to(COURSE).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def why_not(expected):
    """Why this process cannot grade for one whose version is given, as a sentence; "" where it can."""
    if version() != expected:
        return "they have another version of the course or of NumPy"
    with LOCK:
        return sandbox.why_not()
