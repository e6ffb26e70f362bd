"""Numerical gradients: the half of a gradient check that has to be trusted."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import Drawn, case, distinct, one_of
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "numeric_gradient"
SCHEMES = {
    "central": "**central** differences: both sides of each element, half a difference each way",
    "forward": "**forward** differences: the step is added, and f at x itself is the other point",
    "backward": "**backward** differences: the step is subtracted, and f at x itself is the other point",
}
RESULTS = {
    "gradient": "the gradient of the sum of grad_output · f(x), in the shape of x",
    "jacobian": "the Jacobian of f, a matrix with one row for each element of f(x) and one column for each of x, both "
    "in row-major order",
}
STEPS = {
    "absolute": "The step is `eps` for every element.",
    "relative": "The step of an element is `eps` times the larger of 1 and its absolute value.",
}
WEIGHT = np.array([[1.5, -2.0, 0.5], [0.25, 1.0, -3.0]])


class Function:
    """A function of an array that shows itself by what one would type."""

    def __init__(self, text, compute):
        self.text, self.compute = text, compute

    def __call__(self, x):
        return self.compute(x)


def pooled(x):
    """Max pooling of one plane."""
    return loops.max_pool(x[None, None], 2, 1)[0, 0]


def reusing():
    """A function that always returns one and the same array."""
    kept = np.zeros(3)

    def square(x):
        kept[:] = x * x
        return kept

    return square


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
    """

    scheme: str
    result: str
    step: str
    divisor: float = 1.0
    turned: bool = False
    sees_upstream: bool = True

    def __call__(self, f, x, eps, grad_output=None):
        """The gradient or the Jacobian."""
        x, columns = np.asarray(x, np.float64), []
        for place in np.ndindex(x.shape):
            size = eps * max(1.0, abs(x[place])) if self.step == "relative" else eps
            ends = [self._at(f, x, place, sign * size) for sign in self._signs()]
            columns.append((ends[1] - ends[0]) / (size * (self._signs()[1] - self._signs()[0]) * self.divisor))
        jacobian = np.stack([column.ravel() for column in columns], axis=1)
        if self.result == "jacobian":
            return {"result": jacobian.T if self.turned else jacobian}
        upstream = np.asarray(grad_output).ravel() if self.sees_upstream else np.ones(len(jacobian))
        return {"result": (upstream @ jacobian).reshape(x.shape)}

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
            yield mistake(scheme, f"These are {said.partition(':')[0].replace('*', '')}.", scheme=scheme)
    if right.scheme == "central":
        yield mistake("one_step", "Both sides are taken, and divided by one step: they are two steps apart.",
                      divisor=0.5)  # fmt: skip
    else:
        yield mistake("two_steps", "The points are one step apart, and it is divided by two.", divisor=2.0)
    yield mistake("step", "The step is another one.", step=next(step for step in STEPS if step != right.step))
    if right.result == "jacobian":
        yield mistake("transposed", "The Jacobian is transposed: a row belongs to an output.", turned=True)
    else:
        yield mistake("upstream", "The upstream gradient is left out, as if it were all ones.", sees_upstream=False)


def variant(seed):
    """The differences, the result, the step and the order of the arguments are drawn."""
    rng = np.random.default_rng(seed)
    result, step, f_first = one_of(rng, *RESULTS), one_of(rng, *STEPS), one_of(rng, False, True)
    scheme = one_of(rng, *SCHEMES)
    order = ["f", "x", "eps"] if f_first else ["x", "f", "eps"]
    order += ["grad_output"] * (result == "gradient")
    signature = f"def {NAME}({', '.join(order)}):"
    upstream = " `grad_output` has the shape of f(x)." if result == "gradient" else ""
    statement = (
        f"Return {RESULTS[result]}, by {SCHEMES[scheme]}. `f` takes an array of the shape of `x` and returns an array "
        f"of any shape.{upstream} {STEPS[step]} Compute in float64, whatever numbers x holds. f may return the same "
        "array each time, with new numbers in it. x must be at the end what it was."
    )
    right = Numeric(scheme, result, step)
    asked = Asked(NAME, operation("numerical gradient", right))

    def ask(f, x, outputs, eps):
        given = {"f": f, "x": x, "eps": eps, "grad_output": distinct(rng, outputs, low=2)}
        return case(**{name: given[name] for name in order})

    def typed(text, compute):
        return Drawn(Function(text, compute), text)

    def near(shape, dtype=np.float64):
        """Numbers between -3 and 3, in eighths."""
        x = (rng.permutation(np.linspace(-24, 24, int(np.prod(shape))).round()) / 8).reshape(shape).astype(dtype)
        return Drawn(x, f"np.array({x.tolist()}, np.{x.dtype})")

    square, wave = typed("np.square", np.square), typed("np.sin", np.sin)
    product = typed(f"lambda x: np.array({WEIGHT.tolist()}) @ np.sin(x)", lambda x: WEIGHT @ np.sin(x))
    pool = typed("max pooling of one plane, 2 by 2, stride 1", pooled)
    same = typed("a function that squares, and always returns one and the same array", reusing())
    numbers = rng.integers(2, 9, 3)
    whole = Drawn(numbers, f"np.array({numbers.tolist()})")
    plane = ask(pool, distinct(rng, (3, 3)), (2, 2), one_of(rng, 0.125, 0.25))
    tie = Drawn(np.zeros((2, 2)), "np.zeros((2, 2))")
    properties = (
        asked.gives("smooth functions", ask(square, near((3,)), (3,), 0.5), ask(wave, near((2, 2)), (2, 2), 0.01)),
        asked.gives("several outputs", ask(product, near((3,)), (2,), 0.125)),
        asked.gives("pooling, with a tie", plane, ask(pool, tie, (1, 1), 0.5)),
        asked.gives("integers and float32", ask(square, whole, (3,), 0.125),
                    ask(wave, near((3,), np.float32), (3,), 1e-3)),
        asked.gives("an array that is used again", ask(same, near((3,)), (3,), 0.5)),
        asked.keeps_inputs(plane),
    )  # fmt: skip
    blank = skeleton(signature, RESULTS[result].partition(",")[0].capitalize() + ".")
    return Variant(statement, signature, properties, blank, tuple(mistakes(asked, right)))


TASK = Task(
    name="numeric-gradient",
    title="A numerical gradient",
    minutes=12,
    topic="Checking and testing",
    level=1,
    variant=variant,
    why="Every backward is checked against this, so it must be right where a backward is wrong. An interviewer looks "
    "whether x is put back after each step, whether an integer array would swallow the step, whether the upstream "
    "gradient is more than ones, and whether you say what happens at a tie.",
    hints=(
        "How much does each output rise if one element of x is moved? Which two points do you compare, and how far are "
        "they apart?",
        "Work on a copy in float64. Move one element, call f, copy what it returns, and put the element back.",
        "One column of the Jacobian: (f at one point - f at the other) / their distance, flattened. The gradient is "
        "grad_output, flattened, times the Jacobian.",
    ),
    chapter="07",
)
