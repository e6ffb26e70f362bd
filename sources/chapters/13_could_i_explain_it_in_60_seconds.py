# %% [markdown]
# # 13 · Could I explain it in 60 seconds?
#
# You can compute it. Can you say it, aloud, to somebody who asks questions back? An interviewer has a list in mind, and
# listens for its points. This chapter shows the list, three answers that cover it, and one that does not.
#
# **You should know** chapters [02](02_where_does_the_gradient_go.ipynb) to
# [08](08_how_sparse_is_the_gradient.ipynb).
#
# **You will be able to**
# 1. answer a question on a backward pass in one minute, in four moves;
# 2. back each sentence of the answer with a run of a few lines;
# 3. mark an answer with a rubric, your own too.
#
# **Time:** about 30 minutes.
#
# ## Say it first
#
# Answer this before you read on: aloud, or typed. One minute is about 150 words. Then you tick what you said, and are
# asked one question more, about something that you left out. What you type is kept, also if the kernel dies: run the
# cell again. An edition for students comes without the interview room; there the drill ends with your answer, and you
# mark it with the rubric at the end of this chapter.

# %% name="say-it"
from course_lib.widgets import oral, predict

oral("max-route", "How does the gradient go back through max pooling, and what must you watch at the borders?")

# %% [markdown]
# Was every point of *must* there? One of them is easy to leave out: a program can leave it out too, and still pass the
# test that most people write.

# %% name="bet"
predict(
    "13-unnoticed",
    "A program is checked on one 4 × 4 plane of different numbers, with windows of 2 × 2 side by side. Which of these "
    "points can it leave out and still pass?",
    choices=[
        "the forward records the winner",
        "the whole gradient goes to the winner",
        "gradients of several windows are added",
        "all other elements get zero",
    ],
    answer="gradients of several windows are added",
    why="No element lies in two windows there, so nothing is ever added. An answer that was learned from such an "
    "example leaves this point out, and an interviewer asks for it.",
)

# %% [markdown]
# ## Four moves
#
# A good answer to any question on a backward pass makes four moves, in this order.
#
# | move | say | for max pooling |
# |---|---|---|
# | **record** | what the forward must keep | the winner of every window: an index, or the input and the tie rule |
# | **route** | where each upstream gradient goes, with what factor | all of it to the winner, and nothing to the rest |
# | **accumulate** | what happens where routes meet | an element that wins several windows gets the sum |
# | **test** | where a wrong version would show | overlap, ties, negative numbers with padding, channels |
#
# The same table serves an average (record: only shapes; route: $1/K$ to each of $K$), a convolution (record: input and
# weight; route: times the weight), and layers that you have never seen.
#
# ## Question 1: max pooling
#
# > *"How does the gradient go back through max pooling, and what must you watch at the borders?"*
#
# **A model answer.** "Max pooling works on every sample and channel by itself. The forward keeps, for each window, the
# largest element, and it records where that was, usually as a flat index in the unpadded plane. Locally the output
# follows this element alone, with slope one. So the backward sends the window's whole upstream gradient to it, and the
# others get zero. If the stride is smaller than the kernel, windows overlap, and one element can win several;
# its gradients must be added, plus-equals, not assigned. At the borders, padding must never win, so it counts as minus
# infinity, not zero, and the recorded position must be free of the padding. At a tie there is no derivative; PyTorch
# takes the first maximum, and forward and backward must agree. I would test with overlapping windows, ties, a padded
# input of negative numbers, two channels and a plane that is not square, against numerical gradients in float64."
#
# Each sentence can be run. Here are the three that people doubt.

# %% name="overlap"
import numpy as np

from course_lib import avg_pool_backward, conv, conv_backward, max_pool, max_pool_backward, routing

x = np.array([[1.0, 2, 3, 0], [4, 9, 5, 1], [6, 7, 8, 2]])[None, None]
y, indices = max_pool(x, 2, stride=1, return_indices=True)
added = max_pool_backward(np.ones_like(y), indices, x.shape)
assigned = np.zeros(x.size)
assigned[indices.ravel()] = 1
print("sum of the gradient: added", added.sum(), "assigned", assigned.sum(), "upstream", y.size)
assert added.sum() == y.size > assigned.sum() and added[0, 0, 1, 1] == 4 and indices.itemsize == 8

# %% name="padding"
negative = np.array([[-3.0, -1], [-4, -2]])[None, None]
by_rule = max_pool(negative, 2, padding=1)
by_zeros = max_pool(np.pad(negative, ((0, 0), (0, 0), (1, 1), (1, 1))), 2)
print("minus infinity:", by_rule.ravel(), " zeros:", by_zeros.ravel())
assert (by_zeros == 0).all() and (by_rule < 0).all()

# %% [markdown]
# The third is the tie: four equal numbers in one window, and an upstream gradient of 1.

# %% name="tie"
equal = np.ones((1, 1, 2, 2))
winner = routing.max_routes(equal, 2).input_index
print("gradient at a tie:", routing.max_routes(equal, 2).backward(np.ones((1, 1, 1, 1))).ravel())
assert winner.tolist() == [0]

# %% [markdown]
# What an interviewer asks next, and what to say:
#
# * *"Must the index be saved?"* No. Input and tie rule are enough; saving is faster. It goes wrong if the input has
#   changed in between, in place or in precision.
# * *"Does padding get a gradient?"* Not from a maximum. In an average that counts padding, padding takes its share of
#   the divisor, and that share is dropped.
# * *"How many bytes does the index take?"* Eight an output as int64. The offset in the window fits into one.
#
# ## Question 2: sparsity
#
# > *"Max pooling makes gradients sparse. Does that slow down the training of the convolution in front?"*
#
# **A model answer.** "At the input of the pool, yes: with windows of two by two that do not overlap, one element in
# four gets a gradient, and the others get zero. With overlap it is more than one over K, because different windows have
# different winners. But I would ask which gradient is meant. The convolution in front uses each weight at every
# position, so its weight gradient is a sum over all positions, winners included, and has no zeros to speak of. Behind
# the convolution, the gradient of its input is dense again, because the kernel spreads every winner over several
# elements. The tensors stay dense in memory, so the zeros neither save nor cost time. What does change is the length:
# without overlap an average's gradient is one over k of the maximum's for the same upstream, so at one learning rate
# the two networks take different steps. I would measure density and norm before I blame the pool."

# %% name="sparsity"
rng = np.random.default_rng(13)
image, weight = rng.normal(size=(2, 3, 16, 16)), rng.normal(size=(4, 3, 3, 3))
z = conv(image, weight, padding=1)
y, indices = max_pool(z, 2, return_indices=True)
upstream = rng.normal(size=y.shape)
grad_z = max_pool_backward(upstream, indices, z.shape)
grad_image, grad_weight, _ = conv_backward(grad_z, image, weight, padding=1)
densities = [routing.density(gradient) for gradient in (grad_z, grad_weight, grad_image)]
shorter = np.linalg.norm(avg_pool_backward(upstream, z.shape, 2)) / np.linalg.norm(grad_z)
print("pool's input {:.4g}, weight {:.4g}, image {:.4g}".format(*densities), f"; average over max {shorter:.4g}")
assert densities == [0.25, 1, 1] and np.isclose(shorter, 1 / 2)

# %% [markdown]
# What comes next:
#
# * *"Do the zeros spoil a batch norm behind the pool?"* No. Its statistics come from the forward. And the gradient
#   there has no zeros; they arise in front of the pool.
# * *"Does a weight with the gradient zero stay where it is?"* With plain SGD. Momentum and Adam go on moving it.
# * *"Would dropout help?"* It makes the gradient sparser: a dropped output takes its winner along.
#
# ## Question 3: a test
#
# > *"Here is a backward for average pooling. How do you find out whether it is right?"*
#
# **A model answer.** "I compare it with numerical gradients. Central differences in float64, because their truncation
# error falls with h squared while rounding grows with one over h, so I take h near ten to the minus five. I multiply
# the output by a random upstream gradient, never by ones, because ones hide a transposed gradient, and I compare
# relative errors, because an absolute tolerance passes everything when gradients are small. Then the inputs: windows
# that overlap, for a missing plus-equals; padding, with and without counting it, because forward and backward must
# share the divisor; ceil mode with a last window that hangs over; a kernel and a plane that are not square; two samples
# and two channels with different numbers. An average is linear, so there are no kinks to fear. Last, conservation:
# without padding the gradient sums to the upstream gradient. A test is good if it fails on a wrong version, so I plant
# one and look."

# %% name="conservation"
grad_output = rng.normal(size=(1, 1, 2, 2))
whole = avg_pool_backward(grad_output, (1, 1, 5, 5), 3, 2)
padded = avg_pool_backward(np.ones((1, 1, 3, 3)), (1, 1, 5, 5), 3, 2, 1)
print(
    f"without padding: {abs(whole.sum() - grad_output.sum()):.1f} lost; with padding: {9 - padded.sum():.4g} of 9 lost"
)
assert np.isclose(whole.sum(), grad_output.sum()) and np.isclose(9 - padded.sum(), 32 / 9)

# %% [markdown]
# What comes next:
#
# * *"Your check fails for max pooling only. Is the backward wrong?"* Perhaps it met a tie. A difference measures half
#   a slope there, which no rule for ties gives. Take numbers that differ by more than two steps.
# * *"The loss falls. Is that not enough?"* No. Many wrong gradients train, only worse.
#
# ## Mark an answer
#
# A rubric has three rows. Tick what was *said*, not what was meant.
#
# | | question 1: max pooling |
# |---|---|
# | **must** | by sample and channel · winner recorded · all goes to it, 0 to others · several windows add |
# | **good** | padding is −∞ · index without padding · ties need one rule · what to test |
# | **excellent** | index or input and rule · NaN · memory of the index · windows of padding only · low precision |
#
# | | question 2: sparsity |
# |---|---|
# | **must** | sparse at the pool's input only · the weight's gradient sums over all positions |
# | **good** | 1/K side by side, more with overlap · dense again behind the convolution · zeros cost no time |
# | **excellent** | an average's norm is 1/k of it · what to measure before blaming the pool |
#
# | | question 3: a test |
# |---|---|
# | **must** | numerical gradient in float64 · relative error · overlap |
# | **good** | random upstream gradient · padding and its divisor · the step and its two errors |
# | **excellent** | ceil mode · conservation · plants a wrong version |
#
# All of *must* passes. An answer that begins with frameworks and functions, and never says "add", does not pass
# question 1.
#
# Now mark this one, which is not ours but of the usual kind: *"In the forward pass we take the maximum of each window
# and save its position. In the backward pass we make a matrix of zeros and write the gradient to the saved positions.
# So only the maxima get a gradient. For a batch and for several channels we do it for each of them. If two elements are
# equal, we take the first."*
#
# `missing`: which point of *must* was not said?
# * **a** that it works on each sample and channel by itself
# * **b** that the winner is recorded
# * **c** that gradients of several windows add
# * **d** that the others get zero
#
# `move`: which of these moves was left out altogether?
# * **a** record
# * **b** route
# * **c** test
#
# `exposing`: which input would show that the code it describes is wrong?
# * **a** 4 × 4, kernel_size=2, stride=2
# * **b** 2 × 3 with the largest number in the middle, kernel_size=2, stride=1
# * **c** two equal numbers in one window, kernel_size=2, stride=2

# %% name="check"
from course_lib.exercises import check

check("13", missing=None, move=None, exposing=None)

# %% [markdown]
# Fill in the three letters; `hint("13")`, after `from course_lib.exercises import hint`, shows the way.
#
# ## Say one more
#
# Now the third question, with the clock. The model answer above is not the only good one.

# %% name="say-more"
oral("check-a-backward", "Here is a backward for average pooling. How do you find out whether it is right?")

# %% [markdown]
# The interview room has more than eighty such questions, and asks each again when you are about to forget it.
# In the terminal that is `course drill`; in a notebook, `oral.start()` after `from course_lib.interview import oral`.
# Both write one journal, so you may break off in one and go on in the other. In the same way `hunt.start()` gives you
# a backward with one wrong line, to expose with the smallest input, and `coding.start()` a task and a clock.
#
# ## What to keep
#
# 1. Record, route, accumulate, test: four moves, 150 words, one minute.
# 2. Say which tensor you mean. Most wrong answers are right answers about another one.
# 3. After a question you could not answer, find the cell that answers it, and run it with other numbers.
#
# **Next:** say question 1 again tomorrow. And write what you said:
# [exercise 11, the workshop on max pooling](../exercises/11_max_pooling_workshop.ipynb).
