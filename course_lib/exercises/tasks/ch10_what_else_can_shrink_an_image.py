"""The task of chapter 10: what three ways to halve a map cost, one gradient, and what a network really uses."""

from course_lib.exercises.exercise import Array, Choice, Exercise, Option
from course_lib.exercises.fill_in import RightFormula
from course_lib.exercises.formulas import Formula
from course_lib.exercises.misconceptions import AVG_POOL
from course_lib.exercises.misconceptions.pooling import window_case
from course_lib.exercises.properties import RightChoice, Values

# The two bins of five elements are windows of three with stride 2.
BINS = window_case([[4, 1, 7, 2, 5]], [[6, 12]], kernel_size=(1, 3), stride=(1, 2))


def row(results):
    """The gradient of the five numbers."""
    return results["grad_input"][0, 0, 0]


EXERCISE = Exercise(
    number="10",
    name="10_what_else_can_shrink_an_image",
    title="Count what halving costs",
    stars=1,
    chapter="10",
    task="Count parameters and saved bytes, send one gradient back, and say which network does what.",
    lines=5,
    allowed="Pencil and paper.",
    answers=(
        Formula("conv_parameters"),
        Formula("depthwise_parameters"),
        Formula("index_bytes"),
        Array("adaptive_gradient"),
        Choice(
            "uses",
            {
                "a": Option("VGG shrinks its maps by convolutions with stride 2.", "vgg_strides"),
                "b": Option("EfficientNet shrinks its maps by max pools.", "efficientnet_pools"),
                "c": Option("ConvNeXt shrinks its maps by 2 × 2 convolutions with stride 2."),
                "d": Option("ViT merges patches between its stages.", "vit_merges"),
            },
        ),
    ),
    properties=(
        RightFormula(
            "conv_parameters",
            1,
            ("conv_parameters",),
            "9*32*32 + 32",
            {"stride_saves_parameters": ("(9*32*32 + 32)//4", "9*32*32//4 + 32"), "bias_not_counted": ("9*32*32",)},
        ),
        RightFormula(
            "depthwise_parameters",
            1,
            ("depthwise_parameters",),
            "9*32 + 32",
            {"depthwise_mixes_channels": ("9*32*32 + 32",), "bias_not_counted": ("9*32",)},
        ),
        RightFormula(
            "index_bytes",
            1,
            ("index_bytes",),
            "8*32*20*20",
            {"index_for_every_input": ("8*32*40*40",), "index_of_four_bytes": ("4*32*20*20",)},
        ),
        Values("adaptive_gradient", 1, ("adaptive_gradient",), AVG_POOL, (BINS,), row),
        RightChoice("uses", 1, ("uses",)),
    ),
    hints=(
        "What does the number of parameters of a convolution depend on: its kernel, its channels, its stride, its "
        "input? And for what does max pooling save an index: for every input, or for every output?",
        "A full kernel has one number for every pair of channels, a depthwise one for every channel. An int64 has "
        "eight bytes. Adaptive pooling from 5 to 2 has the bins 0 to 2 and 2 to 4, so the middle element lies in both.",
        "9·32·32 + 32; 9·32 + 32; 8 bytes · 32 channels · 20 · 20 outputs; 6/3 to the first three numbers and 12/3 to "
        "the last three, added in the middle. For uses, look at the table of networks.",
    ),
    misconceptions=(
        "stride_saves_parameters",
        "bias_not_counted",
        "depthwise_mixes_channels",
        "index_for_every_input",
        "index_of_four_bytes",
        "avg_overwrite",
        "avg_not_divided",
        "vgg_strides",
        "efficientnet_pools",
        "vit_merges",
    ),
    worked="9·32·32 + 32 = 9248 parameters, whatever the stride. Depthwise 9·32 + 32 = 320.\n"
    "8·32·20·20 = 102400 bytes: one index for each of the 12800 outputs.\n"
    "The bins hold three numbers each: [2, 2, 2 + 4, 4, 4].\n"
    "c is true: VGG pools, EfficientNet has strided depthwise convolutions, and merging patches is Swin's.",
)
