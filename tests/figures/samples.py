"""One picture of each kind, for what all of them must do."""

import numpy as np

from course_lib import figures, routing

X = np.array([[2.0, 7, 1, 3], [5, 4, 0, 8], [9, 3, 6, 2], [1, 0, 4, 5]])[None, None]
GRAD_OUTPUT = np.array([[4.0, -8], [12, 2]])[None, None]
MAX, AVG = routing.max_routes(X, 2), routing.avg_routes(X, 2)
WINDOWS = figures.windows(X, 2)
RAMP = np.linspace(0, 1, 96).reshape(8, 12)
SIGNED = np.where(np.arange(96) % 5 == 0, np.linspace(-1, 0.5, 96), 0).reshape(8, 12)


def pictures():
    """Name and picture, made anew."""
    return {
        "grid": figures.grid(X, "x", windows=WINDOWS, winners=[(0, 1), (1, 3)]),
        "gradient": figures.gradient(GRAD_OUTPUT, "a title wider than the grid"),
        "counts": figures.counts(routing.coverage((5, 5), 3, stride=2), "coverage"),
        "long-numbers": figures.gradient(np.array([[-0.123456, 12345.6], [np.nan, -np.inf]]), "odd"),
        "row": figures.grid(np.array([1.0, 2, 3]), "x"),
        "forward": figures.routes(MAX, X, windows=WINDOWS, title="forward"),
        "backward": figures.routes(AVG, grad_output=GRAD_OUTPUT, windows=WINDOWS),
        "jacobian": figures.jacobian(AVG.jacobian(), AVG.shape_in, AVG.shape_out, "average"),
        "chain": figures.chain([X, GRAD_OUTPUT], [X, GRAD_OUTPUT], "xy", ["max pool"], winners=[[(0, 1)]]),
        "added": figures.added([X, X], WINDOWS[:2], "ab", "sum"),
        "padded": figures.padded(np.pad(X[0, 0], 1), 1, "x", overhang=1, windows=[(-1, -1, 3, 3)], winners=[(0, 1)]),
        "bars": figures.bars({"S1": {"ours": 2.0, "theirs": 1.0}, "S2": {"ours": 0.5, "theirs": 1.0}}, "time", mark=1),
        "error-curves": figures.error_curves([1e-1, 1e-4, 1e-7], {"U": [1e-2, 1e-8, 1e-3], "none": [0, 0, 1e-9]}, "U"),
        "kill-matrix": figures.kill_matrix([[True, False], [False, False]], ["=", "mask"], ["overlap", "tie"], "kills"),
        "kink": figures.kink([-1, 0, 1], [0, 0, 1], {"fair": 0.5, "steep": 2}, "a corner"),
        "photo": figures.photo(RAMP, "photograph", window=(1, 2, 3, 3)),
        "magnified": figures.magnified(RAMP, (1, 2, 3, 3), (2, 3), "photograph"),
        "photo-gradient": figures.photo_gradient(RAMP, SIGNED, "gradient"),
        "heat": figures.heat(SIGNED, "gradient"),
        "heat-counts": figures.heat(np.abs(SIGNED), "counts", scale="counts"),
        "shares": figures.shares(
            [[0.5, 1], [0, 0.25]], ["k = 2", "k = 3"], ["s = 1", "s = 2"], "density", marked=[(0, 1)], meaning="tiles"
        ),
        "side-by-side": figures.side_by_side(figures.grid(X, "x"), figures.gradient(GRAD_OUTPUT, "grad_output")),
        "stacked": figures.stacked(figures.grid(X, "x"), figures.photo(RAMP)),
    }


NAMES = list(pictures())
