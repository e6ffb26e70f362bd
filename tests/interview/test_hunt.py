"""Bug hunts: each fault shows, each mend is right, and what a hunter types is judged."""

import re

import numpy as np
import pytest

from course_lib.exercises.display import COLOURS, OPEN, PASSED, WRONG
from course_lib.interview import hunt, journal
from course_lib.interview.hunt import hunts, parse
from course_lib.interview.hunting import mending, operations
from course_lib.interview.hunting.game import Game
from course_lib.interview.hunting.operations import OPERATIONS, agrees, differing
from course_lib.interview.hunting.planted import CHOICES, misconceptions
from course_lib.interview.hunting.search import exposing
from course_lib.workspace import CourseError
from tests.interview.test_command import drill

PLANTED = [entry.variant(seed) for entry in hunts() for seed in range(len(entry.faults))]
EVERY = pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: f"{planted.hunt.name}-{planted.seed}")
SAVED = ["5", "2 1 1", ""]


def found(name):
    """The hunt with a name, as it is played first."""
    return next(planted for planted in PLANTED if planted.hunt.name == name and planted.seed == 0)


def won(name):
    """What names and mends it."""
    planted = found(name)
    return [str(planted.answer), str(planted.line), planted.mended]


@EVERY
def test_smallest_input_is_found_by_search_and_none_is_smaller(planted):
    fewest = len(planted.operation.arrays)
    smaller = [exposing(planted.operation, planted.code, size) for size in range(fewest, planted.smallest)]
    assert smaller == [None] * (planted.smallest - fewest)
    assert planted.case is not None


@EVERY
def test_right_code_is_right_and_the_fault_shows_in_hidden_cases(planted):
    cases = list(planted.operation.cases(planted.seed))
    assert [agrees(planted.operation, planted.right, case) for case in cases] == [True] * len(cases)
    assert not all(agrees(planted.operation, planted.code, case) for case in cases)


@EVERY
def test_fault_passes_the_usual_test(planted):
    # Tiles of different numbers, one plane; a convolution of ones: the reason why such faults are found in real code.
    x = np.random.default_rng(0).permutation(16.0 + np.arange(16)).reshape(1, 1, 4, 4)
    usual = {"x": x, "kernel_size": 2, "stride": 2, "padding": 0, "grad_output": np.array([[[[1.0, 2], [4, 8]]]])}
    if planted.operation.kind == "convolution":
        usual = {"x": np.ones((1, 1, 4, 4)), "weight": np.ones((1, 1, 1, 1)), "stride": 1, "padding": 0, "groups": 1}
        usual = {name: usual[name] for name in (*planted.operation.arrays, *planted.operation.geometry)}
        usual["grad_output"] = np.ones((1, 1, 4, 4))
    assert agrees(planted.operation, planted.code, usual)


@pytest.mark.parametrize("entry", hunts(), ids=lambda entry: entry.name)
def test_variants_differ_in_names_and_choices_and_are_right(entry):
    variants = [entry.variant(seed) for seed in range(12)]
    assert len({planted.right for planted in variants}) > 1
    assert len({planted.answer for planted in variants}) > 2
    case = next(variants[0].operation.cases(0))
    assert all(agrees(planted.operation, planted.right, case) for planted in variants)
    assert not any(planted.wrong == planted.mended for planted in variants)


def test_variant_is_the_same_for_the_same_seed():
    assert hunts()[0].variant(5) == hunts()[0].variant(5)


@pytest.mark.parametrize("kind", ["max", "average", "convolution"])
def test_misconceptions_are_different_and_enough_to_choose_from(kind):
    assert len(set(misconceptions(kind))) == len(misconceptions(kind)) >= CHOICES


def test_convolutions_are_hunted_too():
    assert sum(OPERATIONS[entry.operation].kind == "convolution" for entry in hunts()) >= 5


def test_hunt_is_won_with_the_smallest_input_the_name_and_the_right_line(work, candidate):
    desk = candidate(*SAVED, *won("saved-places"))
    assert drill(desk, "--hunt", "saved-places") == 0
    assert "Your input has 1 element. None smaller is known." in desk.said
    assert "That is it." in desk.said
    assert "Mended." in desk.said
    assert journal.read()[0][0].rating == 4


def test_hunt_of_a_convolution_asks_for_the_weight(work, candidate):
    desk = candidate("3", "5 7", "1 1", "", *won("turned-around"))
    drill(desk, "--hunt", "turned-around")
    assert "weight: " in desk.prompts and "stride, padding: " in desk.prompts
    assert "Your input has 3 elements. None smaller is known." in desk.said
    assert journal.read()[0][0].rating == 4


def test_hunt_counts_a_larger_input_less_and_shows_a_smaller(work, candidate):
    desk = candidate("1 9 2; 3 4 5", "2, 1, 0", "2 3", *won("saved-places"))
    drill(desk, "--hunt", "saved-places")
    assert "Your input has 6 elements. One of 1 would do." in desk.said
    assert desk.said[-1] == "This exposes it: x [[[[-2.0]]]], kernel_size=2, stride=1, padding=1."
    assert journal.read()[0][0].rating == 3


def test_hunt_counts_a_wrong_name_and_says_the_right_one(work, candidate):
    number, *rest = won("saved-places")
    desk = candidate(*SAVED, str(int(number) % CHOICES + 1), *rest)
    drill(desk, "--hunt", "saved-places")
    assert "No. It is this: Gradients that meet at one element are written, and not added." in desk.said
    assert journal.read()[0][0].rating == 3


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (["1 2; 3 4", "2 2 0", ""], "Right and wrong code give the same there. Another input, please."),
        (["1 2; 3"], "All rows must have the same length|That is no array of numbers"),
        (["a b"], "That is no array of numbers"),
        (["5", "2 1"], "Three whole numbers, please, as 2 1 0."),
        (["5", "2 0 0"], "stride must be"),
        (["nan"], "Numbers must be finite, and from -1,000,000 to 1,000,000."),
        (["5", "2 1 1", "1 inf; 1 1"], "Numbers must be finite"),
        (["5", "99999999 1 50000000"], "kernel_size must be at most 10; got kernel_size=99999999."),
        ([" ".join("1" * 401), "1 1 0"], "The arrays may have at most 400 elements together."),
        ([" ".join("1" * 400), "2 1 1"], r"The output may have at most 500 elements; its shape is"),
        (["5", "2 1 1", "1 2"], r"The upstream gradient must have shape \(1, 1, 2, 2\); got \(1, 1, 1, 2\)\."),
    ],
)
def test_hunt_says_what_is_wrong_with_an_input_and_asks_again(work, candidate, typed, answer):
    desk = candidate(*typed, "")
    drill(desk, "--hunt", "saved-places")
    assert re.search(answer, desk.heard())
    assert journal.read()[0][0].rating == 1


def test_equal_nan_is_no_difference():
    gradients = (np.array([np.nan, 1.0]),)
    assert differing(OPERATIONS["max"], gradients, gradients) == ()
    assert differing(OPERATIONS["max"], gradients, (np.array([0.0, 1.0]),)) == ("grad_input",)


def test_expose_takes_no_want_of_memory_for_the_fault(monkeypatch):
    game = Game(found("saved-places"))
    case = game.case({"x": np.ones((1, 1, 1, 1))}, {"kernel_size": 2, "stride": 1, "padding": 1})
    monkeypatch.setattr(game.planted.operation.__class__, "right", lambda self, case: (np.zeros((1, 1, 1, 1)),))
    monkeypatch.setattr(operations, "_backward_of", lambda code: lambda **case: np.ones(2**50))
    assert game.expose(case) == ["There is not enough memory for this input. A smaller one, please."]
    assert game.size is None


def test_hunt_refuses_a_line_that_does_not_mend(work, candidate):
    desk = candidate(*SAVED, won("saved-places")[0], "99", "6", "    pass", "6", "pass", "")
    drill(desk, "--hunt", "saved-places")
    assert desk.said.count("It is still wrong about some input.") == 2
    assert "A number from 1 to 7, please." in desk.said
    assert journal.read()[0][0].rating == 2


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "An empty line mends nothing. Write what should stand there."),
        ("np.add.at(dx, (", "That is no Python: '(' was never closed."),
        ("return nothing", "It raises NameError: name 'nothing' is not defined."),
        ("raise SystemExit", "It raises SystemExit."),
        ("import os; os._exit(0)", "Your line ended the process that was to try it."),
    ],
)
def test_mend_says_what_happened_and_goes_on(work, candidate, typed, answer):
    number, *rest = won("saved-places")
    desk = candidate(*SAVED, number, "6", typed, *rest)
    assert drill(desk, "--hunt", "saved-places") == 0
    assert answer in desk.said
    assert journal.read()[0][0].rating == 4


def test_mend_that_never_ends_is_stopped():
    said = mending.apart(found("saved-places"), 6, "    while True: pass", seconds=1)
    assert said == "Your line was still running after 1 s, and was stopped."


@pytest.mark.parametrize("planted", PLANTED[:3])
def test_mend_takes_the_right_line_and_refuses_the_wrong_one(planted):
    assert mending.apart(planted, planted.line, planted.mended) == ""
    assert mending.apart(planted, planted.line, planted.wrong) == "It is still wrong about some input."


def test_mend_leaves_out_the_indent(work, candidate):
    number, line, text = won("saved-places")
    drill(candidate(*SAVED, number, line, text.strip()), "--hunt", "saved-places")
    assert journal.read()[0][0].rating == 4


def test_hunt_takes_the_one_that_was_played_least(work, candidate):
    for entry in hunts()[:3]:
        drill(candidate(""), "--hunt")
        assert journal.read()[0][-1].question == f"hunt {entry.name}"


def test_hunt_plants_another_fault_each_time(work, candidate):
    for seed in range(3):
        drill(candidate(""), "--hunt", "saved-places")
        assert journal.read()[0][-1].seed == seed


def test_hunt_takes_the_seed_of_the_command(work, candidate):
    drill(candidate(""), "--hunt", "saved-places", "--seed", "7")
    assert journal.read()[0][-1].seed == 7


def test_hunt_keeps_what_was_typed_when_it_is_broken_off(work, candidate):
    drill(candidate("5", KeyboardInterrupt(), unfinished="2 1"), "--hunt")
    assert journal.read()[0][0].lines == ["5", "2 1"]


def test_hunt_goes_on_from_what_was_exposed_and_named(work, candidate):
    number, *rest = won("saved-places")
    drill(candidate(*SAVED, KeyboardInterrupt()), "--hunt", "saved-places")
    desk = candidate("", number, KeyboardInterrupt())
    drill(desk, "--hunt")
    assert 'You broke off at "A bug hunt: saved-places"' in desk.said
    assert "You have exposed it, with 1 element." in desk.said
    desk = candidate("", *rest)
    drill(desk, "--hunt")
    assert "You have named it." in desk.said
    (attempt,) = journal.read()[0]
    assert attempt.rating == 4


def test_hunt_that_is_not_gone_on_with_is_dropped(work, candidate):
    drill(candidate(KeyboardInterrupt()), "--hunt")
    drill(candidate("n", ""), "--hunt")
    first, second = journal.read()[0]
    assert first.dropped and second.question == f"hunt {hunts()[1].name}"


def test_parse_reads_rows_channels_and_samples():
    np.testing.assert_array_equal(parse("1 2; 3 4 | 5 6; 7 8"), np.arange(1.0, 9).reshape(1, 2, 2, 2))
    np.testing.assert_array_equal(parse("-1 || 2.5"), np.array([[[[-1.0]]], [[[2.5]]]]))


class TestNotebook:
    """A hunt in a notebook."""

    def test_start_shows_the_code_and_what_to_do(self, work):
        text = repr(hunt.start("saved-places", seed=0))
        assert found("saved-places").code.split("\n")[5] in text
        assert ".expose(x, kernel_size=…, stride=…, padding=…)" in text
        assert "white-space:pre;overflow-x:auto" in hunt.start("saved-places", seed=0)._repr_html_()

    def test_hunt_is_won_with_arrays(self, work):
        planted, hunter = found("saved-places"), hunt.start("saved-places", seed=0)
        assert "Exposed." in repr(hunter.expose(np.full((1, 1, 1, 1), 5), kernel_size=2, stride=1, padding=1))
        assert "That is it." in repr(hunter.name(planted.answer))
        assert repr(hunter.mend(planted.line, planted.mended.strip())).startswith("Mended.")
        assert journal.read()[0][0].rating == 4
        assert repr(hunter.give_up()).startswith("This hunt is over.")

    def test_moves_are_made_in_their_order(self, work):
        hunter = hunt.start("saved-places", seed=0)
        assert repr(hunter.name(1)).startswith("Find the smallest input")
        assert repr(hunter.mend(6, "pass")).startswith("Find the smallest input")
        hunter.expose([[[[5]]]], kernel_size=2, stride=1, padding=1)
        assert repr(hunter.mend(6, "pass")).startswith("Name it")

    @pytest.mark.parametrize(
        ("arrays", "geometry", "answer"),
        [
            (([[1, 2]],), (2, 1, 1), "An array must have four axes and an element; got shape (1, 2)."),
            (([[1], [1, 2]],), (2, 1, 1), "That is no array of numbers."),
            ((), (2, 1, 1), ".expose(x, kernel_size=…"),
            (([[[[1.0]]]],), (2, 0, 1), "stride must be"),
            (([[[[np.nan]]]],), (2, 1, 1), "Numbers must be finite"),
            (([[[[10**400]]]],), (2, 1, 1), "That is no array of numbers."),
            (([[[[1.0]]]],), ((2, 2), 1, 1), "kernel_size must be a whole number; got kernel_size=(2, 2)."),
        ],
    )
    def test_expose_says_what_is_wrong_with_an_input(self, work, arrays, geometry, answer):
        numbers = dict(zip(("kernel_size", "stride", "padding"), geometry, strict=True))
        assert repr(hunt.start("saved-places").expose(*arrays, **numbers)).startswith(answer)

    def test_start_goes_on_with_what_was_broken_off(self, work):
        hunt.start("saved-places", seed=2).expose([[[[5]]]], kernel_size=1, stride=1, padding=0)
        hunt.start()
        (attempt,) = journal.read()[0]
        assert attempt.seed == 2
        assert attempt.lines == ["expose ([[[[5]]]],) None {'kernel_size': 1, 'stride': 1, 'padding': 0}"]

    def test_start_goes_on_from_what_was_exposed_and_named(self, work):
        planted, hunter = found("saved-places"), hunt.start("saved-places", seed=0)
        hunter.expose([[[[5]]]], kernel_size=2, stride=1, padding=1)
        assert "You have exposed it, with 1 element." in repr(hunt.start())
        hunter.name(planted.answer)
        hunt.start().mend(planted.line, planted.mended)
        (attempt,) = journal.read()[0]
        assert attempt.rating == 4

    def test_give_up_shows_what_was_wrong(self, work):
        said = repr(hunt.start("turned-around", seed=0).give_up())
        assert "Line 8 should be:\n      " in said and "This exposes it: x " in said
        assert journal.read()[0][0].rating == 1

    def test_each_move_is_a_card_with_a_bar_of_its_verdict(self, work):
        planted, hunter = found("saved-places"), hunt.start("saved-places", seed=0)
        geometry = {"kernel_size": 2, "stride": 1, "padding": 1}
        moves = [
            (hunter, OPEN),
            (hunter.expose([[[[np.nan]]]], **geometry), OPEN),
            (hunter.expose([[[[5]]]], **{**geometry, "kernel_size": 1, "padding": 0}), WRONG),
            (hunter.expose([[[[5]]]], **geometry), PASSED),
            (hunter.name(planted.answer), PASSED),
            (hunter.mend(6, "pass < 1"), WRONG),
            (hunter.mend(planted.line, planted.mended), PASSED),
        ]
        for said, mark in moves:
            assert said._repr_html_().startswith(f'<div style="border-left:4px solid {COLOURS[mark]}')
        assert planted.mended.strip() in moves[-1][0]._repr_html_()

    def test_start_refuses_a_name_that_there_is_not(self, work):
        with pytest.raises(CourseError, match="There is no hunt 'no-such'. They are saved-places"):
            hunt.start("no-such")
