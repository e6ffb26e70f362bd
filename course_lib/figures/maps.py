"""Gradients too many to write: as marks on a photograph, or as a map in colours."""

import numpy as np
from matplotlib.collections import LineCollection

from course_lib import arguments
from course_lib.figures import grids, photos, style, words
from course_lib.figures.picture import finish

LEGEND = 0.7
LETTER_INCHES = 0.082


def photo_gradient(image, gradient, title="", *, ax=None):
    """Where on a photograph a gradient arrives.

    Parameters
    ----------
    image, gradient : ndarray (H, W) or (1, 1, H, W), of one shape
        The photograph, shown pale, and the gradient of the loss with respect to it.
    title : str
        Written above.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists. A red triangle that points up is a gradient above zero, a blue one that
    points down below zero; its area is the size of the gradient.
    """
    image, gradient = grids.plane(image), grids.plane(gradient)
    if image.shape != gradient.shape:
        raise ValueError(f"gradient must have the image's shape {image.shape}; got shape {gradient.shape}.")
    box, (width, height) = photos.place(image.shape, title)

    def draw(sheet):
        artists = [
            photos.image_on(sheet, 0.55 + 0.45 * image, box, style.PHOTO, vmin=0, vmax=1),
            *photos.title_on(sheet, title, box),
        ]
        artists += [_triangles(sheet, gradient, box, sign) for sign in (1, -1)]
        return artists + _signs(sheet, box[0], height)

    return finish(draw, gradient_text(gradient, title), (width, height + LEGEND), ax, photos.middle_of(image, box))


def _triangles(sheet, gradient, box, sign):
    """One triangle for each element whose gradient has the sign."""
    left, top, pixel = box
    rows, columns = np.nonzero(gradient * sign > 0)
    # The smallest stay large enough to be seen.
    sizes = 0.06 + 0.94 * np.abs(gradient[rows, columns]) / (np.abs(gradient).max() or 1)
    # Larger than a pixel where pixels are small, and inside it where they are large.
    points = 72 * grids.cell_inches(sheet) * max(0.6 * pixel, min(2.8 * pixel, 0.2))
    return sheet.scatter(
        left + pixel * (columns + 0.5), top + pixel * (rows + 0.5), s=points**2 * sizes, zorder=4,
        marker="^" if sign > 0 else "v", color=style.SIGNS[sign], edgecolor=style.PAPER, linewidth=0.2,
    )  # fmt: skip


def _signs(sheet, left, top):
    """What the triangles mean."""
    artists = []
    for x, sign, mark, word in ((left, 1, "▲", "above zero"), (left + 2.6, -1, "▼", "below zero")):
        artists.append(sheet.text(x, top + 0.4, mark, color=style.SIGNS[sign], fontsize=9, va="baseline"))
        artists.append(sheet.text(x + 0.4, top + 0.4, word, fontsize=9, va="baseline"))
    return artists


def heat(values, title="", *, scale="gradients", ax=None):
    """A map of numbers too many to write.

    Parameters
    ----------
    values : ndarray (H, W) or (1, 1, H, W)
    title : str
        Written above.
    scale : "gradients" or "counts"
        Gradients are blue below zero, and hatched with lines; red above, palest at zero. Counts go from pale to dark.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists. The bar under the map shows the scale and its ends.
    """
    arguments.choice("scale", scale, ("gradients", "counts"))
    values = grids.plane(values)
    box, (width, height) = photos.place(values.shape, title)
    norm = style.gradient_norm(values) if scale == "gradients" else style.count_norm(values)
    colours = style.GRADIENTS if scale == "gradients" else style.COUNTS

    def draw(sheet):
        artists = [
            photos.image_on(sheet, values, box, colours, norm=norm),
            *photos.title_on(sheet, title, box),
            _hatch(sheet, values, box),
        ]
        return artists + _bar(sheet, box[0], height, norm, colours)

    return finish(draw, gradient_text(values, title), (width, height + LEGEND), ax, photos.middle_of(values, box))


def _hatch(sheet, values, box):
    """A thin line through every element below zero, so that the sign is seen without colour."""
    left, top, pixel = box
    # What is nearly zero is drawn as zero: hatched, it would hide the rest.
    rows, columns = np.nonzero(values < -0.1 * np.abs(values).max())
    y, start = top + pixel * (rows + 0.5), left + pixel * columns
    lines = np.stack([np.stack([start, y], -1), np.stack([start + pixel, y], -1)], 1)
    return sheet.add_collection(LineCollection(lines, colors=[style.DARK], lw=0.5, alpha=0.6, zorder=2))


def _bar(sheet, left, top, norm, colours):
    """The scale, from its least to its largest number."""
    steps = np.linspace(norm.vmin, norm.vmax, 101)[None]
    # Letters keep their size where pictures shrink: the longest number needs its room beside the bar.
    letters = max(len(words.number(value)) for value in (norm.vmin, norm.vmax))
    room = max(1.6, 0.2 + LETTER_INCHES * letters / grids.cell_inches(sheet))
    edges = (left + room, left + photos.WIDTH - room, top + 0.5, top + 0.2)
    artists = [sheet.imshow(steps, cmap=colours, norm=norm, extent=edges, aspect="equal", zorder=1)]
    for x, value, side in ((edges[0] - 0.15, norm.vmin, "right"), (edges[1] + 0.15, norm.vmax, "left")):
        artists.append(sheet.text(x, top + 0.35, words.number(value), fontsize=9, ha=side, va="center"))
    return artists


def gradient_text(gradient, title):
    """The text alternative of a map of gradients or counts."""
    above, below = int((gradient > 0).sum()), int((gradient < 0).sum())
    signs = f"  {above} above zero, {below} below zero."
    return f"{title or 'Gradients'}, {words.shape(gradient)}:\n{words.summary(gradient)}\n{signs}"
