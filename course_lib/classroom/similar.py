"""Answers that are nearly the same as another student's, or as the library's own: a hint to a person, never points.

Two answers are compared as rows of words, functions in one order, chosen names left out; RapidFuzz says what share of
the words they have in common, in order. A short answer has few right forms, so short ones are left alone.
"""

import ast
import json
from functools import cache
from typing import NamedTuple

import numpy as np

from course_lib.classroom.box.pieces import pieces
from course_lib.exercises import registry
from course_lib.workspace import COURSE, CourseError

SHORTEST, LEAST, BLOCK = 100, 0.9, 500
SHORTEST_FUNCTION, MOST_TRIED = 50, 20
FIRST, LETTERS = 0x10000, 0xFFFFF
NO_LIBRARY = "--similar needs RapidFuzz. Install it: python -m pip install -r requirements-classroom.txt."
LIBRARY = ("loops", "numpy_ops", "torch_ops")


def rapidfuzz():
    """The library that compares.

    Raises
    ------
    CourseError
        If it is not installed.
    """
    try:
        import rapidfuzz
        from rapidfuzz import process  # noqa: F401, it is a module of its own
    except ImportError as error:
        raise CourseError(NO_LIBRARY) from error
    return rapidfuzz


def found(rows, exercises):
    """What is alike.

    Parameters
    ----------
    rows : list of dict
        As `course_lib.classroom.task.grade` gives them, with the code of answers.
    exercises : tuple of int

    Returns
    -------
    list of dict
        With ``number``, ``group``, ``row``, ``file``, ``like`` (a name), ``structure`` and ``words`` (0 to 1).
    """
    alphabet = Alphabet()
    lines = [line for number in exercises for line in _groups(rows, number, alphabet)]
    return lines + [line for number in exercises for line in _of_library(rows, number, alphabet)]


class Alphabet:
    """One letter for each word, so that rows of words are texts."""

    def __init__(self):
        self.numbers = {}

    def text(self, words):
        """Words as letters; where a class has a million words, some share one."""
        numbers = (self.numbers.setdefault(word, len(self.numbers)) for word in words.split())
        return "".join(chr(FIRST + number % LETTERS) for number in numbers)


class Answer(NamedTuple):
    """A student's code of one exercise, but for what everybody was given, as letters."""

    row: dict
    file: str
    structure: str
    words: str


def _own(rows, number):
    """Each row with the file and the functions of an exercise, but for those that everybody was given."""
    given = _given(number)
    for row in rows:
        for one in row["exercises"]:
            if one["number"] == number:
                yield row, one["file"], [piece for piece in one.get("code", ()) if piece[1] not in given]


@cache
def _given(number):
    """The functions that stand in the notebook of an exercise as it is handed out."""
    path = COURSE / "exercises" / registry.find(number).notebook
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
    texts = ["".join(one["source"]) for one in cells if one["cell_type"] == "code"]
    return frozenset(piece[1] for text in texts for piece in pieces(ast.parse(text).body))


def _groups(rows, number, alphabet):
    """A line for each student whose answer is nearly another's; who is alike stands in one group."""
    answers = {}
    for row, file, own in _own(rows, number):
        # In one order, whatever that of the cells.
        own = sorted(own, key=lambda piece: piece[2])
        structure, words = (alphabet.text(" ".join(piece[n] for piece in own)) for n in (2, 1))
        if len(structure) >= SHORTEST:
            answers.setdefault(structure, []).append(Answer(row, file, structure, words))
    near = _near(list(answers))
    groups = [[one for text in group for one in answers[text]] for group in _joined(near)]
    groups = sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), group[0].row["key"]))
    return [_line(number, place, one, answers, near) for place, group in enumerate(groups, 1) for one in group]


def _near(texts):
    """For each text those that are nearly the same, the nearest first."""
    library, found = rapidfuzz(), {}
    for start in range(0, len(texts), BLOCK):
        block = texts[start : start + BLOCK]
        scores = library.process.cdist(block, texts, scorer=_share(), score_cutoff=LEAST, dtype=np.float32)
        for text, line in zip(block, scores, strict=True):
            places = sorted(np.flatnonzero(line >= LEAST), key=lambda place: (-line[place], place))
            found[text] = [texts[place] for place in places if texts[place] != text]
    return found


def _share():
    """What share of the letters of two texts stands in both, in the same order."""
    return rapidfuzz().distance.Indel.normalized_similarity


def _joined(near):
    """Groups of texts that are near each other, or near one that is near."""
    groups, seen = [], set()
    for text in near:
        group, waiting = [], [text]
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                group.append(one)
                waiting += near[one]
        groups.append(group)
    return groups


def _line(number, group, answer, answers, near):
    """The line of one student: whom the answer is most like, and how much."""
    same = [one for one in answers[answer.structure][: MOST_TRIED + 1] if one is not answer]
    others = same or [one for text in near[answer.structure][:MOST_TRIED] for one in answers[text][:MOST_TRIED]]
    words, place = max((_share()(answer.words, one.words), -place) for place, one in enumerate(others))
    like = others[-place]
    structure = _share()(answer.structure, like.structure)
    found = {"row": answer.row, "file": answer.file, "like": like.row["name"], "structure": structure, "words": words}
    return {"number": number, "group": group, **found}


def _of_library(rows, number, alphabet):
    """A line for each function of a student that is nearly one of the library's own."""
    names, texts = zip(*_library(), strict=True)
    own = [alphabet.text(plain) for _, plain in texts]
    for row, file, found in _own(rows, number):
        for name, written, plain in found:
            text = alphabet.text(plain)
            best = rapidfuzz().process.extractOne(text, own, scorer=_share(), score_cutoff=LEAST)
            if best is not None and len(text) >= SHORTEST_FUNCTION:
                words = _share()(alphabet.text(written), alphabet.text(texts[best[2]][0]))
                what = {"like": f"{names[best[2]]} (as {name})", "structure": best[1], "words": words}
                yield {"number": number, "group": 0, "row": row, "file": file, **what}


@cache
def _library():
    """The library's own functions by their full names, with their words and their words without chosen names."""
    paths = [path for folder in LIBRARY for path in sorted((COURSE / "course_lib" / folder).glob("*.py"))]
    return [
        (".".join((*path.relative_to(COURSE).with_suffix("").parts, name)), (written, plain))
        for path in paths
        for name, written, plain in pieces(ast.parse(path.read_text(encoding="utf-8")).body)
        if plain.count(" ") + 1 >= SHORTEST_FUNCTION
    ]
