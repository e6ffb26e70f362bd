"""An oral drill: a question, a clock of 60 seconds, a text field, and then the rubric. What is typed is kept."""

import html
import importlib
import re

import anywidget
import traitlets

from course_lib.exercises import record
from course_lib.widgets import prediction
from course_lib.widgets import table as tables
from course_lib.widgets.explorable import HERE, Explorable

SECONDS = 60
SPOKEN = "spoken"
ROOM = "course_lib.interview"
ALONE = "const KINDS = {};", "export default KINDS.oral;"
NOTE = (
    "This edition comes without the interview room: mark your answer with the rubric of this chapter. "
    "What you typed is kept with your progress."
)


def style():
    """The style sheet of an oral drill, without what it shares with predictions."""
    return (HERE / "oral_drill.css").read_text(encoding="utf-8")


def script():
    """The part of a module that draws oral drills: it adds itself to KINDS, which must be there."""
    parts = [(HERE / name).read_text(encoding="utf-8") for name in ("oral_field.js", "oral_drill.js")]
    # A block of its own, so that its names are nobody else's.
    return "\n".join(["{", *parts, "}\n"])


def alone():
    """The module that draws oral drills and nothing else, and its style sheet."""
    return script().join(f"{part}\n" for part in ALONE), prediction.style() + style()


class OralDrill(Explorable):
    """A question that is asked as in an interview; `oral` makes one.

    Attributes
    ----------
    table : dict
        The question's name.
    step : dict
        What is to be shown now. It holds nothing that the candidate should not see yet.
    heard : int
        The number of the last message from the page that was acted on.
    """

    _esm, _css = alone()
    step = traitlets.Dict().tag(sync=True, to_json=lambda step, _: tables.text(step))
    heard = traitlets.Int().tag(sync=True)

    def __init__(self, examiner):
        self._examiner = examiner
        super().__init__(table={"kind": "oral", "name": examiner.name}, step=examiner.step())
        self.on_msg(self._hear)

    def __repr__(self):
        return f"Oral drill {self.table['name']}"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = anywidget.AnyWidget._repr_mimebundle_(self, **kwargs)
        # Where no widget is shown, as on a code host or before a notebook is trusted.
        shown = f"<p><strong>60 seconds, aloud.</strong> {html.escape(self.step['ask'])}</p>"
        return {**data, "text/html": shown}, metadata

    def _hear(self, _, message, buffers):
        """Acts on a message from the page, and only then says that it was heard."""
        step = self._examiner.take(message)
        with self.hold_sync():
            self.step, self.heard = step, int(message["turn"])


def oral(name, question):
    """Asks a question as in an interview: a clock, the rubric, a follow-up, the model answer, the rating.

    Typed words are written down while you type, so that an end of the kernel loses none of them: run the cell again.

    Parameters
    ----------
    name : str
        Its name in the interview room's bank, as "max-route".
    question : str
        The question, for an edition without that room: there the drill ends with the answer.

    Returns
    -------
    OralDrill

    Raises
    ------
    ValueError, TypeError
        If an argument does not fit.

    Examples
    --------
    >>> oral("max-route", "How does the gradient go back through max pooling?")
    Oral drill max-route
    """
    for argument, value in (("name", name), ("question", question)):
        if not isinstance(value, str) or not value.strip():
            raise TypeError(f"{argument} must be text in quotation marks; got {argument}={value!r}.")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(f"name must be small letters, digits and hyphens, as 'max-route'; got name={name!r}.")
    return OralDrill(_examiner(name, question))


def _examiner(name, question):
    """The interview room's examiner, or none."""
    try:
        # By name and late: the room stands above this one, and an edition for students comes without it.
        room = importlib.import_module(f"{ROOM}.oral")
    except ModuleNotFoundError as error:
        if not str(error.name).startswith(ROOM):
            raise
        return Listener(name, question)
    return room.Examiner(room.find(name))


class Listener:
    """Who hears an answer where there is no interview room: it keeps the answer, and that is all."""

    def __init__(self, name, question):
        self.name, self._question, self._note, self._round = name, question, "", 0

    def step(self):
        """What is to be shown now."""
        entry = record.read(SPOKEN)[0].get(self.name, {})
        ended, note = bool(entry.get("ended")), self._note
        step = {"at": "alone" if ended else "answer", "name": self.name, "ask": self._question, "heading": ""}
        step |= {"text": str(entry.get("text", "")), "seconds": float(entry.get("seconds", 0)), "limit": SECONDS}
        return step | {"round": self._round, "note": f"{NOTE} {note}".strip() if ended else note}

    def take(self, message):
        """Acts on a message from the page; the new step."""
        changes = {
            "draft": lambda: {"text": str(message["text"]), "seconds": float(message["seconds"])},
            "answered": lambda: changes["draft"]() | {"ended": True},
            "again": lambda: {"text": "", "seconds": 0.0, "ended": False},
        }
        if message.get("do") in changes:
            self._round += message["do"] == "again"
            change = changes[message["do"]]()
            _, self._note = record.update(self.name, lambda entry: entry | change, SPOKEN)
        return self.step()
