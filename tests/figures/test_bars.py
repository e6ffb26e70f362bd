"""Bars: their lengths, their text, and what they refuse."""

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib import figures


def lengths(*arguments, **named):
    """The length of every bar."""
    artists = figures.bars(*arguments, **named, ax=Figure().add_subplot())
    return [artist.get_width() for artist in artists if isinstance(artist, Rectangle)]


def test_bars_are_as_long_as_their_numbers():
    first, second = lengths({"max": 0.25, "average": 1.0})
    assert first == pytest.approx(second / 4)


def test_bars_leave_room_for_the_mark():
    (only,) = lengths({"max": 1.0}, mark=2)
    (alone,) = lengths({"max": 1.0})
    assert only == pytest.approx(alone / 2)


def test_bars_of_several_series_differ_in_more_than_colour():
    artists = figures.bars({"S1": {"ours": 2.0, "theirs": 1.0}}, ax=Figure().add_subplot())
    hatches = {artist.get_hatch() for artist in artists if isinstance(artist, Rectangle)}
    assert len(hatches) == 2


def test_bars_text_holds_every_number():
    text = figures.bars({"S1": {"ours": 2.0, "theirs": 1.0}}, "time", unit="ms", mark=3).text
    assert text == "time:\n  S1: ours 2 ms, theirs 1 ms\n  To compare with: 3 ms."


@pytest.mark.parametrize("values", [{}, {"a": -1.0}, {"a": float("nan")}, {"a": {"x": 1.0}, "b": {"y": 1.0}}])
def test_bars_refuse_what_cannot_be_drawn(values):
    with pytest.raises(ValueError, match="must"):
        figures.bars(values)
