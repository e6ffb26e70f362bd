"""The code of a student's answers, made comparable in the sandbox, and kept in the row of the student."""

import ast
from functools import cache

import numpy as np

from course_lib.classroom.files import TooLarge
from course_lib.classroom.grading import CANNOT_READ, GRADED
from course_lib.classroom.runtime import BOX
from course_lib.classroom.sandbox import NoSandbox
from course_lib.classroom.stand_ins import Program, Task
from course_lib.exercises import registry
from course_lib.exercises.faults import Fault

READER = """
def read(data, name, wanted, number):
    statements = program_of(cells_of(bytes(data), name)).statements
    return pieces(sliced(statements, wanted, number))
"""
SECONDS, PARTS = 10.0, ("notebook", "names", "effects", "slicing", "pieces")


def add(zygote, submission, row, student):
    """Adds to each exercise of a row the words of its answers, as ``code``; none where they cannot be read.

    Parameters
    ----------
    zygote : Zygote
    submission : Submission
    row : dict
    student : Allowance
        What is left of the student's seconds.
    """
    files = {file.name: file for file in submission.files}
    for one in row["exercises"]:
        if one["status"] == GRADED and (found := code(zygote, files[one["file"]], one["number"], student)):
            one["code"] = found


def code(zygote, file, number, student=None):
    """The words of a file's answers to an exercise.

    Parameters
    ----------
    zygote : Zygote
    file : File
    number : int
    student : Allowance or None

    Returns
    -------
    list of list of str
        For each function its name, its words, and its words without chosen names.
    """
    wanted = [answer.name for answer in registry.find(number).answers]
    try:
        data = np.frombuffer(file.read(), np.uint8)
        with Program(zygote, reader(), "reader.py", Task(number, ["read"], SECONDS, above=student)) as program:
            found = program.answers()["read"](data, file.name, wanted, number)
    except (TooLarge, *CANNOT_READ, Fault, NoSandbox):
        # A hint that is missing is no reason to stop.
        return []
    return [list(one) for one in found] if isinstance(found, (list, tuple)) else []


@cache
def reader():
    """The program that is sent: the sandbox's own reading of notebooks, and how words are made of it."""
    trees = [ast.parse((BOX / f"{name}.py").read_text(encoding="utf-8")) for name in PARTS]
    statements = [one for tree in trees for one in tree.body if not _is_of_a_part(one)]
    return "\n".join([*map(ast.unparse, statements), READER]).encode()


def _is_of_a_part(statement):
    """Whether a statement imports from another part, which stands in the same program."""
    return isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("course_lib.")
