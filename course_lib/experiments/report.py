"""What an experiment found: one row a variant, one column a field, and where it was run."""

import textwrap
from html import escape

import numpy as np

from course_lib.experiments.fields import FIELDS

WIDTH = 110
TABLE = "border-collapse:collapse;margin:0;border:none;font-size:inherit"
CELL = "text-align:left;vertical-align:top;padding:3px 14px 3px 0;border:none;background:transparent;white-space:nowrap"


class Report:
    """The measured table of a design. It shows itself in a notebook and as text.

    Attributes
    ----------
    design : Design
    environment : dict of str to str or int
    rows : dict of str to dict of str to ndarray
        By variant and field: one entry a seed on the first axis, or a single number for what has no seed.

    Examples
    --------
    ``report["max"]["accuracy"].mean()``
    """

    def __init__(self, design, environment, rows):
        self.design, self.environment, self.rows = design, environment, rows

    def __getitem__(self, variant):
        return self.rows[variant]

    def mean(self, field):
        """The mean over the seeds of a field, by variant."""
        return {name: np.mean(row[field], axis=0) for name, row in self.rows.items()}

    def cells(self):
        """The table as texts: two lines of heading, then one line a variant."""
        heads = [("", "variant"), *(_halves(field) for field in self.design.fields)]
        lines = [[name, *(FIELDS[field].write(row[field]) for field in row)] for name, row in self.rows.items()]
        return [*map(list, zip(*heads, strict=True)), *lines]

    def notes(self):
        """What the table does not say itself: the budget, the environment, and what each column is."""
        design = self.design
        seeds = ", ".join(map(str, design.seeds))
        yield f"Budget of every run: {design.steps} steps of {design.batch_size} images; seeds {seeds}."
        yield "Environment: " + ", ".join(f"{name} {value}" for name, value in self.environment.items()) + "."
        for field in design.fields:
            yield f"{field}: {FIELDS[field].meaning}."

    def __repr__(self):
        cells = self.cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(c, widths, strict=True)).rstrip() for c in cells]
        return "\n".join([*lines, *(textwrap.fill(note, WIDTH, subsequent_indent="  ") for note in self.notes())])

    def _repr_html_(self):
        top = "".join(
            f'<th scope="col" style="{CELL}">{escape(name)}</th>' for name in ("variant", *self.design.fields)
        )
        body = "".join(map(_html_line, self.cells()[2:]))
        notes = "".join(f'<p style="margin:4px 0 0">{escape(note)}</p>' for note in self.notes())
        return f'<table style="{TABLE}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{notes}'


def _halves(heading):
    """A heading in two lines, so that a column is no wider than its numbers."""
    first, _, second = heading.partition(" ")
    return (first, second) if second else ("", first)


def _html_line(line):
    """One variant."""
    name, *cells = line
    rest = "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in cells)
    return f'<tr style="background:transparent"><th scope="row" style="{CELL}">{escape(name)}</th>{rest}</tr>'
