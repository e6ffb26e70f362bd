# %% [markdown]
# # 11 · What does this do in a multimodal model?
#
# A model that reads an image and a text has two branches, and a layer where they meet. The gradient comes back through
# that layer and parts. One branch pools, the other does not. What arrives in each, and what can go wrong in between?
#
# **You should know** the backward of max pooling ([chapter 02](02_where_does_the_gradient_go.ipynb)), density and norm
# of a gradient ([chapter 08](08_how_sparse_is_the_gradient.ipynb)), and the basics of PyTorch. **This chapter needs
# PyTorch.** Without it, one cell says so, most show nothing, and the text can be read.
#
# **You will be able to**
# 1. measure density, norm and finiteness of the gradient at every boundary of a model;
# 2. find a gradient that is cut off, blown up or turned to NaN, from such a table;
# 3. take a maximum over tokens with a padding mask, also where no token is left.
#
# **Time:** about 40 minutes.
#
# ## A digit and a question
#
# The images are real handwritten digits. With each comes one of five questions, and the answer is yes or no. Short
# questions are filled up with a padding token.

# %% name="questions"
import numpy as np

from course_lib.experiments.two_branches import WORDS, ask

labels = np.array([2, 8, 2, 6])
tokens, answers = ask(labels, np.random.default_rng(11))
for label, sentence, answer in zip(labels, tokens, answers, strict=True):
    print(label, " ".join(WORDS[token] for token in sentence), "->", "yes" if answer else "no")

# %% [markdown]
# The image goes through two blocks of convolution, ReLU and **max pooling**, and becomes 32 numbers. Each word becomes
# a vector of 16, the text the **maximum over its words**, and that becomes 32 numbers too. Where they meet, the fusion
# layer gets both and their product: 96 numbers, which become two.
#
# **Predict.** The loss sits behind the fusion, and the text has a say in it.

# %% name="bet-rule"
from course_lib.widgets import predict

predict(
    "11-rule",
    "What changes in the backward of the image branch's max pooling, compared with a network for images alone?",
    choices=["the rule: the text decides who wins", "the upstream gradient only", "the density"],
    answer="the upstream gradient only",
    why="The pool sees its own input and the gradient of its own output. The winner is chosen in the forward, before "
    "the text comes in; the text changes how much is sent, not where.",
)

# %% [markdown]
# Train it: 250 steps of Adam, with 64 digits and questions in each.

# %% name="torch"
from course_lib import figures, routing

try:
    import torch
except ImportError:
    torch = None
    print("PyTorch is not installed, so the cells below show nothing. python3 start.py --torch installs it.")

# %% name="train" tags=["nbval-ignore-output"]
from course_lib.experiments.two_branches import batch, branch_norms, loss_of, train_two_branches, two_branches, watch

if torch:
    model = two_branches(seed=0)
    accuracy = train_two_branches(model, steps=250)
    print(f"right answers to questions about test digits: {accuracy:.3f}")
    assert accuracy > 0.85

# %% [markdown]
# ## At every boundary
#
# `watch` runs one more training step inside a `routing.GradientProbe`. For each layer the probe records the gradient
# that arrives at the layer's input: the share that is not zero, the norm, and whether all is finite.

# %% name="probe" tags=["nbval-ignore-output"]
from IPython.display import display

if torch:
    table = watch(model)
    display(table)
    assert all(row.finite for row in table if row.came)

# %% [markdown]
# Read it from the last row up, as the gradient comes. The fusion hands a full gradient to both branches. In the image
# branch it stays full until it meets a max pool, and then a quarter is left at the pool's input. ReLU takes some more,
# and the convolution makes it full again, as chapter 08 found. The words: five places, one winner for each feature, so
# a fifth. The picture shows it.
#
# Now the norms. Behind a pool and in front of it they are equal: its windows lie side by side, each sends its whole
# number to one element, and nothing is lost. A pool makes a gradient sparse and leaves its length as it is.

# %% name="densities" tags=["nbval-ignore-output"]
if torch:
    found = {row.layer: row.density for row in table if row.came}
    assert found["image.2"] == found["image.5"] == 1 / 4 and found["longest"] == 1 / 5
    assert found["image.3"] == found["fusion.0"] == 1
    norms = {row.layer: row.norm for row in table if row.came}
    assert np.allclose([norms["image.2"], norms["image.5"]], [norms["image.3"], norms["image.6"]], rtol=1e-5)
    names = {"image.2": "first pool", "image.3": "second convolution", "image.5": "second pool"}
    names |= {"image.7": "image, last", "longest": "words", "text": "text, last", "fusion.0": "fusion"}
    display(figures.bars({name: found[layer] for layer, name in names.items()}, "density of the input's gradient"))

# %% [markdown]
# The bet, checked: take what arrives at the pool's output, send it through the indices by hand, and compare with what
# arrived at its input. It is the rule of chapter 02, and nothing else.

# %% name="rule"
from course_lib import max_pool, max_pool_backward

if torch:
    model = two_branches(seed=0)
    before = model.image[:5](batch(np.random.default_rng(0))[0]).detach().requires_grad_()
    after = model.image[5](before)
    after.retain_grad()
    _, tokens, answers = batch(np.random.default_rng(0))
    picture, question = model.image[6:](after), model.text(model.summary(tokens))
    logits = model.fusion(torch.cat([picture, question, picture * question], dim=1))
    torch.nn.functional.cross_entropy(logits, answers).backward()
    indices = max_pool(before.detach().numpy(), 2, return_indices=True)[1]
    by_hand = max_pool_backward(after.grad.numpy(), indices, tuple(before.shape))
    assert np.array_equal(by_hand, before.grad.numpy())
    print("equal, bit for bit")

# %% [markdown]
# ## Cut off
#
# Three faults, each of which the table shows at a glance. First: somebody wrote `.detach()`, or turned features into
# NumPy and back, in front of the fusion. Nothing crashes: the text branch and the fusion still learn. What do you
# expect to see in the table, and how well does the model answer after the same 250 steps?

# %% name="cut"
if torch:
    table = watch(two_branches(seed=0, cut=True))
    print("no gradient came to:", [row.layer for row in table if not row.came])
    assert all(not row.came for row in table if row.layer.startswith("image"))
# %% name="cut-trained" tags=["nbval-ignore-output"]
if torch:
    cut_accuracy = train_two_branches(two_branches(seed=0, cut=True), steps=250)
    print(f"right answers: {cut_accuracy:.3f}, and {accuracy:.3f} without the cut")
    assert cut_accuracy < accuracy - 0.2

# %% [markdown]
# All of the image branch has none. (`image.0` never has one: its input is the image, and nobody asked for a gradient of
# that.) Its weights stay as they were drawn, and the answers are far worse. Low accuracy has a hundred causes. The
# table names this one, in one step, before any training.
#
# ## Blown up
#
# Second: the text features come in another unit, a hundred times as large. **Predict** what that does to the gradients
# at the end of both branches. Remember that the fusion also gets the product of both.

# %% name="bet-scales"
predict(
    "11-scales",
    "The text features are multiplied by 100 in front of the fusion. Whose gradient, at the end of its branch, becomes "
    "tens of times as long?",
    choices=["the text's only", "the image's only", "both"],
    answer="both",
    why="In a product the gradient of the image is the upstream gradient times the text, which is now 100 times as "
    "large. That of the text is the upstream gradient times the image, whose size has not changed. But on its way to "
    "the end of its branch it comes back through the factor 100.",
)


# %% name="scales" tags=["nbval-ignore-output"]
if torch:
    rows = {"as built": branch_norms(), "text × 100": branch_norms(fusion_scale=100.0)}
    rows["normalised"] = branch_norms(normalise=True)
    rows["text × 100, normalised"] = branch_norms(fusion_scale=100.0, normalise=True)
    assert all(rows["text × 100"][branch] > 20 * rows["as built"][branch] for branch in ("image", "text"))
    assert np.allclose(*(list(rows[name].values()) for name in ("normalised", "text × 100, normalised")), rtol=0.01)
    display(figures.bars(rows, "norm of the gradient at the end of each branch"))

# %% [markdown]
# The product hands the scale on, crosswise: the unit of the text becomes the length of the image's gradient. A
# normalisation of both in front of the fusion (layer norm here) takes the units out. The last two rows are equal: the
# factor 100 has no effect any more.
#
# **Clipping** does not do that. It multiplies *all* gradients by one factor, so that their common norm is at most some
# bound. If some gradients are far too large, clipping makes all the others small along with them, and their ratio stays
# as wrong as it was. Here all gradients together are clipped to 1.

# %% name="clip" tags=["nbval-ignore-output"]
if torch:
    model = two_branches(seed=0, fusion_scale=100.0)
    loss_of(model, *batch(np.random.default_rng(0))).backward()
    head = model.fusion[2].weight.grad
    before = head.norm().item()
    total = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
    after = head.norm().item()
    print(f"norm of all gradients {total:.3g}; the last layer's went from {before:.2g} to {after:.2g}")
    assert total > 1 and np.isclose(after, before / total, rtol=1e-3)

# %% [markdown]
# ## The maximum over words
#
# A padding token must never win. As for the border of an image, padding counts as −∞, not zero. It is the same for
# tokens of any kind. Take the regions that a detector found in an image: three regions with two features each, and one
# place of padding. The upstream gradient is 1 for each feature.

# %% name="regions"
from course_lib import global_max_pool

for name, fill in {"zero": 0.0, "minus infinity": -np.inf}.items():
    regions = np.array([[[-2.0, -1, -4, fill], [3, 1, 2, fill]]])
    largest, winners = global_max_pool(regions, return_indices=True)
    to_padding = max_pool_backward(np.ones_like(largest), winners, regions.shape)[..., 3].sum()
    print(f"{name:<15} largest {largest.ravel()}, winners {winners.ravel()}, gradient to the padding {to_padding:g}")
    assert to_padding == (fill == 0)

# %% [markdown]
# With zeros, a feature that is negative in all regions is won by the padding. Its gradient goes to the padding's
# vector and is lost to the regions.
#
# Third fault, and the hardest to find: **a question without a word**. Every place is padding, and the maximum of
# nothing is −∞. **Predict** what becomes of the weights if one question in a batch of 64 is empty.

# %% name="bet-empty"
predict(
    "11-empty",
    "One of 64 questions is empty, and its maximum is −∞. Which weights have a gradient with NaN after the backward?",
    choices=["none", "some of the text branch", "all of the text branch", "nearly all of the model"],
    answer="nearly all of the model",
    why="Only that sample's own gradients are NaN. But a weight's gradient is a sum over the batch, and one NaN makes "
    "the sum NaN. Through the product the NaN reaches the image branch too.",
)

# %% name="empty"
if torch:
    images, tokens, answers = batch(np.random.default_rng(0))
    tokens[0] = 0
    for empty in ("minus infinity", "zero"):
        model = two_branches(seed=0, empty=empty)
        logits = model(images, tokens)
        logits.retain_grad()
        losses = torch.nn.functional.cross_entropy(logits, answers, reduction="none")
        # The loss of the empty question is multiplied by 0, which does not help.
        (losses * (torch.arange(64) > 0)).mean().backward()
        samples = (~logits.grad.isfinite()).any(dim=1).sum().item()
        finite = [name for name, weight in model.named_parameters() if weight.grad.isfinite().all()]
        print(
            f"{empty}: samples with NaN {samples}, weights without NaN {len(finite)} of 13", *finite[: len(finite) % 13]
        )
        assert (samples, len(finite)) == ((0, 13) if empty == "zero" else (1, 1))

# %% [markdown]
# −∞ is a good answer to "which is the largest of none?", and a bad number to calculate with: in the linear layer, −∞
# times a positive and a negative weight are −∞ and ∞, and their sum is NaN. One sample of 64 is spoilt, and by the sum
# over the batch all weights but one. The one is the table of words: the pool gave the empty question no winner, so the
# sample's NaN goes nowhere ([chapter 04](04_what_happens_at_the_border.ipynb)).
#
# The remedy is to say what a text without words means, before the fusion: zeros, or a vector that is learned.
# `masked_fill` on the *result* does it, and nothing goes back to the empty question. Masking the *loss* of such samples
# is not enough, as the cell did just that: 0 · NaN is NaN.
#
# ## Sparse beside dense
#
# The image's gradient is sparse in front of each pool, and the words' gradient is sparse in another way: each feature
# goes to one word. What does the optimiser see? Which *weights* have a gradient that is zero?

# %% name="weights"
if torch:
    model = two_branches(seed=0)
    loss_of(model, *batch(np.random.default_rng(0))).backward()
    shares = {name: routing.density(weight.grad) for name, weight in model.named_parameters()}
    print({name: round(share, 2) for name, share in shares.items() if share < 1})
    unused = (model.words.weight.grad == 0).all(dim=1)
    print("words without any gradient:", [WORDS[number] for number in unused.nonzero().ravel()])
    assert shares["image.0.weight"] == 1 and unused[0]

# %% [markdown]
# Two kinds of zeros, and neither comes from the image's pools. In the table of words, a word that is not in the batch
# and the padding get none, and a word that wins no feature gets none for it: lookups and maxima over words do that. And
# some units behind a ReLU let nothing through for any of the 64 samples, so all weights into and out of such a unit
# have none. The first convolution's weights are full.
#
# ## In half the bits
#
# Mixed precision computes in 16 bits where it can. `bfloat16` has the range of float32 and few digits. So the same
# step, under `torch.autocast`, should look nearly the same in the table. But few digits make numbers equal that were
# not, and some windows choose another winner.

# %% name="bfloat16" tags=["nbval-ignore-output"]
if torch:
    wide, model = watch(two_branches(seed=0)), two_branches(seed=0)
    with torch.autocast("cpu", torch.bfloat16):
        narrow = watch(model)
    maps = model.image[:5](batch(np.random.default_rng(0))[0]).detach()
    winners, rounded = (max_pool(m.numpy(), 2, return_indices=True)[1] for m in (maps, maps.bfloat16().float()))
    ratios = [after.norm / before.norm for before, after in zip(wide, narrow, strict=True) if before.came]
    print(f"norms change by at most {np.abs(np.array(ratios) - 1).max():.1%}")
    print(f"windows of the second pool with another winner: {np.mean(winners != rounded):.4f}")
    assert all(row.finite for row in narrow if row.came) and 0.8 < min(ratios) < max(ratios) < 1.25
    assert 0 < np.mean(winners != rounded) < 0.05

# %% [markdown]
# `float16` has more digits than `bfloat16`, and a smaller range: below $6 \cdot 10^{-8}$ it has only zero. At which
# boundaries would this model's gradients vanish in it?


# %% name="half" tags=["nbval-ignore-output"]
def vanishing(scale):
    """Share of the non-zero gradients at both branches' ends that float16 turns into zero, for a scaled loss."""
    model, kept = two_branches(seed=0), {}
    for name, layer in {"image": model.image[7], "text": model.text}.items():
        layer.register_full_backward_hook(lambda _, grads, __, name=name: kept.update({name: grads[0]}))
    (scale * 1e-4 * loss_of(model, *batch(np.random.default_rng(0)))).backward()
    lost = {name: ((g.half() == 0) & (g != 0)).sum().item() / (g != 0).sum().item() for name, g in kept.items()}
    return {name: lost[name] for name in ("image", "text")}


if torch:
    shares = {"small loss": vanishing(1), "scaled by 1024": vanishing(2**10), "loss as it is": vanishing(1e4)}
    assert 5e-8 < float(np.finfo(np.float16).smallest_subnormal) < 6e-8
    assert min(shares["small loss"].values()) > 0.3
    assert max(*shares["scaled by 1024"].values(), *shares["loss as it is"].values()) < 0.05
    display(figures.bars(shares, "share of gradients that become zero in float16"))

# %% [markdown]
# The loss as it is would be safe here. Make it ten thousand times smaller, as a weighted part of a larger loss may be,
# and most gradients fall under the smallest number of float16. **Loss scaling** multiplies the loss before the backward
# and divides the gradients before the step. [Exercise 10](../exercises/10_change_the_precision.ipynb) is about it.
#
# > **In a multimodal model the rule of each layer stays what it was. What can go wrong is between the layers: a
# > gradient cut, a scale crossed over, a −∞ let through, a small number lost. Measure at every boundary.**
#
# ## Your turn
#
# * `token_gradient`: three words have the feature values 2, 5 and 5, and a fourth place is padding. Upstream 6 arrives
#   at the maximum over words, and the first winner takes all. The gradient of the four places?
# * `clipped`: the gradients of two branches have norms 3 and 4, and all are clipped to norm 1 together. The norm of the
#   first branch's gradient after it?
#
# `cause`: a model's image branch has no gradient at all, the text branch has, and everything is finite. What is it?
# * **a** Max pooling made the gradient so sparse that it died out.
# * **b** The image features were detached before the fusion.
# * **c** An empty text sent −∞ into the fusion.
# * **d** The loss was not scaled.
#
# `empty`: where is an empty text put right?
# * **a** At the loss: multiply the sample's loss by 0.
# * **b** At the result of the maximum: replace −∞ by zeros or by a learned vector.
# * **c** In the pool: let padding count as zero, so that it wins where nothing else is.
#
# %% name="check"
from course_lib.exercises import check

check("11", token_gradient=None, clipped=None, cause=None, empty=None)

# %% [markdown]
# `hint("11")`, after `from course_lib.exercises import hint`, helps three times.
#
# ## What to keep
#
# 1. The rule of a pool does not know what comes behind it. Fusion changes amounts, not routes.
# 2. A table of density, norm and finiteness at every boundary finds what a loss curve hides.
# 3. Padding is −∞ inside the maximum, and must not leave it: say what an empty set means.
#
# **Next:** [chapter 12, Which of these claims are true?](12_which_of_these_claims_are_true.ipynb)
#
# *Digits: E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.*
