"""The page of wrong answers: what its lines of Python give, and that every row says what shows it."""

import ast
import re

import pytest

from course_lib.interview import questions
from course_lib.workspace import COURSE
from tests.interview.measure import run

PAGE = (COURSE / "docs" / "interview_facts.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and "shown by" not in line]
OWN = [row for row in ROWS if len(row) == 4]
LINES = [match.groups() for row in ROWS if (match := re.fullmatch(r"`([^`]+)` → `([^`]+)`", row[-1]))]


@pytest.mark.parametrize("about_torch", [True, False], ids=["of PyTorch", "of the rest"])
def test_lines_give_what_the_page_says(about_torch):
    chosen = [(line, result) for line, result in LINES if ("torch." in line) == about_torch]
    assert chosen and {line: run(line) for line, _ in chosen} == {line: ast.literal_eval(to) for line, to in chosen}


def test_every_row_says_what_shows_it():
    assert {len(row) for row in ROWS} == {3, 4}
    others = [row[-1] for row in ROWS if not re.search(r" → `|#cell-id=", row[-1])]
    assert all("the command of the question" in shown or (COURSE / shown.strip("`")).is_file() for shown in others)


def test_mended_questions_are_in_the_bank():
    assert {row[0].strip("`") for row in OWN} <= {question.name for question in questions()}
