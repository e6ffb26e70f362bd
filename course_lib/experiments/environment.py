"""What a run depends on beside its design: versions, machine, threads."""

import platform
from contextlib import ExitStack, contextmanager
from importlib import metadata

import numpy as np

from course_lib import threads

THREADS = 1


def environment():
    """What a report says about where it was made.

    Returns
    -------
    dict of str to str or int
        ``python``, ``system``, ``machine``, ``numpy``, ``torch`` ("not installed" where it is not) and ``processors``,
        those that this process may use.

    Examples
    --------
    >>> sorted(environment())
    ['machine', 'numpy', 'processors', 'python', 'system', 'torch']
    """
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": version("torch"),
        "system": platform.system(),
        "machine": platform.machine(),
        "processors": threads.available(),
    }


def version(package):
    """The version of an installed package, without importing it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def load_torch():
    """PyTorch, imported when it is needed.

    Raises
    ------
    ImportError
        In one sentence, if it is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise ImportError("this experiment needs PyTorch, which is not installed. Run pip install torch.") from error
    return torch


@contextmanager
def one_setting(torch=None):
    """Gives every library the same number of threads: the course's operations, NumPy's own libraries and PyTorch.

    Parameters
    ----------
    torch : module or None
        PyTorch, if it takes part.
    """
    # scikit-learn, whose digits every experiment uses, brings it along.
    from threadpoolctl import threadpool_limits

    with ExitStack() as stack:
        stack.callback(threads.set_threads, threads.allowed())
        threads.set_threads(THREADS)
        if torch is not None:
            stack.callback(torch.set_num_threads, torch.get_num_threads())
            torch.set_num_threads(THREADS)
        stack.enter_context(threadpool_limits(THREADS))
        yield
