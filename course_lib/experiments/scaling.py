"""Loss scaling: small gradients are lifted out of the range where half precision has nothing, and put back."""

from dataclasses import dataclass

import numpy as np

from course_lib.experiments.settings import DYNAMIC

START = 2.0**16
PATIENCE = 200


@dataclass
class Scale:
    """What the loss is multiplied by.

    Attributes
    ----------
    value : float
    dynamic : bool
        Whether it is halved when a gradient is not finite, and doubled after 200 finite steps.
    finite_steps, skipped : int
        Finite steps since the last change, and steps with a gradient that is not finite.
    """

    value: float
    dynamic: bool
    finite_steps: int = 0
    skipped: int = 0

    @classmethod
    def of(cls, settings):
        """The scale before the first step."""
        dynamic = settings.loss_scale == DYNAMIC
        return cls(START if dynamic else float(settings.loss_scale), dynamic)

    def note(self, finite):
        """Counts a step, and changes the scale if it is time to."""
        self.finite_steps = self.finite_steps + 1 if finite else 0
        self.skipped += not finite
        if self.dynamic and not finite:
            self.value /= 2
        elif self.dynamic and self.finite_steps == PATIENCE:
            self.value, self.finite_steps = self.value * 2, 0


def unscale(gradients, factor):
    """The gradients over a factor, at least in float32, and whether all are finite."""
    wide = [gradient.astype(np.promote_types(gradient.dtype, np.float32)) for gradient in gradients]
    return [gradient / factor for gradient in wide], all(np.isfinite(gradient).all() for gradient in wide)
