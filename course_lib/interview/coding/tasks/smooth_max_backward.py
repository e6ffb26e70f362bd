"""Backward of a pooling that is nearly the maximum, and smooth."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import mistake, operation
from course_lib.interview.coding.draw import distinct, one_of, written
from course_lib.interview.coding.images import Images, words
from course_lib.interview.coding.task import Task, Variant, skeleton
from course_lib.loops.windows import image, real_taps

NAME = "smooth_max_backward"
LAYOUTS = ("HW", "NHWC", "NCHW")
SAID = {
    "softmax": "y = Σ w · x with w = softmax(beta · x) over the window. `beta` is above 0, and w depends on x too",
    "lp": "y = (Σ |x|^power)^(1 / power), the sum over the window. `power` is at least 1. Where x is 0, its slope is 0",
    "logsumexp": "y = log(Σ exp(beta · x)) / beta, the sum over the window. `beta` is above 0",
}
LARGE = {"lp": 1e160, "logsumexp": 400.0, "softmax": 400.0}


def weights(values, beta):
    """The softmax, without overflow."""
    parts = np.exp(beta * (values - values.max()))
    return parts / parts.sum()


def softmax_slopes(values, beta):
    """The derivative of the softmax's mean: by the values, and by the weights."""
    parts = weights(values, beta)
    return parts * (1 + beta * (values - parts @ values))


def lp_slopes(values, power):
    """The derivative of the norm, by the loops."""
    row = values[None, None]
    return loops.lp_pool_backward(np.ones((1, 1, 1)), row, power, len(values))[0, 0]


SLOPES = {"lp": lp_slopes, "logsumexp": weights, "softmax": softmax_slopes}


@dataclass(frozen=True)
class Smooth:
    """The gradient by the loops' windows.

    Attributes
    ----------
    slopes : callable
        From the values of a window and the sharpness to the derivative of its output by each.
    adds : bool
        Whether windows add.
    """

    slopes: Callable
    adds: bool = True

    def __call__(self, x, grad_output, kernel_size, stride, padding, **sharpness):
        """The gradient of x; the sharpness has the name that it has in the rule."""
        (sharp,) = sharpness.values()
        planes, axes, _ = image(x, kernel_size, stride, padding, 1, False, 1)
        grad = np.zeros(x.shape)
        for sample, channel, *window in np.ndindex(grad_output.shape):
            elements = list(real_taps(axes, window))
            values = np.array([planes[sample, channel, *element] for element in elements])
            with np.errstate(all="ignore"):
                sent = self.slopes(values, sharp) * grad_output[sample, channel, *window]
            for element, part in zip(elements, sent, strict=True):
                before = grad[sample, channel, *element] if self.adds else 0
                grad[sample, channel, *element] = before + part
        return {"grad_input": grad}


def one_hot(values, sharpness):
    """The maximum's own."""
    return (np.arange(len(values)) == values.argmax()) * 1.0


def exponentials(values, beta):
    """A softmax that overflows."""
    parts = np.exp(beta * values)
    return parts / parts.sum()


def norm_ratio(power_of, sign=np.sign):
    """sign(x) · (|x| / y)ᵐ, with powers that overflow."""

    def slopes(values, power):
        y = (np.abs(values) ** power).sum() ** (1 / power)
        return sign(values) * (np.abs(values) / y) ** power_of(power)

    return slopes


def times_beta(slopes):
    """The slopes times the sharpness."""
    return lambda values, sharpness: sharpness * slopes(values, sharpness)


WRONG = {
    "lp": (
        ("lp_sign", "The sign is left out: |x| falls where x rises below 0.",
         norm_ratio(lambda p: p - 1, np.ones_like)),
        ("lp_power", "The power is p. A derivative has one less: (|x| / y)^(p − 1).", norm_ratio(lambda p: p)),
        ("lp_not_rooted", "The derivative of the sum stands there alone. The root's derivative divides by y^(p − 1).",
         lambda values, p: np.sign(values) * np.abs(values) ** (p - 1)),
        ("lp_times_p", "A factor p stays. The root's derivative, 1/p, takes it away.", times_beta(lp_slopes)),
        ("overflow", "A power overflows, or 0 is divided by 0. Divide by the largest of the window before the power.",
         norm_ratio(lambda p: p - 1)),
    ),
    "logsumexp": (
        ("times_beta", "A factor beta stays. The division by beta takes it away.", times_beta(weights)),
        ("without_beta", "The softmax is that of x. It is that of beta · x.", lambda values, _: weights(values, 1.0)),
        ("overflow", "An exponential overflows. Subtract the window's maximum first: the softmax stays the same.",
         exponentials),
    ),
    "softmax": (
        ("weights_alone", "The weights stand there alone, as if they did not depend on x. They do: the product rule "
         "has a second term.", weights),
        ("without_beta", "The second term lacks the factor beta.",
         lambda values, beta: weights(values, beta) * (1 + values - weights(values, beta) @ values)),
        ("not_centred", "The mean is not subtracted in the second term. The weights add up to 1, so what one gains the "
         "others lose.", lambda values, beta: weights(values, beta) * (1 + beta * values)),
        ("overflow", "An exponential overflows. Subtract the window's maximum first: the softmax stays the same.",
         lambda values, beta: exponentials(values, beta) * (1 + beta * (values - exponentials(values, beta) @ values))),
    ),
}  # fmt: skip


def mistakes(of, rule):
    """The mistakes of a rule, and those of every pooling."""
    right = Smooth(SLOPES[rule])
    shared = (
        ("as_max", "02", "The largest element gets everything. Here every element has a slope.",
         replace(right, slopes=one_hot)),
        ("as_average", "02", "Every element gets the same. Here the slope depends on the element.",
         replace(right, slopes=lambda values, _: np.full(len(values), 1 / len(values)))),
        ("overwrite", "03", "A later window overwrites what an earlier one sent. Windows that overlap add.",
         replace(right, adds=False)),
    )  # fmt: skip
    own = ((name, "10", sentence, replace(right, slopes=slopes)) for name, sentence, slopes in WRONG[rule])
    return tuple(mistake(of, f"smooth_{name}", *rest) for name, *rest in (*own, *shared))


def large(rule):
    """How to draw numbers whose powers and exponentials overflow."""
    return lambda rng, shape: written(distinct(rng, shape).array * LARGE[rule])


def few(rng, shape):
    """Zeros in the first columns, and few other numbers."""
    array = rng.integers(-1, 2, shape) * 1.0
    array[..., :2] = 0
    return written(array)


def variant(seed):
    """The smooth maximum, the layout and the order of the arguments are drawn."""
    rng = np.random.default_rng(seed)
    rule, layout, sharp_first = one_of(rng, *SAID), one_of(rng, *LAYOUTS), one_of(rng, False, True)
    of = operation(f"{rule} pooling", Smooth(SLOPES[rule]))
    name = "power" if rule == "lp" else "beta"
    sizes = (name, "kernel_size", "stride") if sharp_first else ("kernel_size", "stride", name)
    asked = Images(NAME, of, layout, ("grad_output", "x", *sizes), "grad_input")
    signature = f"def {NAME}(grad_output, x, {', '.join(sizes)}):"
    statement = (
        f"A pooling of `x`, {words(layout)}, is a smooth stand-in for the maximum: {SAID[rule]}. Windows are square, "
        "kernel_size by kernel_size, and `stride` apart; nothing is padded, and a remainder lies in no window. "
        f"`grad_output` has the same layout with the pooled sizes. Return the gradient of x, for numbers of any size: "
        f"up to {LARGE[rule] * 10:g}, nothing may overflow. Change no argument."
    )
    soft, sharp = (2, 3) if rule == "lp" else (0.5, 2.0)

    def pool(shape, kernel_size, stride, sharpness, numbers=distinct):
        return asked.case(rng, shape, kernel_size, stride, numbers=numbers, **{name: sharpness})

    properties = (
        asked.gives("one window", pool((1, 1, 2, 2), 2, 2, soft), pool((1, 1, 3, 3), 3, 3, sharp)),
        asked.gives("windows side by side", pool((1, 1, 2, 6), 2, 2, sharp), pool((1, 1, 6, 3), 3, 3, soft)),
        asked.gives("overlap", pool((1, 1, 3, 4), 2, 1, soft), pool((1, 1, 5, 5), 3, 1, sharp)),
        asked.gives("gaps and remainders", pool((1, 1, 5, 6), 2, 3, soft)),
        asked.gives("zeros and equals", pool((1, 1, 2, 4), 2, 2, sharp, few)),
        asked.gives(
            "large numbers", pool((1, 1, 2, 4), 2, 2, sharp, large(rule)), pool((1, 1, 4, 4), 3, 1, soft, large(rule))
        ),
        *([asked.gives("batch and channels", pool((2, 2, 3, 3), 2, 1, soft))] if layout != "HW" else []),
        asked.keeps_inputs(pool((1, 1, 4, 4), 3, 1, soft)),
    )
    blank = skeleton(signature, f"The gradient of x, {words(layout)}.")
    return Variant(statement, signature, properties, blank, mistakes(of, rule))


TASK = Task(
    name="smooth-max-backward",
    title="Backward of a smooth maximum",
    minutes=30,
    topic="Architecture choices",
    level=3,
    variant=variant,
    why="Differentiate first, on paper: the slopes of a smooth maximum are a softmax, a softmax with a second term, "
    "or a power of the ratio to the norm. Then see that they only need ratios, so that nothing has to overflow. "
    "Windows that overlap add, as in every pooling; a check against differences takes three lines and is worth "
    "its minute.",
    hints=(
        "What is the derivative of y by one element of its window? What do the derivatives of all of them add up to?",
        "Subtract the window's maximum, or divide by its largest size, before anything grows. The result is the same.",
        "parts = np.exp(beta * (window - window.max())); parts / parts.sum(). For the norm: r = np.abs(window) / "
        "largest; np.sign(window) * (r / (r**p).sum() ** (1 / p)) ** (p - 1).",
    ),
    chapter="10",
)
