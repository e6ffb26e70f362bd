"""What goes wrong where tied elements are to share, and what is said about choosing a winner again."""

from dataclasses import replace

import numpy as np

from course_lib import routing
from course_lib.exercises.misconceptions import paths, steps
from course_lib.exercises.misconceptions.model import Misconception, Operation
from course_lib.exercises.misconceptions.pooling import (
    MAX_RULES,
    even,
    first_largest,
    is_largest,
    pool_recipe,
    window_case,
)

TIE = window_case([[2, 2, 1]], 8)
SHARED = window_case([[1, 5, 1]], [[2, 3]], kernel_size=(1, 2), stride=1)


def right_split(x, grad_output, kernel_size, stride=None, padding=0):
    """Max pooling whose tied elements share the gradient, as course_lib's routes compute it."""
    routes = routing.max_routes(x, kernel_size, stride, padding, ties="split")
    return {"grad_input": routes.backward(np.asarray(grad_output, np.float64))}


SPLIT_POOL = Operation("max pooling, ties share", right_split, pool_recipe, replace(MAX_RULES, share=steps.equal_share))


def _mistake(name, sentence, smallest, *forms):
    """A mistake where tied elements are to share."""
    return Misconception(name, sentence, "05", smallest, SPLIT_POOL, forms[0], forms[1:])


SPLITS = [
    _mistake(
        "split_first",
        "The first of the tied elements gets everything. Under another rule it would; here they share.",
        TIE,
        {"share": first_largest},
    ),
    _mistake(
        "split_last",
        "The last of the tied elements gets everything. Under another rule it would; here they share.",
        TIE,
        {"share": steps.last_largest},
    ),
    _mistake(
        "split_mask",
        "Every tied element gets the whole gradient, so more arrives than was sent. Divide by the number of those that "
        "tie.",
        TIE,
        {"share": is_largest},
    ),
    _mistake(
        "split_among_all",
        "Every element of the window gets a share, as in average pooling. Only those share that equal the maximum.",
        TIE,
        {"share": even},
    ),
    _mistake(
        "split_overwrite",
        "A later window overwrites what an earlier one sent. An element that has a share in several windows gets the "
        "sum: add.",
        SHARED,
        {"collect": paths.WINNERS_BY_WINDOW},
        {"collect": paths.WINDOWS_BY_WINDOW},
    ),
]
WORDS = [
    Misconception(
        name="any_search_finds_it",
        sentence="The maximum is the same for all, but its place is not: at a tie another rule finds another element, "
        "and in a rounded or changed copy another element may be the largest.",
        chapter="05",
        smallest=TIE,
    ),
    Misconception(
        name="winner_must_be_saved",
        sentence="Two stored numbers compare the same way every time. A search in the same input by the same rule "
        "finds the same winner, ties included; some libraries save no index and do just that.",
        chapter="05",
        smallest=TIE,
    ),
    Misconception(
        name="sign_decides",
        sentence="The sign plays no part: where two elements below zero tie, the same rule in the same input finds the "
        "same winner, and where two above zero tie, another rule finds another.",
        chapter="05",
        smallest=window_case([[-2, -2]], 8),
    ),
]

TIE_MISCONCEPTIONS = [*SPLITS, *WORDS]
