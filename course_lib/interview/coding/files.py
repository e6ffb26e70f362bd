"""The candidate's file: written once with the statement and a blank function, and never again."""

import ast
import os
import textwrap
from typing import NamedTuple

from course_lib.interview.coding.task import ALLOWED
from course_lib.workspace import COURSE, work_folder

FOLDER = "drill"
WIDTH = 100
SOLUTIONS = COURSE / "tests" / "interview" / "coding"


def blank(task, seed, minutes):
    """What the file holds at first."""
    variant = task.variant(seed)
    head = f"{task.title} · {counted(minutes)} · seed {seed}"
    paragraphs = (
        head,
        "",
        *plain(variant.statement),
        "",
        f"Allowed: {allowed(task)}. Run this file as often as you like.",
    )
    comment = "\n".join(line for text in paragraphs for line in _comment(text))
    libraries = "import numpy as np\n" + "import torch\n" * (task.needs == "torch")
    return f"{comment}\n\n{libraries}\n\n{variant.skeleton}"


def counted(minutes):
    """A number of minutes."""
    return f"{minutes:g} minute{'s' * (minutes != 1)}"


def allowed(task):
    """What may be used."""
    return f"PyTorch, {ALLOWED}" if task.needs == "torch" else ALLOWED


def plain(statement):
    """The paragraphs of a statement, without Markdown's marks for bold."""
    return statement.replace("**", "").split("\n")


def _comment(text):
    """A paragraph as lines of a comment."""
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ") or ["#"]


def lay(task, seed, minutes):
    """Writes the file under a name that is free.

    Returns
    -------
    str
        Its path from the work folder.
    """
    folder = work_folder() / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    stem, number = task.name.replace("-", "_"), 1
    part = folder / f".part-{os.getpid()}-{stem}.py"
    part.write_text(blank(task, seed, minutes), encoding="utf-8")
    try:
        while True:
            path = folder / (f"{stem}_{number}.py" if number > 1 else f"{stem}.py")
            if _named(part, path):
                return path.relative_to(work_folder()).as_posix()
            number += 1
    finally:
        part.unlink(missing_ok=True)


def _named(part, path):
    """Gives a complete file its name, if nobody has that name."""
    try:
        # A link, not a move: it is made in one step too, and it never replaces what is there.
        os.link(part, path)
    except FileExistsError:
        return False
    except OSError:
        # A file system without links.
        try:
            with open(path, "xb") as file:
                file.write(part.read_bytes())
        except FileExistsError:
            return False
    return True


class Solution(NamedTuple):
    """A right solution: the seeds of the variants for which it is written, and its text."""

    seeds: tuple
    text: str


def solution(task, seed):
    """A right solution, of this variant if there is one; None where this copy of the course has none."""
    paths = sorted((SOLUTIONS / task.name.replace("-", "_")).glob("right_*.py"))
    found = [_solution(path.read_text(encoding="utf-8")) for path in paths]
    return next((one for one in found if seed in one.seeds), found[0] if found else None)


def _solution(text):
    """A solution from its text, which says for which seeds it is written."""
    lines, seeds = text.splitlines(), ()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("SEED", "SEEDS"):
            value = ast.literal_eval(node.value)
            seeds = value if isinstance(value, tuple) else (value,)
            # With the empty line behind it.
            del lines[node.lineno - 1 : node.end_lineno + 1]
    return Solution(seeds, "\n".join(lines).strip("\n"))
