# %% [markdown]
# # 09 · Can it be fast, and on a GPU?
#
# The same pooling can take seconds or milliseconds. And what is right on one processor can go wrong when thousands work
# at once, or when numbers have only 16 bits. What makes the difference?
#
# **You should know** how max pooling sends a gradient back ([chapter 02](02_where_does_the_gradient_go.ipynb)), what
# overlap does ([chapter 03](03_what_if_windows_overlap.ipynb)), and what a gradient check is
# ([chapter 07](07_how_do_i_know_it_is_right.ipynb)). **The second half needs PyTorch.** Without it, one cell says so,
# the next show nothing, and the text can be read.
#
# **You will be able to**
# 1. turn loops over windows into a few long array operations, and say why that is fast;
# 2. say when a backward needs atomic additions, and why its result may then change from run to run;
# 3. write a `torch.autograd.Function` and check it, and find numbers that 16 bits have lost.
#
# **Time:** about 45 minutes.
#
# ## A bet first
#
# A plane of 128 × 128 is pooled in windows of 2 × 2. Once a Python loop takes the windows one by one. Once NumPy gets
# all of them, laid out as rows of four. Both do the same comparisons.

# %% name="bet"
import numpy as np

from course_lib import figures, max_pool, max_pool_backward, routing, set_threads
from course_lib.widgets import predict

rng = np.random.default_rng(9)
x = rng.random((256, 128, 128), dtype=np.float32)
predict(
    "09-loops",
    "How long does the loop take, compared with the arrays?",
    choices=["about as long", "about 3 times as long", "more than 10 times as long"],
    answer="more than 10 times as long",
    why="A call from Python costs far more than comparing four numbers. The loop makes several calls for every four.",
)

# %% name="rows" tags=["nbval-ignore-output"]
from course_lib.experiments.clock import median_seconds


def by_loops(plane):
    windows = [plane[row : row + 2, column : column + 2] for row in range(0, 128, 2) for column in range(0, 128, 2)]
    pairs = [(window.max(), window.argmax()) for window in windows]
    return [np.reshape(column, (64, 64)) for column in zip(*pairs, strict=True)]


def by_rows(x):
    planes, height, width = x.shape
    windows = x.reshape(planes, height // 2, 2, width // 2, 2).swapaxes(2, 3).reshape(planes, height // 2, -1, 4)
    return windows.max(axis=3), windows.argmax(axis=3)


np.testing.assert_array_equal(by_loops(x[0]), np.concatenate(by_rows(x[:1])))
slow, fast = median_seconds([lambda: by_loops(x[0]), lambda: by_rows(x[:1])], 5)
assert slow > 10 * fast
print(f"the loop takes {slow / fast:.0f} times as long")

# %% [markdown]
# Both give two arrays: the maxima, and each winner's place inside its window. That place is called its **code** from
# here on: 0 and 1 for the upper row of the window, 2 and 3 for the lower one.
#
# The loop does not compute more. It *calls* more. So the aim is: few calls, each over many numbers that lie side by
# side in memory. By that measure rows of four are still bad, as every row is a small job of its own.
#
# ## Four steps
#
# Turn it round. Do not ask, for each window, which of its four numbers is the largest. Ask of all windows at once
# whether their *second* number beats their *first*. For that all first numbers must lie side by side. So **step 1**
# deals the plane into four corners, like cards.

# %% name="corners"
small = np.array([[2, 7, 1, 3], [5, 4, 0, 8], [9, 3, 6, 2], [1, 0, 4, 5]], np.float32)[None]
corners = np.ascontiguousarray(small.reshape(1, 2, 2, 2, 2).transpose(2, 4, 0, 1, 3))
names = "a: upper left", "b: upper right", "c: lower left", "d: lower right"
plane = figures.grid(small[0], "x", windows=figures.windows(small[None], kernel_size=2))
pictures = [figures.grid(corner[0], name) for corner, name in zip(corners.reshape(4, 1, 2, 2), names, strict=True)]
figures.side_by_side(plane, *pictures)

# %% [markdown]
# **Step 2** compares along the rows: `b > a` in the upper one, `d > c` in the lower. Each comparison is *one* call over
# *one* flat stretch of memory, for all windows of all planes. **Step 3** compares the two row winners. **Step 4** finds
# the code. The lower row's codes are larger than all of the upper row's. So no branch is needed: take the maximum of
# the upper code and of (lower code, or 0 where the lower row lost).
#
# A comparison gives one byte each. They are read as `uint8` and calculated with as they are. With `>` the first of
# equals stays, as in chapter 05.


# %% name="flat"
def by_corners(x):
    planes, height, width = x.shape
    split = x.reshape(planes, height // 2, 2, width // 2, 2).transpose(2, 4, 0, 1, 3)
    a, b, c, d = np.ascontiguousarray(split).reshape(4, -1)
    upper, lower = np.maximum(a, b), np.maximum(c, d)
    right, right_below, below = (won.view(np.uint8) for won in (b > a, d > c, lower > upper))
    code = np.maximum(right, below * (2 + right_below))
    return [array.reshape(planes, height // 2, width // 2) for array in (np.maximum(upper, lower), code)]


y, code = by_corners(small)
figures.side_by_side(plane, figures.grid(y[0], "y"), figures.counts(code[0], "code"))

# %% name="bytes"
y, code = by_corners(x)
rows, columns = np.arange(64)[:, None], np.arange(64)
indices = (2 * rows + code // 2) * 128 + 2 * columns + code % 2
np.testing.assert_array_equal(indices, max_pool(x[None], 2, return_indices=True)[1][0])
print(f"bytes an output: code {code.itemsize}, index {indices.itemsize}, value {y.itemsize}")

# %% [markdown]
# The code is as good as the index: the window's corner plus the code's row and column *is* the index. But it takes one
# byte where an index in `int64` takes eight, twice as much as the value it belongs to. Between forward and backward
# these bytes wait in memory, for every pooling of a network. (One byte counts up to 256 taps. A flat index needs more
# room, as most planes have more elements than that.)
#
# **Blocks.** Every call above reads its input from memory and writes its result to memory. For a large batch that is a
# long way: what one call wrote has left the processor's cache before the next call reads it. So treat a few planes at a
# time. **Threads.** NumPy releases Python's lock inside a long call, so two threads can compute at once. They write
# different outputs, so they need not agree on anything.

# %% name="blocks"
from functools import partial


def by_blocks(x):
    y = np.empty((len(x), x.shape[1] // 2, x.shape[2] // 2), x.dtype)
    code = np.empty(y.shape, np.uint8)
    for first in range(0, len(x), 4):
        part = slice(first, first + 4)
        y[part], code[part] = by_corners(x[part])
    return y, code


def library(x, threads):
    set_threads(threads)
    return max_pool(x[None], 2, return_indices=True)


for found in (by_rows(x), by_blocks(x)):
    np.testing.assert_array_equal(found[0], y)
    np.testing.assert_array_equal(found[1], code)
np.testing.assert_array_equal(library(x, threads=1)[1], library(x, threads=2)[1])

# %% name="times" tags=["nbval-ignore-output"]
ways = [by_rows, by_corners, by_blocks, partial(library, threads=1), partial(library, threads=2)]
names = "rows of four", "four corners", "corners, in blocks", "library, 1 thread", "library, 2 threads"
seconds = median_seconds([partial(way, x) for way in ways], 5)
# Bands, not values: the machine may be doing other things.
assert seconds[1] < 0.9 * seconds[0] and seconds[2] < 0.8 * seconds[0]
set_threads(None)
figures.bars(dict(zip(names, seconds / seconds[0], strict=True)), "time, with rows of four as 1")

# %% [markdown]
# The ways took turns, and each bar is a median; so what slows the machine down slows all of them. On your machine the
# bars differ. What the cell asserts is that dealing into corners pays, and blocks too. The library does what your
# blocks do, and more: any kernel, padding, NaN, and indices of eight bytes, which take time to write. Two threads give
# the same bits as one. Whether they gain anything depends on what else the processors have to do; on a busy machine
# they can lose.
#
# Dealing is no law. For averages of tiles the library deals nothing: it adds every second row to its neighbour, and
# then every second column. Both are views. A view is slower to read, but so few additions do not repay a copy.
#
# > **Fast code makes few calls, over long stretches of memory, that stay in the cache; and it keeps one byte where
# > eight are not needed.**
#
# ## Two hands, one sum
#
# The forward is easy to share out: every output is written by one hand. In the backward, windows overlap and add to one
# element. An addition is not one act. It **reads** the old number, and later **writes** the new one. In between,
# another hand may do anything.

# %% name="predict-lost"
predict(
    "09-lost",
    "A number is 0. Two hands each add 1 three times, and may interrupt each other between a read and a write. "
    "What is the smallest number that can be left?",
    number="",
    answer=2,
    why="A reads 0. B adds twice: 2. A writes 1. B reads 1. A adds its other two: 3. B writes 2.",
)

# %% name="interleavings"
from itertools import combinations


def left_over(turns):
    number, seen = 0, [None, None]
    for hand in turns:
        if seen[hand] is None:
            seen[hand] = number
        else:
            number, seen[hand] = seen[hand] + 1, None
    return number


orders = [[int(turn in chosen) for turn in range(12)] for chosen in combinations(range(12), 6)]
found = np.bincount([left_over(turns) for turns in orders])
assert found.nonzero()[0].min() == 2 and (found[6], found.sum()) == (20, 924)
figures.bars({f"{left} left": found[left] for left in range(2, 7)}, f"what {len(orders)} orders of turns leave")

# %% [markdown]
# These are *all* the orders in which the twelve turns can be taken. Only 20 of 924 leave the 6 that one would expect.
# This is a **race**: the result depends on who comes first.
#
# Now the same in a backward. One hand for each window, as on a GPU, where a thread is cheap. Each reads the gradient at
# its winner, and later writes it back with its own part added. Below, a random hand goes on in each turn. `yield` is
# the place where a hand may be interrupted.

# %% name="hands"
from course_lib.experiments.races import in_two_threads, together


def one_window(place, value, grad_input):
    seen = grad_input[place]
    yield
    grad_input[place] = seen + value


def scatter(places, values, seed):
    grad_input = np.zeros(36)
    together([one_window(*pair, grad_input) for pair in zip(places, values, strict=False)], seed)
    return grad_input


plane, values = rng.permutation(np.arange(36.0)).reshape(1, 1, 6, 6), np.arange(1.0, 17)
# One scale for both pictures below.
draw = partial(figures.gradient, norm=figures.style.gradient_norm(values * 4))

# %% name="race"
for name, k, s in [("tiles", 2, 2), ("overlap", 3, 1)]:
    places = max_pool(plane, k, s, return_indices=True)[1].ravel()
    right = np.bincount(places, values[: len(places)], minlength=36)
    raced = [scatter(places, values, seed) for seed in range(500)]
    print(f"{name}: right in {sum((grid == right).all() for grid in raced)} of 500 runs")
figures.side_by_side(*map(draw, np.reshape([right, raced[0]], (2, 6, 6)), ("right", "with a race")))

# %% [markdown]
# On tiles nothing can go wrong: no two windows share a winner. With overlap, parts are lost where several windows chose
# one element, and other parts in every run. This is the overwrite bug of chapter 03 again, by accident this time.
# Nothing is raised, and no number looks odd.
#
# **Real threads.** In the first of four runs the threads wait for each other between reading and writing. In the
# second each only offers its turn to the other. In the third they are left alone. Then the fault may not show up for
# days, and it is there all the same. In the fourth a **lock** makes read and write one act. On a GPU there is an
# instruction for that: an **atomic** addition. (`Semaphore(2)` is a gate that lets two in at once, so it does nothing
# here.)
#
# **No locks at all.** Chapter 03 had another form, the **gather**: one hand for each *input*. It looks at the windows
# that hold it and takes what they send. Every number is written by one hand, so no order of turns can lose anything.
#
# **One hand only.** On a CPU hands are few, so one may do the whole scatter. The NumPy code here mostly takes the
# upstream gradients as a **sparse matrix**: a row for each plane, a column for each of its elements, and an entry for
# each window, at its winner. To write the matrix out in full is to add what meets at one place. SciPy does it in one
# pass. `np.add.at` does the same, but first needs indices that count through all planes.

# %% name="threads" tags=["nbval-ignore-output"]
from threading import Barrier, Lock, Semaphore
from time import sleep


def add(sums, pause, lock):
    for _ in range(500):
        with lock:
            seen = sums[0]
            pause()
            sums[0] = seen + 1


rows = {"they meet": (Barrier(2).wait, Semaphore(2)), "they offer": (partial(sleep, 0), Semaphore(2)),
        "left alone": (lambda: None, Semaphore(2)), "lock": (partial(sleep, 0), Lock())}  # fmt: skip
kept = {name: np.zeros(1) for name in rows}
for name, row in rows.items():
    in_two_threads(add, kept[name], *row)
assert kept["they meet"] == 500 and min(kept.values()) >= 2 and max(kept.values()) == kept["lock"] == 1000
print("of 1000 additions were kept:", {name: int(sums[0]) for name, sums in kept.items()})


# %% name="gather"
from scipy.sparse import csr_array


def one_input(place, grad_input):
    yield
    grad_input[place] = values[places == place].sum()


gathered = np.zeros((500, 36))
for seed in range(500):
    together([one_input(place, gathered[seed]) for place in range(36)], seed)
print("overlap: right in", np.all(gathered == right, axis=1).sum(), "of 500 runs")
written_out = csr_array((values, places, [0, 16]), shape=(1, 36)).toarray()
print("one hand, as a sparse matrix:", "right" if np.array_equal(written_out[0], right) else "wrong")

# %% [markdown]
# So "max pooling on a GPU needs atomics, because windows overlap" is true of a scatter only. People believe it because
# the rule is taught as a scatter. PyTorch's kernels for the max and average pooling of images gather, and so do this
# course's. Some others scatter with atomics; a list comes below.
#
# An atomic addition loses nothing either. But who comes first is left open. Is a sum of the same numbers always the
# same? The next cell adds nine numbers in 5000 orders. **Predict** how many results it finds. The question after it is
# about a sum that stops altogether.

# %% name="order"
terms = rng.normal(size=9).astype(np.float32)
orders = np.array([rng.permutation(9) for _ in range(5000)])
sums = np.add.accumulate(terms[orders], axis=1)[:, -1]
assert len(np.unique(sums)) > 1
print(f"nine numbers in 5000 orders: {len(np.unique(sums))} different sums")
print(f"largest difference, relative: {np.ptp(sums) / abs(sums.mean()):.0e}")


# %% name="predict-stall"
predict(
    "09-stall",
    "Ones are added one by one to a float16 that starts at 0, 5000 times. What is the sum?",
    number="",
    answer=2048,
    why="From 2048 on the float16 numbers lie 2 apart. 2048 + 1 lies midway, and rounds back to 2048, again and again.",
)

# %% [markdown]
# So what an atomic sum gives depends on who came first. The differences are tiny, and harmless for learning. But two
# runs with the same seed then differ in their last digits, and each step builds on the one before. **Deterministic**
# code gives the same bits in every run, and for that it must fix the order of each sum. A gather does it for free.
#
# ## Sixteen bits
#
# Rounding can also stop a sum. The next cell adds ones until nothing changes, in three formats. Then it sends a
# gradient back: one element is the largest of 361 overlapping windows, and each sends it 0.1. The cell after it
# divides.

# %% name="stall"
from course_lib.widgets.precision_formats import stall
from course_lib.widgets.precision_table import gradients_of_a_network, shares

ones = np.add.accumulate(np.ones(5000, np.float16), dtype=np.float16)[-1]
assert ones == stall("float16") == 2048
print("ones stop at:", {name: int(stall(name)) for name in ("float16", "bfloat16", "float32")})
peak = np.pad(np.ones((1, 1, 1, 1), np.float16), [(0, 0), (0, 0), (18, 18), (18, 18)])
y, indices = max_pool(peak, 19, stride=1, return_indices=True)
tenths = np.full(y.shape, 0.1, np.float16)
in_half = np.add.accumulate(tenths.ravel(), dtype=np.float16)[-1]
print(
    f"{y.size} times 0.1: {in_half} in float16, {max_pool_backward(tenths, indices, peak.shape).max()} by the library"
)

# %% name="quarters"
sent = rng.uniform(1, 2, 1000).astype(np.float16)
errors = [np.abs((sent / np.float16(k)).astype(float) * k / sent - 1).max() for k in (4, 9)]
print(f"largest relative error of a quarter: {errors[0]:.1e}, of a ninth: {errors[1]:.1e}")
shared, smallest = np.float16(1e-6) / np.float16(49), np.finfo(np.float16).smallest_subnormal
print(f"1e-6 shared among 49: {shared}; the smallest float16 is {smallest:.0e}")

# %% [markdown]
# So: **store in 16 bits, add in 32.** The library's backward does, and gives 36.1. (float32 stops as well, but only at
# 16,777,216.)
#
# Of average pooling it is said that dividing by 4 in float16 piles up errors. The last cell finds none: a quarter of a
# binary number is the same digits with another exponent. Ninths do round. The real danger is in its last line: a
# gradient of a millionth, shared among the 49 elements of a global average, becomes zero. float16 has nothing below
# about $6 \cdot 10^{-8}$.
#
# The remedy is **loss scaling**. Multiply the loss by a power of two, and by the chain rule every gradient is
# multiplied too. Divide the gradients by it afterwards, in float32. Below are gradients in front of the pools of a
# small network on digits, as if its loss were 2¹⁴ times smaller. Without a scale more than a tenth of them vanish. A
# scale too large makes infinities instead. Between both there is a wide range where neither happens.
#
# Then try it. Find a number that float16 rounds to zero and bfloat16 does not, and one that float16 keeps better. In
# the gradients, by how many powers of two may the scale be wrong?

# %% name="scaling" tags=["nbval-ignore-output"]
gradients = 2.0**-14 * gradients_of_a_network()
found = {f"scale 2^{power}": shares(gradients, 2.0**power, "float16") for power in (0, 6, 12, 24, 40)}
zero, infinite = ({scale: row[word] for scale, row in found.items()} for word in ("zero", "infinite"))
assert zero["scale 2^0"] > 0.1 < infinite["scale 2^40"] and max(zero["scale 2^12"], infinite["scale 2^12"]) < 0.01
figures.bars({scale: {"zero": zero[scale], "infinite": infinite[scale]} for scale in found}, "share in float16")

# %% name="widget"
from course_lib.widgets import PrecisionExplorer

PrecisionExplorer()

# %% [markdown]
# In practice the scale is found as one goes. If any gradient is not finite, that step is skipped and the scale halved;
# after many good steps it is doubled. `bfloat16` has the range of float32 and needs no scale, but it has only eight
# binary digits: its ones stop at 256. No scale helps against that. It moves all numbers alike, and their distances too.
#
# ## On whatever device there is
#
# The course's operations take tensors as well. On the CPU a tensor lends its memory to the NumPy code; only the scatter
# of a maximum is PyTorch's `scatter_add_`, which adds in the same order. On an NVIDIA GPU kernels of its own run, which
# gather. The next cell takes the best device it finds, says which, and holds the result
# to NumPy's, bit for bit. Then it asks PyTorch which of its *own* poolings it does not call deterministic.

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    torch = None
    print("PyTorch is not installed, so the cells below show nothing. python3 start.py --torch installs it.")

if torch:
    device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    leaf = torch.tensor(x[None, :8], device=device, requires_grad=True)
    max_pool(leaf, 3, stride=2).sum().backward()
    y, indices = max_pool(x[None, :8], 3, stride=2, return_indices=True)
    assert np.array_equal(leaf.grad.cpu(), max_pool_backward(np.ones_like(y), indices, leaf.shape))
    names = torch.use_deterministic_algorithms.__doc__
    listed = [name for name in dir(torch.nn) if "Pool" in name and f"nn.{name}`" in names]
    assert "AdaptiveAvgPool2d" in listed and not {"MaxPool2d", "AvgPool2d"} & set(listed)
    print(f"device: {device}; not always deterministic: {', '.join(listed)}")

# %% [markdown]
# Max and average pooling of images are not in the list. Those in it scatter, or did when the switch was made:
# `torch.use_deterministic_algorithms(True)` makes them take a slower way, or refuse. That average pooling needs no
# atomics is thus not quite true: `AdaptiveAvgPool2d` and the one of volumes are in the list.
#
# ## Your own function in PyTorch
#
# PyTorch finds gradients of its own operations. For one of yours you tell it. First the forward, for any device:
# windows as rows, the winner's code, and from it the flat index.


# %% name="forward"
def winners(x, k, s):
    windows = x.unfold(2, k, s).unfold(3, k, s).flatten(4)
    y, code = windows.max(dim=4)
    rows = s * torch.arange(y.shape[2], device=x.device)[:, None] + code // k
    columns = s * torch.arange(y.shape[3], device=x.device) + code % k
    return y, rows * x.shape[3] + columns


# %% name="function"
if torch:

    class MaxPool(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k, s):
            y, indices = winners(x, k, s)
            ctx.save_for_backward(indices)
            ctx.mark_non_differentiable(indices)
            ctx.shape = x.shape
            return y, indices

        @staticmethod
        def backward(ctx, grad_output, _):
            (indices,) = ctx.saved_tensors
            grad_input = grad_output.new_zeros(ctx.shape).flatten(2)
            grad_input.scatter_add_(2, indices.flatten(2), grad_output.flatten(2))
            return grad_input.view(ctx.shape), None, None

# %% [markdown]
# Line by line. `ctx` carries things from the forward to the backward. **`save_for_backward`** is for tensors: PyTorch
# then notices if somebody changes them in between, and refuses. A shape is no tensor, so it goes on `ctx` as it is.
# **`mark_non_differentiable`** says that no gradient comes back through the indices: moving an input a little does not
# move a position. The backward gets one gradient for each *output*, hence the `_`. It returns one for each *argument*
# of the forward, hence `None` for `k` and `s`.
#
# Now check it, in float64. Beside it, the bug: `scatter_`, which writes, for `scatter_add_`. **Predict** at which
# stride `gradcheck` finds it, with windows of 2 × 2.

# %% name="gradcheck"
if torch:

    class Overwriting(MaxPool):
        @staticmethod
        def backward(ctx, grad_output, _):
            (indices,) = ctx.saved_tensors
            grad_input = grad_output.new_zeros(ctx.shape).flatten(2)
            grad_input.scatter_(2, indices.flatten(2), grad_output.flatten(2))
            return grad_input.view(ctx.shape), None, None

    numbers = torch.tensor(rng.permutation(np.arange(72.0)).reshape(1, 2, 6, 6), requires_grad=True)

    def first(function, s, x):
        return function.apply(x, 2, s)[0]

    for function, s in [(MaxPool, 2), (MaxPool, 1), (Overwriting, 2), (Overwriting, 1)]:
        passed = torch.autograd.gradcheck(partial(first, function, s), numbers, raise_exception=False)
        assert passed == (function is MaxPool or s == 2)
        print(f"{function.__name__} with stride {s}: {'passes' if passed else 'refused'}")

# %% name="operator" tags=["nbval-ignore-output"]
if torch:
    sent = torch.rand(1, 2, 5, 5, dtype=torch.float64, requires_grad=True)
    arguments = sent, MaxPool.apply(numbers, 2, 1)[1], list(numbers.shape), False
    verdicts = torch.library.opcheck(torch.ops.course_lib.max_scatter, arguments)
    assert set(verdicts.values()) == {"SUCCESS"}
    print(verdicts)

# %% [markdown]
# With stride 2 no two windows share a winner, and a write is as good as an addition. A check on tiles would have let
# the bug pass.
#
# A `Function` is enough for training. It is opaque to tools that look at a program without running it, such as
# `torch.compile`. For those an operation is **registered**: it gets a name, a schema of its arguments, one kernel for
# each device, a *fake* kernel that knows only shapes, and its gradient. The course's operations are registered so, and
# `opcheck` has just examined whether all these agree.
#
# ## Hunting NaN
#
# The loss is finite, and yet the weights turn to NaN. Where does it come from? The backward goes from the last layer to
# the first. So look for the first layer, in *that* order, that receives something finite and hands on something that is
# not. `routing.GradientProbe` records the gradient at every layer's input.
#
# The suspect below pools by the root of a sum of squares. **Predict** what it does with the empty corners of a digit.

# %% name="hunt" tags=["nbval-ignore-output"]
from course_lib.experiments import digits

if torch:

    class RootOfSquares(torch.nn.Module):
        def forward(self, x):
            return (4 * torch.nn.functional.avg_pool2d(x**2, 2)).sqrt()

    def first_not_finite(model, x, labels):
        with routing.GradientProbe(model) as probe:
            loss = torch.nn.functional.cross_entropy(model(x), labels)
            loss.backward()
        return loss.item(), [row.layer for row in probe.table() if row.came and not row.finite][-1:]

    layers = torch.nn.Conv2d(1, 4, 3, bias=False), RootOfSquares(), torch.nn.Flatten(), torch.nn.Linear(36, 10)
    loss, bad = first_not_finite(torch.nn.Sequential(*layers).double(), *map(torch.tensor, digits()[:2]))
    assert np.isfinite(loss) and bad == ["1"]
    print(f"loss {loss:.3f}; the first gradient that is not finite came out of layer {bad[0]}")

# %% [markdown]
# An empty corner stays 0 under a convolution without bias. The root's slope at 0 is infinite, the square's is 0, and
# ∞ · 0 is NaN. The forward shows nothing of it. The same happens with any distance or norm that can become 0. Remedy:
# say what the gradient at 0 is, as the library's `lp_pool` does (0), or add a small number inside.
#
# The chase for **infinity** is the same, and begins at the scale. In float16 the first suspects are a loss scale that
# is too large, and sums and squares in the forward.
#
# ## What to keep
#
# 1. Few long calls, memory that lies side by side, blocks that fit the cache, one byte for a winner.
# 2. A scatter needs atomics and leaves the order open; a gather needs none and gives the same bits each time.
# 3. Store in 16 bits, add in 32, scale the loss for float16, and check a `Function` on windows that overlap.
#
# **Next:** exercises 8, [compare three backwards](../exercises/08_compare_three_backwards.ipynb), and
# 10, [change the precision](../exercises/10_change_the_precision.ipynb). Then
# [chapter 10, What else can shrink an image?](10_what_else_can_shrink_an_image.ipynb)
