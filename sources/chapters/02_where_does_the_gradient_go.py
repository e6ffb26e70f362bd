# %% [markdown]
# # 02 · Where does the gradient go?
#
# A pooling layer turns many numbers into few. In training the gradient comes back the other way, and few numbers must
# become many again. Which inputs get something, and how much?
#
# **You should know** what pooling computes, from [chapter 01](01_what_does_pooling_keep.ipynb): max pooling keeps the
# largest number of each window, average pooling their mean. And you should know what the slope of a function is.
#
# **You will be able to**
# 1. say what an upstream gradient is, and follow one through two layers by hand;
# 2. send a gradient back through max and average pooling, on paper and in code;
# 3. say what a layer must remember for that, and recognise three wrong ways to do it.
#
# **Time:** about 35 minutes.
#
# ## A bet first
#
# Below is an input `x` with four rows and four columns. Pooling with `kernel_size=2` cuts it into four windows, framed
# in the picture, and makes one output of each. The layers after the pool have done their part already. They sent back
# `grad_output`: one number for each output, in the same places.

# %% name="bet"
import numpy as np

from course_lib import avg_pool, figures, max_pool, max_pool_backward, max_unpool, routing

x = np.array([[2.0, 7, 1, 3], [5, 4, 0, 8], [9, 3, 6, 2], [1, 0, 4, 5]])[None, None]
grad_output = np.array([[4.0, -8], [12, 2]])[None, None]
windows = figures.windows(x, kernel_size=2)
grids = figures.grid(x, "x", windows=windows), figures.gradient(grad_output, "grad_output")
figures.side_by_side(*grids)

# %% name="predict-max"
from course_lib.widgets import predict

predict("02-max", "Max pooling. Which element of x gets the −8, which stands at the upper right of grad_output?",
        grid=x[0, 0], answer=(1, 3), why="The 8 is the largest element of the upper right window.")  # fmt: skip

# %% [markdown]
# `x` has sixteen elements, so its gradient has sixteen numbers. Before you go on, write all of them on paper: one grid
# for the maximum, and one for the average. The pictures of the section *The rule* will show whether you won.
#
# ## What comes from upstream
#
# Training makes one number small: the loss $L$. So it asks the same question of every number in the network: *if you
# rise a little, how fast does $L$ rise?* The answer is the gradient of $L$ with respect to that number.
#
# Take the smallest network with two layers. The first makes $u = 3x + 1$, the second $L = u^2$. We stand at $x = 2$.

# %% name="two-layers"
point = 2.0
u = 3 * point + 1
loss = u**2
slope_of_second, slope_of_first = 2 * u, 3
grad_point = slope_of_second * slope_of_first
print(f"u = {u:g}, L = {loss:g}, dL/du = {slope_of_second:g}, dL/dx = {grad_point:g}")


# %% name="nudge"
def network(x):
    return (3 * x + 1) ** 2


step = 0.001
measured = (network(point + step) - network(point - step)) / (2 * step)
assert np.isclose(measured, grad_point)
round(measured, 4)

# %% [markdown]
# Read the first result from its end. At $u = 7$ the loss rises 14 times as fast as $u$. And $u$ rises 3 times as fast
# as $x$. So the loss rises $14 \cdot 3 = 42$ times as fast as $x$. That is the chain rule. The second cell found the
# same without any rule: it moved $x$ a little up and a little down, and looked at the loss.
#
# Now see it as the first layer does. It knows neither the loss nor the layers in between. It is handed one number, 14,
# and multiplies it by its own slope. The number that a layer is handed is its **upstream gradient**. In code it is
# called `grad_output`: the gradient with respect to the layer's *output*. What the layer hands on is `grad_input`.
#
# ## Four numbers in, one out
#
# A layer with many inputs and outputs has many slopes: one for each pair of an output and an input. Write them as a
# table with one row for each output and one column for each input. This table is the layer's **local Jacobian**:
# *local*, because it holds only near the present input. Finding it takes no formula. Nudge one input at a time, as
# above, and see how every output moves.
#
# **Predict.** The first window holds 2, 7, 5 and 4. What are the four slopes of its maximum? Of its mean?


# %% name="local-jacobian"
def local_jacobian(layer, x, step=0.001):
    columns = []
    for element in np.ndindex(x.shape):
        nudge = np.zeros_like(x)
        nudge[element] = step
        change = layer(x + nudge) - layer(x - nudge)
        columns.append(change.ravel() / (2 * step))
    return np.stack(columns, axis=1)


window = x[:, :, :2, :2]
print("maximum:", local_jacobian(lambda values: max_pool(values, 2), window).round(4))
print("mean:   ", local_jacobian(lambda values: avg_pool(values, 2), window).round(4))

# %% [markdown]
# The maximum follows the 7 and nothing else. The 5 may move by anything less than 2, and the maximum does not notice.
# The mean follows all four elements, each with a slope of one quarter.
#
# Both rows sum to 1, and they must. Raise the whole window by some amount, and its maximum and its mean rise by just
# that amount. Keep this in mind: it will expose two wrong gradients below.
#
# Here are the tables of the whole layer, with four outputs and sixteen inputs.

# %% name="jacobians"
jacobian_max = local_jacobian(lambda values: max_pool(values, 2), x)
jacobian_avg = local_jacobian(lambda values: avg_pool(values, 2), x)
figures.stacked(
    figures.jacobian(jacobian_max, x.shape, grad_output.shape, "Local Jacobian of max pooling"),
    figures.jacobian(jacobian_avg, x.shape, grad_output.shape, "Local Jacobian of average pooling"),
)

# %% name="predict-average"
predict("02-average", "Average pooling. The lower left window was sent 12. What does each of its four elements get?",
        number="", answer=3, why="The output follows each with a slope of ¼, and a quarter of 12 is 3.")  # fmt: skip

# %% [markdown]
# ## The rule
#
# How fast does $L$ rise with one input? The input can reach $L$ only through the outputs. So go down the input's
# column. For each output, multiply how fast the output follows the input by how fast $L$ follows the output; the latter
# is the upstream gradient. Then add over the outputs. For all inputs at once this is one product:
#
# $$\underset{(16)}{\texttt{grad\_input}} \;=\; \underset{(16,\ 4)}{J^\top}\;\underset{(4)}{\texttt{grad\_output}}$$
#
# $J$ is the local Jacobian, $J^\top$ the same table with rows and columns exchanged. The backward pass of every layer
# is this product; layers differ only in their $J$.
#
# Nobody builds the table, because most of it is zero. It is enough to follow the other entries, from each output to the
# inputs it depends on. We call these paths **routes**. In the picture the upstream gradient floats above the input, and
# the routes carry it down.

# %% name="routes"
from_max = (jacobian_max.T @ grad_output.ravel()).reshape(x.shape)
from_avg = (jacobian_avg.T @ grad_output.ravel()).reshape(x.shape)
max_routes, avg_routes = routing.max_routes(x, 2), routing.avg_routes(x, 2)
np.testing.assert_allclose(max_routes.backward(grad_output), from_max, atol=1e-9)
np.testing.assert_allclose(avg_routes.backward(grad_output), from_avg, atol=1e-9)
assert np.isclose(from_max[0, 0, 1, 3], -8) and np.allclose(from_avg[0, 0, 2:, :2], 3)
figures.side_by_side(
    figures.routes(max_routes, grad_output=grad_output, windows=windows, title="max pooling"),
    figures.routes(avg_routes, grad_output=grad_output, windows=windows, title="average pooling"),
)

# %% [markdown]
# How was your bet? The answer in one sentence:
#
# > **Max pooling sends each upstream gradient, whole, to the winner of its window. Average pooling sends $1/K$ of it to
# > each of the window's $K$ elements.**
#
# In symbols, for an input element $a$ and outputs $o$:
#
# $$\text{max:}\ \ \texttt{grad\_input}[a] = \sum_{o\,:\ a \text{ wins } o} \texttt{grad\_output}[o]$$
#
# $$\text{average:}\ \ \texttt{grad\_input}[a] = \sum_{o\,:\ a \text{ lies in } o} \frac{\texttt{grad\_output}[o]}{K}$$
#
# Textbooks write $\mathrm{d}P_{rs}$ for the upstream gradient of output $(r, s)$ and $m_{rs}$ for the place of its
# winner. For the maximum they have $\mathrm{d}X_{ab} = \sum_{r,s} \mathrm{d}P_{rs}\,[\,m_{rs} = (a, b)\,]$: the bracket
# is 1 where the equation holds, else 0.
#
# ## In code: loops
#
# First plain loops, on one plane without batch and channels. `argmax` finds the winner's position *inside* its window.
# To make it a position in the input, the window's own corner is added. The result must be the one that the nudges gave.


# %% name="loops"
def max_pool_backward_loops(x, grad_output, k):
    grad_input = np.zeros_like(x)
    for row, column in np.ndindex(grad_output.shape):
        top, left = k * row, k * column
        window = x[top : top + k, left : left + k]
        down, across = np.unravel_index(window.argmax(), window.shape)
        grad_input[top + down, left + across] += grad_output[row, column]
    return grad_input


by_loops = max_pool_backward_loops(x[0, 0], grad_output[0, 0], 2)
np.testing.assert_allclose(by_loops, from_max[0, 0], atol=1e-9)
by_loops

# %% [markdown]
# Why `+=` and not `=`? Here both would do, because no element lies in two windows. When windows overlap, one element
# can win several of them, and `=` would keep only the last gradient. [Chapter 03](03_what_if_windows_overlap.ipynb) is
# about that.
#
# ## In code: arrays
#
# Loops in Python are slow. The same without them: lay each window out as a row, mark the winner's position in it, and
# multiply the marks by the upstream gradient. The average needs no marks. It repeats each number over its window and
# divides; `np.kron` does both. Each must equal its loops.


# %% name="arrays"
def max_pool_backward_arrays(x, grad_output, k):
    windows = x.reshape(len(x) // k, k, -1, k).swapaxes(1, 2).reshape(*grad_output.shape, k * k)
    wins = np.arange(k * k) == windows.argmax(axis=-1)[..., None]
    spread = wins * grad_output[..., None]
    return spread.reshape(*grad_output.shape, k, k).swapaxes(1, 2).reshape(x.shape)


np.testing.assert_array_equal(max_pool_backward_arrays(x[0, 0], grad_output[0, 0], 2), by_loops)

# %% name="average"
by_loops_avg = np.zeros((4, 4))
for row, column in np.ndindex(2, 2):
    share = grad_output[0, 0, row, column] / 4
    by_loops_avg[2 * row : 2 * row + 2, 2 * column : 2 * column + 2] += share

by_arrays_avg = np.kron(grad_output[0, 0], np.full((2, 2), 1 / 4))
np.testing.assert_array_equal(by_arrays_avg, by_loops_avg)
np.testing.assert_allclose(by_arrays_avg, from_avg[0, 0], atol=1e-9)
by_arrays_avg

# %% [markdown]
# ## In code: the library, and PyTorch
#
# The course's own pooling works on batches `(N, C, H, W)`: N images of C channels, each H × W. Ours is one image of one
# channel; `[None, None]` added the two axes. The library does not search twice: the forward returns `indices`, and the
# backward only adds at these places. An index is one integer, the winner's place when the plane is counted row by row
# from 0. The 8 at row 1, column 3 has the index $1 \cdot 4 + 3 = 7$.
#
# PyTorch finds gradients by itself. We hand `backward` the upstream gradient, and `leaf.grad` holds the result. The
# numbers are the same, bit for bit. Nothing else in this chapter needs PyTorch.

# %% name="library"
y, indices = max_pool(x, 2, return_indices=True)
grad_input = max_pool_backward(grad_output, indices, x.shape)
np.testing.assert_array_equal(grad_input[0, 0], by_loops)
indices

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed, so this comparison is left out.")
else:
    leaf = torch.tensor(x, requires_grad=True)
    torch.nn.functional.max_pool2d(leaf, 2).backward(torch.tensor(grad_output))
    assert np.array_equal(leaf.grad.numpy(), grad_input)
    print(leaf.grad)

# %% [markdown]
# ## Wrong way 1: treat the pool as a gate
#
# ReLU, $\max(0, x)$, is a gate. Each output has an input of its own, and the backward goes place by place: it lets the
# upstream gradient through or stops it. The first cell shows ReLU's Jacobian on our first window, with 4.5 taken off so
# that two numbers are below zero. Only the diagonal is used. In the pool's tables, four columns share a row.
#
# Whoever takes the pool for a gate copies the upstream gradient to all four inputs. **Predict.** Take the simplest loss
# with our upstream gradient, $L = \sum \texttt{grad\_output} \cdot y$, and raise all sixteen inputs together. How fast
# does $L$ rise? A gradient claims to know: its sum is the answer.

# %% name="relu"
shifted = window - 4.5
jacobian_relu = local_jacobian(lambda values: np.maximum(values, 0), shifted)
figures.side_by_side(
    figures.grid(shifted, "x"),
    figures.jacobian(jacobian_relu, shifted.shape, shifted.shape, "Local Jacobian of ReLU"),
)


# %% name="gate"
def loss_of(values):
    return (grad_output * max_pool(values, 2)).sum()


copied = np.kron(grad_output, np.ones((1, 1, 2, 2)))
print(f"claimed: max {from_max.sum():.4g}, average {from_avg.sum():.4g}, copied {copied.sum():.4g}")
print(f"measured: {(loss_of(x + step) - loss_of(x - step)) / (2 * step):.4g}")

# %% [markdown]
# By the copy, the loss rises 40 times as fast as the inputs. In truth it rises 10 times as fast. Both true gradients
# keep the total: each window gives away exactly what it was handed.
#
# ## Wrong way 2: pay a tie twice
#
# The backward must know who won. A popular shortcut saves no index. It compares: whoever equals the maximum gets the
# gradient. While the numbers in a window differ, this *mask* is right.
#
# **Predict** what it does to the window below, in which two fives tie, when 8 comes from upstream.

# %% name="tie"
tied = np.array([[5.0, 5], [1, 3]])[None, None]
by_mask = 8 * (tied == tied.max())
by_index = routing.max_routes(tied, 2).backward(np.array([[[[8.0]]]]))
measured = 8 * (max_pool(tied + step, 2) - max_pool(tied - step, 2)).item() / (2 * step)
print(f"claimed: mask {by_mask.sum():g}, index {by_index.sum():g}; measured: {measured:.4g}")
gradients = figures.gradient(by_mask, "by mask"), figures.gradient(by_index, "by index")
figures.side_by_side(figures.grid(tied, "x"), *gradients)

# %% [markdown]
# The mask pays 8 twice and so claims 16. But raise the whole window, and its maximum rises just as much, so the truth
# is 8. An index names one element and cannot pay twice. (Giving 4 to each is fair too.
# [Chapter 05](05_who_wins_a_tie.ipynb) is about ties.)
#
# So a layer must remember enough to find the winner again, by the same rule. PyTorch saves an index. Another way is to
# keep the input and search again, as our loops did. Average pooling needs no values: its shares follow from the shapes.
#
# ## Wrong way 3: call it unpooling
#
# `indices` say where each winner stood. So one can write the pooled *values* back to these places, and zeros elsewhere.
# This is called unpooling. It looks like the backward, and it is often taken for the inverse of pooling. Is it?

# %% name="unpooling"
unpooled = max_unpool(y, indices, x.shape)
np.testing.assert_array_equal(max_pool(unpooled, 2), y)
figures.side_by_side(figures.grid(x, "x"), figures.grid(y, "y"), figures.grid(unpooled, "unpooled"))

# %% [markdown]
# It is no inverse. Twelve numbers of `x` are gone, and nothing brings them back. Pooling the new grid does give `y`
# again, but that is all. Nor is it the backward: the addresses are the same, but it delivers values where the backward
# delivers gradients. And where two windows have one winner, the backward adds two gradients, while unpooling writes the
# winner's value once.
#
# ## Convolution, pool, convolution
#
# Now a whole network: an image $x$, a convolution with a 3 × 3 weight, the pool, and a convolution with a 2 × 2 weight
# whose only output is the loss. A **convolution** lays its weight over each place of its input, multiplies element by
# element and adds up. (Strictly this is cross-correlation; like the rest of the field we say convolution.)
#
# An output rises with an input as fast as the weight between them says. So the backward lays the weight over each place
# again, times the upstream gradient, and adds where the copies overlap.
# [Chapter 06](06_how_does_a_shared_kernel_learn.ipynb) takes it apart; here the library does it.

# %% name="forward"
from course_lib import conv, conv_backward

image = np.array([[3.0, 0, 0, 0, 5, 5], [1, 3, 3, 1, 1, 2], [1, 0, 5, 5, 3, 2],
                  [2, 4, 2, 0, 5, 5], [2, 1, 0, 3, 1, 4], [2, 1, 0, 3, 2, 5]])[None, None]  # fmt: skip
first_weight = np.array([[1.0, 0, -1], [2, 0, 0], [0, 1, -1]])[None, None]
last_weight = np.array([[2.0, -1], [1, 3]])[None, None]

u = conv(image, first_weight)
y, indices = max_pool(u, 2, return_indices=True)
loss = conv(y, last_weight)
print("L =", loss.item())

# %% name="predict-sparse"
predict("02-sparse", "In the backward pass, how many of the 16 elements of dL/du will not be zero?", number="elements",
        answer=4, why="The pool has four outputs with four different winners, and sends to nobody else.")  # fmt: skip

# %% [markdown]
# Backward goes from the loss to the image. Every layer does what the first layer of our one-line network did: it is
# handed its upstream gradient and hands on its own. A convolution has three to give: for its input, for its weight and
# for its bias, which we do not use. The start is $\mathrm{d}L/\mathrm{d}L = 1$, for the loss rises exactly as fast as
# itself.
#
# **Predict**, before you look at the picture: which four numbers does the pool get from upstream?

# %% name="backward"
grad_loss = np.ones_like(loss)
grad_y, _, _ = conv_backward(grad_loss, y, last_weight)
grad_u = max_pool_backward(grad_y, indices, u.shape)
grad_image, grad_weight, _ = conv_backward(grad_u, image, first_weight)
values, gradients = [image, u, y, loss], [grad_image, grad_u, grad_y, grad_loss]
winners = [divmod(index, 4) for index in indices.ravel().tolist()]
figures.chain(values, gradients, "xuyL", ["conv", "max pool", "conv"], winners=[[], winners])


# %% name="check"
def loss_of_network(image, weight):
    return conv(max_pool(conv(image, weight), 2), last_weight)


nudged = local_jacobian(lambda image: loss_of_network(image, first_weight), image)
np.testing.assert_allclose(nudged, grad_image.reshape(1, -1), atol=1e-9)
nudged = local_jacobian(lambda weight: loss_of_network(image, weight), first_weight)
np.testing.assert_allclose(nudged, grad_weight.reshape(1, -1), atol=1e-9)
assert np.count_nonzero(grad_u) == 4
for name, gradient in {"dL/du": grad_u, "dL/dx": grad_image, "dL/dweight": grad_weight}.items():
    print(f"{name}: {np.count_nonzero(gradient)} of {gradient.size} elements are not zero")

# %% [markdown]
# Follow the lower row from right to left. The last convolution has one output, so its backward hands the pool just its
# weight: 2, −1, 1 and 3. The pool puts each of these where the winner stood; the rings show it. The first convolution
# then lays its weight over the image four times, once for each ring, and adds. The second cell nudged each of the 36
# pixels, watched the loss at the far end, and agrees.
#
# The pool makes the gradient of its own input sparse: 4 of 16. The convolution before it spreads each of the four over
# several pixels. And the gradient of its weight, which is what training would change, has no zero at all: a weight is
# used at every place, so at the winners too. Chapter 06 derives this gradient.
# [Chapter 08](08_how_sparse_is_the_gradient.ipynb) measures such numbers at full size.
#
# ## On a photograph
#
# A photograph of 64 × 96 pixels, pooled with `kernel_size=4`. The loss measures contrast: half the sum of the squared
# distances of the outputs from their mean. So the upstream gradient of an output is its distance from the mean.
# **Predict:** what share of the pixels gets a gradient that is not zero, by maximum and by average?

# %% name="photograph"
from course_lib.experiments import photograph

photo = photograph("china", size=(64, 96))[None, None]
pooled = max_pool(photo, 4)
upstream = pooled - pooled.mean()
by_max = routing.max_routes(photo, 4).backward(upstream)
by_avg = routing.avg_routes(photo, 4).backward(upstream)
print(f"max {routing.density(by_max):.4f}, average {routing.density(by_avg):.4f}, 1/K {1 / 16}")
figures.side_by_side(
    figures.photo_gradient(photo, by_max, "max pooling"),
    figures.heat(by_avg, "average pooling"),
)

# %% [markdown]
# By maximum one pixel in sixteen has a gradient. The triangles mark it, up for above zero and down for below: one to a
# window, at its brightest pixel. By average every pixel has one. The upstream gradient is the same, but each pixel gets
# a sixteenth, and all pixels of a window get the same, so the map is made of blocks.
#
# ## Try it
#
# One picture more of the 4 × 4 example: the way up and the way down are the same way. Then the same thing to play with.
# Click an output to see where its gradient goes, or an input to see what reaches it. The *stride* is the step from one
# window to the next. Set it to 1, so that windows overlap, and find the input that wins the most windows. Set the
# operation to average and watch what becomes of the numbers.

# %% name="both-ways"
ones = np.ones_like(grad_output)
figures.side_by_side(
    figures.routes(max_routes, x, windows=windows, title="forward"),
    figures.routes(max_routes, grad_output=ones, windows=windows, title="backward"),
)

# %% name="widget"
from course_lib.widgets import RoutingExplorer

RoutingExplorer(x[0, 0])

# %% [markdown]
# ## What to keep
#
# 1. A layer is handed the gradient of its output and hands on the gradient of its input: its transposed local Jacobian
#    times what it was handed.
# 2. Max pooling sends everything to the winner, which must be saved or found again by the same rule. Average pooling
#    sends $1/K$ to each element.
# 3. Copying to all, comparing with a mask and unpooling are three other things. A nudge tells them apart.
#
# **Next:** exercise 3, [one window by hand](../exercises/03_one_window_by_hand.ipynb). Then
# [chapter 03, What if windows overlap?](03_what_if_windows_overlap.ipynb)
#
# *Photograph: China by danielbuechele, CC BY 2.0, from scikit-learn's sample images, made grey and smaller.*
