"""What the tests of the torch backend share; without torch they are not collected."""

import importlib.util

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["*.py"]


@pytest.fixture(autouse=True, scope="package")
def _one_thread():
    """The inputs are tiny: a second thread costs more than it gives, and waits where the machine is busy."""
    import torch

    from course_lib import threads

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    threads.set_threads(1)
    yield
    torch.set_num_threads(before)
    threads.set_threads(None)
