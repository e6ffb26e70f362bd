"""What comes next, and when."""

from datetime import UTC, datetime, timedelta

import pytest

from course_lib.interview import questions, schedule
from course_lib.interview.journal import Attempt

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def rated(name, rating, days=0):
    """An attempt that was rated some days ago."""
    return Attempt("key", name, rating=rating, time=NOW - days * DAY)


def names(found):
    return [question.name for question in found]


@pytest.fixture
def without(monkeypatch):
    """No fsrs."""
    monkeypatch.setattr(schedule, "fsrs", None)


def test_due_is_later_the_better_the_rating():
    pytest.importorskip("fsrs")
    days = [schedule.due([rated("a", rating)])["a"] for rating in (1, 3, 4)]
    assert NOW < days[0] <= days[1] < days[2]


def test_due_grows_with_every_good_rating():
    pytest.importorskip("fsrs")
    days, now = [], NOW
    attempts = []
    for _ in range(5):
        attempts.append(Attempt("key", "a", rating=3, time=now))
        days.append(schedule.due(attempts)["a"] - now)
        now = schedule.due(attempts)["a"]
    assert days == sorted(days) and days[-1] > 30 * DAY


def test_due_is_the_same_whenever_it_is_counted():
    attempts = [rated("a", 3, 9), rated("a", 2, 5), rated("b", 1, 3)]
    assert schedule.due(attempts) == schedule.due(attempts[::-1])


def test_due_leaves_out_what_was_not_rated():
    assert schedule.due([Attempt("key", "a")]) == {}


def test_order_begins_with_what_has_been_due_longest():
    pytest.importorskip("fsrs")
    attempts = [rated("tie-gradient", 1, 9), rated("max-route", 1, 5), rated("im2col", 4, 0)]
    found = names(schedule.order(questions(), attempts, NOW))
    assert found[:2] == ["tie-gradient", "max-route"]
    assert "im2col" not in found
    assert len(found) == len(questions()) - 1


def test_order_mixes_the_topics_of_new_questions_and_begins_with_easy_ones():
    found = schedule.order(questions(), [], NOW)
    levels = [question.level for question in found]
    assert levels == sorted(levels)
    easy = {question.topic for question in questions() if question.level == 1}
    assert {question.topic for question in found[: len(easy)]} == easy


def test_order_without_the_library_has_new_ones_first_then_the_oldest(without):
    attempts = [rated("tie-gradient", 4, 9), rated("max-route", 4, 1)]
    found = names(schedule.order(questions(), attempts, NOW))
    assert found[-2:] == ["tie-gradient", "max-route"]
    assert len(found) == len(questions())


@pytest.mark.parametrize(
    ("numbers", "rating"),
    [((), 1), ((1, 2, 3), 1), ((5, 6, 7, 8), 1), ((1, 2, 3, 4), 2), ((1, 2, 3, 4, 5), 2), ((1, 2, 3, 4, 5, 6), 3),
     ((1, 2, 3, 4, 5, 6, 7), 3), (range(1, 9), 4), ((1, 2, 3, 4, 5, 6, 8), 3)],
)  # fmt: skip
def test_suggested_follows_the_rows_of_the_rubric(question, numbers, rating):
    assert schedule.suggested(question, [question.points[number - 1] for number in numbers]) == rating


@pytest.mark.parametrize(
    ("time", "words"),
    [({"seconds": -9}, "now"), ({"minutes": 1}, "in 1 minute"), ({"minutes": 59}, "in 59 minutes"),
     ({"hours": 1}, "in 1 hour"), ({"hours": 47}, "in 1 day"), ({"days": 30}, "in 30 days")],
)  # fmt: skip
def test_in_words_takes_the_largest_unit(time, words):
    assert schedule.in_words(NOW + timedelta(**time), NOW) == words
