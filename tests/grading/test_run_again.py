"""Designs of exercises 8 to 10 are run again: as often as is asked for, drawn from the secret, and within a time."""

from dataclasses import replace

import pytest

from course_lib.classroom import run_again
from course_lib.classroom.graded import as_graded
from course_lib.classroom.run_again import Clock, RunAgain, TimeIsUp
from course_lib.exercises import engine, registry
from course_lib.experiments import design_of
from tests.exercises.test_exercises_08_to_10 import solution

ALL = 100
DESIGNS = [(8, "design"), (9, "design"), (10, "design"), (10, "scaling_design")]
SECRETS = [f"secret number {number}".encode() for number in range(12)]
# Steps so large that float16 has no numbers left.
DIVERGES = {"precision": "float16", "learning_rate": 1000, "loss_scale": 1}


def property_of(number, design, **changes):
    """The property that runs one design of an exercise again."""
    found = as_graded(registry.find(number)).properties
    (one,) = (judged for judged in found if isinstance(judged, RunAgain) and judged.comparison.design == design)
    return replace(one, **changes)


def short(number, design):
    """A design of the solution with few steps."""
    given = solution(number)[design]
    return {**given, "budget": {**given["budget"], "steps": 4}}


def verdict(number, design, given, **changes):
    """The verdict on a design that is run again."""
    exercise = replace(registry.find(number), properties=(property_of(number, design, **changes),))
    return engine.judge(exercise, {design: given}).verdicts[0]


def drawn(number, design, **changes):
    """Which runs of the solution's design are repeated."""
    return property_of(number, design, **changes).drawn(design_of(**solution(number)[design]))


@pytest.mark.parametrize(("number", "design"), DESIGNS)
def test_two_runs_of_a_right_design_pass(number, design):
    found = verdict(number, design, short(number, design))
    assert (found.passed, found.points, found.message) == (True, 4, "passed 2 cases")


@pytest.mark.parametrize(("number", "design"), DESIGNS)
def test_a_design_with_wrong_dimensions_fails(number, design):
    given = short(number, design)
    found = verdict(number, design, {**given, "shapes": {**given["shapes"], "conv1": [16, 1, 1, 1]}})
    assert (found.passed, found.points) == (False, 0)
    assert "run again" in found.message and "conv1" in found.message


@pytest.mark.parametrize("runs", [1, 3, ALL])
def test_as_many_runs_as_are_asked_for_are_repeated(runs):
    found = drawn(9, "design", runs=runs)
    assert len(found) == len(set(found)) == min(runs, 6 * 3)


def test_runs_are_drawn_over_variants_and_seeds():
    found = {pair for secret in SECRETS for pair in drawn(9, "design", secret=secret)}
    assert len({variant for variant, _ in found}) == 6
    assert len({seed for _, seed in found}) == 3


def test_the_same_secret_draws_the_same_runs_and_another_one_others():
    assert drawn(9, "design", secret=b"a" * 16) == drawn(9, "design", secret=b"a" * 16)
    assert len({str(drawn(9, "design", secret=secret)) for secret in SECRETS}) > 6


def test_a_variant_that_gives_no_numbers_fails_whenever_it_is_drawn():
    given = short(10, "design")
    given |= {"variants": {"near": {"precision": "float16"}, "far": DIVERGES}, "seeds": [0]}
    assert "'far' has no number for" in verdict(10, "design", given, runs=ALL).message
    assert {verdict(10, "design", given, runs=1, secret=secret).passed for secret in SECRETS[:6]} == {True, False}


def test_a_design_of_own_functions_alone_is_refused():
    given = {**short(8, "design"), "variants": {"mine": {"backend": "yours", "precision": "float64"}}}
    assert "every variant has functions of your own" in verdict(8, "design", given).message


def test_what_is_not_done_in_its_time_counts_as_far_as_it_went(monkeypatch):
    begun = []

    def endless(design, advance):
        begun.append((*design.variants, *design.seeds))
        while True:
            advance()

    monkeypatch.setattr(run_again, "run_design", endless)
    found = verdict(9, "design", short(9, "design"), seconds=0.05)
    assert found.passed
    assert len(set(begun)) == 2


def test_a_clock_counts_all_runs_together():
    clock = Clock(0.01)
    with pytest.raises(TimeIsUp):
        while True:
            clock.check()
    with pytest.raises(TimeIsUp):
        clock.check()
