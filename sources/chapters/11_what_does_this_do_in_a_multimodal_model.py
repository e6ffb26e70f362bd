# %% [markdown]
# # 11 · What does this do in a multimodal model?
#
# A model that reads an image and a text has two branches, and a layer where they meet. The gradient comes back through
# that layer and parts. One branch pools, the other does not. What arrives in each, and what can go wrong in between?
#
# **You should know** the backward of max pooling (chapter 02), density and norm of a gradient (chapter 08), and the
# basics of PyTorch. **This chapter needs PyTorch.** Without it, its cells say so and the rest can be read.
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

# %% name="densities" tags=["nbval-ignore-output"]
if torch:
    found = {row.layer: row.density for row in table if row.came}
    assert found["image.2"] == found["image.5"] == 1 / 4 and found["longest"] == 1 / 5
    assert found["image.3"] == found["fusion.0"] == 1
    names = {
        "image.2": "first pool",
        "image.3": "second convolution",
        "image.5": "second pool",
        "image.7": "image, last",
    }
    names |= {"longest": "words", "text": "text, last", "fusion.0": "fusion"}
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
# NumPy and back, in front of the fusion. The model still trains, since the text branch and the fusion do. What do you
# expect to see?

# %% name="cut"
if torch:
    table = watch(two_branches(seed=0, cut=True))
    print("no gradient came to:", [row.layer for row in table if not row.came])
    assert all(not row.came for row in table if row.layer.startswith("image"))

# %% [markdown]
# All of the image branch has none. (`image.0` never has one: its input is the image, and nobody asked for a gradient of
# that.) A loss that falls slowly does not tell you this. The table does, in one step, before any training.
#
# ## Blown up
#
# Second: the text features come in another unit, a hundred times as large. The product hands this on, crosswise: the
# gradient of the *image* is the upstream gradient times the *text*.


# %% name="scales" tags=["nbval-ignore-output"]
if torch:
    rows = {"as built": branch_norms(), "text × 100": branch_norms(fusion_scale=100.0)}
    rows["text × 100, normalised"] = branch_norms(fusion_scale=100.0, normalise=True)
    assert rows["text × 100"]["image"] > 20 * rows["as built"]["image"]
    assert rows["text × 100, normalised"]["image"] < rows["text × 100"]["image"] / 4
    display(figures.bars(rows, "norm of the gradient at the end of each branch"))

# %% [markdown]
# The scale of one branch becomes the step of the other. A normalisation of both in front of the fusion (layer norm
# here) takes the units out. **Clipping** does not: it multiplies *all* gradients by one factor, so that their common
# norm is at most some bound. If one branch is a hundred times too large, clipping makes the other a hundred times too
# small.

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
# A padding token must never win. As for the border of an image, padding counts as −∞, not zero: a feature whose words
# are all negative would be won by the padding, and its gradient would train the padding's vector.
#
# Third fault, and the hardest to find: **a question without a word**. Every place is padding, and the maximum of
# nothing is −∞. **Predict** what becomes of the gradients if one question in a batch of 64 is empty.

# %% name="bet-empty"
predict(
    "11-empty",
    "One of 64 questions is empty, and its maximum is −∞. Whose gradients are not finite after the backward?",
    choices=["that sample's only", "those of the text branch", "those of nearly all weights"],
    answer="those of nearly all weights",
    why="A weight's gradient is a sum over the batch, and one NaN makes the sum NaN. The loss is a mean over the "
    "batch, so it is NaN too, and every sample's gradient with it.",
)

# %% name="empty"
if torch:
    images, tokens, answers = batch(np.random.default_rng(0))
    tokens[0] = 0
    for empty in ("minus infinity", "zero"):
        model = two_branches(seed=0, empty=empty)
        loss = loss_of(model, images, tokens, answers)
        loss.backward()
        spoilt = [name for name, weight in model.named_parameters() if not weight.grad.isfinite().all()]
        print(f"{empty}: loss finite {loss.isfinite().item()}, weights with NaN {len(spoilt)} of 13")

# %% [markdown]
# −∞ is a good answer to "which is the largest of none?", and a bad number to calculate with: in the linear layer, −∞
# times a positive and a negative weight are −∞ and ∞, and their sum is NaN. The remedy is to say what a text without
# words means, before the fusion: zeros, or a vector that is learned. `masked_fill` on the *result* does it, and the
# gradient of an empty question is then 0. Masking the *loss* of such samples is not enough: 0 · NaN is NaN.
#
# The pool itself handles it as chapter 04 says: a window without a real element has the value −∞, the index −1, and
# sends its gradient nowhere.
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
# Mixed precision computes in 16 bits where it can. `bfloat16` has the range of float32 and few digits; `float16` has
# more digits, and nothing below about $6 \cdot 10^{-8}$. At which boundaries would this model's gradients vanish in
# float16?


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
    shares = {"small loss": vanishing(1), "scaled by 1024": vanishing(2**10)}
    assert shares["small loss"]["text"] > 0.3 and max(shares["scaled by 1024"].values()) < 0.05
    display(figures.bars(shares, "share of gradients that become zero in float16"))

# %% [markdown]
# A loss of ordinary size would be safe here. Make it ten thousand times smaller, as a weighted part of a larger loss
# may be, and gradients fall under the smallest number of float16, in one branch more than in the other. **Loss
# scaling** multiplies the loss before the backward and divides the gradients before the step. Exercise 10 is about it.
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
