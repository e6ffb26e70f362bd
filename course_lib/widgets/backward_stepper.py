"""The backward stepper: a pooling operation forwards and back, element by element."""

import numpy as np
import traitlets

from course_lib.widgets import backward_table, choices, windowed
from course_lib.widgets.explorable import module

OPERATIONS = ("max", "average")
FORMS = ("scatter", "gather")
WRITES = ("+=", "=")
LARGEST_SIDE = 6


class BackwardStepper(windowed.Windowed):
    """Steps through both passes: outputs are computed, then gradients are scattered, or each input gathers its own.

    All settings are computed when the widget is made; its controls then ask no kernel. Blue frames mark what is read,
    red arrows the way of the gradient. Gradients are red above zero and blue below. With ``=`` in place of ``+=``,
    hatching marks where a gradient was overwritten.

    Parameters
    ----------
    x : ndarray (H, W)
        A small grid, at most 6 × 6; any real type.
    grad_output : ndarray or None
        The upstream gradient, of the output's shape, which must then be the same for all choices. None: 1 everywhere.
    kernel_size, stride, padding : int or sequence of int
        The choices of each control, as in `course_lib.max_pool`. The widget starts with the first one. A control that
        offers one choice is not shown.
    operation : "max", "average" or a sequence of both
    form : "scatter", "gather" or a sequence of both
        Whether each output sends its gradient, or each input asks its windows.
    write : "+=", "=" or a sequence of both
        How a scatter writes.

    Attributes
    ----------
    operation, form, write, kernel_size, stride, padding
        The present values of the controls. Set them to drive the widget.
    step : int
        How many steps have been made: first one for each output, then one for each output (scatter) or input (gather).

    Raises
    ------
    ValueError, TypeError
        If an array or a choice does not fit, or the table would take more than 300 kB. A wrong value that is set later
        raises ``traitlets.TraitError``.

    See Also
    --------
    RoutingExplorer, course_lib.max_pool_backward, course_lib.avg_pool_backward

    Examples
    --------
    >>> BackwardStepper(np.array([[1.0, 4.0, 2.0], [3.0, 2.0, 5.0]]), kernel_size=2, stride=1)
    BackwardStepper(2 × 3 input)
    """

    _esm, _css = module("backward")
    operation = traitlets.Unicode().tag(sync=True)
    form = traitlets.Unicode().tag(sync=True)
    write = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, x, grad_output=None, *, kernel_size=(2, 3), stride=(1, 2), padding=0, operation=OPERATIONS,
                 form=FORMS, write=WRITES):  # fmt: skip
        x = choices.plane("x", x, largest=LARGEST_SIDE)
        offered = {
            "operation": choices.words("operation", operation, OPERATIONS),
            "form": choices.words("form", form, FORMS),
            "write": choices.words("write", write, WRITES),
            **windowed.window_choices(kernel_size=kernel_size, stride=stride, padding=padding),
        }
        start = {name: options[0] for name, options in offered.items()}
        backward_table.window_table.axes_of(x.shape, start)
        if grad_output is not None:
            grad_output = choices.plane("grad_output", np.asarray(grad_output), largest=2 * LARGEST_SIDE)
        super().__init__(table=backward_table.build(x, grad_output, offered), **start)

    def _summary(self):
        rows, columns = self.table["input"]["shape"]
        return f"{rows} × {columns} input"

    def last_step(self):
        """The number of steps under the present setting."""
        return self._setting().get("last", 0)

    @traitlets.validate("form", "write")
    def _validate_words(self, proposal):
        return self._option(proposal.trait.name, proposal.value)

    @traitlets.validate("step")
    def _validate_step(self, proposal):
        if not 0 <= proposal.value <= self.last_step():
            raise traitlets.TraitError(f"step must be 0 to {self.last_step()}; got step={proposal.value}.")
        return proposal.value

    @traitlets.observe("operation", "form", "kernel_size", "stride", "padding")
    def _keep_step_inside(self, _):
        """Goes back to the last step of a shorter pass."""
        self.step = min(self.step, self.last_step())
