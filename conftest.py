"""What nbval needs: every notebook runs in the environment that it was built in, with a work folder of its own."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tools.environment import REMOVED, kernel_environment


def pytest_configure(config):
    """Makes a folder for what the kernels write."""
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        config.kernel_folder = Path(tempfile.mkdtemp(prefix="course-nbval-"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Before the first cell of a notebook: nbval's kernels take the environment of this process."""
    folder = getattr(item.config, "kernel_folder", None)
    if folder is None or item.path.suffix != ".ipynb":
        return
    scratch = folder / item.path.parent.name / item.path.stem
    if not scratch.exists():
        os.environ.update(kernel_environment(os.environ, scratch))
        for name in REMOVED:
            os.environ.pop(name, None)


def pytest_sessionfinish(session):
    """Takes the folder away; the kernels have ended by now."""
    # Not when pytest unconfigures: a worker of xdist may be ended before that.
    folder = getattr(session.config, "kernel_folder", None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
