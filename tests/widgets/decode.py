"""Reads a table the way the drawing does."""

import numpy as np


def packed(entry, size):
    """A packed array, flat."""
    if isinstance(entry, dict):
        return np.array(entry["values"], np.float64)[entry["codes"]]
    return np.full(size, entry, np.float64)


def jacobian(entry, shape_out, shape_in):
    """Packed routes as a dense array (outputs, inputs)."""
    outputs = np.prod(shape_out)
    counts = np.broadcast_to(entry["counts"], outputs)
    dense = np.zeros((outputs, np.prod(shape_in)))
    dense[np.repeat(np.arange(outputs), counts), entry["inputs"]] = packed(entry["weights"], counts.sum())
    return dense


def settings(table):
    """Every setting: its values by name, and what the table holds for it, taken from the pools."""
    names = [control["name"] for control in table["controls"]]
    for key, entry in table["settings"].items():
        values = {name: int(word) if word.isdigit() else word for name, word in zip(names, key.split(), strict=True)}
        yield values, {name: table[name][position] for name, position in entry.items()}
