"""Sentences of the bank, each held to a run: ``facts/TOPIC.toml`` has the words, an expression, and what it gives."""

import tomllib
from pathlib import Path

import pytest

from course_lib.interview import questions
from tests.interview.measure import run

QUESTIONS = {question.name: question for question in questions()}
FILES = sorted((Path(__file__).parent / "facts").glob("*.toml"))
FACTS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in FILES}
# Of what is said about PyTorch, the other half of the test.
TORCH = {True: "of PyTorch", False: "of the rest"}


def facts(topic):
    """Question, words, expression and result of every fact of a topic."""
    return [(name, words, *fact) for name, said in FACTS[topic].items() for words, fact in said.items()]


@pytest.mark.parametrize("topic", FACTS)
def test_facts_are_what_the_bank_says(topic):
    missing = [words for name, words, *_ in facts(topic) if words not in " ".join(QUESTIONS[name].texts())]
    assert missing == []


@pytest.mark.parametrize("about_torch", TORCH, ids=TORCH.get)
@pytest.mark.parametrize("topic", FACTS)
def test_facts_are_what_a_run_gives(topic, about_torch):
    chosen = [fact for fact in facts(topic) if ("torch." in fact[2]) == about_torch]
    found = {(name, words): run(expression) for name, words, expression, _ in chosen}
    assert found == {(name, words): expected for name, words, _, expected in chosen}


def test_every_question_has_a_fact_or_a_check():
    with_facts = {name for topic in FACTS for name in FACTS[topic]}
    # How to measure a time is advice, and no run can hold it.
    assert {name for name, question in QUESTIONS.items() if not question.check} - with_facts == {"timing"}
