# %% [markdown]
# # Exercise 9 ★★ Swap the pooling
#
# **Task.** Swap max for average pooling and nothing else, at several learning rates, and measure the gradient before
# the pooling.
#
# | give | what it is |
# |---|---|
# | `density_and_norm` | takes a gradient of any shape, gives its share of non-zero elements and its Euclidean norm |
# | `design` | the experiment as plain data, as in exercise 8 |
# | `report` | what `run(**design)` gives |
# | `conclusion` | the letter of what your table supports |
#
# The network is `"two blocks"`, which is the default: twice a 3 × 3 convolution with padding 1, ReLU and 2 × 2 pooling,
# with 8 and 16 channels, then a linear layer. So is the backend `"framework"`. The variants differ in `pooling`
# (`"max"` or `"average"`), and each pooling stands at the same three values of `learning_rate` or more.
#
# Measure `"accuracy"`, `"gradient density"`, `"gradient norm"`, `"training time"`, `"prediction time"`, `"parameters"`
# and `"peak memory"`, with three seeds and at least 100 steps. Write down the dimensions of `"x"`, `"conv1"`,
# `"pool1"`, `"conv2"`, `"pool2"` and `"logits"`.
#
# **`conclusion`: what does your table support?**
#
# - **a** Max pooling is the better pooling: with the learning rate that one starts with it names more digits rightly.
# - **b** Which pooling is ahead depends on the learning rate: average pooling hands on half the norm, so that its steps
#   before the pooling are smaller at the same rate.
# - **c** Behind max pooling three quarters of the convolution's weights stand still, since three quarters of the
#   gradient before the pooling are 0.
# - **d** Average pooling hands on more gradient, since its gradient has no zeros.
#
# **Allowed:** NumPy, `course_lib.experiments`. **Length:** about 15 lines.
# **Needed:** [chapter 08](../notebooks/08_how_sparse_is_the_gradient.ipynb).

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal
from course_lib.experiments import run

# %% [markdown] name="your-turn" tags=["stub"]
# Two numbers of a gradient, a design, its report, and a letter. Make the report with `run(**design)`. It takes some
# seconds. Choose the learning rates so that you see what happens on both sides of the best one.


# %% name="stub" tags=["stub"]
def density_and_norm(gradient):
    """The share of the elements that are not zero, and the Euclidean norm."""
    raise NotImplementedError("Your turn.")


design = ...
report = ...
conclusion = ...

# %% [markdown] name="measure" tags=["solution"]
# A zero is an element that equals 0, not one that is small. The squares are summed in float64: a gradient in half
# precision would overflow at 256.


# %% name="solution-measure" tags=["solution"]
def density_and_norm(gradient):
    """The share of the elements that are not zero, and the Euclidean norm."""
    return float(np.mean(gradient != 0)), float(np.linalg.norm(gradient.astype(float).ravel()))


# %% [markdown] name="sweep" tags=["solution"]
# Every learning rate comes with both poolings. So the pooling alone differs within a pair, and the pairs show whether
# what it does depends on the rate.

# %% name="solution-design" tags=["solution"]
rates, poolings = (0.03, 0.1, 0.3), ("max", "average")
design = {
    "variants": {f"{name}, {rate}": {"pooling": name, "learning_rate": rate} for rate in rates for name in poolings},
    "seeds": [0, 1, 2],
    "budget": {"steps": 120, "batch_size": 64},
    "fields": [
        "accuracy", "gradient density", "gradient norm", "norm ratio",
        "training time", "prediction time", "parameters", "peak memory",
    ],
    "shapes": {
        "x": (64, 1, 8, 8), "conv1": (64, 8, 8, 8), "pool1": (64, 8, 4, 4),
        "conv2": (64, 16, 4, 4), "pool2": (64, 16, 2, 2), "logits": (64, 10),
    },
}  # fmt: skip

# %% [markdown] name="run" tags=["solution"]
# `"norm ratio"` is measured too: the norm before a pooling over the norm after it. What must hold on every machine is
# asserted.

# %% name="solution-run" tags=["solution", "nbval-ignore-output"]
report = run(**design)
accuracy, density, ratio = (report.mean(field) for field in ("accuracy", "gradient density", "norm ratio"))
assert accuracy["max, 0.03"] > accuracy["average, 0.03"] and accuracy["max, 0.3"] < accuracy["average, 0.3"]
for rate in rates:
    assert (density[f"max, {rate}"] <= 0.25).all() and (density[f"average, {rate}"] > 0.9).all()
    np.testing.assert_allclose(ratio[f"max, {rate}"], 1, rtol=1e-5)
    np.testing.assert_allclose(ratio[f"average, {rate}"], 0.5, rtol=1e-5)
report

# %% [markdown] name="one-window" tags=["solution"]
# The ratio of the norms needs no training. One window of four shows it:

# %% name="solution-window" tags=["solution"]
winner, shares = np.array([0, 2.0, 0, 0]), np.full(4, 0.5)
density_and_norm(winner), density_and_norm(shares)

# %% [markdown] name="conclude" tags=["solution"]
# At small learning rates max pooling is ahead, at large ones average pooling. The gradient that average pooling hands
# on has half the norm, 1/k for windows of k × k without overlap. So its steps in the layers before are smaller, and a
# larger learning rate suits it. A table with one learning rate would have compared two things at once.

# %% name="solution-conclusion" tags=["solution"]
conclusion = "b"

# %% [markdown] name="judged"
# The check looks at the design and runs one variant with one seed again. No time is judged.

# %% name="check"
check(9, density_and_norm=density_and_norm, design=design, report=report, conclusion=conclusion)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(9)` leads to the solution.

# %% name="hint"
hint(9, 0)
