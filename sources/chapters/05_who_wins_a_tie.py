# %% [markdown]
# # 05 · Who wins a tie?
#
# Max pooling sends the gradient to the largest element of a window. Sometimes two elements are largest. Then somebody
# must choose, and every wrong choice looks fine until it is added up.
#
# **You should know** how max pooling routes a gradient ([chapter 02](02_where_does_the_gradient_go.ipynb)).
#
# **You will be able to**
# 1. tell a fair gradient of a tied window from an unfair one, and prove it with a nudge;
# 2. say which rule a function of NumPy or PyTorch follows, for ties, for NaN and for −∞;
# 3. say when a backward may choose the winner again, and when it may not.
#
# **Time:** about 30 minutes.
#
# ## A corner, not a hole
#
# In the window below two elements are 7. A gradient is a list of slopes: how fast does the maximum rise if one element
# rises, and the others stay?

# %% name="window"
import numpy as np

from course_lib import conv, figures, max_pool, routing
from course_lib.widgets import predict

window = np.array([[7.0, 2], [7, 4]])
figures.grid(window, "window", winners=[(0, 0), (1, 0)])

# %% name="predict-alone"
predict("05-alone", "Raise the first 7 a little, alone; then lower it, alone. How fast does the maximum follow?",
        choices=["up 1, down 1", "up 1, down 0", "up ½, down ½", "up 0, down 0"], answer="up 1, down 0",
        why="Raised, it is the largest alone. Lowered, it leaves the lead to the other 7.")  # fmt: skip

# %% [markdown]
# Now measure it, with steps to one side only.


# %% name="one-sided"
def slope(direction, step=0.001):
    """How fast the maximum changes when the window moves a small step in a direction."""
    return (max_pool((window + step * direction)[None, None], 2).item() - window.max()) / step


first_seven = np.array([[1.0, 0], [0, 0]])
up, down = slope(first_seven), abs(slope(-first_seven))
assert np.allclose([up, down], [1, 0])
print(f"to the right {up:.4g}, to the left {down:.4g}")

# %% [markdown]
# The two sides disagree, so there is no one slope. This place is called a **kink**. Nothing jumps here: the maximum is
# a continuous function, made of straight pieces. What jumps is the *place* of the winner. (Articles mix the two up and
# call the maximum itself piecewise constant, or not continuous.)
#
# At a kink we lower our demand. Ask only that the claimed slope be *fair*: the straight line with that slope must touch
# the function and lie nowhere above it. In the picture on the left every slope between 0 and 1 is fair. A list of
# slopes that is fair in all directions at once is called a **subgradient**.

# %% name="corner"
nudges = np.linspace(-1, 1, 21)
alone = [(window + nudge * first_seven).max() for nudge in nudges]
together = [(window + nudge * (window == 7)).max() for nudge in nudges]
left = figures.kink(nudges, alone, {"slope 1": 1, "slope ½": 0.5, "slope 0": 0}, "move the first 7 alone")
right = figures.kink(nudges, together, {"slope 1": 1, "slope 2": 2}, "move both sevens together")
figures.side_by_side(left, right)

# %% [markdown]
# The picture on the right moves both sevens together. Now the maximum has no corner. It rises at 1, and a line with
# slope 2 cuts through it. So the slopes of the two sevens are not free: they must add up to 1. That gives the whole
# set:
#
# > **The subgradients of a maximum are all ways to share 1 among the tied elements, with no share below zero. Giving 1
# > to each of them is not one of the ways.**
#
# Two tied elements leave an interval of choices, three a triangle, four a tetrahedron. Where one element is largest
# alone, one choice is left: the ordinary gradient.
#
# ## Test six claims
#
# Six gradients for our window, each in row-major order: 7, 2, 7, 4. We draw 10,000 random nudges, and count how often
# the claimed line lies above the maximum.

# %% name="claims"
claims = {
    "first": [1, 0, 0, 0],
    "last": [0, 0, 1, 0],
    "split": [0.5, 0, 0.5, 0],
    "any share": [0.8, 0, 0.2, 0],
    "mask": [1, 0, 1, 0],
    "none": [0, 0, 0, 0],
}
directions = np.random.default_rng(0).normal(size=(10_000, 4))
rise = (window.ravel() + directions).max(axis=1) - 7
too_high = {name: np.mean(directions @ claim > rise + 1e-9) for name, claim in claims.items()}
assert [name for name, share in too_high.items() if share] == ["mask", "none"]
print(*(f"{name:<9} {share:.2f}" for name, share in too_high.items()), sep="\n")

# %% [markdown]
# The first four are fair, and the test cannot tell them apart: mathematics does not choose among them. The mask pays
# the gradient twice. *None*, which gives a tied window nothing, is caught when both sevens sink.
#
# So a choice is not an "engineering approximation" of a derivative that is missing. Away from ties it *is* the
# derivative, and at a tie it is one of the fair ones. Three rules are in use:
#
# * **first**: the first of the tied elements, read row by row;
# * **last**: the last of them;
# * **split**: an equal share to each.
#
# ## In code: one character decides
#
# Scan a window and remember the best so far. With `>` a newcomer must be better, and the first stays. With `>=` it is
# enough to be as good, and the last one stays.

# %% name="loops"
x = np.array([[7.0, 2, 1, 1], [7, 4, 1, 1], [0, 3, 2, 5], [0, 6, 5, 3]])
grad_output = np.array([[10.0, -8], [3, 6]])


def max_pool_backward_loops(x, grad_output, newcomer_wins):
    grad_input = np.zeros_like(x)
    for row, column in np.ndindex(grad_output.shape):
        best = (2 * row, 2 * column)
        for down, across in np.ndindex(2, 2):
            place = (2 * row + down, 2 * column + across)
            if newcomer_wins(x[place], x[best]):
                best = place
        grad_input[best] += grad_output[row, column]
    return grad_input


rules = {"first": np.greater, "last": np.greater_equal}
by_loops = {rule: max_pool_backward_loops(x, grad_output, wins) for rule, wins in rules.items()}

# %% [markdown]
# The same without loops: one row of four for each window. `argmax` gives the first of equal numbers. For the last one,
# read the row backward. To split, mark all that equal the maximum and divide by their number; it is this division that
# makes a mask fair. The library's routes take the rule as `ties`.
#
# All three ways must agree. And under each rule the gradient must add up to 11, which is what came from upstream.

# %% name="arrays"
rows = x.reshape(2, 2, 2, 2).swapaxes(1, 2).reshape(4, 4)
ties = rows == rows.max(axis=1, keepdims=True)
shares = {
    "first": np.eye(4)[rows.argmax(axis=1)],
    "last": np.eye(4)[3 - rows[:, ::-1].argmax(axis=1)],
    "split": ties / ties.sum(axis=1, keepdims=True),
}
gradients = {}
for rule, share in shares.items():
    sent = share * grad_output.reshape(4, 1)
    gradients[rule] = sent.reshape(2, 2, 2, 2).swapaxes(1, 2).reshape(4, 4)

# %% name="rules"
for rule, gradient in gradients.items():
    routes = routing.max_routes(x[None, None], 2, ties=rule)
    np.testing.assert_array_equal(routes.backward(grad_output[None, None])[0, 0], gradient)
    np.testing.assert_array_equal(by_loops.get(rule, gradient), gradient)
    assert gradient.sum() == grad_output.sum() == 11
windows = figures.windows(x, 2)
norm = figures.style.gradient_norm(grad_output)
pictures = [figures.gradient(gradient, rule, norm=norm) for rule, gradient in gradients.items()]
figures.side_by_side(figures.grid(x, "x", windows=windows), *pictures)

# %% [markdown]
# Look at the window of four ones, upper right. Its −8 goes to one corner, to the opposite corner, or to all four as −2.
# The window with the 6 has no tie, so no rule changes it.
#
# ## Fair is not the same as downhill
#
# We go one small step against each gradient of the first window, as training does. **Predict:** after which step is the
# maximum smaller?

# %% name="descent"
for rule in ("first", "last", "split"):
    stepped = window.ravel() - 0.5 * np.array(claims[rule])
    print(f"{rule:<6} {stepped}  maximum {stepped.max():g}")

# %% [markdown]
# Only *split* makes the maximum smaller. *First* lowers one seven, and the other keeps the maximum up. Nothing is lost:
# now the other one wins alone, and the next step lowers it. A subgradient promises never to be above; it does not
# promise to point downhill.
#
# ## Who follows which rule?
#
# PyTorch has several functions that take a maximum. They do not agree.

# %% name="predict-amax"
predict("05-amax", "The numbers 7, 7, 7, 4 and PyTorch's `amax`, with upstream gradient 6. What is the gradient?",
        choices=["6, 0, 0, 0", "0, 0, 6, 0", "2, 2, 2, 0", "6, 6, 6, 0"], answer="2, 2, 2, 0",
        why="`amax` splits. Max pooling takes the first; a chain of `maximum` halves at every step.")  # fmt: skip

# %% name="torch" tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    torch = None
    print("PyTorch is not installed, so this comparison is left out.")
else:
    functions = {"max_pool1d": lambda v: torch.nn.functional.max_pool1d(v[None], 4)[0, 0],
                 "max(dim=0)": lambda v: v.max(dim=0).values, "amax": torch.amax, "max()": torch.max,
                 "sort, last": lambda v: v.sort().values[-1],
                 "maximum, chained": lambda v: v[0].maximum(v[1]).maximum(v[2]).maximum(v[3])}  # fmt: skip
    by_torch = {name: torch.func.grad(f)(torch.tensor([7.0, 7, 7, 4])) for name, f in functions.items()}
    assert all(np.isclose(gradient.sum(), 1) for gradient in by_torch.values())
    assert np.isclose(6 * by_torch["amax"], [2, 2, 2, 0]).all() and by_torch["max_pool1d"][0] == 1
    for name, gradient in by_torch.items():
        print(f"{name:<17}", (6 * gradient).tolist())

# %% [markdown]
# Each of them gives away exactly what came in; the cell asserts it. In short, with what other libraries do:
#
# | who | rule |
# |---|---|
# | `max_pool`, `adaptive_max_pool` and `max` over an axis, in PyTorch | first |
# | max pooling in TensorFlow, ONNX Runtime and Flax | first |
# | `amax` and `max()` in PyTorch, `max` in JAX | split |
# | a chain of `maximum` in PyTorch | halves at each step: ¼, ¼, ½ |
# | `course_lib.max_pool` | first |
#
# This is why global max pooling written as `amax` and written as adaptive pooling to 1 × 1 have different gradients on
# the same image. Both are fair. If you compare two programs, settle the rule first, or compare without ties. (The other
# libraries were tried in the versions TensorFlow 2.21, ONNX Runtime 1.32 and JAX 0.10.)
#
# ## Do ties ever happen?
#
# "Never, with floating-point numbers," one often hears. For random numbers that is true. But a photograph has only a
# few hundred levels.

# %% name="predict-photo"
predict("05-photo", "A photograph with 256 levels of grey, pooled by 2 × 2. How many windows are tied?",
        number="%", answer=34, tolerance=10,
        why="Neighbours in the sky have nearly one brightness. Few levels then make them equal.")  # fmt: skip

# %% name="how-common"
from course_lib.experiments import digits, photograph


def tied_maxima(x):
    """How many elements of each 2 × 2 window equal its maximum; (N, C, rows, columns)."""
    y = max_pool(x, 2)
    inside = x[:, :, : 2 * y.shape[2], : 2 * y.shape[3]]
    return (inside == np.kron(y, np.ones((2, 2)))).reshape(*y.shape[:3], 2, y.shape[3], 2).sum(axis=(3, 5))


rng = np.random.default_rng(0)
ink = digits().x_train[:200]
assert len(np.unique(ink)) == 17 and len(np.unique(photograph("china"))) == 256
# Multiples of 1/4096: their sums are exact, and so the ties are the same on every machine.
weight = np.round(4096 * rng.normal(size=(8, 1, 3, 3)) / 3) / 4096
u = conv(ink, weight, padding=1)
relu = np.maximum(u, 0)
inputs = {"random": rng.normal(size=ink.shape), "photograph": photograph("china")[None, None], "digits": ink,
          "after conv": u, "after conv, ReLU": relu}  # fmt: skip

# %% [markdown]
# Five inputs: random numbers, the photograph, 200 handwritten digits with 17 levels of ink, and the same digits behind
# a convolution with random weights, before and after ReLU.

# %% name="share"
share_of_ties = {name: np.mean(tied_maxima(values) > 1) for name, values in inputs.items()}
assert share_of_ties["random"] == 0
assert abs(share_of_ties["photograph"] - 0.34) < 0.01
for name, share in share_of_ties.items():
    print(f"{name:<17} {share:.2f}")

# %% name="map"
photo = photograph("china", size=(64, 96))
figures.side_by_side(
    figures.photo(photo, "64 × 96 pixels"),
    figures.heat(tied_maxima(photo[None, None]), "tied maxima in each window", scale="counts"),
)

# %% [markdown]
# A third of the photograph's windows are tied. In the smaller copy, where each pixel is a mean of several, ties still
# fill the sky: dark cells have four equal pixels. Flat areas tie.
#
# The convolution mixes levels, and ties become rare; what is left is blank paper, where all outputs are equal. Then
# ReLU makes many of them again. Whatever is below zero becomes exactly zero, and a window of zeros is tied four times.
#
# ## Ties at zero: who cares?
#
# Behind a ReLU almost all ties are ties of zeros. ReLU passes a gradient back only where its output is above zero.
# **Predict:** how many elements of the gradient *before* the ReLU depend on the rule?

# %% name="relu"
upstream = rng.normal(size=(200, 8, 4, 4))
below_pool = {rule: routing.max_routes(relu, 2, ties=rule).backward(upstream) for rule in routing.TIES}
below_relu = {rule: gradient * (relu > 0) for rule, gradient in below_pool.items()}
for name, gradients in {"at the pool": below_pool, "before the ReLU": below_relu}.items():
    depend = np.mean(gradients["first"] != gradients["last"])
    print(f"{name}: {depend:.3f} of the elements differ between first and last")

by_mask = np.kron(upstream, np.ones((2, 2))) * (relu == np.kron(max_pool(relu, 2), np.ones((2, 2))))
factor = np.abs(by_mask).sum() / np.abs(upstream).sum()
assert 1.7 < factor < 1.9 and depend < 0.001
print(f"at the pool, a mask pays {factor:.2f} times what it was handed")

# %% [markdown]
# At the pool the rules send a window's gradient to different zeros. The ReLU then stops it at all of them. So for the
# usual block *convolution, ReLU, max pool* the rule hardly matters, and nobody notices which one it is.
#
# It matters where no ReLU stands before the pool, where levels are few, and where a mask adds what it should share.
#
# ## NaN and minus infinity
#
# NaN means *not a number*. `NaN > 3` is false, and so is `3 > NaN`. So a scan with `>` may keep it or lose it, by the
# accident of where it stands. Max pooling should not lose it: NaN is an alarm, and hiding it hides the fault. PyTorch
# and this course let NaN win.

# %% name="predict-nan"
predict("05-nan", "A window holds NaN, 3, NaN and 9, in this order. Whom does PyTorch record as winner?",
        choices=["the first NaN", "the last NaN", "the 9", "none"], answer="the last NaN",
        why="Its scan takes a newcomer that is larger or NaN. So the second NaN replaces the first.")  # fmt: skip

# %% name="nan"
odd = {
    "NaN, 3, NaN, 9": [np.nan, 3, np.nan, 9],
    "inf, NaN, 1, 2": [np.inf, np.nan, 1, 2],
    "-inf four times": [-np.inf] * 4,
    "0, -0, 0, -0": [0.0, -0.0, 0.0, -0.0],
}
for name, values in odd.items():
    y, indices = max_pool(np.array(values).reshape(1, 1, 2, 2), 2, return_indices=True)
    print(f"{name:<16} value {y.item():<5} index {indices.item()}   np.argmax {np.argmax(values)}")

# %% [markdown]
# The *last* NaN wins, while `np.argmax` takes the first: whoever chooses with `argmax` on data with two NaNs sends
# the gradient elsewhere. NaN even beats infinity. A window full of −∞ is an ordinary tie, and its first element wins;
# a scan that starts at −∞ and asks for `>` would find no winner at all. Zero and minus zero are equal. A mask
# `x == max` finds nobody in a window with NaN, for NaN does not even equal itself.
#
# TensorFlow 2.21 on a CPU passes NaN by: of NaN, 1, 2 it gives 2. ONNX leaves the case undefined.
#
# ## May the backward choose again?
#
# Articles say two things: the backward *must* use the saved index, and the backward may look for the maximum again. Who
# is right? Try it. We search again in the very same array, in a rounded copy, in an array that a ReLU has changed in
# place, and in the same array by another rule.


# %% name="again"
def winners(x):
    """Flat index of every winner, by the rule first."""
    return max_pool(x, 2, return_indices=True)[1]


def last_winners(x):
    """The same by the rule last: the first winner of the plane turned by 180°, counted from its end."""
    return x[0, 0].size - 1 - winners(x[:, :, ::-1, ::-1])[:, :, ::-1, ::-1]


saved = winners(u)
searched = {"same array": winners(u), "float16 copy": winners(u.astype(np.float16)),
            "after in-place ReLU": winners(relu), "rule last": last_winners(u)}  # fmt: skip
changed = {name: np.mean(found != saved) for name, found in searched.items()}
assert changed["same array"] == 0 and changed["rule last"] == share_of_ties["after conv"]
assert all(changed[name] > 0 for name in list(searched)[1:])
for name, share in changed.items():
    print(f"{name:<19} {share:.4f} of the winners are others")

# %% [markdown]
# The same array and the same rule give the same winners, ties and all: comparing stored numbers is exact. So an index
# need not be saved. TensorFlow and cuDNN keep input and output and search again; PyTorch saves the index, which is
# faster. But each of the other three sends some gradients to elements that did not win.
#
# PyTorch guards against the third case itself. It counts the changes of every tensor, and refuses:

# %% name="in-place" tags=["nbval-ignore-output"]
if torch is not None:
    leaf = torch.tensor(u[:1], requires_grad=True)
    hidden = leaf * 1
    pooled_by_torch = torch.nn.functional.max_pool2d(hidden, 2)
    hidden.relu_()
    try:
        pooled_by_torch.sum().backward()
    except RuntimeError as error:
        refused = str(error)
    assert "modified by an inplace operation" in refused
    print(refused.split(":")[0])

# %% [markdown]
# > **A backward may choose the winner again if it has the same input and the same rule. Otherwise the winner of the
# > forward must be saved.**
#
# ## Try it
#
# First our window once more, sent 6 from upstream, under each rule and under the mask. Then choose a window and a rule
# yourself, and watch who is paid and what the sum is. Which windows do all rules treat alike? Then choose *mask*, and
# look for a window in which its sum is right.

# %% name="still"
six = np.full((1, 1, 1, 1), 6.0)
sent_down = {rule: routing.max_routes(window[None, None], 2, ties=rule).backward(six) for rule in routing.TIES}
sent_down["mask (wrong)"] = 6.0 * (window == window.max())
norm = figures.style.gradient_norm(six)
pictures = [figures.gradient(gradient, rule, norm=norm) for rule, gradient in sent_down.items()]
figures.side_by_side(figures.grid(window, "window"), *pictures)

# %% name="widget"
from course_lib.widgets import TieExplorer

TieExplorer()

# %% [markdown]
# ## Five minutes for you
#
# The input below is pooled with `kernel_size=2` and `stride=1`, so there are three windows, and they overlap. Replace
# each `...`:
#
# * `first_gradient` and `split_gradient`: the gradient of `tied` under the two rules, each with two rows and four
#   columns;
# * `again`, a letter. A backward has kept no index, but it may search again. When does it send every gradient to the
#   element that won in the forward?
#     - **a** Always: the maximum of a window is the same whoever looks for it.
#     - **b** When it searches in the same input as the forward, by the same rule.
#     - **c** Never: the winner must be saved, because floating-point numbers cannot be compared exactly.
#     - **d** When no value is below zero.

# %% name="task"
from course_lib.exercises import check

tied = np.array([[2.0, 6, 6, 1], [6, 3, 6, 6]])
sent = np.array([[2.0, 6, 3]])

check("05", first_gradient=..., split_gradient=..., again=...)

# %% [markdown]
# **Stuck?** Run `hint("05")`. Each call gives the next hint.
#
# ## What to keep
#
# 1. At a tie the maximum has a kink. Fair is every way to share 1 among the tied elements; 1 to each is unfair.
# 2. Max pooling takes the first, `amax` splits. NaN wins, and the last NaN is recorded.
# 3. The backward may choose again from the same input by the same rule, and in no other case.
#
# **Next:** [chapter 06, How does a shared kernel learn?](06_how_does_a_shared_kernel_learn.ipynb)
#
# *Photograph: China by danielbuechele, CC BY 2.0, from scikit-learn's sample images. Digits: E. Alpaydin and
# C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.*
