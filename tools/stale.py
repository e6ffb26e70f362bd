"""Compare the stored notebooks with their sources. Outputs are left to nbval, which runs the cells again."""

import json

import nbformat
import nbformat.validator

from course_lib.widgets import oral_drill, prediction
from course_lib.widgets.explorable import modules
from tools.convert import FOLDERS, notebook
from tools.lint import where

COMMAND = "Run: python -m tools.build"
# What is compared of a cell, and what a message calls it.
PARTS = {"cell_type": "kind", "source": "text", "id": "id", "metadata": "metadata"}


def check(targets):
    """What is stale, one line a notebook, with the command that mends it."""
    return [f"{target.name} {reason}. {COMMAND} {target.name}" for target in targets for reason in reasons(target)]


def reasons(target):
    """Why a stored notebook is not the one that its source gives; at most one reason."""
    if not target.path.exists():
        return ["is missing"]
    try:
        stored = nbformat.from_dict(json.loads(target.path.read_text(encoding="utf-8")))
    except ValueError:
        return ["is not a notebook"]
    if not isinstance(stored, dict) or any(nbformat.validator.iter_validate(stored)):
        return ["is not a notebook"]
    return [*differences(notebook(target), stored), *not_executed(stored), *old_widgets(stored)][:1]


def differences(expected, stored):
    """Where the stored notebook differs from the expected one, outputs apart."""
    for number, (wanted, found) in enumerate(zip(expected.cells, stored.cells, strict=False), 1):
        for key in PARTS:
            if wanted[key] != _joined(found.get(key)):
                yield f"is stale: {where(number, wanted)} has another {PARTS[key]} than its source"
    if len(expected.cells) != len(stored.cells):
        yield f"is stale: it has {len(stored.cells)} cells, its source {len(expected.cells)}"
    if without_widgets(expected) != without_widgets(stored):
        yield "is stale: its metadata differs"


def _joined(value):
    """A text that a file holds as a list of lines."""
    return "".join(value) if isinstance(value, list) else value


def without_widgets(made):
    """All that a notebook holds beside its cells and the state of its widgets."""
    metadata = {key: value for key, value in made.metadata.items() if key != "widgets"}
    return metadata, made.nbformat, made.nbformat_minor


def not_executed(stored):
    """Cells of code that were not run, or not in order from the first to the last."""
    code = [(number, cell) for number, cell in enumerate(stored.cells, 1) if cell.cell_type == "code"]
    for count, (number, cell) in enumerate(code, 1):
        if cell.get("execution_count") != count:
            yield f"has a cell that was not executed in its turn: cell {number}"


def old_widgets(stored):
    """Widgets that were stored with another drawing script or style than the present one."""
    present = *modules(), (prediction.alone(), prediction.style()), oral_drill.alone()
    models = stored.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    for model in models.values():
        state = model.get("state", {})
        ours = str(state.get("_anywidget_id", "")).startswith("course_lib.widgets")
        if ours and (state.get("_esm"), state.get("_css")) not in present:
            yield "is stale: a widget is stored with an older drawing script"
            return


def orphans(root):
    """Stored notebooks that no source gives."""
    return [
        f"{folder}/{path.name} has no source. Delete it, or add sources/{kind}/{path.stem}.py"
        for folder, (kind, _) in FOLDERS.items()
        for path in sorted((root / folder).glob("*.ipynb"))
        if not (root / "sources" / kind / f"{path.stem}.py").exists()
    ]
