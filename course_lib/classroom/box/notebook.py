"""From the bytes of a notebook, or of a script, to the statements in its cells; nothing of it runs."""

import ast
import json
import re
import warnings
from typing import NamedTuple

MOST_SOURCE, MOST_CELLS = 1 << 20, 5000
# Cell magics that leave the rest of the cell Python.
TRANSPARENT = ("%%time", "%%timeit", "%%capture", "%%prun")
# A question at the end of a comment or of a text asks for no help.
NOT_PYTHON = re.compile(r"""\s*(?:[%!?]|\w+\s*=\s*[%!]|[\w.]+\?)|[^#'"]*\?\s*$""")
JOINED = 3


class Unreadable(Exception):
    """Why nothing can be read, in words for the student."""


class Cell(NamedTuple):
    """One cell: its number from 1, its type and its text."""

    number: int
    kind: str
    text: str


def cells_of(data, name):
    """The cells of a notebook or of a script.

    Parameters
    ----------
    data : bytes
    name : str
        The file's; a script ends in ``.py``.

    Raises
    ------
    Unreadable
    """
    if not data.strip():
        raise Unreadable("the file is empty")
    text = _text(data)
    if "\0" in text:
        raise Unreadable("the file holds NUL characters: it is no notebook")
    cells = [Cell(1, "code", text)] if name.lower().endswith(".py") else list(_of_notebook(text))
    if len(cells) > MOST_CELLS or sum(len(cell.text) for cell in cells) > MOST_SOURCE:
        raise Unreadable("there is too much code in it")
    return [cell for cell in cells if "\0" not in cell.text]


def _text(data):
    """Text in UTF-8, or as the marks at its beginning say, or else in what older systems wrote."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _of_notebook(text):
    """The cells of a notebook, of format 4 or older."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("the file is no notebook: its JSON is broken or cut off") from None
    if type(notebook) is not dict:
        raise Unreadable("the file is no notebook: it holds no cells")
    found = notebook.get("cells")
    if found is None and type(notebook.get("worksheets")) is list:
        sheets = [sheet for sheet in notebook["worksheets"] if type(sheet) is dict]
        found = [cell for sheet in sheets for cell in sheet.get("cells") or ()]
    if type(found) is not list:
        raise Unreadable("the file is no notebook: it holds no cells")
    for number, cell in enumerate(found, 1):
        if type(cell) is dict:
            source = cell.get("source", cell.get("input", ""))
            lines = source if type(source) is list else [source]
            # A lone surrogate, which JSON can write, is no text.
            source = "".join(line for line in lines if type(line) is str).encode("utf-8", "replace").decode()
            yield Cell(number, str(cell.get("cell_type")), source)


class Program(NamedTuple):
    """The statements of a notebook in order, and sentences about cells that are no Python."""

    statements: list
    notes: list


def program_of(cells):
    """The statements of the code cells; a broken cell costs nothing but itself, and a split one is joined again."""
    code = [cell for cell in cells if cell.kind == "code"]
    statements, notes, skip = [], [], 0
    for place, cell in enumerate(code):
        if skip:
            skip -= 1
            continue
        for count in range(1, JOINED + 1):
            text = "\n".join(one.text for one in code[place : place + count])
            parsed = parsed_cell(text)
            if type(parsed) is list:
                statements += placed(parsed, cell.number, text)
                skip = count - 1
                break
        else:
            if not _joined_to_last(code, place, statements):
                notes.append(f"cell {cell.number} is no Python: {parsed_cell(cell.text)}")
    return Program(statements, notes)


def _joined_to_last(code, place, statements):
    """Whether a cell goes on where the cell before ended, in the middle of a function."""
    if place == 0 or not code[place].text.startswith((" ", "\t")):
        return False
    before = parsed_cell(code[place - 1].text)
    text = code[place - 1].text.rstrip() + "\n" + code[place].text
    parsed = parsed_cell(text)
    if type(parsed) is not list or type(before) is not list:
        return False
    statements[len(statements) - len(before) :] = placed(parsed, code[place - 1].number, text)
    return True


def placed(statements, number, text):
    """The statements, each with its cell's name and text, so that an error can show its line."""
    for statement in statements:
        statement.place = f"cell {number}", text
    return statements


def parsed_cell(text):
    """The statements of a cell, or words about its error."""
    if text.lstrip().startswith("%%"):
        if not text.lstrip().startswith(TRANSPARENT):
            return []
        text = text.lstrip().partition("\n")[2]
    try:
        return _parsed(text)
    except SyntaxError:
        lines = text.splitlines()
    kept = [re.sub(r"\S.*", "pass", line) if NOT_PYTHON.match(line) else line for line in lines]
    try:
        return _parsed("\n".join(kept))
    except SyntaxError as error:
        return f"{error.msg} in line {error.lineno or 1}"[:200]


def _parsed(text):
    """The statements of Python code. What kills the parser is an error like any other where it can be caught."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (RecursionError, MemoryError, ValueError) as error:
        raise SyntaxError(f"it cannot be parsed ({type(error).__name__})") from None
