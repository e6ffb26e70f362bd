"""Functions of images in a drawn order of axes. Cases are kept as (N, C, H, W), which the catalogue's mistakes read.

A layout is letters of NCHW in some order, as NHWC, CHW, HW or W. An axis that it leaves out has one element.
"""

from dataclasses import dataclass

import numpy as np

from course_lib.exercises.misconceptions import Case, Operation
from course_lib.exercises.misconceptions.windows import output_shape, pair
from course_lib.exercises.properties import KeepsInputs, Values
from course_lib.interview.coding.draw import distinct

AXES = "NCHW"
PLACES = "kernel_size", "stride", "padding", "ceil_mode"


def words(layout):
    """The layout as a shape is written."""
    return f"({', '.join(layout)}{',' * (len(layout) == 1)})"


def to_layout(array, layout):
    """An array (N, C, H, W) as the candidate gets it, in memory of its own."""
    return np.transpose(array, _order(layout)).reshape(shape_in(array.shape, layout)).copy()


def shape_in(sizes, layout):
    """The shape (N, C, H, W) as the candidate gets it."""
    return tuple(sizes[AXES.index(letter)] for letter in layout)


def from_layout(array, layout):
    """What a candidate has, as (N, C, H, W)."""
    whole = array.reshape(*array.shape, *[1] * (len(AXES) - len(layout)))
    return np.transpose(whole, np.argsort(_order(layout)))


def _order(layout):
    """The axes of NCHW in the layout's order, those that it leaves out last."""
    return [AXES.index(letter) for letter in layout + "".join(letter for letter in AXES if letter not in layout)]


@dataclass(frozen=True)
class Images:
    """A pooling function of the candidate's, and how properties ask it.

    Attributes
    ----------
    function : str
    operation : Operation
    layout : str
    arguments : tuple of str
        What it takes, in order: ``x``, ``grad_output``, ``input_shape``, ``y``, sizes, and names of a case.
    result : str
        What it returns: ``y`` or ``grad_input``.
    sign : int
        −1 where the operation is asked about −x, as where a minimum is pooled.
    """

    function: str
    operation: Operation
    layout: str
    arguments: tuple
    result: str
    sign: int = 1

    def case(self, rng, shape, kernel_size, stride, padding=0, numbers=distinct, **more):
        """A case with drawn numbers; axes that the layout leaves out get one element."""
        shape = tuple(size if letter in self.layout else 1 for letter, size in zip(AXES, shape, strict=True))
        geometry = {"kernel_size": kernel_size, "stride": stride, "padding": padding} | more
        if "H" not in self.layout:
            along = {"kernel_size": 1, "stride": 1, "padding": 0}
            geometry |= {name: (one, pair(geometry[name])[1]) for name, one in along.items()}
        x = numbers(rng, shape)
        places = {name: value for name, value in geometry.items() if name in PLACES}
        grad_output = distinct(rng, output_shape(shape, **places), low=1)
        arguments = {"x": x.array, "grad_output": grad_output.array, **geometry}
        return Case(self._name(Case("", arguments), {"x": x, "grad_output": grad_output}), arguments)

    def _name(self, case, drawn):
        """What the candidate would type, an array of many elements as it was drawn."""
        texts = []
        for name in self.arguments:
            if name == "y":
                text = "the output"
            elif name in drawn and self.layout == AXES:
                text = drawn[name].text
            else:
                value = self._argument(name, case)
                text = value.tolist() if isinstance(value, np.ndarray) else value
            texts.append(f"{name} = {text}")
        return ", ".join(texts)

    def gives(self, name, *cases):
        """The property that the result is right, in the candidate's layout."""
        return Values(name, 1, (self.function,), self.operation, cases, self._part, self._run)

    def keeps_inputs(self, *cases):
        """The property that no argument is changed."""
        return KeepsInputs("inputs stay as they are", 1, (self.function,), cases, self._run)

    def _part(self, results):
        """What is judged, in the candidate's layout; a mistake may make that impossible."""
        return to_layout(results[self.result], self.layout)

    def _run(self, session, case):
        """The candidate's array."""
        arguments = (self._argument(name, case) for name in self.arguments)
        return session.array(self.result, session.call(self.function, *arguments, returns=(self.result,)))

    def _argument(self, name, case):
        """One argument as the candidate gets it."""
        given = case.fresh()
        if name == "input_shape":
            return shape_in(given["x"].shape, self.layout)
        if name == "y":
            return self.sign * to_layout(self.operation.results(case)["y"], self.layout)
        if name in ("x", "grad_output"):
            return to_layout(given[name], self.layout) * (self.sign if name == "x" else 1)
        if name in ("kernel_size", "stride", "padding") and "H" not in self.layout:
            return pair(given[name])[1]
        return given[name]
