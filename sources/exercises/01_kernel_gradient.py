# %% [markdown]
# # Exercise 1 ★★ The kernel's gradient, index by index
#
# **Task.** Derive the gradients of a convolution from its formula, and say why the kernel's is a sum.
#
# The input $A$ has samples $i$ and channels $c$, the kernel $W$ joins channel $c$ to output channel $q$, and
#
# $$Z[i, q, r, s] = b[q] + \sum_{c,\,u,\,v} A[i, c, r + u, s + v]\; W[q, c, u, v].$$
#
# All indices begin at 0. The window of output $(r, s)$ begins at row $r$ and column $s$, and $u$ and $v$ count the rows
# and columns of a kernel with $kh$ rows. $J$ is the loss, and $dZ[i, q, r, s]$ is its derivative with respect to one
# output: the upstream gradient.
#
# Fill the gaps. A formula is text with `+ - * / **`, an index of a sum a letter.
#
# **The kernel**
#
# 1. `which_outputs`: which outputs contain the weight W[q, c, u, v]?
#     - **a** Z[i, q, u, v] alone, one in each sample.
#     - **b** Z[i, p, r, s] for every i, p, r and s.
#     - **c** Z[i, q, r, s] for every i, r and s, and for this q.
# 2. `row`, `column`: the derivative of Z[i, q, r, s] with respect to W[q, c, u, v] is A[i, c, `row`, `column`].
# 3. `weight_sum`: dW[q, c, u, v] is a sum of dZ[i, q, r, s] times that derivative. Over which of the letters i q c r s
#    u v does it run?
# 4. `bias_sum`: db[q] is a sum of dZ[i, q, r, s]. Over which letters?
#
# **The input**
#
# 5. `tap_row`, `tap_column`: the element A[i, c, a, b] stands in Z[i, q, r, s] beside the weight W[q, c, `tap_row`,
#    `tap_column`], if there is such a weight.
# 6. `input_sum`: dA[i, c, a, b] is a sum of dZ[i, q, r, s] times that weight. Over which letters?
# 7. `first_window`: far from the border, row a lies in the windows that begin at row `first_window` and the rows after
#    it, up to row a.
#
# **The batch**
#
# 8. `ratio`: J is the mean of the losses of m samples. Someone divides the kernel's gradient by m once more. What is
#    the ratio of that gradient to the right one?
# 9. `why_a_sum`: why is dW a sum over samples and positions?
#     - **a** So that the gradient has the shape of the kernel; a mean would do as well.
#     - **b** Because one weight is one variable, used many times: the total derivative adds over its uses.
#     - **c** Because frameworks agreed to add over the batch; one could also take the last sample.
#
# **In your own words**
#
# 10. `own_words`: why is the kernel's gradient a sum, and why is nothing divided by m at its end? Write 20 words or
#     more first. Then open the rubric, and name in `ticked` the letters of what your text says.
#
# <details>
# <summary>The rubric</summary>
#
# - **a** the loss depends on one weight through every output of its channel, in every sample and at every position
# - **b** the total derivative adds the contributions of all these routes, and each is an upstream gradient times an
#   element of the input
# - **c** the division by m is in every upstream gradient already, where the loss is a mean
#
# </details>
#
# **Allowed:** pencil and paper. **Length:** about 14 lines. **Needed:**
# [chapter 06](../notebooks/06_how_does_a_shared_kernel_learn.ipynb). There is no specification to read this time: it
# would be the answer.

# %% name="given"
from course_lib.exercises import check, hint, reveal

# %% [markdown] name="your-turn" tags=["stub"]
# Put your answers in the place of the dots, each in quotation marks: a letter such as `"a"`, a formula such as
# `"2 * r"`, the letters of a sum such as `"u v"`. You may check as often as you like, and answer one line at a time.

# %% name="answers" tags=["stub"]
answers = {
    "which_outputs": ...,
    "row": ...,
    "column": ...,
    "weight_sum": ...,
    "bias_sum": ...,
    "tap_row": ...,
    "tap_column": ...,
    "input_sum": ...,
    "first_window": ...,
    "ratio": ...,
    "why_a_sum": ...,
}

# %% name="text" tags=["stub"]
own_words = """
"""
ticked = ...

# %% [markdown] name="worked" tags=["solution"]
# $J$ depends on $W[q, c, u, v]$ through every $Z[i, q, r, s]$ of the same $q$. The chain rule adds over these outputs:
#
# $$\frac{\partial J}{\partial W[q, c, u, v]}
#   = \sum_{i,\,r,\,s} dZ[i, q, r, s]\;\frac{\partial Z[i, q, r, s]}{\partial W[q, c, u, v]}
#   = \sum_{i,\,r,\,s} dZ[i, q, r, s]\; A[i, c, r + u, s + v].$$
#
# The last step is plain: of all the terms in $Z[i, q, r, s]$ only one holds this weight, and there it stands beside
# $A[i, c, r + u, s + v]$. The bias stands beside 1. For an element of the input the same equation is read the other way
# round: $a = r + u$ gives $u = a - r$, and every output channel has such a term. Since $u$ lies between 0 and $kh - 1$,
# $r$ lies between $a - kh + 1$ and $a$.

# %% name="solution" tags=["solution"]
answers = {
    "which_outputs": "c",
    "row": "r + u",
    "column": "s + v",
    "weight_sum": "i r s",
    "bias_sum": "i r s",
    "tap_row": "a - r",
    "tap_column": "b - s",
    "input_sum": "q r s",
    "first_window": "a - kh + 1",
    "ratio": "1 / m",
    "why_a_sum": "b",
}

# %% name="solution-text" tags=["solution"]
own_words = """
One weight is one variable, and it is used in every window of every sample. The loss depends on it through all those
outputs, so its total derivative adds over them: each adds its upstream gradient times the element of the input that the
weight stood beside. If the loss is a mean over m samples, each upstream gradient is 1/m of its sample's own. The sum
of them is therefore the mean of the samples' gradients, and to divide again would make it m times too small.
"""
ticked = "a b c"

# %% [markdown] name="numbers" tags=["solution"]
# Letters are patient. So here is the formula in numbers: two samples, a mean loss, and the kernel's gradient once from
# the sum that was derived, once from the course's own backward.

# %% name="solution-numbers" tags=["solution"]
import numpy as np

import course_lib

rng = np.random.default_rng(1)
A, W = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(2, 3, 3, 2))
dZ = rng.normal(size=course_lib.conv(A, W).shape) / len(A)
dW = np.zeros(W.shape)
for q, c, u, v in np.ndindex(W.shape):
    dW[q, c, u, v] = sum(dZ[i, q, r, s] * A[i, c, r + u, s + v] for i, r, s in np.ndindex(2, 3, 3))
_, grad_weight, _ = course_lib.conv_backward(dZ, A, W)
np.testing.assert_allclose(dW, grad_weight, atol=1e-12)
dW.shape

# %% name="check"
check(1, **answers, own_words=own_words, ticked=ticked)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(1)` leads to the solution.

# %% name="hint"
hint(1, 0)
