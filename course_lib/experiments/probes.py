"""What is measured beside the training: gradients, memory and the time of a prediction. None of it is trained on."""

import numpy as np

from course_lib.experiments.clock import median_seconds
from course_lib.experiments.memory import numpy_peak, torch_peak
from course_lib.experiments.settings import Settings
from course_lib.experiments.torch_network import TorchNetwork
from course_lib.routing import density

PROBED = 64
PREDICTED = 256
TURNS = 9


def pool_gradients(training, data):
    """Density, norm and norm ratio of the gradient before each pooling, as {field: array (blocks,)}."""
    around = training.gradients(data.x_train[:PROBED], data.y_train[:PROBED], pools=True).around_pools
    wide = [[array.astype(np.float64) / training.factor for array in pair] for pair in around]
    norms = np.array([[np.linalg.norm(array) for array in pair] for pair in wide])
    return {
        "gradient density": np.array([density(before) for before, _ in wide]),
        "gradient norm": norms[:, 0],
        "norm ratio": norms[:, 0] / np.maximum(norms[:, 1], np.finfo(float).tiny),
    }


def against_reference(training, data):
    """How far the parameters' gradients are from those by PyTorch in float64, with the same parameters and images."""
    x, y = data.x_train[:PROBED], data.y_train[:PROBED]
    settings = Settings(network=training.settings.network, pooling=training.settings.pooling, precision="float64")
    parameters = {name: array.astype(np.float64) for name, array in training.parameters.items()}
    right = TorchNetwork(settings).gradients(parameters, x, y).parameters
    yours, _ = training.unscaled(x, y)
    errors = {name: np.abs(yours[name] - right[name]).max() for name in right}
    relative = [errors[name] / max(np.abs(right[name]).max(), np.finfo(float).tiny) for name in right]
    vanished = sum(np.count_nonzero((yours[name] == 0) & (right[name] != 0)) for name in right)
    total = sum(array.size for array in right.values())
    return {
        "gradient difference": np.array([max(errors.values()), max(relative)]),
        "vanished gradients": np.array(vanished / total),
    }


def prediction_seconds(trainings, data):
    """The time of one prediction of a fixed batch by each, taking turns."""
    images = data.x_test[:PREDICTED]
    return median_seconds([lambda training=training: training.classes(images) for training in trainings], TURNS)


def peak_bytes(training, x, y):
    """The memory of one forward and backward."""
    peak = torch_peak if training.settings.backend == "framework" else numpy_peak
    training.gradients(x, y)
    return peak(lambda: training.gradients(x, y))


def parameter_count(training):
    """The numbers that are trained."""
    return sum(array.size for array in training.parameters.values())
