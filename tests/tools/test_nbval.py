"""Runs the comparison itself, on the sample course, as the whole suite runs it on the real one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.build import main

ROOT = Path(__file__).parents[2]
COMMAND = "--nbval --nbval-sanitize-with tests/nbval_sanitize.cfg --nbval-cell-timeout 120 --nbval-current-env"


@pytest.fixture
def rerun(built):
    """Runs nbval on folders of the built course."""
    for name in ("tools", "conftest.py", "pyproject.toml", "tests/nbval_sanitize.cfg"):
        (built / name).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, built / name)

    (built / "temporary").mkdir()

    def run(*folders, **variables):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *COMMAND.split(), *folders]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        environment |= {"TMPDIR": str(built / "temporary")} | variables
        return subprocess.run(command, cwd=built, env=environment, capture_output=True, text=True, timeout=300)

    return run


def replace(path, old, new):
    """Edits a file that holds ``old``."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_nbval_passes_what_was_built(rerun):
    done = rerun("notebooks", "exercises", "solutions", MPLBACKEND="agg", PYTHONHASHSEED="7")
    assert "10 passed" in done.stdout, done.stdout
    assert done.returncode == 0


def test_nbval_fails_on_a_changed_number(rerun, built):
    replace(built / "solutions" / "01_sample.ipynb", '"3\\n"', '"4\\n"')
    done = rerun("solutions")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout, done.stdout


def test_nbval_fails_on_a_changed_error(rerun, built):
    replace(built / "notebooks" / "01_sample.ipynb", '"evalue": "x must', '"evalue": "y must')
    assert "1 failed, 5 passed" in rerun("notebooks").stdout


def test_nbval_fails_where_an_exercise_is_solved(rerun, built):
    replace(built / "exercises" / "01_sample.ipynb", 'raise NotImplementedError(\\"Your turn.\\")', "return a + b")
    assert "1 failed, 1 passed" in rerun("exercises").stdout


def test_nbval_gives_each_notebook_a_work_folder_of_its_own_and_takes_it_away(rerun, built):
    probe = (
        "# %%\nimport os\nfrom pathlib import Path\n\n"
        "work = Path(os.environ['COURSE_WORK'])\nfound = list(work.iterdir())\n(work / 'progress').touch()\nfound\n"
    )
    for number in (1, 2):
        (built / "sources" / "exercises" / f"0{number}_sample.py").write_text(probe, encoding="utf-8")
    assert main(["exercises"], built) == 0
    assert "2 passed" in rerun("exercises", "-n", "2", "--dist", "loadfile").stdout
    assert not list((built / "temporary").glob("course-nbval-*"))
