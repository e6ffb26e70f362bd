# %% [markdown]
# # 07 · How do I know it is right?
#
# A wrong backward does not crash. The network trains a little worse, and nobody knows why. Two tools find it: a nudge
# that measures slopes, and small inputs chosen so that a mistake must show.
#
# **You should know** how a maximum and a convolution send gradients back
# ([chapters 02](02_where_does_the_gradient_go.ipynb) and [06](06_how_does_a_shared_kernel_learn.ipynb)), and what a
# kink is ([chapter 05](05_who_wins_a_tie.ipynb)).
#
# **You will be able to**
# 1. choose the step of a difference, and say which two errors it balances;
# 2. check a whole gradient with two forward passes, and not be fooled by kinks, by ones or by small numbers;
# 3. find the smallest input that exposes a given mistake, and measure how good your tests are.
#
# **Time:** about 40 minutes.
#
# ## Looks right, is wrong
#
# Here is a backward of max pooling, `suspect_backward`. Its author tested it on a 4 × 4 input with four windows, and it
# agreed with the library in every number. Do you see the mistake?

# %% name="suspect"
import numpy as np

from course_lib import conv, conv_backward, figures, max_pool, max_pool_backward


def suspect_backward(grad_output, x, kernel_size, stride):
    _, indices = max_pool(x, kernel_size, stride, return_indices=True)
    grad_input = np.zeros(x.size)
    grad_input[indices.ravel()] = grad_output.ravel()
    return grad_input.reshape(x.shape)


def right_backward(grad_output, x, kernel_size, stride):
    _, indices = max_pool(x, kernel_size, stride, return_indices=True)
    return max_pool_backward(grad_output, indices, x.shape)


rng = np.random.default_rng(0)
tiles, tiles_upstream = rng.permutation(np.arange(16.0)).reshape(1, 1, 4, 4), rng.normal(size=(1, 1, 2, 2))
both = [backward(tiles_upstream, tiles, 2, 2) for backward in (suspect_backward, right_backward)]
np.testing.assert_array_equal(*both)
figures.side_by_side(figures.gradient(both[0].round(2), "suspect"), figures.gradient(both[1].round(2), "library"))

# %% [markdown]
# <details>
# <summary>Think first, then open this</summary>
#
# The `=` keeps only one gradient where one element wins several windows. Tiles do not overlap, so the test could not
# see it.
#
# </details>
#
# Reading alone is no method. We need a judge that knows nothing about pooling.
#
# ## The judge: a difference
#
# The slope of $f$ at $x$ is the limit of a quotient. A computer cannot take the limit, but it can take a small step
# $h$:
#
# $$\text{forward: } \frac{f(x + h) - f(x)}{h} \qquad\qquad \text{central: } \frac{f(x + h) - f(x - h)}{2h}$$
#
# How small? Try $f = \exp$ at 1, whose slope is known.

# %% name="predict-smaller"
from course_lib.widgets import predict

predict(
    "07-smaller",
    "Central difference of exp at 1 in float64. Compared with h = 10⁻⁵, the error at h = 10⁻¹⁰ is …",
    choices=["much smaller", "about the same", "much larger"],
    answer="much larger",
    why="Two nearly equal numbers are subtracted. What is left is mostly rounding, and then it is divided by a tiny h.",
)


# %% name="steps" tags=["nbval-ignore-output"]
def error_of(step, x=1.0, forward=False):
    below, width = (x, step) if forward else (x - step, 2 * step)
    return abs((np.exp(x + step) - np.exp(below)) / width - np.exp(x)) / np.exp(x)


errors = {step: error_of(step) for step in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-8, 1e-10, 1e-12)}
assert 90 < errors[1e-2] / errors[1e-3] < 110 and errors[1e-10] > 100 * errors[1e-5]
print("\n".join(f"h = {step:.0e}   relative error {error:.0e}" for step, error in errors.items()))

# %% [markdown]
# From the top down the error first falls a hundredfold for each tenfold smaller step. Then it turns, and rises again.
# Two errors pull in opposite directions.
#
# **Truncation.** The function bends, and the quotient takes a straight line for it. For the forward difference, Taylor
# says $f(x + h) = f + h f' + \tfrac{h^2}{2} f'' + \ldots$, so the quotient is off by about $\tfrac{h}{2} f''$: it falls
# in step with $h$. In the central difference the terms with $h^2$ cancel, and the error falls with $h^2$. Exercise 4
# asks you to derive it.
#
# **Rounding.** Each value of $f$ is stored with a relative error of about $\varepsilon$, which is
# $2 \cdot 10^{-16}$ in float64 and $10^{-7}$ in float32. The difference of two values keeps this error, and the
# division by $h$ blows it up to about $\varepsilon |f| / h$.
#
# Large steps suffer from the first, small ones from the second. On logarithmic axes their sum is a **U**.

# %% name="u-curve" tags=["nbval-ignore-output"]
steps = 10.0 ** np.arange(-0.5, -13, -0.25)
curves = {
    "central": [error_of(step) for step in steps],
    "forward": [error_of(step, forward=True) for step in steps],
    "central, float32": [error_of(np.float32(step), np.float32(1)) for step in steps],
}
least = {name: steps[np.argmin(curve)] for name, curve in curves.items()}
assert 1e-7 < least["central"] < 1e-4 < least["central, float32"] < 1e-1
assert 10_000 * min(curves["central"]) < min(curves["central, float32"]) < 1e-3
figures.error_curves(steps, curves, "slope of exp at 1", marks=[np.cbrt(np.finfo(float).eps)])

# %% [markdown]
# Read the picture from the right. The central curve falls twice as steeply as the forward one, and gets a good deal
# lower. The best step balances both errors. For the central difference it lies near $\varepsilon^{1/3}$: about
# $6 \cdot 10^{-6}$ in float64, the upright line, with an error near $\varepsilon^{2/3}$. For the forward difference it
# lies near $\varepsilon^{1/2}$, and so does the error.
#
# In float32 the same balance is at $5 \cdot 10^{-3}$, and the best error is about a hundred thousand times as large. A
# right backward then fails a strict test, and a wrong one may pass a lax one. **Check gradients in float64**, even if
# the network trains in float32.
#
# ## When there is no U
#
# **Predict** the curve of a convolution, with a loss that is linear in the outputs.

# %% name="no-u" tags=["nbval-ignore-output"]
from course_lib.gradcheck import check_gradient, error_curve

weight = rng.normal(size=(1, 1, 3, 3))
image = rng.permutation(np.arange(42.0)).reshape(1, 1, 6, 7) / 10


def convolve(x):
    return conv(x, weight)


def convolve_backward(grad_output, x):
    return conv_backward(grad_output, x, weight)[0]


def pool(x):
    return max_pool(x, 3, stride=1)


flat = {}
_, flat["convolution"] = error_curve(convolve, convolve_backward, image, steps=steps)
_, flat["max pooling"] = error_curve(pool, lambda g, x: right_backward(g, x, 3, 1), image, steps=steps)
assert flat["convolution"][0] < 1e-12 < flat["convolution"][-1] and flat["max pooling"][0] > 1e-6
figures.error_curves(steps, flat, "linear loss")

# %% [markdown]
# A convolution is linear in its input. A difference quotient of a linear function is exact at any step, so there is no
# truncation: only the left branch is left, and the *largest* step is the best. If your U has no right side, nothing is
# wrong.
#
# Max pooling is linear only as long as the winners stay. The numbers here lie 0.1 apart. A large step lets another
# element overtake; then the measured slope is that of another piece, and the error jumps. So for a maximum the step
# must stay well below the gap between the winner and the next.
#
# ## One number for a whole gradient
#
# A picture of 42 pixels needs 84 forward passes, one pair for each. There is a cheaper way. Move *all* elements at once
# along a random direction $v$, and compare two numbers:
#
# $$\underbrace{\frac{L(x + h v) - L(x - h v)}{2h}}_{\text{two forward passes}} \quad\text{and}\quad
#   \underbrace{\sum \texttt{grad\_input} \cdot v}_{\text{one backward pass}}$$
#
# with $L = \sum \texttt{grad\_output} \cdot \texttt{y}$. Both are the slope of the loss in direction $v$. A wrong
# gradient passes only if its error happens to be perpendicular to $v$, and a random direction does not do us that
# favour. A direction of ones would: it compares sums only, and a gradient that goes to the wrong element passes.


# %% name="projection"
def projections(backward, x, grad_output, step=1e-6):
    direction = np.random.default_rng(1).normal(size=x.shape)
    up, down = (grad_output * pool(x + step * direction)).sum(), (grad_output * pool(x - step * direction)).sum()
    return (up - down) / (2 * step), (backward(grad_output, x, 3, 1) * direction).sum()


upstream = rng.normal(size=pool(image).shape)
for backward, passes in {right_backward: True, suspect_backward: False}.items():
    numeric, analytic = projections(backward, image, upstream)
    print(f"{backward.__name__:<17} measured {numeric:.4f}, claimed {analytic:.4f}")
    assert (abs(numeric - analytic) < 1e-6 * abs(numeric)) == passes

# %% [markdown]
# The suspect is caught: the windows overlap now, and its claim is far off. The price was two forward passes. The right
# one agrees to better than one part in a million, and that is a good bound in float64: rounding stays far below it, and
# mistakes rarely do.
#
# ## Three ways to be fooled
#
# **By ones.** Many tests take `np.ones` as the upstream gradient, or call `y.sum().backward()`, which is the same.
# Suppose that a backward mixes up the rows and columns of its upstream gradient.

# %% name="predict-ones"
predict(
    "07-ones",
    "A backward transposes `grad_output` by mistake. Tested with an upstream gradient of ones, it …",
    choices=["passes", "fails", "crashes"],
    answer="passes",
    why="The transpose of a square of ones is the same square. Only unequal numbers show who got what.",
)


# %% name="ones"
def transposing_backward(grad_output, x, kernel_size, stride):
    return right_backward(np.ascontiguousarray(grad_output.swapaxes(2, 3)), x, kernel_size, stride)


square = rng.permutation(np.arange(36.0)).reshape(1, 1, 6, 6) / 10
for name, sent in {"ones": np.ones((1, 1, 4, 4)), "random": rng.normal(size=(1, 1, 4, 4))}.items():
    numeric, analytic = projections(transposing_backward, square, sent)
    print(f"{name:<7} measured {numeric:.4f}, claimed {analytic:.4f}")

# %% [markdown]
# **By small numbers.** "The error is below 10⁻⁴" sounds strict. But a mean over many outputs makes upstream gradients
# small. If they are near $10^{-5}$, *everything* about them is below $10^{-4}$, a wrong gradient too. Ask for the
# relative error: the difference over the size of the gradient.

# %% name="small"
tiny = 1e-5 * upstream
wrong, right = (backward(tiny, image, 3, 1) for backward in (suspect_backward, right_backward))
absolute = np.abs(wrong - right).max()
relative = absolute / np.abs(right).max()
assert absolute < 1e-4 and relative > 0.3
print(f"absolute error below 1e-4: {absolute < 1e-4}, relative error {relative:.2f}")

# %% [markdown]
# **By kinks.** At a tie a difference measures neither slope, but the mean of both sides. **Predict** before you run the
# cell. It makes a batch of four windows, in each of which another element is nudged.

# %% name="predict-kink"
predict(
    "07-kink",
    "A window of four equal numbers; its maximum is checked element by element with central differences. What do the "
    "four measured slopes add up to?",
    number="",
    answer=2,
    why="Raised alone an element lifts the maximum, lowered alone it does not: ½ each. Yet a fair gradient sums to 1.",
)

# %% name="kink"
equal = np.full((1, 1, 2, 2), 5.0)
nudges = 1e-6 * np.eye(4).reshape(4, 1, 2, 2)
slopes = (max_pool(equal + nudges, 2) - max_pool(equal - nudges, 2)).reshape(2, 2) / 2e-6
assert round(slopes.sum(), 4) == 2
claimed = right_backward(np.ones((1, 1, 1, 1)), equal, 2, 2)
norm = figures.style.gradient_norm(claimed)
measured = figures.gradient(slopes.round(4), "measured", norm=norm)
figures.side_by_side(measured, figures.gradient(claimed, "right", norm=norm))

# %% [markdown]
# The right gradient fails this test in all four places, and the measured one is not a gradient at all. So keep ties
# away: give every element a number of its own, and let all gaps be wider than two steps. That is why our images are
# permutations.
#
# But ties are part of the job, and a check that avoids them can be passed by a mask. The course's `check_gradient`
# looks at both sides of each element. Where they disagree it accepts every value between them; then it moves the tied
# elements together, where there is no corner, and the claims must add up to that slope.


# %% name="check-gradient"
def by_mask(grad_output, x):
    return grad_output * (x == x.max())


def pool_tiles(x):
    return max_pool(x, 2)


claims = {
    "first wins": lambda g, x: right_backward(g, x, 2, 2),
    "split": lambda g, x: by_mask(g, x) / 4,
    "mask": by_mask,
}
reports = {name: check_gradient(pool_tiles, backward, equal) for name, backward in claims.items()}
assert [report.passed for report in reports.values()] == [True, True, False]
for name, report in reports.items():
    print(f"{name:<11} passed: {report.passed}, kinks: {len(report.kinks)}")

# %% [markdown]
# PyTorch has such a judge too, `torch.autograd.gradcheck`. It wants float64. It knows no kinks: at a tie it refuses
# PyTorch's own max pooling. (A ReLU at 0 is a kink of the same sort.)

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed, so this comparison is left out.")
else:
    inputs = {"no ties": torch.tensor(image, requires_grad=True), "ties": torch.tensor(equal, requires_grad=True)}
    verdicts = {
        name: torch.autograd.gradcheck(lambda x: torch.nn.functional.max_pool2d(x, 2, 1), leaf, raise_exception=False)
        for name, leaf in inputs.items()
    }
    assert verdicts == {"no ties": True, "ties": False}
    print(verdicts)

# %% [markdown]
# > **Check in float64, with a central difference and a step near $10^{-5}$, a random upstream gradient, a relative
# > error, and no ties. Then check the ties on purpose.**
#
# ## From a check to tests
#
# A gradient check finds mistakes only in the inputs that you give it. The suspect passed on tiles. So which inputs? Ask
# of each mistake: *what is the smallest input on which it must show?*
#
# The best trick is an input of a single element, with `padding=1`, `kernel_size=2` and `stride=1`. Four windows hold
# the element, and each has only it. So it wins all four, whatever it is, and its gradient is the sum of all upstream
# numbers. One element tests accumulation, padding, and the offset between both.

# %% name="one-element"
single, four = np.array([[[[-3.0]]]]), np.array([[[[1.0, 2], [4, 8]]]])
y, indices = max_pool(single, 2, stride=1, padding=1, return_indices=True)
print("outputs", y.ravel(), "indices", indices.ravel())
print("gradient", max_pool_backward(four, indices, single.shape).item())

# %% [markdown]
# The upstream numbers 1, 2, 4 and 8 are chosen too: whichever are lost, the sum tells which. And the −3 shows who pads
# with zeros: for them the padding would win.
#
# Now eight tests, each a small input with its upstream gradient. The last but one has everything at once: two samples,
# three channels, ties, negative numbers, overlap, padding, and sides that all differ.

# %% name="tests"
from course_lib.exercises.misconceptions import CATALOGUE, MAX_POOL, Case


def case(x, grad_output, **geometry):
    arrays = {"x": np.array(x, float), "grad_output": np.array(grad_output, float)}
    return Case("", {**arrays, **geometry})


mixed = rng.integers(-4, 4, (2, 3, 6, 7)), rng.normal(size=(2, 3, 3, 4))
tests = {
    "4 × 4 tiles": case(tiles, tiles_upstream, kernel_size=2),
    "the same, upstream ones": case(tiles, np.ones((1, 1, 2, 2)), kernel_size=2),
    "overlap": case([[[[1, 2, 3], [4, 9, 5], [6, 7, 8]]]], four, kernel_size=2, stride=1),
    "one element": case(single, four, kernel_size=2, stride=1, padding=1),
}

# %% name="more-tests"
tests |= {
    "ties": case(equal, [[[[8]]]], kernel_size=2),
    "samples, channels": case(tiles.reshape(2, 2, 2, 2), tiles_upstream.reshape(2, 2, 1, 1), kernel_size=2),
    "all at once": case(*mixed, kernel_size=3, stride=2, padding=1),
    "two NaN": case([[[[np.nan, 3], [np.nan, 9]]]], [[[[8]]]], kernel_size=2),
}

# %% [markdown]
# And fourteen wrong backwards. The course keeps a catalogue of mistakes that people really make; each can be run. What
# follows takes each wrong backward through each test, and notes whether the test refuses it.

# %% name="mutants"
mutants = {
    "= for +=": "max_overwrite", "the whole to all": "max_passthrough", "average": "max_as_average",
    "mask": "max_eqmask", "last of a tie": "max_tie_last", "first of two NaN": "max_nan_first",
    "zeros as padding": "max_zero_pad", "padding not taken off": "max_pad_offset",
    "window's start left out": "max_local_offset", "stride is kernel_size": "max_stride_is_k",
    "height for width": "max_hw_swap", "samples mixed": "max_batch_mix",
    "one winner for all channels": "max_channel_shared_argmax", "upstream transposed": "max_dy_transposed",
}  # fmt: skip

# %% name="predict-tiles"
predict(
    "07-tiles",
    "How many of the fourteen wrong backwards pass the test with 4 × 4 tiles?",
    number="of 14",
    answer=10,
    tolerance=1,
    why="It refuses only those that go wrong in a single window, and the transposed upstream.",
)

# %% [markdown]
# A backward that crashes is refused as well: a wrong one, on sizes that do not fit its mistake.


# %% name="kill-matrix"
def refuses(test, mistake):
    right = MAX_POOL.results(test)["grad_input"]
    try:
        wrong = np.asarray(CATALOGUE[mistake].results(test)["grad_input"])
    except (ValueError, IndexError):
        return True
    return wrong.shape != right.shape or not np.allclose(wrong, right)


killed = np.array([[refuses(test, mistake) for test in tests.values()] for mistake in mutants.values()])
assert (~killed[:, 0]).sum() == 10
assert killed.any(axis=1).all()
figures.kill_matrix(killed, list(mutants), list(tests))

# %% [markdown]
# A wrong version that is made on purpose is called a **mutant**. A test that fails on it *kills* it. The share that is
# killed is the **mutation score**, and it measures tests as tests measure code.
#
# Read a column: the test on tiles lets ten of fourteen through. With ones it is worse still, for it loses the
# transposed one. Read a row: *first of two NaN* is refused by one test alone, and *height for width* only by the one in
# which all sides differ.
#
# How few tests kill all? Take the best, then the one that adds most, and so on.

# %% name="greedy"
alive, chosen = np.ones(len(mutants), bool), []
while alive.any():
    best = int((killed & alive[:, None]).sum(axis=0).argmax())
    alive &= ~killed[:, best]
    chosen.append(list(tests)[best])
    print(f"{chosen[-1]:<12} leaves {alive.sum()} alive")

# %% [markdown]
# Two tests kill all fourteen. So why keep the small ones? Because they speak. When *all at once* fails, you know that
# something is wrong. When *one element* fails with 8 instead of 15, you know what: only the last window was kept.
#
# And mind what a score cannot say. It counts only the mutants that somebody thought of. Other mistakes need other
# inputs: more than 256 elements for an index kept in one byte, two calls for a buffer that is not cleared, two numbers
# nearly equal for a winner searched in low precision.
#
# ## Try it
#
# Drag the step along the curve and watch the two errors change places. Choose *max pooling*, and find the step at
# which the runner-up overtakes. Choose *convolution* and say why it has a U here: its loss is not linear, but an
# exponential. Choose *square*: where is its right branch, and why does the forward difference have one?

# %% name="widget"
from course_lib.widgets import GradientCheckExplorer

GradientCheckExplorer()

# %% [markdown]
# ## What to keep
#
# 1. A central difference has truncation that falls with $h^2$ and rounding that grows with $1/h$. Take $h$ near
#    $\varepsilon^{1/3}$, in float64.
# 2. Random upstream, relative error, no ties; then ties on purpose. One random direction checks a whole gradient.
# 3. Tests are measured by the mistakes they refuse. One element with padding refuses more than a page of tiles.
#
# **Next:** exercises 4, [how wrong is a central difference?](../exercises/04_central_difference.ipynb);
# 6, [check the gradient](../exercises/06_check_the_gradient.ipynb); and
# 7, [design the tests](../exercises/07_design_the_tests.ipynb). Then
# [chapter 08, How sparse is the gradient?](08_how_sparse_is_the_gradient.ipynb)
