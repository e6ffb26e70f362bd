"""Running an experiment: every variant with every seed, in turns, and measured in the same way."""

from functools import partial

import numpy as np

from course_lib.experiments import probes
from course_lib.experiments.clock import seconds
from course_lib.experiments.data import digits
from course_lib.experiments.design import design_of
from course_lib.experiments.environment import THREADS, environment, load_torch, one_setting
from course_lib.experiments.progress_bar import ProgressBar
from course_lib.experiments.report import Report
from course_lib.experiments.shapes import assert_shapes
from course_lib.experiments.training import Training, batches

MOMENTS = 5
POOL_FIELDS = {"gradient density", "gradient norm", "norm ratio"}
REFERENCE_FIELDS = {"gradient difference", "vanished gradients"}
ONCE = ("prediction time", "parameters", "peak memory")


def run(variants, seeds, budget, shapes=None, fields=None, *, functions=None):
    """Trains every variant with every seed, within the same budget, and measures.

    Parameters
    ----------
    variants, seeds, budget, shapes, fields
        The design, plain data as `design_of` takes it.
    functions : dict or None
        The learner's ``conv2d`` and ``conv2d_backward`` for the backend "yours", as `plug_in` gives them; the course's
        own are used in their place where there are none.

    Returns
    -------
    Report

    Raises
    ------
    ValueError, TypeError
        If the design is none, or a shape is not what the network makes.
    ImportError
        If PyTorch is needed and not installed.

    Notes
    -----
    All variants of a seed begin with the same parameters, see the same batches in the same order, and take their steps
    in turns, so that a machine that slows down slows all of them. Every library has one thread.
    """
    design = design_of(variants, seeds, budget, shapes, fields)
    with ProgressBar(len(design.seeds) * design.steps) as bar:
        return run_design(design, functions or {}, bar.advance)


def rerun(design, variant, seed):
    """Trains one variant with one seed again, in silence.

    Parameters
    ----------
    design : Design
    variant : str
    seed : int

    Returns
    -------
    Report
    """
    plain = design.plain()
    return run_design(design_of(**{**plain, "variants": {variant: plain["variants"][variant]}, "seeds": [seed]}))


def run_design(design, functions=None, advance=lambda: None):
    """Runs a checked design; ``advance`` is called after every step."""
    data, torch = digits(), load_torch() if _needs_torch(design) else None
    rows = _Rows(design)
    with one_setting(torch):
        for seed in design.seeds:
            trainings = _begin(design, seed, data, functions or {})
            _train(design, seed, data, trainings, rows, advance)
        _measure_once(design, trainings, data, rows)
    return Report(design, {**environment(), "threads": THREADS}, rows.arrays())


def _needs_torch(design):
    """Whether PyTorch computes a variant or the reference."""
    by_framework = any(settings.backend == "framework" for settings in design.variants.values())
    return by_framework or bool(REFERENCE_FIELDS & set(design.fields))


class _Rows:
    """Collects what is measured: for every variant and field one entry a seed, or one in all."""

    def __init__(self, design):
        self.fields = design.fields
        self.values = {name: {field: [] for field in design.fields} for name in design.variants}

    def add(self, name, measured):
        """Keeps what the design asks for."""
        for field, value in measured.items():
            if field in self.fields:
                self.values[name][field].append(value)

    def arrays(self):
        """Arrays (seeds, …); what is measured once has no axis for seeds."""
        return {
            name: {field: np.array(found)[0] if field in ONCE else np.array(found) for field, found in row.items()}
            for name, row in self.values.items()
        }


def _begin(design, seed, data, functions):
    """The variants before their first step, warmed up and with their shapes asserted."""
    x, y = data.x_train[: design.batch_size], data.y_train[: design.batch_size]
    trainings = {name: Training(settings, seed, functions) for name, settings in design.variants.items()}
    for name, training in trainings.items():
        assert_shapes(name, training, design.shapes, x, y)
    return trainings


def _train(design, seed, data, trainings, rows, advance):
    """Takes all steps with one seed, and measures what belongs to a seed."""
    spent = dict.fromkeys(trainings, 0.0)
    moments = np.linspace(0, design.steps, MOMENTS).astype(int)
    seen = {name: [_probe(design, training, data)] for name, training in trainings.items()}
    for number, chosen in enumerate(batches(seed, design.steps, design.batch_size, len(data.x_train)), 1):
        x, y = data.x_train[chosen], data.y_train[chosen]
        for name, training in trainings.items():
            spent[name] += seconds(partial(training.step, x, y))
        if number in moments:
            for name, training in trainings.items():
                seen[name].append(_probe(design, training, data))
        advance()
    for name, training in trainings.items():
        rows.add(name, {**_summary(seen[name]), **_outcome(design, training, data), "training time": spent[name]})


def _probe(design, training, data):
    """The gradients at one moment of the training, if the design asks for them."""
    found = {}
    if POOL_FIELDS & set(design.fields):
        found.update(probes.pool_gradients(training, data))
    if REFERENCE_FIELDS & set(design.fields):
        found.update(probes.against_reference(training, data))
    return found


def _summary(moments):
    """One value a field from several moments: the mean around the poolings, the worst against the reference."""
    combine = {field: np.mean if field in POOL_FIELDS else np.max for field in moments[0]}
    return {field: combine[field]([moment[field] for moment in moments], axis=0) for field in combine}


def _outcome(design, training, data):
    """What became of a training."""
    right = np.mean(training.classes(data.x_test) == data.y_test)
    return {"accuracy": right, "finite gradients": 1 - training.scale.skipped / design.steps}


def _measure_once(design, trainings, data, rows):
    """Measures what does not depend on the seed, if the design asks for it."""
    x, y = data.x_train[: design.batch_size], data.y_train[: design.batch_size]
    if "prediction time" in design.fields:
        for name, time in zip(trainings, probes.prediction_seconds(trainings.values(), data), strict=True):
            rows.add(name, {"prediction time": time})
    for name, training in trainings.items():
        rows.add(name, {"parameters": probes.parameter_count(training)})
        if "peak memory" in design.fields:
            rows.add(name, {"peak memory": probes.peak_bytes(training, x, y)})
