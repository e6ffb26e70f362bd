# %% [markdown]
# # Exercise 7 ★★★ Design the tests
#
# **Task.** Write tests that every right backward passes and as many wrong ones as possible do not.
#
# | give | what it is |
# |---|---|
# | `tests` | a list of tests, at most 80 |
# | `environment` | what `environment()` gives: where you made them |
#
# A test is data. `gives(call, expected, **arguments)` says that a call gives an array, and `fails(call, **arguments)`
# says that it must be refused by an error. There are three calls:
#
# | call | arguments | gives |
# |---|---|---|
# | `"conv2d_backward"` | `grad_output, x, weight, stride=1, padding=0` | `grad_input`, `grad_weight`, `grad_bias` |
# | `"max_pool2d_backward"` | `grad_output, x, kernel_size, stride, padding=0` | `grad_input` |
# | `"avg_pool2d_backward"` | `grad_output, x, kernel_size, stride, padding=0` | `grad_input` |
#
# Arrays have the axes (N, C, H, W), and a weight has (outputs, inputs, rows, columns). `kernel_size`, `stride` and
# `padding` are whole numbers or pairs. Of equal elements the first one in row-major order wins; the average counts
# padding. For the convolution `expected` is a dict with one or more of the three arrays.
#
# The check runs your tests on three right implementations of each call, written in different ways. A test that fails on
# one of them scores nothing. Then it runs them on wrong implementations, which you do not see: each that fails a test
# of yours is a point. What survives gives you a hint.
#
# At the least test: an all-ones kernel, whose input gradient counts the windows; the bias gradient; shapes for several
# samples and channels; how max and average pooling distribute; an upstream gradient of zeros; illegal shapes; and a
# kernel without symmetry, for the direction.
#
# **Allowed:** NumPy, your own functions, pencil and paper; `course_lib`, if you trust it. **Length:** about 40 lines.
# **Needed:** [chapter 07](../notebooks/07_how_do_i_know_it_is_right.ipynb).

# %% name="given"
import numpy as np

import course_lib
from course_lib.exercises import check, hint, reveal
from course_lib.exercises.suites import fails, gives
from course_lib.experiments import environment

# %% [markdown] name="example"
# Two tests as an example. The first is done by hand: one window, whose average is sent 4. The second has an upstream
# gradient with one column too many.

# %% name="examples"
window = np.array([[[[1.0, 3], [2, 5]]]])
examples = [
    gives(
        "avg_pool2d_backward", np.full((1, 1, 2, 2), 1.0), grad_output=[[[[4.0]]]], x=window, kernel_size=2, stride=2
    ),
    fails("avg_pool2d_backward", grad_output=[[[[4.0, 4]]]], x=window, kernel_size=2, stride=2),
]
len(examples)

# %% [markdown] name="your-turn" tags=["stub"]
# Put your tests in the place of the dots. You may begin with `tests = examples` and check after each test that you add.

# %% name="stub" tags=["stub"]
tests = ...
reported = ...

# %% [markdown] name="by-hand" tags=["solution"]
# First what can be done by hand. An all-ones kernel counts windows, and the bias gradient is a sum. A kernel without
# symmetry appears as it stands where a single 1 is sent. And where nothing is sent nothing comes back.

# %% name="solution-conv-by-hand" tags=["solution"]
ones, plane, nine = np.ones((1, 1, 3, 3)), np.arange(25.0).reshape(1, 1, 5, 5), np.arange(9.0).reshape(1, 1, 3, 3)
counts = np.outer([1, 2, 3, 2, 1], [1, 2, 3, 2, 1])[None, None]
slanted, single = [[[[0, 1], [2, 3]]]], [[[[0, 0], [1, 0]]]]
moved, read = [[[[0, 0, 0], [0, 1, 0], [2, 3, 0]]]], [[[[3, 4], [6, 7]]]]
nothing = {"grad_input": 0 * plane, "grad_weight": 0 * ones, "grad_bias": [0]}
tests = [
    gives("conv2d_backward", {"grad_input": counts, "grad_bias": [9]}, grad_output=ones, x=plane, weight=ones),
    gives("conv2d_backward", {"grad_input": moved, "grad_weight": read}, grad_output=single, x=nine, weight=slanted),
    gives("conv2d_backward", nothing, grad_output=0 * ones, x=plane, weight=ones),
]

# %% [markdown] name="pool-by-hand" tags=["solution"]
# Pooling by hand. The 9 wins all four windows, and each mean goes to the four elements of its window. Of the equal
# elements the first one wins. Among negative numbers padding must not win.

# %% name="solution-pool-by-hand" tags=["solution"]
x, sent = [[[[1, 2, 3], [4, 9, 5], [6, 7, 8]]]], [[[[1, 2], [4, 8]]]]
winner = [[[[0, 0, 0], [0, 15, 0], [0, 0, 0]]]]
shared = np.array([[[[1, 3, 2], [5, 15, 10], [4, 12, 8]]]]) / 4
tied, first = [[[[3, 3], [3, 1]]]], [[[[6, 0], [0, 0]]]]
overlapping, bordered = {"kernel_size": 2, "stride": 1}, {"kernel_size": 2, "stride": 2, "padding": 1}
tests += [
    gives("max_pool2d_backward", winner, grad_output=sent, x=x, **overlapping),
    gives("avg_pool2d_backward", shared, grad_output=sent, x=x, **overlapping),
    gives("max_pool2d_backward", first, grad_output=[[[[6]]]], x=tied, **overlapping),
    gives("max_pool2d_backward", sent, grad_output=sent, x=[[[[-5, -2], [-7, -4]]]], **bordered),
    *(gives(f"{kind}_pool2d_backward", np.zeros((1, 1, 3, 3)), grad_output=np.zeros((1, 1, 2, 2)), x=x, **overlapping)
      for kind in ("max", "avg")),
]  # fmt: skip

# %% [markdown] name="refusals" tags=["solution"]
# Then what must be refused: an upstream gradient of another shape, a weight for other channels, a kernel that does not
# fit.

# %% name="solution-refusals" tags=["solution"]
row = np.ones((1, 1, 3, 2))
tests += [
    fails("conv2d_backward", grad_output=row, x=plane, weight=ones),
    fails("conv2d_backward", grad_output=ones, x=plane, weight=np.ones((1, 2, 3, 3))),
    fails("conv2d_backward", grad_output=ones, x=ones, weight=plane),
    fails("max_pool2d_backward", grad_output=row, x=x, **overlapping),
    fails("avg_pool2d_backward", grad_output=row, x=x, **overlapping),
    fails("max_pool2d_backward", grad_output=[[[[1]]]], x=x, kernel_size=4, stride=1),
]

# %% [markdown] name="at-once" tags=["solution"]
# Last, everything at once: several samples and channels, rectangular windows, a stride, padding, ties, negative
# numbers, and an upstream gradient without pattern. Nobody does that by hand. The loops of the course say what is
# expected, and the check says whether three implementations agree with them.

# %% name="solution-at-once" tags=["solution"]
from course_lib import loops

rng = np.random.default_rng(7)


def conv_test(x_shape, weight_shape, stride, padding):
    """A test of a convolution's backward on random numbers."""
    x, weight = (rng.integers(-3, 4, shape).astype(float) for shape in (x_shape, weight_shape))
    grad_output = rng.normal(size=loops.conv(x, weight, None, stride, padding).shape)
    results = loops.conv_backward(grad_output, x, weight, stride, padding)
    expected = dict(zip(("grad_input", "grad_weight", "grad_bias"), results, strict=True))
    given = {"grad_output": grad_output, "x": x, "weight": weight, "stride": stride, "padding": padding}
    return gives("conv2d_backward", expected, **given)


# %% name="solution-pool-at-once" tags=["solution"]
def pool_tests(shape, *geometry):
    """A test of each pooling's backward on random numbers with ties."""
    x = rng.integers(-3, 2, shape).astype(float)
    y, indices = loops.max_pool(x, *geometry, return_indices=True)
    grad_output = rng.normal(size=y.shape)
    given = {
        "grad_output": grad_output,
        "x": x,
        **dict(zip(("kernel_size", "stride", "padding"), geometry, strict=True)),
    }
    yield gives("max_pool2d_backward", loops.max_pool_backward(grad_output, indices, shape), **given)
    yield gives("avg_pool2d_backward", loops.avg_pool_backward(grad_output, shape, *geometry), **given)


tests += [conv_test((2, 3, 6, 7), (4, 3, 3, 2), (2, 1), (1, 0)), conv_test((2, 3, 4, 5), (3, 3, 2, 2), 1, 1)]
tests += [*pool_tests((2, 3, 6, 7), (3, 2), (2, 1), (1, 0)), *pool_tests((2, 2, 5, 5), 3, 1, 1)]
reported = environment()
len(tests)

# %% [markdown] name="why" tags=["solution"]
# The tests by hand are the ones to trust: they depend on no implementation. The random ones find what nobody thought
# of. With side-by-side windows, one sample and one channel they would find little: most mistakes show only where
# windows overlap, at a border, or where two axes differ.

# %% name="check"
check(7, tests=tests, environment=reported)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(7)` leads to the solution.

# %% name="hint"
hint(7, 0)
