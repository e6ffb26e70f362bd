"""``course anki``: the bank as a package for Anki, one card a question."""

import os
import tempfile
from html import escape
from pathlib import Path

from course_lib.interview.load import questions
from course_lib.interview.question import GRADES
from course_lib.workspace import CourseError

WITHOUT = "course anki needs the genanki package: python -m pip install genanki"
# Numbers that tell Anki that a later package holds the same deck and cards, so that reviews are kept.
DECK, MODEL = 1_746_203_581, 1_391_840_277
FIELDS = ("Question", "Topic", "Rubric", "Answer", "Follow-ups", "Often heard", "Read")
FRONT = "<p class=topic>{{Topic}}</p><p>{{Question}}</p><p class=topic>60 seconds, aloud.</p>"
BACK = """{{FrontSide}}<hr id=answer>{{Rubric}}<h3>A model answer</h3><p>{{Answer}}</p>
<h3>What comes next</h3>{{Follow-ups}}<h3>Often heard</h3>{{Often heard}}<p class=topic>{{Read}}</p>"""
STYLE = """.card { font-family: sans-serif; font-size: 18px; max-width: 42em; margin: auto }
.topic { opacity: .65 }
img { max-width: 100%; height: auto }"""


def add_arguments(parser):
    """The options of ``course anki``."""
    parser.add_argument("--to", required=True, metavar="FILE", help="the package to write; its name ends in .apkg")
    parser.add_argument("--force", action="store_true", help="replace a package that is there")


def run(options):
    """Writes the package and says how to get it into Anki."""
    path = Path(options.to).expanduser()
    if path.suffix != ".apkg":
        raise CourseError(f"The name of an Anki package ends in .apkg; got {path.name}.")
    if path.exists() and not options.force:
        raise CourseError(f"{path} exists. Nothing was written: name another file, or add --force.")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part-{os.getpid()}-{path.name}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = package(Path(folder))
            made.write_to_file(str(part))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    print(f"{len(questions())} cards with {len(made.media_files)} figures are in {path}. In Anki: File, Import.")
    return 0


def package(folder):
    """The package, not yet written; the figures of its cards are in the folder."""
    try:
        import genanki
    except ImportError:
        raise CourseError(WITHOUT + ".") from None
    templates = [{"name": "Oral", "qfmt": FRONT, "afmt": BACK}]
    model = genanki.Model(MODEL, "Oral question", [{"name": name} for name in FIELDS], templates, css=STYLE)
    deck = genanki.Deck(DECK, "Where Does the Gradient Go?")
    for question in questions():
        tags = [question.topic.lower().replace(" ", "-"), f"level-{question.level}"]
        note = genanki.Note(
            model,
            fields(question, shown(question, folder)),
            tags=tags,
            guid=genanki.guid_for("gradient", question.name),
        )
        deck.add_note(note)
    return genanki.Package(deck, media_files=sorted(map(str, folder.glob("*.png"))))


def shown(question, folder):
    """The figure of a question, written into the folder, as HTML; "" without one."""
    from course_lib.figures.style import PAGE_DOTS_PER_INCH
    from course_lib.interview.pictures import file_name, picture

    figure, name = picture(question.name), file_name(question.name)
    if figure is None:
        return ""
    if not (folder / name).exists():
        # On paper of its own: Anki's night mode would lie behind black letters.
        figure.save(folder / name, background="white")
    width = round(figure.inches()[0] * PAGE_DOTS_PER_INCH)
    text = "; ".join(line.strip() for line in figure.text.splitlines() if line.strip())
    return f'<br><img src="{name}" width="{width}" alt="{escape(text)}">'


def fields(question, figure=""):
    """The fields of a card, as HTML."""
    rubric = "".join(f"<h3>{grade}</h3>{_list(p.text for p in question.graded(grade))}" for grade in GRADES)
    follow_ups = _list(f"{follow.ask} {follow.answer}" for follow in question.follow_ups)
    wrong = _list(f'"{wrong.text}" {wrong.why}' for wrong in question.wrong)
    exercise = f", exercise {question.exercise}" if question.exercise else ""
    read = [f"Chapter {question.chapter}{exercise}", question.source, *question.holds_for()]
    topic = f"{question.topic} · level {question.level}"
    plain = (escape(text, quote=False) for text in (question.ask, topic, question.answer))
    ask, topic, answer = plain
    return [ask, topic, rubric, answer + figure, follow_ups, wrong, escape(" · ".join(read), quote=False)]


def _list(texts):
    """Texts as a list."""
    return "<ul>" + "".join(f"<li>{escape(text, quote=False)}</li>" for text in texts) + "</ul>"
