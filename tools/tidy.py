"""Make what a run left in a notebook the same on every machine, and refuse what cannot be.

Pictures: matplotlib writes its version into a PNG, which is taken out; the resolution is fixed by tools/matplotlibrc.
Text: tests/nbval_sanitize.cfg says what is replaced, for the build and for the comparison alike.
Widgets: the random ids of their models are numbered in the order in which the models were made.
"""

import base64
import copy
import json
import re
import sys
from pathlib import Path

import nbformat

from tools.convert import METADATA, tags
from tools.execute import BuildError
from tools.lint import where

SANITIZE = Path(__file__).parents[1] / "tests" / "nbval_sanitize.cfg"
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_BYTES = 300_000
WIDGET_LINE = 100
PNG_TEXT = (b"tEXt", b"zTXt", b"iTXt", b"tIME")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def tidy(notebook, target):
    """The executed notebook, ready to be stored.

    Raises
    ------
    BuildError
        If an output cannot be the same on another machine, or a widget is too large.
    """
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code":
            cell.outputs = [_tidy_output(output, target.root) for output in merge_streams(cell.outputs)]
            for message in refusals(cell, target.root):
                raise BuildError(f"{target.name}, {where(number, cell)} {message}")
    for message in large_widgets(notebook):
        raise BuildError(f"{target.name}: {message}")
    notebook.metadata = nbformat.from_dict(
        METADATA | {key: value for key, value in notebook.metadata.items() if key == "widgets"}
    )
    return number_widgets(notebook)


def merge_streams(outputs):
    """Joins what was printed in one go: how it is cut into messages depends on the time it takes."""
    merged = []
    for output in outputs:
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def _tidy_output(output, root):
    """One output with its text and its pictures made the same everywhere."""
    for key in ("text", "evalue"):
        if key in output:
            output[key] = sanitize(output[key])
    if "traceback" in output:
        output.traceback = [without_folder(sanitize(COLOUR.sub("", line)), root) for line in output.traceback]
    for kind, value in output.get("data", {}).items():
        if kind.startswith("text/"):
            output.data[kind] = sanitize(value)
        elif kind == "image/png":
            output.data[kind] = base64.b64encode(plain_png(base64.b64decode(value))).decode()
    return output


def sanitize(text):
    """Replaces what may differ between two runs, by the list that the comparison uses."""
    pairs = re.findall("^regex: (.*)$\n^replace: (.*)$", SANITIZE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for pattern, replacement in pairs:
        text = re.sub(pattern, replacement, text)
    return text


def without_folder(text, root):
    """A text that names files from the course's root, not from the root of one machine."""
    home = str(Path.home())
    text = text.replace(f"{root}/", "")
    return text.replace(f"~{str(root).removeprefix(home)}/", "") if str(root).startswith(home) else text


def plain_png(data):
    """A PNG without the chunks that say who wrote it and when."""
    kept, position = [data[:8]], 8
    while position < len(data):
        # A chunk is its length in four bytes, its kind in four, its data, and a check sum in four.
        stop = position + 12 + int.from_bytes(data[position : position + 4], "big")
        if data[position + 4 : position + 8] not in PNG_TEXT:
            kept.append(data[position:stop])
        position = stop
    return b"".join(kept)


def refusals(cell, root):
    """What is wrong with the outputs of a cell that is compared when it is run again."""
    for output in cell.outputs:
        if VIEW in output.get("data", {}):
            yield from _long_widget(output.data.get("text/plain", ""))
        if "nbval-ignore-output" in tags(cell) or output.output_type == "error":
            continue
        if output.get("name") == "stderr":
            yield f"writes to standard error: {output.text.strip().splitlines()[-1]}"
        text = "".join([output.get("text", ""), *_texts(output)])
        for folder in (str(root), sys.prefix, str(Path.home()), "course-build-"):
            if len(folder) > 1 and re.search(rf"{re.escape(folder)}(?![\w.])", text):
                yield f"prints a path of this machine, with {folder} in it."


def _texts(output):
    """The texts of an output that are compared."""
    return [value for kind, value in output.get("data", {}).items() if kind.startswith("text/")]


def _long_widget(text):
    """A widget's plain form stands in for it where no widget can be shown."""
    if "\n" in text or len(text) > WIDGET_LINE:
        yield f"shows a widget whose repr is not one line of at most {WIDGET_LINE} characters: {text[:60]!r}…"


def large_widgets(notebook):
    """The widgets whose state would make the notebook heavy."""
    for model in widget_models(notebook).values():
        size = len(json.dumps(model))
        if size > WIDGET_BYTES:
            name = model["state"].get("_anywidget_id", model["model_name"])
            yield f"the state of widget {name} is {size // 1000} kB; at most {WIDGET_BYTES // 1000} kB are stored."


def widget_models(notebook):
    """The stored widget models by id, in the order in which they were made."""
    return notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})


def number_widgets(notebook):
    """The notebook with its widget models numbered: their ids are random, and stand in outputs and in other models."""
    text = nbformat.writes(notebook)
    for number, model in enumerate(widget_models(notebook), 1):
        text = text.replace(model, f"{number:032x}")
    return nbformat.reads(text, as_version=4)


def keep_ignored(notebook, target):
    """The stored notebook, if this one differs from it only where nobody compares; else this one.

    A measured time is another one in each run. Without this, every build would change the file.
    """
    try:
        old = nbformat.read(target.path, as_version=4)
    except (OSError, ValueError):
        return notebook
    mixed = copy.deepcopy(notebook)
    for cell, stored in zip(mixed.cells, old.cells, strict=False):
        if "nbval-ignore-output" in tags(cell) and cell.id == stored.id and "outputs" in stored:
            cell.outputs = stored.outputs
    return old if mixed == old else notebook
