"""The oral drill in a notebook: `start` asks what is due, `Examiner` knows what comes next.

It writes the same journal as ``course drill``, so a question that was broken off in one can be ended in the other.
"""

from datetime import UTC, datetime

from course_lib.interview import journal, schedule
from course_lib.interview.drill import FOLLOW_UP_SECONDS, SECONDS, choose, reading, short_answer, ticked_points
from course_lib.interview.load import questions
from course_lib.interview.matching import said
from course_lib.interview.schedule import RATINGS
from course_lib.workspace import CourseError


def start(name=None):
    """Asks a question in a notebook.

    Parameters
    ----------
    name : str, optional
        Which, as `course drill --list` has it; None for what was broken off or is due, as in ``course drill``.

    Returns
    -------
    OralDrill

    Raises
    ------
    CourseError
        There is no such question.
    """
    from course_lib.widgets.oral_drill import OralDrill

    return OralDrill(Examiner(find(name) if name else None))


def find(name):
    """The question with a name."""
    for question in questions():
        if question.name == name:
            return question
    raise CourseError(f"There is no question {name!r}. course drill --list shows them all.")


def next_question(attempts, now):
    """What was broken off last, else what is due, else what was asked longest ago."""
    known = {question.name: question for question in questions()}
    broken = [attempt.question for attempt in attempts if attempt.open and attempt.question in known]
    waiting = schedule.order(known.values(), attempts, now)
    days = schedule.due(attempts)
    return known[broken[-1]] if broken else waiting[0] if waiting else min(known.values(), key=lambda q: days[q.name])


class Examiner:
    """One question after the other, step by step.

    Parameters
    ----------
    question : Question or None
        None for the next that is due.
    """

    def __init__(self, question=None):
        self._round = 0
        self._ask(question or next_question(journal.read()[0], _now()))

    @property
    def name(self):
        """The question's name."""
        return self._question.name

    def _ask(self, question):
        """Begins a question, or goes on with it where it was broken off."""
        attempts, self._note = journal.read()
        broken = [attempt for attempt in attempts if attempt.open and attempt.question == question.name]
        self._question, self._attempt = question, broken[-1] if broken else journal.begin(question.name)
        self._earlier = [attempt for attempt in attempts if attempt.key != self._attempt.key]
        self._choose()

    def take(self, message):
        """Acts on a message from the page.

        Parameters
        ----------
        message : dict
            What to ``do``, and what that needs. One that does not fit the present step changes nothing: it comes from
            a button that was pressed twice, or from another view.

        Returns
        -------
        dict
            The new step.
        """
        acts = {
            "answer": {"draft": self._draft, "answered": self._answered, "again": self._again},
            "rubric": {"tick": self._tick},
            "follow-up": {"draft": self._follow_up_draft, "followed": self._followed},
            "rating": {"rate": self._rate},
            "done": {"again": self._again, "next": self._next},
        }
        act = acts[self.at()].get(message.get("do"))
        if act:
            act(message)
        return self.step()

    def at(self):
        """The name of the present step."""
        attempt = self._attempt
        passed = attempt.answered, attempt.ticked is not None, attempt.followed, attempt.rating is not None
        return ("answer", "rubric", "follow-up", "rating", "done")[(*passed, False).index(False)]

    def step(self):
        """What is to be shown now: what the attempt has reached, and nothing behind that."""
        at, question, attempt = self.at(), self._question, self._attempt
        shown = {"at": at, "name": question.name, "ask": question.ask, "round": self._round, "note": self._note}
        shown |= {"heading": f"{question.topic} · level {question.level}", "text": "\n".join(attempt.lines),
                  "seconds": attempt.seconds, "limit": SECONDS}  # fmt: skip
        if at != "answer":
            shown["rubric"] = self._rubric()
        if at not in ("answer", "rubric"):
            shown["follow_up"] = self._follow_up(at)
        if at in ("rating", "done"):
            shown |= self._model()
        return shown | (self._result() if at == "done" else {})

    def _rubric(self):
        """The rubric: the points, what was heard of each, and whether it was ticked."""
        heard = said("\n".join(self._attempt.lines), self._question.points)
        ticked = self._attempt.ticked
        return [
            {
                "number": number,
                "grade": point.grade,
                "text": point.text,
                "heard": heard.get(point, ""),
                "ticked": point in heard if ticked is None else number in ticked,
            }
            for number, point in enumerate(self._question.points, 1)
        ]

    def _follow_up(self, at):
        """The follow-up, and its answer once the candidate has had a go."""
        attempt = self._attempt
        short = short_answer(self._question, attempt)
        return {"ask": attempt.follow_up, "text": "\n".join(attempt.follow_up_lines), "limit": FOLLOW_UP_SECONDS,
                "short": "" if at == "follow-up" else short}  # fmt: skip

    def _model(self):
        """What is often heard, the model answer, where to read, and the rating that the ticks suggest."""
        question = self._question
        return {
            "wrong": [[wrong.text, wrong.why] for wrong in question.wrong],
            "model": question.answer,
            "read": reading(question),
            "ratings": [[number, name] for number, name in RATINGS.items()],
            "suggested": schedule.suggested(question, ticked_points(question, self._attempt)),
        }

    def _result(self):
        """The rating, and when the question comes again."""
        when = schedule.due([*self._earlier, self._attempt])[self._question.name]
        again = f"It comes again {schedule.in_words(when, self._attempt.time)}." if schedule.fsrs else schedule.WITHOUT
        return {"rating": RATINGS[self._attempt.rating], "again": again}

    def _write(self, what, **values):
        journal.write(self._attempt, what, _now(), **values)

    def _draft(self, message):
        self._write("text", text=str(message["text"]), seconds=float(message["seconds"]))

    def _answered(self, message):
        if message["text"].strip():
            self._draft(message)
        self._write("answered", seconds=float(message["seconds"]))

    def _tick(self, message):
        chosen = {int(number) for number in message["points"]}
        self._write("ticked", points=[number for number, _ in enumerate(self._question.points, 1) if number in chosen])
        self._choose()

    def _choose(self):
        """The follow-up, by what was missed, if it is time and none was chosen: a kernel may end just before."""
        if self.at() == "follow-up" and self._attempt.follow_up is None:
            asked = {other.follow_up for other in self._earlier if other.question == self.name}
            follow_up = choose(self._question, ticked_points(self._question, self._attempt), asked)
            self._write("follow-up", text=follow_up.ask)

    def _follow_up_draft(self, message):
        self._write("follow-up text", text=str(message["text"]))

    def _followed(self, message):
        if message["text"].strip():
            self._follow_up_draft(message)
        self._write("followed")

    def _rate(self, message):
        if message["rating"] in RATINGS:
            self._write("rated", rating=int(message["rating"]))

    def _again(self, message):
        """The same question from its beginning; what was typed stays in the journal."""
        if self._attempt.open and self._attempt.lines:
            self._write("dropped")
        self._round += 1
        self._ask(self._question)

    def _next(self, message):
        self._round += 1
        self._ask(next_question(journal.read()[0], _now()))


def _now():
    return datetime.now(UTC)
