"""What every test may ask for."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """A random generator that is the same in every run."""
    return np.random.default_rng(2026)


@pytest.fixture(autouse=True, scope="session")
def course_work(tmp_path_factory):
    """An empty work folder for the whole run, so that no test sees or touches what a learner did."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_WORK", str(tmp_path_factory.mktemp("work")))
        yield
