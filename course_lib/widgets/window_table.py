"""What the tables of window-shaped explorables share: controls, windows, the size of the output, tones, refusals."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry
from course_lib.widgets import table as tables

LABELS = {
    "kernel_size": "kernel size",
    "ceil_mode": "ceil mode",
    "count_include_pad": "count padding",
    "divisor_override": "divisor override",
    "padding_value": "padding counts as",
}


def control(name, options, only=None):
    """One control: its options in the order in which they are shown, and when it matters."""
    numbers = [option for option in options if type(option) is int]
    shown = [*(option for option in options if option not in numbers), *sorted(numbers)]
    content = {"name": name, "label": LABELS.get(name, name), "options": shown}
    return {**content, "only": only} if only else content


def every_setting(choices, entry):
    """The entries of all settings, and the sentences of those that do not exist.

    Parameters
    ----------
    choices : dict of list
    entry : callable
        Takes the values of the controls by name and gives the entry; raises ValueError where there is none.

    Returns
    -------
    dict with ``settings`` and ``refusals``; a setting that does not exist holds the position of its sentence.
    """
    settings, refusals = {}, tables.Pool()
    for values in product(*choices.values()):
        try:
            settings[tables.key(values)] = entry(dict(zip(choices, values, strict=True)))
        except ValueError as error:
            settings[tables.key(values)] = {"refusal": refusals.add(str(error))}
    return {"settings": settings, "refusals": refusals.entries}


def windows(axes):
    """Where the windows lie, and how far the last ones reach beyond the padding."""
    rows, columns = (geometry.tap_positions(axis) for axis in axes)
    over = [
        max(0, int(taps.max()) - axis.size - axis.after + 1) for taps, axis in zip((rows, columns), axes, strict=True)
    ]
    return {
        "shape": [axis.output for axis in axes],
        "rows": rows.tolist(),
        "columns": columns.tolist(),
        "over": over,
        "padding": axes[0].before,
    }


def size_notes(axes, ceil_mode):
    """The output's size, worked in numbers: pairs of a term and its text."""
    left, right = "⌈⌉" if ceil_mode else "⌊⌋"
    general = f"{left}(n + 2p − d(k − 1) − 1) / s{right} + 1"
    rows, columns = (_size(axis, ceil_mode, left, right) for axis in axes)
    worked = [["rows and columns", rows]] if rows == columns else [["rows", rows], ["columns", columns]]
    return [["output size", general], *worked]


def _size(axis, ceil_mode, left, right):
    """The size of the output along one axis, worked in numbers."""
    n, k, s, p, d = axis.size, axis.kernel, axis.stride, axis.before, axis.dilation
    room = n + axis.before + axis.after - geometry.span(k, d)
    steps = -(-room // s) if ceil_mode else room // s
    text = f"{left}({n} + 2·{p} − {d}·({k} − 1) − 1) / {s}{right} + 1 = {left}{room} / {s}{right} + 1 = {steps + 1}"
    back = steps + 1 - axis.output
    return f"{text}, less {back} that would start behind the input: {axis.output}" if back else text


def not_held(axes):
    """The elements that no window holds, flat."""
    return np.flatnonzero(geometry.coverage(axes) == 0).tolist()


def grid(x, picture=False):
    """The input: its shape, its numbers, and which of them are black and white."""
    return {"shape": list(x.shape), "values": tables.numbers(x), **tone(x, picture)}


def tone(x, picture):
    """Whether values are drawn in grey, and which values are black and white."""
    if x.dtype == np.uint8:
        return {"picture": picture, "low": 0, "high": 255}
    finite = x[np.isfinite(x)]
    low, high = (finite.min(), finite.max()) if finite.size else (0, 1)
    return {"picture": picture, "low": tables.number(low), "high": tables.number(high)}


def axes_of(sizes, values):
    """The window along each axis under one setting, as `max_pool` takes it."""
    return arguments.pool_axes(
        tuple(sizes), values["kernel_size"], values["stride"], values["padding"], values.get("dilation", 1),
        values.get("ceil_mode", False),
    )  # fmt: skip
