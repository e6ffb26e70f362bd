"""A widget's table: all that it can show, for every setting of its controls, as compact JSON."""

import json
import math

import numpy as np

LARGEST = 300_000


class Pool:
    """A list that keeps one copy of equal entries and names each by its position."""

    def __init__(self):
        self.entries = []
        self._positions = {}

    def add(self, entry):
        """The position of an entry, which is put at the end if it is new."""
        text = json.dumps(entry)
        if text not in self._positions:
            self._positions[text] = len(self.entries)
            self.entries.append(entry)
        return self._positions[text]


def key(setting):
    """The name of one setting: the values of the controls, in their order, as the browser writes them.

    Examples
    --------
    >>> key(("max", 2, True, None))
    'max 2 true null'
    """
    return " ".join(value if isinstance(value, str) else json.dumps(value) for value in setting)


def number(value, digits=6):
    """A number for JSON, rounded for the screen; what JSON lacks becomes a word."""
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    rounded = float(f"{value:.{digits}g}")
    # Beyond 10¹⁵ a whole number would be written with all its digits, of which most mean nothing.
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def scientific(value, digits=2):
    """A number above zero as a power of ten, as a text.

    Examples
    --------
    >>> scientific(1e-5), scientific(3.162e-4), scientific(20)
    ('10⁻⁵', '3.2 · 10⁻⁴', '2 · 10¹')
    """
    above, below = f"{value:.{digits - 1}e}".split("e")
    return power(10, int(below)) if float(above) == 1 else f"{float(above):g} · {power(10, int(below))}"


def power(base, exponent):
    """A power, as a text.

    Examples
    --------
    >>> power(2, -24)
    '2⁻²⁴'
    """
    return f"{base}{str(exponent).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def numbers(array):
    """The elements of an array, flat, as `number` gives them."""
    return [number(value) for value in np.ravel(array)]


def distinct(array):
    """An array that holds few different numbers: the numbers, and for each element which of them it is.

    Examples
    --------
    >>> distinct(np.array([[0.5, 1.0], [0.5, 0.5]]))
    {'values': [0.5, 1], 'codes': [0, 1, 0, 0]}
    """
    # Sums of the same shares in another order differ in the last bit: twelve digits make them one number again.
    rounded = [number(value, digits=12) for value in np.ravel(array)]
    values = sorted(set(rounded))
    codes = {value: code for code, value in enumerate(values)}
    return {"values": values, "codes": [codes[value] for value in rounded]}


def routes(paths):
    """Routes, output by output: how many each has (one number if all have the same), where they end, their weights."""
    order = np.argsort(paths.output_index, kind="stable")
    counts = np.bincount(paths.output_index, minlength=math.prod(paths.shape_out))
    same = len(set(counts.tolist())) == 1
    return {
        "counts": int(counts[0]) if same else counts.tolist(),
        "inputs": paths.input_index[order].tolist(),
        "weights": _shares(paths.weight[order]),
    }


def _shares(weights):
    """The weights of all routes; one number if they are all the same."""
    packed = distinct(weights)
    return packed["values"][0] if len(packed["values"]) == 1 else packed


def text(table):
    """The table as compact JSON."""
    return json.dumps(table, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def size(table):
    """Length of the table as compact JSON, in bytes."""
    return len(text(table).encode())


def small(table, name, shape):
    """The table, if it does not make a notebook heavy."""
    length = size(table)
    if length > LARGEST:
        raise ValueError(
            f"{name} must be small enough for a table of {LARGEST // 1000} kB; got shape {tuple(shape)}, which takes "
            f"{length // 1000} kB with {len(table['settings'])} settings. Use a smaller piece or fewer choices."
        )
    return table
