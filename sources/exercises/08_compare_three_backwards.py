# %% [markdown]
# # Exercise 8 ★★ Compare three backwards
#
# **Task.** Compare naive NumPy, vectorised NumPy and PyTorch in one small network, so that only who computes differs.
#
# | give | what it is |
# |---|---|
# | `median_seconds` | a stopwatch: takes `functions, repeats, clock`, gives the median time of each function |
# | `parameters` | how many numbers the network trains, counted by hand |
# | `design` | the experiment as plain data, see below |
# | `report` | what `run(**design)` gives |
# | `conclusion` | the letter of what your table supports |
#
# The network is `"one block"`: a 3 × 3 convolution without padding into 6 channels, ReLU, 2 × 2 max pooling, a linear
# layer to 10 classes. The images are digits of 8 × 8 pixels.
#
# A design is a dict:
#
# - `variants`: a name for each, and a dict of the factors that are not the default. Here these are `backend`
#   (`"naive"`, `"vectorised"`, `"framework"`, or `"yours"` for your own convolution), `network`, `precision` and
#   `learning_rate`. This experiment is in `"float64"`.
# - `seeds`: at least three different whole numbers.
# - `budget`: `steps` (at least 40) and `batch_size`.
# - `fields`: what is measured: `"accuracy"`, `"gradient difference"`, `"training time"`, `"prediction time"`,
#   `"parameters"`, `"peak memory"`.
# - `shapes`: the dimensions of `"x"`, `"conv1"`, `"pool1"`, `"logits"`, `"conv1.weight"` and `"linear.weight"`. The run
#   asserts them.
#
# **`conclusion`: what does your table support?**
#
# - **a** PyTorch's gradients are better than those by NumPy, so that the network learns more from them.
# - **b** The naive backward is slow because it needs more multiplications and additions than the others.
# - **c** All three learn the same, up to rounding. They differ in time and memory, and by how much depends on the
#   machine.
# - **d** The vectorised backward needs the least memory, since it has no loops.
#
# **Allowed:** NumPy, `course_lib.experiments`. **Length:** about 20 lines.
# **Needed:** [chapter 09](../notebooks/09_can_it_be_fast_and_on_a_gpu.ipynb).

# %% name="given"
import time

import numpy as np

from course_lib.exercises import check, hint, reveal
from course_lib.experiments import plug_in, run

# %% [markdown] name="plug"
# Have you solved exercise 5? Then put your functions here, and `"yours"` trains with them: a fourth variant. The course
# looks at them first, and uses its own in their place until they are right.

# %% name="functions"
conv2d = None
conv2d_backward = None
functions = plug_in(conv2d, conv2d_backward)

# %% [markdown] name="your-turn" tags=["stub"]
# A fair stopwatch, a count, a design, its report, and a letter. Make the report with
# `run(**design, functions=functions)` as soon as there is a design. It takes some seconds.


# %% name="stub" tags=["stub"]
def median_seconds(functions, repeats, clock=time.perf_counter):
    """The median time of each function, after one call of each that does not count, taking turns."""
    raise NotImplementedError("Your turn.")


parameters = ...
design = ...
report = ...
conclusion = ...

# %% [markdown] name="stopwatch" tags=["solution"]
# The first call of anything is slow: libraries load, caches are empty. So it is not counted. And whatever slows the
# machine down should slow all functions down. So they take turns.


# %% name="solution-stopwatch" tags=["solution"]
def median_seconds(functions, repeats, clock=time.perf_counter):
    """The median time of each function, after one call of each that does not count, taking turns."""
    for function in functions:
        function()
    times = np.zeros((repeats, len(functions)))
    for turn, number in np.ndindex(times.shape):
        begin = clock()
        functions[number]()
        times[turn, number] = clock() - begin
    return np.median(times, axis=0)


# %% [markdown] name="count" tags=["solution"]
# The convolution has 6 · 1 · 3 · 3 weights and 6 biases. It gives 6 × 6 positions, the pooling leaves 3 × 3, and so the
# linear layer has 10 · 6 · 3 · 3 weights and 10 biases.

# %% name="solution-design" tags=["solution"]
parameters = 6 * 9 + 6 + 10 * 54 + 10
same = {"network": "one block", "precision": "float64", "learning_rate": 0.05}
design = {
    "variants": {name: {"backend": name, **same} for name in ("naive", "vectorised", "framework")},
    "seeds": [0, 1, 2],
    "budget": {"steps": 60, "batch_size": 16},
    "fields": ["accuracy", "gradient difference", "training time", "prediction time", "parameters", "peak memory"],
    "shapes": {
        "x": (16, 1, 8, 8), "conv1": (16, 6, 6, 6), "pool1": (16, 6, 3, 3), "logits": (16, 10),
        "conv1.weight": (6, 1, 3, 3), "linear.weight": (10, 54),
    },
}  # fmt: skip
parameters

# %% [markdown] name="run" tags=["solution"]
# The run takes the steps of all variants in turns, with the same first parameters and the same batches. What it
# measures depends on the machine; what must hold on every machine is asserted.

# %% name="solution-run" tags=["solution", "nbval-ignore-output"]
report = run(**design, functions=functions)
naive, vectorised, framework = (report[name] for name in design["variants"])
# Equal up to rounding, and so are all decisions but perhaps one or two.
np.testing.assert_allclose(naive["accuracy"], framework["accuracy"], atol=0.01)
assert naive["gradient difference"].max() < 1e-12 and vectorised["gradient difference"].max() < 1e-12
assert framework["accuracy"].mean() > 0.7
assert naive["training time"].sum() > vectorised["training time"].sum()
assert vectorised["peak memory"] > framework["peak memory"]
report

# %% [markdown] name="stopwatch-used" tags=["solution"]
# The stopwatch on one backward alone, loops beside no loops:

# %% name="solution-times" tags=["solution", "nbval-ignore-output"]
from functools import partial

from course_lib import conv_backward
from course_lib.experiments.naive import conv2d_backward as naive_backward

rng = np.random.default_rng(8)
x, weight, grad_output = rng.normal(size=(16, 1, 8, 8)), rng.normal(size=(6, 1, 3, 3)), rng.normal(size=(16, 6, 6, 6))
times = median_seconds([partial(f, grad_output, x, weight) for f in (naive_backward, conv_backward)], 9)
assert (times > 0).all()
print(f"loops {1e3 * times[0]:.2f} ms, without loops {1e3 * times[1]:.2f} ms")

# %% [markdown] name="conclude" tags=["solution"]
# The accuracies agree, since the gradients do: their differences are those of sums in another order. All three compute
# the same products. Per window, the naive one pays for several calls from Python. The vectorised one pays in memory,
# since it lays many windows out side by side.

# %% name="solution-conclusion" tags=["solution"]
conclusion = "c"

# %% [markdown] name="judged"
# The check looks at the design and runs one variant with one seed again. No time is judged.

# %% name="check"
check(
    8,
    median_seconds=median_seconds,
    parameters=parameters,
    design=design,
    report=report,
    conclusion=conclusion,
)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(8)` leads to the solution.

# %% name="hint"
hint(8, 0)
