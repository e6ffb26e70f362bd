"""Which mistakes each exercise refuses and names: ``python -m tools.kill_matrix`` writes ``docs/kill_matrix.md``.

Every mistake that an exercise knows is made on purpose, in every style of code that the catalogue holds, and the
answers are checked. A cell names the first property that refuses them.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from course_lib.exercises import registry
from course_lib.exercises.engine import judge
from course_lib.exercises.misconceptions import CATALOGUE
from tools.wrong_answers import wrong_answers

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "kill_matrix.md"


class Cell(NamedTuple):
    """One mistake in one exercise: how often it was made, refused and named, and by which property first."""

    exercise: int
    mistake: str
    made: int
    refused: int
    named: int
    first: str


def cells(exercise):
    """The cells of one exercise, in the order of its list."""
    made = list(wrong_answers(exercise))
    return [_cell(exercise, name, [wrong.answers for wrong in made if wrong.mistake == name])
            for name in exercise.misconceptions]  # fmt: skip


def _cell(exercise, name, answers):
    """The cell of one mistake, from the answers of all its styles."""
    results = [judge(exercise, given) for given in answers]
    wrong = [[verdict for verdict in result.verdicts if refuses(verdict)] for result in results]
    return Cell(
        exercise=exercise.number,
        mistake=name,
        made=len(results),
        refused=sum(map(bool, wrong)),
        named=sum(name in result.misconceptions for result in results),
        first=next((verdicts[0].name for verdicts in wrong if verdicts), ""),
    )


def refuses(verdict):
    """Whether a verdict says that something is wrong, and not that it is missing."""
    return verdict.kind not in ("passed", "not started")


def page(found):
    """The page as Markdown."""
    found = [cell for cell in found if cell.made]
    numbers = sorted({cell.exercise for cell in found})
    made, refused, named = (sum(getattr(cell, field) for cell in found) for field in ("made", "refused", "named"))
    lines = [
        "# The kill matrix",
        "",
        "Rows are known mistakes, columns are exercises. Every mistake that can happen in an exercise was made on",
        "purpose, in every style of code that the catalogue knows, and the answers were checked. A cell holds the",
        "property that refuses it first; an empty one means that the mistake cannot happen there. A number behind it",
        "says in how many styles the mistake was made, where there are several.",
        "",
        f"Wrong answers: {made}. Refused: {refused}. Called by their name: {named}.",
        "",
        "This page is written by `python -m tools.kill_matrix`, and a test holds that it is current.",
        "",
        "| mistake | " + " | ".join(f"exercise {number}" for number in numbers) + " |",
        "|---|" + "---|" * len(numbers),
    ]
    table = {(cell.mistake, cell.exercise): cell for cell in found}
    for name in CATALOGUE:
        row = [_text(table.get((name, number))) for number in numbers]
        if any(row):
            lines.append(f"| `{name}` | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def _text(cell):
    """One cell."""
    if cell is None:
        return ""
    styles = f" ({cell.made})" if cell.made > 1 else ""
    failed = "" if cell.made == cell.refused == cell.named else f" **{cell.refused} refused, {cell.named} named**"
    return f"{cell.first}{styles}{failed}"


def everything():
    """The cells of every exercise; where `tools.wrong_answers` cannot make an answer, nothing was made."""
    return [cell for exercise in registry.all_exercises() for cell in cells(exercise)]


def of_tasks():
    """The cells of every chapter's task, which are tested and stand on no page."""
    return [cell for task in registry.all_tasks() for cell in cells(task)]


def main():
    """Writes the page; returns the exit status."""
    found = everything()
    PAGE.write_text(page(found), encoding="utf-8", newline="\n")
    open_cells = [cell for cell in found if not cell.made == cell.refused == cell.named]
    for cell in open_cells:
        print(cell, file=sys.stderr)
    return 1 if open_cells else 0


if __name__ == "__main__":
    sys.exit(main())
