"""Max pooling under three rules for ties and in two layouts, with the mistakes that can happen under each."""

from dataclasses import replace
from functools import cache

from course_lib import loops, routing
from course_lib.exercises.misconceptions import CATALOGUE, MAX_POOL, Operation, steps
from course_lib.exercises.misconceptions.model import Lazily
from course_lib.exercises.misconceptions.pooling import MAX_RULES, first_largest, pool_recipe
from course_lib.exercises.misconceptions.ties import SPLIT_POOL
from course_lib.interview.coding.draw import channels_first, channels_last, distinct

RULES = ("first", "last", "split")
SAID = {
    "first": "Of equal maxima, the **first** in row-major order gets everything.",
    "last": "Of equal maxima, the **last** in row-major order gets everything.",
    "split": "Equal maxima **share**: of t that tie, each gets 1/t.",
}
LAYOUTS = {"NCHW": "(N, C, H, W)", "NHWC": "(N, H, W, C)"}
# Those that no rule for ties makes right.
ANY_RULE = (
    "max_overwrite", "max_fancy_add", "max_mask_shared", "max_eqmask", "max_as_average", "max_passthrough",
    "max_as_minimum", "max_without_upstream", "max_local_offset", "max_stride_is_k", "max_zero_at_tie",
    "max_channel_shared_argmax", "max_batch_shared_argmax",
)  # fmt: skip
BY_RULE = {
    "first": ("max_tie_last", "max_tie_split", "max_tie_column_first"),
    "split": ("split_first", "split_last"),
}
ARRAYS = ("x", "grad_output")


def right_last(x, grad_output, kernel_size, stride=None, padding=0):
    """Max pooling whose last tied element wins, as course_lib's routes compute it."""
    gradient = routing.max_routes(x, kernel_size, stride, padding, ties="last").backward(grad_output)
    return {"y": loops.max_pool(x, kernel_size, stride, padding), "grad_input": gradient}


LAST_RULES = replace(MAX_RULES, share=steps.last_largest)
LAST_POOL = Operation("max pooling, the last of ties", right_last, pool_recipe, LAST_RULES)
OPERATIONS = {"first": MAX_POOL, "last": LAST_POOL, "split": SPLIT_POOL}
FIRST_FOR_LAST = replace(
    CATALOGUE["max_tie_last"],
    name="last_first",
    sentence="The first of the tied elements gets the gradient, as argmax finds it; here the last one wins.",
    changes={"share": first_largest},
)
SPLIT_FOR_LAST = replace(
    CATALOGUE["max_tie_split"],
    name="last_split",
    sentence="The tied elements share the gradient. Some functions do that; here the last one wins.",
)


@cache
def operation(rule, layout="NCHW"):
    """Max pooling by a rule for ties; its arrays have a layout."""
    inner = OPERATIONS[rule]
    if layout == "NCHW":
        return inner

    def right(**given):
        return {name: channels_last(array) for name, array in inner.right(**_first(given)).items()}

    def recipe(rules, **given):
        results = inner.recipe(rules, **_first(given))
        return Lazily(**{name: lambda name=name: channels_last(results[name]) for name in results})

    return Operation(f"{inner.name}, channels last", right, recipe, inner.rules)


def _first(given):
    """The arguments of a call with channels first."""
    return {name: channels_first(value) if name in ARRAYS else value for name, value in given.items()}


def mistakes(rule, layout="NCHW", names=ANY_RULE):
    """The mistakes of the catalogue as they show under a rule and in a layout, with those about the rule itself."""
    own = (FIRST_FOR_LAST, SPLIT_FOR_LAST) if rule == "last" else [CATALOGUE[name] for name in BY_RULE[rule]]
    entries = (*(CATALOGUE[name] for name in names), *own)
    # What they show is counted by the rule that the first wins, in arrays with channels first.
    return tuple(replace(entry, operation=operation(rule, layout), shows=None) for entry in entries)


def laid(shape, layout):
    """The shape (N, C, H, W) in a layout."""
    return shape if layout == "NCHW" else (shape[0], *shape[2:], shape[1])


def upstream(rng, x, kernel_size, stride, layout="NCHW", padding=0):
    """An upstream gradient of distinct numbers from 1 on, for an input that was drawn."""
    axis = 1 if layout == "NCHW" else -1
    return distinct(rng, loops.max_pool(x.array, kernel_size, stride, padding, channel_axis=axis).shape, low=1)
