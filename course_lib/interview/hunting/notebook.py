"""A hunt in a notebook: each move is a call, whose arrays and lines go to the journal."""

from datetime import UTC, datetime

from course_lib.exercises.display import OPEN, PASSED, WRONG, Page, Shown, text
from course_lib.interview import journal
from course_lib.interview.hunting.game import EXPOSED, Game, array
from course_lib.interview.hunting.planted import hunts
from course_lib.interview.hunting.terminal import PREFIX, planted
from course_lib.workspace import CourseError


def start(name=None, seed=None):
    """Begins a hunt, or goes on with one that was broken off: with the same variant.

    Parameters
    ----------
    name : str, optional
        Which; None for the one that was broken off, or that was played least often.
    seed : int, optional
        Which variant; None means another one each time.

    Returns
    -------
    Hunter

    Raises
    ------
    CourseError
        There is no such hunt.
    """
    attempts, known = journal.read()[0], {PREFIX + hunt.name: hunt for hunt in hunts()}
    chosen = [key for key in known if name is None or key == PREFIX + name]
    if not chosen:
        raise CourseError(f"There is no hunt {name!r}. They are {', '.join(hunt.name for hunt in hunts())}.")
    broken = [one for one in attempts if one.open and one.question in chosen and seed in (None, one.seed)]
    played = [attempt.question for attempt in attempts]
    attempt = broken[-1] if broken else journal.begin(min(chosen, key=played.count))
    chosen = planted(known[attempt.question], attempt, datetime.now(UTC), seed)
    return Hunter(Game(chosen, attempt.size, attempt.named), attempt)


class Hunter:
    """A hunt that was begun: `expose`, then `name`, then `mend`; or `give_up`.

    It shows the code and what comes next.
    """

    def __init__(self, game, attempt):
        self._game, self._attempt = game, attempt

    def __repr__(self):
        return "\n".join([*self._game.opening(), *self._game.numbered(), "", *self._game.reached(), *self._next()])

    def _repr_html_(self):
        block, sentences = (
            ("The backward", "\n".join(self._game.numbered())),
            [*self._game.opening(), *self._game.reached()],
        )
        return self._said([*sentences, *self._next()], block=block)._repr_html_()

    def expose(self, *arrays, grad_output=None, **geometry):
        """Tries an input.

        Parameters
        ----------
        arrays : array_like
            With four axes: the input, and where there is one, the weight.
        grad_output : array_like, optional
            None means powers of two.
        geometry : int
            `kernel_size`, `stride`, `padding`, `groups`: those that the backward takes.

        Returns
        -------
        Said
        """
        operation = self._game.planted.operation
        self._write(f"expose {arrays!r} {grad_output!r} {geometry!r}")
        if self._attempt.rating:
            return self._said(self._next())
        if len(arrays) != len(operation.arrays) or set(geometry) != set(operation.geometry):
            return self._said([self._how()])
        try:
            named = {name: array(value) for name, value in zip(operation.arrays, arrays, strict=True)}
            case = self._game.case(named, geometry, None if grad_output is None else array(grad_output))
            said = self._game.expose(case)
            if self._game.size != self._attempt.size:
                self._write_event("exposed", size=self._game.size)
        except (ValueError, TypeError) as error:
            return self._said([str(error)])
        exposed = said[0] == EXPOSED
        return self._said([*said, *(self._next() if exposed else [])], PASSED if exposed else WRONG)

    def name(self, number):
        """Names the misconception by its number; only the first try counts."""
        self._write(f"name {number!r}")
        if self._game.size is None or self._game.named is not None or self._attempt.rating:
            return self._said(self._next())
        if number not in range(1, len(self._game.planted.choices) + 1):
            return self._said(self._next())
        said = self._game.name(number)
        self._write_event("named", right=self._game.named)
        return self._said([*said, *self._next()], PASSED if self._game.named else WRONG)

    def mend(self, line, text):
        """Puts a text in the place of a line, counted from 1. Its indent may be left out."""
        self._write(f"mend {line!r} {text!r}")
        planted = self._game.planted
        if self._game.named is None or self._attempt.rating or line not in range(1, len(planted.lines) + 1):
            return self._said(self._next())
        if not isinstance(text, str):
            return self._said(["What should stand there is a text, in quotation marks."])
        said = self._game.mend(int(line), text)
        return self._end(said, PASSED) if self._game.mended else self._said(said, WRONG)

    def give_up(self):
        """Ends the hunt, and shows what was wrong."""
        return self._end([], OPEN) if not self._attempt.rating else self._said(self._next())

    def _next(self):
        """What the hunter may do now."""
        game = self._game
        if self._attempt.rating:
            return ["This hunt is over. Begin another one: hunt.start()"]
        if game.size is None:
            return [f"Find the smallest input that exposes it: {self._how()}"]
        if game.named is None:
            return ["Name it: .name(number)", *game.options()]
        return ['Mend it: .mend(line, "what should stand there")']

    def _how(self):
        """How `expose` is called."""
        operation = self._game.planted.operation
        numbers = ", ".join(f"{name}=…" for name in operation.geometry)
        return f".expose({', '.join(operation.arrays)}, {numbers}), arrays with four axes; grad_output=… if you like"

    def _end(self, said, mark):
        """The end: what was wrong, and the rating."""
        self._write_event("rated", rating=self._game.rating())
        title, line, why = self._game.ending()
        return self._said([*said, why, *self._game.smallest()], mark, (title.removesuffix(":"), line))

    def _said(self, sentences, mark=OPEN, block=()):
        """Sentences under the title of the hunt."""
        return Said(self._game.planted.operation.title, sentences, mark, block)

    def _write(self, text):
        self._write_event("line", text=text, seconds=0)

    def _write_event(self, what, **values):
        journal.write(self._attempt, what, datetime.now(UTC), **values)


class Said(Shown):
    """Sentences with a mark, and a block of text kept as it is: a card in a notebook, or lines."""

    def __init__(self, title, sentences, mark=OPEN, block=()):
        self._page = Page(f"Bug hunt · {title}", "", mark, (), tuple(sentences), block)

    def page(self):
        """The page."""
        return self._page

    def __repr__(self):
        return text(self._page).partition("\n")[2]

    def _repr_html_(self):
        # A broken line of code would look like two: long ones scroll.
        return super()._repr_html_().replace("white-space:pre-wrap", "white-space:pre;overflow-x:auto")
