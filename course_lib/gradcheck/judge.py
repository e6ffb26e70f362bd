"""Compares the gradients of a backward pass with slopes: smooth elements by their error, kinks by their interval."""

import numpy as np

from course_lib.gradcheck.report import GradientReport, Kink

TOLERANCE = {"float64": 1e-6, "float32": 2e-3}


def judge(probe, grad_output, analytic, steps, places, slopes):
    """Compares smooth elements by their error, and kinks by their interval and by the sum of the elements that tie."""
    numeric = [np.full(array.shape, np.nan) for array in probe.arrays]
    kinks, worst, largest, largest_absolute = [], None, 0.0, 0.0
    tolerance = TOLERANCE[probe.base.dtype.name]
    for number, (indices, row) in enumerate(zip(places, slopes, strict=True)):
        together = _groups_add_up(probe, number, indices, row, steps[number], grad_output, analytic[number], tolerance)
        for index, slope in zip(indices, row, strict=True):
            numeric[number][index] = (slope.low + slope.high) / 2
            value = float(analytic[number][index])
            if slope.kinked.any():
                inside = _lies_in(value, slope, tolerance) and together[index]
                kinks.append(Kink(number, index, slope.low, slope.high, value, inside))
                continue
            absolute = abs(value - slope.low)
            relative = max(absolute - slope.noise, 0.0) / max(abs(value), abs(slope.low), 1e-300)
            relative = np.inf if np.isnan(absolute) else relative
            largest_absolute = max(largest_absolute, np.inf if np.isnan(absolute) else absolute)
            if relative > largest or worst is None:
                largest, worst = max(relative, largest), (number, index)
    refused = [kink for kink in kinks if not kink.accepted]
    passed, worst, reason = _verdict(largest, tolerance, worst, refused, kinks)
    return GradientReport(passed, reason, tuple(analytic), tuple(numeric), largest_absolute, largest, worst,
                          tuple(steps), tuple(kinks))  # fmt: skip


def _verdict(largest, tolerance, worst, refused, kinks):
    """Whether it passed, the element to look at, and one sentence."""
    if largest > tolerance:
        return False, worst, f"input {worst[0]}, element {worst[1]}: the gradient differs from the slope."
    if refused:
        kink = refused[0]
        return False, (kink.input, kink.index), (
            f"input {kink.input}, element {kink.index} is a kink: {kink.analytic:.4g} is not between {kink.low:.4g} "
            f"and {kink.high:.4g}, or the elements that tie with it do not add up."
        )  # fmt: skip
    if kinks:
        return True, worst, f"all slopes agree; at {len(kinks)} kinks a subgradient was chosen."
    return True, worst, "all slopes agree."


def _lies_in(value, slope, tolerance):
    """Whether a gradient lies between the one-sided derivatives."""
    margin = tolerance * max(abs(slope.low), abs(slope.high)) + slope.noise
    return slope.low - margin <= value <= slope.high + margin


def _groups_add_up(probe, number, indices, row, step, grad_output, analytic, tolerance):
    """For every kinked element: whether all that tie with it sum to the slope of moving them at once."""
    result = {}
    for group in _ties(
        [(index, slope.kinked) for index, slope in zip(indices, row, strict=True) if slope.kinked.any()]
    ):
        slope = probe.slope(number, group, step, grad_output)
        total = sum(float(analytic[index]) for index in group)
        agrees = _lies_in(total, slope, tolerance)
        result.update(dict.fromkeys(group, agrees))
    return result


def _ties(elements):
    """Groups of elements that share an output with a kink."""
    groups = []
    for index, kinked in elements:
        joined = [group for group in groups if (group[1] & kinked).any()]
        members = [index, *(member for group in joined for member in group[0])]
        marks = kinked | np.any([group[1] for group in joined], axis=0) if joined else kinked
        groups = [group for group in groups if not any(group is other for other in joined)] + [(members, marks)]
    return [members for members, _ in groups]
