"""What every test may ask for."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """A random generator that is the same in every run."""
    return np.random.default_rng(2026)
