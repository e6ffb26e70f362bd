"""Which way the numbers go: the output floats above the input, and an arrow stands for every route."""

import numpy as np
from matplotlib.patches import FancyArrowPatch, Polygon
from matplotlib.patheffects import withStroke

from course_lib.figures import grids, style, words
from course_lib.figures.picture import finish

# The planes lie in space: each row behind the next is moved to the right and squeezed.
SHEAR, DEPTH, GAP = 0.45, 0.6, 0.75
MARGIN = 0.15


def routes(routes, x=None, grad_output=None, *, windows=(), title="", reached_only=False, ax=None):
    """The routes of a pooling, forward from the input or backward from the upstream gradient.

    Parameters
    ----------
    routes : routing.Routes
        Of one sample and one channel, with one or two spatial axes.
    x : ndarray of shape ``routes.shape_in``, or None
        The input: it lies below, the output that the routes make of it floats above, and the arrows go up.
    grad_output : ndarray of shape ``routes.shape_out``, or None
        The upstream gradient: it floats above, the gradient of the input lies below, and the arrows go down. Blue is
        below zero, red above, palest is zero, on one scale for both. Give either ``x`` or ``grad_output``.
    windows : sequence of (row, column, height, width)
        One for each output, framed in the colour and line style of its arrows.
    title : str
        Written above.
    reached_only : bool
        Whether inputs that no route reaches have no number in the picture, so that no arrow crosses one. The text
        alternative has all numbers.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    backward = grad_output is not None
    below, above = _ends(routes, x, grad_output)
    names = ("grad_input", "grad_output") if backward else ("x", "y")
    room = _Room(below.shape, above.shape, bool(title))
    reached = {into for _, into, _ in paths(routes)} if reached_only else set(np.ndindex(below.shape))
    colours = [_faces(values, backward, style.gradient_norm(below, above)) for values in (below, above)]

    def draw(sheet):
        artists = _plane(sheet, below, colours[0], room.below, _winners(routes), reached)
        artists += [_frame(sheet, room.below(*window[:2]), window[2:], n) for n, window in enumerate(windows)]
        artists += [_arrow(sheet, room, *path, above.shape[1], backward) for path in paths(routes)]
        artists += _plane(sheet, above, colours[1], room.above, (), set(np.ndindex(above.shape)), framed=True)
        return artists + _names(sheet, room, names, title)

    return finish(draw, routes_text(routes, below, above, names, title, backward), room.size, ax)


def _ends(routes, x, grad_output):
    """The numbers below and above. Routes say the forward of a pooling too: each output is a weighted sum."""
    if (x is None) == (grad_output is None):
        raise ValueError("routes must be drawn with either x or grad_output; got both or neither.")
    if grad_output is not None:
        grad_output = np.asarray(grad_output, np.float64).reshape(routes.shape_out)
        return grids.plane(routes.backward(grad_output)), grids.plane(grad_output)
    x = np.asarray(x, np.float64).reshape(routes.shape_in)
    y = np.bincount(routes.output_index, routes.weight * x.ravel()[routes.input_index], np.prod(routes.shape_out))
    return grids.plane(x), grids.plane(y.reshape(routes.shape_out))


def _faces(values, backward, norm):
    """The colours of a plane: gradients have a scale, values have none."""
    return style.faces(values, "gradients" if backward else "values", norm)


class _Room:
    """Where things lie in space: the point on the sheet for the corner of a cell of either plane."""

    def __init__(self, shape, outputs, title):
        self.shape, self.outputs = shape, outputs
        # The nearest outputs clear the farthest inputs by a gap, so that no cell hides another.
        self.lift = DEPTH * (shape[0] * (1 - 0.5 / outputs[0]) + 0.5) + GAP
        self.back = DEPTH * (0.5 - shape[0] / outputs[0] / 2)
        self.top = (1.5 if title else 0.75) + self.back
        self.size = (shape[1] + SHEAR * shape[0] + 2 * MARGIN, self.top + self.lift + DEPTH * shape[0] + 0.75)

    def below(self, row, column):
        """A point on the input's plane."""
        return MARGIN + column + SHEAR * (self.shape[0] - row), self.top + self.lift + DEPTH * row

    def above(self, row, column):
        """The corner of an output's cell, which floats over its share of the input."""
        middle = [(n + 0.5) * a / b for n, a, b in zip((row, column), self.shape, self.outputs, strict=True)]
        x, y = self.below(middle[0] - 0.5, middle[1] - 0.5)
        return x, y - self.lift


def _inside(corner, down, across):
    """A point so many cells down and across from a corner, on its plane."""
    return corner[0] + across - SHEAR * down, corner[1] + DEPTH * down


def _tile(sheet, corner, high, wide, inset=0, **looks):
    """A rectangle of cells, seen at a slant."""
    ends = ((inset, inset), (inset, wide - inset), (high - inset, wide - inset), (high - inset, inset))
    return sheet.add_artist(Polygon([_inside(corner, *end) for end in ends], joinstyle="round", **looks))


def _plane(sheet, values, colours, point, ringed, named, framed=False):
    """The cells of one plane, and the numbers of those named; ringed or framed in the colour of their routes."""
    artists = []
    for number, ((row, column), value) in enumerate(np.ndenumerate(values)):
        face, corner = colours[row, column], point(row, column)
        artists.append(_tile(sheet, corner, 1, 1, facecolor=face, edgecolor=style.EDGE, lw=0.7, zorder=1 + 3 * framed))
        # A rim in the cell's colour stops an arrow short of the number that it would strike through.
        rim = [withStroke(linewidth=4, foreground=face)]
        if (row, column) in named:
            artists.append(grids.label(sheet, *_inside(corner, 0.5, 0.5), value, face, (row, column) in ringed, rim))
        if framed:
            artists.append(_frame(sheet, corner, (1, 1), number))
    return artists + [_ring(sheet, point(*place), number) for number, place in enumerate(ringed)]


def _ring(sheet, corner, number):
    """A ring round the winner of an output."""
    x, y = _inside(corner, 0.5, 0.5)
    return grids.ring(sheet, (x - 0.5, y - 0.5), (0, 0), number, radius=0.29)


def _frame(sheet, corner, size, number):
    """A frame in the style of an output's routes, on a pale line without gaps that keeps it apart from the cells."""
    colour, line = style.route_style(number)
    _tile(sheet, corner, *size, inset=0.08, fill=False, edgecolor=style.PAPER, lw=3.6, zorder=4.4)
    return _tile(sheet, corner, *size, inset=0.08, fill=False, edgecolor=colour, linestyle=line, lw=2, zorder=4.5)


def paths(routes):
    """Every route as output place, input place and weight, in the order of the outputs."""
    for route in np.argsort(routes.output_index, kind="stable"):
        out = np.unravel_index(routes.output_index[route], routes.shape_out)[2:]
        into = np.unravel_index(routes.input_index[route], routes.shape_in)[2:]
        yield _two(out), _two(into), float(routes.weight[route])


def _two(place):
    """Row and column; a column alone lies in row 0."""
    return (0,) * (2 - len(place)) + tuple(int(entry) for entry in place)


def _winners(routes):
    """The input that takes everything from each output; none where outputs are shared out."""
    ends = [into for _, into, weight in paths(routes) if weight == 1]
    return ends if len(ends) == len(routes.weight) else []


def _arrow(sheet, room, out, into, weight, columns, backward):
    """An arrow between an output and an input, in the output's colour and line style."""
    colour, line = style.route_style(out[0] * columns + out[1])
    high, low = _inside(room.above(*out), 1, 0.5), _inside(room.below(*into), 0.5, 0.5)
    points = 72 * grids.cell_inches(sheet)
    shrink = 0.3 * points, 0.04 * points
    arrow = FancyArrowPatch(
        low, high, arrowstyle="<|-" if backward else "-|>", mutation_scale=10, shrinkA=shrink[0], shrinkB=shrink[1],
        color=colour, lw=1.5, linestyle=line if weight == 1 else "-", zorder=3,
    )  # fmt: skip
    return sheet.add_artist(arrow)


def _names(sheet, room, names, title):
    """The names of both planes, at their left, and the title."""
    below, above = room.below(room.shape[0], 0), room.above(0, 0)
    looks = {"fontsize": 10.5, "zorder": 5}
    artists = [sheet.text(below[0], below[1] + 0.5, names[0], ha="left", va="baseline", **looks)]
    artists.append(sheet.text(above[0], above[1] - 0.25, names[1], ha="left", va="baseline", **looks))
    if title:
        artists.append(sheet.text(room.size[0] / 2, 0.5, title, ha="center", va="baseline", **looks))
    return artists


def routes_text(routes, below, above, names, title, backward):
    """The text alternative: both planes, and every route in a line."""
    planes = [
        grids.grid_text(values, name, "values", (), ()) for values, name in zip((below, above), names, strict=True)
    ]
    return "\n".join([*([title] if title else []), *planes, *_lines(routes, names, backward)])


def _lines(routes, names, backward):
    """One line for each route."""
    for out, into, weight in paths(routes):
        ends = f"{names[1]} {words.position(out)}", f"{names[0]} {words.position(into)}"
        first, second = ends if backward else ends[::-1]
        yield f"  {first} → {second}" + ("" if weight == 1 else f", times {words.number(weight)}")
