# %% [markdown]
# # 08 · How sparse is the gradient?
#
# Max pooling hands its gradient to winners and gives everybody else zero. Much is said about these zeros: that they
# slow training, starve neurons, and leave the optimiser idle. We count them, layer by layer, and see what is left of
# it.
#
# **You should know** how max and average pooling route a gradient
# ([chapter 02](02_where_does_the_gradient_go.ipynb)), what overlap does
# ([chapter 03](03_what_if_windows_overlap.ipynb)), and how a convolution learns
# ([chapter 06](06_how_does_a_shared_kernel_learn.ipynb)).
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
# holds it. $K = k^2$ is the number of elements in a window.
#
# Average pooling has no winners. Its density is the share of elements that some window holds: all of them if $s \le k$.

# %% name="table"
sizes, strides = (2, 3, 4, 5), (1, 2, 3, 4, 5)
table = np.array([[density_of_max(noise, k, s) for s in strides] for k in sizes])
outputs = np.array([[max_pool(noise, k, s).size for s in strides] for k in sizes])
tiled = [(row, strides.index(k)) for row, k in enumerate(sizes)]
assert all(np.isclose(table[place], 1 / sizes[place[0]] ** 2) for place in tiled)
assert (table <= outputs / noise.size).all()
names = [f"k = {k}" for k in sizes], [f"s = {s}" for s in strides]
figures.shares(table, *names, "density after max pooling", marked=tiled, meaning="windows side by side, 1/K")

# %% [markdown]
# > **Side by side the density is $1/K$. With overlap it is more: 0.43 for 2 × 2 windows with stride 1. With gaps
# > between the windows it is less.**
#
# Read down the first column: a larger kernel makes it sparser at the same stride. Read along a row: a larger stride
# makes it sparser too. So the sentence "windows that do not overlap give the highest density" has it the wrong way
# round. It is the density of one case, and smaller strides give more. On a photograph neighbours resemble each other.
# The table looks different again.

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
named = {"max": by_max, "average": by_avg, "strided convolution": strided}
print({name: routing.density(gradient) for name, gradient in named.items()})

# %% name="three-pictures"
figures.side_by_side(*[figures.heat(gradient, name) for name, gradient in named.items()])

# %% [markdown]
# One pixel in four gets a gradient from the maximum: these are the speckles. All do from the average, and from the
# strided convolution with a kernel of 3. The last is not a law. With a kernel *smaller* than the stride, some pixels
# lie in no window. ResNet's 1 × 1 convolution with stride 2 reaches a quarter of them.

# %% name="strided"
for k, s in [(1, 2), (2, 3), (2, 2), (3, 2)]:
    held = routing.density(routing.coverage((96, 96), k, s, padding=k // 3))
    print(f"k={k} s={s}: {held:.2f} of the pixels lie in a window")
    assert np.isclose(held, min(1, (k / s) ** 2))

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
assert by_max["pool's input"] == 1 / 4 and by_max["weight"] == by_max["image"] == 1
figures.bars({name: {"max": by_max[name], "average": by_avg[name]} for name in by_max}, "density of the gradient")

# %% [markdown]
# The pool's input is where the zeros are. One step further to the front, ReLU adds its own: it stops what comes back to
# a negative number. Then the convolution ends the matter. Its weights sum over all positions, and its backward spreads
# each element over nine pixels of every input channel: both gradients are full. A pixel is never more than one step
# away from the winner of its own 2 × 2 tile, so a 3 × 3 kernel always reaches it. (With larger windows and a single
# channel a few pixels may stay out of reach. The last section shows such a case.)
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
# Suppose some weight does get the gradient zero in one step. Does it rest? **Predict** for three optimisers: plain SGD,
# SGD with momentum, and Adam. One weight gets the gradient 1 once and then 0 nine times. Which of the three still move
# it in the tenth step?

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
# Plain SGD leaves the weight where it is. The other two remember the gradient before.
#
# And the time? An optimiser step multiplies and adds whole arrays. It does not look at the values, so zeros are neither
# faster nor slower. The same holds for the convolution's backward: the gradient is a dense array that holds zeros, and
# is not treated as a sparse one. The cell takes a gradient without zeros, and the same with 75 % zeros.

# %% name="time"
from timeit import repeat


def adam(gradient, mean, square):
    mean += 0.1 * (gradient - mean)
    square += 0.001 * (gradient * gradient - square)
    return 0.1 * mean / (square + 1e-8)


full, kernel = rng.normal(size=(8, 16, 64, 64)), rng.normal(size=(16, 16, 3, 3))
sparse = full * (rng.random(full.shape) < 0.25)
steps = {"SGD": lambda g: 0.1 * g, "Adam": lambda g: adam(g, 0 * g, 0 * g)}
steps["convolution's backward"] = lambda g: conv_backward(g, full, kernel, padding=1)
ratios = {}
for name, step in steps.items():
    dense, holed = (min(repeat(lambda step=step, g=g: step(g), number=1, repeat=9)) for g in (full, sparse))
    ratios[name] = holed / dense

# %% name="time-picture" tags=["nbval-ignore-output"]
# A band, not a value: the machine may be doing other things.
assert all(1 / 4 < ratio < 4 for ratio in ratios.values())
figures.bars(ratios, "time with 75 % zeros, over time without", mark=1)

# %% [markdown]
# ## Norms, and what they do to learning
#
# What does differ is the length. Take windows side by side. Per window, the maximum passes on $g$; the average passes
# on $k^2$ pieces of $g/k^2$, and the length of these is $\sqrt{k^2}\, g/k^2 = g/k$. So with the same upstream gradient
# the average's input gradient has $1/k$ of the norm. At the same learning rate, plain SGD takes steps $k$ times as
# short in the layers in front. Who compares the two pools at one learning rate compares learning rates too. Exercise 9
# sweeps it.

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
# Articles warn of a "double suppression" by ReLU and max pooling. Does the order of the two matter? Not for the values,
# and not for the gradients: the largest of the clipped numbers is the clipped largest.

# %% name="relu"
z, upstream = rng.normal(size=(8, 4, 64, 64)), rng.normal(size=(8, 4, 32, 32))
clipped_first, by_clipped = max_pool(np.maximum(z, 0), 2, return_indices=True)
pooled_first, by_raw = max_pool(z, 2, return_indices=True)
np.testing.assert_array_equal(clipped_first, np.maximum(pooled_first, 0))
# %% name="relu-backward"
relu_then_pool = max_pool_backward(upstream, by_clipped, z.shape) * (z > 0)
pool_then_relu = max_pool_backward(upstream * (pooled_first > 0), by_raw, z.shape)
np.testing.assert_array_equal(relu_then_pool, pool_then_relu)
print(f"density {routing.density(relu_then_pool):.3f}, and 1/4 · 15/16 is {1 / 4 * 15 / 16:.3f}")

# %% [markdown]
# A window passes its gradient on unless all its numbers are negative. For four random signs that is one window in 16,
# so ReLU takes a sixteenth of what the pool left, and no more.
#
# ## Remedies
#
# Several layers are sold as remedies against the zeros. They are measured where the gradient is sparse: at the output
# of the convolution, in front of ReLU and pool.

# %% name="bet-remedy"
predict(
    "08-remedy",
    "Which of these makes the gradient there *sparser* than it was?",
    choices=[
        "dropout behind the pool",
        "batch norm behind the pool",
        "a leaky ReLU in place of ReLU",
        "a shortcut that averages, around the pool",
    ],
    answer="dropout behind the pool",
    why="A dropped output has no gradient, so its winner gets none either. The others add something or change nothing.",
)

# %% [markdown]
# Each layer behind the pool is given by what it hands back to the pool. Dropout hands back zeros for what it dropped.
# Batch norm takes the mean and a part of the scaled input off, and zeros would be an accident.


# %% name="remedies"
def behind_pool(z, slope=0.0, change=lambda y: np.ones_like(y), shortcut=False):
    """Density of the gradient of z; ``change`` gives the gradient that the layer behind the pool hands back."""
    activated = np.where(z > 0, z, slope * z)
    y, indices = max_pool(activated, 2, return_indices=True)
    gradient = max_pool_backward(change(y), indices, z.shape) * np.where(z > 0, 1, slope)
    return routing.density(gradient + (avg_pool_backward(np.ones_like(y), z.shape, 2) if shortcut else 0))


def batch_norm_backward(y):
    """What a batch norm over samples and positions hands back, up to a factor a channel, for a random upstream."""
    g = np.random.default_rng(0).normal(size=y.shape)
    axes, scaled = (0, 2, 3), (y - y.mean((0, 2, 3), keepdims=True)) / y.std((0, 2, 3), keepdims=True)
    return g - g.mean(axes, keepdims=True) - scaled * (g * scaled).mean(axes, keepdims=True)


# %% name="remedies-picture"
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
# Is there a position that never wins, whatever the image? Take real digits of 8 × 8 pixels and a convolution to eight
# channels. For each position, in how many of the eight channels does it never win with a value above zero?

# %% name="never"
from course_lib.experiments import digits

digit_images = digits().x_train
maps = np.maximum(conv(digit_images, rng.normal(size=(8, 1, 3, 3)), padding=1), 0)
y, indices = max_pool(maps, 2, return_indices=True)
wins = np.array([np.bincount(indices[:, c][y[:, c] > 0], minlength=64) for c in range(8)])
never = wins == 0
print(f"{len(digit_images)} digits: {never.sum()} of {wins.size} positions never win")
figures.counts(never.sum(axis=0).reshape(8, 8), "channels in which a position never wins")

# %% [markdown]
# Nearly all lie at the rim, where digits are dark. Does that leave anything untrained? The weights of a convolution
# belong to no position: each meets all the winners of its channel. Give every position weights of its *own* (a locally
# connected layer), and see.

# %% name="own-weights"
padded = np.pad(digit_images, ((0, 0), (0, 0), (1, 1), (1, 1)))
taps = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3)).reshape(-1, 64, 9)
z = np.einsum("npt,cpt->ncp", taps, rng.normal(size=(8, 64, 9))).reshape(maps.shape)
y, indices = max_pool(np.maximum(z, 0), 2, return_indices=True)
upstream, untrained = rng.normal(size=y.shape), {}
grads = {"max": max_pool_backward(upstream, indices, z.shape), "average": avg_pool_backward(upstream, z.shape, 2)}
for name, grad in grads.items():
    grad_z = (grad * (z > 0)).reshape(-1, 8, 64)
    own, shared = (np.einsum(f"ncp,npt->{kept}", grad_z, taps) for kept in ("cpt", "ct"))
    untrained[name] = {"own": 1 - routing.density(own), "shared": 1 - routing.density(shared)}
assert untrained["max"]["own"] > untrained["average"]["own"] and untrained["max"]["shared"] == 0
figures.bars(untrained, "share of weights without any gradient")

# %% [markdown]
# So the sentence "a region that never wins is never trained" is true of layers with weights of their own, and there the
# maximum leaves out more than the average. Of the shared weights it leaves out none.
#
# ## Try it
#
# Put a convolution of one channel in front and compare both gradients. For which k and s does the photograph's gradient
# keep some zeros, and why? Then choose *average*, and find a setting in which it, too, has zeros.

# %% name="widget"
from course_lib.widgets import SparsityExplorer

SparsityExplorer(kernel_size=(2, 3), stride=(2, 1, 3))

# %% [markdown]
# ## What to keep
#
# 1. Max pooling's density is $1/K$ side by side, more with overlap, less with gaps, and never above outputs over
#    inputs.
# 2. The zeros are in the gradient of the *pool's input*. Behind the convolution there are few or none, and in its
#    weights none.
# 3. Zeros cost no time and save none. What changes learning is the norm: for windows side by side the whole for max,
#    $1/k$ of it for average.
#
# **Next:** exercise 9, [swap the pooling](../exercises/09_swap_the_pooling.ipynb). Then
# [chapter 09, Can it be fast, and on a GPU?](09_can_it_be_fast_and_on_a_gpu.ipynb)
#
# *Photograph: flower by vultilion, CC BY 2.0, from scikit-learn's sample images, made grey and smaller. Digits: E.
# Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.*
