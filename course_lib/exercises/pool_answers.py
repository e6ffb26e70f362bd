"""The answers of the pooling workshops: two functions of the learner's, with a cache of any type between them."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib.exercises.misconceptions import Operation
from course_lib.exercises.misconceptions.windows import output_shape
from course_lib.exercises.properties import KeepsInputs, Together, Values


@dataclass(frozen=True)
class PoolAnswers:
    """The two functions, and how properties ask them.

    Attributes
    ----------
    forward, backward : str
        The names of the answers.
    operation : Operation
    arguments : tuple of str
        The arguments of a case that the forward takes after ``x``, in order.
    named : tuple of str
        Those that it takes by name, where a case has them.
    """

    forward: str
    backward: str
    operation: Operation
    arguments: tuple
    named: tuple = ()

    @property
    def both(self):
        """Both names."""
        return self.forward, self.backward

    def call_forward(self, session, case):
        """The learner's output and cache."""
        given = case.fresh()
        arguments = (given[name] for name in self.arguments)
        named = {name: given[name] for name in self.named if name in given}
        return session.call(self.forward, given["x"], *arguments, returns=("y", "cache"), **named)

    def output(self, session, case):
        """The learner's output."""
        return session.array("y", self.call_forward(session, case)[0])

    def gradient(self, session, case):
        """The learner's gradient, of the last call where a case asks for several with one cache."""
        _, cache = self.call_forward(session, case)
        given = case.fresh()
        for _ in range(given.get("calls", 1)):
            gradient = session.call(self.backward, given["grad_output"].copy(), cache, returns=("grad_input",))
        return session.array("grad_input", gradient)

    def outputs(self, name, points, *cases):
        """The property that the forward is right."""
        return Values(name, points, (self.forward,), self.operation, cases, lambda results: results["y"], self.output)

    def gradients(self, name, points, *cases):
        """The property that the backward is right."""
        return Values(
            name=name,
            points=points,
            answers=self.both,
            operation=self.operation,
            cases=cases,
            part=lambda results: results["grad_input"],
            run=self.gradient,
            beside=(self.outputs(name, points, *cases),),
        )

    def passes(self, name, points, *cases):
        """The property that both are right."""
        return Together(name, points, (self.outputs(name, points, *cases), self.gradients(name, points, *cases)))

    def keeps_inputs(self, name, points, *cases):
        """The property that neither changes what it is given."""
        return KeepsInputs(name, points, self.both, cases, self.gradient)

    def with_mistakes(self, changes):
        """The two functions, made of the recipe with some rules changed: wrong answers for tests."""
        rules = replace(self.operation.rules, **changes)

        def forward(x, *arguments, **named):
            geometry = dict(zip(self.arguments, arguments, strict=True)) | named
            outputs = np.zeros(output_shape(x.shape, **geometry))
            return self.operation.recipe(rules, x, outputs, **geometry)["y"], [x, geometry, 0]

        def backward(grad_output, cache):
            # How often it was called with this cache, for those who do not begin anew.
            cache[2] += 1
            return self.operation.recipe(rules, cache[0], grad_output, **cache[1], calls=cache[2])["grad_input"]

        return {self.forward: forward, self.backward: backward}
