"""A gradient check: the numerical gradient, the Jacobian, or how far a gradient is from it."""

from dataclasses import replace

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.differences import RESULTS, SCHEMES, STEPS, Numeric, mistakes
from course_lib.interview.coding.draw import Drawn, case, distinct, one_of
from course_lib.interview.coding.task import Task, Variant, skeleton

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


def variant(seed):
    """The differences, the result, the step and the order of the arguments are drawn."""
    rng = np.random.default_rng(seed)
    result, step, f_first = one_of(rng, *RESULTS), one_of(rng, *STEPS), one_of(rng, False, True)
    scheme = one_of(rng, *SCHEMES)
    order = ["f", "x", "eps"] if f_first else ["x", "f", "eps"]
    order += {"numeric_jacobian": [], "gradient_error": ["grad_output", "analytic"]}.get(result, ["grad_output"])
    signature = f"def {result}({', '.join(order)}):"
    upstream = " `grad_output` has the shape of f(x)." if "grad_output" in order else ""
    statement = (
        f"Return {RESULTS[result]}. Differences are {SCHEMES[scheme]}. `f` takes an array of the shape of `x` and "
        f"returns an array of any shape.{upstream} {STEPS[step]} Compute in float64, whatever numbers x holds. f may "
        "return the same array each time, with new numbers in it. x must be at the end what it was."
    )
    right = Numeric(scheme, result, step)
    asked = Asked(result, operation("numerical gradient", right))

    def ask(f, x, outputs, eps):
        given = {"f": f, "x": x, "eps": eps, "grad_output": distinct(rng, outputs, low=2)}
        numeric = replace(right, result="numeric_gradient")
        exact = numeric(f.array, x.array, eps, given["grad_output"].array)["result"]
        # A gradient that is off in some elements, upwards and downwards.
        off = exact.round(3) + rng.permutation(np.resize([0, -0.75, 0.25], exact.size)).reshape(exact.shape)
        given["analytic"] = Drawn(off, str(off.tolist()))
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
    # Below a tie the maximum does not change: the numerical gradient is 0, and nothing can be compared with it.
    flat = result == "gradient_error" and scheme == "backward"
    properties = (
        asked.gives("smooth functions", ask(square, near((3,)), (3,), 0.5), ask(wave, near((2, 2)), (2, 2), 0.01)),
        asked.gives("several outputs", ask(product, near((3,)), (2,), 0.125)),
        asked.gives("pooling", plane),
        *([] if flat else [asked.gives("a tie", ask(pool, tie, (1, 1), 0.5))]),
        asked.gives("integers and float32", ask(square, whole, (3,), 0.125),
                    ask(wave, near((3,), np.float32), (3,), 1e-3)),
        asked.gives("an array that is used again", ask(same, near((3,)), (3,), 0.5)),
        asked.keeps_inputs(plane),
    )  # fmt: skip
    blank = skeleton(signature, f"{result.replace('_', ' ').capitalize()}, by {scheme} differences.")
    return Variant(statement, signature, properties, blank, tuple(mistakes(asked, right)))


TASK = Task(
    name="gradcheck",
    title="A gradient check",
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
