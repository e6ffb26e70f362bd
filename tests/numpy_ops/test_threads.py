"""Threads change the time that an operation takes, and nothing else."""

import importlib
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import course_lib
from course_lib import avg_pool, avg_pool_backward, conv, max_pool, max_pool_backward, threads
from course_lib.numpy_ops import blocks

# The package's name `conv` is the function.
conv_module = importlib.import_module("course_lib.numpy_ops.conv")
OPERATIONS = {
    "max_pool": lambda x, y, indices: max_pool(x, 3, 2, 1),
    "max_pool with indices": lambda x, y, indices: max_pool(x, 3, 2, 1, return_indices=True),
    "max_pool_backward": lambda x, y, indices: max_pool_backward(y, indices, x.shape),
    "avg_pool": lambda x, y, indices: avg_pool(x, 3, 2, 1),
    "avg_pool_backward": lambda x, y, indices: avg_pool_backward(y, x.shape, 3, 2, 1),
}


@pytest.fixture
def shared(monkeypatch):
    """Three threads, also for small inputs; the list tells among how many each operation shared its blocks."""
    workers = []
    share = blocks.share

    def recording_share(work, parts, number):
        workers.append(min(number, len(parts)))
        share(work, parts, number)

    for module in ("max_separable", "avg_separable", "avg_spread", "avg_views"):
        monkeypatch.setattr(f"course_lib.numpy_ops.{module}.share", recording_share)
    monkeypatch.setattr(blocks, "LONG", 1)
    monkeypatch.setattr(blocks, "SHARED_ELEMENTS", 2000)
    threads.set_threads(3)
    yield workers
    threads.set_threads(None)


def _results(x):
    y, indices = max_pool(x, 3, 2, 1, return_indices=True)
    return [y, indices, *(operation(x, y, indices) for operation in OPERATIONS.values())]


@pytest.mark.parametrize("shape", [(8, 16, 30, 40), (2, 3, 200, 70), (1, 1, 300, 300)])
def test_results_do_not_depend_on_threads(shape, shared, rng):
    x = rng.integers(-9, 9, shape).astype(np.float32)
    many = _results(x)
    threads.set_threads(1)
    for ours, expected in zip(many, _results(x), strict=True):
        for one, other in zip(ours, expected, strict=True):
            np.testing.assert_array_equal(one, other)


# Not the backward of max pooling, which one thread writes out.
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name != "max_pool_backward"])
def test_long_work_is_shared(name, shared, rng):
    x = rng.normal(size=(8, 16, 30, 40)).astype(np.float32)
    y, indices = max_pool(x, 3, 2, 1, return_indices=True)
    shared.clear()
    OPERATIONS[name](x, y, indices)
    assert shared == [3]


def test_a_share_of_the_work_is_done_by_each_thread():
    meeting, workers = threading.Barrier(3, timeout=10), set()

    def work(part):
        # Nobody goes on before three threads are here.
        meeting.wait()
        workers.add((threading.get_ident(), *part))

    blocks.share(work, [1, 2, 3, 4, 5], 3)
    assert sorted(part for _, *part in workers) == [[1, 4], [2, 5], [3]]


def test_budget_gives_each_of_many_threads_some_work(monkeypatch):
    monkeypatch.setattr(threads, "_chosen", 2**31 - 1)
    workers, elements = blocks.budget(blocks.LONG)
    assert workers < 1000 and elements >= blocks.FEWEST


def test_share_starts_no_more_threads_than_there_are_parts():
    names = set()
    blocks.share(lambda part: names.add(threading.get_ident()) if part else names.add("idle"), [1, 2, 3], 2**31 - 1)
    assert "idle" not in names and 1 <= len(names) <= 3


def test_an_error_in_a_thread_reaches_the_caller(shared, rng):
    x = rng.normal(size=(8, 16, 30, 40))
    y, indices = max_pool(x, 3, 2, 1, return_indices=True)
    indices[5, 3, 2, 1] = 1200
    with pytest.raises(ValueError, match="indices must lie between -1 and 1199"):
        max_pool_backward(y, indices, x.shape)


def test_short_work_uses_one_thread(shared, monkeypatch, rng):
    monkeypatch.setattr(blocks, "LONG", 2**21)
    max_pool(rng.normal(size=(8, 16, 30, 40)), 3, 2, 1)
    assert shared == [1]


def test_calls_from_several_threads_do_not_disturb_each_other(shared, rng):
    inputs = [rng.integers(-9, 9, (8, 16, 30, 40)).astype(np.float32) for _ in range(8)]
    expected = [_results(x) for x in inputs]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(_results, inputs))
    for ours, theirs in zip(sum(found, []), sum(expected, []), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("wrong", [0, -1, 2**31])
def test_set_threads_refuses_what_is_not_a_number_of_threads(wrong):
    with pytest.raises(ValueError, match=rf"number must be at least 1 .*; got number={wrong}\."):
        course_lib.set_threads(wrong)


@pytest.mark.parametrize("wrong", [True, 1.0, "2"])
def test_set_threads_refuses_other_types(wrong):
    with pytest.raises(TypeError, match="number must be an integer"):
        course_lib.set_threads(wrong)


def test_threads_are_as_many_as_the_process_may_use():
    course_lib.set_threads(None)
    assert threads.allowed() == threads.available() >= 1


def _blas():
    """How many threads each library of BLAS uses that was loaded before the first product; NumPy's is one of them."""
    return [library.num_threads for library in threads._blas_libraries()]


def test_blas_gets_its_threads_back():
    before = _blas()
    with threads.blas(1):
        assert _blas() == [1] * len(before)
    assert _blas() == before


def test_blas_gets_its_threads_back_after_an_error():
    before = _blas()
    with pytest.raises(ZeroDivisionError), threads.blas(1):
        _ = 1 / 0
    assert _blas() == before


def test_blas_keeps_the_lowest_of_several_caps():
    before = _blas()
    with threads.blas(1), threads.blas(2):
        assert _blas() == [1] * len(before)
    assert _blas() == before


def test_blas_of_many_threads_at_once_ends_where_it_began():
    before = _blas()

    def hold(number):
        with threads.blas(number):
            return _blas()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(hold, [1, 2, 1, 3] * 20))
    assert _blas() == before


def test_convolution_obeys_the_one_setting(monkeypatch, rng):
    seen = []
    multiply = conv_module.correlate
    monkeypatch.setattr(conv_module, "correlate", lambda *given: (seen.append(_blas()), multiply(*given))[1])
    threads.set_threads(1)
    try:
        conv(rng.normal(size=(1, 2, 5, 5)), rng.normal(size=(2, 2, 3, 3)))
    finally:
        threads.set_threads(None)
    assert seen == [[1] * len(_blas())]
