# %% [markdown]
# # Exercise 2 ★ A convolution on paper
#
# **Task.** Find the three gradients of a convolution by hand, and say what such a small example cannot show.
#
# The input has three rows, 1 to 9. The kernel has two rows and two columns of ones, and the bias is 0. The kernel moves
# one step at a time, without padding, so that there are four outputs. The upstream gradient of each is 1.
#
# | give | shape | what it is |
# |---|---|---|
# | `grad_weight` | (2, 2) | the kernel's gradient |
# | `grad_input` | (3, 3) | the input's gradient |
# | `grad_bias` | a number | the bias' gradient |
# | `why_four`, `what_stays_hidden` | a letter each | the answers to the questions below |
#
# **`why_four`: in the middle of `grad_input` stands 4. Why?**
#
# - **a** Because 5, in the middle of the input, is also the middle of its values.
# - **b** Because the kernel's elements sum to 4, and each element of the input receives that sum.
# - **c** Because four windows hold the middle, and each sends it its upstream gradient times a weight: 1 · 1.
#
# **`what_stays_hidden`: a test compares a backward with these numbers. Which mistake does it miss?**
#
# - **a** A backward that turns the kernel by 180° before it sends the input's gradient.
# - **b** A backward that writes the input's gradient with = where it should add.
# - **c** A backward that takes the mean for the bias, and not the sum.
# - **d** A backward that returns the kernel's gradient turned by 180°.
#
# **Allowed:** pencil and paper; NumPy, if you like. **Length:** about 5 lines. **Needed:**
# [chapter 06](../notebooks/06_how_does_a_shared_kernel_learn.ipynb). There is no specification to read this time: it
# would be the answer.

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal

x = np.arange(1.0, 10).reshape(3, 3)
weight = np.ones((2, 2))
grad_output = np.ones((2, 2))

# %% [markdown] name="your-turn" tags=["stub"]
# Put your answers in the place of the dots: nested lists such as `[[1, 2], [3, 4]]`, or arrays, and letters in
# quotation marks. You may check as often as you like, and answer one line at a time.

# %% name="answers" tags=["stub"]
grad_weight = ...
grad_input = ...
grad_bias = ...
why_four = ...
what_stays_hidden = ...

# %% [markdown] name="worked" tags=["solution"]
# The weight in the upper left is multiplied with 1, 2, 4 and 5, once in each window. So a change of it by a little is a
# change of the loss by 1 + 2 + 4 + 5 as much. The other weights see the input one step further to the right, further
# down, or both.
#
# An element of the input meets one weight in each window that holds it. All weights are 1 here, so its gradient counts
# the windows: one for a corner, two at an edge, four in the middle. The bias is in all four outputs.

# %% name="solution" tags=["solution"]
grad_weight = [[1 + 2 + 4 + 5, 2 + 3 + 5 + 6], [4 + 5 + 7 + 8, 5 + 6 + 8 + 9]]
grad_input = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
grad_bias = 4
why_four = "c"
what_stays_hidden = "a"

# %% [markdown] name="why" tags=["solution"]
# This example is blind in one eye. Turn a kernel of ones as you like, it stays the same: a backward with the kernel the
# wrong way round returns the same `grad_input`. The output even equals `grad_weight` here, because kernel and upstream
# gradient are equal. A kernel with four different elements sees what this one cannot. It also has only one sample and
# one channel, so nothing that mixes these up would show either.

# %% name="solution-blind" tags=["solution"]
import course_lib

batch = x[None, None], weight[None, None]
assert np.array_equal(course_lib.conv(*batch)[0, 0], grad_weight)
turned = course_lib.conv_backward(grad_output[None, None], x[None, None], weight[None, None, ::-1, ::-1])
assert np.array_equal(turned[0][0, 0], grad_input)

# %% name="check"
check(
    2,
    grad_weight=grad_weight,
    grad_input=grad_input,
    grad_bias=grad_bias,
    why_four=why_four,
    what_stays_hidden=what_stays_hidden,
)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(2)` leads to the solution.

# %% name="hint"
hint(2, 0)
