"""Convolution backward in two layouts, with what is right by the loops and the catalogue's mistakes."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import loops
from course_lib.exercises.misconceptions import CATALOGUE, CONV, Case, Operation
from course_lib.exercises.misconceptions.windows import conv_output_shape
from course_lib.exercises.properties import KeepsInputs, Values
from course_lib.interview.coding.draw import distinct

# From (N, C, H, W) and from a weight (C_out, C_in / groups, kh, kw) to what a candidate gets.
ORDERS = {
    "NCHW": {"x": (0, 1, 2, 3), "weight": (0, 1, 2, 3)},
    "NHWC": {"x": (0, 2, 3, 1), "weight": (2, 3, 1, 0)},
}
WORDS = {
    "NCHW": {"x": "(N, C_in, H, W)", "y": "(N, C_out, rows, columns)", "weight": "(C_out, C_in, kh, kw)"},
    "NHWC": {"x": "(N, H, W, C_in)", "y": "(N, rows, columns, C_out)", "weight": "(kh, kw, C_in, C_out)"},
}
EXTRAS = {
    "": "",
    "dilation": " The taps of a window lie `dilation` elements apart, along both axes.",
    "groups": " Channels come in `groups`: each group of outputs, side by side, sees its own C_in / groups inputs "
    "alone, so that the weight has C_in / groups in the place of C_in.",
}


def right(x, weight, bias, grad_output, **geometry):
    """Both passes by the loops."""
    gradients = loops.conv_backward(grad_output, x, weight, **geometry)
    names = "grad_input", "grad_weight", "grad_bias"
    return {"y": loops.conv(x, weight, bias, **geometry)} | dict(zip(names, gradients, strict=True))


def operation():
    """Convolution, with the catalogue's recipe."""
    return Operation("convolution", right, CONV.recipe, CONV.rules)


def mistakes(of, names, extra):
    """Mistakes of the catalogue, with that about what is beyond the plain convolution."""
    about = {"dilation": ("conv_dilation_ignored",), "groups": ("conv_groups_interleaved",)}.get(extra, ())
    return tuple(replace(CATALOGUE[name], operation=of, shows=None) for name in (*names, *about))


def to_layout(name, array, layout):
    """An array as the candidate gets it, in memory of its own."""
    return np.transpose(array, ORDERS[layout][_kind(name)]).copy()


def _kind(name):
    """Whether an array has the axes of a weight or of an image."""
    return "weight" if "weight" in name else "x"


def shapes(extra, x_shape, weight_shape, stride, padding):
    """The shapes of all arrays, and the geometry. With two groups, each has as many channels as are asked for."""
    more = {"dilation": {"dilation": 2}, "groups": {"groups": 2}}.get(extra, {})
    geometry = {"stride": stride, "padding": padding} | more
    groups = geometry.get("groups", 1)
    x_shape = (x_shape[0], x_shape[1] * groups, *x_shape[2:])
    weight_shape = (weight_shape[0] * groups, *weight_shape[1:])
    places = {name: value for name, value in geometry.items() if name != "groups"}
    outputs = conv_output_shape(x_shape, weight_shape, **places)
    return {"x": x_shape, "weight": weight_shape, "grad_output": outputs}, geometry


@dataclass(frozen=True)
class ConvAsked:
    """A function of the candidate's that gives one gradient, and how properties ask it.

    Attributes
    ----------
    function : str
    operation : Operation
    layout : str
    arguments : tuple of str
        What it takes, in order: arrays, ``input_shape``, ``kernel_size``, and names of a case.
    result : str
        ``grad_input`` or ``grad_weight``.
    """

    function: str
    operation: Operation
    layout: str
    arguments: tuple
    result: str

    def case(self, rng, extra, x_shape, weight_shape, stride=1, padding=0):
        """A case with drawn numbers, its shapes as the catalogue has them."""
        sizes, geometry = shapes(extra, x_shape, weight_shape, stride, padding)
        drawn = {name: distinct(rng, shape) for name, shape in sizes.items()}
        arrays = {name: one.array for name, one in drawn.items()} | {"bias": np.zeros(sizes["weight"][0])}
        given = arrays | geometry
        texts = (f"{name} = {self._text(name, given, drawn)}" for name in self.arguments)
        return Case(", ".join(texts), given)

    def _text(self, name, given, drawn):
        """What the candidate would type for an argument, an array of many elements as it was drawn."""
        if name in drawn and self.layout == "NCHW":
            return drawn[name].text
        value = self._argument(name, given)
        return value.tolist() if isinstance(value, np.ndarray) else value

    def gives(self, name, *cases):
        """The property that the gradient is right, in the candidate's layout."""
        return Values(name, 1, (self.function,), self.operation, cases, self._part, self._run)

    def keeps_inputs(self, *cases):
        """The property that no argument is changed."""
        return KeepsInputs("inputs stay as they are", 1, (self.function,), cases, self._run)

    def _part(self, results):
        """What is judged, in the candidate's layout."""
        return to_layout(self.result, results[self.result], self.layout)

    def _run(self, session, case):
        """The candidate's gradient."""
        arguments = (self._argument(name, case.fresh()) for name in self.arguments)
        return session.array(self.result, session.call(self.function, *arguments, returns=(self.result,)))

    def _argument(self, name, given):
        """One argument as the candidate gets it."""
        if name == "input_shape":
            return to_layout("x", given["x"], self.layout).shape
        if name == "kernel_size":
            return given["weight"].shape[2:]
        return to_layout(name, given[name], self.layout) if name in ("x", "weight", "grad_output") else given[name]
