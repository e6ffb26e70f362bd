"""What a variant lists as its mistakes can be seen in its cases, and what it calls right is right."""

import numpy as np
import pytest

from course_lib import gradcheck
from course_lib.exercises.compare import same
from course_lib.exercises.misconceptions.model import rule_sets
from course_lib.interview.coding import tasks
from course_lib.interview.coding.judging import missing
from course_lib.interview.coding.tasks import smooth_max_backward

SEEDS = (3, 4)
# An index that names its element is read in vain from one window more: only hidden windows show that.
HIDDEN = {"gather_one_too_many"}


def differs(judged, case, changes):
    """Whether some rules changed give another array, or none."""
    try:
        with np.errstate(all="ignore"):
            wrong = np.asarray(judged.part(judged.operation.results_with(changes, case)))
    except (ArithmeticError, LookupError, ValueError):
        return True
    return not same(wrong, judged.expected(case))


def shows(entry, variant):
    """Whether a mistake is seen in one of the cases."""
    asked = [(judged, case) for judged in variant.properties if hasattr(judged, "part") for case in judged.cases]
    asked = [(judged, case) for judged, case in asked if judged.operation is entry.operation]
    return any(differs(judged, case, changes) for changes in rule_sets(entry) for judged, case in asked)


@pytest.mark.parametrize("task", [task for task in tasks() if not missing(task)], ids=lambda task: task.name)
def test_every_mistake_of_a_variant_shows_in_a_case(task):
    for variant in map(task.variant, SEEDS):
        unseen = {name for name, entry in variant.catalogue().items() if not shows(entry, variant)}
        assert unseen <= HIDDEN


def smooth(rule, x, sharp):
    """The sum of all windows of two by two, weighted, by the formula of the statement."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(2, 3)).reshape(-1, 4)
    parts = np.exp(sharp * windows)
    pooled = {
        "lp": (np.abs(windows) ** sharp).sum(-1) ** (1 / sharp),
        "logsumexp": np.log(parts.sum(-1)) / sharp,
        "softmax": (parts * windows).sum(-1) / parts.sum(-1),
    }
    return pooled[rule].reshape(1, 1, 2, 3)


@pytest.mark.parametrize("rule", smooth_max_backward.SAID)
def test_smooth_maximum_has_the_slopes_of_its_formula(rule, rng):
    x = rng.normal(size=(1, 1, 3, 4))

    def backward(grad_output, x):
        gradient = smooth_max_backward.Smooth(smooth_max_backward.SLOPES[rule])
        return (gradient(x, grad_output, 2, 1, 0, sharpness=3.0)["grad_input"],)

    assert gradcheck.check_gradient(lambda x: smooth(rule, x, 3.0), backward, x).passed
