"""What a gradient check found, in one sentence and in numbers."""

from dataclasses import dataclass
from typing import NamedTuple


class Kink(NamedTuple):
    """One element at which the function has a corner.

    Attributes
    ----------
    input, index : int, tuple of int
        Which input, and which element of it.
    low, high : float
        The interval between the one-sided derivatives: every value in it is a subgradient.
    analytic : float
        What the backward pass says.
    accepted : bool
        Whether that lies in the interval, and the elements that tie with this one add up.
    """

    input: int
    index: tuple
    low: float
    high: float
    analytic: float
    accepted: bool


@dataclass(frozen=True)
class GradientReport:
    """What `check_gradient` found.

    Attributes
    ----------
    passed : bool
    reason : str
        One sentence.
    analytic, numeric : tuple of ndarray
        One array an input; NaN where no sample was taken. At a kink ``numeric`` is the middle of the interval.
    absolute_error, relative_error : float
        The largest over all smooth elements.
    worst : tuple (input, index) or None
        The element with the largest relative error, or the first refused kink.
    step : tuple of float
        The step used for each input.
    kinks : tuple of Kink
    """

    passed: bool
    reason: str
    analytic: tuple
    numeric: tuple
    absolute_error: float
    relative_error: float
    worst: tuple | None
    step: tuple
    kinks: tuple

    def __repr__(self):
        verdict = "passed" if self.passed else "FAILED"
        return (
            f"Gradient check {verdict}: {self.reason}\n"
            f"largest error: absolute {self.absolute_error:.1e}, relative {self.relative_error:.1e}; "
            f"step {', '.join(f'{step:.0e}' for step in self.step)}; kinks: {len(self.kinks)}"
        )
