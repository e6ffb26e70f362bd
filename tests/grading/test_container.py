"""The recipe of the container in which teachers grade on macOS and Windows: what it says exists, and works."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from course_lib import cli
from course_lib.classroom import command, walls
from course_lib.workspace import COURSE
from tests.grading.classes import handed_in, solution
from tests.grading.test_landlock import CONTAINER

RECIPE = COURSE / "docs" / "Containerfile"
DOCUMENT = COURSE / "docs" / "grading.md"


def steps():
    """The steps of the recipe: an instruction and its words."""
    lines = [line for line in RECIPE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in text.splitlines() if line.strip()]


def of(instruction):
    """The words of all steps of one kind."""
    return [words for name, words in steps() if name == instruction]


def commands(program):
    """The commands of the document that start with a program, as words."""
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines() if line.startswith(program)]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The course as it is in the image: what the recipe copies, and nothing else."""
    folder = tmp_path_factory.mktemp("image")
    for words in of("COPY"):
        *sources, target = words.split()
        for source in sources:
            place = COURSE / source
            if place.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(place, folder / target, ignore=ignored)
            else:
                shutil.copy(place, folder / target)
    return folder


def test_it_starts_from_a_python_that_the_course_takes():
    (base,) = of("FROM")
    found = re.search(r"python:(\d+)\.(\d+)-", base)
    assert (int(found[1]), int(found[2])) >= (3, 11)


def test_what_it_copies_is_there_and_is_named():
    sources = [source for words in of("COPY") for source in words.split()[:-1]]
    assert [one for one in sources if not (COURSE / one).exists()] == []
    assert "." not in sources


def test_its_user_is_unprivileged_and_made_before():
    names = [name for name, _ in steps()]
    (user,) = of("USER")
    assert user not in ("root", "0")
    assert names.index("USER") > max(number for number, name in enumerate(names) if name in ("RUN", "COPY"))
    assert any(re.search(rf"useradd .*--uid [1-9]\d* {user}$", words) for words in of("RUN"))


def test_its_packages_are_known_by_these_names():
    if shutil.which("apt-cache") is None:
        pytest.skip("no apt here")
    (words,) = [words for words in of("RUN") if "apt-get install" in words]
    names = [one for one in words.split("apt-get install")[1].split("&&")[0].split() if not one.startswith("-")]
    assert names == ["bubblewrap"]
    for name in names:
        done = subprocess.run(["apt-cache", "show", name], capture_output=True, text=True)
        if done.returncode:
            pytest.skip("apt has no lists here")
        assert f"Package: {name}" in done.stdout


def test_its_python_packages_are_those_of_a_learner():
    assert [words for words in of("RUN") if "pip" in words] == [
        "pip install --no-cache-dir --requirement requirements.txt"
    ]


def test_it_runs_the_command_that_the_document_describes():
    (entry,) = of("ENTRYPOINT")
    assert entry == '["course", "grade"]'
    assert cli.COMMANDS["grade"].module == command.__name__


def test_the_document_builds_this_recipe():
    (build,) = commands("podman build")
    assert COURSE / build[build.index("--file") + 1] == RECIPE


def test_the_document_runs_it_without_further_rights():
    (build,), (run,) = commands("podman build"), commands("podman run")
    name = build[build.index("--tag") + 1]
    given, asked = run[: run.index(name)], run[run.index(name) + 1 :]
    assert given[given.index("--network") + 1] == "none"
    assert not {"--privileged", "--cap-add", "--security-opt"} & set(given)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    options = parser.parse_args(asked)
    assert (options.submissions, options.out, options.secret) == ("handed-in", "report", "secret.txt")


INSIDE = (
    CONTAINER.partition("try:")[0]
    + """
import sys
from course_lib import cli
sys.exit(cli.main(["grade", *sys.argv[1:]]))
"""
)


def test_what_it_holds_grades_behind_landlock(landlocked, image, tmp_path):
    """The same files, and namespaces refused as they are in most containers."""
    work = handed_in(tmp_path / "handed-in", {"Ada": {"03_work.ipynb": solution(3)}, "Bo": {"11.ipynb": solution(11)}})
    (tmp_path / "secret.txt").write_text("a secret of the tests")
    words = [work.name, "--out", "report", "--secret", "secret.txt", "--exercises", "3,11", "--jobs", "1"]
    environment = os.environ | {"PYTHONPATH": str(image), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", f"import course_lib\nprint(course_lib.__file__)\n{INSIDE}", *words],
        capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, str(image / "course_lib" / "__init__.py")), done.stderr
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert f"ran in: {walls.Landlock.level}." in page
    table = (tmp_path / "report" / "grades.csv").read_text(encoding="utf-8-sig")
    assert [line.split(",")[0] for line in table.splitlines()[1:]] == ["Ada", "Bo"]
    assert "graded" in table
