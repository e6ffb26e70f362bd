"""The examiner of a notebook: step by step, in the journal of the terminal."""

import re
from pathlib import Path

import pytest

from course_lib.interview import drill, journal, questions
from course_lib.interview.oral import Examiner, next_question
from tests.interview.conftest import Candidate

SAID = "It records where the winner was. All goes to the winner and zero to the others."
CHAPTER = Path(__file__).parents[2] / "sources" / "chapters" / "13_could_i_explain_it_in_60_seconds.py"


@pytest.fixture
def examiner(work, question):
    return Examiner(question)


def rated(examiner, points=(2, 3), rating=3):
    """A whole question; the last step."""
    examiner.take({"do": "answered", "text": SAID, "seconds": 42.0})
    examiner.take({"do": "tick", "points": points})
    examiner.take({"do": "followed", "text": "The sum."})
    return examiner.take({"do": "rate", "rating": rating})


def test_examiner_shows_a_step_only_when_it_is_reached(examiner):
    assert not {"rubric", "follow_up", "model"} & set(examiner.step())
    step = examiner.take({"do": "answered", "text": SAID, "seconds": 42.0})
    assert step["at"] == "rubric" and not {"follow_up", "model"} & set(step)
    step = examiner.take({"do": "tick", "points": [2, 3]})
    assert step["at"] == "follow-up" and step["follow_up"]["short"] == "" and "model" not in step
    step = examiner.take({"do": "followed", "text": "The sum."})
    assert step["at"] == "rating" and step["follow_up"]["short"] and step["model"] and step["wrong"]


def test_examiner_suggests_the_points_that_were_typed(examiner):
    step = examiner.take({"do": "answered", "text": SAID, "seconds": 42.0})
    assert [point["number"] for point in step["rubric"] if point["ticked"]] == [2, 3]
    assert all(point["heard"] for point in step["rubric"] if point["ticked"])


def test_examiner_lets_the_candidate_decide(examiner):
    examiner.take({"do": "answered", "text": SAID, "seconds": 42.0})
    step = examiner.take({"do": "tick", "points": [1, 99]})
    assert [point["number"] for point in step["rubric"] if point["ticked"]] == [1]


def test_examiner_asks_about_what_was_missed(examiner, question):
    examiner.take({"do": "answered", "text": "", "seconds": 42.0})
    step = examiner.take({"do": "tick", "points": [1, 2, 3, 4]})
    assert step["follow_up"]["ask"] == next(
        follow.ask for follow in question.follow_ups if follow.about not in question.graded("must")
    )


def test_examiner_rates_in_the_schedule_of_the_terminal(examiner):
    step = rated(examiner)
    (attempt,) = journal.read()[0]
    assert (attempt.question, attempt.rating, attempt.seconds) == ("max-route", 3, 42.0)
    assert step["again"].startswith("It comes again in ")


def test_examiner_suggests_again_when_a_point_of_must_is_missing(examiner):
    rated(examiner)
    assert examiner.step()["suggested"] == 1


def test_examiner_goes_on_with_a_draft_after_the_kernel_has_gone(examiner, question):
    examiner.take({"do": "draft", "text": "First\nand second", "seconds": 7.5})
    examiner.take({"do": "draft", "text": "First\nand then", "seconds": 9.0})
    step = Examiner(question).step()
    assert (step["at"], step["text"], step["seconds"]) == ("answer", "First\nand then", 9.0)


def test_examiner_goes_on_with_a_follow_up(examiner, question):
    examiner.take({"do": "answered", "text": SAID, "seconds": 42.0})
    asked = examiner.take({"do": "tick", "points": [2, 3]})["follow_up"]["ask"]
    examiner.take({"do": "draft", "text": "The sum", "seconds": 3})
    follow_up = Examiner(question).step()["follow_up"]
    assert (follow_up["ask"], follow_up["text"]) == (asked, "The sum")


def test_examiner_chooses_a_follow_up_where_the_kernel_ended_before_it(examiner, question):
    examiner.take({"do": "answered", "text": SAID, "seconds": 42.0})
    journal.write(examiner._attempt, "ticked", Candidate().now(), points=[2, 3])
    assert Examiner(question).step()["follow_up"]["ask"]


def test_terminal_goes_on_with_what_was_typed_in_a_notebook(examiner, question):
    examiner.take({"do": "draft", "text": "Typed here", "seconds": 7.5})
    (attempt,) = journal.read()[0]
    desk = Candidate("and there", "", "0", "", "3")
    drill.ask(desk, question, attempt)
    assert "  > Typed here" in desk.said
    assert journal.read()[0][0].lines == ["Typed here", "and there"]


def test_examiner_passes_over_what_does_not_fit_the_step(examiner):
    for message in ({"do": "rate", "rating": 3}, {"do": "tick", "points": [1]}, {"do": "nothing"}, {}):
        assert examiner.take(message)["at"] == "answer"
    assert journal.read()[0] == []


def test_examiner_asks_another_question(examiner):
    rated(examiner)
    step = examiner.take({"do": "next"})
    assert step["at"] == "answer" and step["name"] != "max-route" and step["round"] == 1


def test_examiner_begins_again_with_an_empty_answer_and_loses_none(examiner):
    examiner.take({"do": "draft", "text": "Wrong track", "seconds": 5})
    step = examiner.take({"do": "again"})
    assert (step["text"], step["seconds"]) == ("", 0)
    assert [attempt.lines for attempt in journal.read()[0]] == [["Wrong track"]]


def test_next_question_is_the_one_that_was_broken_off(work):
    name = questions()[40].name
    Examiner(questions()[40]).take({"do": "draft", "text": "x", "seconds": 1})
    assert next_question(journal.read()[0], Candidate().now()).name == name


def test_chapter_asks_the_questions_of_the_bank():
    # An edition without the interview room has them from the chapter: they must be the same.
    asked = re.findall(r'oral\(\s*"([\w-]+)",\s*"([^"]+)",?\s*\)', CHAPTER.read_text(encoding="utf-8"))
    assert len(asked) == 2
    assert dict(asked).items() <= {question.name: question.ask for question in questions()}.items()
