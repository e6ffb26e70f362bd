"""Numbers of each student's own in exercises 2 and 3: drawn from the class secret, for the release and for grading."""

import json

import numpy as np

from course_lib.classroom import hidden, roster
from course_lib.classroom.student_note import OWN
from course_lib.exercises.misconceptions import CATALOGUE
from course_lib.exercises.own_numbers import with_numbers

TRIES = 1000
OWN_IN_CHECK = "own=dict("
LINE = (
    " **Numbers:** these are {name}'s own, and everyone in the class has others. Put this copy into `work/exercises/`, "
    "in the place of the one there, and hand it in."
)


def convolution(rng):
    """An input whose middle is 5, also of its values, and upstream gradients that sum to 4: as the questions say."""
    others = [*rng.choice(np.arange(-9, 5), 4, replace=False), *rng.choice(np.arange(6, 20), 4, replace=False)]
    x = np.insert(rng.permutation(others), 4, 5).reshape(3, 3)
    three = rng.choice(np.setdiff1d(np.arange(-6, 10), [0, 4]), 3, replace=False)
    return {"x": x.tolist(), "grad_output": np.append(three, 4 - three.sum()).reshape(2, 2).tolist()}


def windows(rng):
    """A window of distinct numbers, one with three that are the largest, and an upstream gradient."""
    largest = int(rng.integers(4, 10))
    lower = rng.choice(np.arange(largest), 3, replace=False)
    return {
        "window": rng.choice(np.arange(1, 10), 4, replace=False).reshape(2, 2).tolist(),
        "tied_window": rng.permutation([*lower, *[largest] * 3]).reshape(2, 3).tolist(),
        "upstream": int(2 * rng.integers(6, 200)),
    }


# How numbers are drawn, and what the notebook says in the place of what it says of its own.
DRAWN = {2: convolution, 3: windows}
SAID = {
    2: {
        "The input has three rows, 1 to 9.": "The input `x` has three rows.",
        "The upstream gradient of each is 1.": "Their upstream gradients are `grad_output`.",
        "times a weight: 1 · 1.": "times a weight.",
    },
    3: {"that output has the upstream gradient 6.": "that output has the gradient `upstream`, in the cell below."},
}


def numbers(exercise, secret, student):
    """A student's own numbers, in which every mistake that the exercise knows can be seen.

    Parameters
    ----------
    exercise : Exercise
    secret : bytes
    student : (str, str)
        The number and the name.

    Returns
    -------
    dict of str to list or int
        By the names in the notebook.
    """
    rng = hidden.generator(secret, exercise.number, f"own numbers of {roster.key(student)}")
    for _ in range(TRIES):
        drawn = DRAWN[exercise.number](rng)
        if shows_mistakes(exercise, with_numbers(exercise, drawn)):
            return drawn
    raise AssertionError(f"no numbers of exercise {exercise.number} show every mistake")


def shows_mistakes(exercise, own):
    """Whether each mistake that the public numbers show is one with a learner's own, too."""
    pairs = [(public, mine) for public, mine in zip(exercise.properties, own.properties, strict=True) if public != mine]
    return all(
        agrees(public, CATALOGUE[name]) or not agrees(mine, CATALOGUE[name])
        for public, mine in pairs
        for name in exercise.misconceptions
        if CATALOGUE[name].operation is public.operation
    )


def agrees(judged, mistake):
    """Whether a mistake gives what is right in the only case of a property."""
    (case,) = judged.cases
    with np.errstate(all="ignore"):
        right, wrong = (np.asarray(judged.part(one.results(case))) for one in (judged.operation, mistake))
    return right.shape == wrong.shape and np.allclose(right, wrong)


def exercise_of(exercise, submission, settings, data):
    """The exercise as a student was given it.

    Parameters
    ----------
    exercise : Exercise
    submission : Submission
    settings : Settings
    data : bytes
        What was handed in.

    Raises
    ------
    NotInRoster
        Also where a copy with own numbers would be taken for one without.
    """
    if exercise.number not in DRAWN:
        return exercise
    if not settings.roster:
        if OWN_IN_CHECK.encode() in data:
            raise roster.NotInRoster("it is a copy with own numbers: give --own-numbers with the list of the release")
        return exercise
    student = roster.of(submission, settings.roster)
    return with_numbers(exercise, numbers(exercise, settings.secret, student))


def notebook(data, exercise, student, own):
    """The notebook of an exercise with a student's own numbers.

    Parameters
    ----------
    data : bytes
        The released notebook.
    exercise : Exercise
    student : (str, str)
    own : dict of str to list or int

    Returns
    -------
    dict
    """
    made = json.loads(data)
    for cell in made["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and cell is made["cells"][0]:
            text = _introduced(text, exercise, student)
        elif cell["id"] == "given":
            text = _given(text, own)
        elif cell["id"] == "check":
            text = _checked(text, exercise, own)
        cell["source"] = text.splitlines(keepends=True)
    return made


def _introduced(text, exercise, student):
    """The task, with what is said of the numbers, and under the title whose they are."""
    for public, mine in SAID[exercise.number].items():
        text = _replaced(text, public, mine)
    return _replaced(text, OWN, LINE.format(name=spoken(student[1])))


def spoken(name):
    """A name as one says it.

    Examples
    --------
    >>> spoken("Zhang, Wei")
    'Wei Zhang'
    """
    last, comma, first = name.partition(",")
    return " ".join(f"{first} {last}".split()) if comma else " ".join(name.split())


def _given(text, own):
    """The cell with the numbers."""
    lines = text.splitlines()
    for name, value in own.items():
        (line,) = (one for one in lines if one.startswith(f"{name} = "))
        new = f"np.array({json.dumps(value)}, float)" if isinstance(value, list) else f"{float(value)}"
        lines[lines.index(line)] = f"{name} = {new}"
    return "\n".join(lines)


def _checked(text, exercise, own):
    """The check, which is told the numbers."""
    names = ", ".join(f"{name}={name}" for name in own)
    return _replaced(text, f"    {exercise.number},\n", f"    {exercise.number},\n    {OWN_IN_CHECK}{names}),\n")


def _replaced(text, old, new):
    """A text in which something stands once, with something else in its place."""
    if text.count(old) != 1:
        raise AssertionError(f"{old!r} stands {text.count(old)} times in the notebook")
    return text.replace(old, new)
