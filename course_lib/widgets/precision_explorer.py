"""The precision explorable: what 16 and 32 bits keep of a number, of a sum and of gradients."""

import numpy as np
import traitlets

from course_lib import arguments
from course_lib.widgets import choices, precision_table
from course_lib.widgets.explorable import Explorable, module
from course_lib.widgets.precision_formats import FORMATS, stored

SHOWS = ("one value", "sum of ones", "gradients")
START = {"value": 0.1, "count": 256}
FREE = ("value", "count", "scale")


class PrecisionExplorer(Explorable):
    """Shows what float16, bfloat16 and float32 keep: of one number, of a sum of ones, of a network's gradients.

    One value: the number among those that the format has, the range of each format, and the distance to the next.
    Sum of ones: where adding 1 changes nothing any more. Gradients: how many powers of two they span, which part of
    that lies in the format's range, and what a loss scale moves into it and out of it.

    Parameters
    ----------
    show : "one value", "sum of ones", "gradients" or a sequence of them
    dtype : "float16", "bfloat16", "float32" or a sequence of them
    values : sequence of float
        Further numbers above zero for the slider of values.
    gradients : ndarray or None
        Of any shape; zeros are left out. None takes those before the poolings of a small network on digits.

    Attributes
    ----------
    show, dtype
        The present values of the controls. Set them to drive the widget.
    value, count, scale : int
        Where each slider stands, counted from 0. `use` sets them by what they stand for.
    typed : float
        A number that was typed into the field, which need not be a stop of the slider; 0 if there is none. The kernel
        answers it.

    Raises
    ------
    ValueError, TypeError
        If a choice or a number does not fit. A wrong value that is set later raises ``traitlets.TraitError``.

    Examples
    --------
    >>> explorer = PrecisionExplorer(values=[0.7], gradients=np.array([1e-8, 0.5]))
    >>> explorer
    PrecisionExplorer(float16, bfloat16, float32)
    >>> explorer.use(value=0.7)
    >>> explorer.stored()
    0.7001953125
    """

    _esm, _css = module("precision")
    show = traitlets.Unicode().tag(sync=True)
    dtype = traitlets.Unicode().tag(sync=True)
    value = traitlets.Int().tag(sync=True)
    count = traitlets.Int().tag(sync=True)
    scale = traitlets.Int().tag(sync=True)
    typed = traitlets.Float().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    def __init__(self, *, show=SHOWS, dtype=tuple(FORMATS), values=(), gradients=None):
        offered = {
            "show": choices.words("show", show, SHOWS),
            "dtype": choices.words("dtype", dtype, tuple(FORMATS)),
        }
        values = [_above_zero(value) for value in values]
        gradients = precision_table.gradients_of_a_network() if gradients is None else _gradients(gradients)
        table = precision_table.build(offered, values, gradients)
        super().__init__(table=table, **{name: options[0] for name, options in offered.items()})
        self.use(value=values[0] if values else START["value"], count=START["count"], scale=1)

    def use(self, *, value=None, count=None, scale=None):
        """Moves the sliders to the stop that is nearest to a number.

        Parameters
        ----------
        value, count, scale : float or None
            A number, a number of ones, a loss scale; None leaves the slider where it is.
        """
        scales = np.exp2(self.table["scales"])
        stops = {"value": self.table["values"], "count": self.table["counts"], "scale": scales}
        for name, wanted in {"value": value, "count": count, "scale": scale}.items():
            if wanted is not None:
                ratios = np.array(stops[name], np.float64) / _above_zero(wanted, name)
                setattr(self, name, int(np.argmin(np.abs(np.log(ratios)))))

    def stored(self):
        """What the present format stores of the present value."""
        return float(stored([self.table["values"][self.value]], self.dtype)[0])

    def _summary(self):
        return ", ".join(self.table["formats"])

    @traitlets.observe("typed")
    def _answer(self, change):
        """Tells the browser what each format stores of a number that is not in the table."""
        if 0 < change["new"] < np.inf:
            self.answer = precision_table.answer(change["new"], list(self.table["formats"]))

    @traitlets.validate("show", "dtype")
    def _validate_control(self, proposal):
        return self._option(proposal.trait.name, proposal.value)

    @traitlets.validate(*FREE)
    def _validate_slider(self, proposal):
        name = proposal.trait.name
        last = next(len(control["options"]) for control in self.table["free"] if control["name"] == name) - 1
        if not 0 <= proposal.value <= last:
            raise traitlets.TraitError(f"{name} must be from 0 to {last}; got {name}={proposal.value!r}.")
        return proposal.value


def _above_zero(value, name="values"):
    """A finite number above zero."""
    value = arguments.number(name, value)
    if not 0 < value < np.inf:
        raise ValueError(f"{name} must be finite and above 0; got {name}={value!r}.")
    return value


def _gradients(gradients):
    """The checked gradients."""
    gradients = arguments.array("gradients", np.asarray(gradients), arguments.FLOATS)
    if not np.isfinite(gradients).all() or not gradients.any():
        raise ValueError(f"gradients must be finite and not all zero; got shape {gradients.shape}.")
    return gradients
