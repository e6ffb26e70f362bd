"""The stored notebooks are the ones that their sources give. What they print is compared by nbval, which runs them."""

from pathlib import Path

import nbformat
import pytest

from tools.build import lint
from tools.convert import FOLDERS, read_source, tags, targets
from tools.stale import check, orphans

ROOT = Path(__file__).parents[1]
TARGETS = targets(ROOT)
EXERCISES = [target for target in TARGETS if target.folder == "exercises"]


def names(chosen):
    """The notebooks' names, for pytest."""
    return [target.name for target in chosen]


def stored_text(target):
    """Everything that a stored notebook says, as its reader sees it."""
    notebook = nbformat.read(target.path, as_version=4)
    return "\n".join(
        [cell.source for cell in notebook.cells] + [str(cell.get("outputs", "")) for cell in notebook.cells]
    )


@pytest.mark.parametrize("folder", FOLDERS)
def test_targets_include_every_folder(folder):
    assert any(target.folder == folder for target in TARGETS)


def test_sources_keep_the_house_rules():
    assert lint(TARGETS) == []


@pytest.mark.parametrize("target", TARGETS, ids=names(TARGETS))
def test_notebook_is_what_its_source_gives_and_was_executed(target):
    assert check([target]) == []


def test_notebooks_all_have_a_source():
    assert orphans(ROOT) == []


@pytest.mark.parametrize("target", EXERCISES, ids=names(EXERCISES))
def test_exercise_has_a_stub_and_a_solution(target):
    found = [tag for cell in read_source(target.source) for tag in tags(cell)]
    assert {"stub", "solution"} <= set(found)


@pytest.mark.parametrize("target", EXERCISES, ids=names(EXERCISES))
def test_exercise_holds_no_line_of_its_solution(target):
    cells = read_source(target.source)
    open_lines = {line.strip() for cell in cells if "solution" not in tags(cell) for line in cell.source.splitlines()}
    solution = {line.strip() for cell in cells if "solution" in tags(cell) for line in cell.source.splitlines()}
    shown = {line.strip() for line in stored_text(target).splitlines()}
    assert solution - open_lines
    assert shown.isdisjoint(solution - open_lines)


@pytest.mark.parametrize("target", TARGETS, ids=names(TARGETS))
def test_notebook_names_no_folder_of_the_machine_that_built_it(target):
    text = target.path.read_text(encoding="utf-8")
    assert f"{ROOT}/" not in text
    assert "course-build-" not in text
