"""Exercise 6: the solution's checker passes, and every weaker one fails where it is weak."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from course_lib.exercises import check, specimens
from course_lib.exercises.engine import judge
from course_lib.exercises.ex06_check_the_gradient import EXERCISE, draw
from course_lib.exercises.faults import NOT_STARTED
from tests.exercises.notebook_code import names_after, prose

STEP = 1e-6


@cache
def solution():
    """The solution's functions and its report."""
    return names_after(6, "stub", without=("check", "hint"))


def judged(name, **answers):
    """The verdict on one property."""
    one = tuple(entry for entry in EXERCISE.properties if entry.name == name)
    return judge(replace(EXERCISE, properties=one), answers).verdicts[0]


def solved(**changed):
    """The solution's answers, some of them changed."""
    names = ("sampled_check", "compare_with_torch", "conv2d", "conv2d_backward", "report")
    return {name: solution()[name] for name in names} | changed


class Checker:
    """A checker as learners write it first, with one weakness at a time."""

    def __init__(self, **weak):
        self.weak = weak

    def __call__(self, function, backward, inputs, grad_output, samples, rng):
        if self.weak.get("own_generator"):
            rng = np.random.default_rng()
        gradients = backward(grad_output, *inputs)
        if not self.weak.get("any_shape"):
            for gradient, array in zip(gradients, inputs, strict=True):
                assert gradient.shape == array.shape
        errors, slopes = [], []
        for number, (array, gradient) in enumerate(zip(inputs, gradients, strict=False)):
            chosen = np.arange(min(samples, array.size))
            if not self.weak.get("first_elements"):
                chosen = rng.choice(array.size, len(chosen), replace=False)
            numeric = np.array([self.slope(function, inputs, number, flat, grad_output) for flat in chosen])
            errors.append(np.abs(gradient.flat[chosen] - numeric).max())
            slopes.append(np.abs(numeric).max())
        errors, slopes = np.array(errors), np.array(slopes)
        return self.accepted(errors, slopes), np.stack([errors, errors / slopes], axis=1)

    def accepted(self, errors, slopes):
        """By the relative error, unless a weakness says something else."""
        if "says" in self.weak:
            return self.weak["says"]
        if self.weak.get("absolute"):
            return bool((errors < 1e-5).all())
        if self.weak.get("lets_nan_through"):
            return not (errors / slopes > 1e-6).any()
        return bool((errors / slopes < 1e-6).all())

    def slope(self, function, inputs, number, flat, grad_output):
        """The difference, central unless a weakness says something else."""
        step = self.weak.get("step", STEP)
        ahead, behind = ([array.copy() for array in inputs] for _ in range(2))
        if self.weak.get("in_place"):
            ahead = inputs
        ahead[number].flat[flat] += step
        behind[number].flat[flat] -= 0 if self.weak.get("forward") else step
        width = step if self.weak.get("forward") else 2 * step
        return (grad_output * (function(*ahead) - function(*behind))).sum() / width


def test_the_solution_gets_all_points():
    result = check(6, **solved())
    assert result.passed, result
    assert result.points == 20


def test_an_untouched_notebook_says_not_started():
    result = names_after(6, "solution")["shown"]["check"]
    assert {verdict.kind for verdict in result.verdicts} == {NOT_STARTED}


def test_a_plain_central_difference_gets_what_it_can():
    result = check(6, sampled_check=Checker())
    failed = {verdict.name for verdict in result.verdicts if not verdict.passed and verdict.kind != NOT_STARTED}
    assert failed == {"accepts right ones at kinks", "rejects wrong ones at kinks"}


@pytest.mark.parametrize(
    ("weakness", "name", "sentence"),
    [
        ({"says": True}, "rejects wrong ones", "a wrong backward was accepted: an exponential, without the upstream"),
        ({"says": False}, "accepts right backwards", "a right backward was refused: a convolution of two samples"),
        ({"says": False}, "rejects wrong ones", "a right backward was refused: an exponential"),
        ({"says": 1}, "accepts right backwards", "accepted must be True or False; got a value of type int"),
        ({"absolute": True}, "rejects small wrong ones", "accepted: a convolution with an upstream"),
        ({"lets_nan_through": True}, "refuses other shapes and NaN", "one element that is NaN"),
        ({"any_shape": True}, "refuses other shapes and NaN", "a bias gradient with two axes too many"),
        ({"forward": True, "step": 1e-8, "says": True}, "moves each element both ways", "was moved to one side only"),
        ({"first_elements": True}, "samples by the seed", "with three seeds the same elements were moved"),
        ({"own_generator": True}, "samples by the seed", "with the same seed other elements were moved"),
        ({"step": 0.1}, "accepts right backwards", "a right backward was refused: an exponential"),
        ({"step": 0.1, "says": True}, "accepts right backwards", "the relative error of a right backward is too large"),
        ({"in_place": True}, "accepts right backwards", "sampled_check left an input changed"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_a_weak_checker_fails_where_it_is_weak(weakness, name, sentence):
    verdict = judged(name, sampled_check=Checker(**weakness))
    assert not verdict.passed
    assert sentence in verdict.message


def by_sums(function, backward, inputs, grad_output, samples, rng):
    """Compares the sum of each gradient alone."""
    gradients, errors, slopes = backward(grad_output, *inputs), [], []
    for number, (array, gradient) in enumerate(zip(inputs, gradients, strict=True)):
        ends = [[a + side * STEP if i == number else a for i, a in enumerate(inputs)] for side in (1, -1)]
        slopes.append(sum(side * (grad_output * function(*end)).sum() for side, end in zip((1, -1), ends, strict=True)))
        slopes[-1] /= 2 * STEP
        errors.append(abs(np.asarray(gradient).sum() - slopes[-1]) / np.abs(array).size)
    errors, slopes = np.array(errors), np.abs(slopes) + 1e-30
    return bool((errors < 1e-6 * slopes).all()), np.stack([errors, 0 * errors], axis=1)


def with_ones(function, backward, inputs, grad_output, samples, rng):
    """Takes ones for the upstream gradient, whatever is given."""
    return Checker()(function, backward, inputs, np.ones_like(grad_output), samples, rng)


@pytest.mark.parametrize(
    ("checker", "names"),
    [
        (Checker(), {"harness_at_kink"}),
        (Checker(absolute=True), {"harness_at_kink", "harness_absolute"}),
        (by_sums, {"harness_at_kink", "harness_sum"}),
        (with_ones, {"harness_at_kink", "harness_ones"}),
        (Checker(says=True), set()),
        (Checker(says=False), set()),
        (Checker(step=0.1), {"harness_at_kink"}),
    ],
    ids=["central", "absolute", "sums", "ones", "always", "never", "wide"],
)
def test_a_known_mistake_of_checkers_is_called_by_its_name(checker, names):
    result = check(6, sampled_check=checker)
    assert set(result.misconceptions) == names, result


def test_the_solution_is_called_by_no_mistake():
    assert check(6, sampled_check=solution()["sampled_check"]).misconceptions == ()


def test_without_the_sum_over_ties_the_mask_is_accepted():
    names = dict(solution())
    source_of = names["sampled_check"].__code__
    assert "directions" in source_of.co_names
    # The last direction is the whole input: a single element in its place leaves the sum unchecked.
    every = names["directions"]
    names["directions"] = lambda array, samples, rng: [*(found := every(array, samples, rng))[:-1], found[0]]
    checker = type(names["sampled_check"])(source_of, names)
    verdict = judged("rejects wrong ones at kinks", sampled_check=checker)
    assert verdict.message.endswith("the whole gradient to each of the equal elements")


def test_errors_of_another_size_are_refused():
    def doubled(*arguments):
        accepted, errors = solution()["sampled_check"](*arguments)
        return accepted, 2 * errors

    verdict = judged("reports the errors", sampled_check=doubled)
    assert verdict.message.startswith("wrong value: the absolute error of input 0 is")


@pytest.mark.parametrize(
    ("errors", "sentence"),
    [(np.zeros((3, 3)), "errors must have shape (3, 2), one row a gradient; got (3, 3)"),
     (np.zeros((3, 2)), "wrong value: the errors of the gradient of x are 0 and 0, expected")],
)  # fmt: skip
def test_wrong_errors_against_torch_have_their_sentence(errors, sentence):
    verdict = judged("errors against PyTorch", compare_with_torch=lambda *arguments: errors)
    assert verdict.message.startswith(sentence)


def test_a_comparison_that_broadcasts_is_refused():
    def broadcasting(backward, x, weight, bias, grad_output):
        found = [*backward(grad_output, x, weight, bias), np.zeros(3)][:3]
        right = specimens.CONV.right()
        return np.array([[np.abs(a - b).max()] * 2 for a, b in zip(found, right, strict=True)])

    verdict = judged("dimensions against PyTorch", compare_with_torch=broadcasting)
    assert verdict.message == "compare_with_torch compared gradients of other shapes: assert them first"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": "six"}, "report['seed'] must be a whole number; got 'six'"),
        ({"numeric": np.full((3, 2), 1e-9)}, "report['numeric'] is not what your functions give for this seed"),
        ({"torch": np.zeros((2, 2))}, "report['torch'] must have one row for x, weight and bias"),
        ({"torch": np.full((3, 2), 1e-3)}, "a relative error in report['torch'] is above 1e-12"),
    ],
    ids=["seed", "other numbers", "shape", "large errors"],
)  # fmt: skip
def test_a_report_is_verified(change, sentence):
    verdict = judged("report", **solved(report=solution()["report"] | change))
    assert not verdict.passed
    assert verdict.message.startswith(sentence)


def test_a_report_with_another_seed_has_other_numbers():
    verdict = judged("report", **solved(report=solution()["report"] | {"seed": 7}))
    assert "is not what your functions give for this seed" in verdict.message


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        (None, "the environment must be a dict with python, numpy, torch; got None"),
        ({"python": "3"}, "the environment says python '3'"),
        ({}, "the environment does not say which version of python runs"),
    ],
    ids=["none", "wrong", "missing"],
)
def test_the_environment_is_verified(environment, sentence):
    verdict = judged("environment", report=solution()["report"] | {"environment": environment})
    assert verdict.message.startswith(sentence)


def test_a_report_that_is_no_plain_data_is_refused():
    verdict = judged("report", **solved(report={"seed": check}))
    assert verdict.message.startswith("report['seed'] must be plain data")


@pytest.mark.parametrize("specimen", [*specimens.SMOOTH, *specimens.KINKED], ids=lambda specimen: specimen.name)
def test_right_specimens_have_the_courses_own_gradients(specimen):
    found, (inputs, grad_output) = specimen.right(), specimen.fresh()
    base = {id(other.function): other for other in (*specimens.SMOOTH, specimens.RELU)}[id(specimen.function)]
    for gradient, array in zip(found, inputs, strict=True):
        assert gradient.shape == array.shape
    assert [g.shape for g in base.backward(grad_output, *inputs)] == [a.shape for a in inputs]


@pytest.mark.parametrize(
    "specimen",
    [*specimens.WRONG, *specimens.SMALL_AND_WRONG, *specimens.WRONG_AT_KINKS],
    ids=lambda specimen: specimen.name,
)
def test_wrong_specimens_have_other_gradients(specimen):
    rights = {id(other.function): other for other in reversed((*specimens.SMOOTH, specimens.RELU))}
    right = rights[id(specimen.function)]
    inputs, grad_output = specimen.fresh()
    expected = right.backward(grad_output, *inputs)
    assert any(not np.allclose(a, b) for a, b in zip(specimen.right(), expected, strict=True))


def test_the_notebook_says_what_the_exercise_says():
    assert EXERCISE.heading in prose(6)
    assert EXERCISE.task in prose(6)
    assert f"about {EXERCISE.lines} lines" in prose(6)


def test_the_notebook_draws_what_the_judge_draws():
    for mine, theirs in zip(draw(3), solution()["draw"](3), strict=True):
        np.testing.assert_array_equal(mine, theirs)
