"""The gradient-check explorable: drag the step along the U-curve."""

import numpy as np
import traitlets

from course_lib.widgets import choices, gradient_check_table
from course_lib.widgets.explorable import Explorable, module

FUNCTIONS = ("exp", "sin", "square", "convolution", "max pooling")
DTYPES = ("float64", "float32")
SCHEMES = ("central", "forward")
START = 1e-5


class GradientCheckExplorer(Explorable):
    """Shows how far a difference quotient is from the derivative, for every step.

    Too long a step bends (truncation), too short a step is lost in rounding; the error against the step is a U on
    logarithmic axes. Drag the step along it, or move the slider. The curve is the measured error; broken lines are what
    truncation and rounding are expected to give; the upright line is the step at which their sum is least.

    Parameters
    ----------
    function : str or sequence of str
        Of "exp", "sin", "square" (no truncation in a central difference), "convolution" (exp of a convolution, along
        one weight) and "max pooling" (a winner with a near runner-up: a kink).
    dtype : "float64", "float32" or a sequence of both
    scheme : "central", "forward" or a sequence of both

    Attributes
    ----------
    function, dtype, scheme
        The present values of the controls. Set them to drive the widget.
    step : int
        Number of the step: ``h`` is 10 to the power −step / 4.

    Raises
    ------
    ValueError
        If a choice is not one of those above. A wrong value that is set later raises ``traitlets.TraitError``.

    See Also
    --------
    course_lib.gradcheck.error_curve, course_lib.gradcheck.check_gradient

    Examples
    --------
    >>> explorer = GradientCheckExplorer(function="exp")
    >>> explorer
    GradientCheckExplorer(exp)
    >>> explorer.h
    1e-05
    """

    _esm, _css = module("gradient_check")
    function = traitlets.Unicode().tag(sync=True)
    dtype = traitlets.Unicode().tag(sync=True)
    scheme = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(self, *, function=FUNCTIONS, dtype=DTYPES, scheme=SCHEMES):
        offered = {
            "function": choices.words("function", function, FUNCTIONS),
            "dtype": choices.words("dtype", dtype, DTYPES),
            "scheme": choices.words("scheme", scheme, SCHEMES),
        }
        start = {name: options[0] for name, options in offered.items()}
        step = int(np.argmin(np.abs(np.log(gradient_check_table.STEPS) - np.log(START))))
        super().__init__(table=gradient_check_table.build(offered), **start, step=step)

    def _summary(self):
        return ", ".join(self.table["about"])

    @property
    def h(self):
        """The present step."""
        return self.table["steps"][self.step]

    def curve(self):
        """What the table holds about the present function, dtype and scheme."""
        return self.table["curves"][self._setting()["curve"]]

    @traitlets.validate("function", "dtype", "scheme")
    def _validate_control(self, proposal):
        return self._option(proposal.trait.name, proposal.value)

    @traitlets.validate("step")
    def _validate_step(self, proposal):
        last = len(self.table["steps"]) - 1
        if not 0 <= proposal.value <= last:
            raise traitlets.TraitError(f"step must be from 0 to {last}; got step={proposal.value!r}.")
        return proposal.value
