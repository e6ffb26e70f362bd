"""Bug hunts: each fault shows, each mend is right, and what a hunter types is judged."""

import re

import numpy as np
import pytest

from course_lib.interview import journal
from course_lib.interview.hunt import agrees, cases, hunts, parse
from tests.interview.test_command import drill

EVERY = pytest.mark.parametrize("hunt", hunts(), ids=lambda hunt: hunt.name)
SAVED = ["5", "2 1 1", ""]


@EVERY
def test_smallest_input_exposes_the_fault(hunt):
    assert not agrees(hunt, hunt.code, hunt.case())


@EVERY
def test_mended_code_is_right_everywhere(hunt):
    code = hunt.with_line(hunt.line, hunt.mended)
    assert [agrees(hunt, code, case) for case in cases(hunt)] == [True] * 6


@EVERY
def test_no_other_line_is_touched_by_the_mend(hunt):
    before, after = hunt.code.strip("\n").split("\n"), hunt.with_line(hunt.line, hunt.mended).split("\n")
    assert [number for number, pair in enumerate(zip(before, after, strict=True), 1) if len(set(pair)) > 1] == [
        hunt.line
    ]


@EVERY
def test_fault_passes_the_usual_test(hunt):
    # Tiles of different numbers, one plane: the reason why each of these faults is found in real code.
    x = np.random.default_rng(0).permutation(16.0 + np.arange(16)).reshape(1, 1, 4, 4)
    upstream = np.array([[[[1.0, 2], [4, 8]]]])
    assert agrees(hunt, hunt.code, {"x": x, "grad_output": upstream, "kernel_size": 2, "stride": 2, "padding": 0})


def test_hunt_is_won_with_the_smallest_input_and_the_right_line(work, candidate):
    (hunt,) = [hunt for hunt in hunts() if hunt.name == "saved-places"]
    desk = candidate(*SAVED, str(hunt.line), hunt.mended)
    assert drill(desk, "--hunt", "saved-places") == 0
    assert "Your input has 1 element. None smaller is known." in desk.said
    assert "Mended." in desk.said
    assert journal.read()[0][0].rating == 4


def test_hunt_counts_a_larger_input_less(work, candidate):
    (hunt,) = [hunt for hunt in hunts() if hunt.name == "saved-places"]
    desk = candidate("1 9 2; 3 4 5", "2, 1, 0", "2 3", str(hunt.line), hunt.mended)
    drill(desk, "--hunt", "saved-places")
    assert "Your input has 6 elements. One of 1 would do." in desk.said
    assert journal.read()[0][0].rating == 3


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (["1 2; 3 4", "2 2 0", ""], "Right and wrong code give the same there. Another input, please."),
        (["1 2; 3"], "All rows must have the same length|That is no array of numbers"),
        (["a b"], "That is no array of numbers"),
        (["5", "2 1"], "Three whole numbers, please, as 2 1 0."),
        (["5", "2 0 0"], "stride must be"),
        (["5", "2 1 1", "1 2"], r"The upstream gradient must have shape \(1, 1, 2, 2\); got \(1, 1, 1, 2\)\."),
    ],
)
def test_hunt_says_what_is_wrong_with_an_input_and_asks_again(work, candidate, typed, answer):
    desk = candidate(*typed, "")
    drill(desk, "--hunt", "saved-places")
    assert re.search(answer, desk.heard())
    assert journal.read()[0][0].rating == 1


def test_hunt_refuses_a_line_that_does_not_mend(work, candidate):
    desk = candidate(*SAVED, "99", "6", "    pass", "6", "    (", "")
    drill(desk, "--hunt", "saved-places")
    assert desk.said.count("It is still wrong about some input.") == 2
    assert "A number from 1 to 7, please." in desk.said
    assert journal.read()[0][0].rating == 2


def test_hunt_takes_the_one_that_was_played_least(work, candidate):
    for hunt in hunts()[:3]:
        drill(candidate(""), "--hunt")
        assert journal.read()[0][-1].question == f"hunt {hunt.name}"


def test_hunt_keeps_what_was_typed_when_it_is_broken_off(work, candidate):
    drill(candidate("5", KeyboardInterrupt()), "--hunt")
    assert journal.read()[0][0].lines == ["5"]


def test_parse_reads_rows_channels_and_samples():
    np.testing.assert_array_equal(parse("1 2; 3 4 | 5 6; 7 8"), np.arange(1.0, 9).reshape(1, 2, 2, 2))
    np.testing.assert_array_equal(parse("-1 || 2.5"), np.array([[[[-1.0]]], [[[2.5]]]]))
