"""The sandbox where bubblewrap is refused: Landlock, and the filter of system calls for what it does not cover."""

import os
import shutil
import stat
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from course_lib.classroom import grading, report, runtime, submissions, task
from course_lib.exercises.faults import Fault
from tests.grading.classes import ATTACKS, adapted, exercise_of, handed_in, settings, solution
from tests.grading.more_attacks import ATTACKS as MORE
from tests.grading.test_sandbox import probed

# One of each kind; all of them were run once by hand.
CORPUS = ("01_read_hidden_tests", "14b_torch_by_path_hidden", "27_proc_mem", "35_persist_inputs", "44_nested_userns")
FRESH = ("11_kills_by_a_signal_of_the_socket", "11_reads_every_file", "11_calls_the_kernel")
LAST = "zzz the last one"
OURS = ("a fork bomb", "a full disk", "os._exit", "the judge's process")


@pytest.fixture
def kept(tmp_path):
    """A file of the same user's, that no program may read, change or remove."""
    path = tmp_path / "journal.sqlite"
    path.write_text("the judge's own")
    os.utime(path, (10**9, 10**9))
    path.chmod(0o640)
    return path


def test_numpy_is_there(landlocked):
    assert probed(landlocked, "import numpy\nreturn numpy.__version__") == np.__version__


def test_no_file_of_this_machine_can_be_read(landlocked, kept):
    places = [str(kept), __file__, "/etc/passwd", "/etc/hostname", "/proc/self/maps", "/proc/1/environ", "/dev/tty"]
    places += [f"/proc/{os.getpid()}/mem", f"/proc/{os.getpid()}/environ", grading.__file__]
    tries = f"found = []\nfor place in {places}:\n    try:\n        open(place, 'rb').read(1)\n"
    assert probed(landlocked, f"{tries}        found.append(place)\n    except OSError: pass\nreturn found") == []


def test_no_folder_of_this_machine_can_be_listed(landlocked, kept):
    places = ["/", "/home", "/root", "/tmp", "/etc", "/proc", "/sys", "/var", "/dev", "/usr/bin", str(kept.parent)]
    tries = f"import os\nfound = []\nfor place in {places}:\n    try:\n        os.listdir(place)\n"
    assert probed(landlocked, f"{tries}        found.append(place)\n    except OSError: pass\nreturn found") == []


def test_no_other_package_can_be_read(landlocked):
    import matplotlib

    files = [matplotlib.__file__, *(f"{folder}/README.txt" for folder in runtime.hidden())]
    tries = f"found = []\nfor place in {files}:\n    try:\n        open(place).read(1)\n        found.append(place)\n"
    assert probed(landlocked, f"{tries}    except OSError: pass\nreturn found") == []


@pytest.mark.parametrize(
    "what",
    [
        "open(path, 'a')",
        "os.remove(path)",
        "os.rename(path, path + 'x')",
        "os.link(path, path + 'x')",
        "os.symlink(path, path + 'x')",
        "os.mkdir(path + 'x')",
        "os.truncate(path, 0)",
        "os.chmod(path, 0o777)",
        "os.chown(path, 1, 1)",
        "os.utime(path)",
        "os.setxattr(path, 'user.a', b'a')",
    ],
)
def test_a_file_of_the_same_user_cannot_be_changed(landlocked, kept, what):
    with pytest.raises(Fault, match="raised (PermissionError|OSError)"):
        probed(landlocked, f"import os\npath = {str(kept)!r}\n{what}")
    found = kept.stat()
    assert (kept.read_text(), found.st_mtime, stat.S_IMODE(found.st_mode)) == ("the judge's own", 10**9, 0o640)
    assert os.listdir(kept.parent) == [kept.name]


@pytest.mark.parametrize(
    "what",
    [
        "os.kill(judge, 0)",
        "os.killpg(judge, 0)",
        "os.sched_setaffinity(judge, [0])",
        "os.setpriority(os.PRIO_PROCESS, judge, 19)",
        "resource.prlimit(judge, resource.RLIMIT_CPU, (0, 0))",
        "resource.prlimit(judge, resource.RLIMIT_CPU)",
        "fcntl.fcntl(0, fcntl.F_SETOWN, judge)",
        "fcntl.fcntl(0, 10, 9)",
        "fcntl.ioctl(0, 0x8901, judge.to_bytes(4, 'little'))",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "os.fork()",
        "os.execv(sys.executable, ['python'])",
        "os.memfd_create('x')",
        "os.fchmod(0, 0o777)",
        "assert ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0 or os.fork()",
    ],
)
def test_no_process_of_the_same_user_can_be_reached(landlocked, what):
    with pytest.raises(Fault, match="raised (PermissionError|OSError)"):
        probed(landlocked, f"import ctypes, fcntl, os, resource, socket, sys\njudge = {os.getpid()}\n{what}")


def test_limits_of_its_own_can_be_asked(landlocked):
    assert probed(landlocked, "import resource\nreturn resource.prlimit(0, resource.RLIMIT_NPROC)[1]") == 0


def test_it_has_no_capabilities(landlocked):
    body = """
import ctypes
header, found = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
ctypes.CDLL(None).capget(header, found)
return list(found)
"""
    assert probed(landlocked, body) == [0] * 6


def test_a_process_of_it_ends_alone(landlocked):
    """Nothing else of this user's is ended with a program, as bubblewrap's own processes are."""
    with subprocess.Popen(["sleep", "60"]) as other:
        probed(landlocked, "return 1")
        probed(landlocked, "return 1")
        ended = other.poll()
        other.kill()
    assert ended is None


@pytest.fixture(scope="module")
def rows(landlocked, tmp_path_factory):
    """A sample of the attacks, an honest student after each."""
    folder = tmp_path_factory.mktemp("landlocked")
    works = {name: dict([adapted(next(ATTACKS.glob(f"{name}.*")))]) for name in CORPUS}
    works |= {name: {"11_work.py": (ATTACKS / "fresh" / f"{name}.py.txt").read_bytes()} for name in FRESH}
    works |= {name: {"11_work.py": MORE[name].encode()} for name in OURS}
    honest = {f"{name} and then": {"03_work.ipynb": solution(3)} for name in works}
    handed_in(folder, works | honest | {LAST: {"11_work.ipynb": solution(11)}})
    found = submissions.find(folder)
    numbers = {one.key: 3 if one.name.endswith("and then") else 11 for one in found}
    return {one.name: task.grade(landlocked, one, settings(numbers[one.key])) for one in found}


@pytest.mark.parametrize("name", [*CORPUS, *FRESH, *OURS])
def test_an_attack_gains_nothing_and_harms_nobody(rows, name):
    attack, after = (rows[one]["exercises"][0] for one in (name, f"{name} and then"))
    assert (attack["status"], attack["points"]) == ("graded", 0)
    assert (after["status"], after["points"]) == ("graded", after["max_points"])


def test_functions_are_paid_as_in_bubblewrap(rows):
    assert exercise_of(rows[LAST], 11)["points"] == 24


def test_every_row_says_in_what_it_was_graded(rows):
    assert {row["level"] for row in rows.values()} == {"Landlock and a filter of system calls"}


def test_the_report_says_it_in_its_head(rows, tmp_path):
    (tmp_path / "students").mkdir()
    report.write(tmp_path, [rows[LAST]], settings(11))
    assert "ran in: Landlock and a filter of system calls." in (tmp_path / "report.html").read_text(encoding="utf-8")


# A container's filter refuses new namespaces: the calls for them, and new processes in one.
CONTAINER = """
from course_lib.classroom import sandbox
from course_lib.classroom.box import confine, refused
column, _ = confine.MACHINES[confine.platform.machine()]
names = ("unshare", "setns", "mount", "umount2", "pivot_root")
refuse, allow = (confine._step(confine.RETURN, 0, 0, word) for word in (confine.REFUSE, confine.ALLOW))
steps = [confine._step(confine.LOAD, 0, 0, 0)]
for name in names:
    steps += [confine._step(confine.JUMP_EQUAL, 0, 1, refused.REFUSED[name][column]), refuse]
NEW_USER, IF_ANY_BIT = 0x10000000, 0x45
look = [confine._step(confine.LOAD, 0, 0, 16), confine._step(IF_ANY_BIT, 0, 1, NEW_USER), refuse, allow]
steps += [confine._step(confine.JUMP_EQUAL, 0, len(look), refused.REFUSED["clone"][column]), *look]
steps += [confine._step(confine.JUMP_EQUAL, 0, 1, refused.CLONE3), confine._step(confine.RETURN, 0, 0, 0x50026), allow]
confine.filter_code = lambda: b"".join(steps)
confine.refuse_calls()
try:
    sandbox.Zygote(sandbox.WALLS[:1]).start()
except sandbox.NoSandbox as error:
    print(error)
with sandbox.Zygote() as zygote:
    zygote.start()
    print(zygote.level)
"""


def test_where_namespaces_are_refused_it_takes_the_place_of_bubblewrap(landlocked):
    if shutil.which("bwrap") is None:
        pytest.skip("there is no bubblewrap to be refused")
    done = subprocess.run([sys.executable, "-c", CONTAINER], capture_output=True, text=True, timeout=60)
    refused, level = done.stdout.splitlines()
    assert refused.startswith("bubblewrap does not work here: bwrap: No permissions to create new namespace")
    assert level == landlocked.level


LINGERS = """
import ctypes, os, signal, time
def f():
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    for number in range(1, 31):
        if number not in (9, 19): signal.signal(number, signal.SIG_IGN)
    time.sleep(60)
"""
JUDGE = """
import sys
from course_lib.classroom import walls
from course_lib.classroom.sandbox import Zygote
from course_lib.classroom.stand_ins import Program, Task
zygote = Zygote((getattr(walls, sys.argv[1]),))
with Program(zygote, sys.argv[2].encode(), "work.py", Task(11, ["f"], 60.0)) as program:
    function = program.answers()["f"]
    print(zygote.folder, flush=True)
    function()
"""


@pytest.mark.parametrize("wall", ["Landlock", "Bubblewrap"])
def test_a_program_ends_with_a_judge_that_is_killed(zygote, landlocked, wall):
    words = [sys.executable, "-c", JUDGE, wall, LINGERS]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as judge:
        folder = judge.stdout.readline().strip()
        time.sleep(0.2)
        started = psutil.Process(judge.pid).children(recursive=True)
        judge.kill()
    _, alive = psutil.wait_procs(started, timeout=10)
    shutil.rmtree(folder)
    assert len(started) >= 2
    assert alive == []
