"""A hunt in the terminal: every line that is typed goes to the journal."""

import re

import numpy as np

from course_lib.interview import journal
from course_lib.interview.hunting.game import Game, bounded

PREFIX = "hunt "
HOW = "Rows with ; between, channels with |, samples with ||: 1 2; 3 4 | 5 6; 7 8"


def planted(hunt, attempt, now, seed=None):
    """The variant of an attempt: that with which it began, or a new one.

    Parameters
    ----------
    hunt : Hunt
    attempt : Attempt
    now : datetime
    seed : int, optional
        None means how often the hunt was begun before: each time another variant.

    Returns
    -------
    Planted
    """
    if attempt.seed is None:
        begun = sum(other.question == attempt.question for other in journal.read()[0])
        journal.write(attempt, "began", now, seed=begun if seed is None else seed, minutes=0, file="")
    return hunt.variant(attempt.seed)


def play(desk, hunt, attempt=None, seed=None):
    """One hunt, from the code to the mended line.

    Parameters
    ----------
    desk : Desk
    hunt : Hunt
    attempt : Attempt, optional
        None means a new one.
    seed : int, optional
        Which variant; None means another one each time.
    """
    attempt = attempt or journal.begin(PREFIX + hunt.name)
    game = Game(planted(hunt, attempt, desk.now(), seed), attempt.size, attempt.named)
    for sentence in game.opening():
        desk.say(sentence)
    for line in game.numbered():
        desk.show(line)
    for line in attempt.lines:
        desk.say(f"  > {line}")
    for sentence in game.reached():
        desk.say(sentence)
    if _expose(desk, game, attempt) and _name(desk, game, attempt):
        _mend(desk, game, attempt)
    title, line, why = game.ending()
    desk.say(title)
    desk.show(line)
    for sentence in (why, *game.smallest()):
        desk.say(sentence)
    journal.write(attempt, "rated", desk.now(), rating=game.rating())


def parse(text):
    """An array of four axes from typed rows.

    Raises
    ------
    ValueError
        It is no such array; the message says why.
    """
    samples = [[[row.split() for row in plane.split(";")] for plane in sample.split("|")] for sample in
               re.split(r"\|\|", text)]  # fmt: skip
    try:
        array = np.array(samples, float)
    except ValueError:
        raise ValueError(f"That is no array of numbers. {HOW}.") from None
    if array.ndim != 4 or not array.size:
        raise ValueError(f"All rows must have the same length. {HOW}.")
    return bounded(array)


def _typed(desk, attempt, prompt):
    """A line, which is written down."""
    try:
        line = desk.ask(prompt)
    except (KeyboardInterrupt, EOFError):
        if desk.unfinished().strip():
            journal.write(attempt, "line", desk.now(), text=desk.unfinished(), seconds=0)
        raise
    journal.write(attempt, "line", desk.now(), text=line, seconds=0)
    return line


def _expose(desk, game, attempt):
    """Asks for inputs until one exposes the fault, unless one has; False after an empty line."""
    if game.size is not None:
        return True
    first = game.planted.operation.arrays[0]
    desk.say(f"Find the smallest input that exposes it; an empty line gives up. {HOW}")
    while game.size is None:
        line = _typed(desk, attempt, f"{first}: ")
        if not line.strip():
            return False
        try:
            said = game.expose(_case(desk, game, attempt, line))
        except (ValueError, TypeError) as error:
            said = [str(error)]
        for sentence in said:
            desk.say(sentence)
    journal.write(attempt, "exposed", desk.now(), size=game.size)
    return True


def _case(desk, game, attempt, line):
    """The arguments of a call. An empty upstream gradient means powers of two."""
    operation = game.planted.operation
    first, *others = operation.arrays
    arrays = {first: parse(line), **{name: parse(_typed(desk, attempt, f"{name}: ")) for name in others}}
    numbers = _typed(desk, attempt, f"{', '.join(operation.geometry)}: ").replace(",", " ").split()
    if len(numbers) != len(operation.geometry) or not all(number.isdecimal() for number in numbers):
        count = {2: "Two", 3: "Three"}[len(operation.geometry)]
        raise ValueError(f"{count} whole numbers, please, as {' '.join('210'[: len(operation.geometry)])}.")
    geometry = dict(zip(operation.geometry, map(int, numbers), strict=True))
    shape = game.shape(arrays, geometry)
    text = _typed(desk, attempt, f"upstream gradient of shape {shape} (Enter for powers of two): ")
    return game.case(arrays, geometry, parse(text) if text.strip() else None)


def _number(desk, attempt, prompt, most):
    """A number from 1 on, or None after an empty line."""
    while True:
        text = _typed(desk, attempt, prompt).strip()
        if not text:
            return None
        if text.isdecimal() and 1 <= int(text) <= most:
            return int(text)
        desk.say(f"A number from 1 to {most}, please.")


def _name(desk, game, attempt):
    """Asks which misconception it is, unless it was named; False after an empty line."""
    if game.named is not None:
        return True
    desk.say("Name it. Which is it?")
    for option in game.options():
        desk.say(option)
    number = _number(desk, attempt, "Its number, or Enter to give up: ", len(game.planted.choices))
    if number is None:
        return False
    said = game.name(number)
    journal.write(attempt, "named", desk.now(), right=game.named)
    for sentence in said:
        desk.say(sentence)
    return True


def _mend(desk, game, attempt):
    """Asks for a number and a new line until the code is right; ends after an empty line."""
    while not game.mended:
        number = _number(
            desk, attempt, "Which line is wrong? Its number, or Enter to give up: ", len(game.planted.lines)
        )
        if number is None:
            return
        for sentence in game.mend(number, _typed(desk, attempt, "What should stand there? ")):
            desk.say(sentence)
