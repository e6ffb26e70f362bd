"""Classes of students for tests: folders of submissions, and the rows that they get."""

import json
from pathlib import Path

from course_lib.classroom import batch, submissions
from course_lib.classroom.journal import Journal
from course_lib.classroom.settings import Settings
from course_lib.exercises import registry
from course_lib.workspace import COURSE

SECRET = b"the secret of the tests"
ATTACKS = Path(__file__).parent / "attacks"
# The corpus was written for other names and has no padding.
ADAPTER = """

def max_pool2d(x, kernel_size, stride, padding):
    return maxpool2d_forward(x, kernel_size, stride)

def max_pool2d_backward(grad_output, cache):
    return maxpool2d_backward(grad_output, cache)
"""


def notebook(*cells):
    """The bytes of a notebook with some code cells."""
    made = [
        {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": 1} for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def adapted(path):
    """The file's name and bytes for one of the corpus."""
    name, data = path.name.removesuffix(".txt"), path.read_bytes()
    if name.endswith(".py"):
        return "11_work.py", data + ADAPTER.encode()
    found = json.loads(data)
    found["cells"] += json.loads(notebook(ADAPTER))["cells"]
    return "11_work.ipynb", json.dumps(found).encode()


def handed_in(folder, works):
    """A folder as it is exported: for each student the files by their names.

    Parameters
    ----------
    folder : Path
    works : dict of str to dict of str to bytes
    """
    for student, files in works.items():
        for name, data in files.items():
            path = folder / student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return folder


def rows_of(folder, report, settings, jobs=1):
    """The rows by the students' names."""
    report.mkdir(exist_ok=True)
    with Journal(report / "journal.sqlite", fresh=True) as book:
        rows = batch.run(submissions.find(folder), settings, book, jobs)
    return {row["name"]: row for row in rows}


def settings(*exercises, secret=SECRET, pace=0.05):
    """Settings with hidden cases, and a pace that stops an endless loop soon."""
    return Settings(exercises, secret, pace=pace)


def solution(number, folder="solutions"):
    """The notebook of an exercise, solved; or unsolved, from the folder of exercises."""
    return (COURSE / folder / registry.find(number).notebook).read_bytes()


def exercise_of(row, number):
    """One exercise of a row."""
    return next(one for one in row["exercises"] if one["number"] == number)
