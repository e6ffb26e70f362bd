"""Times, memory, threads and the progress bar."""

import io
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import torch

from course_lib import threads
from course_lib.experiments import environment, progress_bar
from course_lib.experiments.clock import median_seconds
from course_lib.experiments.environment import load_torch, one_setting
from course_lib.experiments.memory import numpy_peak, torch_peak
from course_lib.experiments.progress_bar import ProgressBar


class Stage:
    """A clock that stands still but for the functions, each of which takes what its list says."""

    def __init__(self, *durations):
        self.now, self.called = 0.0, []
        self.functions = [
            lambda number=number: self.play(number, durations[number]) for number in range(len(durations))
        ]

    def play(self, number, durations):
        self.now += durations[self.called.count(number)]
        self.called.append(number)

    def clock(self):
        return self.now


def test_median_seconds_leaves_the_first_turn_out_and_is_the_median():
    stage = Stage([90, 1, 2, 50], [80, 4, 6, 5])
    np.testing.assert_array_equal(median_seconds(stage.functions, 3, stage.clock), [2, 5])


def test_median_seconds_takes_turns():
    stage = Stage([1] * 4, [1] * 4)
    median_seconds(stage.functions, 3, stage.clock)
    assert stage.called == [0, 1] * 4


def test_numpy_peak_counts_what_is_alive_at_one_time():
    def function():
        for _ in range(3):
            np.ones(100_000)

    # One array of 800 kB at a time; Python's own objects are far smaller.
    assert 800_000 <= numpy_peak(function) < 810_000


def test_numpy_peak_leaves_out_what_was_there_before():
    kept = np.ones(100_000)
    assert numpy_peak(lambda: kept.sum()) < 10_000


def test_numpy_peak_leaves_out_what_was_there_before_where_tracing_had_begun():
    tracemalloc.start()
    try:
        kept = np.ones(100_000)
        assert numpy_peak(lambda: kept.sum()) < 10_000
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_torch_peak_counts_what_is_alive_at_one_time():
    x = torch.ones(1000)
    # Each sum and product is dropped when the next one is there.
    assert torch_peak(lambda: ((x + 1) * 2 + 3) * 4) == 8000
    assert torch_peak(lambda: [x + number for number in range(3)]) == 12000


def test_torch_peak_does_not_count_views_or_changes_in_place():
    x = torch.ones(1000)
    assert torch_peak(lambda: x.reshape(10, 100).T.add_(1)) == 0


def test_torch_peak_sees_the_backward():
    x = torch.ones(1000, requires_grad=True)
    # The square keeps x; its gradient needs twice x, and the product.
    assert torch_peak(lambda: torch.autograd.grad((x * x).sum(), x)) >= 8000


def test_one_setting_gives_one_thread_and_puts_the_old_number_back():
    before = torch.get_num_threads(), threads.allowed()
    with one_setting(torch):
        assert (torch.get_num_threads(), threads.allowed()) == (1, 1)
    assert (torch.get_num_threads(), threads.allowed()) == before


def test_environment_tells_the_versions():
    found = environment()
    # A package may leave out what it was built for, as in 2.13.0+cpu.
    versions = [found[name].split("+")[0] for name in ("numpy", "torch")]
    assert versions == [np.__version__, torch.__version__.split("+")[0]]


def test_without_torch_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        ImportError, match="this experiment needs PyTorch, which is not installed. Run pip install torch"
    ):
        load_torch()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_progress_bar_is_drawn_on_a_terminal_and_wiped_off():
    stream = Terminal()
    with ProgressBar(4, stream) as bar:
        bar.advance()
        assert stream.getvalue().endswith(" 25 %")
    assert stream.getvalue().endswith("\r")


def test_progress_bar_is_silent_where_there_is_no_terminal():
    stream = io.StringIO()
    with ProgressBar(2, stream) as bar:
        bar.advance()
    assert stream.getvalue() == ""


def test_progress_bar_changes_one_display_in_a_notebook(monkeypatch):
    shown = []
    handle = type("Handle", (), {"update": lambda self, text: shown.append(repr(text))})()
    monkeypatch.setattr(progress_bar, "_notebook_handle", lambda: handle)
    with ProgressBar(2) as bar:
        bar.advance()
        bar.advance()
    assert [text[-5:] for text in shown] == ["  0 %", " 50 %", "100 %", ""]


def test_experiments_load_neither_torch_nor_sklearn_before_a_run():
    code = "import sys, course_lib.experiments; print([n for n in ('sklearn', 'torch', 'IPython') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
