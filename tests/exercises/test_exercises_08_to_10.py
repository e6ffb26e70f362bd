"""Exercises 8 to 10: the learner's functions, the solutions' designs, and the conclusions."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from course_lib.exercises import ex08_compare_three_backwards as ex08
from course_lib.exercises import ex09_swap_the_pooling as ex09
from course_lib.exercises import ex10_change_the_precision as ex10
from course_lib.exercises.engine import judge
from course_lib.exercises.faults import NOT_STARTED
from course_lib.exercises.registry import find
from course_lib.exercises.scaled_gradients import SMALL
from course_lib.experiments import plug_in, run
from tests.exercises.notebook_code import names_after, prose

RUNS = ("solution-run", "solution-scaling-run", "solution-times", "check", "hint")


@cache
def solution(number):
    """What the solution's names hold, but for its reports: the notebooks are run as a whole by nbval."""
    return names_after(number, "stub", without=RUNS)


def verdict(number, name, **answers):
    """The verdict on one property."""
    exercise = find(number)
    one = tuple(entry for entry in exercise.properties if entry.name == name)
    return judge(replace(exercise, properties=one), answers).verdicts[0]


def without_reports(number):
    """The solution's answers but for its reports."""
    names = [answer.name for answer in find(number).answers if not answer.name.endswith("report")]
    return {name: solution(number)[name] for name in names}


@pytest.mark.parametrize("number", [8, 9, 10])
def test_the_solution_passes_all_that_needs_no_run(number):
    result = judge(find(number), without_reports(number))
    failed = [found.name for found in result.verdicts if not found.passed]
    assert all("report" in name or "environment" in name or "second run" in name for name in failed), result


@pytest.mark.parametrize("number", [8, 9, 10])
def test_an_untouched_notebook_says_not_started(number):
    result = names_after(number, "solution")["shown"]["check"]
    assert {found.kind for found in result.verdicts} == {NOT_STARTED}


@pytest.mark.parametrize("number", [8, 9, 10])
def test_the_notebook_says_what_the_exercise_says(number):
    exercise, text = find(number), prose(number)
    assert exercise.heading in text
    assert exercise.task in text
    assert f"about {exercise.lines} lines" in text
    for letter, statement in exercise.answer("conclusion").statements.items():
        assert f"**{letter}** {statement.text}" in text


@pytest.mark.parametrize("number", [8, 9, 10])
def test_exactly_one_statement_holds(number):
    statements = find(number).answer("conclusion").statements
    assert [statement.refutation for statement in statements.values()].count("") == 1


@pytest.mark.parametrize("number", [8, 9, 10])
def test_a_wrong_conclusion_is_refuted_and_the_right_one_not_told(number):
    statements = find(number).answer("conclusion").statements
    right = next(letter for letter, statement in statements.items() if not statement.refutation)
    for letter in statements:
        found = verdict(number, "conclusion", conclusion=letter)
        assert found.passed is (letter == right)
        assert letter == right or statements[right].text not in repr(found)


@pytest.mark.parametrize("number", [8, 9, 10])
def test_every_field_and_shape_that_is_asked_for_stands_in_the_notebook(number):
    text = prose(number)
    comparisons = {8: [ex08.COMPARISON], 9: [ex09.COMPARISON], 10: [ex10.PRECISIONS, ex10.SCALING]}[number]
    for comparison in comparisons:
        assert all(f'`"{name}"`' in text for name in (*comparison.fields, *comparison.shapes))


def median_seconds(repeats_counted=0, warm=True, reduce=np.median, in_turns=True):
    """A stopwatch with one weakness."""

    def watch(functions, repeats, clock):
        for function in functions if warm else ():
            function()
        times = np.zeros((repeats + repeats_counted, len(functions)))
        order = (
            np.ndindex(times.shape) if in_turns else ((t, f) for f in range(len(functions)) for t in range(len(times)))
        )
        for turn, number in order:
            begin = clock()
            functions[number]()
            times[turn, number] = clock() - begin
        return reduce(times, axis=0)

    return watch


@pytest.mark.parametrize("name", ["median", "warm-up", "in turns"])
def test_a_fair_stopwatch_passes(name):
    assert verdict(8, name, median_seconds=median_seconds()).passed


@pytest.mark.parametrize(
    ("weakness", "name", "text"),
    [
        ({"reduce": np.mean}, "median", "Those are the means."),
        ({"reduce": np.min}, "median", "Those are the least times."),
        ({"reduce": np.sum}, "median", "Those are sums over the turns."),
        ({"warm": False, "repeats_counted": 1}, "median", "The first, slow turn is counted."),
        ({"warm": False}, "warm-up", "function 0 was called 5 times: the first is no warm-up"),
        ({"in_turns": False}, "in turns", "the functions do not take turns"),
        ({"reduce": lambda times, axis: times}, "median", "one number a function, shape (3,); got shape (5, 3)"),
    ],
    ids=["mean", "least", "sum", "first counted", "cold", "no turns", "shape"],
)  # fmt: skip
def test_an_unfair_stopwatch_is_refused_and_told_why(weakness, name, text):
    found = verdict(8, name, median_seconds=median_seconds(**weakness))
    assert not found.passed
    assert text in repr(found)


@pytest.mark.parametrize(("number", "passes"), [(610, True), (604, False), ([610], False)])
def test_parameters_are_counted_by_hand(number, passes):
    assert verdict(8, "parameters", parameters=number).passed is passes


def norm(array):
    return float(np.sqrt(np.square(array.astype(float)).sum()))


def share(array):
    return np.mean(array != 0)


@pytest.mark.parametrize(
    ("function", "name", "text"),
    [
        (lambda g: ((g > 0).mean(), norm(g)), "density", "That is the share of the positive elements."),
        (lambda g: (np.count_nonzero(g), norm(g)), "density", "That is how many elements are not zero."),
        (lambda g: ((g == 0).mean(), norm(g)), "density", "That is the share of the zeros."),
        (lambda g: ((np.abs(g) > 1e-8).mean(), norm(g)), "density", "A small number is not zero"),
        (lambda g: (share(g), np.abs(g.astype(float)).sum()), "norm", "That is the sum of the absolute values."),
        (lambda g: (share(g), norm(g) ** 2), "norm", "That is the square of the norm."),
        (lambda g: (share(g), np.abs(g).max()), "norm", "That is the largest absolute value."),
        (lambda g: (share(g), np.sqrt((g * g).sum())), "norm", "The squares overflow in half precision"),
        (lambda g: (share(g), np.linalg.norm(g.astype(float), 2) if g.ndim == 2 else norm(g)), "norm", "a matrix norm"),
        (lambda g: (share(g), np.zeros(2)), "norm", "norm must be one number; got an array of shape (2,)"),
    ],
    ids=["positive", "count", "zeros", "tolerance", "one norm", "square", "largest", "overflow", "matrix", "array"],
)
def test_a_wrong_measure_is_refused_and_told_what_it_is(function, name, text):
    with np.errstate(over="ignore"):
        found = verdict(9, name, density_and_norm=function)
    assert not found.passed
    assert text in repr(found)


def unscale(wide=np.float32, judged=lambda arrays: all(np.isfinite(a).all() for a in arrays)):
    """The inverse of a loss scale, in some precision."""

    def function(gradients, scale):
        arrays = [(g if wide is None else g.astype(np.promote_types(g.dtype, wide))) for g in gradients]
        # A NumPy number of the array's own type, so that half precision stays half.
        return [array / array.dtype.type(scale) for array in arrays], bool(judged(arrays))

    return function


@pytest.mark.parametrize("name", ["unscale", "unscale small gradients", "finite", "inputs stay as they are"])
@pytest.mark.parametrize("wide", [np.float32, np.float64])
def test_a_right_unscale_passes(name, wide):
    assert verdict(10, name, unscale=unscale(wide)).passed


def in_place(gradients, scale):
    for gradient in gradients:
        gradient /= scale
    return gradients, True


@pytest.mark.parametrize(
    ("function", "name", "text"),
    [
        (unscale(None), "unscale small gradients", "float16 cannot hold it: widen before you divide."),
        (lambda g, s: ([a.astype(np.float32) / s for a in g], True), "unscale", "came back as float32"),
        (lambda g, s: ([a * s for a in g], True), "unscale", "wrong value: yours [4, -12], expected [1, -3]"),
        (lambda g, s: (g[:1], True), "unscale", "must give one array a gradient, 2; got 1"),
        (lambda g, s: ([a.reshape(-1, 1) / s for a in g], True), "unscale", "wrong shape: yours (2, 1), expected (2,)"),
        (lambda g, s: ([a / s for a in g], 1), "finite", "finite must be True or False; got a value of type int"),
        (unscale(judged=lambda arrays: True), "finite", "must be False"),
        (unscale(judged=lambda arrays: not any(np.isnan(a).any() for a in arrays)), "finite", "must be False"),
        (unscale(judged=lambda arrays: np.isfinite(arrays[0]).all()), "finite", "must be False"),
        (unscale(judged=lambda arrays: np.isfinite([a.sum() for a in arrays]).all()), "finite", "must be True"),
        (in_place, "inputs stay as they are", "unscale changed gradient 0 in place"),
    ],
    ids=["half", "narrow", "times", "one array", "shape", "int", "always", "NaN only", "first only", "sum", "in place"],
)  # fmt: skip
def test_a_wrong_unscale_is_refused_and_told_why(function, name, text):
    with np.errstate(all="ignore"):
        found = verdict(10, name, unscale=function)
    assert not found.passed
    assert text in repr(found)


def test_a_small_gradient_over_the_scale_is_below_what_half_precision_has():
    gradients, scale = SMALL
    assert np.float16(float(gradients[0][2]) / scale) == 0 != gradients[0][2]


def test_the_functions_of_exercise_5_plug_in_and_train(capsys):
    solved = names_after(5, "stub", without=("check", "hint"))
    functions = plug_in(solved["conv2d"], solved["conv2d_backward"])
    assert capsys.readouterr().out == "conv2d: yours is used.\nconv2d_backward: yours is used.\n"
    same = {"network": "one block", "precision": "float64"}
    variants = {name: {"backend": name, **same} for name in ("yours", "vectorised")}
    fields, budget = ["accuracy", "gradient difference"], {"steps": 3, "batch_size": 8}
    found = run(variants, [0], budget, fields=fields, functions=functions)
    np.testing.assert_allclose(found["yours"]["accuracy"], found["vectorised"]["accuracy"], atol=0.01)
    assert found["yours"]["gradient difference"].max() < 1e-12
