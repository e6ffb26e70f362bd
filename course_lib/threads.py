"""How many threads the operations may use: one setting for all of them."""

import os

from course_lib import arguments

_chosen = None


def set_threads(number):
    """Sets how many threads an operation may use.

    Parameters
    ----------
    number : int or None
        At least 1. None means as many as the process may use, which is what holds before the first call.

    Raises
    ------
    ValueError, TypeError
        If ``number`` is not such a number.

    Notes
    -----
    The results do not depend on it. Operations that would not gain by threads use one, whatever is set.

    Examples
    --------
    >>> set_threads(1)
    >>> allowed()
    1
    >>> set_threads(None)
    """
    global _chosen
    _chosen = None if number is None else arguments.integer("number", number, 1)


def allowed():
    """How many threads an operation may use."""
    return _chosen or available()


def available():
    """Processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
