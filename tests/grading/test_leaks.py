"""The search for hidden cases on pages of feedback: it finds what is planted, and nothing on pages of a real batch."""

import html
import json

import numpy as np
import pytest

from course_lib.classroom import hidden, leaks, pages
from course_lib.exercises import registry
from tests.grading.classes import SECRET, handed_in, notebook, rows_of, settings, solution
from tests.grading.test_grading import TELLS, WRONG
from tests.grading.test_hidden import all_cases

NUMBERS = (5, 11, 12)
GUARDED = leaks.of_class(settings(*NUMBERS))


def cases(number, drawn=True):
    """The hidden cases of an exercise, or the public ones."""
    exercise = registry.find(number)
    if drawn:
        exercise = hidden.with_hidden_cases(exercise, hidden.generator(SECRET, number))
    return list(all_cases(exercise.properties))


def largest(found):
    """The input of the largest of some cases."""
    return max((case.fresh()["x"] for case in found), key=np.size)


@pytest.fixture
def report(tmp_path):
    """A report whose one page says something."""

    def write(text):
        (tmp_path / "students").mkdir()
        (tmp_path / "students/ada.html").write_text(f"<html><body><p>4 of 24 points, {text}</p></body></html>")
        return tmp_path

    return write


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "wording",
    [
        lambda array: str(array.tolist()),
        lambda array: html.escape(str(array)),
        lambda array: "<br>".join(map(str, array.ravel().tolist())),
        lambda array: f"<pre>{array.ravel()[:7].tolist()}</pre>",
        lambda array: f"<td>{json.dumps(array.swapaxes(2, 3).tolist())}</td>",
    ],
    ids=["list", "array", "lines", "seven of them", "columns"],
)
def test_an_input_is_found(report, number, wording):
    (found,) = leaks.leaks(report(wording(largest(cases(number)))), GUARDED)
    assert str(found) == f"ada.html: it holds exercise {number}: numbers of a hidden case"


def test_what_is_expected_is_found(report):
    case = max(cases(12), key=lambda one: one.fresh()["x"].size)
    judged = next(one for one in registry.find(12).properties if hasattr(one, "operation"))
    assert leaks.leaks(report(judged.operation.results(case)["grad_input"].round(6).tolist()), GUARDED)


def test_the_secret_is_found(report):
    (found,) = leaks.leaks(report(SECRET.decode()), GUARDED)
    assert found.what == "it holds the class secret"


@pytest.mark.parametrize("number", NUMBERS)
def test_public_cases_may_be_told(report, number):
    words = [str(case.fresh()["x"].tolist()) for case in cases(number, drawn=False)]
    assert leaks.leaks(report(" ".join(words)), GUARDED) == []


def test_numbers_with_words_between_them_are_no_array(report):
    numbers = largest(cases(11)).ravel()[:9].tolist()
    assert leaks.leaks(report(" of ".join(map(str, numbers))), GUARDED) == []


def test_without_a_secret_there_is_nothing_to_find():
    assert leaks.of_class(settings(11, secret=b"")).marks == ()


def test_pages_of_a_real_batch_tell_nothing(zygote, tmp_path):
    known = [case.fresh()["x"].tolist() for case in cases(11, drawn=False)]
    code = json.loads(solution(11).decode().replace("def max_pool2d(", "def right("))["cells"]
    texts = ["".join(cell["source"]) for cell in code if cell["cell_type"] == "code"]
    tells = notebook("nan = float('nan')", *texts, TELLS.replace("{KNOWN}", repr(known)))
    works = {
        "right": solution(11),
        "unsolved": solution(11, "exercises"),
        "wrong": notebook(*WRONG[11]),
        "tells": tells,
    }
    folder = handed_in(tmp_path / "class", {name: {"11.ipynb": data} for name, data in works.items()})
    rows = rows_of(folder, tmp_path / "report", settings(11))
    (tmp_path / "report/students").mkdir()
    for name, row in rows.items():
        (tmp_path / f"report/students/{name}.html").write_text(pages.student_page(row), encoding="utf-8")
    assert "LEAKED" in tells.decode()
    assert any(not one["passed"] for one in rows["tells"]["exercises"][0]["verdicts"])
    assert leaks.leaks(tmp_path / "report", GUARDED) == []
