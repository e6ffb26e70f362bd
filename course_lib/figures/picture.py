"""A finished picture: it shows itself in a notebook, and reads as text where it cannot be seen."""

import io

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from course_lib.figures import style


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
            file = io.BytesIO()
            figure.savefig(file, format="png", metadata={"Software": None, "Description": self.text})
        return file.getvalue()


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
    width = sum(picture.size[0] for picture in pictures) + gap * (len(pictures) - 1)
    middle = max(picture.middle for picture in pictures)
    height = middle + max(picture.size[1] - picture.middle for picture in pictures)

    def draw(sheet):
        return [artist for artists in _placed(pictures, gap, middle, sheet) for artist in artists]

    return finish(draw, "\n\n".join(picture.text for picture in pictures), (width, height), ax, middle)


def _placed(pictures, gap, middle, sheet):
    """Draws each picture on its own part of the sheet."""
    left = 0
    for picture in pictures:
        width, height = picture.size
        part = sheet.inset_axes((left, middle - picture.middle, width, height), transform=sheet.transData)
        yield picture.draw(part)
        left += width + gap
