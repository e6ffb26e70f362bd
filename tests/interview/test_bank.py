"""The questions themselves: lengths, links, sources and facts."""

import re
import shlex

import pytest

from course_lib.exercises.registry import module_names
from course_lib.interview import questions, said
from course_lib.interview.question import FRAMEWORKS, GRADES
from course_lib.workspace import COURSE
from tests.interview.measure import run
from tools.convert import read_source, targets

QUESTIONS = questions()
CHAPTERS = {target.stem[:2]: target for target in targets(COURSE) if target.folder == "notebooks"}
CELLS = {number: {cell.id for cell in read_source(target.source)} for number, target in CHAPTERS.items()}


def broken(rule):
    """The names of the questions that break a rule. One test for all of them: hundreds of small ones take seconds."""
    return [question.name for question in QUESTIONS if not rule(question)]


def test_answer_is_spoken_in_a_minute():
    assert broken(lambda question: 130 <= len(question.answer.split()) <= 160) == []


def test_chapter_exists():
    assert broken(lambda question: question.chapter in CHAPTERS) == []


def test_exercise_exists():
    assert broken(lambda question: question.exercise is None or question.exercise in module_names()) == []


def test_source_is_a_cell_or_a_command():
    def exists(question):
        number, _, cell = question.source.partition(" · ")
        command = shlex.split(question.source.removeprefix("command: "))
        return cell in CELLS[number] if cell else command[:2] == ["python", "-m"]

    assert broken(exists) == []


def test_answer_makes_the_points_that_it_teaches():
    def taught(question):
        return {point for point in question.points if point.grade != "excellent"}

    assert broken(lambda question: taught(question) <= set(said(question.answer, question.points))) == []


def test_wrong_answers_do_not_pass():
    def passes(question, text):
        return set(question.graded("must")) <= set(said(text, question.points))

    assert broken(lambda question: not any(passes(question, wrong.text) for wrong in question.wrong)) == []


def test_follow_ups_ask_for_what_must_be_said_first():
    # A drill takes the first about a point that was missed.
    def grades(question):
        return [GRADES.index(follow.about.grade) for follow in question.follow_ups]

    assert broken(lambda question: [0, *grades(question)] == sorted([0, *grades(question)])) == []
    assert broken(lambda question: grades(question)[0] == GRADES.index("must")) == []


def test_points_and_follow_ups_are_said_once():
    def texts(question):
        return [point.text for point in question.points] + [follow.ask for follow in question.follow_ups]

    assert broken(lambda question: len(set(texts(question))) == len(texts(question))) == []


@pytest.mark.parametrize("about_torch", [True, False], ids=["of PyTorch", "of the rest"])
def test_number_of_the_answer_is_what_a_run_gives(about_torch):
    checks = {question.name: question.check for question in QUESTIONS if question.check}
    chosen = {name: check for name, check in checks.items() if ("torch." in check.expression) == about_torch}
    expected = {name: check.expected for name, check in chosen.items()}
    assert chosen and {name: run(check.expression) for name, check in chosen.items()} == expected


def test_bank_has_eighty_questions_and_more():
    assert len(QUESTIONS) >= 80


def test_every_chapter_with_a_backward_has_questions():
    assert {question.chapter for question in QUESTIONS} >= {f"{number:02}" for number in range(1, 13)} - {"12"}


def test_every_topic_has_four_questions_and_more():
    topics = [question.topic for question in QUESTIONS]
    assert {topic for topic in topics if topics.count(topic) < 4} == set()


def test_every_level_is_in_the_bank():
    assert {question.level for question in QUESTIONS} == {1, 2, 3}


def test_questions_and_answers_are_not_repeated():
    for texts in ([q.ask for q in QUESTIONS], [q.answer for q in QUESTIONS]):
        assert len(set(texts)) == len(texts)


def test_a_version_in_a_text_is_the_one_that_was_measured():
    def versions(question):
        return re.findall(rf"({'|'.join(FRAMEWORKS)}) (\d+\.\d+)", " ".join(question.texts()))

    assert broken(lambda question: all(version == FRAMEWORKS[name] for name, version in versions(question))) == []


def test_what_is_said_of_a_framework_has_its_version():
    (question,) = [question for question in QUESTIONS if question.name == "same-padding"]
    assert {"PyTorch 2.13", "TensorFlow 2.21"} <= set(question.holds_for())
