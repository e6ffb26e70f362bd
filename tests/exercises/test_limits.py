"""The time limit, on the main thread by the alarm clock and elsewhere by a second thread."""

import contextlib
import signal
import sys
import threading
import time

import pytest

from course_lib.exercises.limits import Interruption, run_limited

SECONDS = 0.1


def endless():
    while True:
        pass


def swallowing():
    while True:
        try:
            time.sleep(0.001)
        except BaseException:
            continue


def swallowing_twice():
    while True:
        try:
            while True:
                try:
                    sum(range(100))
                except BaseException:
                    continue
                finally:
                    continue  # noqa: B012
        except BaseException:
            continue
        finally:
            continue  # noqa: B012


def swallowing_in_a_call():
    while True:
        with contextlib.suppress(BaseException):
            swallowing()


def swallowing_and_keeping():
    kept = []
    while True:
        try:
            endless()
        except BaseException as error:
            kept.append(error)


def catching_and_recursing():
    try:
        endless()
    except BaseException:
        catching_and_recursing()


STUBBORN = [
    endless,
    swallowing,
    swallowing_twice,
    swallowing_in_a_call,
    swallowing_and_keeping,
    catching_and_recursing,
]


def in_main_thread(function):
    return run_limited(function, SECONDS)


def in_other_thread(function):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(run_limited(function, SECONDS)))
    thread.start()
    thread.join()
    return outcomes[0]


@pytest.fixture(params=[in_main_thread, in_other_thread])
def run(request):
    """Runs a function under the limit, in either way."""
    return request.param


@pytest.mark.parametrize("function", STUBBORN)
def test_run_limited_ends_what_does_not_end(run, function):
    outcome = run(function)
    assert outcome.out_of_time
    assert outcome.seconds < 5


def test_run_limited_returns_the_value(run):
    outcome = run(lambda: 7)
    assert (outcome.value, outcome.error, outcome.out_of_time) == (7, None, False)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, MemoryError, RecursionError])
def test_run_limited_returns_every_error(run, error):
    def raising():
        raise error

    assert type(run(raising).error) is error


def test_run_limited_says_that_an_interruption_was_caught(run):
    def catching():
        while True:
            try:
                endless()
            except BaseException:
                continue

    assert run(catching).caught
    assert not run(endless).caught


def sly():
    try:
        endless()
    except BaseException:
        return 7


def test_run_limited_calls_an_interrupted_function_late_even_if_it_returns(run):
    assert run(sly).out_of_time


def test_run_limited_leaves_nobody_interrupted_afterwards(run):
    def run_and_wait():
        outcome = run_limited(swallowing, SECONDS)
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pass
        return outcome

    results = []
    if run is in_main_thread:
        results.append(run_and_wait())
    else:
        thread = threading.Thread(target=lambda: results.append(run_and_wait()))
        thread.start()
        thread.join()
    assert results[0].out_of_time


def test_run_limited_leaves_the_trace_function_as_it_was():
    before = sys.gettrace()
    run_limited(sly, SECONDS)
    assert sys.gettrace() is before


def test_run_limited_gives_somebody_elses_alarm_back():
    rung = []
    handler = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        run_limited(endless, SECONDS)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        end = time.monotonic() + 2
        while not rung and time.monotonic() < end:
            time.sleep(0.01)
        assert rung
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def test_run_limited_ends_many_calls_that_end_by_themselves_just_then():
    for _ in range(60):
        outcome = run_limited(lambda: time.sleep(0.002), 0.002)
        assert outcome.error is None or isinstance(outcome.error, Interruption)
