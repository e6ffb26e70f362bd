import pytest

from tools.convert import Target, notebook, read_source, select, tags, targets


@pytest.fixture
def cells_of(tmp_path):
    """Reads the cells of a source given as text."""

    def read(text):
        (tmp_path / "source.py").write_text(text, encoding="utf-8")
        return read_source(tmp_path / "source.py")

    return read


def test_targets_are_one_chapter_and_two_of_an_exercise(course):
    names = [target.name for target in targets(course)]
    assert names == ["notebooks/01_sample.ipynb", "exercises/01_sample.ipynb", "solutions/01_sample.ipynb"]


def test_read_source_takes_the_name_as_id(cells_of):
    (cell,) = cells_of('# %% name="max-pool"\nx = 1\n')
    assert cell.id == "max-pool"
    assert "name" not in cell.metadata


def test_read_source_keeps_ids_where_another_cell_changes(cells_of):
    before = cells_of("# %% [markdown]\n# One.\n\n# %%\nx = 1\n\n# %%\ny = 2\n")
    after = cells_of("# %% [markdown]\n# Another.\n\n# %%\nz = 0\n\n# %%\nx = 1\n\n# %%\ny = 2\n")
    assert [cell.id for cell in after[2:]] == [cell.id for cell in before[1:]]


def test_read_source_gives_equal_cells_different_ids(cells_of):
    ids = [cell.id for cell in cells_of("# %%\nx = 1\n\n# %%\nx = 1\n\n# %%\nx = 1\n")]
    assert len(set(ids)) == 3


def test_read_source_gives_prose_and_code_of_one_text_different_ids(cells_of):
    (code,), (prose,) = cells_of("# %%\nx\n"), cells_of("# %% [markdown]\n# x\n")
    assert prose.source == code.source
    assert prose.id != code.id


@pytest.mark.parametrize("comment", ["# copy the window", "# %timeit f()", "# !ls", "# cd ."])
def test_read_source_leaves_comments_comments(cells_of, comment):
    (cell,) = cells_of(f"# %%\n{comment}\nx = 1\n")
    assert cell.source == f"{comment}\nx = 1"


ASKING = 'from course_lib.widgets import predict\n\npredict("01-a", "?", choices=["1", "2"], answer="1")'


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        (ASKING, True),
        (f"{ASKING}.given", False),
        ("bets('12-a', {})", True),
        ("predict = 3\npredict", False),
        ("x = predict", False),
    ],
)
def test_read_source_folds_the_code_of_a_question(cells_of, source, hidden):
    (cell,) = cells_of(f"# %%\n{source}\n")
    assert cell.metadata == ({"jupyter": {"source_hidden": True}} if hidden else {})


def test_select_leaves_solutions_out_of_exercises(course):
    cells = read_source(Target(course, "exercises", "01_sample").source)
    assert [tags(cell) for cell in select(cells, "exercises")] == [[], ["stub"], []]


def test_select_leaves_stubs_out_of_solutions(course):
    cells = read_source(Target(course, "solutions", "01_sample").source)
    assert [tags(cell) for cell in select(cells, "solutions")] == [[], ["solution"], ["solution"], []]


def test_notebook_has_the_same_id_for_a_cell_in_exercise_and_solution(course):
    exercise = notebook(Target(course, "exercises", "01_sample"))
    solution = notebook(Target(course, "solutions", "01_sample"))
    assert exercise.cells[0].id == solution.cells[0].id
    assert exercise.cells[-1].id == solution.cells[-1].id


def test_notebook_keeps_the_metadata_of_nbgrader(course):
    cell = notebook(Target(course, "exercises", "01_sample")).cells[-1]
    assert cell.metadata == {"nbgrader": {"grade": True, "grade_id": "add-test", "points": 2}}


def test_notebook_names_no_version_and_no_jupytext(course):
    metadata = notebook(Target(course, "notebooks", "01_sample")).metadata
    assert sorted(metadata) == ["kernelspec", "language_info"]
    assert "version" not in metadata.language_info
