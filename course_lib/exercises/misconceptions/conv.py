"""What goes wrong in convolution."""

from functools import partial

from course_lib.exercises.misconceptions import conv_steps as steps
from course_lib.exercises.misconceptions import paths
from course_lib.exercises.misconceptions.convolution import CONV, plane_case
from course_lib.exercises.misconceptions.model import Case, Misconception

_mistake = partial(Misconception, operation=CONV)
KERNEL = plane_case([[1, 2], [3, 4]], [[0, -1], [1, 2]], [[4]])
OVERLAP = plane_case([[1, 2, 3], [4, 5, 6]], [[1, 2], [3, 5]], [[1, 10]])
PAIR = plane_case([[1, 2]], [[3]], [[2, 4]])
STEPS = plane_case([[1, 2, 3]], [[4]], [[5, 6]], stride=2)
PADDED = plane_case([[2]], [[1, 3], [5, 7]], [[1, 2], [4, 8]], padding=1)
DILATED = plane_case([[1, 2, 3]], [[4, 5]], [[2]], dilation=(1, 2))
SAMPLES = Case("two samples", {"x": [[[[2]]], [[[3]]]], "weight": [[[[5]]]], "bias": [1],
                               "grad_output": [[[[4]]], [[[7]]]]})  # fmt: skip
OUTPUTS = Case("two outputs", {"x": [[[[2]]]], "weight": [[[[5]]], [[[3]]]], "bias": [1, 6],
                               "grad_output": [[[[4]], [[7]]]]})  # fmt: skip
CHANNELS = Case("two inputs and two outputs", {"x": [[[[2]], [[9]]]], "weight": [[[[5]], [[3]]], [[[1]], [[8]]]],
                                               "bias": [1, 6], "grad_output": [[[[4]], [[7]]]]})  # fmt: skip
GROUPS = Case(
    "four channels in two groups",
    {"x": [[[[1]], [[2]], [[4]], [[8]]]], "weight": [[[[1]], [[3]]], [[[5]], [[7]]]], "bias": [0, 0],
     "grad_output": [[[[1]], [[10]]]], "groups": 2},
)  # fmt: skip
NEGATIVE = plane_case([[1]], [[-2]], [[3]], activation="relu")
ZERO = plane_case([[0]], [[2]], [[7]], activation="relu")


def per_sample(samples, outputs, rows, columns):
    """The number of samples."""
    return samples


def per_window(samples, outputs, rows, columns):
    """The number of windows of all samples."""
    return samples * rows * columns


BY_SAMPLE, BY_POSITION = steps.divided_by(per_sample), steps.divided_by(per_window)

FORWARD = [
    _mistake(
        name="conv_flip_forward",
        sentence="The forward turns the kernel. What networks call convolution is cross-correlation: the kernel stays.",
        chapter="06",
        smallest=KERNEL,
        changes={"correlate": steps.correlate_rotated},
        styles=(
            {
                "correlate": steps.correlate_rotated,
                "kernel": steps.rotated,
                "weight": steps.rotated_weight_gradient,
            },
        ),
    ),
    _mistake(
        name="conv_last_channel",
        sentence="Each channel's sum replaces the one before, so that the last channel stays alone. Add them.",
        chapter="06",
        smallest=CHANNELS,
        changes={"correlate": steps.correlate_last_channel},
    ),
    _mistake(
        name="conv_bias_forgotten",
        sentence="The bias is missing.",
        chapter="06",
        smallest=plane_case([[1]], [[2]], [[3]], bias=5),
        changes={"add_bias": steps.no_bias},
    ),
    _mistake(
        name="conv_bias_many",
        sentence="The bias is added once for each input channel. It belongs to the output, and is added once.",
        chapter="06",
        smallest=CHANNELS,
        changes={"add_bias": steps.bias_for_each_channel},
    ),
]
INPUTS = [
    _mistake(
        name="conv_flip_dA",
        sentence="The kernel is turned where it must not be, or not turned where it must. Element (a, b) and output "
        "(r, s) are joined by the weight (a − r, b − s): the upstream gradient meets the rotated kernel.",
        chapter="06",
        smallest=KERNEL,
        changes={"kernel": steps.rotated},
    ),
    _mistake(
        name="conv_f1f2_swap",
        sentence="Rows and columns of the kernel are exchanged in the input's gradient. A symmetric kernel hides it.",
        chapter="06",
        smallest=KERNEL,
        changes={"kernel": steps.axes_swapped},
    ),
    _mistake(
        name="conv_dA_overwrite",
        sentence="A later window overwrites what an earlier one sent. An element in several windows gets the sum: add.",
        chapter="03",
        smallest=OVERLAP,
        changes={"collect": paths.WINDOWS_BY_WINDOW},
        styles=(
            {"collect": paths.assign_windows(paths.BY_COLUMN)},
            {"collect": paths.assign_windows(paths.BY_TAP)},
        ),
    ),
    _mistake(
        name="conv_dA_dedup",
        sentence="The sum is divided by the number of windows that hold the element. Each of them sends its own part, "
        "and they only add.",
        chapter="03",
        smallest=OVERLAP,
        changes={"finish": paths.over_coverage},
    ),
    _mistake(
        name="conv_dA_last_q",
        sentence="Each output's part replaces the one before, so that the last output stays alone. An input feeds all "
        "outputs: add over them.",
        chapter="06",
        smallest=OUTPUTS,
        changes={"send": steps.send_last_output},
    ),
    _mistake(
        name="conv_qc_swap",
        sentence="The weight is read with inputs and outputs exchanged. Its first axis counts the outputs.",
        chapter="06",
        smallest=CHANNELS,
        changes={"kernel": steps.channels_swapped},
        styles=({"kernel": steps.channels_reshaped},),
    ),
    _mistake(
        name="conv_dA_not_full",
        sentence="The rotated kernel visits only places that lie inside the upstream gradient. Elements at the border "
        "are in windows too: pad the upstream gradient by k − 1.",
        chapter="06",
        smallest=plane_case([[1, 2, 3]], [[4, 5]], [[2, 3]]),
        changes={"finish": steps.without_full_padding},
    ),
    _mistake(
        name="conv_no_crop",
        sentence="The gradient has the shape of the padded input. It needs a place for every real element and none for "
        "padding.",
        chapter="06",
        smallest=PADDED,
        changes={"crop": paths.not_cropped},
    ),
    _mistake(
        name="conv_crop_shift",
        sentence="The padding is cut off at the wrong end, so that everything arrives one padding too far down and to "
        "the right. Cut from [p : p + H].",
        chapter="06",
        smallest=PADDED,
        changes={"crop": paths.cropped_from_the_corner},
    ),
    _mistake(
        name="conv_crop_empty",
        sentence="The padding is cut off with [p:-p]. Without padding that is [0:-0], which is empty: write [p : p + "
        "H].",
        chapter="06",
        smallest=PAIR,
        changes={"crop": paths.cropped_to_minus},
    ),
]
WEIGHTS = [
    _mistake(
        name="conv_flip_dW",
        sentence="The kernel's gradient is turned by 180°. In the forward the kernel is not turned, so its gradient is "
        "not.",
        chapter="06",
        smallest=KERNEL,
        changes={"weight": steps.rotated_weight_gradient},
    ),
    _mistake(
        name="conv_div_m_twice",
        sentence="The gradient is divided by the number of samples. If the loss is a mean, the upstream gradient holds "
        "that division already.",
        chapter="06",
        smallest=SAMPLES,
        changes={"scale_weight": BY_SAMPLE, "scale_bias": BY_SAMPLE},
        styles=(
            {"scale_weight": BY_SAMPLE},
            {"scale_bias": BY_SAMPLE},
            {"scale_weight": BY_SAMPLE, "scale_bias": BY_SAMPLE, "scale_input": BY_SAMPLE},
        ),
    ),
    _mistake(
        name="conv_dW_mean",
        sentence="The kernel's gradient is a mean over the positions. The kernel is one variable, used at every "
        "position: the total derivative adds.",
        chapter="06",
        smallest=PAIR,
        changes={"scale_weight": BY_POSITION},
    ),
    _mistake(
        name="conv_dW_last_sample",
        sentence="Each sample's kernel gradient replaces the one before, so that the last sample stays alone. Add.",
        chapter="06",
        smallest=SAMPLES,
        changes={"weight": steps.last_sample},
        styles=({"weight": steps.last_sample, "bias": steps.last_sample_of_upstream},),
    ),
    _mistake(
        name="conv_dW_one_window",
        sentence="The kernel's gradient comes from one position alone. The kernel is used at every position: add over "
        "all of them.",
        chapter="06",
        smallest=PAIR,
        changes={"weight": steps.one_window(slice(-1, None), -1)},
        styles=(
            {"weight": steps.one_window(slice(None), -1)},
            {"weight": steps.one_window(slice(None), 0)},
        ),
    ),
]
BIASES = [
    _mistake(
        name="conv_bias_batch_only",
        sentence="The bias' gradient is summed over the samples alone. The bias is used at every position too.",
        chapter="06",
        smallest=PAIR,
        changes={"bias": steps.batch_only},
    ),
    _mistake(
        name="conv_bias_mean",
        sentence="The bias' gradient is a mean. The bias is added at every position, so the derivative is a sum.",
        chapter="06",
        smallest=PAIR,
        changes={"bias": steps.mean_of_upstream},
    ),
    _mistake(
        name="conv_bias_all",
        sentence="The bias' gradient is summed over the outputs too. Every output has a bias of its own.",
        chapter="06",
        smallest=OUTPUTS,
        changes={"bias": steps.over_all_outputs},
        styles=({"bias": lambda upstream: upstream.sum()},),
    ),
    _mistake(
        name="conv_bias_keepdims",
        sentence="The bias' gradient keeps the axes that were summed over. It has the shape of the bias: (C_out,).",
        chapter="06",
        smallest=PAIR,
        changes={"bias": steps.with_all_axes},
    ),
]
GEOMETRY = [
    _mistake(
        name="conv_stride_ignored",
        sentence="The backward takes the windows one step apart. They lie where the forward had them: at multiples of "
        "the stride.",
        chapter="06",
        smallest=STEPS,
        changes={"lay_input": steps.without_stride, "lay_weight": steps.without_stride},
        styles=({"lay_input": steps.without_stride}, {"lay_weight": steps.without_stride}),
    ),
    _mistake(
        name="conv_dilation_ignored",
        sentence="The taps are taken side by side. With a dilation they lie that many elements apart.",
        chapter="06",
        smallest=DILATED,
        changes=dict.fromkeys(("lay", "lay_input", "lay_weight"), steps.without_dilation),
        styles=(
            {"lay_input": steps.without_dilation, "lay_weight": steps.without_dilation},
            {"lay_input": steps.without_dilation},
            {"lay_weight": steps.without_dilation},
        ),
    ),
    _mistake(
        name="conv_groups_interleaved",
        sentence="Every second, third, ... channel is taken for one group. The channels of a group stand side by side.",
        chapter="06",
        smallest=GROUPS,
        changes={"group": steps.interleaved},
    ),
]
ACTIVATIONS = [
    _mistake(
        name="act_forgotten",
        sentence="The gradient skips the activation. Between y and z stands its derivative: multiply by it.",
        chapter="06",
        smallest=NEGATIVE,
        changes={"slope": steps.always},
    ),
    _mistake(
        name="relu_ge",
        sentence="The ReLU's derivative is taken as 1 at 0. Any number between 0 and 1 is possible there; frameworks "
        "take 0, and a backward must do as they do.",
        chapter="05",
        smallest=ZERO,
        changes={"slope": steps.not_negative},
    ),
]

CONV_MISCONCEPTIONS = [*FORWARD, *INPUTS, *WEIGHTS, *BIASES, *GEOMETRY, *ACTIVATIONS]
