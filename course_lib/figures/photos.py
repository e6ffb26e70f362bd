"""A photograph, and one window of it under the glass."""

from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from course_lib.figures import grids, style, words
from course_lib.figures.picture import finish

WIDTH = 7.0
GLASS = 1.1


def photo(image, title="", *, window=None, ax=None):
    """A grey photograph.

    Parameters
    ----------
    image : ndarray (H, W) or (1, 1, H, W)
        From 0 (black) to 1 (white).
    title : str
        Written above.
    window : (row, column, height, width) or None
        A part of the photograph to frame.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    image = grids.plane(image)
    box, size = place(image.shape, title)

    def draw(sheet):
        artists = [image_on(sheet, image, box, style.PHOTO, vmin=0, vmax=1), *title_on(sheet, title, box)]
        return artists if window is None else [*artists, _framed(sheet, box, window)]

    return finish(draw, photo_text(image, title, window), size, ax, middle_of(image, box))


def magnified(image, window, winner=None, title="", *, ax=None):
    """A photograph, and beside it one window so large that its numbers can be read.

    Parameters
    ----------
    image : ndarray (H, W) or (1, 1, H, W)
        From 0 (black) to 1 (white).
    window : (row, column, height, width)
        The part under the glass, framed in the photograph; the cells beside it have the greys of their pixels.
    winner : (row, column) or None
        A pixel of the photograph, inside the window, to ring.
    title : str
        Written above the photograph.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    image = grids.plane(image)
    row, column, high, wide = window
    if not (0 <= row < row + high <= image.shape[0] and 0 <= column < column + wide <= image.shape[1]):
        raise ValueError(f"window must lie in the image of shape {image.shape}; got window={window!r}.")
    pixels = image[row : row + high, column : column + wide]
    ringed = [] if winner is None else [(winner[0] - row, winner[1] - column)]
    box, (width, height) = place(image.shape, title)
    corner = (width + GLASS, box[1] + max(0.0, (height - box[1] - high) / 2))

    def draw(sheet):
        artists = [image_on(sheet, image, box, style.PHOTO, vmin=0, vmax=1), *title_on(sheet, title, box)]
        artists += [_framed(sheet, box, window), *_beams(sheet, box, window, corner)]
        artists += grids.cells(sheet, pixels.round(2), style.PHOTO(pixels), corner, ringed)
        return artists + [grids.ring(sheet, corner, place, 1, radius=0.42) for place in ringed]

    size = (corner[0] + wide + grids.MARGIN, max(height, corner[1] + high + grids.MARGIN))
    text = f"{photo_text(image, title, window)}\n  The framed pixels:\n{words.rows(pixels.round(2))}"
    return finish(draw, text + (f"\n  Ringed: {words.position(winner)}." if ringed else ""), size, ax)


def _beams(sheet, box, window, corner):
    """Two lines from the frame to the enlarged window."""
    left, top, pixel = box
    row, column, high, wide = window
    edge = left + pixel * (column + wide)
    ends = ((top + pixel * row, corner[1]), (top + pixel * (row + high), corner[1] + high))
    lines = [[(edge, start), (corner[0] - 0.08, end)] for start, end in ends]
    return [sheet.add_collection(LineCollection(lines, colors=[style.ROUTE_COLOURS[1]], lw=1.2, zorder=3))]


def place(shape, title):
    """Left, top and the size of one pixel of an image, in cells; and the size of a picture that holds it."""
    pixel = WIDTH / shape[1]
    top = grids.TITLE if title else grids.MARGIN
    return (grids.MARGIN, top, pixel), (WIDTH + 2 * grids.MARGIN, top + pixel * shape[0] + grids.MARGIN)


def middle_of(values, box):
    """The height of an image's middle, at which it stands beside other pictures."""
    return box[1] + box[2] * values.shape[0] / 2


def image_on(sheet, values, box, colours, **limits):
    """An image on the sheet, every pixel a square."""
    left, top, pixel = box
    edges = (left, left + pixel * values.shape[1], top + pixel * values.shape[0], top)
    return sheet.imshow(values, cmap=colours, extent=edges, interpolation="nearest", aspect="equal", zorder=1, **limits)


def title_on(sheet, title, box):
    """The title above an image."""
    return grids.heading(sheet, title, box[0] + WIDTH / 2, box[1] - 0.3)


def _framed(sheet, box, window):
    """A frame round a part of an image, with a pale rim so that it shows on black and on white."""
    left, top, pixel = box
    row, column, high, wide = window
    frame = Rectangle(
        (left + pixel * column, top + pixel * row), pixel * wide, pixel * high, fill=False, zorder=4, lw=1.8,
        edgecolor=style.ROUTE_COLOURS[1], path_effects=grids.CASING,
    )  # fmt: skip
    return sheet.add_artist(frame)


def photo_text(image, title, window):
    """The text alternative of a photograph."""
    text = f"{title or 'Photograph'}, {words.shape(image)} pixels:\n{words.summary(image)}"
    return text if window is None else f"{text}\n  Framed: {window[2]} × {window[3]} at ({window[0]}, {window[1]})."
