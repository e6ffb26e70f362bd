"""A sum of grids: what each window adds, and what it comes to."""

import numpy as np

from course_lib import arguments
from course_lib.figures import grids, style
from course_lib.figures.picture import finish

BETWEEN = 0.8


def added(parts, windows, names, title="sum", *, scale="gradients", ax=None):
    """Grids that overlap where windows do, and their sum.

    Parameters
    ----------
    parts : sequence of ndarray (H, W) or (1, 1, H, W)
        What each window adds; nothing is written outside its window.
    windows : sequence of (row, column, height, width)
        One for each part, framed in the colour and line style of its routes.
    names : sequence of str
        Written above the parts.
    title : str
        Written above the sum.
    scale : "gradients" or "counts"
        Gradients are blue below zero, red above, palest at zero; counts go from pale to dark. One scale for all grids.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    arguments.choice("scale", scale, ("gradients", "counts"))
    parts = [grids.plane(part) for part in parts]
    if not len(parts) == len(windows) == len(names):
        raise ValueError(
            "added must get one window and one name for each part; "
            f"got {len(parts)} parts, {len(windows)} windows, {len(names)} names."
        )
    total = np.sum(parts, axis=0)
    norm = style.gradient_norm(total, *parts) if scale == "gradients" else style.count_norm(total)
    step, corner = total.shape[1] + BETWEEN, (grids.MARGIN, grids.TITLE)

    def draw(sheet):
        artists = []
        for number, (part, window, name) in enumerate(zip(parts, windows, names, strict=True)):
            here = corner[0] + number * step, corner[1]
            artists += _part(sheet, part, window, name, here, style.faces(part, scale, norm), number)
            artists.append(_sign(sheet, here, total.shape, "=" if number == len(parts) - 1 else "+"))
        end = corner[0] + len(parts) * step, corner[1]
        return artists + grids.draw_grid(sheet, total, title, end, style.faces(total, scale, norm))

    size = (len(parts) * step + total.shape[1] + 2 * grids.MARGIN, total.shape[0] + grids.TITLE + grids.MARGIN)
    return finish(draw, added_text(parts, windows, names, total, title, scale), size, ax)


def _part(sheet, part, window, name, corner, faces, number):
    """One part: an empty lattice, and inside the window its numbers."""
    row, column, high, wide = window
    inside = slice(row, row + high), slice(column, column + wide)
    artists = [
        grids.cell(sheet, corner[0] + place[1], corner[1] + place[0], style.PAPER) for place in np.ndindex(part.shape)
    ]
    artists += grids.cells(sheet, part[inside], faces[inside], (corner[0] + column, corner[1] + row))
    artists.append(grids.outline(sheet, corner, window, number, 0.0))
    return artists + grids.heading(sheet, name, corner[0] + part.shape[1] / 2, corner[1] - 0.3)


def _sign(sheet, corner, shape, sign):
    """The sign to the right of a part."""
    x, y = corner[0] + shape[1] + BETWEEN / 2, corner[1] + shape[0] / 2
    return sheet.text(x, y, sign, ha="center", va="center", fontsize=13, zorder=5)


def added_text(parts, windows, names, total, title, scale):
    """The text alternative: every part, then the sum."""
    texts = [
        grids.grid_text(part, name, scale, [window], ())
        for part, window, name in zip(parts, windows, names, strict=True)
    ]
    return "\n".join([*texts, grids.grid_text(total, f"{title}, the sum of all", scale, (), ())])
