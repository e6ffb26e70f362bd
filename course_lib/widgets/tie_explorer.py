"""The tie explorable: who gets the gradient when several elements are the largest."""

from collections.abc import Mapping

import numpy as np
import traitlets

from course_lib import arguments
from course_lib.widgets import choices, tie_table
from course_lib.widgets.explorable import Explorable, module

LARGEST_SIDE = 4
LARGEST_VALUE = 1e6


class TieExplorer(Explorable):
    """Shows one window and how its output's gradient is dealt out under each rule for equal maxima.

    All settings are computed when the widget is made. A red ring marks who is paid, a dashed one who is equal and is
    not; beside the chosen rule stand PyTorch's ``max_pool2d`` and ``amax``. Below each stands the sum, which must be
    the upstream gradient.

    Parameters
    ----------
    windows : mapping of str to ndarray (H, W), or None
        The windows to choose from, each at most 4 × 4. None: ties of two and of all, zeros after a ReLU, NaN, −inf, and
        zeros of both signs. The widget starts with the first one.
    upstream : float
        The gradient of the output; not zero.
    ties : "first", "last", "split", "mask" or a sequence of them
        The rules to choose from. "mask" is the wrong one: it pays every element that equals the maximum in full.

    Attributes
    ----------
    window, ties : str
        The present values of the controls. Set them to drive the widget.

    Raises
    ------
    ValueError, TypeError
        If an array or a choice does not fit. A wrong value that is set later raises ``traitlets.TraitError``.

    See Also
    --------
    course_lib.routing.max_routes

    Examples
    --------
    >>> TieExplorer()
    TieExplorer(7 windows)
    """

    _esm, _css = module("tie")
    window = traitlets.Unicode().tag(sync=True)
    ties = traitlets.Unicode().tag(sync=True)

    def __init__(self, windows=None, *, upstream=6.0, ties=tie_table.RULES):
        windows = _windows(tie_table.WINDOWS if windows is None else windows)
        rules = choices.words("ties", ties, tie_table.RULES)
        table = tie_table.build(windows, _upstream(upstream), rules)
        super().__init__(table=table, window=next(iter(windows)), ties=rules[0])

    def _summary(self):
        count = len(self.table["controls"][0]["options"])
        return f"{count} window" if count == 1 else f"{count} windows"

    @traitlets.validate("window", "ties")
    def _validate_control(self, proposal):
        return self._option(proposal.trait.name, proposal.value)


def _windows(windows):
    """The checked windows by name, in float64: -inf and NaN have no integer."""
    if not isinstance(windows, Mapping):
        raise TypeError(f"windows must be a mapping of names to arrays; got {type(windows).__name__}.")
    if not windows or not all(isinstance(name, str) and name for name in windows):
        raise ValueError(f"windows must have at least one entry, each with a name; got names {list(windows)!r}.")
    return {
        name: choices.plane(f"windows[{name!r}]", values, largest=LARGEST_SIDE).astype(np.float64)
        for name, values in windows.items()
    }


def _upstream(value):
    """A gradient that can be seen."""
    number = arguments.number("upstream", value)
    if not 0 < abs(number) <= LARGEST_VALUE:
        raise ValueError(f"upstream must not be zero, and at most {LARGEST_VALUE:g} in size; got upstream={value!r}.")
    return number
