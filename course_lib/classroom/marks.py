"""What gives a solution away: its statements and sentences, as runs of words that stand nowhere in the open cells."""

import ast
import json
import re
from typing import NamedTuple

from course_lib.exercises.fill_in import Ticks

WORD = re.compile(r"\w+")
RUN = 8
# Of the runs of a statement or a paragraph, how many a text may share: the library is written in the same words.
SHARE, MANY = 0.4, 12


class Mark(NamedTuple):
    """One statement or paragraph that may not be published.

    Attributes
    ----------
    owner : int or str
        The number of the exercise, or the name of the file.
    what : str
        How it is called in a report.
    runs : frozenset of str
        Every run of eight words that only the solution has.
    name : str
    pattern : re.Pattern or None
        For an answer too short for that: its name, and the pattern of its name and value.
    """

    owner: object
    what: str
    runs: frozenset = frozenset()
    name: str = ""
    pattern: re.Pattern | None = None

    def is_in(self, text, runs):
        """Whether a text, or the runs of words in it, give it away."""
        if self.pattern is not None:
            return self.name in text and self.pattern.search(text) is not None
        return len(self.runs & runs) >= min(MANY, max(1, SHARE * len(self.runs)))


def runs_of(text):
    """Every run of eight words; punctuation and layout do not count."""
    # The ends of very long words, which are pictures, make no difference.
    words = [word[:40] for word in WORD.findall(text)]
    return frozenset(" ".join(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


def of_solution(exercise, path, public):
    """The marks of the solution of one exercise.

    Parameters
    ----------
    exercise : Exercise
    path : Path
        Its notebook, whose solution cells have the tag ``solution``.
    public : frozenset of str
        The runs that stand in the open cells of exercises.
    """
    typed = {answer.name for answer in exercise.answers if not isinstance(answer, Ticks)}
    return [
        mark
        for cell in cells_of(path)
        if is_solution(cell)
        for mark in _of_cell(exercise.number, f"cell {cell.get('id', '')} of its solution", cell, public, typed)
    ]


def open_runs(paths):
    """The runs in the open cells of the solutions' notebooks: tasks, imports and what else is given."""
    cells = [cell for path in paths for cell in cells_of(path) if not is_solution(cell)]
    return frozenset().union(*(runs_of(source(cell)) for cell in cells))


def stub_runs(paths):
    """The runs in the stubs of exercises, from their sources: signatures and docstrings that students are given."""
    cells = [
        cell for path in paths for cell in re.split(r"^# %%", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ]
    return frozenset().union(*(runs_of(cell) for cell in cells if '"stub"' in cell.partition("\n")[0]))


def cells_of(path):
    """The cells of a notebook."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def of_module(name, text, public):
    """The marks of a module that only the teacher has: its functions and classes.

    Parameters
    ----------
    name, text : str
    public : frozenset of str
        The runs of the library, from which it may borrow.
    """
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    found = [runs_of(ast.get_source_segment(text, node)) - public for node in nodes]
    # What is left of a few words says nothing.
    return [Mark(name, f"a part of {name}", runs) for runs in found if len(runs) > RUN]


def source(cell):
    """The text of a cell."""
    return "".join(cell.get("source", ""))


def is_solution(cell):
    """Whether a cell is left out of exercises."""
    return "solution" in cell.get("metadata", {}).get("tags", [])


def _of_cell(number, what, cell, public, typed):
    """The marks of one cell."""
    text = source(cell)
    parts = text.split("\n\n") if cell["cell_type"] == "markdown" else statements(text)
    marks = [Mark(number, what, runs) for part in parts if (runs := runs_of(part) - public)]
    if cell["cell_type"] == "code":
        found = [(name, value) for name, value in answers(text) if name in typed]
        marks += [Mark(number, f"{what}, {name}", name=name, pattern=answer(name, value)) for name, value in found]
    return marks


def statements(code):
    """The text of each statement at the outer level that is no short answer."""
    nodes = [node for node in ast.parse(code).body if not (isinstance(node, ast.Assign) and is_short(node.value))]
    return [ast.get_source_segment(code, node) for node in nodes]


def answers(code):
    """The short answers in a cell: names with what is assigned to them, or with what a dict holds for them."""
    for node in ast.parse(code).body:
        if not isinstance(node, ast.Assign):
            continue
        pairs = [(target.id, node.value) for target in node.targets if isinstance(target, ast.Name)]
        if isinstance(node.value, ast.Dict):
            keys = [getattr(key, "value", "") for key in node.value.keys]
            pairs += zip(keys, node.value.values, strict=True)
        yield from ((name, ast.get_source_segment(code, value)) for name, value in pairs if is_short(value))


def is_short(value):
    """Whether a value is what a learner types: a letter, a formula, a number, a nested list."""
    kinds = ast.Constant | ast.List | ast.Tuple | ast.UnaryOp | ast.BinOp | ast.operator | ast.unaryop | ast.Load
    nodes = list(ast.walk(value))
    return len(nodes) < 60 and len(ast.unparse(value)) < 100 and all(isinstance(node, kinds) for node in nodes)


def answer(name, value):
    """The pattern of a name with a value, however they are quoted and spaced."""
    words = [re.escape(word) for word in re.findall(r"\w+|[^\w\s]", value) if word not in "\"'"]
    return re.compile(rf"\b{name}[\\\"']*\s*[:=]\s*[\\\"']*\s*" + r"\s*".join(words) + r"(?!\s*[-+*/]|\w)")
