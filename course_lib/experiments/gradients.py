"""What one backward pass gives."""

from typing import NamedTuple


class Gradients(NamedTuple):
    """The gradients of a batch.

    Attributes
    ----------
    parameters : dict of str to ndarray
        In the order of the network.
    around_pools : tuple of (ndarray, ndarray)
        Of each block, if they were asked for: the gradient before the pooling, and after it.
    """

    parameters: dict
    around_pools: tuple = ()
