"""The figures of the Anki package: what a question's answer looks like, computed by the library."""

import numpy as np

from course_lib import avg_pool, figures, max_pool, max_pool_backward, max_unpool, routing

X = np.array([[2.0, 7, 1, 3], [5, 4, 0, 8], [9, 3, 6, 2], [1, 0, 4, 5]])[None, None]
UPSTREAM = np.array([[4.0, -8], [12, 2]])[None, None]
# The 9 in the middle wins all four windows of two by two.
CENTRE = np.array([[1.0, 2, 3], [4, 9, 5], [6, 7, 8]])[None, None]
NEGATIVE = np.array([[-3.0, -7, -9, -2], [-9, -8, -6, -5], [-4, -7, -8, -1], [-9, -5, -6, -9]])[None, None]
TIED = np.array([[7.0, 3], [2, 7]])[None, None]
BORDERS = [(-1, -1, 3, 3), (-1, 1, 3, 3), (1, -1, 3, 3), (1, 1, 3, 3)]


def picture(name):
    """The figure of the question with a name.

    Parameters
    ----------
    name : str

    Returns
    -------
    Picture or None
        Its text is the alternative text.
    """
    return PICTURES[name]() if name in PICTURES else None


def file_name(name):
    """The file of a question's figure; some share one. "" without a figure."""
    # Anki keeps the figures of all decks in one folder: the name must be this course's own.
    drawn = PICTURES[name].__name__.strip("_").replace("_", "-") if name in PICTURES else ""
    return drawn and f"where-does-the-gradient-go-{drawn}.png"


def _max_route():
    routes = routing.max_routes(X, 2)
    return figures.routes(routes, grad_output=UPSTREAM, windows=figures.windows(X, 2), title="backward of max pooling")


def _both_routes():
    average = routing.avg_routes(X, 2)
    return figures.side_by_side(
        _max_route(),
        figures.routes(average, grad_output=UPSTREAM, windows=figures.windows(X, 2), title="of average pooling"),
    )


def _jacobian():
    routes = routing.max_routes(X, 2)
    return figures.jacobian(routes.jacobian(), routes.shape_in, routes.shape_out, "local Jacobian of max pooling")


def _mask_and_index():
    upstream = np.full((1, 1, 1, 1), 8.0)
    by_index = routing.max_routes(TIED, 2).backward(upstream)
    by_mask = (TIED.max() == TIED) * upstream
    grids = [figures.gradient(gradient, title) for gradient, title in ((by_mask, "by mask"), (by_index, "by index"))]
    return figures.side_by_side(figures.grid(TIED, "x"), *grids)


def _tie():
    upstream = np.ones((1, 1, 1, 1))
    rules = {"first": "PyTorch", "last": "last", "split": "split"}
    grids = [figures.gradient(routing.max_routes(TIED, 2, ties=rule).backward(upstream), title)
             for rule, title in rules.items()]  # fmt: skip
    return figures.side_by_side(figures.grid(TIED, "x"), *grids)


def _unpooled():
    y, indices = max_pool(X, 2, return_indices=True)
    grids = [figures.grid(array, title) for array, title in ((X, "x"), (y, "y"))]
    return figures.side_by_side(*grids, figures.grid(max_unpool(y, indices, X.shape), "unpooled"))


def _added_and_assigned():
    y, indices = max_pool(CENTRE, 2, 1, return_indices=True)
    upstream = np.array([[1.0, 2], [4, 8]])[None, None]
    added, assigned = max_pool_backward(upstream, indices, CENTRE.shape), np.zeros(CENTRE.size)
    assigned[indices.ravel()] = upstream.ravel()
    return figures.side_by_side(
        figures.grid(CENTRE, "x", windows=figures.windows(CENTRE, 2, 1)),
        figures.gradient(upstream, "grad_output"),
        figures.gradient(added, "added"),
        figures.gradient(assigned.reshape(CENTRE.shape), "written"),
    )


def _coverage():
    return figures.counts(routing.coverage((5, 5), 3, stride=2), "coverage, k = 3, s = 2")


def _divided():
    x, upstream = np.ones((1, 1, 5, 5)), np.full((1, 1, 2, 2), 9.0)
    right = routing.avg_routes(x, 3, 2).backward(upstream)
    divided = right / routing.coverage((5, 5), 3, stride=2)
    return figures.side_by_side(figures.gradient(right, "right"), figures.gradient(divided, "divided by coverage"))


def _zero_padding():
    padded = np.pad(NEGATIVE, ((0, 0), (0, 0), (1, 1), (1, 1)))
    outputs = max_pool(padded, 3, 2), max_pool(NEGATIVE, 3, 2, 1)
    grids = [figures.grid(y, title) for y, title in zip(outputs, ("with zeros", "with −∞"), strict=True)]
    return figures.side_by_side(figures.padded(padded, 1, "x, padded with 0", windows=BORDERS), *grids)


def _divisors():
    x = np.full((1, 1, 4, 4), 9.0)
    counted, left_out = (avg_pool(x, 3, 2, 1, count_include_pad=counts) for counts in (True, False))
    return figures.side_by_side(
        figures.padded(np.pad(x[0, 0], 1), 1, "x, padded with 0", windows=BORDERS),
        figures.grid(counted, "padding counts"),
        figures.grid(left_out, "it does not"),
    )


def _overhang():
    row, windows = np.arange(1.0, 7), [(0, start, 1, 3) for start in (-1, 1, 3, 5)]
    return figures.stacked(
        figures.padded(np.pad(row, 1), 1, "floor: the last window is left out", windows=windows[:3]),
        figures.padded(np.pad(row, 1), 1, "ceil: it reaches beyond", overhang=1, windows=windows),
    )


def _corner():
    nudges = np.linspace(-1, 1, 21)
    values = [max(7 + nudge, 7) for nudge in nudges]
    slopes = {"slope 1": 1, "slope ½": 0.5, "slope 0": 0}
    return figures.kink(nudges, values, slopes, "one of two equal elements moves")


def _sums_of_kernels():
    x, upstream = np.arange(1.0, 13).reshape(4, 3), np.array([[2.0, -1], [1, 3]])
    copies = upstream[:, :, None, None] * np.lib.stride_tricks.sliding_window_view(x, (3, 2))
    names = [f"place ({row}, {column})" for row, column in np.ndindex(2, 2)]
    return figures.added(copies.reshape(4, 3, 2), [(0, 0, 3, 2)] * 4, names, "grad_weight")


PICTURES = {
    "max-route": _max_route,
    "max-against-average": _both_routes,
    "jacobian-view": _jacobian,
    "mask-or-index": _mask_and_index,
    "tie-gradient": _tie,
    "max-continuity": _corner,
    "kinks-in-checks": _corner,
    "unpooling-inverse": _unpooled,
    "several-windows": _added_and_assigned,
    "fancy-index": _added_and_assigned,
    "centre-of-five": _coverage,
    "coverage": _coverage,
    "divide-by-coverage": _divided,
    "padding-value": _zero_padding,
    "average-divisors": _divisors,
    "output-size": _overhang,
    "weight-gradient": _sums_of_kernels,
}
