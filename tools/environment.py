"""The environment that a notebook runs in, the same when it is built and when it is run again for the tests."""

from pathlib import Path

# These would change what a kernel prints or draws.
REMOVED = ("MPLBACKEND", "PYTHONWARNINGS")


def kernel_environment(environment, scratch):
    """The variables for a kernel, made from those of the current process.

    Parameters
    ----------
    environment : mapping
        The variables to begin with.
    scratch : Path
        An empty folder. Made in it: the learner's work folder, and a folder for IPython's own files.

    Returns
    -------
    dict
    """
    for name in ("work", "ipython"):
        (scratch / name).mkdir(parents=True)
    kept = {name: value for name, value in environment.items() if name not in REMOVED}
    return kept | {
        "COURSE_WORK": str(scratch / "work"),
        "IPYTHONDIR": str(scratch / "ipython"),
        "MATPLOTLIBRC": str(Path(__file__).with_name("matplotlibrc")),
        "NO_COLOR": "1",
        "COLUMNS": "100",
        # Sets of strings are printed in the order of their hashes.
        "PYTHONHASHSEED": "0",
    }
