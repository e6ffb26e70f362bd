"""The course command, and JupyterLab as it starts it."""

import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from course_lib import cli, lab
from course_lib.workspace import COURSE, CourseError
from tools import run_tests

COMMAND = [sys.executable, "-P", str(COURSE / "course_command.py")]


def course(*words, **options):
    """Run the real command."""
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def failing(monkeypatch):
    """A subcommand that raises what it is given."""

    def make(error):
        def run(options):
            raise error

        monkeypatch.setattr(lab, "run", run)

    return make


def test_help_names_every_command():
    done = course("--help")
    assert done.returncode == 0
    assert all(f"  {name}" in done.stdout for name in cli.COMMANDS)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(name):
    done = course(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: course {name}")


@pytest.mark.parametrize("words", [[], ["nonsense"], ["lab", "--nonsense"], ["lab", "--port", "x"]])
def test_a_wrong_word_is_one_line_and_status_2(words):
    done = course(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"course.*: .* See course.* --help\.\n", done.stderr)


def test_a_course_error_is_its_sentence(failing, capsys):
    failing(CourseError("This is wrong."))
    assert cli.main(["lab"]) == 1
    assert capsys.readouterr().err == "course: This is wrong.\n"


def test_an_error_of_the_system_is_one_line(failing, capsys):
    failing(OSError(28, "No space left on device", "a file"))
    assert cli.main(["lab"]) == 1
    assert capsys.readouterr().err == "course: No space left on device: a file\n"


def test_a_missing_package_leads_to_the_doctor(failing, capsys):
    failing(ImportError("No module named 'matplotlib'"))
    assert cli.main(["lab"]) == 1
    assert capsys.readouterr().err == "course: No module named 'matplotlib'. What is wrong: course doctor\n"


def test_ctrl_c_is_status_130(failing):
    failing(KeyboardInterrupt())
    assert cli.main(["lab"]) == 130


def test_an_edition_without_tests_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(cli, "COURSE", tmp_path)
    assert cli.main(["test"]) == 1
    assert capsys.readouterr().err == (
        "course: The tests are not part of this edition; they are in the course's repository.\n"
    )


def test_lab_opens_the_first_chapter(tmp_path):
    chapters = tmp_path / "work" / "notebooks"
    chapters.mkdir(parents=True)
    for name in ("02_routes.ipynb", "00_how to use.ipynb", "00_how to use (new edition).ipynb"):
        (chapters / name).write_text("{}")
    assert lab.where_to_open(tmp_path / "work", tmp_path) == (
        tmp_path,
        "/lab/tree/work/notebooks/00_how%20to%20use.ipynb",
    )


def test_lab_shows_a_work_folder_elsewhere_alone(tmp_path):
    (tmp_path / "home" / "work").mkdir(parents=True)
    assert lab.where_to_open(tmp_path / "home" / "work", tmp_path / "course") == (tmp_path / "home" / "work", "/lab")


def test_lab_listens_on_this_machine_only(tmp_path):
    assert "--ServerApp.ip=127.0.0.1" in lab.settings(tmp_path, "/lab", "t", 8888, False)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there is no root on Windows")
@pytest.mark.parametrize("user", [0, 1000])
def test_lab_allows_root_only_to_root(tmp_path, monkeypatch, user):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert ("--allow-root" in lab.settings(tmp_path, "/lab", "t", 8888, False)) == (user == 0)


@pytest.fixture
def running(tmp_path):
    """JupyterLab as `course lab` starts it, with its first port taken: the address that it prints, and that port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        environment = os.environ | {"HOME": str(tmp_path), "COURSE_WORK": str(tmp_path / "work")}
        process = subprocess.Popen(
            [*COMMAND, "lab", "--no-browser", f"--port={port}"], cwd=tmp_path, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        try:
            lines = [process.stdout.readline() for _ in range(3)]
            assert lines[0] == "The course is open at\n", process.communicate()
            yield lines[1].strip(), port
        finally:
            process.terminate()
            process.communicate(timeout=30)


def opened(address):
    """The status and the text of a page."""
    with urllib.request.urlopen(address, timeout=20) as answer:
        return answer.status, answer.read().decode()


def test_lab_serves_the_address_that_it_prints(running):
    address, taken = running
    status, page = opened(address)
    assert status == 200
    assert "jupyter-config-data" in page
    # A taken port is passed over.
    assert f":{taken}/" not in address
    # JupyterLab asks no question about news.
    assert '"@jupyterlab/apputils-extension:announcements"' in page
    with pytest.raises(urllib.error.HTTPError, match="403"):
        opened(address.split("/lab")[0] + "/api/contents")


def test_tests_refuse_an_environment_without_torch(monkeypatch, capsys):
    monkeypatch.setattr(run_tests, "installed", lambda name: None if name == "torch" else "1")
    assert cli.main(["test", "--only", "style"]) == 1
    assert capsys.readouterr().err.startswith("course: The tests compare with PyTorch")


def test_tests_go_on_after_a_failure_and_end_in_status_1(monkeypatch, capsys):
    steps = {
        "bad": run_tests.Step("fails", (("no_such_module",),)),
        "good": run_tests.Step("passes", (("this",),)),
        "absent": run_tests.Step("is skipped", (), lambda: "there is none"),
    }
    monkeypatch.setattr(run_tests, "steps", lambda: steps)
    assert cli.main(["test"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"bad +failed.*\n.*good +passed.*\n.*absent +skipped .* there is none", out)
    assert out.endswith("\nsteps: 1 passed, 1 failed, 1 skipped\n")


def test_tests_run_with_an_empty_work_folder(monkeypatch, capfd):
    monkeypatch.setenv("COURSE_WORK", str(COURSE))
    program = "import os; print('holds', os.listdir(os.environ['COURSE_WORK']))"
    run_tests.run_step("name", run_tests.Step("summary", (("timeit", "-n1", "-r1", program),)))
    assert "\nholds []\n" in capfd.readouterr().out
