"""The questions themselves: lengths, links, sources and facts."""

import re
import shlex

import numpy as np
import pytest

from course_lib.exercises.registry import module_names
from course_lib.interview import questions, said
from course_lib.interview.question import FRAMEWORKS, GRADES
from course_lib.workspace import COURSE
from tests.interview.measure import run
from tools.convert import read_source, targets

QUESTIONS = questions()
EVERY = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
CHAPTERS = {target.stem[:2]: target for target in targets(COURSE) if target.folder == "notebooks"}
CELLS = {number: {cell.id for cell in read_source(target.source)} for number, target in CHAPTERS.items()}


@EVERY
def test_answer_is_spoken_in_a_minute(question):
    assert 130 <= len(question.answer.split()) <= 160


@EVERY
def test_chapter_exists(question):
    assert question.chapter in CHAPTERS


@EVERY
def test_exercise_exists(question):
    assert question.exercise is None or question.exercise in module_names()


@EVERY
def test_source_exists(question):
    number, _, cell = question.source.partition(" · ")
    command = question.source.removeprefix("command: ")
    assert cell in CELLS[number] if cell else shlex.split(command)[:2] == ["python", "-m"]


@EVERY
def test_answer_makes_the_points_that_it_teaches(question):
    taught = [point for point in question.points if point.grade != "excellent"]
    found = said(question.answer, question.points)
    assert [point.text for point in taught if point not in found] == []


@EVERY
def test_wrong_answers_do_not_pass(question):
    for wrong in question.wrong:
        assert not set(question.graded("must")) <= set(said(wrong.text, question.points))


@EVERY
def test_follow_ups_ask_for_what_must_be_said_first(question):
    # A drill takes the first about a point that was missed.
    grades = [GRADES.index(follow.about.grade) for follow in question.follow_ups]
    assert grades == sorted(grades)
    assert grades[0] == GRADES.index("must")


@EVERY
def test_points_and_follow_ups_are_said_once(question):
    texts = [point.text for point in question.points] + [follow.ask for follow in question.follow_ups]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.check], ids=lambda question: question.name)
def test_number_of_the_answer_is_what_a_run_gives(question):
    np.testing.assert_equal(run(question.check.expression), question.check.expected)


def test_bank_has_eighty_questions_and_more():
    assert len(QUESTIONS) >= 80


def test_every_chapter_with_a_backward_has_questions():
    assert {question.chapter for question in QUESTIONS} >= {f"{number:02}" for number in range(1, 13)} - {"12"}


def test_every_level_is_in_the_bank():
    assert {question.level for question in QUESTIONS} == {1, 2, 3}


def test_questions_and_answers_are_not_repeated():
    for texts in ([q.ask for q in QUESTIONS], [q.answer for q in QUESTIONS]):
        assert len(set(texts)) == len(texts)


@EVERY
def test_a_version_in_a_text_is_the_one_that_was_measured(question):
    for name, version in re.findall(rf"({'|'.join(FRAMEWORKS)}) (\d+\.\d+)", " ".join(question.texts())):
        assert version == FRAMEWORKS[name]


def test_what_is_said_of_a_framework_has_its_version():
    (question,) = [question for question in QUESTIONS if question.name == "same-padding"]
    assert {"PyTorch 2.13", "TensorFlow 2.21"} <= set(question.holds_for())
