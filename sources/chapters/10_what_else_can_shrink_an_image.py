# %% [markdown]
# # 10 · What else can shrink an image?
#
# Max and average pooling are two of about a dozen ways to make a map smaller. They differ in what they cost, in what
# they keep in memory for the backward, and in where they send the gradient. Here they stand side by side.
#
# **You should know** how pooling and convolution send a gradient back (chapters 02 to 06), and what density is
# (chapter 08).
#
# **You will be able to**
# 1. count parameters, multiply-adds and saved bytes of a way to halve a map;
# 2. recognise from a picture of the gradient which way made it;
# 3. say what well-known networks really use, and what speaks for maximum or average.
#
# **Time:** about 40 minutes.
#
# ## A bet on parameters
#
# Many articles say that a convolution with stride 2, in place of a convolution and a pool, saves parameters.

# %% name="bet-parameters"
import numpy as np

from course_lib.widgets import predict

predict(
    "10-parameters",
    "A 3 × 3 convolution from 64 to 128 channels with a max pool behind it becomes the same convolution with stride 2, "
    "without a pool. What happens to the number of parameters?",
    choices=["it falls", "it stays", "it rises"],
    answer="it stays",
    why="A convolution's parameters do not depend on its stride, and a pool has none. What falls is the work: three "
    "quarters of the outputs are not computed at all.",
)

# %% [markdown]
# ## What each way costs
#
# All take a map of 64 channels, 56 × 56, and give 28 × 28. A **multiply-add** is one product and its addition. *Saved*
# is what the backward needs: max pooling an index for each output (8 bytes as int64), an average nothing but shapes, a
# convolution its input.

# %% name="costs"
channels, big, small = 64, 56 * 56, 28 * 28
indices, kept_input = 8 * channels * small, 4 * channels * big
costs = {
    "max pool 2 × 2": (0, 0, indices),
    "average pool 2 × 2": (0, 0, 0),
    "convolution 3 × 3, stride 2": (9 * channels**2 + channels, 9 * channels**2 * small, kept_input),
    "depthwise 3 × 3, stride 2": (9 * channels + channels, 9 * channels * small, kept_input),
    "patch merging to 128": (4 * channels * 128, 4 * channels * 128 * small, kept_input),
}
for name, (parameters, multiply_adds, saved) in costs.items():
    print(f"{name:<28} {parameters:>7,} parameters {multiply_adds / 1e6:>6.2f} M multiply-adds {saved / 1e3:>4.0f} kB")

# %% [markdown]
# *Patch merging* puts the four pixels of a 2 × 2 tile behind each other, 256 channels, and mixes them into 128. It is a
# convolution of 2 × 2 with stride 2 under another name. A *depthwise* convolution has one small kernel for each channel
# and mixes no channels.
#
# A claim of the same family: "pooling reduces the parameters of a network". The convolutions have as many as before.
# Only a linear layer behind the flattened map becomes smaller, and networks with a global average have none that could.

# %% name="ways"
from course_lib import avg_pool, conv, figures, max_pool

rng = np.random.default_rng(10)
x = rng.normal(size=(4, 64, 56, 56)).astype(np.float32)
weight, thin = (rng.normal(size=(64, n, 3, 3)).astype(np.float32) for n in (64, 1))
ways = {"max pool": lambda: max_pool(x, 2, return_indices=True), "average pool": lambda: avg_pool(x, 2)}
ways["convolution"] = lambda: conv(x, weight, stride=2, padding=1)
ways["depthwise"] = lambda: conv(x, thin, stride=2, padding=1, groups=64)

# %% name="times" tags=["nbval-ignore-output"]
from timeit import repeat

seconds = {name: min(repeat(way, number=1, repeat=5)) for name, way in ways.items()}
assert 0 < min(seconds.values()) <= max(seconds.values()) < 2
figures.bars({name: s / seconds["average pool"] for name, s in seconds.items()}, "forward time, average pool = 1")

# %% [markdown]
# Times are those of the course's own NumPy code on the machine that ran the cell, and other libraries rank them
# otherwise. A depthwise convolution, for one, has 1/64 of the multiply-adds and not 1/64 of the time: it does little
# with each number that it reads.
#
# ## One picture for each gradient
#
# A real digit of 8 × 8 pixels is made smaller in eight ways. The loss is half the sum of the squared outputs. These
# are the gradients of the pixels. **Predict** before you run it: which will have zeros?

# %% name="family"
import course_lib as lib
from course_lib import conv_backward, max_pool_backward, routing
from course_lib.experiments import digits

digit = digits().x_train[1:2]
weight = np.array([[[[1.0, 2, 1], [2, 4, 2], [1, 2, 1]]]]) / 16


# %% name="family-of-two"
def of_max(pool, *arguments, **options):
    """Gradient of half the squared outputs of some max pooling."""
    y, indices = pool(digit, *arguments, return_indices=True, **options)
    return max_pool_backward(y, indices, digit.shape)


def of_conv(**geometry):
    """Gradient of half the squared outputs of a convolution with a blurring kernel."""
    return conv_backward(conv(digit, weight, **geometry), digit, weight, **geometry)[0]


# %% [markdown]
# Eight maps of gradients; the first row selects, the second row mixes.

# %% name="family-picture"
gradients = {
    "max, tiles": of_max(max_pool, 2),
    "max, k=3 s=2": of_max(max_pool, 3, 2, 1),
    "max, fractional": of_max(lib.fractional_max_pool, 2, output_size=5, rng=np.random.default_rng(3)),
    "max, global": of_max(max_pool, 8),
    "average, tiles": lib.avg_pool_backward(avg_pool(digit, 2), digit.shape, 2),
    "average, adaptive 3": lib.adaptive_avg_pool_backward(lib.adaptive_avg_pool(digit, 3), digit.shape),
    "norm, p=3": lib.lp_pool_backward(lib.lp_pool(digit, 3, 2), digit, 3, 2),
    "strided convolution": of_conv(stride=2, padding=1),
}
maps = [figures.heat(gradient, name) for name, gradient in gradients.items()]
figures.stacked(figures.side_by_side(*maps[:4]), figures.side_by_side(*maps[4:]))

# %% [markdown]
# In the upper row only winners have a gradient. Overlapping windows (k=3, s=2) let a bright pixel win several times.
# *Fractional* pooling has windows of one size whose starts are uneven steps apart; it interpolates nothing. *Global*
# pooling is one window: one pixel gets it all.
#
# In the lower row the average spreads evenly within its windows. *Adaptive* pooling is told how many outputs it should
# have; from 8 to 3 its windows overlap by a pixel, and you see where. The norm of order 3 lies between average and
# maximum. The strided convolution has a gradient wherever a window reads.

# %% name="densities"
shares = {name: routing.density(gradient) for name, gradient in gradients.items()}
print({name: round(share, 2) for name, share in shares.items()})
dark = np.count_nonzero(digit == 0) / digit.size
print(f"dark pixels: {dark:.2f}")
assert shares["max, global"] == 1 / 64 and shares["max, tiles"] <= 1 / 4

# %% [markdown]
# (Some tiles of a digit are all dark. Their output is 0, so with this loss their upstream gradient is 0 too.)
#
# ## From average to maximum
#
# **Lp pooling** takes $(\sum |x|^p)^{1/p}$ of a window. With $p = 1$ it is the sum. The larger $p$, the more the
# largest element counts. Its gradient is $\operatorname{sign}(x)\,(|x| / y)^{p-1}$ times the upstream gradient: a soft
# version of "all to the winner". Watch it become hard.

# %% name="lp"
window = np.array([[1.0, 4], [3, 2]])[None, None]
one = np.ones((1, 1, 1, 1))
orders = {p: lib.lp_pool_backward(one, window, p, 2) for p in (1, 2, 8, 64)}
np.testing.assert_allclose(orders[64], max_pool_backward(one, np.array([[[[1]]]]), window.shape), atol=1e-7)
figures.side_by_side(*(figures.gradient(gradient.round(2), f"p = {p}") for p, gradient in orders.items()))

# %% [markdown]
# ## Two relatives: unpooling and dilation
#
# **Unpooling** goes the other way: it writes each value to the place that an index names. Its backward reads the
# upstream gradient at these places. **Dilation** does not shrink; it spreads a kernel's taps, so that the map can stay
# large while windows see far. Its gradient goes to the taps, and with $d = 2$ a window's taps lie on every second
# pixel.

# %% name="relatives"
y, indices = max_pool(digit, 4, return_indices=True)
unpooled = lib.max_unpool(y, indices, digit.shape)
read_back = lib.max_unpool_backward(np.arange(64.0).reshape(digit.shape), indices)
np.testing.assert_array_equal(read_back, indices)
one_output = np.eye(16)[10].reshape(1, 1, 4, 4)
dilated = conv_backward(one_output, digit, weight, dilation=2)[0]
figures.side_by_side(figures.heat(unpooled, "unpooled", scale="counts"), figures.heat(dilated, "one output, d = 2"))

# %% [markdown]
# ## What well-known networks do
#
# | network | how it shrinks | often said wrongly |
# |---|---|---|
# | AlexNet (2012) | max pool, 3 × 3, stride 2 | "overlap gains 0.4 % of top-5": top-1, in the paper's section 3.4 |
# | VGG (2014) | five max pools, 2 × 2 | "strided convolutions": all have stride 1 |
# | ResNet (2015) | stride-2 convolutions, one max pool 3 × 3 at the start | "no pool" |
# | EfficientNet (2019) | stride-2 depthwise convolutions | "max pools of 2 × 2, then 3 × 3" |
# | ViT (2020) | once: a convolution as large as its stride | "patch merging", which is Swin's |
# | Swin (2021) | patch merging between stages | "shifted windows", which are for attention |
# | ConvNeXt (2022) | 2 × 2 convolutions with stride 2, after a norm | "depthwise": its 7 × 7 have stride 1 |
#
# Most end in a **global average**, which turns each channel into one number whatever the size of the map.
#
# Three things that are named beside these. **Maxout** takes the maximum over channels, not places; its gradient goes to
# one branch, like a max pool's. **Deformable convolution** learns by how much each tap is moved, reads between pixels,
# and so has a gradient for positions too; it replaces convolutions, not pools. **ELU** is an activation that is
# negative below zero, so its mean is nearer zero than ReLU's, not farther:

# %% name="elu"
z = rng.normal(size=1_000_000)
means = {"ReLU": np.maximum(z, 0).mean(), "ELU": np.where(z > 0, z, np.expm1(np.minimum(z, 0))).mean()}
print({name: f"{mean:.2f}" for name, mean in means.items()})
assert 0 < means["ELU"] < means["ReLU"] / 2

# %% [markdown]
# ## When max, when average?
#
# "Max pooling is robust to noise." "Average pooling is." "Max pooling makes a network tolerate shifts." All are said.
# Measure. Sixteen random 3 × 3 kernels and ReLU see 1,200 digits. A map of each is halved in three ways, and a linear
# readout is fitted by least squares. Then 597 other digits come: as they are, moved by one pixel, with one pixel in
# twenty white, and with normal noise.

# %% name="bet-shift"
predict(
    "10-shift",
    "Trained on digits in place, tested on digits moved by one pixel: how much is left of about 98 % right answers, at "
    "best?",
    choices=["nearly all", "about three quarters of them", "about a tenth of them"],
    answer="about three quarters of them",
    why="A pool forgives a shift inside a window. One pixel is half a window here, and half of what is large crosses "
    "into the next window.",
)


# %% name="readout"
def features(way, kernels, x):
    """Halved maps of random kernels, flat, and a one for the bias."""
    maps = way(np.maximum(conv(x, kernels, padding=1), 0))
    return np.c_[maps.reshape(len(x), -1), np.ones(len(x))]


def accuracies(way, tests, seed):
    """Share of right answers on each test, after a linear readout was fitted."""
    kernels, data = np.random.default_rng(seed).normal(size=(16, 1, 3, 3)), digits()
    inputs = features(way, kernels, data.x_train)
    normal = inputs.T @ inputs + np.eye(inputs.shape[1])
    readout = np.linalg.solve(normal, inputs.T @ np.eye(10)[data.y_train])
    guesses = {name: (features(way, kernels, x) @ readout).argmax(axis=1) for name, x in tests.items()}
    return {name: np.mean(guess == data.y_test) for name, guess in guesses.items()}


# %% [markdown]
# The four tests, and the three ways to halve a map. The last of them only takes every second number, as a convolution
# with stride 2 does.

# %% name="tests"
x_test = digits().x_test
white, normal = rng.random(x_test.shape) < 1 / 20, rng.normal(size=x_test.shape)
tests = {"as they are": x_test, "moved": np.roll(x_test, 1, axis=3)}
tests |= {"white pixels": np.where(white, 1, x_test), "noise": x_test + 0.3 * normal}
ways = {
    "max": lambda a: max_pool(a, 2),
    "average": lambda a: avg_pool(a, 2),
    "every second": lambda a: a[:, :, ::2, ::2],
}

# %% name="robustness" tags=["nbval-ignore-output"]
found = {way: [accuracies(halve, tests, seed) for seed in range(3)] for way, halve in ways.items()}
table = {name: {way: np.mean([run[name] for run in runs]) for way, runs in found.items()} for name in tests}
moved, spoilt = table["moved"], table["white pixels"]
assert min(table["as they are"].values()) > 0.95 and spoilt["average"] > spoilt["max"]
assert 0.85 > moved["average"] > moved["max"] > moved["every second"]
figures.bars(table, "share of right answers, mean of three seeds")

# %% [markdown]
# With digits in place all three are alike. Moved by a pixel, all lose much, and taking every second number loses most,
# since it looks at one place only. Here the average tolerates both the shift and the white pixels better: one white
# pixel *is* the maximum of its windows, and a quarter of their mean.
#
# The kernels were random here, and nothing before the pool was trained. A trained network can learn features that suit
# its pool, and then the order may change. So the honest answer to "which is better?" is a table like this one, for your
# data and your network, with the learning rate chosen for each (exercise 9).
#
# ## Your turn
#
# A map of 32 channels, 40 × 40, float32, is halved. Give these numbers, and one letter.
#
# * `conv_parameters`: of a 3 × 3 convolution with stride 2, 32 to 32 channels, with bias
# * `depthwise_parameters`: of a depthwise 3 × 3 convolution with stride 2, with bias
# * `index_bytes`: what max pooling with 2 × 2 tiles saves as int64 indices, for one sample
# * `adaptive_gradient`: the gradient of five numbers under adaptive average pooling to two outputs, upstream [6, 12]
#
# `uses`: which is true?
# * **a** VGG shrinks its maps by convolutions with stride 2.
# * **b** EfficientNet shrinks its maps by max pools.
# * **c** ConvNeXt shrinks its maps by 2 × 2 convolutions with stride 2.
# * **d** ViT merges patches between its stages.

# %% name="check"
from course_lib.exercises import check

check("10", conv_parameters=None, depthwise_parameters=None, index_bytes=None, adaptive_gradient=None, uses=None)

# %% [markdown]
# `hint("10")`, after `from course_lib.exercises import hint`, helps three times.
#
# ## What to keep
#
# 1. Pools have no parameters; strided convolutions have as many as others. What differs is work, memory and gradient.
# 2. Selecting gives a sparse gradient, mixing a dense one; Lp pooling leads from one to the other.
# 3. "More robust" is a statement about data, noise and training. Ask for the table.
#
# **Next:** [chapter 11, What does this do in a multimodal model?](11_what_does_this_do_in_a_multimodal_model.ipynb)
#
# *Digits: E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.*
