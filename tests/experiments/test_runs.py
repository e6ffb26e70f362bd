"""Whole runs: every field is measured, the design is kept to, and somebody else gets the same."""

import sys

import numpy as np
import pytest

from course_lib.experiments import FIELDS, digits, plug_in, rerun, run
from course_lib.experiments.training import Training, batches
from course_lib.numpy_ops import conv, conv_backward

SMALL = {
    "variants": {"max": {"pooling": "max"}, "average": {"pooling": "average"}},
    "seeds": [0, 3],
    "budget": {"steps": 8, "batch_size": 16},
    "shapes": {"x": [16, 1, 8, 8], "pool2": [16, 16, 2, 2], "conv1.weight": [8, 1, 3, 3]},
    "fields": list(FIELDS),
}


@pytest.fixture(scope="module")
def report():
    return run(**SMALL)


def test_run_measures_every_field_of_every_variant(report):
    for row in report.rows.values():
        assert list(row) == list(FIELDS)
        assert all(np.isfinite(values).all() for values in row.values())


@pytest.mark.parametrize(
    ("field", "shape"),
    [("accuracy", (2,)), ("gradient difference", (2, 2)), ("gradient density", (2, 2)), ("parameters", ()),
     ("training time", (2,)), ("prediction time", ()), ("peak memory", ())],
)  # fmt: skip
def test_run_has_one_entry_a_seed_or_one_in_all(report, field, shape):
    assert report["max"][field].shape == shape


def test_max_pooling_leaves_at_most_a_quarter_and_average_pooling_everything(report):
    assert (report["max"]["gradient density"] <= 0.25).all()
    assert (report["average"]["gradient density"] > 0.99).all()


def test_max_pooling_keeps_the_norm_and_average_pooling_halves_it(report):
    # Tiles do not overlap: the same numbers in other places, or a quarter of each in four places. In float32.
    np.testing.assert_allclose(report["max"]["norm ratio"], 1, rtol=1e-6)
    np.testing.assert_allclose(report["average"]["norm ratio"], 0.5, rtol=1e-6)


def test_float32_gradients_are_near_those_in_float64(report):
    absolute, relative = report["max"]["gradient difference"].max(axis=0)
    assert 0 < absolute < 1e-5
    assert 0 < relative < 1e-4


def test_average_pooling_needs_less_memory_since_it_keeps_no_indices(report):
    assert report["average"]["peak memory"] < report["max"]["peak memory"]


def test_rerun_gives_the_same_again(report):
    again = rerun(report.design, "average", 3)
    for field in ("accuracy", "gradient density", "gradient norm", "finite gradients"):
        # One machine, one thread, one order: the very same numbers.
        np.testing.assert_array_equal(again["average"][field][0], report["average"][field][1])


def test_run_gives_all_variants_the_batches_of_the_seed_in_turns(monkeypatch):
    taken = []
    step = Training.step

    def noted(self, x, y):
        taken.append((self.settings.pooling, x.sum()))
        step(self, x, y)

    monkeypatch.setattr(Training, "step", noted)
    run(**{**SMALL, "seeds": [3], "fields": ["accuracy"]})
    images = digits().x_train
    totals = [images[chosen].sum() for chosen in batches(3, 8, 16, len(images))]
    assert taken == [(name, total) for total in totals for name in ("max", "average")]


def test_run_begins_each_seed_with_parameters_of_its_own(monkeypatch):
    seeds = []
    begin = Training.__init__

    def noted(self, settings, seed, functions):
        seeds.append(seed)
        begin(self, settings, seed, functions)

    monkeypatch.setattr(Training, "__init__", noted)
    run(**{**SMALL, "fields": ["accuracy"]})
    assert seeds == [0, 0, 3, 3]


def test_accuracy_is_the_share_of_test_digits(report):
    data = digits()
    assert np.allclose(report["max"]["accuracy"] * len(data.y_test) % 1, 0)


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        ({"pool1": [16, 8, 4, 3]}, r"shapes\['pool1'\] must be what 'max' makes; got .*, which differs in axis 3."),
        ({"x": [16, 64]}, "but there are 4 axes"),
        ({"pool9": [1]}, "shapes must name what the network has, which is x, conv1, .*; got 'pool9'."),
    ],
)
def test_run_refuses_shapes_that_the_network_does_not_make(shapes, sentence):
    with pytest.raises(ValueError, match=sentence):
        run(**{**SMALL, "shapes": shapes})


def test_run_refuses_gradients_of_another_shape():
    def conv2d_backward(grad_output, x, weight):
        grad_input, grad_weight, _ = conv_backward(grad_output, x, weight)
        return grad_input, grad_weight, np.zeros((1, 1))

    design = {**SMALL, "variants": {"mine": {"backend": "yours", "network": "one block"}}, "shapes": {}}
    with pytest.raises(ValueError, match=r"the gradient of conv1.bias must have its shape \(6,\); got \(1, 1\)"):
        run(**design, functions={"conv2d_backward": conv2d_backward})


def test_run_needs_no_torch_where_numpy_computes(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    variants = {"naive": {"backend": "naive", "network": "one block"}}
    budget = {"steps": 2, "batch_size": 4}
    found = run(variants, [0], budget, fields=["accuracy", "peak memory"])
    assert found["naive"]["peak memory"] > 0


def test_run_says_in_one_sentence_that_torch_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="needs PyTorch, which is not installed"):
        run(**SMALL)


def test_report_as_text_has_a_line_for_each_variant_and_the_environment(report):
    text = repr(report)
    assert [line.split()[0] for line in text.splitlines()[2:4]] == ["max", "average"]
    assert "Budget of every run: 8 steps of 16 images; seeds 0, 3." in text
    assert f"numpy {np.__version__}" in text


def test_report_as_html_says_what_the_text_says(report):
    page = report._repr_html_()
    cells = [cell for line in report.cells()[2:] for cell in line]
    assert all(cell in page for cell in cells)
    assert all(f">{field}</th>" in page for field in FIELDS)
    assert all(note.replace("'", "&#x27;") in page for note in report.notes())


def test_report_gives_the_mean_over_the_seeds(report):
    assert report.mean("accuracy")["max"] == report["max"]["accuracy"].mean()


def test_plug_in_takes_what_is_right(capsys):
    taken = plug_in(lambda x, weight, bias: conv(x, weight, bias), conv_backward)
    assert sorted(taken) == ["conv2d", "conv2d_backward"]
    assert capsys.readouterr().out == "conv2d: yours is used.\nconv2d_backward: yours is used.\n"


@pytest.mark.parametrize(
    ("functions", "sentence"),
    [
        ({}, "conv2d_backward: the course's own is used, since there is none of yours."),
        ({"conv2d_backward": lambda g, x, w: None}, "since yours does not return three gradients."),
        ({"conv2d_backward": lambda g, x, w: 1 / 0}, "since yours raises ZeroDivisionError: division by zero."),
        ({"conv2d_backward": lambda g, x, w: (x, w, g)}, "gives grad_bias the shape (1, 1, 2, 2), expected (1,)."),
        ({"conv2d_backward": lambda g, x, w: (x, w, np.zeros(len(w)))}, "since yours gives other values of grad_input"),
        ({"conv2d": lambda x, w, b: conv(x, w)}, "conv2d: the course's own is used, since yours gives other values"),
    ],
    ids=["none", "no gradients", "raises", "wrong shape", "wrong value", "no bias"],
)  # fmt: skip
def test_plug_in_says_why_it_uses_the_courses_own(capsys, functions, sentence):
    taken = plug_in(**functions)
    assert "conv2d" not in taken or "conv2d_backward" not in taken
    assert sentence in capsys.readouterr().out
