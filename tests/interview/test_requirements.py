"""What the interview room needs is pinned twice, for its user and for the tests, and must be one version."""

from course_lib.workspace import COURSE


def pins(name):
    """The pinned lines of a requirements file."""
    lines = (COURSE / name).read_text(encoding="utf-8").splitlines()
    return {line for line in lines if "==" in line}


def test_tests_run_with_the_versions_of_the_interview_room():
    assert pins("requirements-interview.txt")
    assert pins("requirements-interview.txt") <= pins("requirements-test.txt")


def test_a_learner_installs_none_of_them():
    assert not pins("requirements-interview.txt") & pins("requirements.txt")
