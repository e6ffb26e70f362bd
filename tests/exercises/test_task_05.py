"""The task of chapter 05: ties under two rules."""

import numpy as np
import pytest

from course_lib import routing
from course_lib.exercises import check
from course_lib.exercises.registry import find

TIED = np.array([[2.0, 6, 6, 1], [6, 3, 6, 6]])[None, None]
SENT = np.array([[2.0, 6, 3]])[None, None]
FIRST, SPLIT = [[0, 8, 3, 0], [0, 0, 0, 0]], [[0, 3, 3, 0], [1, 0, 3, 1]]
MASK, LAST = [[0, 8, 9, 0], [2, 0, 9, 3]], [[0, 0, 0, 0], [2, 0, 6, 3]]


def plain(shown):
    """Text without its line breaks."""
    return " ".join(repr(shown).split())


def test_right_answers_get_all_points():
    result = check("05", first_gradient=FIRST, split_gradient=SPLIT, again="b")
    assert result.passed
    assert result.points == result.max_points == 5


@pytest.mark.parametrize(("rule", "gradient"), [("first", FIRST), ("split", SPLIT), ("last", LAST)])
def test_gradients_by_hand_are_those_of_the_library(rule, gradient):
    routes = routing.max_routes(TIED, 2, stride=1, ties=rule)
    np.testing.assert_array_equal(routes.backward(SENT)[0, 0], gradient)


@pytest.mark.parametrize(
    ("answer", "mistake", "sentence"),
    [
        ({"first_gradient": SPLIT}, "max_tie_split", "here the first one wins"),
        ({"first_gradient": LAST}, "max_tie_last", "as a scan with >= finds it"),
        ({"first_gradient": MASK}, "max_eqmask", "Your elements sum to 31"),
        ({"first_gradient": [[0, 6, 3, 0], [0, 0, 0, 0]]}, "max_overwrite", "Here it wins 2 windows"),
        ({"split_gradient": FIRST}, "split_first", "The first of the tied elements gets everything."),
        ({"split_gradient": LAST}, "split_last", "The last of the tied elements gets everything."),
        ({"split_gradient": MASK}, "split_mask", "Divide by the number of those that tie."),
        ({"split_gradient": [[0.5, 2, 2.25, 0.75], [0.5, 2, 2.25, 0.75]]}, "split_among_all", "as in average pooling"),
        ({"split_gradient": [[0, 2, 1, 0], [1, 0, 1, 1]]}, "split_overwrite", "gets the sum: add"),
        ({"again": "a"}, "any_search_finds_it", "at a tie another rule finds another element"),
        ({"again": "c"}, "winner_must_be_saved", "compare the same way every time"),
        ({"again": "d"}, "sign_decides", "The sign plays no part"),
    ],
)
def test_mistake_is_refused_and_named(answer, mistake, sentence):
    result = check("05", **answer)
    assert result.points == 0
    assert mistake in result.misconceptions
    assert sentence in plain(result)


def test_right_option_is_not_told():
    assert find("05").answer("again").options["b"].text not in repr(check("05", again="a"))
