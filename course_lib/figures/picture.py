"""A finished picture: it shows itself in a notebook, and reads as text where it cannot be seen."""

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from course_lib.figures import png, style


class Picture:
    """What the functions of this package return when they are not given an axes.

    As the last line of a cell it shows itself as PNG; ``repr(picture)`` is its text alternative, which holds the
    numbers. The picture is drawn when it is shown; nothing stays open.

    Attributes
    ----------
    text : str
        The text alternative.
    size : tuple of float
        Width and height in cells: one grid cell is one unit.
    middle : float
        How far below the top the middle of its main part lies, in cells.
    """

    def __init__(self, draw, text, size, middle=None):
        self._draw, self.text, self.size = draw, text, size
        self.middle = size[1] / 2 if middle is None else middle

    def __repr__(self):
        return self.text

    def draw(self, ax):
        """Draws on an axes, all of which it takes, and returns the artists."""
        canvas(ax, *self.size)
        with rc_context(style.LETTERS):
            return self._draw(ax)

    def inches(self):
        """Width and height: one cell has one size in all pictures, unless the picture would be too wide."""
        cell = min(style.CELL_INCHES, style.WIDEST / self.size[0])
        return self.size[0] * cell, self.size[1] * cell

    def save(self, path, background="none"):
        """Writes the picture as PNG, transparent unless a background is given."""
        with open(path, "wb") as file:
            file.write(self._png(background))

    def _repr_png_(self):
        """Bytes and metadata for Jupyter: the size on a page, and the text for those who do not see it."""
        width, height = (round(length * style.PAGE_DOTS_PER_INCH) for length in self.inches())
        return self._png("none"), {"width": width, "height": height, "alt": self.text}

    def _png(self, background):
        """The drawing as PNG, twice as fine as a page shows it; the same bytes for the same data."""
        with rc_context(style.LETTERS):
            # A Figure of its own, not pyplot's: nothing is left open and no other setting of the reader's is touched.
            figure = Figure(self.inches(), dpi=style.DOTS_PER_INCH, facecolor=background)
            FigureCanvasAgg(figure)
            self.draw(figure.add_axes((0, 0, 1, 1)))
            figure.canvas.draw()
        return png.written(figure, self.text)


def canvas(ax, width, height):
    """Turns an axes into a sheet of cells, counted from the top left."""
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()


def finish(draw, text, size, ax, middle=None):
    """The end of every picture function: artists where an axes was given, else a `Picture`."""
    picture = Picture(draw, text, size, middle)
    return picture if ax is None else picture.draw(ax)


def side_by_side(*pictures, gap=0.9, ax=None):
    """Several pictures in a row, in one scale, their middles at one height.

    Parameters
    ----------
    pictures : Picture
    gap : float
        The space between two of them, in cells.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    middle = max(picture.middle for picture in pictures)
    lefts = _starts([picture.size[0] for picture in pictures], gap)
    corners = [(left, middle - picture.middle) for left, picture in zip(lefts, pictures, strict=True)]
    return _together(pictures, corners, ax, middle)


def stacked(*pictures, gap=0.5, ax=None):
    """Several pictures one above the other, in one scale, their left edges in one line.

    Parameters
    ----------
    pictures : Picture
    gap : float
        The space between two of them, in cells.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    tops = _starts([picture.size[1] for picture in pictures], gap)
    return _together(pictures, [(0, top) for top in tops], ax)


def _starts(lengths, gap):
    """Where each of several lengths begins when they are laid end to end with gaps."""
    return [sum(lengths[:number]) + gap * number for number in range(len(lengths))]


def _together(pictures, corners, ax, middle=None):
    """One picture of several, each with its left and top on the sheet."""
    ends = [np.add(corner, picture.size) for corner, picture in zip(corners, pictures, strict=True)]
    size = tuple(float(length) for length in np.max(ends, axis=0))

    def draw(sheet):
        return [artist for picture, corner in zip(pictures, corners, strict=True)
                for artist in picture.draw(_part(sheet, corner, picture.size))]  # fmt: skip

    return finish(draw, "\n\n".join(picture.text for picture in pictures), size, ax, middle)


def _part(sheet, corner, size):
    """A part of the sheet, as axes of its own."""
    return sheet.inset_axes((*corner, *size), transform=sheet.transData)
