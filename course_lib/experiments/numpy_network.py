"""The network in NumPy, both passes written out: convolution, ReLU and pooling in blocks, then a linear layer."""

import numpy as np

from course_lib.experiments import numpy_layers as layer
from course_lib.experiments.gradients import Gradients


class NumpyNetwork:
    """Computes a variant whose backend is NumPy. It keeps no parameters: they are given to every call.

    Parameters
    ----------
    settings : Settings
    functions : dict
        The learner's ``conv2d`` and ``conv2d_backward``, for the backend "yours".
    """

    def __init__(self, settings, functions):
        self.geometry = settings.geometry
        self.numbers = range(1, len(self.geometry.channels) + 1)
        self.layers = layer.layers(settings.backend, settings.pooling, functions)

    def values(self, parameters, x):
        """What each layer gives, by name."""
        return self._forward(parameters, x)[0]

    def classes(self, parameters, x):
        """The digit that each image is taken for."""
        return self.values(parameters, x)["logits"].argmax(axis=1)

    def gradients(self, parameters, x, y, factor=1.0, pools=False):
        """The gradients of the mean cross-entropy times a factor; those around the poolings too, if asked for."""
        values, saved = self._forward(parameters, x)
        gradient, found = self._linear_backward(parameters, values, y, factor)
        kept = []
        for number in reversed(self.numbers):
            after = gradient.reshape(values[f"pool{number}"].shape)
            before = self.layers.pool_backward(after, saved[number])
            kept += [(before, after)] if pools else []
            gradient, own = self._conv_backward(parameters, values, number, before)
            found.update(own)
        return Gradients({name: found[name] for name in parameters}, tuple(reversed(kept)))

    def _forward(self, parameters, x):
        """What each layer gives, and what each pooling saved."""
        values, saved = {"x": x}, {}
        for number in self.numbers:
            weight, bias = _pair(parameters, f"conv{number}")
            z = np.asarray(self.layers.conv2d(layer.padded(x, self.geometry.padding), weight, bias))
            x, saved[number] = self.layers.pool(layer.relu(z))
            values.update({f"conv{number}": z, f"pool{number}": x})
        values["logits"] = layer.linear(x.reshape(len(x), -1), *_pair(parameters, "linear"))
        return values, saved

    def _linear_backward(self, parameters, values, y, factor):
        """The gradient of the last pooling's output, and those of the linear layer's parameters."""
        gradient = layer.cross_entropy_backward(values["logits"], y) * factor
        x = values[f"pool{self.numbers[-1]}"].reshape(len(y), -1)
        gradient, weight, bias = layer.linear_backward(gradient, x, parameters["linear.weight"])
        return gradient, {"linear.weight": weight, "linear.bias": bias}

    def _conv_backward(self, parameters, values, number, gradient):
        """The gradient of a block's input, and those of its parameters."""
        name, padding = f"conv{number}", self.geometry.padding
        x = layer.padded(values[f"pool{number - 1}" if number > 1 else "x"], padding)
        gradient = layer.relu_backward(gradient, values[name])
        gradient, weight, bias = self.layers.conv2d_backward(gradient, x, parameters[f"{name}.weight"])
        return layer.cropped(gradient, padding), {f"{name}.weight": weight, f"{name}.bias": bias}


def _pair(parameters, name):
    """The weight and the bias of a layer."""
    return parameters[f"{name}.weight"], parameters[f"{name}.bias"]
