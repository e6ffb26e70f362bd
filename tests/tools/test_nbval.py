"""Runs the comparison itself, on the sample course, as the whole suite runs it on the real one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.build import main

ROOT = Path(__file__).parents[2]
COMMAND = "--nbval --nbval-sanitize-with tests/nbval_sanitize.cfg --nbval-cell-timeout 120 --nbval-current-env"


FOLDERS = ("notebooks", "exercises", "solutions")
PROBE = (
    "# %%\nimport os\nfrom pathlib import Path\n\n"
    "work = Path(os.environ['COURSE_WORK'])\nfound = list(work.iterdir())\n(work / 'progress').touch()\nfound\n"
)
# One change in each folder, to what is stored.
CHANGES = {
    "a number": ("solutions", '"3\\n"', '"4\\n"'),
    "an error": ("notebooks", '"evalue": "x must', '"evalue": "y must'),
    "a stub that is solved": ("exercises", 'raise NotImplementedError(\\"Your turn.\\")', "return a + b"),
}


def rerun(built, *options, **variables):
    """Runs nbval on the folders of a built course, in a temporary folder of its own."""
    for name in ("tools", "conftest.py", "pyproject.toml", "tests/nbval_sanitize.cfg"):
        (built / name).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, built / name)
    (built / "temporary").mkdir()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *COMMAND.split(), *options, *FOLDERS]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"TMPDIR": str(built / "temporary")} | variables
    return subprocess.run(command, cwd=built, env=environment, capture_output=True, text=True, timeout=300)


def copy_of(built_once, factory, name):
    """The built course, to be changed."""
    return shutil.copytree(built_once, factory.mktemp(name), dirs_exist_ok=True)


@pytest.fixture(scope="module")
def right(built_once, tmp_path_factory):
    """The course as it was built, with two exercises that look for what another notebook left: folder, and nbval."""
    built = copy_of(built_once, tmp_path_factory, "right")
    for number in (2, 3):
        (built / "sources" / "exercises" / f"0{number}_sample.py").write_text(PROBE, encoding="utf-8")
    assert main(["02", "03"], built) == 0
    return built, rerun(built, "-n", "2", "--dist", "loadfile", MPLBACKEND="agg", PYTHONHASHSEED="7")


@pytest.fixture(scope="module")
def changed(built_once, tmp_path_factory):
    """nbval on the course with all the changes."""
    built = copy_of(built_once, tmp_path_factory, "changed")
    for folder, old, new in CHANGES.values():
        path = built / folder / "01_sample.ipynb"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
    return rerun(built)


def test_nbval_passes_what_was_built(right):
    _, done = right
    assert "14 passed" in done.stdout, done.stdout
    assert done.returncode == 0


def test_nbval_gives_each_notebook_a_work_folder_of_its_own_and_takes_it_away(right):
    built, done = right
    assert done.returncode == 0, done.stdout
    assert "[]" in (built / "exercises" / "03_sample.ipynb").read_text(encoding="utf-8")
    assert not list((built / "temporary").glob("course-nbval-*"))


@pytest.mark.parametrize("change", CHANGES)
def test_nbval_fails_on_a_change_of(changed, change):
    assert re.findall(r"^FAILED (\w+)/01_sample", changed.stdout, re.MULTILINE).count(CHANGES[change][0]) == 1


def test_nbval_passes_all_that_was_not_changed(changed):
    assert changed.returncode == 1
    assert "3 failed, 7 passed" in changed.stdout, changed.stdout
