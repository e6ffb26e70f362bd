"""A design is plain data: what is wrong with it is said in one sentence, and it can be written down and read again."""

import json

import pytest

from course_lib.experiments import Settings, design_of
from course_lib.experiments.design import changed

GOOD = {
    "variants": {"max": {"pooling": "max"}, "average": {"pooling": "average", "learning_rate": 0.3}},
    "seeds": [0, 1],
    "budget": {"steps": 5, "batch_size": 8},
    "shapes": {"x": [8, 1, 8, 8]},
    "fields": ["accuracy", "parameters"],
}


def test_a_design_survives_being_written_down():
    design = design_of(**GOOD)
    assert design_of(**json.loads(json.dumps(design.plain()))) == design


def test_plain_holds_what_is_not_the_default():
    assert design_of(**GOOD).plain()["variants"] == {
        "max": {}, "average": {"pooling": "average", "learning_rate": 0.3}}  # fmt: skip


def test_changed_gives_the_settings_back():
    settings = Settings(backend="naive", network="one block", precision="float64", loss_scale="dynamic")
    assert Settings(**changed(settings)) == settings


def test_factors_are_those_in_which_variants_differ():
    assert design_of(**GOOD).factors() == ("pooling", "learning_rate")


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"variants": [1]}, TypeError, "variants must be a dict; got list."),
        ({"variants": {}}, ValueError, "variants must hold 1 to 24 variants; got 0."),
        ({"variants": {1: {}}}, TypeError, "the names of variants must be text; got 1."),
        ({"variants": {"a": "max"}}, TypeError, r"variants\['a'\] must be a dict of factors; got str."),
        ({"variants": {"a": {"poling": "max"}}}, ValueError, r"got 'poling'. Did you mean 'pooling'\?"),
        ({"variants": {"a": {"pooling": "min"}}}, ValueError, "pooling must be 'max' or 'average'; got"),
        ({"variants": {"a": {"learning_rate": -1}}}, ValueError, "learning_rate must be greater than 0 and"),
        ({"variants": {"a": {"learning_rate": float("nan")}}}, ValueError, "learning_rate must be greater than 0"),
        ({"variants": {"a": {"momentum": 1}}}, ValueError, "momentum must be at least 0 and less than 1; got"),
        ({"variants": {"a": {"loss_scale": "auto"}}}, TypeError, "loss_scale must be a number; got loss_scale='auto'"),
        ({"variants": {"a": {"backend": "naive", "precision": "float16"}}}, ValueError, "where NumPy computes"),
        ({"seeds": 3}, TypeError, "seeds must be a list or tuple; got int."),
        ({"seeds": [1, 1]}, ValueError, r"seeds must be 1 to 10 different numbers; got seeds=\[1, 1\]."),
        ({"seeds": [0.5]}, TypeError, "seeds must be an integer; got seeds=0.5."),
        ({"budget": {"steps": 5}}, ValueError, "budget must hold steps and batch_size, and nothing else"),
        ({"budget": {"steps": 0, "batch_size": 8}}, ValueError, r"budget\['steps'\] must be at least 1"),
        ({"budget": {"steps": 9000, "batch_size": 8}}, ValueError, "at most 2000; got 9000."),
        ({"budget": {"steps": 2000, "batch_size": 256}, "seeds": [1]}, ValueError,
         "variants × seeds × steps × batch_size must be at most 1000000; got 1024000."),
        ({"budget": {"steps": 2000, "batch_size": 16}, "seeds": [1], "variants": {
            name: {"backend": name} for name in ("naive", "yours", "framework")}}, ValueError,
         "for loops and for your own convolution .* must be at most 50000; got 64000."),
        ({"shapes": {"x": 3}}, TypeError, r"shapes\['x'\] must be a list or tuple; got int."),
        ({"fields": ["speed"]}, ValueError, "fields must be among accuracy, .*; got 'speed'."),
        ({"fields": ["accuracy", "accuracy"]}, ValueError, "fields must hold different fields"),
        ({"fields": "accuracy"}, TypeError, "fields must be a list or tuple; got str."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_design_has_its_sentence(change, error, sentence):
    with pytest.raises(error, match=sentence):
        design_of(**{**GOOD, **change})
