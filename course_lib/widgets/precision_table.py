"""The table of the precision explorable: stored values, sums of ones, and what is left of gradients under a scale."""

import numpy as np

from course_lib.experiments import Settings, digits
from course_lib.experiments.training import Training, batches
from course_lib.widgets import precision_formats as formats
from course_lib.widgets import table as tables

NEIGHBOURS = 3
DIGITS = 12
# Numbers at which something happens, beside half powers of ten over the whole range of float32.
SPECIAL = (2e-8, 5.96e-8, 6.1e-5, 0.1, 1 / 3, 1.001, 2.5, 100.3, 257, 1000.3, 2047, 2049, 4097, 65504, 65519, 65520)
HALF_POWERS = range(-92, 78)
# Numbers of ones: four to an octave, as far as whole numbers go.
OCTAVES, PARTS = 13, 4
# Powers of two. A scale below 1 stands for a network whose gradients are that much smaller.
SCALES = range(-12, 25)


def build(choices, values, gradients):
    """The table of the offered views and types.

    Parameters
    ----------
    choices : dict of list
        The options of show and dtype.
    values : sequence of float
        Further numbers for the slider, above zero.
    gradients : ndarray
        Of any shape.

    Returns
    -------
    dict, ready for JSON
    """
    values = slider_values(values)
    names = choices["dtype"]
    table = {
        "kind": "precision",
        "controls": [{"name": name, "label": name, "options": options} for name, options in choices.items()],
        "settings": {tables.key((show, name)): {} for show in choices["show"] for name in names},
        "free": [
            _slider("value", "value", "one value", [_word(value) for value in values]),
            _slider("count", "number of ones", "sum of ones", [str(count) for count in counts()]),
            _slider("scale", "loss scale", "gradients", [tables.power(2, power) for power in SCALES]),
        ],
        "values": [tables.number(value, DIGITS) for value in values],
        "log_values": _logs(values),
        "counts": counts(),
        "log_counts": _logs(counts()),
        "scales": list(SCALES),
        "formats": {name: _format(name, values, gradients) for name in names},
        "histogram": histogram(gradients),
    }
    return tables.small(table, "values", (len(values),))


def _slider(name, label, show, words):
    """A slider that matters in one view."""
    options = list(range(len(words)))
    return {"name": name, "label": label, "slider": True, "options": options, "words": words, "only": {"show": show}}


def _word(value):
    """A number as the slider says it."""
    return f"{value:.6g}" if 1e-3 <= value < 1e7 else tables.scientific(value, 3)


def slider_values(more=()):
    """The numbers of the slider, in ascending order."""
    powers = [float(f"{10.0 ** (power / 2):.3g}") for power in HALF_POWERS]
    return sorted({*powers, *map(float, SPECIAL), *map(float, more)})


def counts():
    """The numbers of ones of the slider."""
    return sorted({round(2.0 ** (part / PARTS)) for part in range(OCTAVES * PARTS + 1)})


def _format(name, values, gradients):
    """What the table holds about one format."""
    form = formats.FORMATS[name]
    names = ("largest", "smallest_normal", "smallest", "eps")
    sums = formats.sums_of_ones(counts()[-1], name)[counts()]
    return {
        **{word: tables.number(getattr(form, word), DIGITS) for word in names},
        **{f"log_{word}": round(float(np.log2(getattr(form, word))), 3) for word in names},
        "stall": tables.number(formats.stall(name), DIGITS),
        "stored": [_stored(value, name) for value in values],
        "log_stall": float(np.log2(formats.stall(name))),
        "sums": tables.numbers(sums),
        "log_sums": _logs(sums),
        "shares": [shares(gradients, 2.0**power, name) for power in SCALES],
    }


def _logs(values):
    """Powers of two, to the width of a line on the screen."""
    return [round(float(power), 3) for power in np.log2(values)]


def _stored(value, name):
    """What a format stores of one number: the number, its neighbours, the distance to the next, and the error."""
    kept = formats.stored([value], name)[0]
    near = formats.neighbours(value, name, NEIGHBOURS)
    at = int(np.argmin(np.abs(near - min(kept, near[-1]))))
    spacing = near[at + 1] - near[at] if at + 1 < len(near) else near[at] - near[at - 1]
    return {
        "stored": tables.number(kept, DIGITS),
        "near": [tables.number(number, DIGITS) for number in near],
        "spacing": tables.number(spacing, 4),
        "error": tables.number(abs(kept - value) / value, 3),
        "range": _range(kept, formats.FORMATS[name]),
    }


def answer(value, names):
    """What the table would hold about one more number: the number, its logarithm, what each format stores of it."""
    return {"value": value, "log": _logs([value])[0], "stored": {name: _stored(value, name) for name in names}}


def _range(kept, form):
    """In which part of a format's range a stored number lies."""
    if kept == 0 or np.isinf(kept):
        return "zero" if kept == 0 else "infinite"
    return "normal" if kept >= form.smallest_normal else "subnormal"


def shares(gradients, scale, name):
    """Which part of the gradients that are not zero becomes zero, subnormal, normal and infinite under a scale."""
    sizes = _sizes(gradients)
    kept = formats.stored(sizes * scale, name)
    normal = formats.FORMATS[name].smallest_normal
    parts = {"zero": kept == 0, "infinite": np.isinf(kept), "subnormal": (kept > 0) & (kept < normal)}
    found = {word: float(np.mean(part)) for word, part in parts.items()}
    return {word: tables.number(share, 4) for word, share in found.items()}


def histogram(gradients):
    """How many gradients lie between a power of two and the next: the first power, and the counts from there on."""
    powers = np.floor(np.log2(_sizes(gradients))).astype(int)
    first = int(powers.min())
    return {"first": first, "counts": np.bincount(powers - first).tolist(), "total": len(powers)}


def _sizes(gradients):
    """The sizes of the gradients that are not zero."""
    sizes = np.abs(np.asarray(gradients, np.float64)).ravel()
    return sizes[sizes > 0]


def gradients_of_a_network():
    """The gradients before both poolings of a small network, after forty steps on handwritten digits."""
    data = digits()
    training = Training(Settings(backend="vectorised", precision="float64"), 0, {})
    for batch in batches(0, 40, 32, len(data.x_train)):
        training.step(data.x_train[batch], data.y_train[batch])
    found = training.gradients(data.x_train[:32], data.y_train[:32], pools=True)
    return np.concatenate([before.ravel() for before, _ in found.around_pools])
