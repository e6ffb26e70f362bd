"""Exercise 8: naive NumPy, vectorised NumPy and PyTorch in one small network, compared honestly."""

import numpy as np

from course_lib.exercises.conclusions import Conclusion, RightConclusion, Statement
from course_lib.exercises.designs import Comparison, exactly
from course_lib.exercises.exercise import Array, Exercise, Function
from course_lib.exercises.judged import Judged, wrong
from course_lib.exercises.stopwatch import judge_median, judge_turns, judge_warm_up
from course_lib.experiments.networks import NETWORKS

COMPARISON = Comparison(
    factor="backend",
    levels=exactly("naive", "vectorised", "framework"),
    fixed={"network": "one block", "precision": "float64"},
    fields=(
        "accuracy",
        "gradient difference",
        "training time",
        "prediction time",
        "parameters",
        "peak memory",
    ),
    shapes=("x", "conv1", "pool1", "logits", "conv1.weight", "linear.weight"),
)
STATEMENTS = {
    "a": Statement(
        "PyTorch's gradients are better than those by NumPy, so that the network learns more from them.",
        "Look at the accuracy, and at the gradient difference beside the size of a rounding.",
    ),
    "b": Statement(
        "The naive backward is slow because it needs more multiplications and additions than the others.",
        "All three compute the same sums. Per window the naive one makes several calls from Python, and each of them "
        "takes longer than the few multiplications that it starts.",
    ),
    "c": Statement(
        "All three learn the same, up to rounding. They differ in time and memory, and by how much depends on the "
        "machine."
    ),
    "d": Statement(
        "The vectorised backward needs the least memory, since it has no loops.",
        "Look at the peak memory of all three. To work on many windows at once, their elements are laid out side by "
        "side.",
    ),
}


def judge_parameters(session):
    """The number of parameters, by hand."""
    given = session.answer("parameters")
    right = sum(int(np.prod(shape)) for shape in NETWORKS["one block"].parameter_shapes().values())
    if given.shape != () or given != right:
        raise wrong("wrong value: count the weights and the biases of the convolution and of the linear layer")
    return 1


EXERCISE = Exercise(
    number=8,
    name="08_compare_three_backwards",
    title="Compare three backwards",
    stars=2,
    chapter="09",
    task="Compare naive NumPy, vectorised NumPy and PyTorch in one small network, so that only who computes differs.",
    lines=20,
    allowed="NumPy, course_lib.experiments.",
    answers=(
        Function("median_seconds"),
        Array("parameters"),
        *COMPARISON.answers(),
        Conclusion("conclusion", STATEMENTS),
    ),
    properties=(
        Judged("median", 2, ("median_seconds",), judge_median),
        Judged("warm-up", 1, ("median_seconds",), judge_warm_up),
        Judged("in turns", 1, ("median_seconds",), judge_turns),
        Judged("parameters", 1, ("parameters",), judge_parameters),
        *COMPARISON.of_design(),
        *COMPARISON.of_report(),
        RightConclusion("conclusion", 1, ("conclusion",)),
    ),
    hints=(
        "What else than the code differs between the first call of a function and its tenth? And between a minute ago "
        "and now, on a machine that others use too? For the design: how many things may differ between two variants?",
        "median_seconds: call every function once without a look at the clock. Then `repeats` times go through all "
        "functions in order and note for each the time after minus the time before. The design: three variants that "
        "differ in backend alone, all with network 'one block' and precision 'float64'. The image is 8 by 8, the "
        "convolution 3 by 3 without padding, the pooling 2 by 2.",
        "np.median(times, axis=0) with one row a turn and one column a function. {'backend': 'naive', 'network': 'one "
        "block', 'precision': 'float64', 'learning_rate': 0.05} is one variant. The convolution gives 8 - 3 + 1 = 6 "
        "rows and columns in 6 channels, the pooling halves them, and the linear layer takes 6 * 3 * 3 features.",
    ),
    misconceptions=(),
    seconds=60.0,
)
