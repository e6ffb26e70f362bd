"""The sandbox, where this machine has one: without it nothing here is graded, and these tests are skipped."""

import pytest

from course_lib.classroom import sandbox, walls


@pytest.fixture(scope="session")
def zygote():
    """A sandbox for the whole run."""
    if why := sandbox.why_not():
        pytest.skip(why)
    with sandbox.Zygote() as found:
        found.start()
        yield found


@pytest.fixture(scope="session")
def landlocked():
    """A sandbox as it is where bubblewrap is refused."""
    with sandbox.Zygote((walls.Landlock,)) as found:
        try:
            found.start()
        except sandbox.NoSandbox as error:
            pytest.skip(str(error))
        yield found
