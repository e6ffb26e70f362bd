"""What explorables share whose controls choose a window."""

import traitlets

from course_lib.widgets import choices as checks
from course_lib.widgets.explorable import Explorable

NUMBERS = {"kernel_size": 1, "stride": 1, "padding": 0, "dilation": 1}


class Windowed(Explorable):
    """An explorable whose controls choose a window.

    A setting in which the window does not fit may be chosen: the widget then shows the sentence with which `max_pool`
    refuses it.
    """

    kernel_size = traitlets.Int().tag(sync=True)
    stride = traitlets.Int().tag(sync=True)
    padding = traitlets.Int().tag(sync=True)

    def refusal(self):
        """The sentence with which the library refuses the present setting; None if it takes it."""
        position = self._setting().get("refusal")
        return None if position is None else self.table["refusals"][position]

    def output_shape(self):
        """Rows and columns of the output under the present setting; None if there is no output."""
        setting = self._setting()
        return tuple(self.table["geometry"][setting["geometry"]]["shape"]) if "geometry" in setting else None

    @traitlets.validate("operation", "kernel_size", "stride", "padding", "dilation", "ceil_mode")
    def _validate_control(self, proposal):
        return self._option(proposal.trait.name, proposal.value)

    @traitlets.validate("picked_output", "picked_input")
    def _validate_pick(self, proposal):
        name = proposal.trait.name
        shape = self.output_shape() if name == "picked_output" else self.table["input"]["shape"]
        return proposal.value if shape is None else checks.pick(name, proposal.value, shape)

    @traitlets.observe("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    def _keep_pick_inside(self, _):
        """Moves the picked output into a smaller output."""
        shape = self.output_shape()
        if shape and self.has_trait("picked_output"):
            self.picked_output = tuple(min(at, size - 1) for at, size in zip(self.picked_output, shape, strict=True))


def window_choices(**given):
    """The checked choices of the controls that choose a window, in the order given."""
    return {
        name: checks.integers(name, value, NUMBERS[name]) if name in NUMBERS else checks.flags(name, value)
        for name, value in given.items()
    }
