"""Functions as learners write them, right and wrong."""

import numpy as np


def max_pool2d(x, kernel_size, stride, padding, fill=-np.inf):
    """A right forward; its cache is whatever the learner likes."""
    (kh, kw), (sh, sw) = (value if isinstance(value, tuple) else (value, value) for value in (kernel_size, stride))
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=fill)
    rows, columns = (padded.shape[2] - kh) // sh + 1, (padded.shape[3] - kw) // sw + 1
    y = np.zeros((*x.shape[:2], rows, columns))
    chosen = {}
    for n, c, r, s in np.ndindex(y.shape):
        window = padded[n, c, r * sh : r * sh + kh, s * sw : s * sw + kw]
        y[n, c, r, s] = window.max()
        i, j = np.unravel_index(np.argmax(window), window.shape)
        chosen[n, c, r, s] = (n, c, int(r * sh + i), int(s * sw + j))
    return y, {"chosen": chosen, "padded": padded.shape, "padding": padding, "shape": x.shape}


def max_pool2d_backward(grad_output, cache, add=True):
    """A right backward; ``add=False`` overwrites."""
    gradient, p = np.zeros(cache["padded"]), cache["padding"]
    for output, place in cache["chosen"].items():
        gradient[place] = grad_output[output] + (gradient[place] if add else 0)
    return gradient[:, :, p : p + cache["shape"][2], p : p + cache["shape"][3]]


def zero_padded(x, kernel_size, stride, padding):
    """Pads with zeros."""
    return max_pool2d(x, kernel_size, stride, padding, fill=0.0)


def overwriting(grad_output, cache):
    """The last window wins."""
    return max_pool2d_backward(grad_output, cache, add=False)
