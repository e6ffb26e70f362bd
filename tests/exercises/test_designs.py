"""Whether a design is sound: one factor, fixed seeds and budget, what is measured, dimensions, and a second run."""

from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from course_lib.exercises.designs import Comparison, drawn, exactly
from course_lib.exercises.engine import judge
from course_lib.exercises.exercise import Exercise
from course_lib.exercises.faults import NOT_STARTED, OUR_FAULT
from course_lib.experiments import Report, design_of, run

COMPARISON = Comparison(
    factor="pooling",
    levels=exactly("max", "average"),
    fixed={"network": "two blocks"},
    swept="learning_rate",
    sweep=2,
    steps=4,
    fields=("accuracy", "gradient norm"),
    shapes=("x", "pool1"),
)
PRACTICE = Exercise(
    number=98, name="98", title="A comparison", stars=1, chapter="08", task="", lines=1, allowed="",
    answers=COMPARISON.answers(), properties=COMPARISON.of_design() + COMPARISON.of_report(), hints=(),
    misconceptions=(),
)  # fmt: skip
GOOD = {
    "variants": {
        f"{name}, {rate}": {"pooling": name, "learning_rate": rate}
        for rate in (0.1, 0.2)
        for name in ("max", "average")
    },
    "seeds": [0, 1, 2],
    "budget": {"steps": 4, "batch_size": 8},
    "fields": ["accuracy", "gradient norm"],
    "shapes": {"x": [8, 1, 8, 8], "pool1": [8, 8, 4, 4]},
}


@cache
def report():
    return run(**GOOD)


def verdict(name, design=GOOD, **answers):
    """The verdict on one property."""
    one = tuple(entry for entry in PRACTICE.properties if entry.name == name)
    return judge(replace(PRACTICE, properties=one), {"design": design, **answers}).verdicts[0]


def changed(**variant):
    """The good design with a change in its first variant."""
    design = deepcopy(GOOD)
    design["variants"]["max, 0.1"].update(variant)
    return design


def test_a_sound_experiment_gets_all_points():
    result = judge(PRACTICE, {"design": GOOD, "report": report()})
    assert result.passed, result
    assert result.points == result.max_points == 10


def test_nothing_given_says_not_started():
    assert {v.kind for v in judge(PRACTICE, {"design": ..., "report": None}).verdicts} == {NOT_STARTED}


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        (changed(momentum=0.5), "momentum differs between the variants too: then nobody knows what pooling did"),
        (changed(momentum=0.5, precision="float64"), "precision and momentum differ between the variants too"),
        (changed(network="one block"), "every variant must have network 'two blocks'; got 'one block' for 'max, 0.1'"),
        (changed(pooling="average"), "there is no variant with learning_rate 0.1 whose pooling is 'max'"),
        (changed(learning_rate=0.3), "there is no variant with learning_rate 0.3 whose pooling is 'average'"),
        (changed(learning_rate=0.2), "two variants with learning_rate 0.2 have the same pooling"),
        (changed(poling="max"), "variants['max, 0.1'] must hold known factors; got 'poling'. Did you mean 'pooling'?"),
        ({**GOOD, "variants": {"max": {}, "average": {"pooling": "average"}}},
         "at least 2 values of learning_rate must be tried; got 1"),
        ({**GOOD, "budgets": 1}, "design must be a dict with variants, seeds, budget, shapes, fields; got variants"),
        ([1, 2], "design must be a dict with variants, seeds, budget, shapes, fields; got a value of type list"),
        ({**GOOD, "seeds": "012"}, "seeds must be a list or tuple; got str"),
    ],
    ids=["momentum", "two more", "network", "level", "rate", "twice", "unknown", "no sweep", "key", "list", "seeds"],
)  # fmt: skip
def test_more_than_one_factor_is_refused(design, sentence):
    found = verdict("one factor", design)
    assert not found.passed
    assert sentence in found.message


def test_too_few_seeds_are_refused():
    found = verdict("seeds and budget", {**GOOD, "seeds": [4, 5]})
    assert found.message == "at least 3 seeds are needed to see a spread; got 2"


def test_too_small_a_budget_is_refused():
    found = verdict("seeds and budget", {**GOOD, "budget": {"steps": 3, "batch_size": 8}})
    assert found.message == "the budget must be at least 4 steps, so that something is learnt; got 3"


def test_missing_fields_are_named():
    found = verdict("fields", {**GOOD, "fields": ["accuracy", "parameters"]})
    assert found.message == "fields must hold what the task asks for; missing: gradient norm"


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        ({"x": [8, 1, 8, 8]}, "shapes must say the dimensions of pool1"),
        ({"x": [8, 1, 8, 8], "pool1": [8, 8, 3, 4]}, "for 'max, 0.1', which differs in axis 2"),
        ({"x": [8, 64], "pool1": [8, 8, 4, 4]}, "(8, 64) for 'max, 0.1', but there are 4 axes"),
    ],
)  # fmt: skip
def test_wrong_dimensions_are_refused_and_not_told(shapes, sentence):
    assert verdict("dimensions", {**GOOD, "shapes": shapes}).message.endswith(sentence)


@pytest.mark.parametrize("given", [{"max": 1}, "report", 3])
def test_what_is_no_report_is_refused(given):
    assert verdict("report", report=given).message.startswith("report must be what run(**design) gives; got a value of")


def test_a_report_of_another_design_is_refused():
    found = verdict("report", {**GOOD, "seeds": [0, 1, 3]}, report=report())
    assert found.message == "report is not of this design: run it again"


def test_a_report_without_a_number_is_refused():
    rows = {name: dict(row) for name, row in report().rows.items()}
    rows["max, 0.2"]["accuracy"] = np.array([0.1, np.nan, 0.3])
    given = Report(report().design, report().environment, rows)
    assert verdict("report", report=given).message == "report has no number for accuracy of 'max, 0.2'"


def test_an_environment_without_threads_is_refused():
    given = Report(report().design, {}, report().rows)
    assert verdict("environment", report=given).message == "the environment does not say how many threads were used"


def test_another_environment_is_refused():
    given = Report(report().design, {**report().environment, "numpy": "0.1"}, report().rows)
    assert verdict("environment", report=given).message.startswith("the environment says numpy '0.1'; here")


def test_numbers_that_a_second_run_does_not_give_are_refused():
    rows = {name: {**row, "accuracy": row["accuracy"] + 0.2} for name, row in report().rows.items()}
    found = verdict("second run", report=Report(report().design, report().environment, rows))
    assert "run again" in found.message
    assert "has another accuracy" in found.message


def test_the_variant_that_is_run_again_is_drawn_from_the_design():
    seen = {drawn(design_of(**{**GOOD, "seeds": [0, 1, seed]})) for seed in range(2, 40)}
    assert {name for name, _ in seen} == set(GOOD["variants"])
    assert {number for _, number in seen} == {0, 1, 2}


def test_the_learners_own_functions_are_not_run_again():
    variants = {"mine": {"backend": "yours"}, "course": {"backend": "vectorised"}}
    seen = {drawn(design_of(**{**GOOD, "variants": variants, "seeds": [seed]}))[0] for seed in range(20)}
    assert seen == {"course"}


HOSTILE = [
    {"variants": {"a": {"pooling": ["max"]}}, "seeds": [0], "budget": {"steps": 1, "batch_size": 1}},
    {"variants": {"a": {"learning_rate": "fast"}}, "seeds": [0], "budget": {"steps": 1, "batch_size": 1}},
    {"variants": {"a": {}}, "seeds": [[0]], "budget": {"steps": 1, "batch_size": 1}},
    {"variants": {"a": {}}, "seeds": [0], "budget": {"steps": 10**30, "batch_size": 1}},
    {"variants": {"a": {"loss_scale": float("inf")}}, "seeds": [0], "budget": {"steps": 1, "batch_size": 1}},
    {"variants": {"a": None}, "seeds": None, "budget": None},
    {"variants": {f"{number}": {} for number in range(5000)}, "seeds": [0], "budget": {"steps": 1, "batch_size": 1}},
    {"variants": {"a": {1: 2}}, "seeds": [0], "budget": {"steps": 1, "batch_size": 1}},
    {"variants": type("dict", (dict,), {})(), "seeds": [0], "budget": {}},
    {"variants": {"a": {"learning_rate": print}}, "seeds": [0], "budget": {}},
]


@pytest.mark.parametrize("design", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_design_gets_a_sentence_and_never_raises(design):
    result = judge(PRACTICE, {"design": design, "report": report()})
    assert result.points <= 1
    assert OUR_FAULT not in {found.kind for found in result.verdicts}
