# %% [markdown]
# # Exercise 4 ★★ How wrong is a central difference?
#
# **Task.** Derive the two errors of a central difference, and say why their sum has the shape of a U.
#
# The central difference of $f$ at $x$ with step $h$ is
#
# $$D(h) = \frac{f(x + h) - f(x - h)}{2h}.$$
#
# Write `f1`, `f2` and `f3` for the first three derivatives of $f$ at $x$, all positive, `F` for the size of $f$ near
# $x$, and `eps` for the relative error of one rounded value. A formula is text with `+ - * / **` and brackets, a power
# of a third is `** (1/3)`.
#
# **Truncation**
#
# 1. `third_term`: $f(x + h) = f + h\,f_1 + \frac{h^2}{2} f_2 \,+$ `third_term` $+ \ldots$
# 2. `difference`: $f(x + h) - f(x - h)$, with all terms up to the third power of `h`.
# 3. `truncation`: by how much $D(h)$ is above `f1`, the first term only.
# 4. `truncation_order`: the power of `h` in it. `one_sided_order`: the power of `h` in the error of
#    $\frac{f(x + h) - f(x)}{h}$.
#
# **Rounding**
#
# 5. `rounding`: each of the two values in $D(h)$ is off by up to `eps * F`. By how much is $D(h)$ off at most?
# 6. `best_step`: the `h` at which `truncation` and `rounding` together are smallest, in `eps`, `F` and `f3`.
# 7. `best_step_float32`: this step as a number, for `F` and `f3` equal to 1 and float32, whose `eps` is $2^{-23}$. Five
#    parts in a hundred are allowed.
#
# **The curve**
#
# Draw the error over `h`, with both axes logarithmic.
#
# 8. `slope_left`, `slope_right`: the slopes of its branches far to the left and far to the right.
# 9. `curve`: which of the curves below is it, for a smooth $f$ in float64?
#     - **a** The curve a: both branches, the right one steeper.
#     - **b** The curve b: the smaller h, the smaller the error.
#     - **c** The curve c: both branches, one as steep as the other.
#     - **d** The curve d: the larger h, the smaller the error.
# 10. `linear`: a convolution is linear in its input. Its gradient is checked with a loss that is linear too. What curve
#     do you expect?
#     - **a** A U as well, since the central difference has a truncation error of second order.
#     - **b** Only its left branch: there is no truncation, and what is left is rounding, which a large h makes small.
#     - **c** Only its right branch: for a linear function a small h is exact.
#     - **d** None at all: for a linear function the difference has no error.
#
# ```
# a error                            b error
#   |                         *        |                         *
#   |                       *          |                       *
#   | * *                 *            |                     *
#   |     * *           *              |                   *
#   |         * *     *                |                 *
#   |             * *                  |               *
#   +--------------------------- h     +--------------------------- h
#
# c error                            d error
#   |                                  | * *
#   |                                  |     * *
#   | * *                   * *        |         * *
#   |     * *           * *            |             * *
#   |         * *   * *                |                 * *
#   |             *                    |                     * *
#   +--------------------------- h     +--------------------------- h
# ```
#
# **In your own words**
#
# 11. `own_words`: why does the error of a gradient check have the shape of a U? Write 20 words or more first. Then open
#     the rubric, and name in `ticked` the letters of what your text says.
#
# <details>
# <summary>The rubric</summary>
#
# - **a** truncation grows with h, because the terms of the Taylor series that were left out grow with it
# - **b** rounding grows as h shrinks, because the rounded difference is divided by h
# - **c** the error is smallest between the two, where both are about as large
#
# </details>
#
# **Allowed:** pencil and paper; NumPy for the numbers. **Length:** about 13 lines. **Needed:**
# [chapter 07](../notebooks/07_how_do_i_know_it_is_right.ipynb). There is no specification to read this time: it would
# be the answer.

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal

# %% [markdown] name="your-turn" tags=["stub"]
# Put your answers in the place of the dots: formulas and letters in quotation marks, numbers without. You may check as
# often as you like, and answer one line at a time.

# %% name="answers" tags=["stub"]
answers = {
    "third_term": ...,
    "difference": ...,
    "truncation": ...,
    "truncation_order": ...,
    "one_sided_order": ...,
    "rounding": ...,
    "best_step": ...,
    "best_step_float32": ...,
    "slope_left": ...,
    "slope_right": ...,
    "curve": ...,
    "linear": ...,
}

# %% name="text" tags=["stub"]
own_words = """
"""
ticked = ...

# %% [markdown] name="worked" tags=["solution"]
# Under each other, the two series are
#
# $$f(x \pm h) = f \pm h\,f_1 + \tfrac{h^2}{2} f_2 \pm \tfrac{h^3}{6} f_3 + \ldots$$
#
# The subtraction takes away what is equal, the terms with even powers, and doubles the others. Divided by $2h$ it
# leaves $f_1 + \frac{h^2}{6} f_3$. Rounding adds up to $2 \cdot \mathrm{eps} \cdot F$ to the difference, and so
# $\mathrm{eps} \cdot F / h$ to the quotient. The sum is smallest where its derivative with respect to $h$ is zero:
#
# $$\tfrac{h}{3} f_3 = \frac{\mathrm{eps} \cdot F}{h^2}, \qquad h = \sqrt[3]{3\,\mathrm{eps}\,F / f_3}.$$
#
# In double logarithmic axes a power $h^p$ is a straight line with slope $p$: $-1$ to the left, $2$ to the right.

# %% name="solution" tags=["solution"]
answers = {
    "third_term": "h**3 / 6 * f3",
    "difference": "2 * h * f1 + h**3 / 3 * f3",
    "truncation": "h**2 / 6 * f3",
    "truncation_order": 2,
    "one_sided_order": 1,
    "rounding": "eps * F / h",
    "best_step": "(3 * eps * F / f3) ** (1/3)",
    "best_step_float32": (3 * 2.0**-23) ** (1 / 3),
    "slope_left": -1,
    "slope_right": 2,
    "curve": "a",
    "linear": "b",
}

# %% name="solution-text" tags=["solution"]
own_words = """
Two errors add up. Truncation comes from the terms of the Taylor series that the difference leaves out; the first of
them is proportional to h squared, so it grows with h. Rounding comes from the two values, which are only known up to
eps times their size; their difference is divided by h, so this error grows as h shrinks. Far to the right truncation
rules, far to the left rounding, and the smallest error lies between, where the two are about equally large.
"""
ticked = "a b c"

# %% [markdown] name="numbers" tags=["solution"]
# Is it so? Here is the error for the exponential function at 1, all of whose derivatives are $e$, for steps from
# $10^{-1}$ to $10^{-12}$. First a tenth of the step gives a hundredth of the error, as $h^2$ says. At $10^{-5}$ and
# $10^{-6}$ the error is below $10^{-9}$, and at the smallest step it is more than a thousand times as large.

# %% name="solution-numbers" tags=["solution"]
steps = 10.0 ** np.arange(-1, -13, -1)
errors = np.abs((np.exp(1 + steps) - np.exp(1 - steps)) / (2 * steps) - np.e)
np.testing.assert_allclose(errors[:3] / errors[1:4], 100, rtol=0.02)
assert errors[4:6].max() < 1e-9
assert errors[-1] > 1000 * errors[4:6].max()
round(answers["best_step_float32"], 4)

# %% name="check"
check(4, **answers, own_words=own_words, ticked=ticked)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(4)` leads to the solution.

# %% name="hint"
hint(4, 0)
