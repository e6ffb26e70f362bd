"""The table of the tie explorable: one window, the rule for equal maxima, and who gets the gradient."""

from itertools import product

import numpy as np

from course_lib import routing
from course_lib.dispatch import max_pool
from course_lib.widgets import table as tables

WINDOWS = {
    "one maximum": [[1.0, 4.0], [3.0, 2.0]],
    "two equal": [[5.0, 1.0], [5.0, 2.0]],
    "all equal": [[5.0, 5.0], [5.0, 5.0]],
    "ReLU zeros": [[0.0, 0.0], [0.0, 0.0]],
    "NaN": [[1.0, np.nan], [np.nan, 5.0]],
    "all −∞": [[-np.inf, -np.inf], [-np.inf, -np.inf]],
    "−0.0 and 0.0": [[-0.0, 0.0], [-1.0, -2.0]],
}
# A mask pays every equal element in full: it is a mistake, shown beside the three rules.
RULES = (*routing.TIES, "mask")
WORDS = {"mask": "mask (wrong)"}


def build(windows, upstream, rules):
    """The table of some windows.

    Parameters
    ----------
    windows : dict of ndarray (H, W)
    upstream : float
        The gradient of the one output.
    rules : list of "first", "last", "split" or "mask"

    Returns
    -------
    dict, ready for JSON
    """
    settings = {
        tables.key((name, rule)): _entry(windows[name], upstream, rule) for name, rule in product(windows, rules)
    }
    controls = [
        {"name": "window", "label": "window", "options": list(windows)},
        {"name": "ties", "label": "equal maxima", "options": rules, "words": [WORDS.get(rule, rule) for rule in rules]},
    ]
    table = {"kind": "tie", "controls": controls, "upstream": tables.number(upstream), "settings": settings}
    return tables.small(table, "windows", (len(windows),))


def gradient(x, upstream, rule):
    """What each element of one window gets of its output's gradient, (H, W).

    ``rule`` is one of `RULES`, or "amax": PyTorch's `amax`, which divides the mask by its sum.
    """
    best = max_pool(x[None, None], x.shape)[0, 0, 0, 0]
    equal = (x == best).astype(np.float64)
    if rule == "mask":
        return upstream * equal
    if rule == "amax":
        with np.errstate(invalid="ignore"):
            return upstream * equal / equal.sum()
    paths = routing.max_routes(x[None, None], x.shape, ties=rule)
    return paths.backward(np.full(paths.shape_out, upstream))[0, 0]


def _entry(x, upstream, rule):
    """What one window and one rule show."""
    best = max_pool(x[None, None], x.shape)[0, 0, 0, 0]
    equal = np.isnan(x) if np.isnan(best) else x == best
    grads = {"chosen": rule, "max_pool2d": "first", "amax": "amax"}
    found = {name: gradient(x, upstream, way) for name, way in grads.items()}
    return {
        "shape": list(x.shape),
        "values": [_value(value, x) for value in x.ravel()],
        "best": _value(best, x),
        "equal": np.flatnonzero(equal).tolist(),
        "grads": {name: _grad(grad, upstream) for name, grad in found.items()},
        "sentence": sentence(x, upstream, rule),
    }


def _grad(grad, upstream):
    """A gradient, its sum, and whether the sum is the upstream gradient."""
    total = grad.sum()
    return {"values": tables.numbers(grad), "sum": tables.number(total), "kept": bool(np.isclose(total, upstream))}


def _value(value, x):
    """An element as it is written; where zeros have signs, these are shown."""
    signed = np.any(np.signbit(x) & (x == 0))
    return f"{value:.1f}".replace("-", "−") if signed and value == 0 else tables.number(value)


def sentence(x, upstream, rule):
    """What happens to the gradient of one window, in words."""
    best = max_pool(x[None, None], x.shape)[0, 0, 0, 0]
    grad = gradient(x, upstream, rule)
    paid = [f"({row}, {column})" for row, column in np.argwhere(grad).tolist()]
    if np.isnan(best):
        return f"NaN wins over every number. {_of_nan(rule, paid, upstream)}"
    ties = int((x == best).sum())
    start = f"{ties} elements tie at {_words(_value(best, x))}." if ties > 1 else "One element is the largest."
    return f"{start} {_of_ties(rule, paid, ties, upstream)}"


def _of_nan(rule, paid, upstream):
    """Who gets the gradient of a window with a NaN."""
    if rule == "mask":
        return "But NaN equals nothing, not even itself: the mask is empty, and the gradient is lost."
    return f"Under each rule the last NaN, {paid[0]}, gets all of the upstream gradient {_words(upstream)}."


def _of_ties(rule, paid, ties, upstream):
    """Who gets the gradient of a window of numbers."""
    whole = f"all of the upstream gradient {_words(upstream)}"
    if ties == 1:
        return f"It gets {whole}, under every rule."
    if rule == "mask":
        total = f"{ties} · {_words(upstream)} = {_words(ties * upstream)}"
        return f"A mask x == y pays each in full: {total}, {ties} times the upstream gradient."
    if rule == "split":
        return f"Each gets an equal share, {_words(upstream)} / {ties}."
    return f"The {rule} of them in row-major order, {paid[0]}, gets {whole}."


def _words(value):
    """A number in a sentence."""
    return value if isinstance(value, str) else f"{tables.number(value):g}".replace("-", "−")
