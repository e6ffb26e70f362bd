# %% [markdown]
# # Exercise 11 ★★★ Workshop: max pooling, forward and backward
#
# **Task.** Write max pooling and its backward in NumPy, with a cache of your own between them.
#
# | function | returns | |
# |---|---|---|
# | `max_pool2d` | `y, cache` | `x` has the shape (N, C, H, W), `y` the shape (N, C, H_out, W_out) |
# | `max_pool2d_backward` | `grad_input` | has the shape of `x`; `grad_output` has the shape of `y` |
#
# The rules:
#
# - `kernel_size`, `stride` and `padding` are each an int, or a pair (rows, columns).
# - H_out is (H + 2·p − k) // s + 1 with the numbers for the rows, and W_out the same for the columns. What is left over
#   at the end is not pooled.
# - Padding never wins a window, and gets no gradient.
# - Of equal elements the first in row-major order wins, that is, row by row from the left.
# - An element that wins several windows gets the sum of their upstream gradients.
# - `x` may hold integers. The gradient holds fractions all the same.
# - The backward may be called twice with one cache. Nothing that is handed to your functions changes.
# - ★ A NaN wins its window. Of several the last one wins, which is PyTorch's rule.
#
# The cache is yours: a tuple, a dict, an object, whatever the backward needs.
#
# **Allowed:** NumPy, loops as many as you like; no other library, and not course_lib's own pooling. **Length:** about
# 30 lines for both. **Needed:** [chapter 03](../notebooks/03_what_if_windows_overlap.ipynb);
# [chapter 04](../notebooks/04_what_happens_at_the_border.ipynb) has more about borders and
# [chapter 05](../notebooks/05_who_wins_a_tie.ipynb) about ties. There is no specification to read this time: it would
# be the answer.

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal
from course_lib.experiments import environment


def pair(value):
    """An int or a pair, as a pair."""
    return value if isinstance(value, tuple) else (value, value)


# %% [markdown] name="your-turn" tags=["stub"]
# Write both functions in the place of the last lines. Check as often as you like: each property has its own points, and
# a verdict names the mistake where it knows it. Begin with tiles, then think about overlap, borders and ties. At the
# end try your functions on random numbers in a cell of your own: fix the seed, assert the shapes, and show
# `environment()`, so that others can repeat it.


# %% name="forward" tags=["stub"]
def max_pool2d(x, kernel_size, stride, padding):
    """Return y, the largest element of every window, and a cache for the backward."""
    raise NotImplementedError("Your turn.")


# %% name="backward" tags=["stub"]
def max_pool2d_backward(grad_output, cache):
    """Return the gradient of x, in the shape of x."""
    raise NotImplementedError("Your turn.")


# %% [markdown] name="worked" tags=["solution"]
# The backward must send each number to the element that won, so the forward writes down who won. A row and a column in
# the *padded* input are the handiest form: then no window needs special care at the border. Padding is minus infinity,
# which loses against every element, also against negative ones.

# %% name="solution-forward" tags=["solution"]
from numpy.lib.stride_tricks import sliding_window_view


def winner(window):
    """The flat index of a window's winner: the last NaN, else the first of the largest."""
    nans = np.flatnonzero(np.isnan(window))
    return nans[-1] if nans.size else np.argmax(window)


def max_pool2d(x, kernel_size, stride, padding):
    (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(padding)
    padded = np.pad(x.astype(float), ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=-np.inf)
    windows = sliding_window_view(padded, (kh, kw), axis=(2, 3))[:, :, ::sh, ::sw]
    y, winners = np.zeros(windows.shape[:4]), np.zeros(windows.shape[:4], dtype=int)
    for place in np.ndindex(y.shape):
        winners[place] = winner(windows[place])
        y[place] = windows[place].flat[winners[place]]
    rows = winners // kw + sh * np.arange(y.shape[2])[:, None]
    columns = winners % kw + sw * np.arange(y.shape[3])
    return y, (rows, columns, padded.shape, x.shape, (ph, pw))


# %% [markdown] name="worked-backward" tags=["solution"]
# The backward begins with zeros in the padded shape and adds. `np.add.at` adds once for each place in the list, however
# often it stands there; `gradient[...] += grad_output` would add once for each *different* place and lose the rest.
# At the end the padding is cut off with `[ph : ph + H]`. The tempting `[ph:-ph]` is empty where `ph` is 0.


# %% name="solution-backward" tags=["solution"]
def max_pool2d_backward(grad_output, cache):
    rows, columns, padded_shape, (samples, channels, height, width), (ph, pw) = cache
    gradient = np.zeros(padded_shape)
    sample, channel = np.ogrid[:samples, :channels]
    np.add.at(gradient, (sample[..., None, None], channel[..., None, None], rows, columns), grad_output)
    return gradient[:, :, ph : ph + height, pw : pw + width]


# %% [markdown] name="by-hand" tags=["solution"]
# A check by hand: the 9 below wins both windows, so it gets 4 + 7.

# %% name="solution-example" tags=["solution"]
example = np.array([[3.0, 9, 1], [2, 4, 5]])[None, None]
y, cache = max_pool2d(example, kernel_size=2, stride=1, padding=0)
gradient = max_pool2d_backward(np.array([[[[4.0, 7]]]]), cache)
assert gradient.shape == example.shape
gradient

# %% [markdown] name="trial" tags=["solution"]
# And a trial that others can repeat: a fixed seed, asserted shapes, and where it ran. Each window hands on just what it
# was sent, so the two sums agree.

# %% name="solution-trial" tags=["solution", "nbval-ignore-output"]
rng = np.random.default_rng(11)
x = rng.normal(size=(2, 3, 7, 6))
y, cache = max_pool2d(x, kernel_size=3, stride=2, padding=1)
grad_output = rng.normal(size=y.shape)
gradient = max_pool2d_backward(grad_output, cache)
assert y.shape == (2, 3, 4, 3) and gradient.shape == x.shape
np.testing.assert_allclose(gradient.sum(), grad_output.sum())
environment()

# %% name="check"
check(11, max_pool2d=max_pool2d, max_pool2d_backward=max_pool2d_backward)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(11)` leads to the solution.

# %% name="hint"
hint(11, 0)
