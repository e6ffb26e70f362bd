"""Drawn figures as PNG, small enough to be stored in a notebook."""

import io

import numpy as np
from matplotlib.image import AxesImage
from PIL import Image
from PIL.PngImagePlugin import PngInfo

COLOURS = 256


def written(figure, text):
    """The bytes of a drawn figure; the same for the same figure. The text stands in the file as its description."""
    pixels = np.array(figure.canvas.buffer_rgba())
    # Grids have few colours, and a palette takes a quarter of the room. The tones of a photograph need more.
    image = Image.fromarray(pixels) if figure.findobj(AxesImage) else with_palette(pixels)
    notes, file = PngInfo(), io.BytesIO()
    notes.add_itxt("Description", text)
    image.save(file, "png", optimize=True, pnginfo=notes)
    return file.getvalue()


def with_palette(pixels):
    """The image with its most frequent colours; every other, on the rims of letters and lines, becomes the nearest."""
    codes, number, counts = np.unique(pixels.view(np.uint32), return_inverse=True, return_counts=True)
    kept = codes[np.argsort(-counts, kind="stable")[:COLOURS]]
    nearest = _nearest(_channels(codes), _channels(kept)).astype(np.uint8)
    image = Image.fromarray(nearest[number].reshape(pixels.shape[:2]))
    image.putpalette(kept.tobytes(), "RGBA")
    return image


def _channels(codes):
    """Red, green, blue and opacity of each colour."""
    return codes.view(np.uint8).reshape(-1, 4).astype(np.float64)


def _nearest(colours, kept):
    """The number of the kept colour that lies nearest to each colour, by Euclid."""
    squares = (kept**2).sum(axis=1)
    # |a − b|² without |a|², which is the same for all candidates.
    return (squares - 2 * colours @ kept.T).argmin(axis=1)
