"""Times that can be compared: after a warm-up, one call of each in turn, and the median."""

import time

import numpy as np


def median_seconds(functions, repeats, clock=time.perf_counter):
    """The median time of each function.

    Parameters
    ----------
    functions : list of callable
        Without arguments.
    repeats : int
    clock : callable

    Returns
    -------
    ndarray (functions,)

    Notes
    -----
    The functions take turns, so that a machine that slows down slows all of them. The first turn is not counted: it
    fills caches and loads libraries. The median does not care about a few interruptions.
    """
    for function in functions:
        function()
    times = np.array([[seconds(function, clock) for function in functions] for _ in range(repeats)])
    return np.median(times, axis=0)


def seconds(function, clock=time.perf_counter):
    """The time of one call."""
    begin = clock()
    function()
    return clock() - begin
