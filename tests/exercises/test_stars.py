"""Properties with a star, properties that count as one, and what the diagnosis takes as evidence."""

from dataclasses import replace

import pytest

from course_lib.exercises import faults
from course_lib.exercises.engine import judge
from course_lib.exercises.faults import Fault
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.properties import Star, Together
from course_lib.exercises.session import Session
from tests.exercises import learners
from tests.exercises.practice import PRACTICE

RIGHT = {"max_pool2d": learners.max_pool2d, "max_pool2d_backward": learners.max_pool2d_backward}
FORWARD, TILES, OVERLAP, BORDERS, _ = PRACTICE.properties


def check(*properties, **functions):
    """The result of a practice exercise with other properties."""
    return judge(replace(PRACTICE, properties=properties), RIGHT | functions)


def test_an_exercise_passes_without_its_star():
    result = check(TILES, Star(OVERLAP), max_pool2d_backward=learners.overwriting)
    assert result.passed
    assert (result.points, result.max_points) == (1, 2)


def test_an_exercise_does_not_pass_with_its_star_alone():
    result = check(FORWARD, Star(TILES), max_pool2d=learners.zero_padded)
    assert (result.passed, result.points) == (False, 1)


def test_a_star_is_shown_beside_the_name_in_both_forms():
    result = check(TILES, Star(OVERLAP), max_pool2d_backward=learners.overwriting)
    assert "✗ overlap ★ (0 of 1)" in repr(result)
    assert "overlap ★" in result._repr_html_()


def test_a_star_that_needs_a_parameter_is_not_started_without_it():
    result = check(TILES, Star(FORWARD, "ceil_mode", ("max_pool2d",)))
    assert result.verdicts[1].kind == faults.NOT_STARTED
    assert result.passed


def test_a_star_is_judged_when_the_parameter_is_there():
    def forward(x, kernel_size, stride, padding, ceil_mode=False):
        return learners.max_pool2d(x, kernel_size, stride, padding)

    assert check(Star(FORWARD, "ceil_mode", ("max_pool2d",)), max_pool2d=forward).verdicts[0].passed


def test_any_named_arguments_count_as_the_parameter():
    def forward(x, kernel_size, stride, padding, **named):
        return learners.max_pool2d(x, kernel_size, stride, padding)

    assert check(Star(FORWARD, "ceil_mode", ("max_pool2d",)), max_pool2d=forward).verdicts[0].passed


def test_a_signature_that_raises_has_no_parameters():
    class Function:
        def __call__(self, *given):
            return learners.max_pool2d(*given)

        @property
        def __signature__(self):
            raise RuntimeError("no")

    result = check(Star(FORWARD, "ceil_mode", ("max_pool2d",)), max_pool2d=Function())
    assert result.verdicts[0].kind == faults.NOT_STARTED


def test_properties_together_pass_only_if_all_do():
    both = Together("both", 3, (TILES, OVERLAP))
    assert check(both).verdicts[0].message == "passed 2 cases"
    result = check(both, max_pool2d_backward=learners.overwriting)
    assert (result.points, result.max_points) == (0, 3)


def test_properties_together_need_the_answers_of_all():
    assert Together("all", 1, (FORWARD, OVERLAP)).answers == ("max_pool2d", "max_pool2d_backward")


def test_what_was_not_started_shows_no_case():
    assert check(TILES, max_pool2d_backward=None).verdicts[0].details == ()


def by_hand(judged, patience, **functions):
    """The details of the fault of one property, in a check that has some patience left for pairs of mistakes."""
    session = Session(PRACTICE, RIGHT | functions, CATALOGUE)
    session.patience = patience
    with pytest.raises(Fault) as caught:
        judged.judge(session)
    return caught.value.misconceptions, session.patience


BOTH_WRONG = {"max_pool2d": learners.zero_padded, "max_pool2d_backward": learners.overwriting}


def test_pairs_of_mistakes_are_tried_while_there_is_patience():
    names, left = by_hand(BORDERS, 1000, **BOTH_WRONG)
    assert set(names) == {"max_zero_pad", "max_overwrite"}
    assert 0 < left < 1000


def test_without_patience_only_a_single_mistake_is_named_that_fits_the_smallest_case():
    assert by_hand(BORDERS, 0, **BOTH_WRONG) == (("max_zero_pad",), 0)


def test_a_single_mistake_needs_no_patience():
    assert by_hand(OVERLAP, 0, max_pool2d_backward=learners.overwriting) == (("max_overwrite",), 0)


def test_a_mistake_that_other_arrays_rule_out_is_not_named():
    # Zeros in the padding explain this gradient, but not the output that stands beside it.
    padded_backward_only = replace(BORDERS, beside=(FORWARD,), cases=BORDERS.cases[:1])

    def forward(x, kernel_size, stride, padding):
        y, _ = learners.max_pool2d(x, kernel_size, stride, padding)
        return y, learners.zero_padded(x, kernel_size, stride, padding)[1]

    assert by_hand(padded_backward_only, 0, max_pool2d=forward) == (("max_zero_pad",), 0)
    alone = replace(PRACTICE, misconceptions=("max_tie_last",))
    session = Session(alone, RIGHT | {"max_pool2d": forward}, CATALOGUE)
    with pytest.raises(Fault) as caught:
        padded_backward_only.judge(session)
    assert caught.value.misconceptions == ()


def test_an_array_is_called_by_its_name():
    named = replace(TILES, array="grad_input")
    message = check(named, max_pool2d_backward=lambda g, cache: learners.max_pool2d_backward(g, cache) + 1)
    assert message.verdicts[0].message.startswith("wrong value: element (0, 0, 0, 0) of grad_input is 1")
