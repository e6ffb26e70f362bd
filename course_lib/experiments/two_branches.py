"""A network with an image branch and a text branch: handwritten digits, and questions about them."""

from functools import cache

import numpy as np

from course_lib import arguments
from course_lib.experiments.data import digits

# Each question: its words, and the digits for which the answer is yes.
QUESTIONS = (
    ("is it even", (0, 2, 4, 6, 8)),
    ("is it odd", (1, 3, 5, 7, 9)),
    ("is it larger than four", (5, 6, 7, 8, 9)),
    ("is it smaller than three", (0, 1, 2)),
    ("has it a closed loop", (0, 6, 8, 9)),
)
PADDING = "<pad>"
WORDS = (PADDING, *sorted({word for text, _ in QUESTIONS for word in text.split()}))
LONGEST = max(len(text.split()) for text, _ in QUESTIONS)
STEPS, BATCH, RATE = 400, 64, 3e-3


def ask(labels, rng):
    """A random question about each digit.

    Parameters
    ----------
    labels : ndarray (N,), int
    rng : numpy.random.Generator

    Returns
    -------
    tokens : ndarray (N, 5), int64
        Numbers of words in `WORDS`; short questions are filled with 0, the padding.
    answers : ndarray (N,), int64
        1 for yes and 0 for no.

    Examples
    --------
    >>> tokens, answers = ask(np.array([4]), np.random.default_rng(0))
    >>> [WORDS[token] for token in tokens[0]], answers
    (['has', 'it', 'a', 'closed', 'loop'], array([0]))
    """
    chosen = rng.integers(len(QUESTIONS), size=len(labels))
    table = np.zeros((len(QUESTIONS), LONGEST), np.int64)
    for row, (text, _) in enumerate(QUESTIONS):
        words = [WORDS.index(word) for word in text.split()]
        table[row, : len(words)] = words
    yes = np.array([[digit in right for digit in range(10)] for _, right in QUESTIONS])
    return table[chosen], yes[chosen, labels].astype(np.int64)


def two_branches(seed=0, **options):
    """The network, with its first weights drawn by a seed.

    Parameters
    ----------
    seed : int
    **options
        ``fusion_scale`` : float, a factor on the text before the fusion (1).
        ``normalise`` : bool, whether both branches are brought to one length before the fusion (False).
        ``cut`` : bool, whether the image is detached before the fusion, a fault (False).
        ``empty`` : "zero" or "minus infinity", what a question without a word becomes ("zero").

    Returns
    -------
    torch.nn.Module
        From images (N, 1, 8, 8) and tokens (N, L) to logits (N, 2). Its parts are ``image``, ``words``, ``text`` and
        ``fusion``; padding tokens never win the maximum over words.
    """
    import torch

    arguments.choice("empty", options.get("empty", "zero"), ("zero", "minus infinity"))
    torch.manual_seed(arguments.integer("seed", seed, 0))
    return _network()(**options)


@cache
def _network():
    """The class, made when torch is first needed."""
    import torch
    from torch import nn

    from course_lib.torch_ops.nn import Conv, GlobalMaxPool, MaxPool

    class TwoBranches(nn.Module):
        """Image and text, each to 32 numbers; both and their product to two logits."""

        def __init__(self, fusion_scale=1.0, normalise=False, cut=False, empty="zero"):
            super().__init__()
            blocks = (Conv(1, 8, 3, padding=1), nn.ReLU(), MaxPool(2), Conv(8, 16, 3, padding=1), nn.ReLU(), MaxPool(2))
            self.image = nn.Sequential(*blocks, nn.Flatten(), nn.Linear(64, 32))
            self.words = nn.Embedding(len(WORDS), 16)
            self.longest = GlobalMaxPool()
            self.text = nn.Linear(16, 32)
            self.fusion = nn.Sequential(nn.Linear(96, 32), nn.ReLU(), nn.Linear(32, 2))
            self.fusion_scale, self.normalise, self.cut, self.empty = fusion_scale, normalise, cut, empty

        def forward(self, images, tokens):
            """The logits."""
            picture, question = self.image(images), self.fusion_scale * self.text(self.summary(tokens))
            if self.cut:
                picture = picture.detach()
            if self.normalise:
                picture, question = (nn.functional.layer_norm(part, part.shape[1:]) for part in (picture, question))
            return self.fusion(torch.cat([picture, question, picture * question], dim=1))

        def summary(self, tokens):
            """The largest value of each feature over the words, (N, 16)."""
            padding = (tokens == 0)[:, None]
            features = self.words(tokens).transpose(1, 2).masked_fill(padding, -torch.inf)
            largest = self.longest(features)[..., 0]
            return largest if self.empty != "zero" else largest.masked_fill(padding.all(dim=2), 0)

    return TwoBranches


def batch(rng, size=BATCH, part="train"):
    """Digits, questions and answers as tensors.

    Parameters
    ----------
    rng : numpy.random.Generator
    size : int
    part : "train" or "test"

    Returns
    -------
    images (N, 1, 8, 8) float32, tokens (N, 5) int64, answers (N,) int64
    """
    import torch

    arguments.choice("part", part, ("train", "test"))
    data = digits()
    x, y = (data.x_train, data.y_train) if part == "train" else (data.x_test, data.y_test)
    chosen = rng.integers(len(x), size=size)
    tokens, answers = ask(y[chosen], rng)
    return torch.tensor(x[chosen], dtype=torch.float32), torch.tensor(tokens), torch.tensor(answers)


def train_two_branches(model, seed=0, steps=STEPS, clip=None):
    """Trains by Adam on random questions.

    Parameters
    ----------
    model : torch.nn.Module
        As `two_branches` gives it; it is changed.
    seed : int
        Of the batches.
    steps : int
    clip : float or None
        The largest norm of all gradients together.

    Returns
    -------
    float
        The share of right answers on questions about test digits.
    """
    import torch

    threads = torch.get_num_threads()
    # The network is so small that threads would wait for each other longer than they work.
    torch.set_num_threads(1)
    try:
        _train(model, seed, steps, clip)
    finally:
        torch.set_num_threads(threads)
    images, tokens, answers = batch(np.random.default_rng(1000), 2000, "test")
    with torch.no_grad():
        return float((model(images, tokens).argmax(dim=1) == answers).float().mean())


def _train(model, seed, steps, clip):
    """The steps of `train_two_branches`."""
    import torch

    rng, optimiser = np.random.default_rng(seed), torch.optim.Adam(model.parameters(), lr=RATE)
    for _ in range(steps):
        loss = loss_of(model, *batch(rng))
        optimiser.zero_grad()
        loss.backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()


def loss_of(model, images, tokens, answers):
    """The mean cross-entropy."""
    from torch.nn.functional import cross_entropy

    return cross_entropy(model(images, tokens), answers)


def watch(model, data=None):
    """The gradients in one training step, at the input of every layer.

    Parameters
    ----------
    model : torch.nn.Module
        As `two_branches` gives it; it is not changed.
    data : tuple of Tensor or None
        A batch; None takes the first one.

    Returns
    -------
    course_lib.torch_ops.probe.GradientTable
    """
    from course_lib.routing import GradientProbe

    with GradientProbe(model) as probe:
        loss_of(model, *(data or batch(np.random.default_rng(0)))).backward()
    model.zero_grad()
    return probe.table()


def branch_norms(**options):
    """Norm of the gradient at the end of each branch, before any training, for options of `two_branches`."""
    norms = {row.layer: row.norm for row in watch(two_branches(**options))}
    return {"image": norms["image.7"], "text": norms["text"]}
