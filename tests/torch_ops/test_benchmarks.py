"""The benchmark scripts run from end to end; what they measure here means nothing."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[2]


def test_gpu_benchmark_runs_dry():
    # As a user runs it: it loads what it needs itself, and no warning is left.
    command = [sys.executable, "-W", "error", "benchmarks/gpu.py", "--dry-run", "--shapes", "S5", "--seconds", "0"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert run.returncode == 0, run.stderr
    assert "0 differ from float64 on the CPU" in run.stdout
    assert run.stdout.count("all the same bits") == 2
    assert run.stdout.count("| S5 1×1×4×4 |") == 6


def _main(monkeypatch, script, *options):
    """Runs a benchmark in this process, which has loaded torch already."""
    monkeypatch.setattr(sys, "argv", [script, *options])
    runpy.run_path(str(ROOT / "benchmarks" / script), run_name="__main__")


@pytest.mark.skipif(torch.cuda.is_available(), reason="a CUDA device is there")
def test_gpu_benchmark_says_that_no_gpu_is_there(monkeypatch):
    with pytest.raises(SystemExit, match="No CUDA device is visible to PyTorch. Try --dry-run."):
        _main(monkeypatch, "gpu.py")


def test_cpu_benchmark_runs(monkeypatch, capsys):
    _main(monkeypatch, "torch_ops.py", "--shapes", "S5", "--threads", "1", "--rounds", "1")
    assert "| S5 | **" in capsys.readouterr().out
