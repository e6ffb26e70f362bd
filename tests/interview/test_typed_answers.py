"""Typed answers in other words than the bank's: how many of their points are found, and how many that they lack."""

import tomllib
from pathlib import Path

import pytest

from course_lib.interview import questions, said

QUESTIONS = {question.name: question for question in questions()}
TYPED = tomllib.loads((Path(__file__).parent / "typed_answers.toml").read_text(encoding="utf-8"))


def counts(kind):
    """Of all answers of a kind: points found and made, found and not made, made and not found."""
    found_and_made = only_found = only_made = 0
    for name, answers in TYPED.items():
        if kind in answers:
            made = {point(QUESTIONS[name], which) for which in answers[kind]["says"]}
            found = set(said(answers[kind]["text"], QUESTIONS[name].points))
            found_and_made += len(found & made)
            only_found += len(found - made)
            only_made += len(made - found)
    return found_and_made, only_found, only_made


def point(question, which):
    """A point by its row and its number in it."""
    grade, _, number = which.partition(" ")
    return question.graded(grade)[int(number) - 1]


def test_typed_answers_are_to_fifteen_questions_of_each_kind():
    assert {kind: sum(kind in answers for answers in TYPED.values()) for kind in ("half", "wrong", "held")} == {
        "half": 15, "wrong": 15, "held": 15,
    }  # fmt: skip


# A suggestion is worth showing if nine in ten are right, and few points have to be ticked by hand.
@pytest.mark.parametrize("kind", ["right", "half", "held"])
def test_said_finds_nine_in_ten_points_and_hardly_one_that_was_not_made(kind):
    found_and_made, only_found, only_made = counts(kind)
    assert found_and_made >= 0.9 * (found_and_made + only_made)
    assert found_and_made >= 0.95 * (found_and_made + only_found)


def test_said_finds_next_to_nothing_in_wrong_answers():
    assert counts("wrong")[1] <= 1
