"""The table of the backward stepper: both passes of a pooling operation, output by output and input by input."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry, routing
from course_lib.dispatch import avg_pool, max_pool
from course_lib.widgets import table as tables
from course_lib.widgets import window_table

WINDOW = ("kernel_size", "stride", "padding")


def build(x, grad_output, choices):
    """The table of one input.

    Parameters
    ----------
    x : ndarray (H, W)
    grad_output : ndarray or None
        The upstream gradient (None: 1 at every output).
    choices : dict of list
        The options of each control, in the order of the controls.

    Returns
    -------
    dict, ready for JSON
    """
    if grad_output is not None:
        _check_gradient(x, grad_output, choices)
    batch = x.astype(np.float64)[None, None]
    pools = {name: tables.Pool() for name in ("geometry", "forward", "routes", "scatter")}
    table = {
        "kind": "backward",
        "controls": [_control(name, options) for name, options in choices.items()],
        "input": window_table.grid(x),
        **window_table.every_setting(choices, lambda values: _entry(batch, grad_output, values, pools)),
        **{name: pool.entries for name, pool in pools.items()},
    }
    return tables.small(table, "x", x.shape)


def _check_gradient(x, grad_output, choices):
    """Refuses a gradient that does not have the output's shape under every choice."""
    for window in product(*(choices[name] for name in WINDOW)):
        try:
            axes = window_table.axes_of(x.shape, dict(zip(WINDOW, window, strict=True)))
        except ValueError:
            continue
        arguments.gradient_shape(grad_output.shape, tuple(axis.output for axis in axes))


def _control(name, options):
    """One control; how a gradient is written matters to a scatter only."""
    return window_table.control(name, options, only={"form": "scatter"} if name == "write" else None)


def _entry(batch, grad_output, values, pools):
    """Both passes under one setting, as positions in the pools, and the number of steps they take."""
    axes = window_table.axes_of(batch.shape[2:], values)
    window = [values[name] for name in WINDOW]
    if values["operation"] == "max":
        y, chosen = max_pool(batch, *window, return_indices=True)
        paths = routing.max_routes(batch, *window)
    else:
        y, chosen = avg_pool(batch, *window), geometry.divisors(axes)
        paths = routing.avg_routes(batch, *window)
    upstream = np.ones(y.shape) if grad_output is None else grad_output[None, None].astype(np.float64)
    backward = batch[0, 0].size if values["form"] == "gather" else y.size
    return {
        "geometry": pools["geometry"].add(window_table.windows(axes)),
        "forward": pools["forward"].add(
            {"y": tables.numbers(y), "chosen": np.ravel(chosen).tolist(), "upstream": tables.numbers(upstream)}
        ),
        "routes": pools["routes"].add(tables.routes(paths)),
        "scatter": pools["scatter"].add(scatter(paths, upstream, values["write"])),
        "last": y.size + backward,
    }


def scatter(paths, upstream, write):
    """What each route of a backward pass adds or writes, and what stands in its place then.

    Parameters
    ----------
    paths : routing.Routes
    upstream : ndarray of the output's shape
    write : "+=" or "="

    Returns
    -------
    dict with ``amounts`` and ``after``, one entry a route, output by output; ``notes`` on what is lost
    """
    order = np.argsort(paths.output_index, kind="stable")
    amounts = (paths.weight * upstream.ravel()[paths.output_index])[order]
    sums, after = np.zeros(int(np.prod(paths.shape_in))), np.empty(len(amounts))
    for route, element in enumerate(paths.input_index[order]):
        sums[element] = sums[element] + amounts[route] if write == "+=" else amounts[route]
        after[route] = sums[element]
    return {
        "amounts": tables.distinct(amounts),
        "after": tables.distinct(after),
        "notes": _balance(upstream.sum(), amounts.sum(), sums.sum()),
    }


def _balance(upstream, sent, received):
    """How much of the upstream gradient arrives: pairs of a term and its text."""
    notes = [["sum of grad_output", _short(upstream)], ["sum of grad_input", _short(received)]]
    if not np.isclose(sent, upstream):
        notes.append(["falls on padding", _short(upstream - sent)])
    if not np.isclose(received, sent):
        notes.append(["lost by =", f"{_short(sent - received)} of {_short(sent)}"])
    return notes


def _short(value):
    """A number with at most four digits."""
    return f"{tables.number(value, digits=4):g}".replace("-", "−")
