"""What grading may add is pinned for teachers, and the tests run with the same versions of what they need of it."""

from course_lib.workspace import COURSE


def pins(name):
    """The pinned versions of a requirements file by their packages."""
    lines = (COURSE / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split(";")[0].strip().split("==") for line in lines if "==" in line)


def test_tests_run_with_the_versions_of_the_classroom():
    classroom, tests = pins("requirements-classroom.txt"), pins("requirements-test.txt")
    shared = classroom.keys() & tests.keys()
    assert "nbgrader" in shared
    assert {name: classroom[name] for name in shared} == {name: tests[name] for name in shared}


def test_a_learner_installs_none_of_them():
    assert not pins("requirements-classroom.txt").keys() & pins("requirements.txt").keys()
