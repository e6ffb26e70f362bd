"""Every test of this folder has a work folder of its own."""

import pytest

RIGHT = {
    "max_gradient": [[0, 6], [0, 0]],
    "average_gradient": [[1.5, 1.5], [1.5, 1.5]],
    "tie_gradient": [[0, 6, 0], [0, 0, 0]],
    "tie_rule": "c",
}


@pytest.fixture(autouse=True)
def work(tmp_path, monkeypatch):
    """The empty work folder; the notebook runs beside it."""
    folder = tmp_path / "work"
    (folder / "exercises").mkdir(parents=True)
    monkeypatch.setenv("COURSE_WORK", str(folder))
    monkeypatch.chdir(folder / "exercises")
    return folder
