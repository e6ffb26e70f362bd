"""Pictures of numbers and of where they go: one function a picture.

Each takes data and, as ``ax``, a matplotlib axes to draw on, and returns the artists. Without ``ax`` it returns a
`Picture`, which shows itself when it is the last line of a cell, and whose text alternative holds the numbers.
"""

from course_lib.figures.bars import bars
from course_lib.figures.borders import padded
from course_lib.figures.chain import chain
from course_lib.figures.curves import error_curves
from course_lib.figures.grids import counts, gradient, grid, windows
from course_lib.figures.jacobian import jacobian
from course_lib.figures.kills import kill_matrix
from course_lib.figures.kinks import kink
from course_lib.figures.maps import heat, photo_gradient
from course_lib.figures.photos import magnified, photo
from course_lib.figures.picture import Picture, side_by_side, stacked
from course_lib.figures.routes import routes
from course_lib.figures.shares import shares
from course_lib.figures.sums import added

__all__ = [
    "Picture", "added", "bars", "chain", "counts", "error_curves", "gradient", "grid", "heat", "jacobian",
    "kill_matrix", "kink", "magnified", "padded", "photo", "photo_gradient", "routes", "shares", "side_by_side",
    "stacked", "windows",
]  # fmt: skip
