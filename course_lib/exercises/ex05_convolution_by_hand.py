"""Exercise 5: convolution and its backward in NumPy; for the stars stride, padding, dilation, groups, and no loops."""

from course_lib.exercises.cases import conv_case
from course_lib.exercises.conv_answers import ConvAnswers
from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.misconceptions.convolution import plane_case
from course_lib.exercises.no_loops import NoLoops
from course_lib.exercises.properties import Star, Together

LOOPS = ConvAnswers("conv2d", "conv2d_backward")
FAST = ConvAnswers("conv2d_vectorised", "conv2d_vectorised_backward")

ONE_WINDOW = plane_case([[3, 1], [2, 5]], [[0, -1], [1, 2]], [[4]], bias=1)
ROW = plane_case([[3, 1, 4]], [[2, -1]], [[1, 10]], bias=1)
PLANE = plane_case([[3, 1, 4], [2, 5, 1], [6, 2, 3]], [[0, -1], [1, 2]], [[1, 2], [4, 8]], bias=3)
OBLONG = conv_case((1, 1, 4, 5), (1, 1, 2, 3), (7, 5))
SAMPLES = conv_case((2, 1, 3, 3), (1, 1, 2, 2), (7, 3))
OUTPUTS = conv_case((1, 1, 3, 3), (2, 1, 2, 2), (7, 5))
CHANNELS = conv_case((1, 2, 3, 3), (2, 2, 2, 2), (7, 5))
# One window each: these show samples and channels to those who have not solved the overlap yet.
ONE_OF_MANY = conv_case((1, 1, 2, 2), (2, 1, 2, 2), (3, 5)), conv_case((1, 2, 2, 2), (2, 2, 2, 2), (3, 5))
ONE_IN_A_BATCH = conv_case((2, 3, 3, 2), (2, 3, 3, 2), (7, 5))
BATCH = conv_case((2, 3, 4, 3), (2, 3, 3, 2), (7, 5))
STRIDES = (
    conv_case((1, 1, 1, 5), (1, 1, 1, 1), (2, 1), stride=2),
    conv_case((2, 2, 5, 6), (3, 2, 3, 2), (7, 5), stride=(2, 1)),
)
PADDINGS = (
    conv_case((1, 1, 2, 2), (1, 1, 2, 2), (3, 3), padding=1),
    conv_case((2, 2, 3, 4), (3, 2, 3, 2), (7, 5), padding=(2, 1)),
)
DILATIONS = (
    conv_case((1, 1, 1, 5), (1, 1, 1, 2), (2, 1), dilation=2),
    conv_case((2, 2, 5, 4), (3, 2, 3, 2), (7, 5), dilation=(2, 3)),
)
GROUPS = (
    conv_case((1, 4, 2, 2), (2, 2, 2, 2), (3, 5), groups=2),
    conv_case((2, 4, 3, 3), (6, 2, 2, 2), (7, 5), groups=2),
)
EXTREMES = conv_case((1, 1, 3, 3), (1, 1, 2, 2), (7, 3)), conv_case((4, 5, 6, 7), (6, 5, 2, 2), (11, 7))


def without_loops(points):
    """Right, and without a loop."""
    right = FAST.passes("vectorised", points, PLANE, BATCH)
    counted = (NoLoops("vectorised", points, values.answers, *EXTREMES, values) for values in right.parts)
    return Star(Together("a second time, without loops", points, (right, *counted)))


EXERCISE = Exercise(
    number=5,
    name="05_convolution_by_hand",
    title="Convolution and its backward",
    stars=3,
    chapter="06",
    task="Write convolution and its backward in NumPy, for any number of samples and channels.",
    lines=20,
    allowed="NumPy, loops as many as you like; no other library, and not course_lib's own convolution.",
    answers=tuple(map(Function, (*LOOPS.both, *FAST.both))),
    properties=(
        LOOPS.outputs("forward", 2, ROW, PLANE, OBLONG, CHANNELS, BATCH),
        LOOPS.one("grad_bias", "bias gradient", 2, ROW, PLANE, SAMPLES, OUTPUTS, BATCH),
        LOOPS.one("grad_weight", "kernel gradient", 2, ONE_WINDOW, ROW, PLANE, OBLONG),
        LOOPS.one("grad_weight", "kernel gradient, samples", 1, SAMPLES),
        LOOPS.one("grad_weight", "kernel gradient, channels", 2, OUTPUTS, CHANNELS, BATCH),
        LOOPS.one("grad_input", "input gradient of one window", 1, ONE_WINDOW),
        LOOPS.one("grad_input", "input gradient, overlap", 3, ROW, PLANE, OBLONG),
        LOOPS.one("grad_input", "input gradient, samples and channels", 2, *ONE_OF_MANY, ONE_IN_A_BATCH),
        LOOPS.keeps_inputs("inputs stay as they are", 1, PLANE),
        LOOPS.star("stride", 2, *STRIDES),
        LOOPS.star("padding", 2, *PADDINGS),
        LOOPS.star("dilation", 2, *DILATIONS),
        LOOPS.star("groups", 2, *GROUPS),
        without_loops(3),
    ),
    hints=(
        "Write down one output as a sum. Which elements of x are in it, and with which weights? Each product in that "
        "sum is a route: along how many routes does one weight reach the loss, and along how many one element of x?",
        "Use the forward's own loops. For each sample n, output q and window (i, j), the upstream gradient is one "
        "number. It goes to bias q; times the window of x to the kernel q; and times the kernel q to the window of x. "
        "Everything is added, and nothing is divided.",
        "Inside the loops: grad_bias[q] += g, grad_weight[q] += g * x[n, :, i : i + kh, j : j + kw], and grad_input[n, "
        ":, i : i + kh, j : j + kw] += g * weight[q], with g = grad_output[n, q, i, j]. For the stars: a window starts "
        "at i * stride and takes every dilation-th element; pad x before and crop the gradient after; a group's "
        "outputs see only their own channels. Without loops: sliding_window_view and np.einsum.",
    ),
    misconceptions=(
        "conv_flip_forward",
        "conv_last_channel",
        "conv_bias_forgotten",
        "conv_bias_many",
        "conv_flip_dA",
        "conv_f1f2_swap",
        "conv_dA_overwrite",
        "conv_dA_dedup",
        "conv_dA_last_q",
        "conv_qc_swap",
        "conv_dA_not_full",
        "conv_no_crop",
        "conv_crop_shift",
        "conv_crop_empty",
        "conv_flip_dW",
        "conv_div_m_twice",
        "conv_dW_mean",
        "conv_dW_last_sample",
        "conv_dW_one_window",
        "conv_bias_batch_only",
        "conv_bias_mean",
        "conv_bias_all",
        "conv_bias_keepdims",
        "conv_stride_ignored",
        "conv_dilation_ignored",
        "conv_groups_interleaved",
    ),
)
