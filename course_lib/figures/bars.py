"""A few numbers by name, as bars that stand side by side so that they can be compared."""

import numpy as np
from matplotlib.patches import Rectangle

from course_lib.figures import style, words
from course_lib.figures.picture import finish

LENGTH, ROW, GROUP = 8.0, 0.62, 0.42
LETTER, FONT = 0.2, 9
MOST_SERIES = len(style.ROUTE_COLOURS)
HATCHES = ("", "///", "...", "\\\\\\")


def bars(values, title="", *, unit="", mark=None, ax=None):
    """Numbers by name, as bars from zero.

    Parameters
    ----------
    values : dict of str to float, or of str to dict of str to float
        One bar a name; or a group of bars a name, one for each series. All finite, and at least 0.
    title : str
        Written above.
    unit : str
        Written behind each number.
    mark : float or None
        A number to compare with, drawn as a dashed line.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists. Each series has a colour and a hatching of its own.

    Raises
    ------
    ValueError
        If there is nothing to draw, a number is negative or not finite, or the series differ.
    """
    table = {name: value if isinstance(value, dict) else {"": value} for name, value in values.items()}
    series = _series(table)
    numbers = np.array([[float(row[name]) for name in series] for row in table.values()])
    if not (np.isfinite(numbers).all() and (numbers >= 0).all()):
        raise ValueError(f"values must be finite and at least 0; got {values!r}.")
    left = LETTER * max(map(len, table)) + 0.5
    top = (1.0 if title else 0.3) + (0.75 if len(series) > 1 else 0)
    step = ROW * len(series) + GROUP
    scale = LENGTH / (max(numbers.max(), mark or 0) or 1)
    behind = LETTER * (7 + len(unit))
    past = None if mark is None else left + scale * mark

    def draw(sheet):
        artists = [sheet.text(left, 0.45, title, fontsize=10.5, va="center")] if title else []
        artists += _legend(sheet, series, left, top - 0.55) if len(series) > 1 else []
        for place, (name, row) in enumerate(zip(table, numbers, strict=True)):
            y = top + place * step
            middle = y + (step - GROUP) / 2
            artists.append(sheet.text(left - 0.25, middle, name, fontsize=FONT, ha="right", va="center"))
            for number, value in enumerate(row):
                artists += _bar(sheet, (left, y + number * ROW), scale * value, number, _said(value, unit), past)
        if mark is not None:
            ends = (top - 0.1, top + len(table) * step - GROUP + 0.1)
            artists += sheet.plot([past, past], ends, color=style.INK, lw=1.2, linestyle=(0, (4, 2)))
        return artists

    size = left + LENGTH + behind, top + len(table) * step
    return finish(draw, bars_text(table, title, unit, mark), size, ax)


def _series(table):
    """The names of the series, the same in every row."""
    if not table or not all(table.values()):
        raise ValueError("values must name one number at least.")
    names = list(next(iter(table.values())))
    if any(list(row) != names for row in table.values()) or len(names) > MOST_SERIES:
        raise ValueError(f"every name must have the same series, at most {MOST_SERIES}; got {list(table.values())!r}.")
    return names


def _bar(sheet, corner, length, series, text, mark):
    """One bar and its number, which steps over the mark where it would stand on it."""
    colour = style.ROUTE_COLOURS[series]
    look = {"facecolor": colour, "edgecolor": style.PAPER, "linewidth": 0.4, "hatch": HATCHES[series]}
    bar = sheet.add_patch(Rectangle(corner, max(length, 0.03), ROW - 0.08, **look))
    middle, end = corner[1] + (ROW - 0.08) / 2, corner[0] + length
    if mark is not None and end < mark < end + 0.3 + LETTER * len(text):
        end = mark
    return [bar, sheet.text(end + 0.18, middle, text, fontsize=FONT, va="center")]


def _legend(sheet, series, left, y):
    """Which colour and hatching is which series."""
    artists, x = [], left
    for number, name in enumerate(series):
        look = {"facecolor": style.ROUTE_COLOURS[number], "edgecolor": style.PAPER, "hatch": HATCHES[number]}
        artists.append(sheet.add_patch(Rectangle((x, y - 0.2), 0.6, 0.4, linewidth=0.4, **look)))
        artists.append(sheet.text(x + 0.75, y, name, fontsize=FONT, va="center"))
        x += 1.3 + LETTER * len(name)
    return artists


def _said(value, unit):
    """A number with its unit."""
    return f"{words.number(value)} {unit}".strip()


def bars_text(table, title, unit, mark):
    """The text alternative: all numbers."""
    lines = [f"{title or 'Bars'}:"]
    for name, row in table.items():
        said = ", ".join(f"{series} {_said(value, unit)}".strip() for series, value in row.items())
        lines.append(f"  {name}: {said}")
    return "\n".join(lines + ([f"  To compare with: {_said(mark, unit)}."] if mark is not None else []))
