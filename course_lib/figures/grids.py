"""A grid of numbers: values, gradients or counts, with windows outlined and winners ringed."""

import numpy as np
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle
from matplotlib.patheffects import withStroke

from course_lib import arguments, geometry
from course_lib.figures import style, words
from course_lib.figures.picture import finish

TITLE = 0.95
MARGIN = 0.12
LETTER = 0.19
INSET = 0.07
# A pale rim keeps a coloured line apart from the colour of the cell beneath it.
CASING = (withStroke(linewidth=3.6, foreground=style.PAPER),)
WHAT = {"values": "Values", "gradients": "Gradients", "counts": "Counts"}


def grid(values, title="", *, scale="values", windows=(), winners=(), norm=None, ax=None):
    """A grid of numbers.

    Parameters
    ----------
    values : ndarray (H, W), (1, 1, H, W) or (L,)
        The numbers, each written into its cell. Axes of length 1 in front are left out.
    title : str
        Written above, and the name in the text alternative.
    scale : "values", "gradients" or "counts"
        Values stand on plain paper. Gradients are blue below zero, red above, palest at zero, on a scale that is
        symmetric about zero. Counts go from pale to dark.
    windows : sequence of (row, column, height, width)
        Outlined in the colours and line styles of the routes, in this order.
    winners : sequence of (row, column)
        Ringed, and their numbers bold; in the order of their windows.
    norm : matplotlib Normalize or None
        A scale to share with other grids; None takes the grid's own.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    arguments.choice("scale", scale, tuple(WHAT))
    values = plane(values)
    width, height, corner = around(values, title)

    def draw(sheet):
        artists = draw_grid(sheet, values, title, corner, style.faces(values, scale, norm), winners)
        return artists + frames(sheet, corner, windows)

    text = grid_text(values, title, scale, windows, winners)
    return finish(draw, text, (width, height), ax, corner[1] + len(values) / 2)


def gradient(values, title="", **options):
    """`grid` with the scale of gradients: blue below zero, red above, palest at zero."""
    return grid(values, title, scale="gradients", **options)


def counts(values, title="", *, largest=None, **options):
    """`grid` with the scale of counts, such as a coverage map: the darker, the more.

    The darkest is ``largest``, so that several maps can share a scale; None takes the largest of the values.
    """
    norm = None if largest is None else style.count_norm(np.array([largest]))
    return grid(values, title, scale="counts", norm=norm, **options)


def windows(x, kernel_size, stride=None, padding=0):
    """Where the windows of a pooling lie, for the pictures that frame them.

    Parameters
    ----------
    x : ndarray (H, W) or (1, 1, H, W)
    kernel_size, stride, padding
        As in `course_lib.max_pool`. What lies on padding is not framed.

    Returns
    -------
    list of (row, column, height, width), in the order of the outputs

    Examples
    --------
    >>> windows(np.zeros((2, 4)), 2)
    [(0, 0, 2, 2), (0, 2, 2, 2)]
    """
    axes = arguments.pool_axes(plane(x).shape, kernel_size, stride, padding)
    rows, columns = ([_real_span(axis, start) for start in geometry.window_starts(axis)] for axis in axes)
    return [(row, column, high, wide) for row, high in rows for column, wide in columns]


def _real_span(axis, start):
    """Start and length of what a window has of the input, along one axis."""
    first, end = max(int(start), 0), min(int(start) + axis.kernel, axis.size)
    return first, end - first


def around(values, title):
    """Width and height of a grid with its title, and the corner at which its cells begin; all in cells."""
    rows, columns = values.shape
    top = TITLE if title else MARGIN
    width = max(columns, LETTER * len(title)) + 2 * MARGIN
    return width, rows + top + MARGIN, ((width - columns) / 2, top)


def plane(values):
    """A copy of the one plane in an array, as (H, W); a row becomes (1, L)."""
    values = np.array(values)
    while values.ndim > 2 and len(values) == 1:
        values = values[0]
    if not 1 <= values.ndim <= 2 or values.size == 0:
        raise ValueError(f"values must be one plane of numbers; got shape {values.shape}.")
    return np.atleast_2d(values)


def grid_text(values, title, scale, windows, winners):
    """The text alternative of a grid."""
    text = f"{title or WHAT[scale]}, {words.shape(values)}:\n{words.rows(values)}"
    if len(winners):
        text += f"\n  Ringed (row, column): {words.listing(winners)}."
    if len(windows):
        spots = ", ".join(f"{high} × {wide} at ({row}, {column})" for row, column, high, wide in windows)
        text += f"\n  Outlined: {spots}."
    return text


def draw_grid(sheet, values, title, corner, faces, winners=()):
    """The cells, numbers, rings and title of one grid on a sheet that may hold more."""
    artists = cells(sheet, values, faces, corner, winners)
    artists += [ring(sheet, corner, place, number) for number, place in enumerate(winners)]
    return artists + heading(sheet, title, corner[0] + values.shape[1] / 2, corner[1] - 0.3)


def cells(sheet, values, faces, corner, bold=()):
    """Draws the cells and their numbers, with ``corner`` as the left and top of the first."""
    left, top = corner
    bold = {tuple(place) for place in bold}
    artists = []
    for place, value in np.ndenumerate(values):
        x, y = left + place[1], top + place[0]
        artists.append(cell(sheet, x, y, faces[place]))
        artists.append(label(sheet, x + 0.5, y + 0.5, value, faces[place], place in bold))
    return artists


def cell(sheet, x, y, face):
    """One square."""
    return sheet.add_artist(Rectangle((x, y), 1, 1, facecolor=face, edgecolor=style.EDGE, linewidth=0.7, zorder=1))


def label(sheet, x, y, value, face, bold=False, effects=()):
    """One number, in black or white, whichever can be read on the cell; zeros stand back."""
    colour = style.text_on(face[:3])
    word = words.number(value)
    return sheet.text(
        x, y, word, ha="center", va="center_baseline", zorder=5, color=colour, fontsize=letters(sheet, word),
        fontweight="bold" if bold else "normal", alpha=0.6 if value == 0 and not bold else 1,
        path_effects=effects,
    )  # fmt: skip


def letters(sheet, word):
    """The size in points at which a word fits into a cell as large as it is drawn."""
    return min(10.5, 62 * cell_inches(sheet) / max(len(word) * 0.62, 1.75))


def cell_inches(sheet):
    """The side of one cell on paper."""
    return sheet.bbox.width / sheet.figure.dpi / abs(np.subtract(*sheet.get_xlim()))


def ring(sheet, corner, place, number, radius=0.33):
    """A circle round a winner, in its window's colour."""
    colour, _ = style.route_style(number)
    middle = corner[0] + place[1] + 0.5, corner[1] + place[0] + 0.5
    return sheet.add_artist(Circle(middle, radius, fill=False, edgecolor=colour, lw=2, zorder=4, path_effects=CASING))


def frames(sheet, corner, windows):
    """A frame round each window; where windows overlap, each a little smaller than the last, so that all are seen."""
    step = 0.035 if overlap(windows) else 0
    return [outline(sheet, corner, window, n, INSET + step * (n % 4)) for n, window in enumerate(windows)]


def overlap(windows):
    """Whether two windows share an element."""
    elements = [(row + i, column + j) for row, column, high, wide in windows for i, j in np.ndindex(high, wide)]
    return len(set(elements)) < len(elements)


def outline(sheet, corner, window, number, inset=INSET):
    """A frame round a window, a little inside it, so that the frames of neighbours do not cover each other."""
    colour, line = style.route_style(number)
    (left, top), (row, column, high, wide) = corner, window
    frame = FancyBboxPatch(
        (left + column + inset, top + row + inset), wide - 2 * inset, high - 2 * inset, fill=False, edgecolor=colour,
        linestyle=line, linewidth=2, zorder=3, boxstyle="round,pad=0,rounding_size=0.12",
    )  # fmt: skip
    return sheet.add_artist(frame)


def heading(sheet, title, x, y):
    """The title above a grid."""
    return [sheet.text(x, y, title, ha="center", va="baseline", fontsize=10.5, zorder=5)] if title else []
