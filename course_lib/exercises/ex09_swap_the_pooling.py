"""Exercise 9: max or average pooling, and nothing else, over a sweep of learning rates."""

import numpy as np

from course_lib.exercises.conclusions import Conclusion, RightConclusion, Statement
from course_lib.exercises.designs import Comparison, exactly
from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.numbers import Numbers

COMPARISON = Comparison(
    factor="pooling",
    levels=exactly("max", "average"),
    fixed={"network": "two blocks", "backend": "framework"},
    swept="learning_rate",
    sweep=3,
    steps=100,
    fields=(
        "accuracy",
        "gradient density",
        "gradient norm",
        "training time",
        "prediction time",
        "parameters",
        "peak memory",
    ),
    shapes=("x", "conv1", "pool1", "conv2", "pool2", "logits"),
)
STATEMENTS = {
    "a": Statement(
        "Max pooling is the better pooling: with the learning rate that one starts with it names more digits rightly.",
        "Look at the largest learning rate of your sweep. A single learning rate compares a pooling and a step size at "
        "once.",
    ),
    "b": Statement(
        "Which pooling is ahead depends on the learning rate: average pooling hands on half the norm, so that its "
        "steps before the pooling are smaller at the same rate.",
    ),
    "c": Statement(
        "Behind max pooling three quarters of the convolution's weights stand still, since three quarters of the "
        "gradient before the pooling are 0.",
        "Each weight sums over all samples and positions. It stands still only if all of them are 0.",
    ),
    "d": Statement(
        "Average pooling hands on more gradient, since its gradient has no zeros.",
        "Compare the norms before the pooling. Four equal shares of a quarter have half the norm of one whole.",
    ),
}


def _largest_singular_value(array):
    """What NumPy takes for the 2-norm of a matrix; NaN for what is no matrix."""
    return np.linalg.norm(array.astype(float), 2) if array.ndim == 2 else np.nan


NAME, RETURNS = "density_and_norm", ("density", "norm")
CASES = (
    np.array([0.0, 3.0, -4.0, 0.0, 0.0]),
    np.array([[0.0, 0.0], [1e-30, 0.0]]),
    np.array([[3.0, 1.0], [1.0, -4.0]]),
    np.zeros((2, 2, 2)),
    np.array([[300.0, -400.0], [0.0, 0.0]], np.float16),
    np.full((1, 3, 2, 2), -2.0, np.float32),
)
WRONG_DENSITY = {
    "That is the share of the positive elements. A negative one is not zero.": lambda array: np.mean(array > 0),
    "That is how many elements are not zero. A share is over their number.": np.count_nonzero,
    "That is the share of the zeros.": lambda array: np.mean(array == 0),
    "A small number is not zero: the comparison has a tolerance.": lambda array: np.mean(~np.isclose(array, 0)),
}
WRONG_NORM = {
    "That is the sum of the absolute values.": lambda array: np.abs(array.astype(float)).sum(),
    "That is the square of the norm.": lambda array: np.square(array.astype(float)).sum(),
    "That is the largest absolute value.": lambda array: np.abs(array).max(),
    "That is the root of the mean square.": lambda array: np.sqrt(np.mean(np.square(array.astype(float)))),
    "The squares overflow in half precision: sum them in float64.": lambda array: np.sqrt(np.square(array).sum()),
    "That is a matrix norm. The gradient is one long vector here.": _largest_singular_value,
}


EXERCISE = Exercise(
    number=9,
    name="09_swap_the_pooling",
    title="Swap the pooling",
    stars=2,
    chapter="08",
    task="Swap max for average pooling and nothing else, at several learning rates, and measure the gradient before "
    "the pooling.",
    lines=15,
    allowed="NumPy, course_lib.experiments.",
    answers=(Function(NAME), *COMPARISON.answers(), Conclusion("conclusion", STATEMENTS)),
    properties=(
        Numbers("density", 2, NAME, RETURNS, "density", lambda array: np.mean(array != 0), CASES, WRONG_DENSITY),
        Numbers("norm", 2, NAME, RETURNS, "norm", lambda array: np.sqrt((array**2).sum()), CASES, WRONG_NORM),
        *COMPARISON.of_design(),
        *COMPARISON.of_report(),
        RightConclusion("conclusion", 2, ("conclusion",)),
    ),
    hints=(
        "If two runs differ in their pooling, what else is different at once, though nobody wrote it down? How long is "
        "the gradient that each pooling hands on? And what would you have to try before you say that one is better?",
        "density_and_norm: count what is not equal to 0, whatever its sign, over the number of elements; square, sum "
        "and take the root, in float64. The design: for each of at least three learning rates one variant with max and "
        "one with average pooling. Go far enough to both sides: beyond the best rate of max pooling too.",
        "np.mean(gradient != 0) and np.linalg.norm(gradient.astype(float).ravel()). {f'{pooling}, "
        "{rate}': {'pooling': pooling, 'learning_rate': rate} for rate in (0.03, 0.1, 0.3) for pooling in ('max', "
        "'average')}, 120 steps of 64 images. With padding 1 a convolution keeps 8 by 8, a pooling halves it; the "
        "channels are 8 and 16.",
    ),
    misconceptions=(),
    seconds=60.0,
)
