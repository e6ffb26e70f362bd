"""A second corpus of attacks, and files and names that want to end the batch: each gets a row, and none gains."""

import json
import os
import subprocess
import time

import numpy as np
import pytest

from course_lib.classroom import grading, pages, report, sizes, submissions, task, teacher_page
from course_lib.classroom.journal import NAME, Journal
from tests.grading.classes import ATTACKS, SECRET, exercise_of, handed_in, settings, solution
from tests.grading.fresh_files import FILES, on_disk_only

PROGRAMS = {path.name.removesuffix(".py.txt"): path.read_bytes() for path in sorted((ATTACKS / "fresh").iterdir())}
LAST = "zzz the last one"
# A file is tried with one second of the processor; the clock may show a few more.
LONGEST = 25.0


@pytest.fixture(scope="module")
def batch(zygote, tmp_path_factory):
    """The rows by student, the seconds of each, and the folder of the report."""
    folder = tmp_path_factory.mktemp("fresh")
    works = {name: {f"{name[:2]}_work.py": data} for name, data in PROGRAMS.items()}
    works |= FILES | {LAST: {"11_work.ipynb": solution(11)}}
    handed_in(folder / "in", works)
    on_disk_only(folder / "in")
    rows, seconds, out = {}, {}, folder / "report"
    (out / "students").mkdir(parents=True)
    with Journal(out / NAME, fresh=True) as book:
        for one in submissions.find(folder / "in"):
            start = time.monotonic()
            numbers = int(one.name[:2]) if one.name in PROGRAMS else 11
            row = task.grade(zygote, one, settings(numbers))
            book.write(one.key, "", row)
            rows[one.key], seconds[one.key] = row, time.monotonic() - start
    # What is left of pytest's folders is removed later, by code that gives up in folders as deep as these.
    subprocess.run(["rm", "-rf", str(folder / "in")], check=True)
    return rows, seconds, out


@pytest.fixture(scope="module")
def rows(batch):
    """The rows by their students' names."""
    return {row["name"]: row for row in batch[0].values()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gains_nothing(rows, name):
    assert exercise_of(rows[name], int(name[:2]))["points"] == 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_no_failure_of_the_grader(rows, name):
    assert exercise_of(rows[name], int(name[:2]))["status"] != grading.NOT_GRADED


@pytest.mark.parametrize("name", FILES)
def test_a_file_gets_a_row_without_points_and_with_words_why(rows, name):
    row = rows[name]
    one = exercise_of(row, 11)
    assert (one["points"], one["status"] == grading.NOT_GRADED) == (0, False)
    assert one["reason"] or row["problems"] or one["verdicts"]


def test_two_students_with_like_names_have_two_rows(tmp_path):
    names = "Zhang Wei#1001", "Zhang Wei_1001_assignsubmission_file_", "Ada_7_assignsubmission_file_"
    found = submissions.find(handed_in(tmp_path, {name: {"11_work.ipynb": b""} for name in names}))
    assert [one.key for one in found] == ["Ada#7", "Zhang Wei#1001", "Zhang Wei#1001#"]


def test_a_name_that_is_no_text_gets_a_row(rows):
    assert exercise_of(rows["\\xd5\\xc5\u03b0"], 11)["status"] == grading.GRADED


def test_links_pipes_and_deep_folders_are_left_alone(rows):
    assert rows["links"]["files"] == 1


def test_the_last_one_is_graded_as_if_it_were_alone(rows):
    assert exercise_of(rows[LAST], 11)["points"] == 24


def test_nobody_takes_much_longer_than_is_allowed(batch):
    assert max(batch[1].values()) < LONGEST


@pytest.mark.parametrize("name", [name for name in PROGRAMS if "reads" in name or "calls" in name])
def test_nothing_of_the_judge_is_found(rows, name):
    said = [verdict["message"] for verdict in exercise_of(rows[name], int(name[:2]))["verdicts"]]
    assert not [text for text in said if "FOUND" in text]


def test_nothing_is_left_on_the_disk(batch):
    assert not [name for name in os.listdir("/tmp") if name.startswith("left-by-an-attack")]


def test_the_secret_is_in_no_row(batch):
    assert SECRET.decode() not in json.dumps(list(batch[0].values()))


def test_the_report_can_be_written_and_runs_nothing(batch):
    rows, _, out = batch
    chosen = [row for row in rows.values() if row["exercises"][0]["number"] == 11]
    report.write(out, chosen, settings(11))
    pages_written = [path.read_text(encoding="utf-8") for path in (out / "students").iterdir()]
    assert len(pages_written) == len(chosen)
    assert not [page for page in pages_written if "<script" in page]
    table = (out / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(table) == len(chosen) + 1
    assert not [line for line in table if line.startswith(("=", '"=', "@"))]


def test_words_of_the_student_stay_words(rows):
    row = rows["04_markup_in_its_own_words"]
    for page in (pages.student_page(row), teacher_page.teacher_page([row], (4,), [])):
        assert "<script" not in page
        assert "<img" not in page
        assert "\u202e" not in page


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([np.zeros((1, 1, 2, 2)), np.zeros((1, 1, 2, 2)), (1, 1, 500, 500, 500)], id="a large shape"),
        pytest.param([(np.zeros((1, 1, 1500, 1500)),)], id="an array in a tuple"),
    ],
)
def test_the_judge_computes_little_for_a_program(arguments):
    with pytest.raises(ValueError, match="too large"):
        sizes.check_sizes(arguments)


def test_loops_in_a_text_that_is_run_are_counted(zygote, tmp_path):
    cells = ["".join(cell["source"]) for cell in json.loads(solution(5))["cells"] if cell["cell_type"] == "code"]
    loops = "\n".join(cell for cell in cells if "def conv2d" in cell or cell.startswith(("import", "from")))
    made = f"import builtins\nMADE = {{}}\ndone = getattr(builtins, 'ex' + 'ec')({loops!r}, MADE)\n"
    names = (
        "conv2d_vectorised, conv2d_vectorised_backward = [(MADE, done)[0][n] for n in ('conv2d', 'conv2d_backward')]"
    )
    handed_in(tmp_path, {"Eve": {"05_work.py": f"{loops}\n{made}{names}\n".encode()}})
    row = grading.grade(zygote, submissions.find(tmp_path)[0], settings(5))
    last = exercise_of(row, 5)["verdicts"][-1]
    assert last["message"].startswith("there is a loop")
