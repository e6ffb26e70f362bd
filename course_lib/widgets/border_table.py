"""The table of the border explorable: what padding counts as, what an average is divided by, where an index points."""

import numpy as np

from course_lib import geometry, routing
from course_lib.dispatch import avg_pool, max_pool
from course_lib.widgets import table as tables
from course_lib.widgets import window_table

PADDING_VALUES = ("-inf", "0")
MAX_ONLY = ("padding_value",)
AVERAGE_ONLY = ("count_include_pad", "divisor_override")


def build(x, choices):
    """The table of one input.

    Parameters
    ----------
    x : ndarray (H, W)
    choices : dict of list
        The options of each control, in the order of the controls.

    Returns
    -------
    dict, ready for JSON
    """
    batch = x.astype(np.float64)[None, None]
    pools = {name: tables.Pool() for name in ("geometry", "outputs", "received", "maxima", "averages")}
    table = {
        "kind": "border",
        "controls": [_control(name, options) for name, options in choices.items()],
        "input": window_table.grid(x),
        **window_table.every_setting(choices, lambda values: _entry(batch, values, pools)),
        **{name: pool.entries for name, pool in pools.items()},
    }
    return tables.small(table, "x", x.shape)


def _control(name, options):
    """One control, and the operation to which it matters."""
    only = {"operation": "max"} if name in MAX_ONLY else {"operation": "average"} if name in AVERAGE_ONLY else None
    words = {"padding_value": {"-inf": "−∞", "0": "0"}}.get(name)
    content = window_table.control(name, options, only)
    return {**content, "words": [words[option] for option in content["options"]]} if words else content


def _entry(batch, values, pools):
    """Both passes under one setting, as positions in the pools."""
    axes = window_table.axes_of(batch.shape[2:], values)
    entry = {"geometry": pools["geometry"].add(_geometry(axes))}
    if values["operation"] == "max":
        y, indices, winners = padded_max(batch, axes, values["padding_value"])
        paths = routing.Routes.from_indices(indices, batch.shape)
        entry["maxima"] = pools["maxima"].add(_maxima(axes, winners))
    else:
        rules = {"count_include_pad": values["count_include_pad"], "divisor_override": values["divisor_override"]}
        window = [values[name] for name in ("kernel_size", "stride", "padding")]
        y = avg_pool(batch, *window, 1, values["ceil_mode"], **rules)
        paths = routing.avg_routes(batch, *window, 1, values["ceil_mode"], **rules)
        entry["averages"] = pools["averages"].add(_averages(axes, rules, paths))
    received = paths.backward(np.ones(paths.shape_out))
    entry["outputs"] = pools["outputs"].add(tables.numbers(y))
    entry["received"] = pools["received"].add({**tables.distinct(received), "sum": tables.number(received.sum(), 4)})
    return entry


def _geometry(axes):
    """The windows, and how many taps of each lie on elements and on elements or padding."""
    real = np.multiply.outer(*(geometry.real_counts(axis) for axis in axes))
    padded = np.multiply.outer(*(geometry.padded_counts(axis) for axis in axes))
    return {**window_table.windows(axes), "real": tables.distinct(real), "padded": tables.distinct(padded)}


def padded_max(batch, axes, padding_value):
    """Max pooling whose padding counts as "-inf", as it must, or as "0", the mistake.

    Returns
    -------
    y, indices : ndarray (1, 1, *output)
        An index of −1 where padding won.
    winners : ndarray (outputs, 2)
        Row and column of each winner; outside the input where padding won.
    """
    # Room for the overhang of a last window is −inf in both cases: it is no padding.
    filled = np.pad(batch[0, 0], [(axis.before, axis.after) for axis in axes], constant_values=float(padding_value))
    room = [max(0, int(geometry.tap_positions(axis).max()) + 1 - axis.size - axis.after) for axis in axes]
    filled = np.pad(filled, [(0, more) for more in room], constant_values=-np.inf)
    y, indices = max_pool(
        filled[None, None], [axis.kernel for axis in axes], [axis.stride for axis in axes], return_indices=True
    )
    outputs = tuple(slice(axis.output) for axis in axes)
    y, indices = y[:, :, *outputs], indices[:, :, *outputs]
    winners = np.argwhere(np.ones_like(filled))[indices.ravel()] - [axis.before for axis in axes]
    sizes = np.array([axis.size for axis in axes])
    inside = ((winners >= 0) & (winners < sizes)).all(axis=1)
    flat = np.where(inside, winners[:, 0] * sizes[1] + winners[:, 1], -1)
    return y, flat.reshape(y.shape), winners


def _maxima(axes, winners):
    """Where each winner stands, how its index comes about, and where it points if the padding is forgotten."""
    entries = [_index(axes, divmod(output, axes[1].output), winner) for output, winner in enumerate(winners.tolist())]
    return {"winners": winners.tolist(), **{name: [entry[name] for entry in entries] for name in entries[0]}}


def _index(axes, output, winner):
    """The index of one winner, right and with the padding forgotten: both worked in numbers."""
    rows, columns = axes
    taps = [at - (q * axis.stride - axis.before) for at, q, axis in zip(winner, output, axes, strict=True)]
    lost = [at + axis.before for at, axis in zip(winner, axes, strict=True)]
    right, wrong = (at[0] * columns.size + at[1] for at in (winner, lost))
    inside = 0 <= winner[0] < rows.size and 0 <= winner[1] < columns.size
    parts = [(q * axis.stride, axis.before, tap) for q, axis, tap in zip(output, axes, taps, strict=True)]
    whole, short = (
        "({} − {} + {}) · {n} + ({} − {} + {})".format(*parts[0], *parts[1], n=columns.size),
        "({} + {}) · {n} + ({} + {})".format(*parts[0][::2], *parts[1][::2], n=columns.size),
    )
    return {
        "taps": taps,
        "index": right if inside else -1,
        "wrong": wrong if wrong < rows.size * columns.size else -1,
        "worked": f"{whole} = {right}" if inside else "none: padding has no index",
        "slipped": f"{short} = {wrong}",
    }


def _averages(axes, rules, paths):
    """What each window is divided by, its share for one element, and how much of its gradient arrives."""
    divisors = geometry.divisors(axes, **rules)
    arrives = np.bincount(paths.output_index, paths.weight, minlength=divisors.size)
    return {
        "divisors": np.ravel(divisors).tolist(),
        "shares": tables.distinct(1 / divisors),
        "arrives": tables.distinct(arrives),
        "lost": tables.distinct(1 - arrives),
    }
