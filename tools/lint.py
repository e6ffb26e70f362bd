"""The house rules for sources, each with a message that says what to do."""

import ast
import io
import re
import tokenize
from collections import Counter
from itertools import groupby
from statistics import median

from tools.convert import asks, read_source, tags

# Calls that put a question to the reader.
QUESTIONS = ("predict", "bets")
TAGS = (
    "hide-input",
    "hide-output",
    "lesson",
    "nbval-ignore-output",
    "raises-exception",
    "remove-input",
    "solution",
    "stub",
)
KEYS = ("nbgrader", "tags")
CODE_LINES = 15
CHAPTER_CELLS = 40
CHAPTER_MEDIAN = 6
CHAPTER_RUN = 2
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def lint_source(target):
    """What breaks a rule in the source of a target, one message each."""
    cells = read_source(target.source)
    found = list(lint_opening(target.source.read_text(encoding="utf-8")))
    found += lint_ids(cells)
    for number, cell in enumerate(cells, 1):
        found += [f"{where(number, cell)}: {message}" for message in lint_cell(cell, target.folder == "notebooks")]
    if target.folder == "notebooks":
        found += lint_chapter(cells)
    return [f"{target.source_name}: {message}" for message in found]


def where(number, cell):
    """The number of a cell, counted from 1, and the beginning of its text."""
    first = cell.source.strip().partition("\n")[0]
    return f"cell {number} ({first[:40]})"


def lint_opening(text):
    """What stands above the first header would be a cell that nobody asked for."""
    if not text.startswith("# %%"):
        yield "the first line must open a cell: # %% [markdown]"


def lint_ids(cells):
    """Names must be ids that Jupyter takes, once each."""
    for name, count in Counter(cell.id for cell in cells).items():
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(name)):
            yield f"name {name!r} must be 1 to 64 letters, digits, hyphens and underscores"
        if count > 1:
            yield f"name {name!r} must stand once; it stands {count} times"


def lint_cell(cell, in_chapter):
    """The rules for one cell."""
    yield from lint_metadata(cell, in_chapter)
    if not cell.source.strip():
        yield "a cell must not be empty"
    elif cell.cell_type == "code":
        yield from lint_code(cell)


def lint_metadata(cell, in_chapter):
    """Tags and keys must be known; a chapter has nothing to solve."""
    for tag in tags(cell):
        if tag not in TAGS:
            yield f"tag {tag!r} is unknown; the tags are {', '.join(TAGS)}"
        if in_chapter and tag in ("solution", "stub"):
            yield f"tag {tag!r} belongs in exercises, not in chapters"
    if {"solution", "stub"} <= set(tags(cell)):
        yield "tags 'solution' and 'stub' together leave the cell out everywhere"
    for key in cell.metadata:
        # `convert` folds the questions to the reader itself.
        if key not in KEYS and not (key == "jupyter" and asks(cell.source)):
            yield f"the header must hold name, tags or nbgrader only; it holds {key}={cell.metadata[key]!r}"


def lint_code(cell):
    """The rules for a cell of code."""
    try:
        tree = ast.parse(cell.source)
    except SyntaxError as error:
        yield _not_python(cell.source, error)
        return
    lines = code_lines(cell.source, tree)
    if not lines:
        yield "a cell of code must do something; it holds only comments"
    if "lesson" not in tags(cell):
        yield from _too_long(tree, lines)
    if any(token.string == ";" and token.type == tokenize.OP for token in _tokens(cell.source)):
        yield "no semicolons: a trailing one hides the output from JupyterLab but not from the comparison"
    if "nbval-ignore-output" in tags(cell) and not any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        yield "tag 'nbval-ignore-output' needs an assert in the same cell: what is not compared must be bounded"
    if "NBVAL_" in cell.source:
        yield "use tags, not NBVAL comments: the learner sees comments"


def _not_python(source, error):
    """The message for a cell that cannot be parsed."""
    for line in source.splitlines():
        if re.match(r"\s*[%!?]|.*\?\s*$|\s*[\w, ]+=\s*[%!]", line):
            return f"no magics and no shell commands, so that the cell runs everywhere: {line.strip()}"
    return f"is not Python: {error.msg} in its line {error.lineno}"


def _too_long(tree, lines):
    """A cell of more than 15 lines, and the function that makes it so."""
    if len(lines) <= CODE_LINES:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = [line for line in lines if node.lineno <= line <= node.end_lineno]
            if len(inside) > CODE_LINES:
                yield f"at most {CODE_LINES} lines to a function; {node.name} has {len(inside)}. Or tag it 'lesson'"
                return
    yield f"at most {CODE_LINES} lines of code to a cell; it has {len(lines)}. Split it, or tag it 'lesson'"


def lint_chapter(cells):
    """The rules for a chapter as a whole."""
    if len(cells) > CHAPTER_CELLS:
        yield f"at most {CHAPTER_CELLS} cells to a chapter; it has {len(cells)}"
    number = 0
    for kind, run in groupby(cells, key=lambda cell: cell.cell_type):
        length = len(list(run))
        if kind == "code" and length > CHAPTER_RUN:
            last = number + length
            yield f"at most {CHAPTER_RUN} cells of code in a row; put prose between cells {number + 1} and {last}"
        number += length
    sizes = [_size(cell) for cell in cells if cell.cell_type == "code"]
    if sizes and median(sizes) > CHAPTER_MEDIAN:
        yield f"the median cell of code has at most {CHAPTER_MEDIAN} lines; here it has {median(sizes):g}"


def _size(cell):
    """Lines of code in a cell; 0 where it is not Python, which is reported elsewhere."""
    try:
        return len(code_lines(cell.source, ast.parse(cell.source)))
    except SyntaxError:
        return 0


def code_lines(source, tree):
    """The numbers of the lines that hold code: no blank lines, comments or docstrings; a question counts as one."""
    lines = set()
    for token in _tokens(source):
        if token.type not in LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node):
            lines.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in QUESTIONS:
            # It is prose that the reader answers, however many lines it takes.
            lines.difference_update(range(node.lineno + 1, node.end_lineno + 1))
    return sorted(lines)


def _tokens(source):
    """The tokens of a cell that parses."""
    return list(tokenize.generate_tokens(io.StringIO(source).readline))
