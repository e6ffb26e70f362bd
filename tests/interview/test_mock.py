"""The mock interview: which questions, for how long, and what the report says."""

import pytest

from course_lib.interview import coding, journal, questions
from course_lib.interview.mixing import practical
from course_lib.interview.mock import mixed, report
from tests.interview.test_command import drill

ENTER = [""] * 4


def answered(question, *numbers, seconds=50):
    """A question with an attempt at which these points were ticked."""
    return question, journal.Attempt("key", question.name, ticked=numbers, seconds=seconds, rating=1)


@pytest.mark.parametrize("seed", range(5))
def test_mixed_has_every_question_once_and_every_topic_in_a_turn(seed):
    found = mixed(questions(), seed)
    topics = {question.topic for question in questions()}
    assert sorted(question.name for question in found) == sorted(question.name for question in questions())
    assert {question.topic for question in found[: len(topics)]} == topics


def test_mixed_is_another_for_another_seed_and_the_same_for_the_same():
    first, again, other = (mixed(questions(), seed) for seed in (1, 1, 2))
    assert first == again != other


def test_mock_ends_when_the_time_is_over(work, candidate):
    # So short that neither a coding task nor a hunt has a place in it.
    desk = candidate(*[("", 3 * 60), "", "", ""] * 3)
    assert drill(desk, "--mock", "9", "--seed", "1") == 0
    assert [attempt.rating for attempt in journal.read()[0]] == [1, 1, 1]
    assert "3 questions answered." in desk.said
    assert "3 of 3 answers took more than a minute." in desk.said


def test_mock_has_a_coding_task_and_a_hunt_between_the_questions(work, candidate):
    desk = candidate(*[("", 11 * 60), "", "", ""], ("q", 4 * 60), "", *[("", 6 * 60), "", "", ""], "", *[("", 20 * 60)])
    assert drill(desk, "--mock", "30", "--seed", "1") == 0
    first, code, second, hunted, *_ = [attempt.question for attempt in journal.read()[0]]
    assert code.startswith("code ") and hunted.startswith("hunt ")
    assert not first.startswith(("code", "hunt")) and not second.startswith(("code", "hunt"))
    title = coding.find(code.removeprefix("code ")).title
    assert f"{title}: does not pass, after 4 minutes." in desk.said
    assert f"A bug hunt: {hunted.removeprefix('hunt ')}: not exposed." in desk.said


def test_mock_leaves_out_what_has_no_time_left(work, candidate):
    desk = candidate(*[("", 26 * 60), "", "", ""], *[("", 5 * 60), "", "", ""])
    drill(desk, "--mock", "30", "--seed", "1")
    assert "2 questions answered." in desk.said
    assert not [attempt for attempt in journal.read()[0] if attempt.question.startswith(("code", "hunt"))]


@pytest.mark.parametrize("seed", range(5))
def test_practical_part_fits_into_a_third_of_the_time(candidate, seed):
    found = practical(candidate(), seed, 30)
    assert [one.name.split()[0] for one in found] == ["code", "hunt"]
    assert all(one.minutes <= 10 for one in found)
    assert not practical(candidate(), seed, 9)


def test_mock_of_one_topic_has_a_coding_task_of_that_topic_or_none(work, candidate):
    desk = candidate(*[("", 11 * 60), "", "", ""] * 3)
    drill(desk, "--mock", "30", "--seed", "1", "--topic", "multimodal")
    assert not [attempt for attempt in journal.read()[0] if attempt.question.startswith(("code", "hunt"))]


def test_mock_reports_although_it_is_broken_off(work, candidate):
    desk = candidate(*ENTER, "a line", KeyboardInterrupt())
    assert drill(desk, "--mock", "--seed", "1") == 130
    assert "1 question answered." in desk.said
    assert journal.read()[0][1].lines == ["a line"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [(("a line",), "Broken off after 1 line: "), (("a line", ""), "Answered, not ticked: "), (("", "0"), "Weak: ")],
)
def test_mock_reports_the_question_in_hand_as_far_as_it_went(work, candidate, typed, said):
    desk = candidate(*typed, KeyboardInterrupt())
    drill(desk, "--mock", "--seed", "1")
    asked = {question.name: question.ask for question in questions()}[journal.read()[0][-1].question]
    assert said + asked in desk.said


def test_mock_reports_the_task_in_hand(work, candidate):
    desk = candidate(*[("", 11 * 60), "", "", ""], KeyboardInterrupt())
    assert drill(desk, "--mock", "30", "--seed", "1") == 130
    title = coding.find(journal.read()[0][-1].question.removeprefix("code ")).title
    assert f"{title}: broken off." in desk.said


def test_report_of_nothing_says_so():
    assert report([]) == ["No question was answered, so there is nothing to report."]


def test_report_tells_strong_from_weak_and_what_to_read(question):
    other = next(other for other in questions() if other.chapter != question.chapter and other.exercise)
    lines = report([answered(question, 1, 2, 3, 4), answered(other, 1, seconds=61)])
    assert f"Strong, every point of must was said: {question.ask}" in lines
    assert f"Weak: {other.ask}" in lines
    assert "  not said: " + "; ".join(point.text for point in other.graded("must")[1:]) in lines
    assert f"Read chapter {other.chapter}." in lines
    assert f"Do exercise {other.exercise}." in lines
    assert lines[-1] == "1 of 2 answers took more than a minute."


def test_report_counts_the_points_of_each_row(question):
    lines = report([answered(question, 1, 2, 5, 8, 9)])
    assert lines[1:4] == [
        "  must         2 of 4 points",
        "  good         1 of 3 points",
        "  excellent    2 of 3 points",
    ]
