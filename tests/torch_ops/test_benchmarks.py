"""The benchmark scripts run from end to end; what they measure here means nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _run(script, *options):
    """What a benchmark prints."""
    command = [sys.executable, "-W", "error", str(ROOT / "benchmarks" / script), *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_gpu_benchmark_runs_dry():
    output = _run("gpu.py", "--dry-run", "--shapes", "S5", "--seconds", "0")
    assert "0 differ from float64 on the CPU" in output
    assert output.count("all the same bits") == 2
    assert output.count("| S5 1×1×4×4 |") == 6


def test_gpu_benchmark_says_that_no_gpu_is_there():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("a CUDA device is there")
    script = ROOT / "benchmarks" / "gpu.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 1
    assert run.stderr.strip() == "No CUDA device is visible to PyTorch. Try --dry-run."


def test_cpu_benchmark_runs():
    output = _run("torch_ops.py", "--shapes", "S5", "--threads", "1", "--rounds", "1")
    assert "| S5 | **" in output
