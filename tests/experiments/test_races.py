"""Hands that take turns, and threads."""

from threading import Barrier

import numpy as np

from course_lib.experiments.races import in_two_threads, together


def counting(name, turns, seen):
    for turn in range(turns):
        seen.append((name, turn))
        yield


def test_together_gives_every_hand_all_its_turns_in_order():
    seen = []
    together([counting(name, 4, seen) for name in range(3)], seed=0)
    for name in range(3):
        np.testing.assert_array_equal([turn for who, turn in seen if who == name], range(4))


def test_together_mixes_the_turns_and_repeats_them_for_a_seed():
    runs = []
    for seed in (0, 0, 1):
        runs.append([])
        together([counting(name, 6, runs[-1]) for name in range(3)], seed)
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_equal(np.array_equal(runs[0], runs[2]), False)
    np.testing.assert_equal(runs[0] == sorted(runs[0]), False)


def test_in_two_threads_runs_both_at_once_and_waits():
    # A barrier for two opens only if both threads are there.
    barrier, passed = Barrier(2, timeout=10), []
    in_two_threads(lambda: passed.append(barrier.wait()))
    np.testing.assert_array_equal(sorted(passed), [0, 1])
