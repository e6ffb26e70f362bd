"""Answers with a known mistake, made from the catalogue, for every exercise whose answers can be made from it."""

from typing import NamedTuple

import numpy as np

from course_lib.exercises import ex05_convolution_by_hand, ex11_max_pooling_workshop, ex12_average_pooling_workshop
from course_lib.exercises.exercise import Choice
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.properties import Star, Values

# How an exercise's functions are made with some rules changed.
FUNCTIONS = {
    5: ex05_convolution_by_hand.LOOPS.with_mistakes,
    11: ex11_max_pooling_workshop.POOL.with_mistakes,
    12: ex12_average_pooling_workshop.POOL.with_mistakes,
}


class Wrong(NamedTuple):
    """One wrong answer to an exercise, or several functions that belong together."""

    mistake: str
    answers: dict


def wrong_answers(exercise):
    """Every mistake of an exercise, in every style and at every answer where it can be made."""
    for name in exercise.misconceptions:
        for answers in _answers_with(exercise, CATALOGUE[name]):
            yield Wrong(name, answers)


def _answers_with(exercise, entry):
    """The answers that show one mistake."""
    if exercise.number in FUNCTIONS:
        yield from map(FUNCTIONS[exercise.number], entry.forms)
        return
    yield from ({judged.answers[0]: wrong} for judged in arrays(exercise) for wrong in wrong_arrays(judged, entry))
    for judged in exercise.properties:
        yield from ({judged.answers[0]: text} for text in getattr(judged, "wrong", {}).get(entry.name, ()))
    for answer in exercise.answers:
        if isinstance(answer, Choice):
            letters = [letter for letter, option in answer.options.items() if option.misconception == entry.name]
            yield from ({answer.name: letter} for letter in letters)


def arrays(exercise):
    """The properties whose answer is an array."""
    judged = (each.judged if isinstance(each, Star) else each for each in exercise.properties)
    return [each for each in judged if isinstance(each, Values) and each.run is None]


def wrong_arrays(judged, entry):
    """The arrays with one mistake that are not right all the same."""
    if entry.operation is not judged.operation:
        return
    (case,) = judged.cases
    for changes in entry.forms:
        wrong = np.asarray(judged.part(judged.operation.results_with(changes, case)))
        expected = judged.expected(case)
        if wrong.shape != expected.shape or not np.allclose(wrong, expected, rtol=0, atol=1e-9):
            yield wrong
