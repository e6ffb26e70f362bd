"""start.py: what it installs and when, and the sentence for whatever goes wrong.

A tiny course stands in for the real one: its only requirement is ``-e .``, built by a backend of its own, so that the
real venv and the real pip run without a network.
"""

import ast
import errno
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).parents[1] / "start.py"
FILES = {
    "requirements.txt": "-e .\n",
    "requirements-test.txt": "# nothing\n",
    "pyproject.toml": """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
""",
    "course_command.py": """
import json, sys
print(json.dumps([sys.prefix, sys.argv[1:]]))
""",
    "backend.py": """
import os, time, zipfile
from pathlib import Path

ROOT = Path(__file__).parent
INFO = "tiny-1.dist-info/"
FILES = {
    "tiny.pth": str(ROOT),
    INFO + "METADATA": "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n",
    INFO + "WHEEL": "Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    INFO + "RECORD": "",
}

def build_editable(folder, config_settings=None, metadata_directory=None):
    with open(ROOT / "installs.txt", "a") as file:
        file.write("built\\n")
    while (ROOT / "slow").exists():
        time.sleep(0.05)
    if (ROOT / "broken").exists():
        raise OSError((ROOT / "broken").read_text())
    name = "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / name, "w") as wheel:
        for path, text in FILES.items():
            wheel.writestr(path, text)
    return name
""",
}

posix = pytest.mark.skipif(os.name == "nt", reason="signals and execv are POSIX's")


class Course:
    """A tiny course in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.venv = folder / ".venv"
        folder.mkdir()
        shutil.copy(SCRIPT, folder)
        for name, text in FILES.items():
            (folder / name).write_text(text)

    def begin(self, *words):
        """Start it from another folder, in an environment of a few words, and do not wait."""
        return subprocess.Popen(
            [sys.executable, str(self.folder / "start.py"), *words],
            cwd=self.folder.parent,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder.parent),
                "PIP_NO_INDEX": "1",
                "PIP_CONFIG_FILE": os.devnull,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # Where these tests run in the background, their children would ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def start(self, *words):
        """Start it and wait: the status, what `course` was given, and the lines on stderr."""
        process = self.begin(*words)
        out, err = process.communicate(timeout=120)
        return process.returncode, json.loads(out)[1] if out.startswith("[") else out, err.splitlines()

    def builds(self):
        """How often pip built the package."""
        path = self.folder / "installs.txt"
        return path.read_text().count("built") if path.exists() else 0

    def wait_for_build(self, process):
        """Wait until pip is in the middle of its work."""
        before = self.builds()
        while self.builds() == before:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)

    def leftovers(self):
        """What stands in .venv."""
        return {path.name for path in self.venv.iterdir()} if self.venv.exists() else set()


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path / "a course")


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A course that was started; its tests leave it ready, and change nothing else that the others need."""
    course = Course(tmp_path_factory.mktemp("ready") / "course")
    course.first = course.start("--no-browser")
    return course


@pytest.fixture
def start(course):
    """start.py as a module, in the folder of a tiny course."""
    spec = importlib.util.spec_from_file_location("start", course.folder / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_start_parses_as_python_3_6():
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_start_imports_only_the_standard_library():
    tree = ast.walk(ast.parse(SCRIPT.read_text(encoding="utf-8")))
    names = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    assert names <= sys.stdlib_module_names


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], (["lab"], None)),
        (["--no-browser"], (["lab", "--no-browser"], None)),
        (["--no-torch", "--no-browser"], (["lab", "--no-browser"], False)),
        (["--torch", "test"], (["test"], True)),
        (["test", "--only", "units", "--no-torch"], (["test", "--only", "units"], False)),
        (["doctor"], (["doctor"], None)),
    ],
)
def test_read_arguments_splits_what_is_meant_for_course(start, words, expected):
    assert start.read_arguments(words) == expected


@pytest.mark.parametrize("changed", ["requirements.txt", "pyproject.toml"])
def test_fingerprint_follows_the_files(start, course, changed):
    before = start.fingerprint(False, True)
    (course.folder / changed).write_text("other")
    assert start.fingerprint(False, True) != before


def test_fingerprint_follows_the_test_requirements_only_with_tests(start, course):
    before = start.fingerprint(False, True), start.fingerprint(True, True)
    (course.folder / "requirements-test.txt").write_text("other")
    assert [start.fingerprint(test, True) == old for test, old in zip((False, True), before, strict=True)] == [
        True,
        False,
    ]


def test_fingerprint_follows_the_place(start, monkeypatch):
    before = start.fingerprint(False, True)
    monkeypatch.setattr(start, "VENV", "/elsewhere/.venv")
    assert start.fingerprint(False, True) != before


def test_fingerprint_follows_the_python(start, monkeypatch):
    before = start.fingerprint(False, True)
    monkeypatch.setattr(start, "sys", SimpleNamespace(implementation=SimpleNamespace(cache_tag="cpython-399")))
    assert start.fingerprint(False, True) != before


@pytest.mark.parametrize("wanted", [(False, False), (False, True), (True, False), (True, True)])
def test_an_environment_with_all_answers_to_less(start, wanted):
    assert start.fingerprint(*wanted) in start.contained(True, True)


@pytest.mark.parametrize("wanted", [(False, True), (True, False), (True, True)])
def test_an_environment_with_little_does_not_answer_to_more(start, wanted):
    assert start.fingerprint(*wanted) not in start.contained(False, False)


@pytest.mark.parametrize("content", ["", "{", "[]", "\0"])
def test_read_stamp_takes_a_broken_stamp_for_none(start, content):
    os.makedirs(start.VENV)
    Path(start.STAMP).write_text(content)
    assert start.read_stamp() == {}


def test_without_torch_leaves_one_line_out(start, course):
    os.makedirs(start.VENV)
    (course.folder / "requirements.txt").write_text("numpy==2\ntorch==2.13.0\ntorch-geometric==1\n# torch\n-e .\n")
    assert Path(start.without_torch("requirements.txt")).read_text() == "numpy==2\ntorch-geometric==1\n# torch\n-e .\n"


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        ("WARNING: Retrying ... Failed to establish a new connection\nERROR: No matching", "could not reach"),
        ("ERROR: No matching distribution found for torch==2.13.0", "torch==2.13.0 .*--no-torch"),
        ("ERROR: first\nERROR: Cannot install a.\n\nhint: read on\n", "failed: Cannot install a "),
        ("ERROR: Cannot install a.\nERROR: ResolutionImpossible: for help\n", "failed: Cannot install a "),
        ("Error: something odd", "something odd"),
        ("", "no word"),
    ],
)
def test_reason_is_one_sentence_from_the_log(start, log, sentence):
    os.makedirs(start.VENV)
    Path(start.LOG).write_text(log)
    reason = start.reason("Installing the packages")
    assert re.search(sentence, reason)
    assert "\n" not in reason


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("Collecting numpy==2.4.6 (from -r requirements.txt (line 5))\n", "Collecting numpy==2.4.6"),
        (
            "  Downloading torch-2.13.0-cp311.whl.metadata (6.6 kB)\n",
            "Downloading torch-2.13.0-cp311.whl.metadata (6.6 kB)",
        ),
        ("Downloading https://host/a/b-1.whl (5 MB)\n", "Downloading b-1.whl (5 MB)"),
        ("Installing collected packages: a, b, c\n", "Copying 3 packages"),
        ("Requirement already satisfied: a\n", ""),
    ],
)
def test_in_short_says_what_pip_does(start, line, short):
    assert start.in_short(line) == short


def test_start_refuses_an_old_python(start, course, monkeypatch):
    monkeypatch.setattr(start, "OLDEST", (99, 0))
    with pytest.raises(SystemExit, match=r"needs Python 99.0 or newer; this is Python 3\."):
        start.main(["test"])
    assert not course.leftovers()


def test_start_refuses_a_python_without_ensurepip(start, course, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else "there")
    with pytest.raises(SystemExit, match="python3-venv"):
        start.main([])
    assert not course.venv.exists()


def test_start_refuses_a_read_only_folder(start, course, monkeypatch):
    def refuse(path, exist_ok):
        raise OSError(errno.EROFS, "Read-only file system", path)

    monkeypatch.setattr(os, "makedirs", refuse)
    with pytest.raises(SystemExit, match=r"\.venv cannot be written \(Read-only file system\)"):
        start.main([])
    assert not course.venv.exists()


def test_start_says_that_the_disk_is_full(start, course, monkeypatch):
    def refuse(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(start, "run", refuse)
    with pytest.raises(SystemExit, match="the disk is full"):
        start.main([])
    assert course.leftovers() == {"course.json", "course.lock", "install.log"}


def test_start_leaves_an_environment_that_it_did_not_make(start, course):
    course.venv.mkdir()
    (course.venv / "pyvenv.cfg").write_text("mine")
    with pytest.raises(SystemExit, match="was not made by start.py"):
        start.main([])
    assert (course.venv / "pyvenv.cfg").read_text() == "mine"


def test_help_installs_nothing(course):
    status, out, err = course.start("test", "--help")
    assert (status, out[:6], err) == (0, "usage:", [])
    assert not course.venv.exists()


@posix
def test_first_start_hands_over(ready):
    status, words, err = ready.first
    assert (status, words) == (0, ["lab", "--no-browser"]), err


@posix
def test_first_start_says_what_it_does(ready):
    assert ready.first[2] == ["Making .venv ...", "Installing the packages ..."]


@posix
def test_second_start_installs_nothing(ready):
    before = ready.builds(), os.stat(ready.venv / "course.json").st_mtime_ns
    assert ready.start("doctor", "-v") == (0, ["doctor", "-v"], [])
    assert (ready.builds(), os.stat(ready.venv / "course.json").st_mtime_ns) == before


@posix
def test_second_start_takes_less_than_half_a_second(ready):
    import resource

    # Time on the processor, for the clock would measure what else the machine does.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ready.start()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime < 0.5


@posix
def test_second_start_without_torch_installs_nothing(ready):
    before = ready.builds()
    ready.start("--no-torch")
    assert ready.builds() == before


@posix
@pytest.mark.slow
def test_start_installs_again_when_requirements_change(ready):
    before = ready.builds()
    (ready.venv / "witness").write_text("")
    (ready.folder / "requirements.txt").write_text("-e .\n# changed\n")
    assert ready.start() == (0, ["lab"], ["Installing the packages ..."])
    assert ready.builds() == before + 1
    assert "witness" in ready.leftovers()


@posix
@pytest.mark.slow
def test_start_remembers_that_torch_was_not_wanted(course):
    (course.folder / "requirements.txt").write_text("torch==0\n-e .\n")
    assert course.start("--no-torch")[0] == 0
    assert course.start() == (0, ["lab"], [])
    status, _, err = course.start("--torch")
    assert (status, "--no-torch" in err[-1]) == (1, True)
    # pip gave up before it changed anything, so the environment without torch still serves.
    assert course.start("--no-torch") == (0, ["lab"], [])


@posix
def test_start_leaves_nothing_half_made_when_pip_fails(course):
    (course.folder / "broken").write_text("No space left on device")
    status, out, err = course.start()
    assert (status, out) == (1, "")
    assert err[-1].startswith("start.py: the disk is full.")
    assert course.leftovers() == {"course.json", "course.lock", "install.log"}
    assert "No space left" in (course.venv / "install.log").read_text()


@posix
@pytest.mark.slow
def test_start_goes_on_after_being_killed_in_mid_install(course):
    (course.folder / "slow").touch()
    first = course.begin()
    course.wait_for_build(first)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    (course.folder / "slow").unlink()
    # What a killed pip leaves: a package that it takes for installed, without its files.
    (next(course.venv.glob("lib/*/site-packages")) / "half-1.dist-info").mkdir()
    assert course.start()[:2] == (0, ["lab"])
    assert not list(course.venv.glob("lib/*/site-packages/half*"))


@posix
@pytest.mark.slow
def test_start_goes_on_after_being_killed_while_it_makes_the_environment(course):
    first = course.begin()
    while not (course.venv / "pyvenv.cfg").exists():
        assert first.poll() is None, first.communicate()
        time.sleep(0.005)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert course.start()[:2] == (0, ["lab"])


@posix
@pytest.mark.slow
def test_start_waits_for_what_a_killed_start_left_running(course):
    (course.folder / "slow").touch()
    first = course.begin()
    course.wait_for_build(first)
    first.kill()
    second = course.begin()
    assert "this one waits" in second.stderr.readline()
    (course.folder / "slow").unlink()
    out, err = second.communicate(timeout=120)
    first.communicate()
    assert (second.returncode, json.loads(out)[1]) == (0, ["lab"]), err


@posix
@pytest.mark.slow
def test_two_starts_at_once_install_once(course):
    processes = [course.begin(), course.begin()]
    results = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], results
    assert course.builds() == 1


@posix
def test_start_ends_in_one_sentence_on_ctrl_c(course):
    (course.folder / "slow").touch()
    process = course.begin()
    course.wait_for_build(process)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.splitlines()[-1]) == (1, "start.py: interrupted. Start again to go on.")
    assert course.leftovers() == {"course.json", "course.lock", "install.log"}
