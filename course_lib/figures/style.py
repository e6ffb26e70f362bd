"""What all pictures share: colours, letters and the scale at which one grid cell is drawn."""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import ListedColormap, Normalize, TwoSlopeNorm, to_rgb

# Half-way between a white and a black page, so that text and lines outside the cells can be read on both.
INK = "#7b7b7b"
PAPER = "#fbfaf7"
EDGE = "#c9c5bc"
# Of black and white one reaches a contrast of 4.5 on every colour; of softer inks neither would on some.
DARK, LIGHT = "#000000", "#ffffff"

# Okabe and Ito's colours, which colour-blind readers can tell apart; each has a line style of its own besides.
ROUTE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b8578f")
ROUTE_LINES = ("-", (0, (5, 1.6)), (0, (1.4, 1.4)), (0, (6, 1.6, 1.4, 1.6)))

CELL_INCHES = 0.46
WIDEST = 7.4
DOTS_PER_INCH = 192
PAGE_DOTS_PER_INCH = 96

LETTERS = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "mathtext.fontset": "dejavusans",
    "text.usetex": False,
    "text.parse_math": False,
}


def _part(name, low, high):
    """A stretch of one of matplotlib's colour maps, without the ends on which no number can be read."""
    return ListedColormap(colormaps[name](np.linspace(low, high, 255)), f"{name}-part")


GRADIENTS = _part("RdBu_r", 0.14, 0.86)
COUNTS = _part("YlGnBu", 0.03, 0.72)
PHOTO = colormaps["gray"]
SIGNS = {1: "#c0322f", -1: "#2166ac"}


def gradient_norm(*arrays):
    """One scale for gradients: symmetric, so that zero is always the palest colour."""
    largest = max((float(np.max(np.abs(_finite(array)), initial=0)) for array in arrays), default=0)
    return TwoSlopeNorm(0, -(largest or 1), largest or 1)


def count_norm(array):
    """The scale for counts: from zero to the largest."""
    return Normalize(0, max(float(np.max(_finite(array), initial=0)), 1))


def _finite(array):
    """The finite elements, as one row."""
    array = np.asarray(array, np.float64)
    return array[np.isfinite(array)]


def faces(values, scale, norm=None):
    """The colour of every cell, (…, 4): paper for values, blue to red for gradients, pale to dark for counts."""
    values = np.asarray(values, np.float64)
    maps = {"gradients": (GRADIENTS, gradient_norm), "counts": (COUNTS, count_norm)}
    if scale not in maps:
        return np.broadcast_to((*to_rgb(PAPER), 1.0), (*values.shape, 4))
    colours, default = maps[scale]
    norm = norm or default(values)
    # NaN has no place on a scale: it keeps the colour of zero, and its cell says NaN.
    return colours(np.asarray(norm(np.clip(np.nan_to_num(values, nan=0), norm.vmin, norm.vmax))))


def luminance(colour):
    """How light a colour is, from 0 to 1, by the formula of the Web Content Accessibility Guidelines 2.1."""
    channels = np.asarray(to_rgb(colour))
    linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(first, second):
    """The contrast of two colours, from 1 to 21, by the same guidelines."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def text_on(face):
    """Black or white, whichever is easier to read on the colour."""
    return max((DARK, LIGHT), key=lambda ink: contrast(ink, face))


def route_style(number):
    """Colour and line style of a route or a window; both repeat after four."""
    return ROUTE_COLOURS[number % len(ROUTE_COLOURS)], ROUTE_LINES[number % len(ROUTE_LINES)]
