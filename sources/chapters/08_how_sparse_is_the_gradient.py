# %% [markdown]
# # 08 · How sparse is the gradient?
#
# Max pooling hands its gradient to winners and gives everybody else zero. Much is said about these zeros: that they
# slow training, starve neurons, and leave the optimiser idle. We count them, layer by layer, and see what is left of
# it.
#
# **You should know** how max and average pooling route a gradient (chapter 02), what overlap does (chapter 03), and how
# a convolution learns (chapter 06).
#
# **You will be able to**
# 1. predict the share of elements with a gradient from kernel size and stride, and measure it;
# 2. say in which tensors of a network the gradient is sparse, and in which it is not;
# 3. tell remedies that help from remedies that only sound so.
#
# **Time:** about 40 minutes.
#
# ## A bet
#
# The **density** of a gradient is the share of its elements that are not zero. With windows of 2 × 2 side by side, one
# element in four wins, so max pooling's density is 1/4. Now let the same windows overlap: `stride=1`.

# %% name="bet-overlap"
import numpy as np

from course_lib import avg_pool_backward, conv, conv_backward, figures, max_pool, max_pool_backward, routing
from course_lib.widgets import predict

rng = np.random.default_rng(8)
predict(
    "08-overlap",
    "Windows of 2 × 2 with stride 1 over random numbers. What is the density of max pooling's gradient?",
    choices=["below 1/4", "1/4", "between 1/4 and 1/2", "above 1/2"],
    answer="between 1/4 and 1/2",
    why="There are about four times as many windows. Large numbers win several of them, so it is not four times as "
    "dense; but different windows do have different winners.",
)


# %% name="overlap"
def density_of_max(x, k, s):
    y, indices = max_pool(x, k, s, return_indices=True)
    return routing.density(max_pool_backward(np.ones_like(y), indices, x.shape))


noise = rng.normal(size=(1, 4, 120, 120))
print(f"k=2 s=2: {density_of_max(noise, 2, 2):.4f}, k=2 s=1: {density_of_max(noise, 2, 1):.2f}")
assert density_of_max(noise, 2, 2) == 1 / 4 < density_of_max(noise, 2, 1) < 1 / 2

# %% [markdown]
# ## A table of k and s
#
# Two bounds frame the answer. Each window has one winner, so there cannot be more winners than outputs: the density is
# at most the number of outputs over the number of inputs, about $1/s^2$. And an element can only win where a window
# holds it.
#
# Average pooling has no winners. Its density is the share of elements that some window holds: all of them if $s \le k$.

# %% name="table"
sizes, strides = (2, 3, 4, 5), (1, 2, 3, 4, 5)
table = np.array([[density_of_max(noise, k, s) for s in strides] for k in sizes])
for row, k in enumerate(sizes):
    assert np.isclose(table[row, strides.index(k)], 1 / k**2, atol=1e-3)
assert all((table[:, column] <= 1 / s**2 + 0.02).all() for column, s in enumerate(strides))
figures.grid(table.round(3), "max pooling: density for k = 2 to 5 (rows) and s = 1 to 5 (columns)")

# %% [markdown]
# > **Side by side the density is $1/K$. With overlap it is more: 0.43 for 2 × 2 windows with stride 1. With gaps
# > between the windows it is less.**
#
# Read down the first column: a larger kernel makes it sparser at the same stride. Read along a row: a larger stride
# makes it sparser too. So the sentence "windows that do not overlap give the highest density" has it the wrong way
# round. On a photograph neighbours resemble each other, and the table looks different again.

# %% name="photograph"
from course_lib.experiments import photograph

photo = photograph("flower", size=(64, 96))[None, None]
on_photo = np.array([[density_of_max(photo, k, s) for s in (1, 2, 3)] for k in (2, 3)])
print("photograph:", on_photo.round(2).tolist())
print("noise:     ", table[:2, :3].round(2).tolist())
assert on_photo[0, 0] > table[0, 0]

# %% [markdown]
# On smooth pictures the maximum of a window tends to sit at its edge, where the picture rises, so neighbouring windows
# have different winners more often. Density depends on the data, and only its bounds do not.
#
# ## Three ways to halve a photograph
#
# Max pooling, average pooling, and a convolution with stride 2 all make 32 × 48 of 64 × 96. Their loss is the same:
# half the sum of the squared outputs, so that each output's upstream gradient is its own value.

# %% name="three-ways"
weight = rng.normal(size=(1, 1, 3, 3))
y, indices = max_pool(photo, 2, return_indices=True)
by_max, by_avg = max_pool_backward(y, indices, photo.shape), avg_pool_backward(y, photo.shape, 2)
strided = conv_backward(conv(photo, weight, stride=2, padding=1), photo, weight, stride=2, padding=1)[0]
print([routing.density(gradient) for gradient in (by_max, by_avg, strided)])
figures.side_by_side(figures.photo_gradient(photo, by_max, "max"), figures.heat(by_avg, "average"))

# %% [markdown]
# One pixel in four gets a gradient from the maximum; all do from the average, and from the strided convolution with a
# kernel of 3. The last is not a law: with a kernel *smaller* than the stride, pixels lie in no window. ResNet's 1 × 1
# convolution with stride 2 reaches a quarter of them.

# %% name="strided"
for k, s in [(1, 2), (2, 3), (2, 2), (3, 2)]:
    held = routing.density(routing.coverage((96, 96), k, s, padding=k // 3))
    print(f"k={k} s={s}: {held:.4f} of the pixels lie in a window")

# %% [markdown]
# ## Which tensor is sparse?
#
# Now a small network: a convolution from 3 to 8 channels, ReLU, and a pool. **Predict** the density of three gradients:
# of the pool's input, of the convolution's *weight*, and of the image in front of the convolution.

# %% name="bet-weight"
predict(
    "08-weight",
    "Of the 216 weights of the convolution in front of a 2 × 2 max pool, how many get the gradient zero?",
    choices=["about three quarters", "about one quarter", "none or hardly any"],
    answer="none or hardly any",
    why="A weight is used at every position of the map, and its gradient is the sum over all of them. Where one "
    "position lost, another one won.",
)

# %% name="layers"
image, weight = rng.normal(size=(4, 3, 32, 32)), rng.normal(size=(8, 3, 3, 3))


def densities(pool_backward):
    """Density of the gradients of pool's input, convolution's output, weight and image."""
    z = conv(image, weight, padding=1)
    grad_pool = pool_backward(np.maximum(z, 0))
    grad_z = grad_pool * (z > 0)
    grad_image, grad_weight, _ = conv_backward(grad_z, image, weight, padding=1)
    names = "pool's input", "before ReLU", "weight", "image"
    return dict(zip(names, map(routing.density, (grad_pool, grad_z, grad_weight, grad_image)), strict=True))


upstream = rng.normal(size=(4, 8, 16, 16))
by_max = densities(lambda a: routing.max_routes(a, 2).backward(upstream))
by_avg = densities(lambda a: avg_pool_backward(upstream, a.shape, 2))
figures.bars({name: {"max": by_max[name], "average": by_avg[name]} for name in by_max}, "density of the gradient")

# %% [markdown]
# The pool's input is where the zeros are. One step further to the front, ReLU adds its own: it stops what comes back to
# a negative number. Then the convolution ends the matter. Its weights sum over all positions, and its backward spreads
# each element over nine pixels of every input channel: both gradients are full.
#
# So three popular sentences are about the wrong tensor. "Three quarters of the *parameters* get no gradient": none
# does. "The *image's* gradient is 75 % zeros": it has none. "Deeper, the sparsity *multiplies*": let us see.


# %% name="depth"
def before_each_pool(x, with_convolutions, stages=4):
    """Density before each pool, from the first to the last; with or without convolutions between."""
    steps = []
    for _ in range(stages):
        kernel = rng.normal(size=(4, 4, 3, 3)) if with_convolutions else None
        z = conv(x, kernel, padding=1) if with_convolutions else x
        y, indices = max_pool(z, 2, return_indices=True)
        steps.append((x, kernel, z.shape, indices))
        x = y
    gradient, found = np.ones_like(x), []
    for x, kernel, shape, indices in reversed(steps):
        gradient = max_pool_backward(gradient, indices, shape)
        found.append(routing.density(gradient))
        gradient = conv_backward(gradient, x, kernel, padding=1)[0] if with_convolutions else gradient
    return found[::-1]


# %% name="depth-picture"
start = rng.normal(size=(1, 4, 64, 64))
towers = {"convolutions between": before_each_pool(start, True), "pools alone": before_each_pool(start, False)}
assert list(towers.values()) == [[1 / 4] * 4, [1 / 256, 1 / 64, 1 / 16, 1 / 4]]
rows = {f"pool {number + 1}": {name: tower[number] for name, tower in towers.items()} for number in range(4)}
figures.bars(rows, "density before each of four pools")

# %% [markdown]
# With convolutions between the pools it is 1/4 before every pool, at any depth. Only pools stacked directly multiply.
#
# ## Does the optimiser idle?
#
# Suppose some weight does get the gradient zero in one step. Does it rest? Plain SGD leaves it where it is. But the
# usual optimisers remember. Here one weight gets the gradient 1 once and then 0 nine times.

# %% name="optimisers"
weights = dict.fromkeys(("SGD", "momentum", "Adam"), 1.0)
velocity = first = second = 0.0
for step, gradient in enumerate([1.0] + [0.0] * 9, 1):
    before = dict(weights)
    velocity = 0.9 * velocity + gradient
    first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
    weights["SGD"] -= 0.1 * gradient
    weights["momentum"] -= 0.1 * velocity
    weights["Adam"] -= 0.1 * (first / (1 - 0.9**step)) / (second / (1 - 0.999**step)) ** 0.5
print("moved in the tenth step:", {name: round(weights[name] - before[name], 4) for name in weights})
assert weights["SGD"] == before["SGD"] and weights["Adam"] < before["Adam"]

# %% [markdown]
# And the time? An optimiser step multiplies and adds whole arrays. It does not look at the values, so zeros are neither
# faster nor slower. The same holds for the convolution's backward. The gradient is a dense array that holds zeros, and
# no framework treats it as a sparse one.

# %% name="time" tags=["nbval-ignore-output"]
from timeit import repeat


def adam(gradient, mean, square):
    mean += 0.1 * (gradient - mean)
    square += 0.001 * (gradient * gradient - square)
    return 0.1 * mean / (square + 1e-8)


full = rng.normal(size=1_000_000)
sparse = full * (rng.random(full.size) < 0.25)
fastest = [min(repeat(lambda g=g: adam(g, 0 * g, 0 * g), number=1, repeat=15)) for g in (full, sparse)]
print(f"time with 75 % zeros over time without zeros: {fastest[1] / fastest[0]:.2f}")
# A band, not a value: the machine may be doing other things.
assert 1 / 4 < fastest[1] / fastest[0] < 4

# %% [markdown]
# ## Norms, and what they do to learning
#
# What does differ is the length. Per window, the maximum passes on $g$; the average passes on $k^2$ pieces of $g/k^2$,
# and the length of these is $g/k$. So with the same upstream gradient the average's input gradient has $1/k$ of the
# norm. At the same learning rate the layers in front take steps $k$ times as short. Who compares the two pools at one
# learning rate compares learning rates. Exercise 9 sweeps it.

# %% name="norms"
for k in (2, 3, 4):
    g, indices = max_pool(noise, k, return_indices=True)
    pair = max_pool_backward(g, indices, noise.shape), avg_pool_backward(g, noise.shape, k)
    lengths = [np.linalg.norm(gradient) / np.linalg.norm(g) for gradient in pair]
    print(f"k={k}: max {lengths[0]:.4g}, average {lengths[1]:.4g}")
    assert np.allclose(lengths, [1, 1 / k])
everywhere = avg_pool_backward(np.ones((1, 1, 1, 1)), (1, 1, 7, 7), 7)
assert np.allclose(everywhere, 1 / 49) and np.isclose(np.linalg.norm(everywhere), 1 / 7) and np.float16(1e-6 / 49) == 0

# %% [markdown]
# A global average is one window of all $N$ elements: each gets $1/N$, and the norm is $1/\sqrt{N}$ of the upstream one.
# For a map of 7 × 7, as many networks end in, that is 1/49 and 1/7. It is even and dense, and in float16 an upstream
# gradient of 0.000001 becomes zero on this way, as the last line asserts.
#
# ## ReLU and max pooling
#
# ReLU before the pool or after it: does the order matter? Not for the values, and not for the gradients: the largest of
# the clipped numbers is the clipped largest. Where both stand, a window passes its gradient on unless all its numbers
# are negative. For four random signs that is one window in 16.
#
# **Predict:** which of these raises the density at the *convolution's output*, which is 0.234 here: dropout behind the
# pool, batch norm behind the pool, a leaky ReLU, or a shortcut that averages around the pool?


# %% name="remedies"
def behind_pool(z, slope=0.0, change=lambda y: np.ones_like(y), shortcut=False):
    """Density of the gradient of z; ``change`` gives the gradient that the layer behind the pool hands back."""
    activated = np.where(z > 0, z, slope * z)
    y, indices = max_pool(activated, 2, return_indices=True)
    gradient = max_pool_backward(change(y), indices, z.shape) * np.where(z > 0, 1, slope)
    return routing.density(gradient + (avg_pool_backward(np.ones_like(y), z.shape, 2) if shortcut else 0))


def batch_norm_backward(y, g=1.0):
    """What a batch norm over samples and positions hands back, for a random upstream gradient."""
    g = np.random.default_rng(0).normal(size=y.shape)
    axes, scaled = (0, 2, 3), (y - y.mean((0, 2, 3), keepdims=True)) / y.std((0, 2, 3), keepdims=True)
    return g - g.mean(axes, keepdims=True) - scaled * (g * scaled).mean(axes, keepdims=True)


# %% name="remedies-picture"
z = rng.normal(size=(8, 4, 64, 64))
remedies = {
    "nothing": behind_pool(z),
    "dropout, half": behind_pool(z, change=lambda y: (rng.random(y.shape) < 0.5) * 2.0),
    "batch norm": behind_pool(z, change=batch_norm_backward),
    "leaky ReLU": behind_pool(z, slope=0.01),
    "shortcut": behind_pool(z, shortcut=True),
}
assert remedies["dropout, half"] < 0.13 and abs(remedies["batch norm"] - remedies["nothing"]) < 1e-3
assert remedies["leaky ReLU"] == 0.25 and remedies["shortcut"] == 1
figures.bars(remedies, "density at the convolution's output", mark=remedies["nothing"])

# %% [markdown]
# Dropout is often sold as a remedy and does the opposite: a dropped output takes its winner along. Batch norm behind
# the pool changes nothing here; nor do the zeros spoil its statistics, for it takes them from the forward. A leaky ReLU
# gives back the sixteenth that ReLU took. A shortcut gives every element a gradient, since its own path is dense.
#
# ## Inputs that never win
#
# Is there a position that never wins, whatever the image? On 1,200 real digits of 8 × 8 pixels, behind a convolution to
# eight channels, there are 512 positions. Some of them never win, as the corners are always empty there.

# %% name="never"
from course_lib.experiments import digits

digit_images = digits().x_train
maps = np.maximum(conv(digit_images, rng.normal(size=(8, 1, 3, 3)), padding=1), 0)
_, indices = max_pool(maps, 2, return_indices=True)
wins = np.zeros((8, 64), int)
for channel in range(8):
    winners = indices[:, channel][max_pool(maps, 2)[:, channel] > 0]
    wins[channel] = np.bincount(winners, minlength=64)
never = np.count_nonzero(wins == 0)
print(f"{never} of {wins.size} positions never win with a value above zero")
figures.heat(wins.sum(axis=0).reshape(8, 8), "wins of each position, all channels", scale="counts")

# %% [markdown]
# Does that leave anything untrained? Not here. The weights of a convolution belong to no position: each meets all the
# winners of its channel. It would matter in a layer with a weight of its own for every position, and such layers are
# rare.
#
# ## Try it

# %% name="widget"
from course_lib.widgets import SparsityExplorer

SparsityExplorer(kernel_size=(2, 3), stride=(2, 1, 3))

# %% [markdown]
# ## What to keep
#
# 1. Max pooling's density is $1/K$ side by side, more with overlap, less with gaps, and never above outputs over
#    inputs.
# 2. The zeros are in the gradient of the *pool's input*. Behind the convolution, and in its weights, there are none.
# 3. Zeros cost no time and save none. What changes learning is the norm: the whole for max, $1/k$ of it for average.
#
# **Next:** exercise 9, [swap the pooling](../exercises/09_swap_the_pooling.ipynb). Then
# [chapter 09, Can it be fast, and on a GPU?](09_can_it_be_fast_and_on_a_gpu.ipynb)
#
# *Photograph: flower by vultilion, CC BY 2.0, from scikit-learn's sample images, made grey and smaller. Digits: E.
# Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.*
