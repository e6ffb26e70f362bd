# %% [markdown]
# # 01 · What does pooling keep?
#
# Pooling cuts an image into windows and keeps one number of each. Most of the image is gone after that, and yet image
# networks have lived with it for decades. What stays, what is lost, and what is it good for?
#
# **You should know** what a NumPy array is, and what maximum and mean are.
#
# **You will be able to**
# 1. compute max and average pooling, on paper, with loops and with one line of NumPy;
# 2. say how large the output is, for any kernel size, stride, padding and dilation;
# 3. say what pooling saves, what it costs, and two things it is said to do and does not.
#
# **Time:** about 35 minutes.
#
# ## A bet first
#
# A photograph of 96 × 144 pixels, from 0 (black) to 1 (white), cut into windows of 6 × 6. Of each window one picture
# below keeps the largest number, the other the mean.

# %% name="bet"
import numpy as np

from course_lib import avg_pool, figures, max_pool
from course_lib.experiments import photograph

photo = photograph("china", size=(96, 144))[None, None]
pictures = {"the photograph": photo, "A": max_pool(photo, 6), "B": avg_pool(photo, 6)}
assert (pictures["A"] >= pictures["B"]).all()
figures.side_by_side(*[figures.photo(picture, name) for name, picture in pictures.items()])

# %% name="predict-which"
from course_lib.widgets import predict

predict("01-which", "Which picture keeps the largest number of each window?", choices=["A", "B"], answer="A",
        why="Of each window the brightest pixel is kept, so A is brighter everywhere. Thin dark lines vanish in it, "
            "and thin bright ones grow.")  # fmt: skip

# %% [markdown]
# ## One report for each class
#
# Think of a school. In each class the children know an answer more or less well, from 0 to 9, and the monitor reports
# one number to the head. Some monitors report the best child of the class: that is **max pooling**. Some report the
# class's mean: **average pooling**. The head learns something about every class, and nothing about who sits where.
#
# Here are two rows of three classes, with four children each. A class is a **window**, its seats are its **taps**, and
# `kernel_size=2` says that it has 2 × 2 of them.

# %% name="classes"
x = np.array([[2.0, 9, 4, 4, 0, 1], [3, 6, 4, 4, 8, 3], [7, 1, 5, 0, 2, 6], [0, 0, 1, 2, 2, 6]])[None, None]
figures.grid(x, "x", windows=figures.windows(x, kernel_size=2))

# %% [markdown]
# **Predict** all six reports, of both kinds, on paper. Then see what plain loops say.


# %% name="loops"
def pool_loops(x, k, report):
    y = np.zeros((len(x) // k, len(x[0]) // k))
    for row, column in np.ndindex(y.shape):
        y[row, column] = report(x[k * row : k * row + k, k * column : k * column + k])
    return y


maxima, means = pool_loops(x[0, 0], 2, np.max), pool_loops(x[0, 0], 2, np.mean)
figures.side_by_side(figures.grid(maxima, "max pooling"), figures.grid(means, "average pooling"))

# %% [markdown]
# The same without loops: cut both axes into (window, place in the window), and take the maximum over the two axes of
# places. And the same by the library and by PyTorch. These take batches of the shape `(N, C, H, W)`: N images of C
# channels, each H × W. Ours is one image of one channel; `[None, None]` above added the two axes.

# %% name="arrays"
tiles = x.reshape(1, 1, 2, 2, 3, 2)
np.testing.assert_array_equal(tiles.max(axis=(3, 5))[0, 0], maxima)
np.testing.assert_allclose(tiles.mean(axis=(3, 5))[0, 0], means)
np.testing.assert_array_equal(max_pool(x, 2)[0, 0], maxima)
np.testing.assert_allclose(avg_pool(x, 2)[0, 0], means)

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed, so this comparison is left out.")
else:
    assert np.array_equal(torch.nn.functional.max_pool2d(torch.tensor(x), 2)[0, 0], maxima)
    assert np.allclose(torch.nn.functional.avg_pool2d(torch.tensor(x), 2)[0, 0], means)
    print("The same.")

# %% [markdown]
# The answer in one sentence:
#
# > **Max pooling keeps the strongest number of each window, average pooling the mean, and both forget where in the
# > window it came from.**
#
# ## What can still be told
#
# A maximum of 9 says two things: one child has 9, and no child has more. It says nothing about the others. A mean says
# how much there is in all, and nothing about how it is spread. **Predict** which of these three windows have one
# maximum, and which one mean.

# %% name="same-report"
for name, values in {"spike": [[0.0, 8], [0, 0]], "flat": [[2.0, 2], [2, 2]], "full": [[8.0, 8], [8, 8]]}.items():
    window = np.array(values)[None, None]
    print(f"{name} {values}: maximum {max_pool(window, 2).item():g}, mean {avg_pool(window, 2).item():g}")

# %% [markdown]
# The maximum cannot tell one spike from a full window; the mean cannot tell a spike from a flat window. So it is wrong
# that an average "keeps the distribution" of a region: it keeps the mean, and the spike has lost three quarters of its
# height.
#
# ## Every channel by itself
#
# Pooling takes windows in each sample and in each channel separately. Nothing is mixed, so the number of channels
# stays. For a colour photograph, with the channels red, green and blue, this has an odd result.

# %% name="predict-colour"
predict("01-colour", "Max pooling of a colour photograph with 4 × 4 windows: how many outputs have a colour that no "
        "pixel of their window has?", choices=["none", "a few in a hundred", "more than half"],
        answer="more than half", why="The reddest, greenest and bluest pixel need not be one pixel.")  # fmt: skip

# %% name="colours"
colour = photograph("china", size=(96, 144), grey=False)[None]
pooled = max_pool(colour, 4, channel_axis=-1)
windows = colour.reshape(24, 4, 36, 4, 3).swapaxes(1, 2).reshape(24, 36, 16, 3)
distance = np.abs(windows - pooled[0, :, :, None]).sum(axis=-1).min(axis=-1)
print(f"{pooled.shape[-1]} channels in the output; {(distance > 0).mean():.4f} of the outputs have a new colour")
window = (255 * windows[np.unravel_index(distance.argmax(), distance.shape)]).round().reshape(4, 4, 3)
figures.side_by_side(*[
    figures.grid(window[..., c], name, winners=[divmod(int(window[..., c].argmax()), 4)])
    for c, name in enumerate(["red", "green", "blue"])
])  # fmt: skip

# %% [markdown]
# The three grids are one such window, in the usual numbers from 0 to 255. The rings mark the largest of each channel.
# The reddest pixel is another than the greenest, so the three together are a colour that is nowhere in the window.
# Layers inside a network have channels that mean other things than colours, but the rule is the same.
#
# ## How large is the output?
#
# Windows need not lie side by side. The **stride** is the step from one window to the next; if none is given, it is the
# kernel size. A row of eight numbers shows all that matters, because the axes of an image are independent.

# %% name="predict-size"
predict("01-size", "A row of 8 elements, kernel_size=3 and stride=2. How many whole windows fit?", number="windows",
        answer=3, tolerance=0, why="They begin at 0, 2 and 4. One at 6 would need the elements 6 to 8.")  # fmt: skip

# %% name="strides"
row = np.arange(8.0)
print("outputs:", [max_pool(row[None, None], k, s).size for k, s in [(3, 3), (3, 2), (3, 1)]])
figures.stacked(
    figures.grid(row, "k = 3, s = 3", windows=[(0, start, 1, 3) for start in (0, 3)]),
    figures.grid(row, "k = 3, s = 2", windows=[(0, start, 1, 3) for start in (0, 2, 4)]),
    figures.grid(row, "k = 3, s = 1", windows=[(0, start, 1, 3) for start in range(6)]),
)

# %% [markdown]
# With stride 3 the elements 6 and 7 are left over, with stride 2 the element 7. This **remainder** is in no window: it
# does not exist for the pool. Count the windows like this. The first begins at 0. The last may begin at $n - k$ at the
# latest. So there are $n - k$ elements to step over, in steps of $s$:
#
# $$o = \left\lfloor \frac{n - k}{s} \right\rfloor + 1$$
#
# $n$ is the number of elements, $k$ the kernel size, $s$ the stride and $o$ the number of windows; the brackets round
# down. In an image each axis counts for itself; `kernel_size`, `stride` and the others may be one number or one for
# each axis. Three more settings change the count:
#
# * `padding` $p$ adds elements at both ends: put $n + 2p$ for $n$. A maximum takes them for −∞, so that they never win,
#   an average for 0. [Chapter 04](04_what_happens_at_the_border.ipynb) is about them.
# * `dilation` $d$ spreads the taps of a window: between two of them lie $d - 1$ elements that it does not look at. A
#   window then reaches over $d (k - 1) + 1$ elements: put that for $k$.
# * `ceil_mode=True` rounds up, so that the remainder gets a window, too. Chapter 04 has the small print.


# %% name="size"
def output_size(n, k, s, p=0, d=1):
    return (n + 2 * p - (d * (k - 1) + 1)) // s + 1


for setting in [(8, 3, 2, 0, 1), (8, 3, 2, 1, 1), (8, 3, 1, 0, 2), (5, 2, 2, 0, 1), (224, 3, 2, 1, 1)]:
    n, k, s, p, d = setting
    outputs = [max_pool(np.zeros((1, 1, n)), k, s, p, d, ceil_mode).size for ceil_mode in (False, True)]
    assert outputs[0] == output_size(*setting)
    print(f"n = {n}, k = {k}, s = {s}, p = {p}, d = {d}: {outputs[0]} outputs, in ceil mode {outputs[1]}")

# %% [markdown]
# "A 2 × 2 pool halves the image" is true for even sizes: 5 gives 2, or 3 in ceil mode. And it is the stride that does
# it, not the kernel. The number of the last line is that of the pool in many ResNets, from 224 to 112.
#
# Here is a piece of the photograph with one window, and then the same to set by hand. Move the window with the arrow
# keys. Find two settings that give the same output size with different windows.

# %% name="piece"
piece = photo[0, 0, 2:12, 38:48]
figures.magnified(piece, (3, 3, 3, 3), title="10 × 10 pixels")

# %% name="widget"
from course_lib.widgets import WindowExplorer

WindowExplorer(piece)

# %% [markdown]
# ## What does it cost?
#
# Pool the photograph by 1, 2 and 3, each way. Then blow each result up again, every number repeated over its window,
# and compare it with the photograph. **Predict** which of the two is nearer, and whether 3 costs more than 2.

# %% name="detail"
for k in (1, 2, 3):
    for pool in (max_pool, avg_pool):
        pooled = pool(photo, k)
        blown_up = np.kron(pooled, np.ones((1, 1, k, k)))
        error = np.sqrt(np.mean((blown_up - photo) ** 2))
        print(f"{pool.__name__} by {k}: {pooled.size} numbers of {photo.size}, error {error:.4f}")

# %% name="detail-pictures"
crop = photo[:, :, 6:60, 6:90]
figures.side_by_side(*[figures.photo(max_pool(crop, k), f"max, by {k}") for k in (1, 2, 3)])

# %% [markdown]
# By 1 nothing happens. By 2 a quarter of the numbers stays, by 3 a ninth, and the error grows. The average is nearer,
# and must be: the error is made of squared distances, and of all single numbers the mean has the smallest sum of
# squared distances to those of its window. That is no reason to prefer it. The maximum does not try to look like the
# image. It answers another question: is there something strong in here?
#
# ## What is it good for?
#
# **Less to compute.** What comes after a pool works on fewer positions. **A wider view.** An output of the next layer
# depends on more pixels. The cell counts both for two convolutions of 3 × 3, with a pool of 2 × 2 between them or not.
# (A convolution takes sums over windows with weights; [chapter 06](06_how_does_a_shared_kernel_learn.ipynb) is about
# it. Only its windows matter here.)

# %% name="good-for"
from course_lib import avg_pool_backward, conv, conv_backward

image, weight = np.zeros((1, 1, 24, 24)), np.ones((1, 1, 3, 3))
u = conv(image, weight)
for name, k in {"without a pool": 1, "with a pool": 2}.items():
    y = conv(avg_pool(u, k), weight)
    one = np.zeros_like(y)
    one[0, 0, 4, 4] = 1
    grad_pool = conv_backward(one, avg_pool(u, k), weight)[0]
    seen = conv_backward(avg_pool_backward(grad_pool, u.shape, k), image, weight)[0]
    print(f"{name}: {9 * y.size} multiplications in the second layer, an output sees {np.count_nonzero(seen)} pixels")

# %% [markdown]
# Fewer multiplications by more than a factor of four, and 64 pixels for 25. Count along one axis: an output reads three
# outputs of the pool, these read six of the first convolution, and six in a row read eight pixels. (How did the cell
# count? It asked which pixels have a gradient. The next chapter explains it.)
#
# **A little shift does no harm.** Or does it? Take a black row of 24 with one bright pixel, and move the pixel one
# step. **Predict**: for which share of the places does the pooled row change?

# %% name="shift"
places = np.eye(24)[:, None]
for k in (2, 4, 8):
    pooled = max_pool(places, k)
    changed = (pooled[1:] != pooled[:-1]).any(axis=(1, 2))
    print(f"k = {k}: {np.count_nonzero(changed)} of {changed.size} steps change the output")

# %% [markdown]
# Inside a window the step is not seen at all. Over the edge of a window it is seen in full: the bright output moves by
# a whole place. So pooling is indifferent to some shifts. It is not invariant to shifts, though that is often said. It
# knows less about places than what went in. [Chapter 10](10_what_else_can_shrink_an_image.ipynb) measures what this
# means for a readout that was trained.
#
# ## What it is said to do
#
# "Pooling greatly reduces the number of parameters." A pool has none itself. What of the layers behind it?

# %% name="predict-parameters"
predict("01-parameters", "A convolution of 3 × 3 weights, from 16 to 32 channels, stands behind a 2 × 2 pool. How many "
        "parameters does the pool spare it?", choices=["none", "half of them", "three quarters of them"], answer="none",
        why="Its weights are a small kernel laid over every place. Fewer places, the same kernel.")  # fmt: skip

# %% name="parameters"
pooled = max_pool(np.zeros((1, 16, 14, 14)), 2)
for name, features in {"without a pool": np.zeros((1, 16, 14, 14)), "with a pool": pooled}.items():
    convolution = 32 * features.shape[1] * 3 * 3 + 32
    linear = 10 * features.size + 10
    print(f"{name}: {convolution} in a convolution, {linear} in a linear layer for ten classes")

# %% [markdown]
# The convolution has as many as before. Only a linear layer that takes the whole flattened image shrinks, and most
# networks of today average over the whole image before it.
#
# ## What to keep
#
# 1. One number for each window, sample and channel: the strongest or the mean. The place inside the window is lost.
# 2. The output has $\lfloor (n + 2p - d(k-1) - 1) / s \rfloor + 1$ elements along an axis. What does not fit is left
#    out.
# 3. Pooling spares computation and widens the view. It spares a convolution no parameters, and it is indifferent only
#    to shifts inside a window.
#
# ## Five minutes: your turn
#
# Pencil and paper. Put your answers in the place of the dots, and run the cell. Each is checked for itself.
#
# 1. `floor_shape`: rows and columns of the output, if the input is 11 × 12, `kernel_size=4`, `stride=3`, `padding=2`.
# 2. `ceil_shape`: the same for an input of 10 × 12, `kernel_size=4`, `stride=3`, no padding, `ceil_mode=True`.
# 3. `dilated_size`: how many outputs a row of 11 elements has, if `kernel_size=3`, `stride=2`, `dilation=2`. A number,
#    or the calculation as text.
# 4. `corner_max`: the first output of max pooling of [[−6, −3, −8], [−2, −7, −1], [−5, −9, −4]], if `kernel_size=3`,
#    `stride=2`, `padding=1`.
# 5. `window_mean`: the mean of the one window [[3, 8, 1], [7, 2, 9]].
# 6. `kept`, a letter: what does the output of a max pool tell of a window?
#     - **a** The largest value and its place in the window.
#     - **b** The largest value, and neither its place nor the others.
#     - **c** What the weights of the pool, which are learned, find important.

# %% name="check"
from course_lib.exercises import check, hint

floor_shape, ceil_shape = ..., ...
dilated_size = ...
corner_max, window_mean = ..., ...
kept = ...
check("01", floor_shape=floor_shape, ceil_shape=ceil_shape, dilated_size=dilated_size, corner_max=corner_max,
      window_mean=window_mean, kept=kept)  # fmt: skip

# %% name="hint"
hint("01", 0)

# %% [markdown]
# **Next:** [chapter 02, Where does the gradient go?](02_where_does_the_gradient_go.ipynb)
#
# *Photograph: China by danielbuechele, CC BY 2.0, from scikit-learn's sample images, made grey and smaller.*
