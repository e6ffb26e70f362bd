"""The catalogue: every mistake is exposed by its smallest input, and the recipe without one is right."""

import numpy as np
import pytest

from course_lib.exercises import registry
from course_lib.exercises.cases import conv_case, pool_case
from course_lib.exercises.compare import same
from course_lib.exercises.misconceptions import AVG_POOL, CATALOGUE, CONV, GRADIENT_CHECK, MAX_POOL
from course_lib.exercises.misconceptions.model import Case, catalogue, combination

RUNNABLE = [entry for entry in CATALOGUE.values() if entry.operation]


def values(*shape):
    """Integers with ties and negatives."""
    return np.random.default_rng(3).integers(-3, 3, shape).astype(np.float64)


CASES = {
    "tiles": dict(kernel_size=2, stride=2, padding=0, output=(3, 3)),
    "overlap": dict(kernel_size=3, stride=1, padding=0, output=(4, 4)),
    "remainder": dict(kernel_size=(3, 2), stride=(2, 3), padding=0, output=(2, 2)),
    "padded": dict(kernel_size=3, stride=2, padding=1, output=(3, 3)),
    "one tap": dict(kernel_size=1, stride=2, padding=0, output=(3, 3)),
}


@pytest.mark.parametrize("operation", [MAX_POOL, AVG_POOL], ids=lambda operation: operation.name)
@pytest.mark.parametrize("name", CASES)
def test_the_recipe_without_a_mistake_is_right(operation, name):
    geometry = dict(CASES[name])
    grad_output = values(2, 3, *geometry.pop("output"))
    case = Case(name, {"x": values(2, 3, 6, 6), "grad_output": grad_output, **geometry})
    recipe, right = operation.results_with({}, case), operation.results(case)
    for part in right:
        np.testing.assert_allclose(recipe[part], right[part], rtol=0, atol=1e-12)


AVERAGES = {
    "padding not counted": dict(kernel_size=3, stride=2, padding=1, count_include_pad=False),
    "overhang": dict(kernel_size=3, stride=2, padding=1, ceil_mode=True),
    "overhang, padding not counted": dict(kernel_size=3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
    "overhang left out": dict(kernel_size=2, stride=5, padding=1, ceil_mode=True),
    "second call": dict(kernel_size=2, stride=2, padding=0, calls=2),
}


@pytest.mark.parametrize("name", AVERAGES)
def test_the_average_recipe_without_a_mistake_is_right(name):
    geometry = dict(AVERAGES[name])
    calls = {"calls": geometry.pop("calls", 1)}
    case = pool_case((2, 3, 6, 7), 5, offset=100, **geometry)
    assert_recipe_is_right(AVG_POOL, Case(name, {**case.arguments, **calls}))


CONVOLUTIONS = {
    "plain": dict(),
    "strides": dict(stride=(2, 3)),
    "padding": dict(padding=(2, 1)),
    "dilation": dict(dilation=(2, 1), padding=1),
    "ReLU": dict(activation="relu"),
}


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_the_convolution_recipe_without_a_mistake_is_right(name, groups):
    geometry = dict(CONVOLUTIONS[name])
    activation = {"activation": geometry.pop("activation", None)}
    case = conv_case((2, 4, 6, 7), (6, 4 // groups, 3, 2), (5, 5), groups=groups, **geometry)
    assert_recipe_is_right(CONV, Case(name, {**case.arguments, **activation}))


def assert_recipe_is_right(operation, case):
    """Every result of the recipe is that of course_lib."""
    recipe, right = operation.results_with({}, case), operation.results(case)
    assert set(recipe) == set(right)
    for part in right:
        np.testing.assert_allclose(recipe[part], right[part], rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name.startswith("harness")])
def test_the_checker_without_a_mistake_is_right_where_one_with_it_is_wrong(name):
    case = CATALOGUE[name].smallest
    if "mistake" in case.arguments:
        assert_recipe_is_right(GRADIENT_CHECK, case)


@pytest.mark.parametrize("name", ["max_overwrite", "max_eqmask", "max_tie_split", "max_zero_pad", "max_local_offset"])
def test_the_checker_refuses_a_mistake_where_it_shows_and_nowhere_else(name):
    entry = CATALOGUE[name]
    geometry = {"stride": entry.smallest.arguments["kernel_size"], "padding": 0}
    shown = Case(name, {"mistake": name, **geometry, **entry.smallest.arguments})
    hidden = Case(name, {**shown.arguments, "x": [[[[1, 7], [2, 3]]]], "grad_output": [[[[5]]]],
                         "kernel_size": 2, "stride": 2, "padding": 0})  # fmt: skip
    # Shares of tied elements lie between the two slopes: they are possible, and no checker can refuse them alone.
    assert GRADIENT_CHECK.results_with({}, shown)["accepted"] == (name in ("max_tie_split", "max_eqmask"))
    if name != "max_local_offset":
        assert GRADIENT_CHECK.results_with({}, hidden)["accepted"]


@pytest.mark.parametrize("entry", [entry for entry in RUNNABLE if entry.styles], ids=lambda entry: entry.name)
def test_every_style_of_a_mistake_changes_rules_that_exist(entry):
    for changes in entry.forms:
        assert changes
        assert set(changes) <= set(vars(entry.operation.rules))


def test_the_catalogue_holds_the_mistakes_of_each_operation():
    counts = {operation.name: sum(entry.operation is operation for entry in RUNNABLE)
              for operation in (MAX_POOL, AVG_POOL, CONV)}  # fmt: skip
    assert counts["max pooling"] >= 27
    assert counts["average pooling"] >= 11
    assert counts["convolution"] >= 16


def test_a_result_that_a_mistake_makes_impossible_leaves_the_others():
    results = CATALOGUE["max_size_by_division"].results(CATALOGUE["max_size_by_division"].smallest)
    assert results["y"].shape == (1, 1, 2, 3)
    with pytest.raises(IndexError, match="more windows"):
        results["grad_input"]


def test_the_recipe_gives_the_last_nan_the_gradient():
    case = Case("NaN", {"x": [[[[np.nan, 1.0, np.nan, 2.0]]]], "grad_output": [[[[5.0]]]], "kernel_size": (1, 4)})
    np.testing.assert_array_equal(MAX_POOL.results_with({}, case)["grad_input"], MAX_POOL.results(case)["grad_input"])


@pytest.mark.parametrize("entry", RUNNABLE, ids=lambda entry: entry.name)
def test_the_smallest_input_exposes_the_mistake(entry):
    wrong, right = entry.results(entry.smallest), entry.operation.results(entry.smallest)
    assert any(not same(wrong[part], right[part]) for part in right)


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE)
def test_every_entry_has_a_sentence_and_a_chapter(entry):
    assert entry.sentence.endswith(".")
    assert entry.chapter.isdigit()
    assert len(entry.chapter) == 2


def test_every_misconception_is_asked_for_by_its_own_name():
    assert [entry.name for entry in CATALOGUE.values()] == list(CATALOGUE)


def test_two_entries_of_one_name_are_refused():
    with pytest.raises(ValueError, match="must stand once"):
        catalogue(RUNNABLE[:1], RUNNABLE[:1])


def test_two_mistakes_in_one_rule_cannot_be_combined():
    assert combination(CATALOGUE["max_as_average"], CATALOGUE["max_passthrough"]) is None


def test_mistakes_of_two_operations_cannot_be_combined():
    assert combination(CATALOGUE["max_sign"], CATALOGUE["avg_by_value"]) is None


def test_a_case_gives_new_arrays_each_time():
    case = CATALOGUE["max_overwrite"].smallest
    case.fresh()["x"][...] = 7
    np.testing.assert_array_equal(case.fresh()["x"], [[[[5.0]]]])


@pytest.mark.parametrize("exercise", registry.all_exercises(), ids=lambda exercise: exercise.name)
def test_every_exercise_names_mistakes_of_the_catalogue(exercise):
    assert set(exercise.misconceptions) <= set(CATALOGUE)
