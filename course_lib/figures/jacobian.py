"""The local Jacobian as a table: one row for each output, one column for each input."""

import numpy as np

from course_lib.figures import grids, style, words
from course_lib.figures.picture import finish

LEFT, TOP, RIGHT = 1.75, 1.15, 0.6


def jacobian(matrix, shape_in, shape_out, title="", *, ax=None):
    """A local Jacobian: how much each output moves when an input moves.

    Parameters
    ----------
    matrix : ndarray or sparse array (outputs, inputs)
        As `routing.Routes.jacobian` returns it. Blue is below zero, red above, palest is zero.
    shape_in, shape_out : tuple of int
        Shapes of input and output, for the names of columns and rows; axes of length 1 in front are left out.
    title : str
        Written above.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists. The frame before each row has the style of that output's routes.
    """
    matrix = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)
    inputs, outputs = _places(shape_in), _places(shape_out)
    if matrix.shape != (len(outputs), len(inputs)):
        raise ValueError(
            f"matrix must have one row for each output and one column for each input; got shape {matrix.shape}, "
            f"shape_in={tuple(shape_in)}, shape_out={tuple(shape_out)}."
        )
    norm = style.gradient_norm(matrix, np.ones(1))
    corner = (LEFT, TOP + (0.85 if title else 0))

    def draw(sheet):
        artists = grids.draw_grid(sheet, matrix, "", corner, style.faces(matrix, "gradients", norm))
        artists += _row_names(sheet, corner, outputs) + _column_names(sheet, corner, inputs)
        return artists + grids.heading(sheet, title, corner[0] + len(inputs) / 2, 0.6)

    size = (LEFT + len(inputs) + RIGHT, corner[1] + len(outputs) + grids.MARGIN)
    return finish(draw, jacobian_text(matrix, inputs, outputs, title), size, ax)


def _places(shape):
    """Every place of a plane in row-major order."""
    shape = tuple(shape)
    while len(shape) > 2 and shape[0] == 1:
        shape = shape[1:]
    return list(np.ndindex(shape))


def _row_names(sheet, corner, outputs):
    """The outputs, down the left side, each with the frame of its routes."""
    artists = []
    for number, place in enumerate(outputs):
        artists.append(grids.outline(sheet, corner, (number, -LEFT + 0.08, 1, LEFT - 0.16), number))
        artists.append(_name(sheet, corner[0] - LEFT / 2, corner[1] + number + 0.5, "y " + words.position(place)))
    return artists


def _column_names(sheet, corner, inputs):
    """The inputs, above their columns, slanted so that they do not run into each other."""
    return [
        _name(sheet, corner[0] + number + 0.35, corner[1] - 0.12, "x " + words.position(place), rotation=40)
        for number, place in enumerate(inputs)
    ]


def _name(sheet, x, y, word, rotation=0):
    """One name, as large as the numbers would be."""
    sides = {"ha": "left", "va": "bottom", "rotation_mode": "anchor"} if rotation else {"ha": "center", "va": "center"}
    return sheet.text(
        x, y, word, fontsize=min(8.5, 20 * grids.cell_inches(sheet)), rotation=rotation, zorder=5, **sides
    )


def jacobian_text(matrix, inputs, outputs, title):
    """The text alternative: the entries that are not zero, row by row."""
    lines = [f"{title or 'Local Jacobian'}, {words.shape(matrix)}; entries that are not zero:"]
    for row, place in zip(matrix, outputs, strict=True):
        entries = [f"{words.number(row[n])} for x {words.position(inputs[n])}" for n in np.flatnonzero(row)]
        lines.append(f"  y {words.position(place)}: {', '.join(entries) or 'none'}")
    return "\n".join(lines)
