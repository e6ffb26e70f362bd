"""A prediction: the reader commits to an answer before the cell below computes it."""

import html
import math
import re
from fractions import Fraction

import anywidget
import numpy as np
import traitlets

from course_lib import arguments
from course_lib.exercises import record
from course_lib.widgets import table as tables
from course_lib.widgets.explorable import HERE, Explorable

LARGEST_SIDE = 16
LONGEST = 90
NAME = r"\d\d-[a-z0-9][a-z0-9-]*"
VERDICTS = ("true", "false", "only if")
SUMMARY = "Think first, then open this"
# Alone, not with what draws the explorables: a notebook stores the script of every widget that it shows.
ALONE = "const KINDS = {};", "export default KINDS.prediction;"


def style():
    """The style sheet of a prediction."""
    return (HERE / "prediction.css").read_text(encoding="utf-8")


def script():
    """The part of a module that draws predictions: it adds itself to KINDS, which must be there."""
    return (HERE / "prediction.js").read_text(encoding="utf-8")


def alone():
    """The module that draws predictions and nothing else."""
    return script().join(f"{part}\n" for part in ALONE)


class Prediction(Explorable):
    """A question with a control to answer it; `predict` makes one.

    Attributes
    ----------
    table : dict
        The question, its form, and the answer to compare with.
    given : str
        What the reader predicted; "" before that. It is remembered in the reader's progress.
    note : str
        One sentence where it could not be remembered, else "".
    """

    _esm = alone()
    _css = style()
    given = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)

    def __init__(self, table):
        entries, _ = record.read(record.PREDICTIONS)
        before = entries.get(table["name"], {}).get("given")
        super().__init__(table=table, given=before if _fits(before, table) else "")
        # Only from here on: what was remembered need not be remembered again.
        self.observe(self._remember, "given")

    def __repr__(self):
        text = f"Prediction {self.table['name']}: {self.table['question']}"
        return text if len(text) <= LONGEST else text[: LONGEST - 1].rsplit(" ", 1)[0] + " …"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = anywidget.AnyWidget._repr_mimebundle_(self, **kwargs)
        # Where no widget is shown, as on a code host or before a notebook is trusted: the answer is folded below.
        return {**data, "text/html": folded(self.table)}, metadata

    @traitlets.validate("given")
    def _validate_given(self, proposal):
        if proposal.value and not _fits(proposal.value, self.table):
            raise traitlets.TraitError(f"given must be an answer to the question; got given={proposal.value!r}.")
        return proposal.value

    def _remember(self, change):
        """Notes a prediction in the reader's progress."""
        name, given = self.table["name"], change["new"]
        _, self.note = record.update(name, lambda entry: {**entry, "given": given}, record.PREDICTIONS)


def predict(name, question, *, choices=None, number=None, grid=None, answer, tolerance=0, why=""):
    """Asks the reader to predict something, and shows the answer after that.

    Exactly one of ``choices``, ``number`` and ``grid`` says how the reader answers. Texts may hold `code` between
    backticks. The answer is shown and not computed: a cell below must compute and assert it.

    Parameters
    ----------
    name : str
        The number of the chapter, a hyphen and a word, as "03-centre"; once in the course.
    question : str
    choices : sequence of str, optional
        Two or more; the answer is one of them.
    number : str, optional
        The answer is a number, and this is its unit, which may be "".
    grid : ndarray (H, W), optional
        The answer is the row and the column of one of its elements; at most 16 × 16.
    answer : str, number or (row, column)
        A number may be text such as "4/9".
    tolerance : float
        How far a number may be off to count as the same.
    why : str
        A sentence or two, shown with the answer.

    Returns
    -------
    Prediction

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit.

    Examples
    --------
    >>> predict("03-centre", "How many windows hold the centre?", choices=["1", "4"], answer="4")
    Prediction 03-centre: How many windows hold the centre?
    """
    table = {"kind": "prediction", "name": _name(name), "question": _text("question", question), "why": str(why)}
    forms = {"choices": choices, "number": number, "grid": grid}
    given = [form for form, value in forms.items() if value is not None]
    if len(given) != 1:
        raise ValueError(f"one of choices, number and grid must be given; got {', '.join(given) or 'none of them'}.")
    describe = {"choices": _choices, "number": _number, "grid": _grid}[given[0]]
    return Prediction({**table, "form": given[0], **describe(forms[given[0]], answer, tolerance)})


def bets(name, verdicts):
    """Asks the reader to call each of several numbered claims true, false, or true only under a condition.

    The claims stand in the text above. Like `predict`, it shows the verdicts after that, and computes none.

    Parameters
    ----------
    name : str
        As for `predict`.
    verdicts : dict of int to str
        By the number of the claim: "true", "false" or "only if".

    Returns
    -------
    Prediction

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit.

    Examples
    --------
    >>> bets("12-routes", {1: "false", 2: "only if"})
    Prediction 12-routes: What do you say of claims 1 to 2?
    """
    if not isinstance(verdicts, dict) or not verdicts or not all(map(arguments.is_integer, verdicts)):
        raise TypeError(f"verdicts must be a dict with the numbers of the claims; got verdicts={verdicts!r}.")
    numbers = [int(number) for number in verdicts]
    said = [arguments.choice("a verdict", verdict, VERDICTS) for verdict in verdicts.values()]
    table = {
        "kind": "prediction",
        "name": _name(name),
        "question": f"What do you say of claims {numbers[0]} to {numbers[-1]}?",
        "why": "",
        "form": "claims",
        "claims": numbers,
        "choices": list(VERDICTS),
        "answer": "|".join(said),
        "answer_text": ", ".join(f"{number} {verdict}" for number, verdict in zip(numbers, said, strict=True)),
    }
    return Prediction(table)


def _choices(choices, answer, _):
    """What the table says about a choice."""
    if not arguments.is_sequence(choices) or len(set(choices)) != len(choices) or len(choices) < 2:
        raise ValueError(f"choices must hold two or more different texts; got choices={choices!r}.")
    choices = [_text("choices", choice) for choice in choices]
    return {"choices": choices, "answer": arguments.choice("answer", answer, choices), "answer_text": answer}


def _number(unit, answer, tolerance):
    """What the table says about a number."""
    value = _value(answer) if isinstance(answer, str) else arguments.number("answer", answer)
    tolerance = arguments.number("tolerance", tolerance)
    if value is None or not math.isfinite(value):
        raise ValueError(f"answer must be a finite number; got answer={answer!r}.")
    if not 0 <= tolerance < math.inf:
        raise ValueError(f"tolerance must be finite and at least 0; got tolerance={tolerance!r}.")
    if not isinstance(unit, str):
        raise TypeError(f"number must be the unit in quotation marks, or ''; got number={unit!r}.")
    shown = answer if isinstance(answer, str) else str(tables.number(value))
    return {
        "unit": unit,
        "value": value,
        "tolerance": tolerance,
        "answer_text": f"{shown} {unit}".replace("-", "−").strip(),
    }


def _grid(grid, answer, _):
    """What the table says about a click."""
    grid = np.asarray(grid)
    if grid.ndim != 2 or not all(1 <= size <= LARGEST_SIDE for size in grid.shape):
        sides = f"1 to {LARGEST_SIDE} rows and columns"
        raise ValueError(f"grid must have shape (H, W) with {sides}; got shape {grid.shape}.")
    row, column = arguments.per_axis("answer", answer, 2, 0)
    if row >= grid.shape[0] or column >= grid.shape[1]:
        raise ValueError(f"answer must lie in the grid of shape {grid.shape}; got answer={answer!r}.")
    return {
        "shape": list(grid.shape),
        "texts": [str(tables.number(value, digits=4)).replace("-", "−") for value in grid.ravel()],
        "answer": f"{row},{column}",
        "answer_text": f"row {row}, column {column}",
    }


def _name(name):
    """The name of a prediction."""
    if not re.fullmatch(NAME, _text("name", name)):
        raise ValueError(f"name must be a chapter, a hyphen and a word in small letters, as '03-centre'; got {name!r}.")
    return name


def _text(name, value):
    """A text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{name} must be text in quotation marks; got {name}={value!r}.")
    return value


def _value(text):
    """The number that a text writes; None if it writes none."""
    try:
        return float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ArithmeticError):
        return None


def _fits(given, table):
    """Whether a text can answer the question: it may come from another edition of it."""
    if not isinstance(given, str):
        return False
    if table["form"] == "choices":
        return given in table["choices"]
    if table["form"] == "claims":
        said = given.split("|")
        return len(said) == len(table["claims"]) and set(said) <= set(table["choices"])
    if table["form"] == "number":
        return _value(given) is not None
    row, _, column = given.partition(",")
    rows, columns = table["shape"]
    return row.isdecimal() and column.isdecimal() and int(row) < rows and int(column) < columns


def folded(table):
    """The question as HTML, with the answer folded below it: for wherever no widget is shown.

    Parameters
    ----------
    table : dict

    Returns
    -------
    str
    """
    forms = {"choices": _choices_html, "grid": _grid_html}
    options = forms[table["form"]](table) if table["form"] in forms else ""
    why = f" {_html(table['why'])}" if table["why"] else ""
    answer = (
        f"<details><summary>{SUMMARY}</summary><p><strong>{_html(table['answer_text'])}.</strong>{why}</p></details>"
    )
    return f"<p><strong>Predict.</strong> {_html(table['question'])}</p>{options}{answer}"


def _choices_html(table):
    """The choices as a list."""
    return f"<ul>{''.join(f'<li>{_html(choice)}</li>' for choice in table['choices'])}</ul>"


def _grid_html(table):
    """The grid as a table, with the numbers of rows and columns."""
    rows, columns = table["shape"]
    head = "".join(f"<th>{column}</th>" for column in range(columns))
    lines = [table["texts"][row * columns : (row + 1) * columns] for row in range(rows)]
    body = "".join(
        f"<tr><th>{row}</th>{''.join(f'<td>{_html(text)}</td>' for text in line)}</tr>"
        for row, line in enumerate(lines)
    )
    return f"<table><tr><td></td>{head}</tr>{body}</table>"


def _html(text):
    """Text as HTML, with what stands between backticks as code."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))
