# %% [markdown]
# # 12 · Which of these claims are true?
#
# Articles, interview guides and course notes say many things about pooling. Some are true, some are false, and some are
# true only in the case that the writer had in mind. Below are twenty, put in our own words. You bet first, then a cell
# measures.
#
# **You should know** chapters [02](02_where_does_the_gradient_go.ipynb) to
# [08](08_how_sparse_is_the_gradient.ipynb): where the gradient goes, and how sparse it becomes.
#
# **You will be able to**
# 1. turn a sentence about gradients into a measurement of a few lines;
# 2. say of twenty common claims whether they hold, and in which case;
# 3. read a listing critically: run it, find the fault, mend it.
#
# **Time:** about 40 minutes.
#
# ## Routes: claims 1 to 5
#
# 1. In an input of 5 × 5 with `kernel_size=3` and `stride=2`, the centre lies in two or three windows.
# 2. Where windows of an average overlap, each element's sum is divided by the number of windows that hold it.
# 3. Without saved indices, the backward of max pooling cannot know where the gradient goes.
# 4. A mask `x == y` serves as well as an index.
# 5. Padding keeps nothing of the gradient, for it takes part in no output.
#
# **Bet** on each: *true*, *false*, or *only if*, when it needs a condition that the sentence does not name.

# %% name="bet-routes"
from course_lib.widgets import bets

bets("12-routes", {1: "false", 2: "false", 3: "false", 4: "only if", 5: "only if"})

# %% [markdown]
# For claim 1 we count. For claim 2 we raise one element and see how much the sum of all outputs rises with it: that is
# its gradient when every output gets 1. For claim 5 we add up what a padded pool hands on. For 3 and 4 we take an input
# full of ties, throw the indices away, and look for the winners again: once by the rule of the forward, once with a
# mask.

# %% name="measure-sums"
import numpy as np

from course_lib import avg_pool, avg_pool_backward, max_pool, max_pool_backward, routing

rng = np.random.default_rng(12)
counts = routing.coverage((5, 5), 3, stride=2)
nudge = np.zeros((1, 1, 5, 5))
nudge[0, 0, 2, 2] = 1
slope = avg_pool(nudge, 3, 2).sum()
print(f"windows that hold the centre: {counts[2, 2]}; slope there: {slope * 9:.4g}/9")
assert counts[2, 2] == 4 and np.isclose(slope, 4 / 9)

indices = max_pool(nudge, 3, 2, 1, return_indices=True)[1]
sum_max = max_pool_backward(np.ones((1, 1, 3, 3)), indices, nudge.shape).sum()
sum_avg = avg_pool_backward(np.ones((1, 1, 3, 3)), nudge.shape, 3, 2, 1).sum()
print(f"with padding, upstream 9: max hands on {sum_max:g}, average {sum_avg:.4g}")
assert sum_max == 9 and np.isclose(sum_avg, 49 / 9)

# %% name="measure-indices"
ties = rng.integers(0, 4, (2, 3, 7, 7)).astype(float)
y, indices = max_pool(ties, 3, 2, return_indices=True)
upstream = rng.normal(size=y.shape)
by_index = max_pool_backward(upstream, indices, ties.shape)
searched = routing.max_routes(ties, 3, 2).backward(upstream)
winners = routing.max_routes(ties, 3, 2, ties="split")
paid_by_mask = np.count_nonzero(winners.weight) / y.size
print(f"searched again: equal {np.array_equal(searched, by_index)}; a mask pays {paid_by_mask:.4g} elements a window")
assert np.array_equal(searched, by_index) and paid_by_mask > 1

# %% [markdown]
# 1. **False.** Two along each axis, so four, and the centre gets 4/9. Three is not possible: counts multiply.
# 2. **False.** Each window's share is 1/9, and four shares are 4/9. There is nothing to divide once more.
# 3. **False.** The input and the tie rule are enough, and some libraries search again. What must not happen is that the
#    input has changed in between.
# 4. **Only if** no window has a tie. Here the mask pays more than one element a window, each in full.
# 5. **Only if** the pool takes the maximum. A padded zero counts in the divisor of an average; its share is dropped.
#
# ## Zeros: claims 6 to 10
#
# 6. A convolution of one channel feeds a max pool of 2 × 2. The gradient that reaches the *image* is 75 % zeros.
# 7. Windows that do not overlap give the densest gradient, $1/K$.
# 8. With every further pool in a convolutional network the gradient becomes sparser toward the front.
# 9. Because of the zeros many weights get no gradient, and the optimiser idles.
# 10. ReLU before max pooling gives the same as ReLU after it, forward and backward.

# %% name="bet-zeros"
bets("12-zeros", {6: "false", 7: "false", 8: "only if", 9: "false", 10: "true"})

# %% [markdown]
# Claims 6 and 9 are about three gradients of one small network: of the pool's input, of the image, and of the weight.
# Claim 7 asks for a table. The gradient's density is the share of elements that are not zero.

# %% name="measure-listing"
from course_lib import conv, conv_backward, figures


def behind(x, weight, kernel_size=2):
    """Density of the gradients of a pool's input, of the convolution's input and of its weight."""
    z = conv(x, weight, padding=1)
    y, indices = max_pool(z, kernel_size, return_indices=True)
    grad_z = max_pool_backward(np.ones_like(y), indices, z.shape)
    grad_x, grad_weight, _ = conv_backward(grad_z, x, weight, padding=1)
    return [routing.density(gradient) for gradient in (grad_z, grad_x, grad_weight)]


image, weight = rng.normal(size=(1, 1, 4, 4)), rng.normal(size=(1, 1, 3, 3))
densities = behind(image, weight)
print("pool's input {}, image {}, weight {}".format(*densities))
assert densities == [0.25, 1, 1]

# %% name="measure-density"
noise, table = rng.normal(size=(1, 4, 96, 96)), np.zeros((2, 3))
for row, column in np.ndindex(table.shape):
    routes = routing.max_routes(noise, row + 2, column + 1)
    table[row, column] = routing.density(routes.backward(np.ones(routes.shape_out)))
assert table[0, 0] > table[0, 1] == 1 / 4 and table[1, 0] > table[1, 2] == 1 / 9
figures.shares(table, ["k=2", "k=3"], ["s=1", "s=2", "s=3"], "density", marked=[(0, 1), (1, 2)], meaning="1/K")

# %% [markdown]
# For claim 8, two towers of three stages each. In one a convolution stands before each pool, in the other the pools
# follow each other. From the last stage to the first, the cells print the density of each pool's input gradient. The
# last line is for claim 10.


# %% name="measure-depth"
def tower(x, stages, with_convolution):
    """Density of the gradient before each pool, from the last pool to the first."""
    steps = []
    for _ in range(stages):
        weight = rng.normal(size=(4, 4, 3, 3)) if with_convolution else None
        z = conv(x, weight, padding=1) if with_convolution else x
        y, indices = max_pool(z, 2, return_indices=True)
        steps.append((x, weight, z.shape, indices))
        x = y
    gradient, densities = np.ones_like(x), []
    for x, weight, shape, indices in reversed(steps):
        gradient = max_pool_backward(gradient, indices, shape)
        densities.append(routing.density(gradient))
        gradient = conv_backward(gradient, x, weight, padding=1)[0] if with_convolution else gradient
    return densities


# %% name="measure-relu"
x = rng.normal(size=(1, 4, 32, 32))
print("with convolutions", tower(x, 3, True), "pools alone", tower(x, 3, False))
assert tower(x, 3, True) == [1 / 4] * 3 and tower(x, 3, False) == [1 / 4, 1 / 16, 1 / 64]
same = {p.__name__: np.allclose(p(np.maximum(x, 0), 2), np.maximum(p(x, 2), 0)) for p in (max_pool, avg_pool)}
print("ReLU before and after are equal:", same)
assert same == {"max_pool": True, "avg_pool": False}

# %% [markdown]
# 6. **False.** 75 % of the *pool's input* gradient is zero. The convolution spreads each winner's gradient over nine
#    pixels, and no pixel is left out. Whoever counted zeros looked at one tensor and wrote about another.
# 7. **False.** It is the density of that case. With stride 1 there are more windows, and more elements win: 0.43 for
#    k = 2. No density can exceed the outputs over the inputs.
# 8. **Only if** no convolution stands in between. Then it is 1/4, 1/16, 1/64.
# 9. **False.** A weight is used at every position, so it meets some winner. The zeros are in the map, not in the
#    weight.
# 10. **True,** for max pooling: the largest of the clipped is the clipped largest. For an average it is not.
#
# ## Training: claims 11 to 15
#
# 11. A weight whose gradient is zero does not change in this step.
# 12. The zeros behind a max pool spoil the variance that a batch norm after the pool estimates.
# 13. Dropout after the pool is a remedy against the sparse gradient.
# 14. Average pooling loses no gradient, so its input gets as strong a gradient as that of a max pool.
# 15. In float16, dividing by $K = 4$ and adding quarters piles up rounding errors.

# %% name="bet-training"
bets("12-training", {11: "only if", 12: "false", 13: "false", 14: "false", 15: "false"})

# %% [markdown]
# For claim 11, one weight starts at 1. It gets the gradient 1 once, and 0 in the step after. Four optimisers with the
# learning rate 0.1 and usual settings: what moves in the second step? The cell after it measures lengths and densities
# for claims 13 and 14, and for 15 the largest error of the same backward in float16.

# %% name="measure-optimisers"
rate, beta1, beta2 = 0.1, 0.9, 0.999
gradients = [1.0, 0.0]
weights = {"SGD": 1.0, "momentum": 1.0, "decay": 1.0, "Adam": 1.0}
velocity = first = second = 0.0
for step, gradient in enumerate(gradients, 1):
    start = dict(weights)
    velocity = 0.9 * velocity + gradient
    first, second = beta1 * first + (1 - beta1) * gradient, beta2 * second + (1 - beta2) * gradient**2
    weights["SGD"] -= rate * gradient
    weights["momentum"] -= rate * velocity
    weights["decay"] -= rate * (gradient + 0.1 * weights["decay"])
    weights["Adam"] -= rate * (first / (1 - beta1**step)) / (second / (1 - beta2**step)) ** 0.5
moved = {name: round(weights[name] - start[name], 4) for name in weights}
print("second step:", moved)
assert moved["SGD"] == 0 and all(moved[name] < 0 for name in ("momentum", "decay", "Adam"))

# %% name="measure-norms"
y, indices = max_pool(x, 2, return_indices=True)
upstream = rng.normal(size=y.shape)
gradients = max_pool_backward(upstream, indices, x.shape), avg_pool_backward(upstream, x.shape, 2)
lengths = [np.linalg.norm(gradient) / np.linalg.norm(upstream) for gradient in gradients]
dropped = max_pool_backward(upstream * (rng.random(y.shape) < 0.5), indices, x.shape)
print(f"norm over upstream norm: max {lengths[0]:.4g}, average {lengths[1]:.4g}")
print(f"density: {routing.density(gradients[0]):.4g}, with half dropped {routing.density(dropped):.2g}")
assert np.allclose(lengths, [1, 1 / 2]) and routing.density(dropped) < 0.15

half = upstream[..., :8, :8].astype(np.float16)
errors = []
for k in (2, 3):
    shape = (1, 4, 8 * k, 8 * k)
    errors.append(np.abs(avg_pool_backward(half, shape, k) - avg_pool_backward(half.astype(float), shape, k)).max())
print(f"largest error in float16: k=2 {errors[0]:g}, k=3 {errors[1]:.1g}")
assert errors[0] == 0 < errors[1] < 1e-3

# %% [markdown]
# For claim 12 a batch norm stands behind the pool. One copy runs a forward and a backward, the other only a forward.
# Which variance does each remember, and how dense is the gradient that reaches the batch norm?

# %% name="measure-statistics" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed, so this measurement is left out.")
else:
    leaf, norms = torch.tensor(x, requires_grad=True), [torch.nn.BatchNorm2d(4, dtype=torch.float64) for _ in range(2)]
    pooled = torch.nn.functional.max_pool2d(leaf, 2)
    pooled.retain_grad()
    (norms[0](pooled) ** 3).sum().backward()
    norms[1](pooled)
    print("same variance:", torch.equal(norms[0].running_var, norms[1].running_var))
    print("density behind the pool", routing.density(pooled.grad), "and before it", routing.density(leaf.grad))
    assert torch.equal(norms[0].running_var, norms[1].running_var) and routing.density(pooled.grad) == 1

# %% [markdown]
# 11. **Only if** the optimiser is plain SGD. Momentum and Adam remember the gradient before, and weight decay pulls.
# 12. **False.** Both remember the same variance: it is taken from forward values, before any gradient comes. And the
#     zeros stand before the pool, not behind it.
# 13. **False.** It drops outputs, and their winners with them: from 0.25 to about half of it. It may help for other
#     reasons; this is not one.
# 14. **False.** For tiles of k × k its norm is $1/k$ of the upstream norm, and that of the max pool is the whole. At
#     one learning rate an average network takes shorter steps. Exercise 9 shows what follows.
# 15. **False.** A quarter is exact in binary, so the error is 0. A ninth is not, and with 3 × 3 windows there is an
#     error.
#
# ## Checks and choices: claims 16 to 20
#
# 16. If a numerical gradient differs by less than 0.0001, the backward is fine.
# 17. Average pooling suffers more from noisy pixels than max pooling.
# 18. A strided convolution, unlike a max pool, sends a gradient to every pixel.
# 19. Pooling reduces the parameters of a network.
# 20. Fractional max pooling interpolates between pixels.

# %% name="bet-choices"
bets("12-choices", {16: "only if", 17: "only if", 18: "only if", 19: "only if", 20: "false"})

# %% [markdown]
# For claim 16 we take a backward that is wrong, since it writes `=` where windows overlap, and a small upstream
# gradient. For claim 17 every twentieth pixel of a photograph becomes white, or black. The harm is the mean squared
# change of the outputs. The picture shows the white ones.

# %% name="measure-tolerance"
x = rng.permutation(16).reshape(1, 1, 4, 4).astype(float)
y, indices = max_pool(x, 2, 1, return_indices=True)
upstream = 1e-5 * rng.normal(size=y.shape)
right = max_pool_backward(upstream, indices, x.shape)
wrong = np.zeros(16)
wrong[indices.ravel()] = upstream.ravel()
error = np.abs(wrong - right.ravel()).max()
print(f"absolute error {error:.1g}, relative to the largest gradient {error / np.abs(right).max():.2g}")
assert error < 1e-4 and error / np.abs(right).max() > 0.3

# %% name="measure-noise"
from course_lib.experiments import photograph

photo = photograph("china", size=(64, 96))[None, None]
hit = np.arange(photo.size).reshape(photo.shape) % 20 == 0
harm = {}
for name, value in {"black": 0, "white": 1}.items():
    noisy = np.where(hit, value, photo)
    harm[name] = [((pool(noisy, 2) - pool(photo, 2)) ** 2).mean() for pool in (max_pool, avg_pool)]
    print(f"{name}: max {harm[name][0]:.2g}, average {harm[name][1]:.2g}")
assert harm["white"][0] > 5 * harm["white"][1] and harm["black"][1] > 5 * harm["black"][0]
figures.side_by_side(
    *(figures.photo(pool(noisy, 2)[0, 0], title) for pool, title in ((max_pool, "max"), (avg_pool, "average")))
)

# %% [markdown]
# Claim 18 is a question of coverage: which pixels lie in some window? Claim 20 asks whether outputs are pixels. For
# claim 19 we count: a convolution from 32 to 64 channels, and a linear layer for ten classes behind it.

# %% name="measure-reach"
from course_lib import fractional_max_pool

reached = {f"k={k} s={s}": routing.density(routing.coverage((12, 12), k, s)) for k, s in [(1, 2), (2, 3), (2, 2)]}
pooled = fractional_max_pool(photo, 2, output_ratio=0.7, rng=rng)
print({name: round(share, 2) for name, share in reached.items()}, "all are pixels:", np.isin(pooled, photo).all())
assert list(reached.values()) == [1 / 4, 4 / 9, 1] and np.isin(pooled, photo).all()

# %% name="measure-parameters"
convolution, channels = 64 * 32 * 3 * 3 + 64, 64
linear = {side: channels * side * side * 10 + 10 for side in (28, 14, 1)}
print(f"convolution: {convolution}; a linear layer behind a flattened map of side 28, 14 or 1: {linear}")

# %% [markdown]
# 16. **Only if** the gradients themselves are of size 1 or so. Here they are not: the absolute error passes and the
#     relative error is a third or more. Compare relative errors, in float64, with overlap.
# 17. **Only if** the noisy pixels are dark: the maximum passes over them. A white one becomes its window's maximum, and
#     is only a quarter of its mean. That is the operation; [chapter 10](10_what_else_can_shrink_an_image.ipynb) asks
#     what layers around it make of it.
# 18. **Only if** the kernel is at least as long as the stride. ResNet's 1 × 1 shortcut with stride 2 reaches a quarter.
# 19. **Only if** a linear layer stands behind a flattened map: a pool that halves its sides leaves a quarter of the
#     weights. A convolution has as many parameters as before.
# 20. **False.** Its windows begin at uneven steps, and each output is the maximum of one.
#
# ## Three listings
#
# Listings of this kind are in circulation. Each runs. Find the fault before you open the next cell.
#
# **Listing A** sends the gradient back through max pooling with any stride. It is tried on integers.


# %% name="listing-a"
def listing_a(x, grad_output, k, s):
    grad_input = np.zeros_like(x)
    for i, j in np.ndindex(grad_output.shape):
        window = x[i * s : i * s + k, j * s : j * s + k]
        row, column = np.argwhere(window == window.max())[0]
        grad_input[i * s + row, j * s + column] = grad_output[i, j]
    return grad_input


tile = np.array([[1, 2, 3], [4, 9, 5], [6, 7, 8]])
print(listing_a(tile, np.full((2, 2), 0.5), 2, 1))

# %% [markdown]
# <details>
# <summary>Two faults</summary>
#
# The 9 wins four windows and should get 2. The listing writes `=`, so only the last 0.5 is left. And `zeros_like` of
# integers makes integers, so 0.5 becomes 0. Without overlap and with floats both faults are invisible.
#
# </details>
#
# **Listing B** wants to show that max pooling makes an image's gradient sparser than average pooling does. It prints
# the number of zeros for both.

# %% name="listing-b"
weight = np.ones((1, 1, 3, 3))
for find_routes in (routing.max_routes, routing.avg_routes):
    picture = rng.random((1, 1, 4, 4))
    z = conv(picture, weight, padding=1)
    grad_z = find_routes(z, 2).backward(np.ones((1, 1, 2, 2)))
    print("zeros:", np.count_nonzero(conv_backward(grad_z, picture, weight, padding=1)[0] == 0))

# %% [markdown]
# <details>
# <summary>Two faults</summary>
#
# It looks behind the convolution, where the gradient is dense for both, so it shows no difference. And each pool gets a
# picture of its own, so more than one thing changes. Look before the convolution, at the pool's input, with one
# picture.
#
# </details>

# %% name="listing-b-mended"
z = conv(picture, weight, padding=1)
both = routing.max_routes(z, 2), routing.avg_routes(z, 2)
zeros = [np.count_nonzero(routes.backward(np.ones((1, 1, 2, 2))) == 0) for routes in both]
print("max zeros: {}, average zeros: {}".format(*zeros))
assert zeros == [12, 0]

# %% [markdown]
# **Listing C** pads before it pools, which is fine, and remembers where each winner stood. Its upstream gradient is
# 1, 2, 3, 4.


# %% name="listing-c"
def listing_c(x, grad_output, k, s, p):
    padded = np.pad(x, p)
    grad_padded = np.zeros(padded.shape)
    for i, j in np.ndindex(grad_output.shape):
        window = padded[i * s : i * s + k, j * s : j * s + k]
        row, column = np.unravel_index(window.argmax(), window.shape)
        grad_padded[i * s + row, j * s + column] += grad_output[i, j]
    return grad_padded[p:-p, p:-p]


negative = np.array([[-1.0, -2], [-3, -4]])
print(listing_c(negative, np.array([[1.0, 2], [3, 4]]), 2, 2, 1))

# %% [markdown]
# <details>
# <summary>The fault</summary>
#
# It pads with zeros. All real numbers are negative, so a zero wins every window, and the gradient goes to the padding
# and is cut off. Pad a maximum with −∞. The same listing is right for every input that is not negative, such as what
# comes out of a ReLU; so it can live for years.
#
# </details>
#
# ## Your turn
#
# Mend listings A and C. Each takes one plane `x` (H, W) and one upstream gradient (rows, columns), and returns the
# gradient of `x` as floats. Two changes are enough for A, and one for C.


# %% name="mend"
def mended_a(x, grad_output, k, s):
    raise NotImplementedError("Your turn.")


def mended_c(x, grad_output, k, s, p):
    raise NotImplementedError("Your turn.")


# %% name="check"
from course_lib.exercises import check

check("12", mended_a=mended_a, mended_c=mended_c)

# %% [markdown]
# `hint("12")`, after `from course_lib.exercises import hint`, helps three times.
#
# ## What to keep
#
# 1. A claim about a gradient names the tensor, the geometry and the case, or it cannot be checked.
# 2. Most false claims were measured once, in a case without overlap, ties, padding or a convolution in front.
# 3. A measurement of ten lines settles most of them.
#
# **Next:** [chapter 13, Could I explain it in 60 seconds?](13_could_i_explain_it_in_60_seconds.ipynb)
#
# *Photograph: China by danielbuechele, CC BY 2.0, from scikit-learn's sample images, made grey and smaller.*
