"""The code of an exercise's notebook, run in this process: what a learner's names hold after the last cell."""

import ast
from pathlib import Path

import course_lib
from course_lib.exercises import registry
from tools.convert import read_source, tags

ROOT = Path(course_lib.__file__).parents[1]


def source(number):
    """The file of an exercise's source."""
    return ROOT / "sources" / "exercises" / f"{registry.find(number).name}.py"


def prose(number):
    """The text of an exercise's source on one line."""
    return " ".join(source(number).read_text(encoding="utf-8").replace("\n#", " ").split())


def names_after(number, left_out, *, without=()):
    """What the names hold after all cells but those with a tag; cells named in ``without`` are not run either.

    ``shown`` holds what the cells show, by the cell's name.
    """
    names = {"shown": {}}
    for cell in read_source(source(number)):
        if cell.cell_type == "code" and left_out not in tags(cell) and cell.id not in without:
            _run(cell, names)
    return names


def _run(cell, names):
    """One cell; its last expression is what it shows."""
    tree = ast.parse(cell.source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, cell.id, "exec"), names)
    if last is not None:
        names["shown"][cell.id] = eval(compile(ast.Expression(last.value), cell.id, "eval"), names)
