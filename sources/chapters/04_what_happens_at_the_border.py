# %% [markdown]
# # 04 · What happens at the border?
#
# In the middle of an image pooling is simple. At the border a window may stick out, and something must be said about
# what lies there. Most pooling bugs, and most differences between libraries, live in these few elements.
#
# **You should know** how overlapping windows add their gradients, from [chapter 03](03_what_if_windows_overlap.ipynb).
#
# **You will be able to**
# 1. say what padding does in max and in average pooling, forward and backward;
# 2. find the divisor of any window, also of one that sticks out beyond the padding;
# 3. turn a place inside a window into an index of the input, and port a pooling from one library to another.
#
# **Time:** about 40 minutes.
#
# ## A bet first
#
# **Padding** is a rim around the input, so that windows can also stand at the border. Below is an input of 4 × 4 with
# `padding=1`, `kernel_size=3` and `stride=2`. The first window begins in row −1 and column −1. It has nine taps, of
# which four lie on the input and five on the rim. All numbers of `x` are negative, and the rim holds zeros.

# %% name="bet"
from functools import partial

import numpy as np

from course_lib import avg_pool, avg_pool_backward, figures, max_pool, max_pool_backward

x = np.array([[-3.0, -7, -9, -2], [-9, -8, -6, -5], [-4, -7, -8, -1], [-9, -5, -6, -9]])[None, None]
grad_output = np.array([[4.0, -2], [6, 3]])[None, None]
windows = [(-1, -1, 3, 3), (-1, 1, 3, 3), (1, -1, 3, 3), (1, 1, 3, 3)]
rim = ((0, 0), (0, 0), (1, 1), (1, 1))
with_zeros = np.pad(x, rim)
figures.padded(with_zeros, 1, "x, padded with 0", windows=windows)

# %% name="predict-zero"
from course_lib.widgets import predict

predict("04-zero", "What should the maximum of the first window be, at the upper left?", choices=["0", "−3", "−9"],
        answer="−3", why="A maximum over the image should be a number of the image, and 0 is not one.")  # fmt: skip

# %% [markdown]
# ## Max: padding must never win
#
# Pad with zeros, pool the larger grid, send the gradient back, cut the rim off: this is how padding is often written.

# %% name="zero-padding"
y_zeros, indices = max_pool(with_zeros, 3, 2, return_indices=True)
wrong = max_pool_backward(grad_output, indices, with_zeros.shape)
right_y, right_indices = max_pool(x, 3, 2, padding=1, return_indices=True)
right = max_pool_backward(grad_output, right_indices, x.shape)
print("with zeros:", y_zeros.ravel(), " right:", right_y.ravel())
figures.side_by_side(figures.padded(wrong, 1, "with zeros", scale="gradients"), figures.gradient(right, "right"))

# %% [markdown]
# Zero beats every negative number. Three outputs are zeros that are nowhere in the image. And three upstream gradients
# go to the rim, where they are cut off and lost. Behind a ReLU nothing is negative, so there the bug sleeps.
#
# The remedy is a number that loses against all: minus infinity. It is what zero is for a sum, the number that changes
# nothing. A rim of −∞ never wins, so it never gets a gradient, and cutting it off loses nothing.


# %% name="minus-infinity"
def nudged(pool, step=0.001):
    measured = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        nudge = np.zeros_like(x)
        nudge[place] = step
        measured[place] = (grad_output * (pool(x + nudge) - pool(x - nudge))).sum() / (2 * step)
    return measured


low = np.pad(x, rim, constant_values=-np.inf)
y, indices = max_pool(low, 3, 2, return_indices=True)
cropped = max_pool_backward(grad_output, indices, low.shape)[:, :, 1:-1, 1:-1]
np.testing.assert_array_equal(cropped, right)
np.testing.assert_allclose(nudged(partial(max_pool, kernel_size=3, stride=2, padding=1)), right, atol=1e-9)

# %% [markdown]
# The nudges agree: chapter 02's test, applied to all sixteen elements. (`1:-1` is right for a rim of 1. For a rim of 0
# the same slice, `0:-0`, is empty. Write `p : p + H`.)
#
# ## From a place in the window to an index
#
# The library has no rim. It looks only at the taps that lie on the input, and it saves the winner's index in the input
# *without* padding. Two steps along each axis lead to a position, and the third makes one number of both:
#
# $$\text{start} = s \cdot \text{window} - p, \qquad \text{position} = \text{start} + \text{offset}$$
#
# $$\text{index} = \text{position}_\text{row} \cdot W + \text{position}_\text{column}$$
#
# $s$ is the stride, *window* the number of the window along the axis, $p$ the padding, the offset counts taps from the
# window's own corner, and $W$ is the width of the input, not of the rim. A favourite bug forgets the $-p$.

# %% name="predict-shift"
predict("04-shift", "The −3 at row 0, column 0 wins the first window. Where does its gradient go without the − p?",
        grid=x[0, 0], answer=(1, 1), why="Its offset in the window is (1, 1), and start would be 0 and 0.")  # fmt: skip


# %% name="places"
def winner_places(padded, p):
    positions = []
    for row, column in np.ndindex(2, 2):
        window = padded[2 * row : 2 * row + 3, 2 * column : 2 * column + 3]
        down, across = np.unravel_index(window.argmax(), window.shape)
        positions.append((int(2 * row - p + down), int(2 * column - p + across)))
    return positions


right_places, shifted = winner_places(low[0, 0], 1), winner_places(low[0, 0], 0)
assert [row * 4 + column for row, column in right_places] == right_indices.ravel().tolist()
for place, moved in zip(right_places, shifted, strict=True):
    print(f"{place} has index {place[0] * 4 + place[1]}; without − p {moved}, index {moved[0] * 4 + moved[1]}")

# %% [markdown]
# Without $-p$ everything moves down and to the right by one padding. The first winner becomes (1, 1). The second
# becomes column 4 of a grid that ends with column 3: its index, 8, is the first element of row 2. The last has the
# index 16, and the plane ends with 15. In NumPy that raises an error. In a language that does not look, it writes into
# foreign memory. The forward shows nothing of all this, and with `padding=0` the bug is not there.
#
# Some conclude that offsets inside a window are not to be trusted, above all with even windows. But start and offset
# are whole numbers; nothing is rounded. **Predict** how often start plus offset misses, over many geometries.

# %% name="offsets"
rng = np.random.default_rng(4)
missed = compared = 0
for k, s, p in [(2, 2, 1), (2, 3, 0), (3, 2, 1), (4, 1, 2), (4, 3, 1), (5, 2, 2)]:
    row = rng.permutation(40).astype(float)[None, None]
    indices = max_pool(row, k, s, p, return_indices=True)[1].ravel()
    padded = np.pad(row.ravel(), p, constant_values=-np.inf)
    offsets = [int(padded[s * q : s * q + k].argmax()) for q in range(len(indices))]
    missed += sum(s * q - p + offset != index for q, (offset, index) in enumerate(zip(offsets, indices, strict=True)))
    compared += len(indices)
print(f"{missed} of {compared} windows missed")

# %% [markdown]
# Never. An offset fits into one byte as long as the window has at most 256 taps; an index takes eight. That is why some
# libraries save offsets. [Chapter 09](09_can_it_be_fast_and_on_a_gpu.ipynb) measures what it spares.
#
# ## Average: who counts?
#
# In an average the rim holds zeros, and a zero changes no sum. But an average also divides. Does the rim count? PyTorch
# says yes, unless one sets `count_include_pad=False`. TensorFlow says no. The question alone makes the same network
# give other numbers.

# %% name="predict-corner"
predict("04-corner", "x is all ones. What is the average of the first window, with four real taps, if padding counts?",
        number="", answer="4/9", tolerance=0.001, why="The sum is 4, and nine taps count.")  # fmt: skip

# %% name="who-counts"
ones = np.ones_like(x)
counting, not_counting = (avg_pool(ones, 3, 2, 1, count_include_pad=counts) for counts in (True, False))
assert np.isclose(counting[0, 0, 0, 0], 4 / 9) and (not_counting == 1).all()
assert avg_pool(ones, 3, 2, 1, divisor_override=1).ravel().tolist() == [4, 6, 6, 9]
figures.side_by_side(figures.grid(counting, "padding counts"), figures.grid(not_counting, "it does not count"))

# %% [markdown]
# An image of ones gets a dark edge where padding counts. Where it does not, ones stay ones. Neither is wrong, but each
# is a decision, and the backward must know it. Write $D$ for the divisor of a window:
#
# $$y = \frac{1}{D} \sum_{\text{real taps}} x \qquad\Longrightarrow\qquad
# \text{each real tap gets}\ \ \frac{\texttt{grad\_output}}{D}.$$
#
# $D$ is 9 for all four windows if padding counts. If not, it is the number of real taps: 4, 6, 6 and 9.


# %% name="average-backward"
def avg_backward_loops(grad_output, size, counts):
    grad_input = np.zeros((size, size))
    for row, column in np.ndindex(grad_output.shape):
        top, left = 2 * row - 1, 2 * column - 1
        rows, columns = slice(max(top, 0), min(top + 3, size)), slice(max(left, 0), min(left + 3, size))
        divisor = 9 if counts else grad_input[rows, columns].size
        grad_input[rows, columns] += grad_output[row, column] / divisor
    return grad_input


for counts in (True, False):
    by_loops = avg_backward_loops(grad_output[0, 0], 4, counts)
    by_library = avg_pool_backward(grad_output, x.shape, 3, 2, 1, count_include_pad=counts)
    np.testing.assert_allclose(by_loops, by_library[0, 0])
    by_nudges = nudged(partial(avg_pool, kernel_size=3, stride=2, padding=1, count_include_pad=counts))
    np.testing.assert_allclose(by_nudges, by_library, atol=1e-9)
    print(f"padding counts: {counts}, sum {by_loops.sum():.4g} of {grad_output.sum():g}")

# %% [markdown]
# If padding does not count, each window gives away exactly what it was handed, as in chapter 03. If it counts, a part
# is missing. Where is it? Pool the larger grid of zeros and keep the rim this time:

# %% name="lost"
whole = avg_pool_backward(9 * np.ones_like(grad_output), with_zeros.shape, 3, 2)
inside = whole[:, :, 1:-1, 1:-1]
print(f"handed out {whole.sum():g}: to the input {inside.sum():g}, to the rim {whole.sum() - inside.sum():g}")
figures.padded(whole, 1, "all upstream gradients 9", scale="gradients")

# %% [markdown]
# Every window hands out nine ones. Those that fall on the rim are cut off. It is often written that padding gets no
# gradient *because it takes part in no output*. For the maximum this is so. For an average that counts it, padding does
# take part, through the divisor, and its share is thrown away.
#
# The answer in one sentence:
#
# > **Only real taps compete and only real taps are paid; all that padding can change is the number by which an average
# > divides.**
#
# ## Wrong: two divisors
#
# Forward and backward are often written on different days. **Predict:** the forward leaves padding out, the backward
# divides by $k \cdot k$. Which elements get a wrong gradient?

# %% name="two-divisors"
truth = nudged(partial(avg_pool, kernel_size=3, stride=2, padding=1, count_include_pad=False))
claimed = avg_pool_backward(grad_output, x.shape, 3, 2, 1, count_include_pad=True)
wrong = ~np.isclose(claimed, truth)
assert np.argwhere(~wrong[0, 0]).tolist() == [[2, 2], [2, 3], [3, 2], [3, 3]]
print(f"{np.count_nonzero(wrong)} of {x.size} elements are wrong")
figures.side_by_side(figures.gradient(claimed, "claimed"), figures.gradient(truth.round(9), "measured"))

# %% [markdown]
# Wrong is every element that a window at the border reaches: what that window sends comes too small. Right are the four
# at the lower right, which only the full window reaches. Without padding the two divisors are the same, so a test
# without padding passes.
#
# ## Beyond the padding: ceil_mode
#
# A row of six elements, `kernel_size=3`, `stride=2`, `padding=1`. Three windows fit, and one place of padding is left
# over at the end. With `ceil_mode=True` a fourth window is added. It has one real tap, one on the padding, and one
# beyond the padding, on nothing at all.

# %% name="predict-ceil"
predict("04-ceil", "Padding counts. By what is the sum of this fourth window divided?", choices=["1", "2", "3"],
        answer="2", why="The real tap and the padding count. What lies beyond the padding never does.")  # fmt: skip

# %% name="ceil"
row = np.arange(1.0, 7)[None, None]
geometry_of_row = {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}
sums = avg_pool(row, **geometry_of_row, divisor_override=1)
for counts in (True, False):
    print("padding counts:", counts, " divisors", sums / avg_pool(row, **geometry_of_row, count_include_pad=counts))
starts = [(0, start, 1, 3) for start in (-1, 1, 3, 5)]
figures.padded(np.pad(row[0, 0], 1), 1, "x, padded; the last window reaches beyond", overhang=1, windows=starts)

# %% [markdown]
# So there are three answers for one window: 3 taps, 2 that count with the padding, 1 that is real. PyTorch and ONNX
# divide by 2 or by 1, as `count_include_pad` says, and never by 3. `divisor_override` puts any number in the place of
# all of them; with 1 the pool is a sum, as in the cell above. The backward divides by the same number, whichever it is.
#
# How many windows are there? With $n$ elements in an axis:
#
# $$o = \left\lfloor \frac{n + 2p - k}{s} \right\rfloor + 1, \qquad
# \text{in ceil mode: rounded up, less one if } (o - 1)\,s \ge n + p.$$
#
# The condition drops a last window that would start behind the input, in the padding or beyond: it would have no real
# tap. An example is $n=5, k=2, s=3, p=1$.


# %% name="ceil-rule"
def output_size(n, k, s, p, ceil_mode):
    if not ceil_mode:
        return (n + 2 * p - k) // s + 1
    o = -(-(n + 2 * p - k) // s) + 1
    return o - 1 if (o - 1) * s >= n + p else o


for setting in [(6, 3, 2, 1), (5, 2, 3, 1), (5, 2, 2, 0), (7, 3, 2, 0)]:
    n, *rest = setting
    sizes = [output_size(*setting, ceil_mode) for ceil_mode in (False, True)]
    assert sizes == [max_pool(np.zeros((1, 1, n)), *rest, ceil_mode=ceil_mode).size for ceil_mode in (False, True)]
    print(f"n = {n}, k = {rest[0]}, s = {rest[1]}, p = {rest[2]}: {sizes[0]} windows, in ceil mode {sizes[1]}")

# %% [markdown]
# In the second line ceil mode changes nothing: a third window would start in the padding, and is dropped.
#
# Here is the border of our 4 × 4 input to play with. A small cross marks where an index points if $-p$ is forgotten.
# Average: switch on ceil mode, and find a window whose divisor is neither 9 nor the number of its real taps. Maximum:
# let the padding count as 0.

# %% name="widget"
from course_lib.widgets import BorderExplorer

BorderExplorer(x[0, 0])

# %% [markdown]
# ## Windows with nothing in them
#
# Dilation $d$ spreads a window over $d(k-1)+1$ elements; put this for $k$ in the formula. It also makes a strange
# window possible: one whose taps all miss the input. One element, $k=2$, $d=2$, $p=1$: one tap before it, one behind.
# There is no winner, so there is no index and nobody to send a gradient to.

# %% name="nothing"
lonely = np.array([[[5.0]]])
value, index = max_pool(lonely, 2, stride=1, padding=1, dilation=2, return_indices=True)
gradient = max_pool_backward(np.array([[[7.0]]]), index, lonely.shape)
mean = avg_pool(lonely, 2, stride=1, padding=1, dilation=2)
print("maximum", value.item(), " index", index.item(), " gradient", gradient.item(), " average", mean.item())
print("an empty batch:", max_pool(np.zeros((0, 3, 4, 4)), 2).shape)

# %% [markdown]
# This library answers −∞, marks the index with −1, and sends nothing. An average of nothing is 0. Do not try the same
# in PyTorch 2.13 on a CPU: its index points outside the plane, and the backward writes there, into the next channel or
# beyond the array. The −∞ is no good guest in the layers behind either;
# [chapter 11](11_what_does_this_do_in_a_multimodal_model.ipynb) meets it again. A batch without samples is no problem:
# nothing goes in, and nothing comes out.
#
# ## Whose plane?
#
# An index counts inside one plane: one sample, one channel. In the whole array, plane number $n C + c$ begins at
# $(n C + c) \cdot H W$. **Predict** what happens if a backward forgets to add that.

# %% name="planes"
batch = rng.normal(size=(2, 3, 4, 4))
y, indices = max_pool(batch, 2, return_indices=True)
plane = np.arange(6).reshape(2, 3, 1, 1)
with_planes, without = np.zeros(batch.size), np.zeros(batch.size)
np.add.at(with_planes, (indices + 16 * plane).ravel(), 1)
np.add.at(without, indices.ravel(), 1)
np.testing.assert_array_equal(
    with_planes.reshape(batch.shape), max_pool_backward(np.ones_like(y), indices, batch.shape)
)
print("sum in each plane:", with_planes.reshape(6, 16).sum(axis=1), "without:", without.reshape(6, 16).sum(axis=1))

# %% [markdown]
# All gradients end in the first plane. With one sample and one channel, no test sees it.
#
# The last trap of this kind is the layout. PyTorch keeps the channels before the plane, **NCHW**; TensorFlow and JAX
# keep them last, **NHWC**. A pool that takes one for the other raises nothing. It pools over rows and channels.

# %% name="layout"
nhwc = np.moveaxis(batch, 1, -1)
right = max_pool(nhwc, 2, channel_axis=-1)
np.testing.assert_array_equal(np.moveaxis(right, -1, 1), y)
print("NHWC", nhwc.shape, "gives", right.shape, " taken for NCHW:", max_pool(nhwc, 2).shape)

# %% [markdown]
# ## Same number of outputs, other windows
#
# TensorFlow, Keras and JAX have `"SAME"` padding: as many outputs as $n / s$, rounded up, and where the padding is odd,
# the extra element comes *last*. PyTorch's `padding=1` puts one on each side. On our row of six both make three
# outputs. **Predict** whether they are the same three. (The second cell below asks PyTorch whether this chapter is
# right about it.)

# %% name="same"
as_in_pytorch, as_in_tensorflow = (max_pool(row, 3, 2, padding) for padding in (1, "same"))
assert as_in_pytorch.shape == as_in_tensorflow.shape
print("padding=1:", as_in_pytorch.ravel(), ' "same":', as_in_tensorflow.ravel())
figures.stacked(
    figures.padded(np.pad(row[0, 0], 1), 1, "padding=1", windows=starts[:3]),
    figures.padded(np.pad(row[0, 0], (0, 1)), (0, 1), '"same"', windows=[(0, start, 1, 3) for start in (0, 2, 4)]),
)

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch.nn.functional as F
    from torch import tensor
except ImportError:
    print("PyTorch is not installed, so this comparison is left out.")
else:
    assert np.array_equal(F.max_pool2d(tensor(x), 3, 2, 1), right_y)
    for counts in (True, False):
        options = {"ceil_mode": True, "count_include_pad": counts}
        assert np.allclose(F.avg_pool1d(tensor(row), 3, 2, 1, **options), avg_pool(row, 3, 2, 1, **options))
    padded = F.pad(tensor(row), (0, 1), value=-np.inf)
    assert np.array_equal(F.max_pool1d(padded, 3, 2), as_in_tensorflow)
    print("The same.")

# %% [markdown]
# The shapes agree, but every window stands one further to the right, and weights that were trained in one library meet
# other inputs in the other. Who ports such a pool to PyTorch pads by hand first, at the end only, with −∞ before a
# maximum. What else differs, from the libraries' own behaviour:
#
# | | PyTorch | ONNX | TensorFlow, Keras | flax (JAX) |
# |---|---|---|---|---|
# | layout | NCHW | NCHW | NHWC | NHWC |
# | stride, if not given | the kernel size | 1 | none in TensorFlow; Keras: the kernel size | 1 |
# | padding | the same on both sides | for each end, or SAME | VALID or SAME | for each end, or SAME |
# | does padding count in an average? | yes, can be changed | no, can be changed | no | yes, can be changed |
# | ceil mode | yes | yes | no | no |
# | index of a maximum | in its plane | in the whole array | in its sample | none |
#
# All of these can be written in this library: see [its pages on ONNX](../docs/onnx.md) and
# [on PyTorch](../docs/departures.md).
#
# ## Does padding favour the border?
#
# It is said that padding gives border elements too much weight. **Predict**: more gradient or less than in the middle?
# We pool random planes of 6 × 6 and take the mean gradient at each place, when all upstream gradients are 1.

# %% name="weight"
random_planes = rng.normal(size=(4000, 1, 6, 6))
for k, s, p in [(2, 2, 1), (3, 1, 1), (3, 1, 0)]:
    y, indices = max_pool(random_planes, k, s, p, return_indices=True)
    mean = max_pool_backward(np.ones_like(y), indices, random_planes.shape).mean(axis=(0, 1))
    print(f"k = {k}, s = {s}, p = {p}: corner {mean[0, 0]:.1f}, edge {mean[0, 2]:.1f}, middle {mean[2, 2]:.1f}")

# %% [markdown]
# It depends. In tiles with padding a corner is alone in its window and always wins. With overlapping windows the border
# is in fewer windows than the middle, and padding only makes up for a part of that.
#
# ## What to keep
#
# 1. Padding is −∞ for a maximum and 0 for a sum. It gets no gradient, or gets a share that is thrown away.
# 2. An average has one divisor for each window: all that counts, never what lies beyond the padding. Forward and
#    backward share it.
# 3. Position = stride · window − padding + offset. Then comes the plane. Test with padding, negative numbers, several
#    channels and a remainder.
#
# **Next:** exercise 12, [the average pooling workshop](../exercises/12_average_pooling_workshop.ipynb).
# [Chapter 05](05_who_wins_a_tie.ipynb) asks who wins when two are equal.
