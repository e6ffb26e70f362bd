"""Average pooling under three rules for the divisor, each with the mistakes that can happen under it."""

from dataclasses import replace

from course_lib import loops
from course_lib.exercises.misconceptions import CATALOGUE, Misconception, Operation, steps
from course_lib.exercises.misconceptions.model import Case
from course_lib.exercises.misconceptions.pooling import AVG_RULES, pool_recipe

COUNTED, REAL = "counted", "real"
SAID = {
    COUNTED: "Padding counts: a window's sum is divided by the number of its taps that lie on elements or on padding",
    REAL: "Padding does not count: a window's sum is divided by the number of its taps that lie on elements",
}
# By the result that is asked for and the rule: the catalogue's name, and what it is here.
ABOUT_DIVISORS = {
    ("y", COUNTED): ("avg_pad_never_counts", "The sum is divided by the number of real taps. Here padding counts too."),
    ("y", REAL): (
        "avg_pad_always_counts",
        "The sum is divided by the number of all taps. Here padding does not count.",
    ),
    ("grad_input", COUNTED): (
        "avg_divisor_mismatch2",
        "The gradient is divided by the number of real taps. The forward counted padding too, and both must divide "
        "alike.",
    ),
    ("grad_input", REAL): (
        "avg_divisor_mismatch",
        "The gradient is divided by the number of all taps. The forward did not count padding, and both must divide "
        "alike.",
    ),
}
BACKWARD = (
    "avg_overwrite", "avg_dedup", "avg_divide_by_k", "avg_divide_twice", "avg_not_divided", "avg_k_hardcoded",
    "avg_without_upstream", "avg_sign", "avg_local_offset", "avg_pad_offset", "avg_no_crop", "avg_crop_empty",
    "avg_remainder_cut", "avg_channel_mix", "avg_batch_mix", "avg_stride_is_k", "avg_square_only", "avg_layout",
    "avg_dy_transposed",
)  # fmt: skip
FORWARD = (
    "avg_divide_by_k", "avg_not_divided", "avg_k_hardcoded", "avg_stride_is_k", "avg_square_only",
    "avg_size_padding_once", "avg_size_off_by_one", "avg_size_by_division",
)  # fmt: skip
FLOOR = "avg_size_without_padding", "avg_size_rounded_up"
CEIL = "avg_ceil_ignored", "avg_ceil_beyond"


def said(rule):
    """The rule in a sentence; a number is what every window is divided by."""
    return SAID.get(rule) or f"Every window's sum is divided by {rule}, whatever the window holds"


def operation(rule):
    """Average pooling under a rule, with the loops as what is right."""
    include = rule != REAL
    divisor = {"count_include_pad": include, "divisor_override": rule if isinstance(rule, int) else None}

    def right(x, grad_output, kernel_size, stride, padding, ceil_mode=False):
        geometry = kernel_size, stride, padding, 1, ceil_mode
        gradient = loops.avg_pool_backward(grad_output, x.shape, *geometry, **divisor)
        return {"y": loops.avg_pool(x, *geometry, **divisor), "grad_input": gradient}

    def recipe(rules, **arguments):
        return pool_recipe(rules, **arguments, count_include_pad=include)

    rules = AVG_RULES
    if isinstance(rule, int):
        rules = replace(rules, pool=steps.sum_over(lambda windows: rule), share=steps.number_over(lambda windows: rule))
    return Operation("average pooling", right, recipe, rules)


def mistakes(of, result, rule, ceil=False, without=()):
    """Mistakes of the catalogue as they show under a rule, with those about the rule itself.

    Parameters
    ----------
    of : Operation
    result : str
        What is asked for: ``y`` or ``grad_input``.
    rule : str or int
    ceil : bool
        Whether a last window may overhang.
    without : tuple of str
        Names of those that the layout, or the form of the sizes, makes impossible.
    """
    names = [*(FORWARD if result == "y" else BACKWARD), *(CEIL if ceil else FLOOR if result == "y" else ())]
    names += ["avg_ceil_k2"] if ceil and rule == COUNTED else []
    entries = tuple(replace(CATALOGUE[name], operation=of) for name in names if name not in without)
    if (result, rule) not in ABOUT_DIVISORS:
        return (*entries, _override_ignored(of))
    name, sentence = ABOUT_DIVISORS[result, rule]
    return (*entries, replace(CATALOGUE[name], operation=of, sentence=sentence))


def _override_ignored(of):
    """The mistake that the window's own elements are counted all the same."""
    forms = [
        {"pool": steps.sum_over(count), "share": steps.number_over(count)}
        for count in (lambda windows: windows.size, steps.real_count)
    ]
    sentence = "The number of taps divides, although a divisor is given: then nothing is counted."
    return Misconception("avg_override_ignored", sentence, "04", Case("", {}), of, forms[0], tuple(forms[1:]))
