"""The files below are solutions, right and wrong: tests/interview/test_coding_solutions.py runs them."""

collect_ignore_glob = ["*/*.py"]
