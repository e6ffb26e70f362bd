"""The table of the gradient-check explorable: slopes, errors and what explains them, for every step."""

from itertools import product

import numpy as np

from course_lib.gradcheck.probe import Probe
from course_lib.widgets import table as tables
from course_lib.widgets.gradient_check_cases import cases

# From 1 down to 10⁻¹⁴, four to a power of ten.
STEPS = [10.0 ** (-quarter / 4) for quarter in range(57)]
DIGITS = 17


def build(choices):
    """The table of the offered functions, dtypes and schemes.

    Parameters
    ----------
    choices : dict of list
        The options of function, dtype and scheme.

    Returns
    -------
    dict, ready for JSON
    """
    known = cases()
    curves, settings = [], {}
    for function, dtype, scheme in product(*choices.values()):
        curve = measured(known[function], dtype, scheme)
        for number in range(len(STEPS)):
            settings[tables.key((function, dtype, scheme, number))] = {"curve": len(curves)}
        curves.append({**curve, "function": function, "dtype": dtype, "scheme": scheme})
    controls = [{"name": name, "label": name, "options": options} for name, options in choices.items()]
    slider = {"name": "step", "label": "step h", "slider": True, "options": list(range(len(STEPS)))}
    table = {
        "kind": "gradient-check",
        "controls": [*controls, {**slider, "words": [tables.scientific(step) for step in STEPS]}],
        "settings": settings,
        "steps": [tables.number(step) for step in STEPS],
        "log_steps": _logs(STEPS),
        "curves": [_packed(curve) for curve in curves],
        "about": {name: known[name].words for name in choices["function"]},
    }
    return tables.small(table, "function", (len(choices["function"]),))


def measured(case, dtype, scheme):
    """What one function gives at every step, and the two errors that one expects of it.

    Returns
    -------
    dict of numeric, error, truncation and rounding (one number a step, all but the first relative to the analytic
    slope), analytic, best (the step at which the two expected errors are least; None without truncation), gap
    """
    x = case.x.astype(dtype)
    probe = Probe(case.function, [x], [x])
    ones, direction = np.ones_like(probe.base), np.zeros_like(x)
    direction[case.place] = 1
    analytic = float(case.backward(ones, x)[case.place])
    numeric = np.array([probe.along([direction], step, ones, scheme) for step in STEPS])
    bend, noise = _expected(case, probe, analytic, scheme)
    order, steps = 2 if scheme == "central" else 1, np.array(STEPS)
    return {
        "analytic": analytic,
        "numeric": numeric,
        "error": np.abs(numeric - analytic) / abs(analytic),
        "truncation": bend * steps**order,
        "rounding": noise / steps,
        # Where bend · h^order + noise / h has its least value.
        "best": (noise / (order * bend)) ** (1 / (order + 1)) if bend else None,
        "gap": case.gap,
    }


def _expected(case, probe, analytic, scheme):
    """Two numbers: relative truncation is the first times h² (central) or h (forward), rounding the second over h."""
    bend = abs(case.third) / 6 if scheme == "central" else abs(case.second) / 2
    # Both values are rounded, and so are both places at which they are taken.
    noise = probe.eps * (float(np.abs(probe.base).sum()) + abs(analytic * float(case.x[case.place])))
    return bend / abs(analytic), noise / (2 if scheme == "central" else 1) / abs(analytic)


def _packed(curve):
    """A curve for JSON: slopes in full, errors as they are written, and their logarithms as they are drawn."""
    errors = {name: curve[name] for name in ("error", "truncation", "rounding")}
    best = (
        {} if curve["best"] is None else {"best": tables.number(curve["best"]), "log_best": _logs([curve["best"]])[0]}
    )
    gap = {} if curve["gap"] is None else {"gap": tables.number(curve["gap"]), "log_gap": _logs([curve["gap"]])[0]}
    return {
        **{name: curve[name] for name in ("function", "dtype", "scheme")},
        "analytic": tables.number(curve["analytic"], DIGITS),
        "numeric": [tables.number(value, DIGITS) for value in curve["numeric"]],
        **{name: [tables.number(value, 3) for value in values] for name, values in errors.items()},
        **{f"log_{name}": _logs(values) for name, values in errors.items()},
        **best,
        **gap,
    }


def _logs(values):
    """Powers of ten, to the width of a line on the screen; None for 0, which has none."""
    return [round(float(np.log10(value)), 3) if value > 0 else None for value in values]
