"""A question from its asking to its rating, and what is left when it is broken off."""

import pytest

from course_lib.interview import journal, questions
from course_lib.interview.drill import PLAIN, ask, choose

STEPS = ["Each sample and channel.", "", "", "It adds them.", "", ""]


def asked(desk, question, attempt=None, earlier=()):
    """An attempt at the question."""
    attempt = attempt or journal.begin(question.name)
    ask(desk, question, attempt, earlier)
    return attempt


def test_ask_keeps_what_was_typed_ticked_and_rated(work, candidate, question):
    attempt = asked(candidate("one line", "two", "", "1 3, 4", "so", "", "2"), question)
    assert journal.read()[0] == [attempt]
    assert (attempt.lines, attempt.ticked, attempt.follow_up_lines, attempt.rating) == (
        ["one line", "two"], (1, 3, 4), ["so"], 2
    )  # fmt: skip


def test_ask_shows_the_model_answer_after_the_follow_up_and_not_before(work, candidate, question):
    desk = candidate(*STEPS)
    asked(desk, question)
    places = [desk.said.index(text) for text in (question.ask, "The interviewer goes on:", question.answer)]
    assert places == sorted(places)


def test_ask_marks_the_points_that_it_heard(work, candidate, question):
    desk = candidate(*STEPS)
    attempt = asked(desk, question)
    assert "    1 [x] each sample and channel by itself  (heard: sample … channel)" in desk.said
    assert "    4 [ ] gradients of several windows are added" in desk.said
    assert attempt.ticked == (1,)


@pytest.mark.parametrize(("typed", "ticked"), [("", (1,)), ("0", ()), ("4, 2;2", (2, 4)), ("10", (10,))])
def test_ask_lets_the_candidate_decide(work, candidate, question, typed, ticked):
    assert asked(candidate(*STEPS[:2], typed, "", ""), question).ticked == ticked


@pytest.mark.parametrize("nonsense", ["11", "-1", "one", "1 0", "1.5", "²"])
def test_ask_asks_again_after_numbers_that_are_none(work, candidate, question, nonsense):
    desk = candidate("", nonsense, "2", "", "")
    assert asked(desk, question).ticked == (2,)
    assert "Numbers from 1 to 10, with spaces between, please." in desk.said


@pytest.mark.parametrize("nonsense", ["5", "0", "good", "1 2"])
def test_ask_asks_again_after_a_rating_that_is_none(work, candidate, question, nonsense):
    assert asked(candidate("", "", "", nonsense, "4"), question).rating == 4


def test_ask_takes_the_time_of_the_whole_answer(work, candidate, question):
    desk = candidate(("a", 20), ("b", 30), ("", 25), "", "", "")
    assert asked(desk, question).seconds == 75
    assert "That took 75 seconds. An interviewer would have stopped you at 60." in desk.said
    assert desk.left[:3] == [60, 40, 10]


def test_ask_says_nothing_of_the_time_if_it_was_kept(work, candidate, question):
    desk = candidate(("", 60), "", "", "")
    asked(desk, question)
    assert "That took 60 seconds." in desk.said


def test_choose_takes_the_first_follow_up_about_what_was_missed(question):
    assert choose(question, ()) == question.follow_ups[0]
    assert choose(question, [question.follow_ups[0].about]) == question.follow_ups[1]


@pytest.mark.parametrize("grade", ["must", "good", "excellent"])
def test_choose_never_asks_about_a_point_that_was_made_while_one_is_missing(grade):
    for question in questions():
        about = [follow.about for follow in question.follow_ups]
        for point in question.graded(grade):
            chosen = choose(question, [other for other in question.points if other != point])
            assert chosen.about == point
            assert point in about or point.text not in chosen.ask


def test_ask_asks_plainly_for_what_has_no_follow_up_and_then_says_it(work, candidate, question):
    about = [follow.about for follow in question.follow_ups]
    number = next(number for number, point in enumerate(question.points, 1) if point not in about)
    ticked = " ".join(str(other) for other in range(1, len(question.points) + 1) if other != number)
    desk = candidate("", ticked, "that", "", "")
    asked(desk, question)
    assert desk.said[desk.said.index("The interviewer goes on:") + 1] == PLAIN[question.points[number - 1].grade]
    assert f"Short answer: This was missing: {question.points[number - 1].text}." in desk.said


def test_choose_takes_the_first_of_all_if_nothing_was_missed(question):
    assert choose(question, question.points) == question.follow_ups[0]


def test_choose_leaves_out_what_was_asked_before_while_there_are_others(question):
    asks = [follow.ask for follow in question.follow_ups]
    assert choose(question, (), asks[:2]) == question.follow_ups[2]
    assert choose(question, (), asks) == question.follow_ups[0]


def test_ask_asks_another_follow_up_the_second_time(work, candidate, question):
    first = asked(candidate("", "", "", ""), question)
    second = asked(candidate("", "", "", ""), question, earlier=[first])
    assert first.follow_up != second.follow_up


@pytest.mark.parametrize("stop", [KeyboardInterrupt, EOFError])
@pytest.mark.parametrize("step", range(len(STEPS) + 1))
def test_ask_goes_on_where_it_was_broken_off(work, candidate, question, stop, step):
    steps = ["Each sample", "and channel", "", "1 2", "it adds", "", "3"]
    attempt = journal.begin(question.name)
    with pytest.raises(stop):
        asked(candidate(*steps[:step], stop()), question, attempt)
    attempts, _ = journal.read()
    attempt = attempts[0] if attempts else journal.begin(question.name)
    asked(candidate(*steps[step:]), question, attempt)
    (found,), note = journal.read()
    assert note == ""
    assert (found.lines, found.ticked, found.follow_up_lines, found.rating) == (steps[:2], (1, 2), ["it adds"], 3)


@pytest.mark.parametrize("step", [0, 1, 4])
def test_ask_keeps_the_line_that_was_not_finished(work, candidate, question, step):
    steps = ["one", "", "1", "two"]
    desk = candidate(*steps[:step], KeyboardInterrupt(), unfinished="half a li")
    with pytest.raises(KeyboardInterrupt):
        asked(desk, question)
    (found,), _ = journal.read()
    assert (found.follow_up_lines if step == 4 else found.lines)[-1] == "half a li"


def test_ask_shows_what_was_typed_before_and_goes_on_with_the_clock(work, candidate, question):
    attempt = journal.begin(question.name)
    with pytest.raises(EOFError):
        asked(candidate(("one", 45)), question, attempt)
    desk = candidate(("two", 5), ("", 1), "", "", "")
    asked(desk, question, attempt)
    assert "  > one" in desk.said
    assert desk.left[0] == 15
    assert attempt.seconds == 51
