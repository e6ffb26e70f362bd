"""The table of the kernel-gradient explorable: which input meets which weight, and every product that is summed."""

from itertools import product

import numpy as np

from course_lib import arguments, geometry
from course_lib.dispatch import conv, conv_backward
from course_lib.widgets import table as tables


def build(x, weight, grad_output, choices):
    """The table of one input and one kernel.

    Parameters
    ----------
    x, weight : ndarray (H, W) and (kernel rows, kernel columns), float64
    grad_output : callable
        Takes the output's shape, gives the upstream gradient.
    choices : dict of list
        The options of stride, padding and dilation.

    Returns
    -------
    dict, ready for JSON
    """
    settings = {tables.key(window): _entry(x, weight, grad_output, window) for window in _windows(x, weight, choices)}
    table = {
        "kind": "kernel-gradient",
        "controls": [{"name": name, "label": name, "options": sorted(options)} for name, options in choices.items()],
        "settings": settings,
        "input": _grid(x),
        "weight": _grid(weight),
    }
    return tables.small(table, "x", x.shape)


def _windows(x, weight, choices):
    """Every (stride, padding, dilation) of the choices in which the kernel fits; each dilation must have one."""
    found = {}
    for window in product(*choices.values()):
        try:
            arguments.conv_axes(x.shape, (1, 1, *weight.shape), *window)
            found[window] = None
        except ValueError as error:
            found[window] = error
    for dilation in choices["dilation"]:
        errors = [error for window, error in found.items() if window[2] == dilation]
        if all(errors):
            raise errors[0]
    return [window for window, error in found.items() if error is None]


def _entry(x, weight, grad_output, window):
    """The windows, the gradients and all products of one setting.

    Products have a row for each weight, in it one entry for each output, flat; an input of −1 is padding.
    """
    axes = arguments.conv_axes(x.shape, (1, 1, *weight.shape), *window)
    upstream = np.asarray(grad_output([axis.output for axis in axes]), np.float64)
    batch, kernel = x[None, None], weight[None, None]
    grad_input, grad_weight, _ = conv_backward(upstream[None, None], batch, kernel, *window)
    met = _met(axes)
    values = np.where(met < 0, 0, x.ravel()[met])
    return {
        "shape": list(upstream.shape),
        "rows": geometry.tap_positions(axes[0]).tolist(),
        "columns": geometry.tap_positions(axes[1]).tolist(),
        "met": met.tolist(),
        "y": tables.numbers(conv(batch, kernel, None, *window)),
        "grad_output": tables.numbers(upstream),
        "grad_weight": tables.numbers(grad_weight),
        "grad_input": tables.numbers(grad_input),
        "to_weight": [tables.numbers(row) for row in values * upstream.ravel()],
        "to_input": [tables.numbers(row) for row in weight.reshape(-1, 1) * upstream.ravel()],
    }


def _met(axes):
    """The flat input position that each weight reads for each output, (weights, outputs); −1 is padding."""
    rows, columns = (np.where(geometry.is_real(axis), geometry.tap_positions(axis), -1).T for axis in axes)
    # (kernel rows, kernel columns, output rows, output columns)
    grid = rows[:, None, :, None], columns[None, :, None, :]
    flat = np.where((grid[0] < 0) | (grid[1] < 0), -1, grid[0] * axes[1].size + grid[1])
    return flat.reshape(flat.shape[0] * flat.shape[1], -1)


def _grid(values):
    """Shape and numbers of one grid."""
    return {"shape": list(values.shape), "values": tables.numbers(values)}
