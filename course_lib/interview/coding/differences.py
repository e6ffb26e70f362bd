"""Numerical differences by several rules, and what goes wrong in them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

SCHEMES = {
    "central": "**central**: from one step below to one step above, an element at a time",
    "forward": "**forward**: from x itself to one step above, an element at a time",
    "backward": "**backward**: from one step below to x itself, an element at a time",
}
RESULTS = {
    "numeric_gradient": "the gradient of the sum of grad_output · f(x), in the shape of x",
    "numeric_jacobian": "the Jacobian of f, a matrix with one row for each element of f(x) and one column for each of "
    "x, both in row-major order",
    "gradient_error": "how far `analytic`, a gradient of the sum of grad_output · f(x), is from the numerical one: the "
    "largest absolute difference, over the largest absolute value of the numerical one",
}
STEPS = {
    "absolute": "The step is `eps` for every element.",
    "relative": "The step of an element is `eps` times the larger of 1 and its absolute value.",
}


def relative(analytic, numeric):
    """The largest difference, over the largest number."""
    return np.abs(analytic - numeric).max() / np.abs(numeric).max()


@dataclass(frozen=True)
class Numeric:
    """The result, and what a mistake changes of it.

    Attributes
    ----------
    scheme, result, step : str
        Of `SCHEMES`, `RESULTS` and `STEPS`.
    divisor : float
        What is divided by, in units of the right one.
    turned : bool
        Whether the Jacobian is transposed.
    sees_upstream : bool
        Whether the upstream gradient counts.
    error : callable
        From a gradient and the numerical one to what is between them.
    """

    scheme: str
    result: str
    step: str
    divisor: float = 1.0
    turned: bool = False
    sees_upstream: bool = True
    error: Callable = staticmethod(relative)

    def __call__(self, f, x, eps, grad_output=None, analytic=None):
        """The gradient, the Jacobian or the error."""
        x, columns = np.asarray(x, np.float64), []
        for place in np.ndindex(x.shape):
            size = eps * max(1.0, abs(x[place])) if self.step == "relative" else eps
            ends = [self._at(f, x, place, sign * size) for sign in self._signs()]
            columns.append((ends[1] - ends[0]) / (size * (self._signs()[1] - self._signs()[0]) * self.divisor))
        jacobian = np.stack([column.ravel() for column in columns], axis=1)
        if self.result == "numeric_jacobian":
            return {"result": jacobian.T if self.turned else jacobian}
        upstream = np.asarray(grad_output).ravel() if self.sees_upstream else np.ones(len(jacobian))
        gradient = (upstream @ jacobian).reshape(x.shape)
        return {"result": gradient if self.result == "numeric_gradient" else self.error(analytic, gradient)}

    def _signs(self):
        """The two points, in steps."""
        return {"central": (-1, 1), "forward": (0, 1), "backward": (-1, 0)}[self.scheme]

    def _at(self, f, x, place, step):
        """The function beside a point."""
        moved = x.copy()
        moved[place] += step
        return np.array(f(moved), np.float64)


def mistakes(asked, right):
    """The right differences with something changed."""

    def mistake(name, sentence, **changes):
        return asked.mistake(f"differences_{name}", "07", sentence, replace(right, **changes))

    for scheme, said in SCHEMES.items():
        if scheme != right.scheme:
            yield mistake(scheme, f"The differences are {said.replace('*', '')}.", scheme=scheme)
    if right.scheme == "central":
        yield mistake("one_step", "Both sides are taken, and divided by one step: they are two steps apart.",
                      divisor=0.5)  # fmt: skip
    else:
        yield mistake("two_steps", "The points are one step apart, and it is divided by two.", divisor=2.0)
    yield mistake("step", "The step is another one.", step=next(step for step in STEPS if step != right.step))
    if right.result == "numeric_jacobian":
        yield mistake("transposed", "The Jacobian is transposed: a row belongs to an output.", turned=True)
        return
    yield mistake("upstream", "The upstream gradient is left out, as if it were all ones.", sees_upstream=False)
    if right.result == "gradient_error":
        yield mistake("absolute", "The difference is not divided: with small gradients every error is small.",
                      error=lambda analytic, numeric: np.abs(analytic - numeric).max())  # fmt: skip
        yield mistake("signed", "Differences of both signs are compared, and a negative one is never the largest.",
                      error=lambda analytic, numeric: (analytic - numeric).max() / np.abs(numeric).max(),
                      )  # fmt: skip
        yield mistake("element_by_element", "Each difference is divided by its own element: where that is almost 0, "
                      "rounding looks like a mistake.",
                      error=lambda analytic, numeric: np.abs((analytic - numeric) / numeric).max())  # fmt: skip
