# %% [markdown]
# # 06 · How does a shared kernel learn?
#
# A convolution uses the same few weights at every place of an image. Each place has its own opinion of how a weight
# should change. How do these opinions become one gradient, and what goes back to the image?
#
# **You should know** what an upstream gradient is ([chapter 02](02_where_does_the_gradient_go.ipynb)), and why
# gradients add where windows overlap ([chapter 03](03_what_if_windows_overlap.ipynb)).
#
# **You will be able to**
# 1. derive all three gradients of a convolution from one formula, and code them as loops and as a matrix product;
# 2. say why the weight's gradient is a sum, and why nothing is divided by the batch size at its end;
# 3. turn the kernel the right way round, with stride, padding, dilation and groups.
#
# **Time:** about 40 minutes.
#
# ## A bet first
#
# An input of four rows and three columns, and a kernel of three rows and two columns. Nothing is square, so that rows
# and columns cannot be mixed up unseen. The kernel fits at four places; each gave one output, and for each output a
# number came back from upstream.

# %% name="bet"
import numpy as np

from course_lib import conv, conv_backward, conv_transpose, figures, routing

x = np.array([[1.0, 0, 2], [3, 1, 0], [0, 2, 1], [2, 0, 3]])
weight = np.array([[1.0, -1], [0, 2], [3, 1]])
grad_output = np.array([[2.0, -1], [1, 3]])
figures.side_by_side(figures.grid(x, "x"), figures.grid(weight, "weight"), figures.gradient(grad_output, "grad_output"))

# %% name="predict-corner"
from course_lib.widgets import predict

predict("06-corner", "What is the gradient of the weight in the upper left?",
        number="", answer=8,
        why="It met 1, 0, 3 and 1, one at each place. Times 2, −1, 1 and 3 that is 2 − 0 + 3 + 3 = 8.")  # fmt: skip

# %% [markdown]
# ## One formula
#
# Lay the kernel on the input with its corner at row $r$, column $s$. Multiply what lies on each other, and add:
#
# $$\texttt{y}[r, s] = \texttt{bias} + \sum_{u,\,v} \texttt{x}[r + u,\ s + v]\;\texttt{weight}[u, v]$$
#
# $u$ and $v$ count the rows and columns of the kernel, $r$ and $s$ those of the output; all begin at 0. (Strictly this
# is cross-correlation. A convolution in the mathematical sense would turn the kernel first. The whole field says
# convolution, and so do we.)

# %% name="forward"
y = np.zeros((2, 2))
for r, s in np.ndindex(2, 2):
    for u, v in np.ndindex(3, 2):
        y[r, s] += x[r + u, s + v] * weight[u, v]
np.testing.assert_array_equal(y, conv(x[None, None], weight[None, None])[0, 0])
y

# %% [markdown]
# Every product in this sum is a meeting of one input element, one weight and one output. Write it down as a triple:
#
# $$\texttt{x}[r + u,\ s + v] \quad\text{meets}\quad \texttt{weight}[u, v] \quad\text{in}\quad \texttt{y}[r, s].$$
#
# Now read the triple in three ways. How fast does the output rise with the *weight*? As fast as the input element it
# meets is large. How fast with the *input element*? As fast as the weight is large. With the *bias*? One to one. Each
# time the upstream gradient of the output is multiplied on, and everything is added where it belongs. That is the whole
# backward:


# %% name="loops"
def conv_backward_loops(grad_output, x, weight):
    grad_input, grad_weight, grad_bias = np.zeros_like(x), np.zeros_like(weight), 0.0
    for r, s in np.ndindex(grad_output.shape):
        upstream = grad_output[r, s]
        grad_bias += upstream
        for u, v in np.ndindex(weight.shape):
            grad_weight[u, v] += upstream * x[r + u, s + v]
            grad_input[r + u, s + v] += upstream * weight[u, v]
    return grad_input, grad_weight, grad_bias


by_loops = conv_backward_loops(grad_output, x, weight)
titles = "grad_input", "grad_weight"
figures.side_by_side(*[figures.gradient(array, title) for array, title in zip(by_loops[:2], titles, strict=True)])

# %% [markdown]
# Trust no derivation without a nudge. The loss that has our upstream gradient is $L = \sum \texttt{grad\_output} \cdot
# \texttt{y}$. It is linear in each input element and in each weight, so even a nudge of 1 measures the slope exactly.


# %% name="nudge"
def nudged(loss, array):
    gradient = np.zeros_like(array)
    for place in np.ndindex(array.shape):
        nudge = np.zeros_like(array)
        nudge[place] = 1
        gradient[place] = (loss(array + nudge) - loss(array - nudge)) / 2
    return gradient


def loss(x, weight):
    return (grad_output * conv(x[None, None], weight[None, None])[0, 0]).sum()


grad_input, grad_weight, grad_bias = by_loops
np.testing.assert_array_equal(nudged(lambda moved: loss(moved, weight), x), grad_input)
np.testing.assert_array_equal(nudged(lambda moved: loss(x, moved), weight), grad_weight)
print(f"upper left: {grad_weight[0, 0]:g}, bias: {grad_bias:g}")

# %% [markdown]
# ## The weight: a sum over all its meetings
#
# Which input elements does one weight meet? Slide the kernel over its four places and watch only that weight. It walks
# over a piece of the input of the *output's* shape. Here are the pieces of all six weights.

# %% name="pieces"
pieces = [figures.grid(x, f"weight ({u}, {v})", windows=[(u, v, 2, 2)]) for u, v in np.ndindex(3, 2)]
figures.stacked(figures.side_by_side(*pieces[0::2], gap=1.6), figures.side_by_side(*pieces[1::2], gap=1.6))

# %% [markdown]
# Multiply each piece with the upstream gradient and add: that is `grad_weight`. So it is a convolution itself, of `x`
# with `grad_output` as the kernel:
#
# $$\texttt{grad\_weight}[u, v] = \sum_{r,\,s} \texttt{grad\_output}[r, s]\;\texttt{x}[r + u,\ s + v]$$
#
# Why a sum? Suppose for a moment that each of the four places had its own copy of the kernel. Each copy would get its
# own gradient: the window it saw, times one upstream number. Here are the four.

# %% name="copies"
seen = np.lib.stride_tricks.sliding_window_view(x, (3, 2))
copies = grad_output[:, :, None, None] * seen
np.testing.assert_array_equal(copies.sum(axis=(0, 1)), conv(x[None, None], grad_output[None, None])[0, 0])
np.testing.assert_array_equal(copies.sum(axis=(0, 1)), grad_weight)
names = [f"place ({r}, {s})" for r, s in np.ndindex(2, 2)]
figures.added(copies.reshape(4, 3, 2), [(0, 0, 3, 2)] * 4, names, "grad_weight")

# %% [markdown]
# In truth the four copies are one variable. Move it, and all four move at once; the loss changes by all four effects
# together. That is why the gradients are added, and not averaged, and why no single place decides. A weight is one
# variable that is used many times.
#
# A batch changes nothing in this thought. The weights are shared by all samples too, so the sum also runs over the
# samples $n$. With input channels $c$ and output channels $o$, the whole formula and its two sums are:
#
# $$\texttt{y}[n, o, r, s] = \texttt{bias}[o] + \sum_{c,\,u,\,v} \texttt{x}[n, c, r + u, s + v]\;
#   \texttt{weight}[o, c, u, v]$$
#
# $$\texttt{grad\_weight}[o, c, u, v] = \sum_{n,\,r,\,s} \texttt{grad\_output}[n, o, r, s]\;
#   \texttt{x}[n, c, r + u, s + v]$$
#
# $$\texttt{grad\_bias}[o] = \sum_{n,\,r,\,s} \texttt{grad\_output}[n, o, r, s]$$
#
# The letters of the result stay; all others are summed. And look at what is *not* in the formula: the gradient of the
# input. Some articles compute the weight's gradient from it. It takes only `x` and `grad_output`, and a first layer
# need never compute `grad_input` at all.
#
# Textbooks write the same with $Z$ for y, $A$ for x, $W$ for the
# weight, $\mathrm{d}Z$ for grad_output, $i$ for the sample and $q$ for the output channel, and count $u$ and $v$ from
# 1: $\mathrm{d}W_{qcuv} = \sum_{i,r,s} \mathrm{d}Z_{iqrs}\, A_{i,c,r+u-1,s+v-1}$.
#
# ## Wrong way 1: divide by the batch once more

# %% name="predict-mean"
predict("06-mean", "The loss is a mean over 4 samples. A colleague divides `grad_weight` by 4. The result is …",
        choices=["right", "4 times too small", "4 times too large", "16 times too small"], answer="4 times too small",
        why="The mean over 4 samples has put the quarter into every upstream gradient already.")  # fmt: skip

# %% name="mean"
rng = np.random.default_rng(0)
batch, kernel = rng.normal(size=(4, 3, 5, 6)), rng.normal(size=(2, 3, 3, 2))
target = rng.normal(size=conv(batch, kernel).shape)


def mean_loss(kernel):
    return ((conv(batch, kernel) - target) ** 2).sum() / 4


upstream = 2 * (conv(batch, kernel) - target) / 4
_, batch_grad_weight, batch_grad_bias = conv_backward(upstream, batch, kernel)
np.testing.assert_allclose(nudged(mean_loss, kernel), batch_grad_weight, rtol=1e-9)
ratio = nudged(mean_loss, kernel) / (batch_grad_weight / 4)
np.testing.assert_allclose(ratio, 4, rtol=1e-6)
print(f"measured, over the colleague's: {ratio.mean():.4g}")

# %% [markdown]
# (The loss is a square now. A central difference is exact for squares too.)
#
# The quarter stands in `upstream`, where the loss put it. Whoever divides again has a network that learns as if the
# learning rate were a quarter. Nothing crashes, and nothing looks wrong. The same goes for the bias: its gradient is
# the sum over samples and positions, not their mean, and one number for each output channel.
#
# ## The input: every window adds a kernel
#
# Now the third reading. Each output sends its upstream gradient down to its window, multiplied with the kernel. Where
# windows overlap, the copies of the kernel add up.

# %% name="input"
parts = np.zeros((4, 4, 3))
for part, (r, s) in zip(parts, np.ndindex(2, 2), strict=True):
    part[r : r + 3, s : s + 2] = grad_output[r, s] * weight
np.testing.assert_array_equal(parts.sum(axis=0), grad_input)
places = figures.windows(x, (3, 2), stride=1)
figures.added(parts, places, ["2 · kernel", "−1 · kernel", "1 · kernel", "3 · kernel"], "grad_input")

# %% [markdown]
# In the upper left corner one window delivers; in the middle column all four windows do. **Predict** the same for
# simple numbers.

# %% name="predict-ones"
predict("06-ones", "Kernel 3 × 3, input 5 × 6; kernel and upstream all ones. `grad_input` at row 2, column 2?",
        number="", answer=9,
        why="Each window that holds the element sends 1 · 1. Nine windows hold it.")  # fmt: skip

# %% name="ones"
image = np.zeros((1, 1, 5, 6))
counted, _, _ = conv_backward(np.ones((1, 1, 3, 4)), image, np.ones((1, 1, 3, 3)))
np.testing.assert_array_equal(counted[0, 0], routing.coverage((5, 6), 3, stride=1))
figures.counts(counted, "grad_input with ones = coverage")

# %% [markdown]
# With ones everywhere the gradient counts windows. It is the coverage map of chapter 03. This makes the all-ones kernel
# a good first test of a backward: the right answer can be counted on fingers. But it is blind for one thing, and that
# comes next.
#
# ## Which way round?
#
# Ask from the side of the input: what does element $(a, b)$ get? It meets $\texttt{weight}[u, v]$ in the output at
# $r = a - u$, $s = b - v$. So
#
# $$\texttt{grad\_input}[a, b] = \sum_{u,\,v} \texttt{grad\_output}[a - u,\ b - v]\;\texttt{weight}[u, v]$$
#
# with zero where there is no such output. Look at the minus. The kernel runs one way, the outputs the other. As a
# convolution in our sense, it needs the kernel **turned by 180°**, and `grad_output` padded so far that every element
# is reached: by $k - 1$ on each side. The same operation has a name of its own, **transposed convolution**: the forward
# has a Jacobian $J$, and this is $J^\top$.

# %% name="gather"
padded = np.pad(grad_output, ((2, 2), (1, 1)))
turned = weight[::-1, ::-1]
np.testing.assert_array_equal(conv(padded[None, None], turned[None, None])[0, 0], grad_input)
np.testing.assert_array_equal(conv_transpose(grad_output[None, None], weight[None, None])[0, 0], grad_input)
result = figures.gradient(grad_input, "grad_input")
figures.side_by_side(figures.gradient(padded, "grad_output, padded"), figures.grid(turned, "weight, turned"), result)

# %% [markdown]
# ## Wrong way 2: forget to turn it
#
# When must one turn the kernel, and when not? Two small experiments settle it. Forward: one bright pixel, and a kernel
# of nine different numbers. Backward: one upstream 1.

# %% name="impulse"
numbers = np.arange(1.0, 10).reshape(3, 3)
pixel, single = np.zeros((5, 5)), np.zeros((3, 3))
pixel[2, 2] = single[1, 1] = 1
seen_forward = conv(pixel[None, None], numbers[None, None])[0, 0]
sent_back, _, _ = conv_backward(single[None, None], pixel[None, None], numbers[None, None])
np.testing.assert_array_equal(seen_forward, numbers[::-1, ::-1])
np.testing.assert_array_equal(sent_back[0, 0, 1:4, 1:4], numbers)
figures.side_by_side(
    figures.grid(numbers, "kernel"),
    figures.grid(seen_forward, "forward of one pixel"),
    figures.gradient(sent_back, "backward of one output"),
)

# %% [markdown]
# The forward shows the kernel upside down: the bright pixel is met first by the last weight. The backward *as a
# scatter* shows the kernel as it is: an output simply sends it down. Only who writes the backward as a gather, with a
# forward convolution, must turn the kernel. Both are the same sum.
#
# Turn a kernel of ones as you like, it stays the same. So the first test of a backward, which counts on fingers, cannot
# see this slip. A kernel of nine different numbers can.
#
# ## Stride, padding, dilation, groups
#
# The triple only gets a new address. With stride $s$, dilation $d$ and padding $p$, weight $u$ meets input
# $s\,r + d\,u - p$ in output $r$. Everything else follows by reading it three ways:
#
# | in the forward | for grad_weight, a convolution of x | for grad_input, a convolution of grad_output |
# |---|---|---|
# | stride $s$ | grad_output is dilated by $s$ | $s - 1$ zeros between its elements |
# | dilation $d$ | stride $d$ | the turned kernel is dilated by $d$ |
# | padding $p$ | x is padded by $p$ | $p$ is cut off on each side |
# | groups | each group for itself | each group for itself |
#
# Stride and dilation change places; groups have a cell of their own further down. Below is the stride: kernel 3 × 3,
# stride 2, input 6 × 6. Two windows fit along each axis, and the last row and column are in none of them.

# %% name="stride"
small, image = np.array([[1.0, 2], [3, 4]]), rng.integers(-2, 3, (6, 6)).astype(float)
spread = np.zeros((3, 3))
spread[::2, ::2] = small
by_gather = conv(np.pad(spread, 2)[None, None], numbers[None, None, ::-1, ::-1])[0, 0]
strided_input, strided_weight, _ = conv_backward(small[None, None], image[None, None], numbers[None, None], stride=2)
np.testing.assert_array_equal(by_gather, strided_input[0, 0, :5, :5])
by_dilation = conv(image[None, None], small[None, None], dilation=2)[0, 0, :3, :3]
np.testing.assert_array_equal(by_dilation, strided_weight[0, 0])
transposed = conv_transpose(small[None, None], numbers[None, None], stride=2, output_padding=1)
np.testing.assert_array_equal(transposed, strided_input)
figures.side_by_side(figures.gradient(spread, "grad_output, spread"), figures.gradient(strided_input, "grad_input"))

# %% [markdown]
# The gather makes 5 × 5, and the input has 6 × 6. The last row and column took part in nothing, so their gradient is
# zero, and it must be there: a gradient has the shape of its input. From 2 × 2 outputs alone nobody can know whether
# the input was 5 or 6 wide. That is what `output_padding=1` tells the transposed convolution. (For the same reason the
# dilated convolution makes a row and a column too many for `grad_weight`; the cell cuts them off.)
#
# The scatter needs none of these tricks. It only follows the address. Here it meets the library in eight geometries.


# %% name="all-at-once"
def by_triples(grad_output, x, weight, stride, padding, dilation):
    padded = np.pad(x, padding)
    grad_padded, grad_weight = np.zeros_like(padded), np.zeros_like(weight)
    for r, s in np.ndindex(grad_output.shape):
        for u, v in np.ndindex(weight.shape):
            place = stride * r + dilation * u, stride * s + dilation * v
            grad_weight[u, v] += grad_output[r, s] * padded[place]
            grad_padded[place] += grad_output[r, s] * weight[u, v]
    return grad_padded[padding : padding + 6, padding : padding + 6], grad_weight


for a, b, c in np.ndindex(2, 2, 2):
    settings = {"stride": 1 + a, "padding": b, "dilation": 1 + c}
    sent = np.ones(conv(image[None, None], numbers[None, None], **settings).shape[2:])
    theirs = conv_backward(sent[None, None], image[None, None], numbers[None, None], **settings)
    for mine, their in zip(by_triples(sent, image, numbers, **settings), theirs[:2], strict=True):
        np.testing.assert_array_equal(mine, their[0, 0])

# %% [markdown]
# ## In code: as one matrix product
#
# Loops are slow. Many libraries lay out every window as a row of a matrix; the layout is called **im2col**. Then the
# forward is one product with the kernel as a column, and so is the gradient of the weight. The input's gradient is the
# outer product, laid back and added where windows overlap.

# %% name="im2col"
columns = seen.reshape(4, 6)
np.testing.assert_array_equal(columns @ weight.ravel(), y.ravel())
np.testing.assert_array_equal(columns.T @ grad_output.ravel(), grad_weight.ravel())

to_windows = np.outer(grad_output.ravel(), weight.ravel())
address = np.lib.stride_tricks.sliding_window_view(np.arange(12).reshape(4, 3), (3, 2)).reshape(4, 6)
folded = np.bincount(address.ravel(), to_windows.ravel()).reshape(4, 3)
np.testing.assert_array_equal(folded, grad_input)
tables = figures.grid(columns, "columns: one window a row"), figures.gradient(to_windows, "sent to the windows")
figures.side_by_side(*tables)

# %% [markdown]
# Each column of the left table is one of the pieces drawn above: all that one weight met. Its product with the upstream
# gradient is that weight's gradient. The table repeats an input element once for every window that holds it; that is
# the memory which im2col pays for its speed.
#
# ## In code: the library, and PyTorch
#
# The library works on batches and channels. Its numbers must be those of the formula, here written with the letters
# themselves, and those of PyTorch.
#
# With `groups`, the input channels and the output channels are cut into equal runs. The first run of outputs sees the
# first run of inputs and nothing else, and so on; the weight has the shape `(C_out, C_in / groups, kh, kw)`. A group
# for every channel is called depthwise convolution. The cell compares it with three convolutions of one channel each.

# %% name="library"
seen_batch = np.lib.stride_tricks.sliding_window_view(batch, (3, 2), axis=(2, 3))
by_letters = np.einsum("nors,ncrsuv->ocuv", upstream, seen_batch)
np.testing.assert_allclose(batch_grad_weight, by_letters, rtol=1e-9)
np.testing.assert_allclose(batch_grad_bias, upstream.sum(axis=(0, 2, 3)), rtol=1e-9)

kernels, sent = rng.normal(size=(3, 1, 3, 2)), rng.normal(size=(4, 3, 3, 5))
grouped_input, grouped_weight, _ = conv_backward(sent, batch, kernels, groups=3)
for c in range(3):
    one_input, one_weight, _ = conv_backward(sent[:, [c]], batch[:, [c]], kernels[[c]])
    np.testing.assert_allclose(grouped_input[:, [c]], one_input, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(grouped_weight[[c]], one_weight, rtol=1e-9, atol=1e-12)
batch_grad_weight.shape, batch_grad_bias.shape

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed, so this comparison is left out.")
else:
    leaves = [torch.tensor(array, requires_grad=True) for array in (batch, kernel, np.zeros(2))]
    torch.nn.functional.conv2d(*leaves).backward(torch.tensor(upstream))
    for leaf, ours in zip(leaves, conv_backward(upstream, batch, kernel), strict=True):
        assert np.allclose(leaf.grad.numpy(), ours, rtol=0, atol=1e-12)
    print("grad_input, grad_weight and grad_bias agree")

# %% [markdown]
# ## Wrong way 3: jump over the activation
#
# Between two convolutions stands an activation, $a = \sigma(z)$. What comes from upstream is then the gradient of $a$,
# and the convolution needs that of $z$. The activation is a layer like any other: it multiplies by its own slope.
#
# $$\texttt{grad\_z} = \texttt{grad\_a} \cdot \sigma'(\texttt{z})$$
#
# For ReLU the slope is 1 above zero and 0 below. At zero itself there is a kink; by convention its slope is 0. Let our
# convolution have the bias −5.5. Two of its four outputs are then below zero.

# %% name="activation"
z = y - 5.5
assert np.count_nonzero(z < 0) == 2


def relu_loss(weight):
    return (grad_output * np.maximum(conv(x[None, None], weight[None, None])[0, 0] - 5.5, 0)).sum()


grad_z = grad_output * (z > 0)
right, forgotten = (conv_backward_loops(gradient, x, weight)[1] for gradient in (grad_z, grad_output))
step = 1e-6
nudge = np.zeros_like(weight)
nudge[0, 0] = step
measured = (relu_loss(weight + nudge) - relu_loss(weight - nudge)) / (2 * step)
print(f"upper left: right {right[0, 0]:g}, forgotten {forgotten[0, 0]:g}, measured {measured:.4g}")

# %% [markdown]
# A test in which every $z$ is above zero would not notice. So a test needs values of both signs.
#
# The answer of this chapter in one sentence:
#
# > **Every product of the forward is a triple of an input element, a weight and an output. The backward adds, for each
# > triple, upstream times input to the weight, and upstream times weight to the input.**
#
# ## Try it
#
# The still picture first: one weight and the piece of the input that it met. Then the same to play with. Pick a weight,
# an input element or an output, and see which products are added. Set the stride to 2 and watch the piece of a weight
# fall apart; set the dilation to 2 and watch it move.

# %% name="still"
field = np.arange(25.0).reshape(5, 5) % 7
figures.side_by_side(
    figures.grid(field, "x", windows=[(1, 0, 4, 4)]),
    figures.grid(np.array([[0.0, 1], [2, 3]]), "weight", winners=[(1, 0)]),
)

# %% name="widget"
from course_lib.widgets import KernelGradientExplorer

KernelGradientExplorer(field, np.array([[0.0, 1], [2, 3]]))

# %% [markdown]
# ## What to keep
#
# 1. One triple, three readings: the weight gets upstream · input, the input gets upstream · weight, the bias gets
#    upstream.
# 2. The weight is one variable with many uses, so its gradient is a sum over samples and positions. The mean, if there
#    is one, is in the upstream gradient already.
# 3. As a scatter the kernel stays as it is; as a gather it is turned by 180°. Ones cannot show the difference.
#
# **Next:** exercises 1, [the kernel's gradient, index by index](../exercises/01_kernel_gradient.ipynb);
# 2, [a convolution on paper](../exercises/02_convolution_on_paper.ipynb); and
# 5, [convolution and its backward](../exercises/05_convolution_by_hand.ipynb). Then
# [chapter 07, How do I know it is right?](07_how_do_i_know_it_is_right.ipynb)
