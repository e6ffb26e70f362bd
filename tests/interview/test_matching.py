"""Matching of typed answers with points: by hand, one rule a test."""

import pytest

from course_lib.interview import said
from course_lib.interview.question import Point


def heard(answer, *groups):
    """The words that gave a point away, or None."""
    point = Point("must", "the point", tuple(tuple(group.split("|")) for group in groups))
    return said(answer, [point]).get(point)


@pytest.mark.parametrize("word", ["add", "adds", "added", "adding", "ADDS", "Added."])
def test_said_takes_a_word_with_any_ending(word):
    assert heard(f"the gradients {word}", "add")


@pytest.mark.parametrize(("word", "key"), [("summed", "sum"), ("dividing", "divide"), ("stops", "stopping")])
def test_said_takes_doubled_letters_and_a_silent_e(word, key):
    assert heard(word, key)


@pytest.mark.parametrize("word", ["address", "maximise", "ad"])
def test_said_takes_no_other_word(word):
    assert heard(word, "add|maximum") is None


@pytest.mark.parametrize("answer", ["plus-equals", "plus equals", "I write += there", "Plus Equals!"])
def test_said_reads_signs_and_hyphens_as_words(answer):
    assert heard(answer, "plus equals")


@pytest.mark.parametrize("answer", ["−∞", "-inf", "minus infinity", "minus  Infinity"])
def test_said_reads_minus_infinity_in_every_spelling(answer):
    assert heard(f"padded with {answer}", "minus infinity|minus inf")


@pytest.mark.parametrize("answer", ["4 windows", "four windows"])
def test_said_reads_small_numbers_as_words(answer):
    assert heard(answer, "four windows")


@pytest.mark.parametrize(
    ("answer", "key"),
    [("add in fp32", "float32"), ("each pixel", "element"), ("sweep the lr", "learning rate"), ("the argmax", "winner"),
     ("an incoming gradient", "upstream gradient"), ("padding", "add|element")],
)  # fmt: skip
def test_said_knows_other_names(answer, key):
    assert bool(heard(answer, key)) == (answer != "padding")


def test_said_hears_a_contraction_as_a_denial():
    assert heard("they don't overlap", "overlap") is None
    assert heard("they don't overlap", "not overlap")


def test_said_allows_two_words_inside_a_phrase_and_no_more():
    assert heard("the sum of all these gradients", "sum gradient") is None
    assert heard("the sum of all gradients", "sum gradient") == "sum of all gradients"


@pytest.mark.parametrize("answer", ["they are not added", "never just add", "it isn't added", "no sum, nothing"])
def test_said_does_not_take_what_is_denied(answer):
    assert heard(answer, "add|sum") is None


@pytest.mark.parametrize("answer", ["you need not save it", "no, it is not saved", "no, not saved"])
def test_said_takes_a_denial_that_the_phrase_asks_for(answer):
    assert heard(answer, "not save")


def test_said_forgets_a_denial_at_the_end_of_a_sentence():
    assert heard("It is not. Add them.", "add")


def test_said_needs_a_phrase_of_every_group():
    assert heard("all of the gradient goes to the winner", "winner", "zero") is None
    assert heard("all goes to the winner, zero elsewhere", "winner", "zero") == "winner … zero"


def test_said_needs_the_groups_close_together():
    far = "winner " + "and so on " * 11 + "zero"
    assert heard(far, "winner", "zero") is None


@pytest.mark.parametrize("answer", ["", "   ", "???", "…", "\x00", "得分"])
def test_said_finds_nothing_in_what_says_nothing(answer):
    assert heard(answer, "add") is None


def test_said_of_an_answer_without_the_sum_misses_that_point():
    from course_lib.interview import questions

    (question,) = [question for question in questions() if question.name == "max-route"]
    answer = (
        "In the forward pass we take the maximum of each window and save its position. In the backward pass we make a "
        "matrix of zeros and write the whole gradient to the saved positions, the winners. For a batch and for several "
        "channels we do it for each of them."
    )
    must = question.graded("must")
    assert [point.text for point in must if point not in said(answer, must)] == [must[3].text]
