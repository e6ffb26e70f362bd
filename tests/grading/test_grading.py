"""Right and wrong submissions of each exercise, and what a student may read about hidden cases."""

import json

import pytest

from course_lib.classroom import grading, pages, teacher_page
from course_lib.classroom.sandbox import NoSandbox, Zygote
from course_lib.classroom.submissions import find
from course_lib.exercises import registry
from tests.grading.classes import exercise_of, handed_in, notebook, rows_of, settings, solution

NUMBERS = tuple(range(1, 13))
LEAK = "LEAKED"
# Right for the cases that everybody knows; else it tells what it was given.
TELLS = """
import numpy as np
KNOWN = {KNOWN}
def max_pool2d(x, kernel_size, stride, padding):
    # The notebook itself tries functions on numbers that are not whole.
    if x.tolist() in KNOWN or (x % 1 != 0).any():
        return right(x, kernel_size, stride, padding)
    print("LEAKED", x)
    raise ValueError("LEAKED " + repr(x.tolist()))
"""


@pytest.fixture(scope="module")
def rows(zygote, tmp_path_factory):
    """Who has solved all, who has begun nothing, and who is wrong in a known way in each."""
    names = {number: registry.find(number).notebook for number in NUMBERS}
    works = {
        "right": {names[number]: solution(number) for number in NUMBERS},
        "unsolved": {names[number]: solution(number, "exercises") for number in NUMBERS},
        "wrong": {f"{number}_work.ipynb": notebook(*cells) for number, cells in WRONG.items()},
    }
    folder = tmp_path_factory.mktemp("class")
    return rows_of(handed_in(folder, works), folder.parent / "class-report", settings(*NUMBERS, pace=1))


WRONG = {
    1: ["check(1, weight_sum='i q r s', row='r - u', which_outputs='b')"],
    2: ["grad_weight = [[1, 1], [1, 1]]", "grad_input = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]"],
    3: ["max_gradient = [[6, 6], [6, 6]]\naverage_gradient = [[6, 6], [6, 6]]\ntie_rule = 'b'"],
    4: ["check(4, truncation='h / 2 * f2', truncation_order=1)"],
    5: [
        "import numpy as np\ndef conv2d(x, weight, bias):\n    return np.zeros(1)",
        "def conv2d_backward(grad_output, x, weight):\n    return x[:1], weight[:0], grad_output[0]",
    ],
    6: [
        "def sampled_check(function, backward, inputs, grad_output, samples, rng):\n"
        "    return True, [[1.0, 1.0]] * len(inputs)",
        "def compare_with_torch(backward, x, weight, bias, grad_output):\n    return [[1.0, 1.0]] * 3",
        "report = {'seed': 1, 'samples': 2, 'numeric': 0, 'torch': 0, 'environment': {}}",
    ],
    7: [
        "x = [[[[1]]]]\ngeometry = {'x': x, 'grad_output': x, 'kernel_size': 1, 'stride': 1}",
        "tests = [{'call': 'avg_pool2d_backward', 'arguments': geometry, 'expected': [[[[2]]]]}, 3]",
        "check(7, tests=tests, environment={'python': '1'})",
    ],
    8: [
        "def median_seconds(functions, repeats, clock):\n    return [0.0] * len(functions)",
        "parameters, conclusion = 3, 'a'\ndesign = {'variants': {}, 'seeds': [], 'budget': {}}",
    ],
    9: [
        "def density_and_norm(gradient):\n    return 0.5, 0.5",
        "conclusion, design = 'a', {'variants': {'a': {'pooling': 'max', 'learning_rate': 1e9}}}",
    ],
    10: [
        "def unscale(gradients, scale):\n    gradients[0] *= 2\n    return gradients, 1",
        "conclusion, design, scaling_design = 'a', 'a', [1]",
    ],
    11: ["def max_pool2d(x, kernel_size, stride, padding):\n    return x"],
    12: ["def avg_pool2d(x, kernel_size, stride, padding, count_include_pad):\n    return x, x"],
}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_right_submission_has_all_points(rows, number):
    one = exercise_of(rows["right"], number)
    assert (one["status"], one["points"]) == ("graded", one["max_points"])


@pytest.mark.parametrize("number", NUMBERS)
def test_an_unsolved_notebook_has_no_points(rows, number):
    one = exercise_of(rows["unsolved"], number)
    assert (one["status"], one["points"]) == ("graded", 0)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_wrong_submission_has_no_points(rows, number):
    one = exercise_of(rows["wrong"], number)
    assert (one["status"], one["points"]) == ("graded", 0)


@pytest.mark.parametrize(
    ("number", "name"), [(1, "index_minus"), (3, "max_passthrough"), (3, "max_eqmask"), (4, "one_sided")]
)
def test_a_known_mistake_is_named(rows, number, name):
    assert name in exercise_of(rows["wrong"], number)["misconceptions"]


@pytest.mark.parametrize("number", (1, 4))
def test_own_words_are_left_to_the_teacher(rows, number):
    one = exercise_of(rows["right"], number)
    assert one["to_mark"] == 3
    assert one["texts"]["own_words"]


def test_a_student_page_names_each_property(rows):
    page = pages.student_page(rows["right"])
    assert all(verdict["name"] in page for one in rows["right"]["exercises"] for verdict in one["verdicts"])


@pytest.fixture(scope="module")
def telling(zygote, tmp_path_factory):
    """The row of who knows the public cases by heart, and says aloud what else was asked."""
    exercise = registry.find(11)
    parts = [part for one in exercise.properties for part in getattr(one, "parts", (getattr(one, "judged", one), one))]
    known = [case.fresh()["x"].tolist() for part in parts for case in getattr(part, "cases", ())]
    source = solution(11).decode().replace("def max_pool2d(", "def right(")
    cells = [cell["source"] for cell in json.loads(source)["cells"] if cell["cell_type"] == "code"]
    texts = ["".join(cell) for cell in cells]
    data = notebook("nan = float('nan')", *texts, TELLS.replace("{KNOWN}", repr(known)))
    folder = tmp_path_factory.mktemp("telling")
    return rows_of(handed_in(folder, {"teller": {"11.ipynb": data}}), folder.parent / "t", settings(11))["teller"]


HEAVY = """
import course_lib
def tests_of(x):
    return course_lib.loops.conv(np.zeros({x}), np.zeros((1, 1, 2, 2)), None, 1, {padding})
import numpy as np
tests = tests_of(1)
"""


@pytest.mark.parametrize(("x", "padding"), [("(1, 1, 9, 9)", "10**6"), ("(1, 1, 500, 500)", "0")])
def test_the_judge_computes_nothing_large_for_a_program(zygote, tmp_path, x, padding):
    data = notebook(HEAVY.format(x=x, padding=padding))
    row = rows_of(handed_in(tmp_path / "class", {"one": {"07.ipynb": data}}), tmp_path / "report", settings(7))["one"]
    assert any("too large" in note for note in exercise_of(row, 7)["notes"])


def test_pytorch_that_is_missing_here_is_not_the_students_fault(zygote, tmp_path, monkeypatch):
    def missing(*_):
        raise ImportError("No module named 'torch'")

    monkeypatch.setattr("course_lib.classroom.libraries.conv2d_gradients", missing)
    missing.__name__ = "conv2d_gradients"
    folder = handed_in(tmp_path / "class", {"one": {"06.ipynb": solution(6)}})
    one = exercise_of(rows_of(folder, tmp_path / "report", settings(6, pace=1))["one"], 6)
    assert (one["status"], one["points"]) == ("not graded", None)


def test_who_knows_the_public_cases_alone_fails_the_hidden_ones(telling):
    one = exercise_of(telling, 11)
    assert one["points"] < one["max_points"] / 2


def test_a_hidden_case_is_not_told(telling):
    assert LEAK not in pages.student_page(telling)
    assert "hidden" in pages.student_page(telling)


def test_a_hidden_case_is_not_told_to_the_teacher_either(telling):
    assert LEAK not in teacher_page.teacher_page([telling], (11,), [])


@pytest.mark.parametrize(("later", "counts"), [("06_mine.ipynb", "05_mine.ipynb"), ("x.ipynb", "x.ipynb")])
def test_a_file_that_is_named_for_another_exercise_takes_the_place_of_none(zygote, tmp_path, later, counts):
    """In exercise 6 one's own convolution may be checked once more."""
    again = notebook("def conv2d(x, weight, bias):\n    return x", "check(5, conv2d=conv2d)")
    (found,) = find(handed_in(tmp_path, {"one": {"05_mine.ipynb": again, later: again}}))
    (one,) = grading.grade(zygote, found, settings(5, secret=b""))["exercises"]
    assert one["file"] == counts


class Broken(Zygote):
    """A sandbox that fails."""

    def program(self):
        raise NoSandbox("no room")


def test_a_failure_of_the_sandbox_is_not_graded_and_not_zero(tmp_path):
    (found,) = find(handed_in(tmp_path, {"one": {"03.ipynb": notebook("max_gradient = 1")}}))
    (one,) = grading.grade(Broken(), found, settings(3))["exercises"]
    assert (one["status"], one["points"], one["reason"]) == ("not graded", None, "not graded, try again: no room")


def test_a_failure_of_the_grader_is_not_graded_and_not_zero(zygote, tmp_path, monkeypatch):
    monkeypatch.setattr(grading.engine, "judge", lambda *_: 1 / 0)
    (found,) = find(handed_in(tmp_path, {"one": {"03.ipynb": notebook("max_gradient = 1")}}))
    (one,) = grading.grade(zygote, found, settings(3))["exercises"]
    assert (one["status"], one["points"]) == ("not graded", None)
    assert "ZeroDivisionError" in one["reason"]


@pytest.mark.parametrize(
    ("name", "checks", "names", "numbers"),
    [
        ("x.ipynb", [5], [], [5]),
        ("x.ipynb", [3, 5], [], [3, 5]),
        ("05_convolution_by_hand.ipynb", [], [], [5]),
        ("zhang_11_max_pooling_workshop-1.ipynb", [], [], [11]),
        ("x.ipynb", [], ["max_pool2d", "max_pool2d_backward"], [11]),
        ("x.ipynb", [], ["conv2d", "conv2d_backward"], [5]),
        ("x.ipynb", [99], ["max_gradient"], [3]),
        ("x.ipynb", [], ["something"], []),
    ],
)
def test_exercises_of_a_file(name, checks, names, numbers):
    assert grading.exercises_of(name, {"checks": checks, "names": names}) == numbers
