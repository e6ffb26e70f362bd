"""Numbers of each student's own, the whole way: released, answered, checked, and graded from the same secret."""

import json

import numpy as np
import pytest

from course_lib.classroom import release, roster, sheets
from course_lib.classroom.settings import Settings
from course_lib.exercises import check, registry
from course_lib.exercises.own_numbers import with_numbers
from course_lib.exercises.properties import Values
from tests.classroom.released import make, python
from tests.grading.classes import exercise_of, handed_in, rows_of

judge = release.judge
SECRET = b"a secret for numbers of one's own"
ROSTER = 'Name,ID\n"Zhang, Wei",4711\nAda L\'Ovelace,\nIda B. Wells,17\n'
FOLDERS = ("Zhang Wei 4711", "Ada L Ovelace", "Ida B Wells 17")
RIGHT_LETTERS = {2: {"why_four": "c", "what_stays_hidden": "a"}, 3: {"tie_rule": "c"}}
ARRAYS = {2: ("grad_weight", "grad_input"), 3: ("max_gradient", "average_gradient", "tie_gradient")}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A folder for a class."""
    return tmp_path_factory.mktemp("own")


def judge_without_library(folder, guarded):
    """The scan, but for what other tests scan and takes seconds."""
    for name in ("course_lib", "notebooks"):
        if (folder / name).exists():
            (folder / name).rename(folder.with_name(name))
    judge(folder, guarded)
    for name in ("course_lib", "notebooks"):
        if folder.name == "release":
            folder.with_name(name).rename(folder / name)


@pytest.fixture(scope="module")
def students(scratch):
    """The folder of the students' copies; the release lies beside it."""
    (scratch / "roster.csv").write_text(ROSTER, encoding="utf-8")
    (scratch / "class.key").write_bytes(SECRET)
    words = ("--exercises", "2-3", "--own-numbers", scratch / "roster.csv", "--secret", scratch / "class.key")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "judge", judge_without_library)
        make(scratch / "course", *words)
    return scratch / "course-own-numbers"


def copy(folder, number):
    """One student's copy of an exercise."""
    return json.loads((folder / registry.find(number).notebook).read_text(encoding="utf-8"))


def source(made, cell_id):
    """The text of a cell."""
    return next("".join(cell["source"]) for cell in made["cells"] if cell["id"] == cell_id)


def right(made, number):
    """The right answers to a copy, from the numbers that stand in it."""
    names = {}
    exec(source(made, "given"), names)
    exercise = registry.find(number)
    own = with_numbers(exercise, {name: names[name] for name in exercise.own.shapes})
    arrays = {one.name: one.expected(one.cases[0]).tolist() for one in own.properties if isinstance(one, Values)}
    return {**arrays, **RIGHT_LETTERS[number]}


def answered(made, number):
    """A copy with its right answers, as a file."""
    lines = [f"{name} = {value!r}" for name, value in right(made, number).items()]
    (stub,) = (cell for cell in made["cells"] if cell["id"] == "answers")
    stub["source"] = "\n".join(lines)
    return json.dumps(made).encode()


def works(folder):
    """What a student hands in who is right."""
    return {registry.find(number).notebook: answered(copy(folder, number), number) for number in (2, 3)}


@pytest.fixture(scope="module")
def rows(zygote, students, scratch):
    """Who is right, under the names that systems give; who hands in another's work; who is not in the list."""
    given = {
        "Wei Zhang_901_assignsubmission_file_": works(students / FOLDERS[0]),
        "Ada L'Ovelace_902_assignsubmission_file_": works(students / FOLDERS[1]),
        "Ida Wells_17_assignsubmission_file_": works(students / FOLDERS[0]),
        "Nobody_904_assignsubmission_file_": works(students / FOLDERS[0]),
    }
    folder = handed_in(scratch / "class", given)
    settings = Settings((2, 3), SECRET, roster=roster.read(scratch / "roster.csv"))
    return rows_of(folder, scratch / "report", settings)


def test_every_student_has_a_folder(students):
    assert sorted(path.name for path in students.iterdir()) == sorted(FOLDERS)


@pytest.mark.parametrize("name", ["Wei Zhang", "Ada L'Ovelace"])
@pytest.mark.parametrize("number", [2, 3])
def test_right_answers_to_own_numbers_have_all_points(rows, name, number):
    one = exercise_of(rows[name], number)
    assert (one["status"], one["points"]) == ("graded", one["max_points"])


@pytest.mark.parametrize("number", [2, 3])
def test_right_answers_to_anothers_numbers_are_wrong(rows, number):
    found = {one["name"]: one["passed"] for one in exercise_of(rows["Ida Wells"], number)["verdicts"]}
    assert [found[name] for name in ARRAYS[number]] == [False] * len(ARRAYS[number])


@pytest.mark.parametrize("number", [2, 3])
def test_who_is_not_in_the_list_is_not_graded_and_has_not_zero(rows, number):
    one = exercise_of(rows["Nobody"], number)
    assert (one["status"], one["points"]) == ("not graded", None)
    assert "no line of the roster fits Nobody" in one["reason"]


def test_a_copy_with_own_numbers_is_not_graded_as_one_without(zygote, students, tmp_path):
    folder = handed_in(tmp_path / "class", {"Ida": works(students / FOLDERS[2])})
    one = exercise_of(rows_of(folder, tmp_path / "report", Settings((3,), SECRET))["Ida"], 3)
    assert (one["status"], one["points"]) == ("not graded", None)
    assert one["reason"].endswith("give --own-numbers with the list of the release")


@pytest.mark.parametrize("number", [2, 3])
def test_check_of_the_release_takes_the_numbers_of_the_copy(students, scratch, number):
    made = json.loads(answered(copy(students / FOLDERS[1], number), number))
    cells = [source(made, name) for name in ("given", "answers")] + [f"print({source(made, 'check')})"]
    done = python(scratch / "course", scratch / "site", "\n".join(cells))
    assert "8 of 8 points" in done.stdout, done.stderr


@pytest.mark.parametrize("number", [2, 3])
def test_no_copy_holds_what_is_expected(students, number):
    for folder in FOLDERS:
        made = copy(students / folder, number)
        for name in ARRAYS[number]:
            expected = right(made, number)[name]
            wordings = {str(expected), json.dumps(expected), str(np.array(expected).astype(int).tolist())}
            assert not any(words in json.dumps(made) for words in wordings)


@pytest.mark.parametrize("number", [2, 3])
def test_a_copy_says_whose_numbers_it_has_and_the_release_that_there_are_such(students, scratch, number):
    made, released = copy(students / FOLDERS[2], number), copy(scratch / "course/exercises", number)
    assert "these are Ida B. Wells's own" in "".join(made["cells"][0]["source"])
    assert "you have numbers of your own" in "".join(released["cells"][0]["source"])
    assert "In 2 and 3 you have numbers of your own." in (scratch / "course/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [2, 3])
def test_numbers_show_every_mistake_and_are_seldom_those_of_another(number):
    exercise = registry.find(number)
    drawn = [sheets.numbers(exercise, SECRET, (str(student), "")) for student in range(10)]
    assert len({str(one) for one in drawn}) == 10
    assert all(sheets.shows_mistakes(exercise, with_numbers(exercise, one)) for one in drawn)


def test_numbers_that_hide_a_mistake_are_seen_to():
    exercise = registry.find(3)
    hiding = {"window": [[1, 4], [3, 2]], "tied_window": [[5, 5, 5], [0, 1, 2]], "upstream": 5}
    assert not sheets.shows_mistakes(exercise, with_numbers(exercise, hiding))


@pytest.mark.parametrize("number", [2, 3])
def test_another_secret_draws_other_numbers(number):
    exercise, student = registry.find(number), ("4711", "Zhang Wei")
    assert sheets.numbers(exercise, SECRET, student) != sheets.numbers(exercise, SECRET + b"!", student)


@pytest.mark.parametrize(
    ("number", "own", "sentence"),
    [
        (5, {}, "Exercise 5 has no numbers of your own. Leave own=... out."),
        (2, {"x": 1}, "own must hold x, grad_output. Leave the cell"),
        (2, 7, "own must hold x, grad_output."),
        (2, {"x": [[1]], "grad_output": [[1, 2], [3, 4]]}, "x must be numbers of shape (3, 3)."),
        (3, {"window": [[1, 2], [3, "a"]], "tied_window": 1, "upstream": 2}, "window must be numbers of shape (2, 2)."),
    ],
)
def test_numbers_that_make_no_sense_are_told(number, own, sentence):
    (note,) = check(number, own=own).notes
    assert note.startswith(sentence)
