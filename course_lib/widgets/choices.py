"""What every explorable checks of its arguments: the choices of its controls, and the grids that it shows."""

import numpy as np
import traitlets

from course_lib import arguments

LARGEST_SIDE = 16


def integers(name, choices, minimum):
    """The choices of one control, without repeats, in the order given."""
    choices = choices if hasattr(choices, "__len__") and not isinstance(choices, str) else (choices,)
    if not len(choices):
        raise ValueError(f"{name} must offer at least one choice; got {name}={choices!r}.")
    return list(dict.fromkeys(arguments.integer(name, choice, minimum) for choice in choices))


def words(name, choices, allowed):
    """The chosen words, without repeats, in the order given."""
    choices = (choices,) if isinstance(choices, str) else choices
    if not hasattr(choices, "__len__") or not len(choices):
        raise ValueError(f"{name} must offer at least one choice; got {name}={choices!r}.")
    return list(dict.fromkeys(arguments.choice(name, choice, allowed) for choice in choices))


def flags(name, choices):
    """The choices of a control that is on or off, without repeats, in the order given."""
    choices = choices if hasattr(choices, "__len__") and not isinstance(choices, str) else (choices,)
    if not len(choices):
        raise ValueError(f"{name} must offer at least one choice; got {name}={choices!r}.")
    return list(dict.fromkeys(arguments.flag(name, choice) for choice in choices))


def plane(name, values, largest=LARGEST_SIDE):
    """The checked grid (H, W), in a type that every operation takes."""
    values = arguments.array(name, np.asarray(values), arguments.FLOATS + arguments.INTEGERS)
    if values.ndim != 2:
        raise ValueError(f"{name} must have shape (H, W); got shape {values.shape}.{_take_plane(name, values)}")
    if not all(1 <= size <= largest for size in values.shape):
        raise ValueError(
            f"{name} must have 1 to {largest} rows and columns; got shape {values.shape}. "
            f"Cut a piece out: {name}[:{largest - 2}, :{largest - 2}]."
        )
    return values


def _take_plane(name, values):
    """How to take one plane from an array of more axes."""
    return f" Take one plane with {name}[{', '.join('0' * (values.ndim - 2))}]." if values.ndim > 2 else ""


def is_picture(x, picture):
    """Whether a grid is drawn in grey."""
    if picture is None:
        return x.dtype == np.uint8 or max(x.shape) > 8
    return arguments.flag("picture", picture)


def middle(shape):
    """The element in the middle of a grid."""
    return tuple((size - 1) // 2 for size in shape)


def pick(name, place, shape):
    """The place, if it lies in a grid of that shape."""
    if not all(0 <= position < size for position, size in zip(place, shape, strict=True)):
        raise traitlets.TraitError(
            f"{name} must lie in the grid of {shape[0]} rows and {shape[1]} columns; got {name}={place!r}."
        )
    return place
