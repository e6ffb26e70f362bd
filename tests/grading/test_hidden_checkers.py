"""Hidden backwards of exercise 6: the solution and honest half-solutions keep their points, and guessing gains none."""

from itertools import cycle

import numpy as np
import pytest

from course_lib.classroom import feedback, hidden, hidden_checkers
from course_lib.classroom.graded import as_graded
from course_lib.exercises import engine, registry, specimens
from course_lib.exercises.checkers import Accepts
from tests.exercises.notebook_code import names_after
from tests.exercises.test_exercise_06 import Checker

KINKS = {"accepts right ones at kinks", "rejects wrong ones at kinks"}


def drawn(secret=b"s"):
    return hidden.with_hidden_cases(registry.find(6), hidden.generator(secret, 6))


def order(exercise):
    """By property, which of the trials are wrong."""
    return {one.name: [is_wrong for _, is_wrong in getattr(one.by, "trials", ())] for one in exercise.properties}


def numbers(exercise):
    """All inputs, in their order."""
    judgings = [one.by for one in exercise.properties if hasattr(one.by, "trials")]
    return [array.tolist() for judging in judgings for one, _ in judging.trials for array in one.inputs]


@pytest.fixture(scope="module")
def solved():
    names = names_after(6, "stub", without=("check",))
    return {answer.name: names[answer.name] for answer in registry.find(6).answers}


def failed(answers):
    return {verdict.name for verdict in engine.judge(drawn(), answers).verdicts if not verdict.passed}


def test_the_solution_passes(solved):
    assert failed(solved) == set()


def test_no_multiple_of_a_gradient_is_right_too():
    """Of tied elements a multiple is another choice, if the gradient adds up to 0."""
    right = specimens.KINKED
    tied = [one for one in right if any(map(hidden_checkers._has_ties, one.inputs))]
    judgings = [hidden_checkers.redrawn(Accepts(tuple(tied)), np.random.default_rng(seed)) for seed in range(100)]
    wrong = [one for judging in judgings for one, is_wrong in judging.trials if is_wrong]
    assert all(any(abs(gradient.sum()) > 1e-9 for gradient in one.right()) for one in wrong)


def test_a_plain_central_difference_keeps_its_points(solved):
    assert failed(solved | {"sampled_check": Checker()}) == KINKS


@pytest.mark.parametrize("says", ["y", "n", "yn", "ny"])
def test_who_guesses_earns_nothing(solved, says):
    words = cycle(says)

    def guess(function, backward, inputs, grad_output, samples, rng):
        return next(words) == "y", np.zeros((len(inputs), 2))

    against = {name: lambda *_: np.zeros((3, 2)) for name in ("compare_with_torch",)}
    result = engine.judge(drawn(), {"sampled_check": guess, **against})
    assert result.points == 0


def test_who_refuses_everything_earns_nothing(solved):
    def refuses(*_):
        raise AssertionError

    assert engine.judge(drawn(), {"sampled_check": refuses, "compare_with_torch": refuses}).points == 0


def test_who_only_sees_that_a_backward_is_linear_earns_nothing(solved):
    def linear(function, backward, inputs, grad_output, samples, rng):
        there, back = backward(grad_output, *inputs), backward(-grad_output, *inputs)
        return all(np.allclose(a, -b) for a, b in zip(there, back, strict=True)), np.zeros((len(inputs), 2))

    assert engine.judge(drawn(), {"sampled_check": linear}).points == 0


def test_a_report_of_no_errors_counts_only_beside_functions_that_find_some(solved):
    zeros = np.zeros((3, 2))
    nothing = {"sampled_check": lambda *_: (True, zeros), "compare_with_torch": lambda *_: zeros}
    report = solved["report"] | {"numeric": zeros.tolist(), "torch": zeros.tolist()}
    exercise = as_graded(registry.find(6))
    found = feedback.verdicts(exercise, engine.judge(exercise, solved | nothing | {"report": report}), None)
    (row,) = (one for one in found if one["name"] == "report")
    assert row["message"] == "this counts only beside: reports the errors, errors against PyTorch"


def test_the_same_secret_draws_the_same():
    assert numbers(drawn()) == numbers(drawn())


def test_another_secret_draws_another_order():
    ours, theirs = order(drawn()), order(drawn(b"t"))
    assert [name for name in ours if ours[name] and ours[name] == theirs[name]] == []


def test_another_secret_draws_other_numbers():
    assert numbers(drawn()) != numbers(drawn(b"t"))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("specimen", [*specimens.WRONG, *specimens.WRONG_AT_KINKS], ids=lambda one: one.name)
def test_a_wrong_backward_stays_wrong(specimen, seed):
    base, found = hidden_checkers.drawn(specimen, np.random.default_rng(seed), is_wrong=True)
    assert max(np.abs(a - b).max() for a, b in zip(found.right(), base.right(), strict=True)) > 0.01
