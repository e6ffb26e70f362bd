"""An input with what lies around it: padding, and beyond that what a last window overhangs."""

import numpy as np
from matplotlib.patches import Rectangle

from course_lib import arguments
from course_lib.figures import grids, style, words
from course_lib.figures.picture import finish

RIM = "#d3cec3"
DASHES, DOTS = (0, (3, 2)), (0, (1, 2))


def padded(values, padding, title="", *, overhang=0, scale="values", windows=(), winners=(), ax=None):
    """A padded grid: the input on paper, padding darker with dashed edges, an overhang as dotted empty cells.

    Parameters
    ----------
    values : ndarray (H, W), (1, 1, H, W) or (L,)
        Padding included, as `numpy.pad` makes it. A row is padded at its ends only.
    padding : int or (before, after)
        How many elements of padding lie before and after the input, on each axis.
    title : str
        Written above.
    overhang : int
        How many cells to draw after the padding, on each axis, that a last window reaches beyond it.
    scale : "values", "gradients" or "counts"
        As in `grid`; for the elements of the input.
    windows : sequence of (row, column, height, width)
        Outlined, in coordinates of the input, which are negative in the padding before it.
    winners : sequence of (row, column)
        Ringed, in the same coordinates.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    arguments.choice("scale", scale, tuple(grids.WHAT))
    row = np.ndim(values) == 1
    values = grids.plane(values)
    around = arguments.per_axis("padding", padding, 2, 0)
    rims = ((0, 0) if row else around), around
    beyond = (0 if row else overhang), overhang
    whole = np.add(values.shape, beyond)
    width, height, corner = grids.around(np.empty(whole), title)
    real = _inside(values.shape, rims)
    faces = style.faces(np.where(real, values, 0), scale)
    origin = corner[0] + rims[1][0], corner[1] + rims[0][0]

    def draw(sheet):
        artists = [_around(sheet, corner, place, values) for place in np.ndindex(*whole) if not _at(real, place)]
        artists += [_number(sheet, corner, place, values) for place in zip(*np.nonzero(~real), strict=True)]
        part = tuple(slice(rim[0], size - rim[1]) for rim, size in zip(rims, values.shape, strict=True))
        artists += grids.cells(sheet, values[part], faces[part], origin, winners)
        artists += [grids.ring(sheet, origin, place, number) for number, place in enumerate(winners)]
        artists += grids.frames(sheet, origin, windows)
        return artists + grids.heading(sheet, title, width / 2, corner[1] - 0.3)

    text = padded_text(values, rims, title, scale, windows, winners, overhang)
    return finish(draw, text, (width, height), ax, corner[1] + whole[0] / 2)


def _inside(shape, rims):
    """Which elements of a padded grid belong to the input."""
    marks = [
        (np.arange(size) >= before) & (np.arange(size) < size - after)
        for size, (before, after) in zip(shape, rims, strict=True)
    ]
    return np.logical_and.outer(*marks)


def _at(marks, place):
    """A mark, or False outside the marks."""
    return all(at < size for at, size in zip(place, marks.shape, strict=True)) and bool(marks[tuple(place)])


def _around(sheet, corner, place, values):
    """One cell of padding, or beyond it."""
    beyond = any(at >= size for at, size in zip(place, values.shape, strict=True))
    looks = {"fill": False, "linestyle": DOTS} if beyond else {"facecolor": RIM, "linestyle": DASHES}
    x, y = corner[0] + place[1], corner[1] + place[0]
    return sheet.add_artist(Rectangle((x, y), 1, 1, edgecolor=style.INK, lw=0.9, zorder=0.9, **looks))


def _number(sheet, corner, place, values):
    """The number in one cell of padding."""
    face = np.array([int(RIM[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return grids.label(sheet, corner[0] + place[1] + 0.5, corner[1] + place[0] + 0.5, values[place], face)


def padded_text(values, rims, title, scale, windows, winners, overhang):
    """The text alternative: all numbers, and how many at each border are padding."""
    text = grids.grid_text(values, title, scale, windows, winners)
    before, after = rims[1]
    sides = f"{before} before and {after} after" + (", along the row" if rims[0] == (0, 0) else ", on both axes")
    text += f"\n  Padding, included above: {sides}. Rows and columns are counted from the input's first element."
    return text + (f" The last window reaches {words.number(overhang)} beyond." if overhang else "")
