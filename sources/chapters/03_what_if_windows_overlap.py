# %% [markdown]
# # 03 · What if windows overlap?
#
# In chapter 02 the windows lay side by side, and each input had one window. Let the windows overlap, and one input lies
# in several of them. What does it get, and what becomes of code that never thought of it?
#
# **You should know** how max and average pooling send a gradient back, from
# [chapter 02](02_where_does_the_gradient_go.ipynb).
#
# **You will be able to**
# 1. say of any input how many windows hold it, without drawing them;
# 2. send a gradient back through overlapping windows, by scattering and by gathering;
# 3. recognise the bug that loses gradients in silence, also where the line says `+=`.
#
# **Time:** about 35 minutes.
#
# ## A bet first
#
# Pooling with `kernel_size=3` and `stride=2`: windows of 3 × 3, a new one after every second element. Many known
# networks pool so, AlexNet and ResNet among them. On an input of 5 × 5 there are four windows, framed below. Under two
# frames an element belongs to both windows.

# %% name="bet"
import numpy as np

from course_lib import avg_pool, avg_pool_backward, figures, max_pool, max_pool_backward, routing

x = np.array([[2.0, 5, 1, 3, 0], [4, 0, 6, 2, 7], [1, 3, 8, 5, 4], [9, 2, 0, 6, 3], [5, 1, 4, 7, 2]])[None, None]
grad_output = np.array([[9.0, 27], [-18, 36]])[None, None]
windows = figures.windows(x, kernel_size=3, stride=2)
figures.side_by_side(figures.grid(x, "x", windows=windows), figures.gradient(grad_output, "grad_output"))

# %% name="predict-centre"
from course_lib.widgets import predict

predict("03-centre", "How many of the four windows hold the 8 in the centre?", choices=["2", "3", "4", "9"],
        answer="4", why="Two windows hold it along the rows and two along the columns, and 2 · 2 is 4.")  # fmt: skip

# %% [markdown]
# ## Count the windows
#
# There is no need to trust one's eyes. Let every window add 1 to each element that it holds. The counts are called the
# **coverage**.

# %% name="coverage"
coverage = np.zeros((5, 5), dtype=int)
for top, left, height, width in windows:
    coverage[top : top + height, left : left + width] += 1

along_one_axis = routing.coverage(5, kernel_size=3, stride=2)
np.testing.assert_array_equal(np.multiply.outer(along_one_axis, along_one_axis), coverage)
print("along one axis:", along_one_axis)
figures.counts(coverage, "coverage")

# %% [markdown]
# Four windows hold the centre. The middle of an edge lies in two, a corner in one. A self-test in circulation gives
# "two to three" for the centre. Three is impossible, and the printed line shows why. A window is a choice of rows and a
# choice of columns, made separately, so the coverage of the plane is a product. Along one axis the counts are 1, 1, 2,
# 1, 1, and products of ones and twos are 1, 2 and 4.
#
# Which windows hold the element at position $a$ of an axis? Window $q$ holds the positions $s q$ to $s q + k - 1$. So
# $q$ must satisfy $s q \le a \le s q + k - 1$, which makes the first and the last such window
#
# $$q_\text{first} = \max\!\left(0,\ \left\lceil \frac{a - k + 1}{s} \right\rceil\right), \qquad
# q_\text{last} = \min\!\left(o - 1,\ \left\lfloor \frac{a}{s} \right\rfloor\right).$$
#
# Here $k$ is the kernel size, $s$ the stride and $o$ the number of windows along the axis. The coverage is
# $q_\text{last} - q_\text{first} + 1$. It is never more than $k / s$, rounded up. In code, `-(-n // s)` divides and
# rounds up.


# %% name="formula"
def windows_that_hold(a, k, s, o):
    first = max(0, -(-(a - k + 1) // s))
    last = min(o - 1, a // s)
    return range(first, last + 1)


for k, s, size in [(3, 2, 5), (3, 1, 7), (5, 2, 11), (2, 3, 8)]:
    o = (size - k) // s + 1
    counts = [len(windows_that_hold(a, k, s, o)) for a in range(size)]
    np.testing.assert_array_equal(counts, routing.coverage(size, k, s))
    print(f"k = {k}, s = {s}: {counts}")

# %% [markdown]
# The last line has zeros. When the stride is larger than the kernel, windows leave gaps. An element in a gap is in no
# window. It has no say in the output, so its gradient is 0, whatever the operation.
#
# Here are four coverages of 5 × 5. In the second, 2 × 2 tiles, the last row and the last column are in no window
# either: a third tile does not fit. (Chapters 01 and 04 are about such remainders.) The last has a *dilation* $d$ of 2:
# its windows have holes, and take every second element. **Predict** the maps. The last will look familiar.

# %% name="maps"
settings = {"k = 3, s = 1": (3, 1), "k = 2, s = 2": (2, 2), "k = 2, s = 3": (2, 3), "k = 2, s = 1, d = 2": (2, 1, 0, 2)}
maps = [figures.counts(routing.coverage((5, 5), *setting), name, largest=9) for name, setting in settings.items()]
figures.side_by_side(*maps)

# %% [markdown]
# The last map is the one that we began with. Coverage says how many windows hold an element, and not which.
#
# Now set all four numbers yourself; *padding* is a rim around the input, which chapter 04 explains. Find a setting that
# leaves gaps although the stride is smaller than the kernel. Find one that gives all elements the same coverage.

# %% name="widget"
from course_lib.widgets import CoverageExplorer

CoverageExplorer(7)

# %% [markdown]
# ## Max: one input may win several windows
#
# Now the gradient. The rule of chapter 02 does not change: every window sends its whole upstream gradient to its
# winner. The 8 is the largest element of three windows. In the fourth, at the lower left, the 9 beats it.

# %% name="predict-max"
predict("03-winner", "grad_output is [[9, 27], [−18, 36]]. What gradient does the 8 get from max pooling?",
        number="", answer=72, tolerance=0,
        why="It wins the windows that send 9, 27 and 36. Each pays, and the payments add up to 72.")  # fmt: skip


# %% name="max-by-window"
def max_backward_by_window(x, grad_output, k, s):
    parts = []
    for row, column in np.ndindex(grad_output.shape):
        part, top, left = np.zeros_like(x), s * row, s * column
        window = x[top : top + k, left : left + k]
        down, across = np.unravel_index(window.argmax(), window.shape)
        part[top + down, left + across] = grad_output[row, column]
        parts.append(part)
    return parts


names = ["window (0, 0)", "window (0, 1)", "window (1, 0)", "window (1, 1)"]
parts = max_backward_by_window(x[0, 0], grad_output[0, 0], 3, 2)
from_max = sum(parts)
figures.added(parts, windows, names, "grad_input")

# %% [markdown]
# Each grid is what one window sends; `grad_input` is their sum. Why a sum? Nudge the 8. Three outputs move with it, and
# each moves the loss. Together they move it as much as the three effects added. We can watch it. The loss is again the
# simplest one that has our upstream gradient, $L = \sum \texttt{grad\_output} \cdot y$. The pool takes batches, so we
# hand it 25 inputs at once, each with another element nudged.


# %% name="nudge"
def slopes(pool, step=0.001):
    nudges = step * np.eye(25).reshape(25, 1, 5, 5)
    change = pool(x + nudges, 3, 2) - pool(x - nudges, 3, 2)
    return (grad_output * change).sum(axis=(1, 2, 3)).reshape(5, 5) / (2 * step)


np.testing.assert_allclose(slopes(max_pool), from_max, atol=1e-9)
print(f"measured at the 8: {slopes(max_pool)[2, 2]:.4g}, at the 9: {slopes(max_pool)[3, 0]:.4g}")

# %% [markdown]
# ## Average: a share from each window
#
# Every window sends $1/K$ of its upstream gradient to each of its elements; $K$ is 9 here. An element in four windows
# gets four shares, of four different upstream gradients. $K$ stays 9 for all of them: the share depends on the window
# that sends, not on how many windows hold the element.

# %% name="avg-by-window"
shares = []
for (row, column), (top, left, *_) in zip(np.ndindex(2, 2), windows, strict=True):
    share = np.zeros((5, 5))
    share[top : top + 3, left : left + 3] = grad_output[0, 0, row, column] / 9
    shares.append(share)

from_avg = sum(shares)
np.testing.assert_allclose(slopes(avg_pool), from_avg, atol=1e-9)
figures.added(shares, windows, names, "grad_input")

# %% [markdown]
# The centre gets $1 + 3 - 2 + 4 = 6$. If all upstream gradients are 1, each window sends ninths, and the sum is the
# coverage over 9: 1/9 at a corner, 2/9 at the middle of an edge, 4/9 in the centre. The first line below asserts it.
#
# The answer in one sentence:
#
# > **Windows that overlap change nothing about what a window sends. What an element gets is the sum over all windows
# > that send it something.**
#
# So the total is kept, with overlap as without. Each window gives away exactly what it was handed, and the four numbers
# of `grad_output` have the same sum as the 25 of `grad_input`. (Padding can take a part; see chapter 04.)

# %% name="totals"
of_ones = routing.avg_routes(x, 3, 2).backward(np.ones_like(grad_output))
np.testing.assert_allclose(of_ones[0, 0], coverage / 9)
print(f"sums: grad_output {grad_output.sum():g}, max {from_max.sum():g}, average {from_avg.sum():.4g}")

# %% [markdown]
# ## Wrong way 1: `=` for `+=`
#
# The plain backward writes into one shared `grad_input`. Here it is twice in one, with the right sign and with the
# wrong one.


# %% name="overwrite"
def max_backward_loops(x, grad_output, k, s, overwrite=False):
    grad_input = np.zeros_like(x)
    for row, column in np.ndindex(grad_output.shape):
        top, left = s * row, s * column
        window = x[top : top + k, left : left + k]
        down, across = np.unravel_index(window.argmax(), window.shape)
        if overwrite:
            grad_input[top + down, left + across] = grad_output[row, column]
        else:
            grad_input[top + down, left + across] += grad_output[row, column]
    return grad_input


right, wrong = (max_backward_loops(x[0, 0], grad_output[0, 0], 3, 2, overwrite) for overwrite in (False, True))
np.testing.assert_array_equal(right, from_max)
assert max_pool(np.array([[[1.0, 3, 2]]]), 2, 1, return_indices=True)[1].tolist() == [[[1, 1]]]
figures.side_by_side(figures.gradient(right, "+="), figures.gradient(wrong, "="))

# %% [markdown]
# With `=` the centre keeps what the last window wrote, 36. The 9 and the 27 are lost. Nothing is raised, no number
# looks odd, and where windows do not overlap, the two signs do the same. So a test on tiles cannot tell them apart:

# %% name="tiles"
rng = np.random.default_rng(3)
for k, s in [(2, 2), (3, 3), (2, 1), (3, 2), (3, 1)]:
    plane = rng.permutation(81).reshape(9, 9).astype(float)
    gradient = rng.integers(1, 9, size=max_pool(plane[None, None], k, s).shape[2:]).astype(float)
    added, overwritten = (max_backward_loops(plane, gradient, k, s, overwrite) for overwrite in (False, True))
    print(f"k = {k}, s = {s}: {np.count_nonzero(added != overwritten)} of 81 elements are wrong")

# %% [markdown]
# The smallest test without padding that sees it is a row of three elements with the largest in the middle,
# `kernel_size=2` and `stride=1`. Both windows choose the middle.
#
# ## Wrong way 2: `+=` that forgets
#
# The library's forward returns `indices`, flat positions in the plane. So NumPy can add without a loop:
# `collected[places] += values`. Our places are 12, 12, 15 and 12, for the 8 is the thirteenth element of the plane.

# %% name="predict-fancy"
predict("03-fancy", "`collected[places] += values` with the values 9, 27, −18, 36. What stands at place 12 afterwards?",
        choices=["72", "36", "9", "an error"], answer="36",
        why="NumPy reads all places once, adds, and writes back. The last write to a place stays.")  # fmt: skip

# %% name="fancy"
y, indices = max_pool(x, 3, 2, return_indices=True)
places, values = indices.ravel(), grad_output.ravel()
collected, by_add_at = np.zeros(25), np.zeros(25)
collected[places] += values
np.add.at(by_add_at, places, values)
print("places:", places, "at place 12:", collected[12], by_add_at[12], np.bincount(places, values, minlength=25)[12])

# %% [markdown]
# The line says `+=` and still overwrites. NumPy takes it apart: it reads the old numbers at all places, adds, and
# writes the results back. Place 12 stands in the list three times, is read as 0 three times, and keeps the last result.
# `np.add.at` and `np.bincount` add once for *each* entry of the list. This is called **scatter-add**.
#
# ## Wrong way 3: divide by the coverage
#
# Some texts say that overlapping elements must be "de-duplicated": an element in four windows would count four times,
# so its gradient is divided by four. **Predict** who is right. Raise all 25 inputs by 1. How much does the loss rise?

# %% name="deduplicated"
divided = from_avg / coverage
rise = (grad_output * (avg_pool(x + 1, 3, 2) - avg_pool(x, 3, 2))).sum()
print(f"claimed: sum {from_avg.sum():.4g}, divided {divided.sum():.4g}; measured: {rise:.4g}")
figures.side_by_side(figures.gradient(from_avg, "sum"), figures.gradient(divided, "divided by coverage"))

# %% [markdown]
# The sum is right. An element in four windows does count four times: four outputs move with it. People believe the
# division because $1/K$ is a division, too. But that one belongs to the forward, where each window takes a mean of its
# own $K$ elements.
#
# ## Would training tell?
#
# Surely a network with such a bug trains badly? **Predict.** We train a small network on handwritten digits:
# convolution, ReLU, max pooling with `kernel_size=2` and `stride=1`, one linear layer. Once its pool adds, once it
# overwrites. How far apart are the two in the end?

# %% name="accuracy" tags=["nbval-ignore-output"]
from course_lib.experiments import train_one_pool


def overwriting(grad_output, indices, shape):
    grad_input = np.zeros((*shape[:2], shape[2] * shape[3]))
    at, values = (array.reshape(*shape[:2], -1) for array in (indices, grad_output))
    np.put_along_axis(grad_input, at, values, axis=2)
    return grad_input.reshape(shape)


shares = {f.__name__: [train_one_pool(f, seed) for seed in range(3)] for f in (max_pool_backward, overwriting)}
assert min(map(min, shares.values())) > 0.94 and abs(np.subtract(*map(np.mean, shares.values()))) < 0.02
for name, reads in shares.items():
    print(f"{name}: reads {np.round(reads, 3)} of the test digits")

# %% [markdown]
# Both networks read more than 94 % of the test digits, with any of three seeds, and on average they differ by less than
# two points. The wrong gradient still points roughly downhill, and the layers behind the pool never notice. So the loss
# will not show this bug. It is often said that it makes training diverge at once; here it does not. What does show it
# is a comparison with nudges, as above, on windows that overlap.
# [Chapter 07](07_how_do_i_know_it_is_right.ipynb) makes a method of that.
#
# ## Scatter and gather
#
# There are two ways to compute the same sum. **Scatter:** go through the outputs; each adds to the inputs that it
# feeds. Everything above was scatter. **Gather:** go through the inputs; each looks at the windows that hold it, and
# takes what they send. The formula for $q_\text{first}$ and $q_\text{last}$ says which windows to ask.
#
# The picture shows one step of each, for the average. Left, a scatter: the output with 27 gives its nine elements their
# shares. Right, a gather: the centre collects from the four windows that hold it. Empty cells have no part in the step.


# %% name="gather"
def max_backward_gather(indices, grad_output, size, k, s):
    grad_input = np.zeros((size, size))
    for row, column in np.ndindex(size, size):
        for i in windows_that_hold(row, k, s, len(indices)):
            for j in windows_that_hold(column, k, s, len(indices)):
                if indices[i, j] == row * size + column:
                    grad_input[row, column] += grad_output[i, j]
    return grad_input


by_gather = max_backward_gather(indices[0, 0], grad_output[0, 0], 5, 3, 2)
np.testing.assert_array_equal(by_gather, from_max)


# %% name="scatter-and-gather"
from dataclasses import replace


def some(routes, chosen):
    names = "output_index", "input_index", "weight"
    return replace(routes, **{name: getattr(routes, name)[chosen] for name in names})


routes = routing.avg_routes(x, 3, 2)
steps = {"scatter: from one output": routes.output_index == 1, "gather: into one input": routes.input_index == 12}
figures.side_by_side(*[
    figures.routes(some(routes, step), grad_output=grad_output, title=title, reached_only=True)
    for title, step in steps.items()
])  # fmt: skip

# %% [markdown]
# In plain loops it does not matter which one you take. It matters when many hands work at once. In a scatter two
# outputs may add to one input at the same moment, and one of them may be lost: the same bug again, by accident. In a
# gather every input is written by one hand only. PyTorch's max pooling of images gathers on a GPU.
# [Chapter 09](09_can_it_be_fast_and_on_a_gpu.ipynb) lets such an accident happen.
#
# Step through both, forwards and back, and watch the 8. Then set the sign to `=` and see what is lost, and when.

# %% name="stepper"
from course_lib.widgets import BackwardStepper

BackwardStepper(x[0, 0], grad_output[0, 0], kernel_size=3, stride=2)

# %% [markdown]
# ## In code: without loops over elements
#
# The scatter of the maximum is `np.add.at`, as above. For the average there is a way without any scatter-add. Take one
# tap, say the top left one, in all windows at once. Two windows never have the *same* tap on the same element. So the
# top left taps form a grid in steps of one stride, and a slice can add to them safely. Nine taps, nine slices. The
# library takes batches and channels, too. It and PyTorch must find the same numbers.


# %% name="taps"
def avg_backward_taps(grad_output, size, k, s):
    grad_input = np.zeros((size, size))
    rows, columns = grad_output.shape
    for i, j in np.ndindex(k, k):
        grad_input[i : i + s * rows : s, j : j + s * columns : s] += grad_output / k**2
    return grad_input


np.testing.assert_allclose(avg_backward_taps(grad_output[0, 0], 5, 3, 2), from_avg)
np.testing.assert_array_equal(max_pool_backward(grad_output, indices, x.shape)[0, 0], from_max)
np.testing.assert_allclose(avg_pool_backward(grad_output, x.shape, 3, 2)[0, 0], from_avg)

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed, so this comparison is left out.")
else:
    for pool, ours in ((torch.nn.functional.max_pool2d, from_max), (torch.nn.functional.avg_pool2d, from_avg)):
        leaf = torch.tensor(x, requires_grad=True)
        pool(leaf, 3, stride=2).backward(torch.tensor(grad_output))
        assert np.allclose(leaf.grad[0, 0].numpy(), ours)
        print(leaf.grad[0, 0])

# %% [markdown]
# ## What to keep
#
# 1. The number of windows that hold an element is a product of one count for each axis. Gaps get nothing.
# 2. What several windows send is added, and nothing is divided by the coverage. The total is kept.
# 3. `=`, and `collected[places] +=`, keep only the last. Tiles and the loss do not show it; overlapping windows and a
#    nudge do.
#
# **Next:** exercise 11, [the max pooling workshop](../exercises/11_max_pooling_workshop.ipynb).
# [Chapter 04](04_what_happens_at_the_border.ipynb) goes to the border.
