"""How many threads the operations may use: one setting for all of them."""

import os
from contextlib import contextmanager
from functools import cache
from threading import Lock

from course_lib import arguments

_chosen = None
# The caps that hold at present, and what each library of BLAS was set to before the first of them.
_lock, _caps, _before = Lock(), [], []


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


@contextmanager
def blas(most):
    """Inside, matrix products use so many threads at most: the libraries of BLAS follow no setting but their own.

    Their setting holds for the whole process. Of several calls at a time each lowers it, and the last one to end puts
    back what it was.
    """
    with _lock:
        if not _caps:
            _before[:] = [library.num_threads for library in _blas_libraries()]
        _caps.append(most)
        _set_blas()
    try:
        yield
    finally:
        with _lock:
            _caps.remove(most)
            _set_blas()


def _set_blas():
    """Sets every library to the lowest cap, or to what it was."""
    for library, before in zip(_blas_libraries(), _before, strict=True):
        wanted = min([before, *_caps])
        if library.num_threads != wanted:
            library.set_num_threads(wanted)


@cache
def _blas_libraries():
    """The libraries of BLAS that NumPy has loaded."""
    # Loaded late: most calls multiply no matrices.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers
