"""What goes wrong in words: the wrong answers of multiple choices, each with an input that refutes it."""

from course_lib.exercises.misconceptions.convolution import plane_case
from course_lib.exercises.misconceptions.model import Case, Misconception
from course_lib.exercises.misconceptions.pooling import window_case

ONES = plane_case([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 1], [1, 1]], [[1, 1], [1, 1]])
TIES = [
    Misconception(
        name="tie_is_harmless",
        sentence="Equal values give one output, but where the gradient lands still depends on a choice: of two equal "
        "elements, raising either raises the maximum, and lowering either alone does not lower it.",
        chapter="05",
        smallest=window_case([[2, 2]], 1),
    ),
    Misconception(
        name="tie_chosen_anew",
        sentence="If the backward chooses by a rule of its own, the gradient may go to an element that the forward did "
        "not take, and two runs of one model may differ.",
        chapter="05",
        smallest=window_case([[2, 2]], 1),
    ),
]
CONVOLUTIONS = [
    Misconception(
        name="conv_by_value",
        sentence="A convolution is linear in its input: the input's gradient depends on the kernel and on the upstream "
        "gradient, and not on the input's values.",
        chapter="06",
        smallest=plane_case([[0, 0]], [[3]], [[1, 1]]),
    ),
    Misconception(
        name="conv_kernel_sum",
        sentence="An element meets only those weights whose windows hold it. In a corner that is one of the four, and "
        "its gradient is 1.",
        chapter="06",
        smallest=plane_case([[1, 2]], [[1, 1]], [[1]]),
    ),
    Misconception(
        name="overwrite_hides",
        sentence="This example shows it: the middle would hold 1 and not 4.",
        chapter="07",
        smallest=ONES,
    ),
    Misconception(
        name="bias_mean_hides",
        sentence="This example shows it: the bias' gradient would be 1 and not 4.",
        chapter="07",
        smallest=ONES,
    ),
    Misconception(
        name="flipped_dW_hides",
        sentence="This example shows it: the kernel's gradient has four different elements, and the largest would "
        "stand first.",
        chapter="07",
        smallest=ONES,
    ),
]
POOLING = [
    Misconception(
        name="size_without_dilation",
        sentence="Dilation spreads the taps, so that a window reaches over d·(k − 1) + 1 elements and not over k.",
        chapter="01",
        smallest=Case("H = 3, k = 2, d = 2", {"size": 3, "kernel_size": 2, "dilation": 2}),
    ),
    Misconception(
        name="size_dilation_times_k",
        sentence="Between k taps lie k − 1 steps of d elements: a window reaches over d·(k − 1) + 1 elements and not "
        "over d·k.",
        chapter="01",
        smallest=Case("H = 3, k = 2, d = 2", {"size": 3, "kernel_size": 2, "dilation": 2}),
    ),
    Misconception(
        name="size_dilated_off_by_one",
        sentence="That is the number of steps. The first window stands before them: add 1.",
        chapter="01",
        smallest=Case("H = 3, k = 2, d = 2", {"size": 3, "kernel_size": 2, "dilation": 2}),
    ),
    Misconception(
        name="pool_keeps_place",
        sentence="The output holds one number a window. Two windows with the same largest value at different places "
        "give the same output; the place is in the indices, which are a second result.",
        chapter="01",
        smallest=window_case([[0, 1]], 1),
    ),
    Misconception(
        name="pool_learns",
        sentence="A pool has no weights. It computes the same whatever the network has learned.",
        chapter="01",
        smallest=window_case([[0, 1]], 1),
    ),
]

NETWORKS = [
    Misconception(
        name="stride_saves_parameters",
        sentence="A convolution's kernel is as large with stride 2 as with stride 1. Only the outputs are fewer.",
        chapter="10",
        smallest=Case("one channel, kernel of one weight", {"channels": 1, "kernel_size": 1, "stride": 2}),
    ),
    Misconception(
        name="bias_not_counted",
        sentence="Each output channel has a bias, which is a parameter too.",
        chapter="10",
        smallest=Case("one channel, kernel of one weight", {"channels": 1, "kernel_size": 1}),
    ),
    Misconception(
        name="depthwise_mixes_channels",
        sentence="A depthwise kernel reads one channel and writes one: there is a kernel for each channel, not for "
        "each pair.",
        chapter="10",
        smallest=Case("two channels, kernel of one weight", {"channels": 2, "kernel_size": 1}),
    ),
    Misconception(
        name="index_for_every_input",
        sentence="One index is saved for each output, since each window has one winner.",
        chapter="10",
        smallest=window_case([[1, 2]], 1),
    ),
    Misconception(
        name="index_of_four_bytes",
        sentence="An int64 has 64 bits, which are eight bytes.",
        chapter="10",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="vgg_strides",
        sentence="All of VGG's convolutions have stride 1. Five max pools of 2 × 2 halve its maps.",
        chapter="10",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="efficientnet_pools",
        sentence="EfficientNet has no max pool: depthwise convolutions with stride 2 halve its maps.",
        chapter="10",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="vit_merges",
        sentence="ViT cuts the image into patches once, at the start. Merging patches between stages is Swin's.",
        chapter="10",
        smallest=window_case([[1]], 1),
    ),
]
BRANCHES = [
    Misconception(
        name="clip_each",
        sentence="Clipping together divides all gradients by one number, the norm of all of them over the bound. It "
        "does not look at branches.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="clip_by_sum",
        sentence="Norms do not add: of two gradients with norms 3 and 4 the norm together is the root of 9 + 16.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="clip_none",
        sentence="The norm of both together is above the bound, so both are divided.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="sparse_dies",
        sentence="A pool passes on all that it gets: zeros in most places, and the whole gradient in the others.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="infinity_is_silent",
        sentence="Minus infinity in a linear layer gives NaN, and NaN shows: nothing would be finite.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="unscaled_cuts",
        sentence="Without scaling small numbers may become zero in float16. A gradient that never came is another "
        "thing.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="zero_times_nan",
        sentence="0 times NaN is NaN: the sample's gradient stays NaN, and so does the sum over the batch.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
    Misconception(
        name="pad_wins",
        sentence="A padding that counts as zero also wins where all words are negative, in texts that are not empty.",
        chapter="11",
        smallest=window_case([[1]], 1),
    ),
]
ANSWERS = [
    Misconception(
        name="point_was_said",
        sentence="The answer does say this: read it once more, and underline the words.",
        chapter="13",
        smallest=window_case([[1, 5, 2]], [[3, 4]], kernel_size=(1, 2), stride=(1, 1)),
    ),
    Misconception(
        name="tiles_hide_overwriting",
        sentence="Windows side by side share no element, so nothing is ever written twice: right and wrong code agree "
        "there.",
        chapter="03",
        smallest=window_case([[1, 5], [2, 3]], [[4]]),
    ),
    Misconception(
        name="ties_hide_overwriting",
        sentence="A tie asks which element wins. The answer does take the first, and with one window nothing is "
        "written twice.",
        chapter="05",
        smallest=window_case([[2, 2]], 1),
    ),
]

WORD_MISCONCEPTIONS = [*TIES, *CONVOLUTIONS, *POOLING, *NETWORKS, *BRANCHES, *ANSWERS]
