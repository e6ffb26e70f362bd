"""What a program in the sandbox can see and do, asked of programs that try."""

import numpy as np
import pytest

from course_lib.classroom import sandbox, walls
from course_lib.classroom.stand_ins import Program, Task
from course_lib.exercises.faults import Fault

WITHOUT_FILTER = """
import sys
sys.path[:0] = ['/srv', '/srv/packages']
from course_lib.classroom.box import confine, zygote
def broken():
    raise OSError
confine.refuse_calls = broken
zygote.main(alone=True)
"""


def probed(zygote, body, seconds=2.0):
    """What a function in the sandbox returns."""
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    source = f"def probe():\n{lines}\n".encode()
    with Program(zygote, source, "probe.py", Task(1, ["probe"], seconds)) as program:
        return program.answers()["probe"]()


def test_numpy_is_there(zygote):
    assert probed(zygote, "import numpy\nreturn numpy.__version__") == np.__version__


def test_no_file_of_this_machine_is_there(zygote):
    places = ["/etc/passwd", "/home", "/root/.ssh", "/tmp", "/proc", "/sys", "/var", "/opt", "/usr/bin/env", "/dev/shm"]
    found = probed(zygote, f"import os\nreturn [place for place in {places} if os.path.exists(place)]")
    assert found == []


def test_the_course_is_not_there(zygote):
    found = probed(
        zygote,
        "import os\nfound = []\nfor folder, _, files in os.walk('/'):\n"
        "    found += [os.path.join(folder, name) for name in files if 'course' in folder or 'course' in name]\n"
        "return sorted(found)",
    )
    assert found
    assert all(path.startswith("/srv/course_lib/classroom/box/") for path in found)


def test_no_other_package_is_there(zygote):
    found = probed(
        zygote,
        "import sys, os\nfound = []\nfor folder, folders, _ in os.walk('/'):\n"
        "    found += [name for name in folders if name in ('torch', 'matplotlib', 'scipy', 'pip', 'ipykernel')]\n"
        "return found",
    )
    assert found == []


def test_nothing_can_be_written(zygote):
    found = probed(
        zygote,
        "import os\nfound = []\nfor folder, _, _ in os.walk('/'):\n"
        "    try:\n        with open(os.path.join(folder, 'x'), 'w') as file: file.write('x')\n"
        "        found.append(folder)\n    except OSError: pass\nreturn found",
        seconds=5,
    )
    assert found == []


def test_the_environment_tells_nothing(zygote):
    names = probed(zygote, "import os\nreturn sorted(os.environ)")
    allowed = {"HOME", "LANG", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "PWD", "PYTHONHASHSEED"}
    assert {name for name in names if not name.endswith("_NUM_THREADS")} <= allowed


def test_only_its_own_descriptors_are_open(zygote):
    body = """
import os
found = []
for number in range(64):
    try:
        os.fstat(number)
        found.append(number)
    except OSError:
        pass
return found
"""
    # Three that lead nowhere, and the one to the judge.
    assert len(probed(zygote, body)) == 4


@pytest.mark.parametrize(
    "body",
    [
        "import socket\nsocket.socket()",
        "import os\nos.fork()",
        "import os\nos.kill(1, 9)",
        "import os\nos.execv('/bin/true', ['true'])",
        "import os\nos.memfd_create('x')",
        "import threading\nthreading.Thread(target=print).start()",
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "import subprocess\nsubprocess.run(['true'])",
    ],
)
def test_a_refused_call_raises(zygote, body):
    with pytest.raises(Fault, match=r"raised (PermissionError|RuntimeError|ValueError|OSError|FileNotFoundError)"):
        probed(zygote, body)


def test_system_calls_of_the_list_are_refused(zygote):
    # unshare, bpf, userfaultfd, io_uring_setup, ptrace, by their numbers.
    body = """
import ctypes, platform
numbers = {"x86_64": (272, 321, 323, 425, 101), "aarch64": (97, 280, 282, 425, 117)}[platform.machine()]
library = ctypes.CDLL(None, use_errno=True)
return [(library.syscall(number, 0, 0, 0, 0), ctypes.get_errno()) for number in numbers]
"""
    assert probed(zygote, body) == [(-1, 1)] * 5


def test_memory_is_limited(zygote):
    with pytest.raises(Fault, match="needs more memory than the 1024 MiB of a call"):
        probed(zygote, "import numpy\nreturn numpy.ones(2 << 30, numpy.uint8)[:1]")


def test_a_program_sees_nothing_of_the_one_before(zygote):
    body = "import numpy\nfound = hasattr(numpy, 'left')\nnumpy.left = 1\nreturn found"
    assert [probed(zygote, body), probed(zygote, body)] == [False, False]


@pytest.fixture
def old_kernel(monkeypatch):
    """A kernel that has no Landlock."""
    monkeypatch.setattr(walls.landlock, "version", lambda: 0)


def test_without_any_wall_there_is_no_sandbox(monkeypatch, old_kernel):
    monkeypatch.setenv("PATH", "/nonexistent")
    why = sandbox.why_not()
    assert why.startswith("bubblewrap is not installed; this system's kernel has no Landlock, or it is switched off. ")
    assert "docs/grading.md" in why


def test_a_bubblewrap_that_fails_is_no_sandbox(monkeypatch, old_kernel, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho setting up uid map: Permission denied >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "setting up uid map: Permission denied" in sandbox.why_not()


def test_a_wall_that_has_worked_is_never_changed_for_a_lower_one(zygote, monkeypatch):
    with sandbox.Zygote() as other:
        other.start()
        other.stop()
        monkeypatch.setattr(walls.Bubblewrap, "command", lambda *_: ["/nonexistent"])
        with pytest.raises(sandbox.NoSandbox, match="does not start"):
            other.start()


def test_without_a_filter_of_system_calls_nothing_is_read(zygote, monkeypatch):
    monkeypatch.setattr(walls.Bubblewrap, "start", WITHOUT_FILTER)
    with sandbox.Zygote() as other, pytest.raises(sandbox.NoSandbox, match="does not come up"):
        Program(other, b"x = 1", "x.py", Task(1, ["x"], 1.0)).survey()
