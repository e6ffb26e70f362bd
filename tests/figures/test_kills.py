"""A kill matrix: crosses, shares and text."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from course_lib import figures

KILLED = np.array([[True, False, False], [True, True, False]])
NAMES = ["= for +=", "mask"], ["tiles", "overlap", "ties"]


@pytest.fixture
def texts():
    """The words of a matrix and where they stand."""
    artists = figures.kill_matrix(KILLED, *NAMES, ax=Figure().add_subplot())
    return [artist for artist in artists if isinstance(artist, Text)]


def test_kill_matrix_has_a_cross_for_each_refusal(texts):
    crosses = np.array([text.get_position() for text in texts if text.get_text() == "×"])
    np.testing.assert_allclose(crosses - crosses[0], [(0, 0), (0, 1), (1, 1)], atol=1e-9)


def test_kill_matrix_gives_the_share_of_each_test(texts):
    assert [text.get_text() for text in texts if text.get_text().endswith("%")] == ["100%", "50%", "0%"]


def test_kill_matrix_text_says_who_refuses_whom():
    assert figures.kill_matrix(KILLED, *NAMES, "kills").text == (
        "kills, 2 wrong implementations, 3 tests:\n"
        "  = for +=: refused by tiles.\n"
        "  mask: refused by tiles, overlap.\n"
        "  Refused: tiles 100%, overlap 50%, ties 0%."
    )


def test_kill_matrix_says_when_no_test_refuses():
    assert "mask: refused by no test." in figures.kill_matrix([[False]], ["mask"], ["tiles"]).text


def test_kill_matrix_refuses_another_shape():
    with pytest.raises(ValueError, match=r"got shape \(2, 3\), 2 implementations, 2 tests"):
        figures.kill_matrix(KILLED, NAMES[0], NAMES[1][:2])
