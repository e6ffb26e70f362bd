"""A network with one pool, trained with any backward for it: what a wrong gradient does to training."""

import numpy as np

from course_lib.experiments.data import digits
from course_lib.numpy_ops import conv, conv_backward, max_pool

CHANNELS, KERNEL, POOL, STRIDE = 6, 3, 2, 1
STEPS, BATCH, RATE, CLASSES = 300, 64, 0.3, 10


def train_one_pool(pool_backward, seed):
    """Trains on handwritten digits: convolution, ReLU, overlapping max pooling of 2 × 2 with stride 1, linear layer.

    Parameters
    ----------
    pool_backward : callable
        From grad_output, indices and the input's shape to the gradient of the input, as
        `course_lib.max_pool_backward`.
    seed : int
        Of the first parameters and of the batches.

    Returns
    -------
    float
        The share of the test digits that are read right after 300 steps of plain gradient descent.
    """
    data, rng = digits(), np.random.default_rng(seed)
    weight, matrix = rng.normal(0, 0.4, (CHANNELS, 1, KERNEL, KERNEL)), None
    for _ in range(STEPS):
        batch = rng.integers(len(data.x_train), size=BATCH)
        x, labels = data.x_train[batch], data.y_train[batch]
        z, y, indices = _features(weight, x)
        matrix = rng.normal(0, 0.1, (y[0].size, CLASSES)) if matrix is None else matrix
        grad_score = _grad_score(y.reshape(BATCH, -1) @ matrix, labels)
        grad_z = pool_backward((grad_score @ matrix.T).reshape(y.shape), indices, z.shape) * (z > 0)
        matrix -= RATE * y.reshape(BATCH, -1).T @ grad_score
        weight -= RATE * conv_backward(grad_z, x, weight)[1]
    y = _features(weight, data.x_test)[1]
    return float(np.mean((y.reshape(len(y), -1) @ matrix).argmax(axis=1) == data.y_test))


def _features(weight, x):
    """What the convolution gives, and what the pool makes of its positive part."""
    z = conv(x, weight)
    return z, *max_pool(np.maximum(z, 0), POOL, STRIDE, return_indices=True)


def _grad_score(score, labels):
    """The gradient of the mean cross-entropy: the share given to each class, minus 1 at the right one."""
    share = np.exp(score - score.max(axis=1, keepdims=True))
    return (share / share.sum(axis=1, keepdims=True) - np.eye(CLASSES)[labels]) / len(labels)
