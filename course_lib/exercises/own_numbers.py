"""Numbers of a learner's own: an exercise that is worked by hand, with other inputs for everyone in a class.

The inputs stand in the learner's notebook, and `check` takes them: what is right is computed from them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

WHERE = "Leave the cell with your numbers as it was given to you"


@dataclass(frozen=True)
class OwnNumbers:
    """What may be a learner's own in an exercise.

    Attributes
    ----------
    shapes : mapping of str to tuple of int
        The inputs by name; () stands for a number.
    cases : callable
        From the inputs, nested lists by name, to the case of each property that has one, in order.
    """

    shapes: Mapping[str, tuple]
    cases: Callable


def with_numbers(exercise, numbers):
    """The exercise with a learner's own numbers in the place of those of its notebook.

    Parameters
    ----------
    exercise : Exercise
    numbers : dict of str to array or number

    Returns
    -------
    Exercise

    Raises
    ------
    ValueError
        If the exercise has none of its own, or these are no such numbers; the message is for the learner.
    """
    if exercise.own is None:
        raise ValueError(f"{exercise.label} has no numbers of your own. Leave own=... out.")
    shapes = exercise.own.shapes
    if type(numbers) is not dict or set(numbers) != set(shapes):
        raise ValueError(f"own must hold {', '.join(shapes)}. {WHERE}.")
    given = {name: _plain(name, numbers[name], shape) for name, shape in shapes.items()}
    cases = iter(exercise.own.cases(**given))
    properties = [
        replace(judged, cases=(next(cases),)) if getattr(judged, "cases", None) else judged
        for judged in exercise.properties
    ]
    return replace(exercise, properties=tuple(properties))


def _plain(name, value, shape):
    """An input as nested lists of numbers."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.shape != shape or not np.isfinite(array).all():
        kind = f"numbers of shape {shape}" if shape else "a number"
        raise ValueError(f"{name} must be {kind}. {WHERE}.")
    # Verdicts show the numbers, and 3 reads better than 3.0.
    whole = (array % 1 == 0).all() and (np.abs(array) < 2**53).all()
    return (array.astype(int) if whole else array).tolist()
