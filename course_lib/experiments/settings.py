"""What can differ between two variants of an experiment: a few factors, each with a value that is plain data."""

import difflib
from dataclasses import dataclass, fields

from course_lib import arguments
from course_lib.experiments.networks import NETWORKS

DYNAMIC = "dynamic"
BACKENDS = ("naive", "vectorised", "yours", "framework")
POOLINGS = ("max", "average")
PRECISIONS = ("float64", "float32", "float16", "bfloat16")
HALF = ("float16", "bfloat16")


@dataclass(frozen=True)
class Settings:
    """One variant: every factor has a value.

    Attributes
    ----------
    network : "one block" or "two blocks"
    backend : "naive", "vectorised", "yours" or "framework"
        Who computes convolution and pooling, forward and backward: loops over windows, the course's operations, the
        learner's convolution with the course's pooling, or PyTorch.
    pooling : "max" or "average"
    precision : "float64", "float32", "float16" or "bfloat16"
        The half ones are mixed: the parameters stay in float32, and PyTorch's autocast chooses who computes in half.
    learning_rate, momentum : float
        Of stochastic gradient descent.
    loss_scale : number or "dynamic"
        The loss is multiplied by it before the backward, and the gradients are divided by it after. 1 means none.
        "dynamic" begins with 2¹⁶, halves it when a gradient is not finite, and skips that step.
    loss_factor : float
        The loss is multiplied by it, and the gradients are divided by it only where they are used: a task whose
        gradients are small. In exact arithmetic it changes nothing.

    Raises
    ------
    ValueError, TypeError
        If a value is none of these.
    """

    network: str = "two blocks"
    backend: str = "framework"
    pooling: str = "max"
    precision: str = "float32"
    learning_rate: float = 0.1
    momentum: float = 0.9
    loss_scale: float | str = 1
    loss_factor: float = 1.0

    def __post_init__(self):
        for name, allowed in CHOICES.items():
            arguments.choice(name, getattr(self, name), allowed)
        for name, highest in HIGHEST.items():
            if (name, getattr(self, name)) != ("loss_scale", DYNAMIC):
                _positive(name, getattr(self, name), highest)
        if not 0 <= arguments.number("momentum", self.momentum) < 1:
            raise ValueError(f"momentum must be at least 0 and less than 1; got momentum={self.momentum!r}.")
        if self.backend != "framework" and self.precision in HALF:
            raise ValueError(
                f"precision must be 'float64' or 'float32' where NumPy computes; got precision={self.precision!r}, "
                f"backend={self.backend!r}."
            )

    @property
    def geometry(self):
        """The network's sizes."""
        return NETWORKS[self.network]


CHOICES = {"network": tuple(NETWORKS), "backend": BACKENDS, "pooling": POOLINGS, "precision": PRECISIONS}
HIGHEST = {"learning_rate": 1e3, "loss_scale": 2.0**40, "loss_factor": 1e3}
FACTORS = tuple(field.name for field in fields(Settings))


def _positive(name, value, highest):
    """A number above 0, up to a limit."""
    if not 0 < arguments.number(name, value) <= highest:
        raise ValueError(f"{name} must be greater than 0 and at most {highest:g}; got {name}={value!r}.")


def settings_of(name, given):
    """The settings of a variant, from a dict of those that are not the default.

    Raises
    ------
    ValueError, TypeError
        If it is no such dict: the message names the variant.
    """
    if type(given) is not dict:
        raise TypeError(f"variants[{name!r}] must be a dict of factors; got {type(given).__name__}.")
    for factor in given:
        if factor not in FACTORS:
            near = difflib.get_close_matches(str(factor), FACTORS, n=1)
            advice = f"Did you mean {near[0]!r}?" if near else f"The factors are {', '.join(FACTORS)}."
            raise ValueError(f"variants[{name!r}] must hold known factors; got {factor!r}. {advice}")
    try:
        return Settings(**given)
    except (TypeError, ValueError) as error:
        raise type(error)(f"variants[{name!r}]: {error}") from None
