"""Reads a table the way the drawing does."""

import itertools

import numpy as np

from course_lib.widgets import table as tables


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


def entries(table):
    """Every setting as (values by control, entry), the values as Python has them; refused settings too."""
    for values in itertools.product(*(control["options"] for control in table["controls"])):
        names = [control["name"] for control in table["controls"]]
        yield dict(zip(names, values, strict=True)), table["settings"][tables.key(values)]


def floats(numbers):
    """Numbers as a table holds them, words for infinities included, as an array."""
    return np.array([float(str(number).replace("−", "-").replace("∞", "inf")) for number in numbers])
