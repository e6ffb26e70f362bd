"""From a percent-format source to the cells of each notebook that comes from it."""

import ast
import hashlib
from pathlib import Path
from typing import NamedTuple

import jupytext
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

# The folder of a notebook: the folder of its source, and the tag of the cells that it leaves out.
FOLDERS = {"notebooks": ("chapters", None), "exercises": ("exercises", "solution"), "solutions": ("exercises", "stub")}
# What jupytext notes about the script itself; the name becomes the id.
DROPPED = ("name", "cell_marker", "lines_to_next_cell", "lines_to_end_of_cell_marker")
# What asks the reader something: the code holds the answer.
QUESTIONS = ("predict", "bets")
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}


class Target(NamedTuple):
    """A notebook that is made: the course's root folder, the notebook's own folder, and its name without a suffix."""

    root: Path
    folder: str
    stem: str

    @property
    def name(self):
        """The notebook's path from the root, as it is written in messages."""
        return f"{self.folder}/{self.stem}.ipynb"

    @property
    def path(self):
        """The notebook's file."""
        return self.root / self.folder / f"{self.stem}.ipynb"

    @property
    def source_name(self):
        """The source's path from the root, as it is written in messages."""
        return f"sources/{FOLDERS[self.folder][0]}/{self.stem}.py"

    @property
    def source(self):
        """The source's file."""
        return self.root / self.source_name


def targets(root):
    """Every notebook that the sources under ``root`` give, in reading order."""
    return [
        Target(root, folder, source.stem)
        for folder, (kind, _) in FOLDERS.items()
        for source in sorted((root / "sources" / kind).glob("*.py"))
    ]


def read_source(path):
    """All cells of a source, solutions and stubs included, each with its id."""
    # comment_magics off: the comment "# copy the window" would be read as a shell command.
    form = {"extension": ".py", "format_name": "percent", "comment_magics": False}
    cells = jupytext.reads(path.read_text(encoding="utf-8"), fmt=form).cells
    taken = {cell.metadata["name"] for cell in cells if "name" in cell.metadata}
    return [_cell(cell, taken) for cell in cells]


def _cell(cell, taken):
    """The cell as it is stored: its name becomes its id, and how the source quotes it is forgotten."""
    made = new_code_cell(cell.source) if cell.cell_type == "code" else new_markdown_cell(cell.source)
    made.id = cell.metadata.get("name") or _free_id(cell, taken)
    made.metadata.update({key: value for key, value in cell.metadata.items() if key not in DROPPED})
    if cell.cell_type == "code" and asks(cell.source):
        # Folded in JupyterLab and in VS Code: the code holds the answer to the question below it.
        made.metadata["jupyter"] = {"source_hidden": True}
    return made


def asks(source):
    """Whether a cell ends in a question to the reader."""
    try:
        last = ast.parse(source).body[-1]
    except (SyntaxError, IndexError):
        return False
    call = getattr(last, "value", None)
    return isinstance(last, ast.Expr) and isinstance(call, ast.Call) and getattr(call.func, "id", "") in QUESTIONS


def _free_id(cell, taken):
    """An id made from the cell's text alone, so that an edit elsewhere does not change it; twins are numbered."""
    digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
    name, twin = digest, 1
    while name in taken:
        twin += 1
        name = f"{digest}-{twin}"
    taken.add(name)
    return name


def select(cells, folder):
    """The cells that the notebooks of one folder show."""
    left_out = FOLDERS[folder][1]
    return [cell for cell in cells if left_out not in tags(cell)]


def tags(cell):
    """The tags of a cell."""
    return cell.metadata.get("tags", [])


def notebook(target):
    """The notebook of a target, not executed."""
    made = new_notebook(cells=select(read_source(target.source), target.folder), metadata=METADATA)
    # A copy: what is executed or tidied must not change METADATA.
    return nbformat.reads(nbformat.writes(made), as_version=4)
