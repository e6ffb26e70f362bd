"""The small networks that are compared: their sizes, and the parameters that every variant begins with."""

from dataclasses import dataclass

import numpy as np

CLASSES = 10
KERNEL = 3
POOL = 2
SIZE = 8


@dataclass(frozen=True)
class Network:
    """Blocks of convolution, ReLU and pooling, then one linear layer.

    Attributes
    ----------
    channels : tuple of int
        Output channels of each block's 3 × 3 convolution; each pooling takes 2 × 2 tiles.
    padding : int
        Of each convolution.
    """

    channels: tuple
    padding: int

    def blocks(self):
        """Number, input channels, output channels, and the size before and after the pooling, of each block."""
        size, before = SIZE, 1
        for number, after in enumerate(self.channels, 1):
            wide = size + 2 * self.padding - KERNEL + 1
            yield number, before, after, wide, wide // POOL
            size, before = wide // POOL, after

    @property
    def features(self):
        """Inputs of the linear layer."""
        *_, last = self.blocks()
        return last[2] * last[4] ** 2

    def parameter_shapes(self):
        """The shape of every parameter by its name."""
        shapes = {}
        for number, before, after, _, _ in self.blocks():
            shapes[f"conv{number}.weight"] = (after, before, KERNEL, KERNEL)
            shapes[f"conv{number}.bias"] = (after,)
        return {**shapes, "linear.weight": (CLASSES, self.features), "linear.bias": (CLASSES,)}

    def value_shapes(self, batch_size):
        """The shape of the input and of what each layer gives, by name."""
        shapes = {"x": (batch_size, 1, SIZE, SIZE)}
        for number, _, after, wide, small in self.blocks():
            shapes[f"conv{number}"] = (batch_size, after, wide, wide)
            shapes[f"pool{number}"] = (batch_size, after, small, small)
        return {**shapes, "logits": (batch_size, CLASSES)}


NETWORKS = {"one block": Network((6,), 0), "two blocks": Network((8, 16), 1)}


def initial_parameters(network, seed):
    """The parameters before the first step, in float64: the same for every variant with one seed.

    Parameters
    ----------
    network : Network
    seed : int

    Returns
    -------
    dict of str to ndarray
        Weights are normal with variance 2 / inputs, as suits ReLU; biases are 0.
    """
    rng = np.random.default_rng([seed, 0])
    shapes = network.parameter_shapes()
    return {
        name: np.zeros(shape) if name.endswith("bias") else rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape)
        for name, shape in shapes.items()
    }
