import json

import pytest

from tools.build import main

STORED = ("notebooks", "exercises", "solutions")


def stored_bytes(root):
    """The bytes of every stored notebook, by folder."""
    return {folder: (root / folder / "01_sample.ipynb").read_bytes() for folder in STORED}


def replace(root, kind, old, new):
    """Edits a source."""
    path = root / "sources" / kind / "01_sample.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_main_builds_the_same_bytes_again(built):
    before = stored_bytes(built)
    assert main([], built) == 0
    assert stored_bytes(built) == before


def test_main_builds_the_same_in_another_folder_but_for_what_is_measured(course, built_once):
    assert main(["01"], course) == 0
    before, after = stored_bytes(built_once), stored_bytes(course)
    lines = zip(before["notebooks"].splitlines(), after["notebooks"].splitlines(), strict=True)
    differing = [line for line in lines if len(set(line)) > 1]
    assert [folder for folder in STORED if before[folder] != after[folder]] == ["notebooks"]
    assert len(differing) == 1


def test_main_never_puts_a_solution_into_exercises(built_once):
    assert "a + b" in (built_once / "solutions" / "01_sample.ipynb").read_text(encoding="utf-8")
    text = (built_once / "exercises" / "01_sample.ipynb").read_text(encoding="utf-8")
    assert "a + b" not in text
    assert "secret" not in text


def test_main_stores_what_an_unsolved_exercise_shows(built_once):
    notebook = json.loads((built_once / "exercises" / "01_sample.ipynb").read_text(encoding="utf-8"))
    assert notebook["cells"][-1]["outputs"][0]["text"] == ["not started\n"]


def test_main_leaves_every_file_where_one_notebook_fails(built, capsys):
    before = stored_bytes(built)
    replace(built, "chapters", "# A figure", "# A picture")
    replace(built, "exercises", "print(add(1, 2))", "print(add(1, two))")
    assert main([], built) == 1
    assert stored_bytes(built) == before
    assert sorted(path.suffix for path in (built / "notebooks").iterdir()) == [".ipynb"]
    assert (
        "solutions/01_sample.ipynb, cell 4 (try:) raises NameError: name 'two' is not defined"
        in capsys.readouterr().err
    )


def test_main_builds_nothing_from_a_source_that_breaks_a_rule(course, capsys):
    replace(course, "exercises", "print(add(1, 2))", "print(add(1, 2));")
    assert main([], course) == 1
    assert "no semicolons" in capsys.readouterr().err
    assert not (course / "exercises").exists()


def test_main_builds_what_is_named(course):
    assert main(["--no-execute", "solutions/01"], course) == 0
    assert [folder for folder in STORED if (course / folder).exists()] == ["solutions"]


@pytest.mark.parametrize("name", ["01", "exercises/01", "exercises/01_sample.ipynb", "sources/exercises/01_sample.py"])
def test_main_takes_a_number_or_a_path(course, name):
    assert main(["--no-execute", name], course) == 0
    assert (course / "exercises" / "01_sample.ipynb").exists()


def test_main_refuses_an_unknown_name(course, capsys):
    assert main(["99"], course) == 1
    assert "No source is named 99" in capsys.readouterr().err


def test_main_without_execution_is_found_by_the_check(course, capsys):
    assert main(["--no-execute"], course) == 0
    assert main(["--check"], course) == 1
    assert "exercises/01_sample.ipynb has a cell that was not executed" in capsys.readouterr().err


def test_main_check_is_silent_about_a_built_course(built_once, capsys):
    assert main(["--check"], built_once) == 0
    assert capsys.readouterr() == ("", "")


def test_main_check_reports_orphans_and_rules_and_writes_nothing(built, capsys):
    (built / "exercises" / "01_sample.ipynb").rename(built / "exercises" / "02_old.ipynb")
    replace(built, "chapters", "y.max())\n", "y.max());\n")
    assert main(["--check"], built) == 1
    message = capsys.readouterr().err
    assert "exercises/02_old.ipynb has no source" in message
    assert "exercises/01_sample.ipynb is missing" in message
    assert "notebooks/01_sample.ipynb is stale" in message
    assert "no semicolons" in message
    assert not (built / "exercises" / "01_sample.ipynb").exists()
