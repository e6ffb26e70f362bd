"""What the chapters measure on: photographs and digits that come with scikit-learn, so that nothing is downloaded."""

from typing import NamedTuple

import numpy as np

from course_lib import arguments
from course_lib.numpy_ops import avg_pool

PHOTOGRAPHS = ("flower", "china")
# How much the eye makes of red, green and blue: ITU-R BT.601.
GREY = (0.299, 0.587, 0.114)
# The steps from black to white in a photograph's file.
LEVELS = 255
# How the digits are cut in two, and the value of a pixel that is all ink.
SPLIT_SEED, TRAINED_ON, INK = 0, 1200, 16


def photograph(name="flower", size=None, grey=True):
    """A photograph as numbers from 0 (black) to 1 (white), in 255 steps.

    Parameters
    ----------
    name : "flower" or "china"
        Both are 427 × 640 pixels.
    size : (height, width) or None
        The wanted size. The photograph is cut to this shape around its middle, then each block of k × k pixels becomes
        their mean, with the largest k that fits. None keeps every pixel.
    grey : bool
        Whether to mix red, green and blue into one grey.

    Returns
    -------
    ndarray (H, W), or (H, W, 3) if not ``grey``; float64

    Raises
    ------
    ValueError
        If there is no such photograph, or it is smaller than ``size``.

    Notes
    -----
    The pictures are those of scikit-learn's `load_sample_image`, which is imported here, when it is needed: china by
    danielbuechele and flower by vultilion, both under the licence CC BY 2.0.

    Examples
    --------
    >>> photograph("flower", size=(64, 96)).shape
    (64, 96)
    """
    from sklearn.datasets import load_sample_image

    arguments.choice("name", name, PHOTOGRAPHS)
    arguments.flag("grey", grey)
    image = load_sample_image(f"{name}.jpg") / LEVELS
    if size is not None:
        image = _shrunk(image, arguments.per_axis("size", size, 2, 1))
    # Whole levels, as in a file: sums in another order then give the same picture on every machine.
    return np.round((image @ GREY if grey else image) * LEVELS) / LEVELS


def _shrunk(image, size):
    """The middle of the image, in blocks of one size, each the mean of its pixels."""
    block = min(have // want for have, want in zip(image.shape, size, strict=False))
    if block == 0:
        raise ValueError(f"size must be at most the photograph's {image.shape[:2]}; got size={size!r}.")
    top, left = ((have - block * want) // 2 for have, want in zip(image.shape, size, strict=False))
    middle = image[top : top + block * size[0], left : left + block * size[1]]
    return avg_pool(np.ascontiguousarray(middle[None]), block, channel_axis=-1)[0]


class Digits(NamedTuple):
    """Handwritten digits, cut into two parts that never change.

    Attributes
    ----------
    x_train, x_test : ndarray (N, 1, 8, 8), float64
        From 0 (paper) to 1 (ink): 1,200 images to train on and 597 to test on.
    y_train, y_test : ndarray (N,), int64
        The digit.
    """

    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray


def digits():
    """Handwritten digits, always cut into the same two parts.

    Returns
    -------
    Digits

    Notes
    -----
    scikit-learn's `load_digits`, which is imported here: a part of the data set "Optical Recognition of Handwritten
    Digits" by E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, licence CC BY 4.0.

    Examples
    --------
    >>> data = digits()
    >>> data.x_train.shape, data.x_test.shape
    ((1200, 1, 8, 8), (597, 1, 8, 8))
    """
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    # RandomState, not default_rng: its numbers are promised to stay the same in every version of NumPy.
    order = np.random.RandomState(SPLIT_SEED).permutation(len(images))
    x, y = (images / INK).reshape(-1, 1, 8, 8)[order], labels[order].astype(np.int64)
    return Digits(x[:TRAINED_ON], y[:TRAINED_ON], x[TRAINED_ON:], y[TRAINED_ON:])
