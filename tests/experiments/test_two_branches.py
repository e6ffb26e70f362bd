"""The network with two branches: its questions, its padding, and where its gradients go."""

import numpy as np
import pytest

from course_lib.experiments import two_branches as model

torch = pytest.importorskip("torch")


def test_ask_gives_the_right_answers(rng):
    labels = np.repeat(np.arange(10), 20)
    tokens, answers = model.ask(labels, rng)
    for label, sentence, answer in zip(labels, tokens, answers, strict=True):
        text = " ".join(model.WORDS[token] for token in sentence if token)
        assert answer == (label in dict(model.QUESTIONS)[text])


def test_padding_never_wins(rng):
    network, (images, tokens, answers) = model.two_branches(), model.batch(rng, 8)
    model.loss_of(network, images, tokens, answers).backward()
    assert (network.words.weight.grad[0] == 0).all()


def test_longer_padding_changes_nothing(rng):
    network, (images, tokens, _) = model.two_branches(), model.batch(rng, 8)
    longer = torch.nn.functional.pad(tokens, (0, 3))
    torch.testing.assert_close(network(images, tokens), network(images, longer), rtol=0, atol=0)


@pytest.mark.parametrize(("empty", "finite"), [("zero", True), ("minus infinity", False)])
def test_empty_question_is_harmless_only_where_it_is_replaced(empty, finite, rng):
    network, (images, tokens, answers) = model.two_branches(empty=empty), model.batch(rng, 8)
    tokens[0] = 0
    assert model.loss_of(network, images, tokens, answers).isfinite().item() is finite


def test_cut_image_gets_no_gradient():
    assert not any(row.came for row in model.watch(model.two_branches(cut=True)) if row.layer.startswith("image"))


def test_training_learns_more_than_guessing():
    # Always "no" is right for a little more than half of the questions.
    assert model.train_two_branches(model.two_branches(1), 1, steps=150) > 0.75


def test_seed_fixes_the_first_weights():
    first, second = (model.two_branches(3).fusion[0].weight for _ in range(2))
    torch.testing.assert_close(first, second, rtol=0, atol=0)


def test_two_branches_refuse_an_unknown_remedy():
    with pytest.raises(ValueError, match="empty must be"):
        model.two_branches(empty="nothing")
