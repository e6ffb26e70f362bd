"""Draw the pictures of the README and the docs again: ``python -m tools.pictures``."""

from pathlib import Path

import numpy as np

from course_lib import figures, max_pool, routing
from course_lib.experiments import photograph

DOCS = Path(__file__).parents[1] / "docs"


def routing_picture():
    """Where a gradient goes through max and through average pooling, on a small grid and on a photograph."""
    x = np.array([[2.0, 7, 1, 3], [5, 4, 0, 8], [9, 3, 6, 2], [1, 0, 4, 5]])[None, None]
    grad_output = np.array([[4.0, -8], [12, 2]])[None, None]
    options = {"grad_output": grad_output, "windows": figures.windows(x, 2)}
    return figures.stacked(
        figures.side_by_side(
            figures.routes(routing.max_routes(x, 2), title="max pooling", **options),
            figures.routes(routing.avg_routes(x, 2), title="average pooling", **options),
            gap=2.6,
        ),
        photograph_pair(photograph("china", size=(64, 96))[None, None]),
    )


def photograph_pair(photo):
    """The gradient of a photograph's pixels when neighbouring outputs of a pool ought to be alike."""
    steps = np.diff(max_pool(photo, 4))
    grad_output = np.zeros((1, 1, 16, 24))
    grad_output[..., 1:] += steps
    grad_output[..., :-1] -= steps
    return figures.side_by_side(
        figures.photo_gradient(photo, routing.max_routes(photo, 4).backward(grad_output)),
        figures.heat(routing.avg_routes(photo, 4).backward(grad_output)),
    )


if __name__ == "__main__":
    routing_picture().save(DOCS / "routing.png")
