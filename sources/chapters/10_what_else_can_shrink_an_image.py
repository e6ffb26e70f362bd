# %% [markdown]
# # 10 · What else can shrink an image?
#
# Max and average pooling are two of about a dozen ways to make a map smaller. They differ in what they cost, in what
# they keep in memory for the backward, and in where they send the gradient. Here they stand side by side.
#
# **You should know** how pooling and convolution send a gradient back (chapters
# [02](02_where_does_the_gradient_go.ipynb) to [06](06_how_does_a_shared_kernel_learn.ipynb)), and what density is
# ([chapter 08](08_how_sparse_is_the_gradient.ipynb)).
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
# All take a map of 64 channels, 56 × 56, and give 28 × 28. Three are convolutions with stride 2. A *depthwise* one has
# one small kernel for each channel and mixes no channels. *Patch merging* puts the four pixels of a 2 × 2 tile behind
# each other, 256 channels, and mixes them into 128: a convolution of 2 × 2 with stride 2 under another name.

# %% name="ways"
from course_lib import avg_pool, avg_pool_backward, conv, conv_backward, figures, max_pool, max_pool_backward, routing

rng = np.random.default_rng(10)
x = rng.normal(size=(1, 64, 56, 56)).astype(np.float32)
shapes = {"convolution 3 × 3": (64, 64, 3, 3), "depthwise 3 × 3": (64, 1, 3, 3), "patch merging": (128, 64, 2, 2)}
weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
options = {name: {"stride": 2, "padding": k // 3, "groups": 64 // c} for name, (_, c, k, _) in shapes.items()}

# %% [markdown]
# A **multiply-add** is one product and its addition. *Saved* is what the backward cannot do without: max pooling an
# index for each output (8 bytes as int64), an average nothing but shapes, a convolution its input. *Density* is that of
# the input's gradient, from an upstream gradient without zeros.

# %% name="costs"
y, indices = max_pool(x, 2, return_indices=True)
gradients = {
    "max pool 2 × 2": max_pool_backward(y, indices, x.shape),
    "average pool 2 × 2": avg_pool_backward(y, x.shape, 2),
}
costs = {"max pool 2 × 2": (0, 0, indices.nbytes), "average pool 2 × 2": (0, 0, 0)}
for name, weight in weights.items():
    y = conv(x, weight, **options[name])
    gradients[name] = conv_backward(y, x, weight, **options[name])[0]
    biases = 0 if name == "patch merging" else len(weight)
    costs[name] = weight.size + biases, y.size * weight[0].size, x.nbytes

# %% name="costs-table"
print(f"{'':<20}parameters  multiply-adds   saved  density")
for name, (parameters, multiply_adds, saved) in costs.items():
    density = routing.density(gradients[name])
    print(f"{name:<20}{parameters:>10,} {multiply_adds / 1e6:>12.2f} M {saved / 1e3:>4.0f} kB {density:>8.2f}")

# %% [markdown]
# A claim of the same family: "pooling reduces the parameters of a network". The convolutions have as many as before.
# Only a linear layer behind the flattened map becomes smaller, and networks with a global average have none that could.
#
# What must be saved is one thing, and what a library does save another. PyTorch's pools keep their input as well.

# %% name="saved" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed, so this measurement is left out.")
else:
    kept, leaf = {}, torch.tensor(x, requires_grad=True)
    for pool in (torch.nn.MaxPool2d(2), torch.nn.AvgPool2d(2)):
        blocks = {}
        with torch.autograd.graph.saved_tensors_hooks(lambda t, b=blocks: b.update({t.data_ptr(): t.nbytes}), id):
            pool(leaf)
        kept[type(pool).__name__] = sum(blocks.values())
    assert kept == {"MaxPool2d": x.nbytes + indices.nbytes, "AvgPool2d": x.nbytes}
    print({name: f"{size / 1e3:.0f} kB" for name, size in kept.items()})

# %% [markdown]
# And the time? Multiply-adds are a bad guess at it, as the depthwise convolution shows.

# %% name="times" tags=["nbval-ignore-output"]
from timeit import repeat

calls = {"max pool 2 × 2": lambda: max_pool(x, 2, return_indices=True), "average pool 2 × 2": lambda: avg_pool(x, 2)}
calls |= {name: lambda name=name: conv(x, weights[name], **options[name]) for name in weights}
seconds = {name: min(repeat(call, number=1, repeat=9)) for name, call in calls.items()}
assert seconds["depthwise 3 × 3"] > seconds["convolution 3 × 3"] / 32
figures.bars({name: 1000 * second for name, second in seconds.items()}, "forward", unit="ms")

# %% [markdown]
# Times are those of the course's own NumPy code on the machine that ran the cell, and other libraries rank them
# otherwise. The depthwise convolution has 1/64 of the multiply-adds and far more than 1/64 of the time: it does little
# with each number that it reads.
#
# ## One picture for each gradient
#
# A real digit of 8 × 8 pixels is sent through twelve ways. The loss is half the sum of the squared outputs. These are
# the gradients of the pixels. **Predict** before you run it: which will have zeros?

# %% name="family"
import course_lib as lib
from course_lib.experiments import digits

digit = digits().x_train[1:2]
blur = np.array([[[[1.0, 2, 1], [2, 4, 2], [1, 2, 1]]]]) / 16


# %% name="family-of-two"
def of_max(pool, *arguments, **options):
    """Gradient of half the squared outputs of some max pooling."""
    y, indices = pool(digit, *arguments, return_indices=True, **options)
    return max_pool_backward(y, indices, digit.shape)


def of_conv(weight, **geometry):
    """Gradient of half the squared outputs of a convolution."""
    return conv_backward(conv(digit, weight, **geometry), digit, weight, **geometry)[0]


# %% [markdown]
# Twelve maps of gradients: the first row selects, the second row averages, and the third are convolutions. The digit
# has one channel, so its depthwise convolution is the strided one.

# %% name="family-pools"
gradients = {
    "max, tiles": of_max(max_pool, 2),
    "max, k=3 s=2": of_max(max_pool, 3, 2, 1),
    "max, fractional": of_max(lib.fractional_max_pool, 2, output_size=5, rng=np.random.default_rng(3)),
    "max, global": of_max(lib.global_max_pool),
    "average, tiles": avg_pool_backward(avg_pool(digit, 2), digit.shape, 2),
    "average, adaptive 3": lib.adaptive_avg_pool_backward(lib.adaptive_avg_pool(digit, 3), digit.shape),
    "average, global": lib.adaptive_avg_pool_backward(lib.global_avg_pool(digit), digit.shape),
    "norm, p=3": lib.lp_pool_backward(lib.lp_pool(digit, 3, 2), digit, 3, 2),
}

# %% name="family-picture"
gradients |= {
    "strided, k=3 s=2": of_conv(blur, stride=2, padding=1),
    "strided, k=1 s=2": of_conv(np.ones((1, 1, 1, 1)), stride=2),
    "patch merging": of_conv(np.random.default_rng(5).normal(size=(2, 1, 2, 2)), stride=2),
    "dilated, d=2": of_conv(blur, dilation=2),
}
maps = [figures.heat(gradient, name) for name, gradient in gradients.items()]
figures.stacked(*(figures.side_by_side(*maps[start : start + 4]) for start in (0, 4, 8)))

# %% [markdown]
# In the upper row only winners have a gradient. Overlapping windows (k=3, s=2) let a bright pixel win several times.
# *Fractional* pooling has windows of one size whose starts are uneven steps apart; it interpolates nothing. *Global*
# pooling is one window: one pixel gets it all.
#
# In the second row the average spreads evenly within its windows. *Adaptive* pooling is told how many outputs it should
# have; from 8 to 3 its windows overlap by a pixel, and you see where. The *global* average gives every pixel the same.
# The norm of order 3 lies between average and maximum.
#
# In the third row a gradient is wherever a window reads. With k = 1 and s = 2 windows leave three pixels of four out.
# Patch merging has signs, as its weights have. Dilation spreads the taps.

# %% name="densities"
shares = {name: routing.density(gradient) for name, gradient in gradients.items()}
print({name: round(share, 2) for name, share in shares.items()})
dark = np.count_nonzero(digit == 0) / digit.size
print(f"dark pixels: {dark:.2f}")
assert shares["max, global"] == 1 / 64 and shares["average, global"] == 1
assert shares["max, tiles"] <= 1 / 4 and shares["strided, k=1 s=2"] <= 1 / 4

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
# upstream gradient at these places. **Dilation** spreads a kernel's taps, so that the map can stay large while windows
# see far. Its gradient goes to the taps, and with $d = 2$ a window's taps lie on every second pixel. The picture shows
# the gradient of one output.

# %% name="relatives"
y, indices = max_pool(digit, 4, return_indices=True)
unpooled = lib.max_unpool(y, indices, digit.shape)
read_back = lib.max_unpool_backward(np.arange(64.0).reshape(digit.shape), indices)
np.testing.assert_array_equal(read_back, indices)
one_output = np.eye(16)[10].reshape(1, 1, 4, 4)
dilated = conv_backward(one_output, digit, blur, dilation=2)[0]
figures.side_by_side(figures.heat(unpooled, "unpooled", scale="counts"), figures.heat(dilated, "one output, d = 2"))

# %% [markdown]
# ## What well-known networks do
#
# | network | how it shrinks | often said wrongly |
# |---|---|---|
# | AlexNet (2012) | max pool, 3 × 3, stride 2 | "overlap gains 0.4 % of top-5": 0.3; of top-1 it is 0.4 (section 3.4) |
# | VGG (2014) | five max pools, 2 × 2 | "strided convolutions": all have stride 1 |
# | ResNet (2015) | stride-2 convolutions, one max pool 3 × 3 at the start | "no pool" |
# | EfficientNet (2019) | behind a strided stem: stride-2 depthwise convolutions | "max pools of 2 × 2, then 3 × 3" |
# | ViT (2020) | once: a convolution as large as its stride | "patch merging", which is Swin's |
# | Swin (2021) | behind a strided stem: patch merging between stages | "shifted windows", which are for attention |
# | ConvNeXt (2022) | behind a strided stem: 2 × 2 convolutions, stride 2 | "depthwise": its 7 × 7 have stride 1 |
#
# A **stem** is the convolution with which a network begins. EfficientNet's is 3 × 3 with stride 2, those of Swin and
# ConvNeXt are 4 × 4 with stride 4. Before each of ConvNeXt's 2 × 2 convolutions stands a norm. ResNet, EfficientNet,
# Swin and ConvNeXt end in a **global average**, which turns each channel into one number whatever the size of the map.
#
# Three things are often named beside these.
#
# **Maxout** is an activation that takes the maximum over channels, not places. Its gradient goes to one of the channels
# that compete, like a max pool's. So it does not avoid the zeros of a max pool, as some say: it makes more of them.
#
# **Deformable convolution** learns by how much each tap is moved. It reads between pixels, and so has a gradient for
# positions too. It replaces convolutions, not pools.
#
# **ELU** is an activation that is negative below zero. Some call it less centred than ReLU. Its mean is nearer zero:

# %% name="elu"
z = rng.normal(size=1_000_000)
pairs = z.reshape(1, 1, -1, 2)
y, indices = max_pool(pairs, (1, 2), return_indices=True)
print("maxout of two channels, density:", routing.density(max_pool_backward(y, indices, pairs.shape)))
means = {"ReLU": np.maximum(z, 0).mean(), "ELU": np.where(z > 0, z, np.expm1(np.minimum(z, 0))).mean()}
print({name: f"{mean:.2f}" for name, mean in means.items()})
assert 0 < means["ELU"] < means["ReLU"] / 2

# %% [markdown]
# ## When max, when average?
#
# "Max pooling is robust to noise." "Average pooling is." "Max pooling makes a network tolerate shifts." All are said.
# Measure, and first the pools alone, on 597 digits. One pixel in twenty becomes white, or black, or normal noise comes
# to all. The harm is the mean squared change of the outputs.

# %% name="harm"
x_test = digits().x_test
hit, normal = rng.random(x_test.shape) < 1 / 20, rng.normal(size=x_test.shape)
spoilt = {"white": np.where(hit, 1, x_test), "black": np.where(hit, 0, x_test), "noise": x_test + 0.3 * normal}
harm = {}
for name, digits_now in spoilt.items():
    harm[name] = [((pool(digits_now, 2) - pool(x_test, 2)) ** 2).mean() for pool in (max_pool, avg_pool)]
    print(f"{name}: max {harm[name][0]:.2g}, average {harm[name][1]:.2g}")
assert min(harm[name][0] / harm[name][1] for name in ("white", "noise")) > 3
assert harm["black"][0] < harm["black"][1]

# %% [markdown]
# A bright outlier becomes the maximum of its window, and is only a part of its mean. A dark one the maximum passes
# over, unless it falls on the winner. In these thin strokes that is often, so the mean suffers only a little more. In a
# photograph, where neighbours are alike, it suffers far more ([chapter 12](12_which_of_these_claims_are_true.ipynb),
# claim 17). So which of the two is robust depends on the sign of the noise.
#
# Then with layers around the pools. Sixteen random 3 × 3 kernels and ReLU see 1,200 other digits. A map of each is
# halved in three ways, and a linear readout is fitted by least squares. Then the 597 digits come: as they are, moved by
# one pixel, and spoilt in the three ways.

# %% name="bet-shift"
predict(
    "10-shift",
    "Trained on digits in place, tested on digits moved by one pixel: how much is left of about 98 % right answers, at "
    "best?",
    choices=["nearly all", "about three quarters of them", "about a tenth of them"],
    answer="about three quarters of them",
    why="A pool forgives a shift inside a window. One pixel is half a window here, so about half of the maxima cross "
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
# The five tests, and the three ways to halve a map. The last of them only takes every second number, as a convolution
# with stride 2 does.

# %% name="tests"
tests = {"as they are": x_test, "moved": np.roll(x_test, 1, axis=3), **spoilt}
ways = {
    "max": lambda a: max_pool(a, 2),
    "average": lambda a: avg_pool(a, 2),
    "every second": lambda a: a[:, :, ::2, ::2],
}

# %% name="robustness" tags=["nbval-ignore-output"]
found = {way: [accuracies(halve, tests, seed) for seed in range(3)] for way, halve in ways.items()}
table = {name: {way: np.mean([run[name] for run in runs]) for way, runs in found.items()} for name in tests}
moved = table["moved"]
assert min(table["as they are"].values()) > 0.95 and 0.85 > moved["average"] > moved["max"] > moved["every second"]
assert all(table[name]["average"] > table[name]["max"] for name in spoilt)
figures.bars(table, "share of right answers, mean of three seeds")

# %% [markdown]
# With digits in place all three are alike. Moved by a pixel, all lose much, and taking every second number loses most,
# since it looks at one place only. Here the average tolerates the shift, the white pixels and the noise better. And the
# black pixels too, although the maximum alone passes over them: the kernels have weights of both signs, and a dark
# pixel under a negative weight makes the map brighter.
#
# The kernels were random here, and nothing before the pool was trained. A trained network can learn features that suit
# its pool, and then the order may change. So the honest answer to "which is better?" is a table like this one, for your
# data and your network, with the learning rate chosen for each
# ([exercise 9](../exercises/09_swap_the_pooling.ipynb)).
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
