# %% [markdown]
# # Exercise 12 ★★ Workshop: average pooling, forward and backward
#
# **Task.** Write average pooling and its backward in NumPy, with and without counting the padding.
#
# | function | returns | |
# |---|---|---|
# | `avg_pool2d` | `y, cache` | `x` has the shape (N, C, H, W), `y` the shape (N, C, H_out, W_out) |
# | `avg_pool2d_backward` | `grad_input` | has the shape of `x`; `grad_output` has the shape of `y` |
#
# The rules:
#
# - `kernel_size`, `stride` and `padding` are each an int, or a pair (rows, columns). Padding is zeros.
# - H_out is (H + 2·p − k) // s + 1 with the numbers for the rows, and W_out the same for the columns.
# - `count_include_pad=True`: the sum of a window is divided by its number of elements, padding included.
#   `count_include_pad=False`: it is divided by the number of real elements alone.
# - Padding gets no gradient, whatever it counts.
# - `x` may hold integers. The backward may be called twice with one cache. Nothing that is handed to your functions
#   changes.
# - ★ With a sixth parameter `ceil_mode=False`: if it is True, one more window stands at the end of an axis where
#   elements are left over. It overhangs the padded input. It is left out where it would start behind the input, in the
#   padding there or beyond. What lies beyond the padding is zero and never counts.
#
# The cache is yours: a tuple, a dict, an object, whatever the backward needs.
#
# **Allowed:** NumPy, loops as many as you like; no other library, and not course_lib's own pooling. **Length:** about
# 25 lines for both. **Needed:** [chapter 04](../notebooks/04_what_happens_at_the_border.ipynb). There is no
# specification to read this time: it would be the answer.

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal
from course_lib.experiments import environment


def pair(value):
    """An int or a pair, as a pair."""
    return value if isinstance(value, tuple) else (value, value)


# %% [markdown] name="your-turn" tags=["stub"]
# Write both functions in the place of the last lines. The star is not started as long as `avg_pool2d` has no parameter
# `ceil_mode`; the exercise passes without it. At the end try your functions on random numbers in a cell of your own:
# fix the seed, assert the shapes, and show `environment()`, so that others can repeat it.


# %% name="forward" tags=["stub"]
def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True):
    """Return y, the mean of every window, and a cache for the backward."""
    raise NotImplementedError("Your turn.")


# %% name="backward" tags=["stub"]
def avg_pool2d_backward(grad_output, cache):
    """Return the gradient of x, in the shape of x."""
    raise NotImplementedError("Your turn.")


# %% [markdown] name="worked" tags=["solution"]
# All the rules about padding are rules about one number for each window: its divisor. So we compute it once and hand it
# to the backward, and the two cannot disagree. A plane of ones, padded as the rules say, is enough. The sum of a window
# of this plane is the number of elements that count.

# %% name="solution-sizes" tags=["solution"]
from numpy.lib.stride_tricks import sliding_window_view


def window_number(size, k, s, p, ceil_mode):
    """How many windows an axis has."""
    room = size + 2 * p - k
    whole = room // s + 1
    return whole + 1 if ceil_mode and room % s and whole * s < size + p else whole


def windows_of(plane, kernel, stride, numbers):
    """The windows along the last two axes: as many as wanted, a step of the stride apart."""
    every = sliding_window_view(plane, kernel, axis=(-2, -1))
    return every[..., :: stride[0], :: stride[1], :, :][..., : numbers[0], : numbers[1], :, :]


# %% [markdown] name="worked-forward" tags=["solution"]
# One whole kernel of zeros is added behind, so that a window that overhangs finds something to read. In the plane of
# ones it is zero too, whatever `count_include_pad` says: what lies beyond the padding never counts.


# %% name="solution-forward" tags=["solution"]
def avg_pool2d(x, kernel_size, stride, padding, count_include_pad=True, ceil_mode=False):
    kernel, stride, (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
    sizes = zip(x.shape[2:], kernel, stride, (ph, pw), strict=True)
    numbers = [window_number(*axis, ceil_mode) for axis in sizes]
    border, behind = ((ph, ph), (pw, pw)), ((0, kernel[0]), (0, kernel[1]))
    counted = np.pad(np.ones(x.shape[2:]), border, constant_values=count_include_pad)
    divisor = windows_of(np.pad(counted, behind), kernel, stride, numbers).sum(axis=(-2, -1))
    padded = np.pad(np.pad(x, ((0, 0), (0, 0), *border)), ((0, 0), (0, 0), *behind))
    y = windows_of(padded, kernel, stride, numbers).sum(axis=(-2, -1)) / divisor
    return y, (divisor, padded.shape, x.shape, kernel, stride, (ph, pw))


# %% [markdown] name="worked-backward" tags=["solution"]
# The mean follows each element of its window at 1 over the divisor. So every element of the window gets the same share,
# and an element in several windows gets the sum of its shares. Sum first, cut the padding off at the end.


# %% name="solution-backward" tags=["solution"]
def avg_pool2d_backward(grad_output, cache):
    divisor, padded_shape, (_, _, height, width), (kh, kw), (sh, sw), (ph, pw) = cache
    gradient, share = np.zeros(padded_shape), grad_output / divisor
    for i, j in np.ndindex(divisor.shape):
        gradient[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += share[:, :, i, j, None, None]
    return gradient[:, :, ph : ph + height, pw : pw + width]


# %% [markdown] name="by-hand" tags=["solution"]
# A check by hand: windows of two along five elements, one padded on each side. The first window holds padding and one
# element, so that the element gets a half of 6 where padding counts, and all of it where it does not.

# %% name="solution-example" tags=["solution"]
example = np.array([[1.0, 2, 3, 4, 5]])[None, None]
for counts in (True, False):
    y, cache = avg_pool2d(example, kernel_size=(1, 2), stride=(1, 2), padding=(0, 1), count_include_pad=counts)
    gradient = avg_pool2d_backward(np.array([[[[6.0, 2, 4]]]]), cache)
    assert gradient.shape == example.shape
    print(gradient)

# %% [markdown] name="trial" tags=["solution"]
# And a trial that others can repeat: a fixed seed, asserted shapes, and where it ran. Where padding does not count,
# each window hands on just what it was sent, so the two sums agree.

# %% name="solution-trial" tags=["solution", "nbval-ignore-output"]
rng = np.random.default_rng(12)
x = rng.normal(size=(2, 3, 7, 6))
y, cache = avg_pool2d(x, kernel_size=3, stride=2, padding=1, count_include_pad=False)
grad_output = rng.normal(size=y.shape)
gradient = avg_pool2d_backward(grad_output, cache)
assert y.shape == (2, 3, 4, 3) and gradient.shape == x.shape
np.testing.assert_allclose(gradient.sum(), grad_output.sum())
environment()

# %% name="check"
check(12, avg_pool2d=avg_pool2d, avg_pool2d_backward=avg_pool2d_backward)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(12)` leads to the solution.

# %% name="hint"
hint(12, 0)
