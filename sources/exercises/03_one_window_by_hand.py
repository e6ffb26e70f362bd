# %% [markdown]
# # Exercise 3 ★ One window by hand
#
# **Task.** Find the gradient of one window under max and under average pooling, and say what a tie needs.
#
# | give | shape | what it is |
# |---|---|---|
# | `max_gradient` | (2, 2) | the gradient of `window` under max pooling |
# | `average_gradient` | (2, 2) | the gradient of `window` under average pooling |
# | `tie_gradient` | (2, 3) | the gradient of `tied_window` under max pooling |
# | `tie_rule` | a letter | the answer to the question below |
#
# Each window gives one output, and that output has the upstream gradient 6. In `tied_window` the first of the largest
# elements in row-major order wins, that is, row by row from the left.
#
# **`tie_rule`: several elements of a window are the largest, all equal. What must be settled before the forward pass,
# so that one gradient is the right one?**
#
# - **a** Nothing: tied elements are equal, so it makes no difference where the gradient goes.
# - **b** That each tied element receives the whole upstream gradient, since each is the maximum.
# - **c** Which tied element wins, or how they share, and that the backward uses what the forward used.
# - **d** Only that the backward finds a maximum: it may look for itself and take any of the tied ones.
#
# **Allowed:** pencil and paper; NumPy, if you like. **Length:** about 4 lines.
# **Needed:** [chapter 02](../notebooks/02_where_does_the_gradient_go.ipynb). There is no specification to read this
# time: it would be the answer.

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal

window = np.array([[1.0, 4], [3, 2]])
tied_window = np.array([[1.0, 5, 2], [5, 0, 5]])
upstream = 6.0

# %% [markdown] name="your-turn" tags=["stub"]
# Put your answers in the place of the dots: nested lists such as `[[1, 2], [3, 4]]`, or arrays, and a letter in
# quotation marks for `tie_rule`. You may check as often as you like, and answer one line at a time.

# %% name="answers" tags=["stub"]
max_gradient = ...
average_gradient = ...
tie_gradient = ...
tie_rule = ...

# %% [markdown] name="worked" tags=["solution"]
# The maximum follows its winner one to one and nothing else, so the local derivative is 1 at the 4 and 0 elsewhere. The
# mean follows each of the four elements at a quarter. The chain rule multiplies both by the upstream gradient 6.
#
# At a tie, raising any of the three fives raises the maximum, and lowering one of them changes nothing. So the maximum
# has no derivative there. The rule chooses one of the possible slopes: here that of the first five, read row by row.

# %% name="solution" tags=["solution"]
max_gradient = np.array([[0, upstream], [0, 0]])
average_gradient = np.full(window.shape, upstream / window.size)
tie_gradient = np.zeros(tied_window.shape)
tie_gradient.flat[np.argmax(tied_window)] = upstream
tie_rule = "c"

# %% [markdown] name="why" tags=["solution"]
# Other rules are possible. The last five may win, or the three may share, 2 for each: both send 6 in all, and both are
# slopes that the maximum has in some direction. What is not possible is 6 for each five: then 18 arrive where 6 were
# sent. And whatever the rule, the backward must use what the forward used. Otherwise the gradient reaches an element
# that was not chosen. That is why the choice is settled first, and why the forward saves the winner's index.

# %% name="check"
check(
    3,
    max_gradient=max_gradient,
    average_gradient=average_gradient,
    tie_gradient=tie_gradient,
    tie_rule=tie_rule,
)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(3)` leads to the solution.

# %% name="hint"
hint(3, 0)
