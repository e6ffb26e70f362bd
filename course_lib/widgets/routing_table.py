"""The table of the routing explorable: windows, values, routes and sums for every setting, computed by the library."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry, routing
from course_lib.dispatch import avg_pool, max_pool
from course_lib.widgets import table as tables
from course_lib.widgets import window_table


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
    pools = {name: tables.Pool() for name in ("geometry", "outputs", "routes", "received")}
    settings = {}
    for window in _windows(x.shape, choices):
        place = pools["geometry"].add(_geometry(batch, *window))
        for operation, ties in product(choices["operation"], choices["ties"]):
            entry = _entry(batch, operation, ties, window, pools)
            settings[tables.key((operation, *window, ties))] = {"geometry": place, **entry}
    table = {
        "kind": "routing",
        "controls": [_control(name, options) for name, options in choices.items()],
        "settings": settings,
        "input": window_table.grid(x, picture),
        **{name: pool.entries for name, pool in pools.items()},
    }
    return tables.small(table, "x", x.shape)


def _windows(sizes, choices):
    """Every (kernel_size, stride, padding) of the choices that max pooling takes; each kernel size must have one."""
    for kernel_size in choices["kernel_size"]:
        found, refusal = [], None
        for stride, padding in product(choices["stride"], choices["padding"]):
            try:
                arguments.pool_axes(sizes, kernel_size, stride, padding)
                found.append((kernel_size, stride, padding))
            except ValueError as error:
                refusal = error
        if not found:
            raise refusal
        yield from found


def _geometry(batch, kernel_size, stride, padding):
    """Where the windows lie, how many hold each element, and which elements are a window's maximum."""
    sizes = batch.shape[2:]
    axes = arguments.pool_axes(sizes, kernel_size, stride, padding)
    rows, columns = (geometry.tap_positions(axis).tolist() for axis in axes)
    return {
        "shape": [axis.output for axis in axes],
        "rows": rows,
        "columns": columns,
        "coverage": tables.distinct(routing.coverage(sizes, kernel_size, stride, padding)),
        "maxima": tables.routes(routing.max_routes(batch, kernel_size, stride, padding, ties="split")),
    }


def _entry(batch, operation, ties, window, pools):
    """The values, the routes and what each element receives under one setting, as positions in the pools."""
    if operation == "max":
        y, paths = max_pool(batch, *window), routing.max_routes(batch, *window, ties=ties)
    else:
        y, paths = avg_pool(batch, *window), routing.avg_routes(batch, *window)
    received = paths.backward(np.ones(paths.shape_out))
    reached = {"reached": int(np.count_nonzero(received))}
    return {
        "outputs": pools["outputs"].add(tables.numbers(y)),
        "routes": pools["routes"].add(tables.routes(paths)),
        "received": pools["received"].add({**tables.distinct(received), **reached}),
    }


def _control(name, options):
    """One control; which of equal maxima wins matters to a maximum only."""
    return window_table.control(name, options, only={"operation": "max"} if name == "ties" else None)
