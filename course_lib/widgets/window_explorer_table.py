"""The table of the window explorable: windows, output sizes and outputs for every setting, computed by the library."""

import numpy as np

from course_lib import geometry
from course_lib.dispatch import avg_pool, max_pool
from course_lib.widgets import table as tables
from course_lib.widgets import window_table

WINDOW = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


def build(x, choices, picture):
    """The table of one input.

    Parameters
    ----------
    x : ndarray (H, W)
    choices : dict of list
        The options of each control, in the order of the controls.
    picture : bool
        Whether the input is drawn in grey.

    Returns
    -------
    dict, ready for JSON
    """
    # In float64, which holds every smaller type exactly: integers have no average.
    batch = x.astype(np.float64)[None, None]
    pools = {name: tables.Pool() for name in ("geometry", "outputs", "chosen")}
    every = window_table.every_setting(choices, lambda values: _entry(batch, values, pools))
    table = {
        "kind": "window",
        "controls": [window_table.control(name, options) for name, options in choices.items()],
        "input": window_table.grid(x, picture),
        **every,
        **{name: pool.entries for name, pool in pools.items()},
    }
    return tables.small(table, "x", x.shape)


def _entry(batch, values, pools):
    """The windows and the outputs of one setting; for a maximum the winners, for an average the divisors."""
    axes = window_table.axes_of(batch.shape[2:], values)
    window = [values[name] for name in WINDOW]
    if values["operation"] == "max":
        y, chosen = max_pool(batch, *window, return_indices=True)
    else:
        y, chosen = avg_pool(batch, *window), geometry.divisors(axes)
    place = {
        **window_table.windows(axes),
        "notes": window_table.size_notes(axes, values["ceil_mode"]),
        "free": window_table.not_held(axes),
    }
    return {
        "geometry": pools["geometry"].add(place),
        "outputs": pools["outputs"].add(tables.numbers(y)),
        "chosen": pools["chosen"].add(np.ravel(chosen).tolist()),
    }
