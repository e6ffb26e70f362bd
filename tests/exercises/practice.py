"""An exercise with functions, as a newcomer would write one: the engine is tested through it."""

from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.misconceptions import MAX_POOL
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.properties import KeepsInputs, Values

TILES = window_case([[1, 5, 2, 0], [3, 4, 8, 6]], [[3, 7]], kernel_size=2, stride=2, padding=0)
OVERLAP = window_case([[1, 9, 2], [3, 4, 8]], [[3, 7]], kernel_size=2, stride=1, padding=0)
BORDER = window_case([[-1, -2], [-3, -4]], [[1, 2], [3, 4]], kernel_size=2, stride=2, padding=1)
CROWDED = window_case([[5, -1, -1, -2]], [[1, 2, 3, 4]], kernel_size=3, stride=1, padding=1)


def forward(session, case):
    """The learner's output and cache."""
    given = case.fresh()
    geometry = given["kernel_size"], given["stride"], given["padding"]
    return session.call("max_pool2d", given["x"], *geometry, returns=("y", "cache"))


def forward_array(session, case):
    """The learner's output."""
    return session.array("y", forward(session, case)[0])


def backward_array(session, case):
    """The learner's gradient, through a cache of any type."""
    _, cache = forward(session, case)
    gradient = session.call("max_pool2d_backward", case.fresh()["grad_output"], cache, returns=("grad_input",))
    return session.array("grad_input", gradient)


def backward_values(name, points, *cases):
    """A property of the backward."""
    return Values(name, points, BOTH, MAX_POOL, cases, lambda results: results["grad_input"], run=backward_array)


BOTH = ("max_pool2d", "max_pool2d_backward")
PRACTICE = Exercise(
    number=99,
    name="99_practice",
    title="Practice",
    stars=2,
    chapter="03",
    task="Write both passes of max pooling.",
    lines=20,
    allowed="NumPy",
    answers=(Function("max_pool2d"), Function("max_pool2d_backward")),
    properties=(
        Values(
            name="forward",
            points=1,
            answers=("max_pool2d",),
            operation=MAX_POOL,
            cases=(TILES, OVERLAP, BORDER),
            part=lambda results: results["y"],
            run=forward_array,
        ),
        backward_values("without overlap", 1, TILES),
        backward_values("overlap", 1, OVERLAP),
        backward_values("borders", 1, BORDER, CROWDED),
        KeepsInputs("inputs stay", 1, BOTH, (OVERLAP,), run=backward_array),
    ),
    hints=("?", "a line is missing", "the line"),
    misconceptions=("max_overwrite", "max_zero_pad", "max_as_average", "max_passthrough", "max_tie_last"),
    seconds=2.0,
)
