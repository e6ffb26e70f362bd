"""Run a notebook's cells and keep what they show."""

import os
import tempfile
from pathlib import Path

import ipykernel.kernelspec
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tools.convert import tags
from tools.environment import kernel_environment
from tools.lint import where

CELL_SECONDS = 120
START_SECONDS = 120


class BuildError(Exception):
    """A notebook that cannot be built, in one sentence."""


class OwnPython(AsyncKernelManager):
    """Starts this very Python, whatever kernel a "python3" of the machine's settings would be."""

    @property
    def kernel_spec(self):
        """The kernel of the running interpreter."""
        return KernelSpec(resource_dir=ipykernel.kernelspec.RESOURCES, **ipykernel.kernelspec.get_kernel_dict())


async def execute(notebook, target):
    """Runs every cell of a notebook in place, in the folder of its target and an environment of its own.

    Raises
    ------
    BuildError
        If a cell raises, runs too long or ends the kernel. A cell tagged ``raises-exception`` must raise.
    """
    with tempfile.TemporaryDirectory(prefix="course-build-", ignore_cleanup_errors=True) as scratch:
        client = NotebookClient(notebook, timeout=CELL_SECONDS, iopub_timeout=30, startup_timeout=START_SECONDS)
        client.extra_arguments = ["--log-level=ERROR"]
        client.kernel_manager_class = OwnPython
        client.record_timing = False
        client.raise_on_iopub_timeout = True
        # nbclient plays the front end for Output widgets, and hangs at random while it does (jupyter/nbclient#312).
        client.comm_open_handlers = {}
        await _run(client, target, kernel_environment(os.environ, Path(scratch)))
    for number, cell in enumerate(notebook.cells, 1):
        if "raises-exception" in tags(cell) and not any(output.output_type == "error" for output in cell.outputs):
            raise BuildError(f"{target.name}, {where(number, cell)} is tagged 'raises-exception' and raises nothing.")


async def _run(client, target, environment):
    """Runs the client and says in one sentence what went wrong."""
    current = {}
    client.on_cell_start = lambda cell, cell_index: current.update(cell=cell, number=cell_index + 1)
    target.path.parent.mkdir(exist_ok=True)
    try:
        await client.async_execute(cwd=str(target.path.parent), env=environment)
    except CellExecutionError as error:
        raise BuildError(f"{_place(target, current)} raises {error.ename}: {_one_line(error.evalue)}") from error
    except CellTimeoutError as error:
        raise BuildError(f"{_place(target, current)} runs longer than {CELL_SECONDS} s.") from error
    except (DeadKernelError, RuntimeError) as error:
        raise BuildError(f"{_place(target, current)} ends the kernel: {_one_line(str(error))}") from error


def _place(target, current):
    """The notebook, and the cell that is running."""
    return f"{target.name}, {where(**current)}" if current else target.name


def _one_line(text):
    """A message without its line breaks, and not endless."""
    line = " ".join(text.split())
    return line if len(line) <= 300 else line[:299] + "…"
