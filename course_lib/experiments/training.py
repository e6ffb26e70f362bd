"""Training: the same batches and the same update for every variant."""

import numpy as np

from course_lib.experiments.networks import initial_parameters
from course_lib.experiments.numpy_network import NumpyNetwork
from course_lib.experiments.scaling import Scale, unscale
from course_lib.experiments.torch_network import TorchNetwork


class Training:
    """One variant with one seed, on its way.

    Parameters
    ----------
    settings : Settings
    seed : int
    functions : dict
        The learner's functions for the backend "yours".
    """

    def __init__(self, settings, seed, functions):
        self.settings, self.scale = settings, Scale.of(settings)
        framework = settings.backend == "framework"
        self.network = TorchNetwork(settings) if framework else NumpyNetwork(settings, functions)
        self.dtype = np.dtype("float64" if settings.precision == "float64" else "float32")
        initial = initial_parameters(settings.geometry, seed)
        self.parameters = {name: array.astype(self.dtype) for name, array in initial.items()}
        self.velocity = {name: np.zeros_like(array) for name, array in self.parameters.items()}

    @property
    def factor(self):
        """What the loss is multiplied by."""
        return self.scale.value * self.settings.loss_factor

    def gradients(self, x, y, pools=False):
        """The gradients as the backward gives them: of the loss times the factor."""
        return self.network.gradients(self.parameters, x.astype(self.dtype), y, self.factor, pools)

    def unscaled(self, x, y):
        """The parameters' gradients by name, without the factor, and whether all are finite."""
        found = self.gradients(x, y).parameters
        arrays, finite = unscale(found.values(), self.factor)
        return dict(zip(found, arrays, strict=True)), finite

    def step(self, x, y):
        """One step of gradient descent with momentum; none where a gradient is not finite."""
        gradients, finite = self.unscaled(x, y)
        self.scale.note(finite)
        if not finite:
            return
        for name, array in self.parameters.items():
            self.velocity[name] *= self.settings.momentum
            self.velocity[name] += gradients[name]
            array -= self.settings.learning_rate * self.velocity[name]

    def classes(self, x):
        """The digit that each image is taken for."""
        return self.network.classes(self.parameters, x.astype(self.dtype))


def batches(seed, steps, batch_size, samples):
    """The samples of each step: every one once before any comes again, in an order that only the seed decides."""
    rng = np.random.default_rng([seed, 1])
    order = np.zeros(0, int)
    for _ in range(steps):
        if len(order) < batch_size:
            order = np.concatenate([order, rng.permutation(samples)])
        yield order[:batch_size]
        order = order[batch_size:]
