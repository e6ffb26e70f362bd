"""Wrong implementations that a suite of tests should refuse, each with a hint for those who do not notice it.

Most are mistakes of the catalogue. A few concern what arguments make no sense, or that nothing in gives nothing out.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib.exercises.implementations import AVG_CALL, CONV_CALL, MAX_CALL
from course_lib.exercises.misconceptions import CATALOGUE, Case
from course_lib.exercises.misconceptions.windows import pair
from course_lib.geometry import output_size

OVERLAP = "What does an element receive that lies in several windows? Is there such an element in your inputs?"
DIRECTION = (
    "Would your expected array be another one if the kernel were turned round, or its rows and columns exchanged?"
)
SUMS = "Over which axes is each gradient summed? Have you more than one of each of them, with different numbers?"
SAMPLES = "What if the samples of a batch differ?"
CHANNELS = "What if the channels differ, those of the input and those of the output?"
BORDER = "What is at the border where the input is padded? What shape has the gradient there?"
PLACES = "Do the windows of your inputs lie side by side? Are they square, and is the input? Try those that are not."
TIES = "What if several elements of a window are its largest?"
NEGATIVE = "What may padding be compared with, and when does it win by mistake?"
UPSTREAM = "Is the upstream gradient of your tests another one at every position, in rows and in columns?"
SHARES = "How much of a window's upstream gradient does each of its elements receive?"
NOTHING = "What must come back where nothing is sent?"
REFUSED = "Which arguments make no sense? What should happen then?"


@dataclass(frozen=True)
class Mutant:
    """A wrong implementation.

    Attributes
    ----------
    name : str
    hint : str
        A question that leads to a test which notices it.
    run : callable
        From the arguments, in a dict, to the named results.
    """

    name: str
    hint: str
    run: Callable


def _known(call, **hints):
    """Mutants from mistakes of the catalogue."""
    return tuple(Mutant(name, hint, _by_mistake(call, CATALOGUE[name])) for name, hint in hints.items())


def _by_mistake(call, entry):
    """An implementation that makes a mistake and checks its arguments."""

    def run(arguments):
        call.check(**arguments)
        given = dict(arguments)
        if "weight" in given:
            given["bias"] = np.zeros(len(given["weight"]))
        results = entry.results(Case(entry.name, given))
        return {name: np.asarray(results[name]) for name in call.results}

    return run


def _right(call):
    """The vectorised implementation, without its checks."""
    return lambda arguments: dict(zip(call.results, call.right["vectorised"](**arguments), strict=True))


def takes_any_upstream(call):
    """Takes an upstream gradient of any shape: it is cut, or repeated."""

    def run(arguments):
        x, kernel = arguments["x"], arguments.get("kernel_size")
        kernel = pair(kernel) if kernel else arguments["weight"].shape[2:]
        axes = zip(x.shape[2:], kernel, pair(arguments["stride"]), pair(arguments["padding"]), strict=True)
        channels = len(arguments["weight"]) if "weight" in arguments else x.shape[1]
        outputs = len(x), channels, *(output_size(size, k, s, p, p) for size, k, s, p in axes)
        fitted = {**arguments, "grad_output": np.resize(arguments["grad_output"], outputs)}
        call.check(**fitted)
        return _right(call)(fitted)

    return run


def takes_other_channels(arguments):
    """Takes a weight for other channels: those that both have are used."""
    x, weight = arguments["x"], arguments["weight"]
    both = min(x.shape[1], weight.shape[1])
    fitted = {**arguments, "x": x[:, :both], "weight": weight[:, :both]}
    CONV_CALL.check(**fitted)
    results = _right(CONV_CALL)(fitted)
    grad_input, grad_weight = np.zeros(x.shape), np.zeros(weight.shape)
    grad_input[:, :both], grad_weight[:, :both] = results["grad_input"], results["grad_weight"]
    return {**results, "grad_input": grad_input, "grad_weight": grad_weight}


def takes_any_kernel(call):
    """Takes a kernel that is larger than the input: there are no windows then, and no gradients."""

    def run(arguments):
        x = arguments["x"]
        kernel = pair(arguments["kernel_size"]) if "kernel_size" in arguments else arguments["weight"].shape[2:]
        axes = zip(x.shape[2:], kernel, pair(arguments["padding"]), strict=True)
        if any(k > size + 2 * p for size, k, p in axes):
            shapes = {"grad_input": x.shape, "grad_weight": np.shape(arguments.get("weight"))}
            return {name: np.zeros(shapes.get(name, arguments["grad_output"].shape[1])) for name in call.results}
        call.check(**arguments)
        return _right(call)(arguments)

    return run


def over_its_norm(call):
    """Divides the upstream gradient by its norm, and multiplies the results by it: 0/0 where it is 0."""

    def run(arguments):
        call.check(**arguments)
        norm = np.linalg.norm(arguments["grad_output"])
        scaled = {**arguments, "grad_output": arguments["grad_output"] / norm}
        return {name: array * norm for name, array in _right(call)(scaled).items()}

    return run


CONV_MUTANTS = (
    *_known(
        CONV_CALL,
        conv_flip_dA=DIRECTION,
        conv_f1f2_swap=DIRECTION,
        conv_flip_dW=DIRECTION,
        conv_dA_overwrite=OVERLAP,
        conv_dA_dedup=OVERLAP,
        conv_div_m_twice=SUMS,
        conv_dW_mean=SUMS,
        conv_dW_last_sample=SAMPLES,
        conv_dW_one_window=SUMS,
        conv_bias_batch_only=SUMS,
        conv_bias_mean=SUMS,
        conv_bias_all=CHANNELS,
        conv_dA_last_q=CHANNELS,
        conv_qc_swap=CHANNELS,
        conv_stride_ignored=PLACES,
        conv_no_crop=BORDER,
        conv_crop_shift=BORDER,
    ),
    Mutant("conv_over_its_norm", NOTHING, over_its_norm(CONV_CALL)),
    Mutant("conv_any_upstream", REFUSED, takes_any_upstream(CONV_CALL)),
    Mutant("conv_other_channels", REFUSED, takes_other_channels),
    Mutant("conv_any_kernel", REFUSED, takes_any_kernel(CONV_CALL)),
)
MAX_MUTANTS = (
    *_known(
        MAX_CALL,
        max_as_average=SHARES,
        max_passthrough=SHARES,
        max_as_minimum=SHARES,
        max_without_upstream=SHARES,
        max_sign=SHARES,
        max_overwrite=OVERLAP,
        max_local_offset=PLACES,
        max_stride_is_k=PLACES,
        max_k_hardcoded=PLACES,
        max_square_only=PLACES,
        max_hw_swap=PLACES,
        max_dy_transposed=UPSTREAM,
        max_batch_mix=SAMPLES,
        max_batch_shared_argmax=SAMPLES,
        max_channel_mix=CHANNELS,
        max_channel_shared_argmax=CHANNELS,
        max_eqmask=TIES,
        max_tie_split=TIES,
        max_tie_last=TIES,
        max_zero_pad=NEGATIVE,
        max_pad_offset=BORDER,
        max_no_crop=BORDER,
    ),
    Mutant("max_over_its_norm", NOTHING, over_its_norm(MAX_CALL)),
    Mutant("max_any_upstream", REFUSED, takes_any_upstream(MAX_CALL)),
    Mutant("max_any_kernel", REFUSED, takes_any_kernel(MAX_CALL)),
)
AVG_MUTANTS = (
    *_known(
        AVG_CALL,
        avg_divide_by_k=SHARES,
        avg_not_divided=SHARES,
        avg_as_max=SHARES,
        avg_k_hardcoded=PLACES,
        avg_square_only=PLACES,
        avg_stride_is_k=PLACES,
        avg_overwrite=OVERLAP,
        avg_dedup=OVERLAP,
        avg_dy_transposed=UPSTREAM,
        avg_batch_mix=SAMPLES,
        avg_channel_mix=CHANNELS,
        avg_pad_offset=BORDER,
        avg_no_crop=BORDER,
        avg_pad_never_counts=BORDER,
    ),
    Mutant("avg_over_its_norm", NOTHING, over_its_norm(AVG_CALL)),
    Mutant("avg_any_upstream", REFUSED, takes_any_upstream(AVG_CALL)),
)
