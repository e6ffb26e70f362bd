"""The answers of the convolution exercise: a forward, and a backward that returns three gradients."""

from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from course_lib.exercises import faults, reading
from course_lib.exercises.misconceptions import CONV
from course_lib.exercises.misconceptions.windows import conv_output_shape
from course_lib.exercises.properties import KeepsInputs, Star, Together, Values

GRADIENTS = ("grad_input", "grad_weight", "grad_bias")
NAMED = ("stride", "padding", "dilation", "groups")


@dataclass(frozen=True)
class ConvAnswers:
    """The two functions, by the names of the answers, and how properties ask them."""

    forward: str
    backward: str

    @property
    def both(self):
        """Both names."""
        return self.forward, self.backward

    def output(self, session, case):
        """The learner's output."""
        given = case.fresh()
        arguments = given["x"], given["weight"], given["bias"]
        return session.array("y", session.call(self.forward, *arguments, returns=("y",), **_named(given)))

    def gradients(self, session, case):
        """What the learner's backward returns, three values."""
        given = case.fresh()
        arguments = given["grad_output"], given["x"], given["weight"]
        return session.call(self.backward, *arguments, returns=GRADIENTS, **_named(given))

    def gradient(self, name):
        """How to ask for one of the gradients; one that is None is not started."""

        def run(session, case):
            value = self.gradients(session, case)[GRADIENTS.index(name)]
            if reading.is_missing(value):
                raise faults.not_started()
            return session.array(name, value)

        return run

    def outputs(self, name, points, *cases):
        """The property that the forward is right."""
        return Values(name, points, (self.forward,), CONV, cases, itemgetter("y"), self.output, array="y")

    def one(self, gradient, name, points, *cases):
        """The property that one gradient is right."""
        run = self.gradient(gradient)
        return Values(name, points, (self.backward,), CONV, cases, itemgetter(gradient), run, array=gradient)

    def passes(self, name, points, *cases):
        """The property that the output and all three gradients are right."""
        gradients = (self.one(gradient, name, points, *cases) for gradient in GRADIENTS)
        return Together(name, points, (self.outputs(name, points, *cases), *gradients))

    def star(self, parameter, points, *cases):
        """The property that both functions take a parameter more, and are right with it."""
        return Star(self.passes(parameter, points, *cases), parameter, self.both)

    def keeps_inputs(self, name, points, *cases):
        """The property that neither changes what it is given."""

        def run(session, case):
            self.output(session, case)
            self.gradients(session, case)

        return KeepsInputs(name, points, self.both, cases, run)

    def with_mistakes(self, changes):
        """The two functions, made of the recipe with some rules changed: wrong answers for tests."""
        rules = replace(CONV.rules, **changes)

        def forward(x, weight, bias, **named):
            grad_output = np.zeros(conv_output_shape(x.shape, weight.shape, **named))
            return CONV.recipe(rules, x, weight, bias, grad_output, **named)["y"]

        def backward(grad_output, x, weight, **named):
            results = CONV.recipe(rules, x, weight, np.zeros(len(weight)), grad_output, **named)
            return tuple(_if_possible(results, gradient) for gradient in GRADIENTS)

        return {self.forward: forward, self.backward: backward}


def _named(given):
    """The arguments that are passed by name, where a case has them."""
    return {name: given[name] for name in NAMED if name in given}


def _if_possible(results, name):
    """One of the results; None if a mistake makes it impossible, as an exchange of unequal axes does."""
    try:
        return results[name]
    except (IndexError, ValueError):
        return None
