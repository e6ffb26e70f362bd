"""A table of shares by two settings, such as the density of a gradient by kernel size and stride."""

import numpy as np
from matplotlib.colors import Normalize

from course_lib.figures import grids, style
from course_lib.figures.picture import finish

WIDE, LETTER, FONT = 1.35, 0.2, 9
WHOLE = Normalize(0, 1)


def shares(values, rows, columns, title="", *, marked=(), meaning="", ax=None):
    """Shares of a whole by two settings, as percentages on a pale to dark scale from 0 to 100 %.

    Parameters
    ----------
    values : ndarray (rows, columns)
        From 0 to 1.
    rows, columns : sequence of str
        What each row and each column stands for.
    title : str
        Written above.
    marked : sequence of (row, column)
        Cells to outline.
    meaning : str
        What the outline means, written below.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists

    Raises
    ------
    ValueError
        If a share is not from 0 to 1, or there is not one name for each row and column.
    """
    values = np.asarray(values, np.float64)
    if values.shape != (len(rows), len(columns)) or values.size == 0:
        raise ValueError(f"values must have shape ({len(rows)}, {len(columns)}), as named; got shape {values.shape}.")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"values must lie between 0 and 1; got {values.min():g} to {values.max():g}.")
    left, top = LETTER * max(map(len, rows)) + 0.4, 1.6 if title else 0.8

    below = f"Outlined: {meaning}" if len(marked) and meaning else ""
    wide = max(WIDE * len(columns), LETTER * max(len(below), 1.15 * len(title)))
    size = left + wide + 0.2, top + len(rows) + (0.9 if below else 0.2)

    def draw(sheet):
        artists = [artist for place in np.ndindex(values.shape)
                   for artist in _cell(sheet, (left + WIDE * place[1], top + place[0]), values[place])]  # fmt: skip
        # Outlines come last: a later cell would cover the half that lies on it.
        artists += [_outline(sheet, (left + WIDE * column, top + row)) for row, column in marked]
        return artists + _names(sheet, (left, top), rows, columns, title, below)

    return finish(draw, shares_text(values, rows, columns, title, marked, meaning), size, ax)


def percent(share):
    """A share as a picture writes it.

    Examples
    --------
    >>> percent(0.25), percent(1 / 9), percent(1.0), percent(0.0)
    ('25 %', '11.1 %', '100 %', '0 %')
    """
    return f"{100 * share:.3g} %"


def _cell(sheet, corner, share):
    """One cell and its number."""
    face = style.COUNTS(WHOLE(share))
    box = grids.Rectangle(corner, WIDE, 1, facecolor=face, edgecolor=style.EDGE, linewidth=0.7, zorder=1)
    middle = corner[0] + WIDE / 2, corner[1] + 0.5
    colour = style.text_on(face[:3])
    word = sheet.text(*middle, percent(share), fontsize=FONT + 0.5, color=colour, ha="center", va="center", zorder=5)
    return [sheet.add_artist(box), word]


def _outline(sheet, corner):
    """A heavy frame, light inside dark, so that it shows on every face."""
    x, y = corner[0] + 0.08, corner[1] + 0.08
    frame = grids.Rectangle(
        (x, y), WIDE - 0.16, 0.84, fill=False, edgecolor=style.ROUTE_COLOURS[1], lw=2, zorder=4,
        path_effects=grids.CASING,
    )  # fmt: skip
    return sheet.add_artist(frame)


def _names(sheet, corner, rows, columns, title, below):
    """Names of rows and columns, title and key."""
    left, top = corner
    looks = {"fontsize": FONT, "va": "center"}
    words = [(left - 0.2, top + row + 0.5, name, "right") for row, name in enumerate(rows)]
    words += [(left + WIDE * (column + 0.5), top - 0.35, name, "center") for column, name in enumerate(columns)]
    words += [(left, top + len(rows) + 0.5, below, "left")] if below else []
    artists = [sheet.text(x, y, name, ha=side, **looks) for x, y, name, side in words]
    return artists + ([sheet.text(left, 0.45, title, fontsize=10.5, va="center")] if title else [])


def shares_text(values, rows, columns, title, marked, meaning):
    """The text alternative: every share by its names."""
    text = [f"{title or 'Shares'}, {len(rows)} × {len(columns)}:"]
    for name, row in zip(rows, values, strict=True):
        each = [f"{column} {percent(share)}" for column, share in zip(columns, row, strict=True)]
        text.append(f"  {name}: {', '.join(each)}")
    spots = [f"{rows[row]}, {columns[column]}" for row, column in marked]
    return "\n".join(text + ([f"  Outlined{f' ({meaning})' if meaning else ''}: {'; '.join(spots)}."] if spots else []))
