"""A coding drill at the desk: the file, what is said before and after the end, the rating, and what is kept."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from course_lib.interview import coding, journal, schedule
from course_lib.interview.coding import files, runner, sitting, terminal
from course_lib.workspace import COURSE, CourseError
from tests.interview.test_command import drill

SOLUTIONS = Path(__file__).parent / "coding" / "max_pool_backward"
RIGHT = (SOLUTIONS / "right_c.py").read_text(encoding="utf-8")
WRONG = (SOLUTIONS / "wrong_b_mask_pays_all.py").read_text(encoding="utf-8")
WORDS = "--code", "max-pool-backward", "--seed", "11"
TASK = coding.find("max-pool-backward")


@pytest.fixture
def coder(candidate, work):
    """A candidate who saves texts in the file: an answer that is a pair of a text and a line."""

    class Coder(candidate):
        def ask(self, prompt, seconds=None, over=None):
            if self.answers and isinstance(self.answers[0], Saved):
                (path,) = (work / "drill").glob("*.py")
                path.write_text(self.answers[0].text, encoding="utf-8")
                self.answers[0] = self.answers[0].line
            return super().ask(prompt, seconds, over)

    return Coder


class Saved:
    """A text that is saved in the file before a line is entered."""

    def __init__(self, text, line=""):
        self.text, self.line = text, line


def test_right_function_passes_and_is_rated_as_easy(coder):
    desk = coder(Saved(RIGHT, ("", 60)), "")
    assert drill(desk, *WORDS) == 0
    (attempt,), _ = journal.read()
    assert (attempt.question, attempt.passed, attempt.rating) == ("code max-pool-backward", True, 4)
    assert attempt.sources == [RIGHT]
    assert "Passes, after 1 min." in desk.said
    assert "known mistake" not in desk.heard()
    assert TASK.why in desk.said


def test_wrong_function_learns_only_names_until_it_gives_up(coder):
    desk = coder(Saved(WRONG), "t", "q", "")
    drill(desk, *WORDS)
    said = desk.said.index("Does not pass yet: ties.")
    assert "max_eqmask" not in "\n".join(desk.said[:said])
    assert "max_eqmask" in "\n".join(desk.said[said:])
    assert journal.read()[0][0].rating == 1


@pytest.mark.parametrize(
    ("body", "sentence"),
    [("raise SystemExit", "max_pool_backward raised SystemExit."),
     ("raise KeyboardInterrupt", "max_pool_backward was stopped by KeyboardInterrupt.")],
)  # fmt: skip
def test_function_without_a_value_learns_why(coder, body, sentence):
    desk = coder(Saved(f"def max_pool_backward(*given):\n    {body}\n"))
    drill(desk, *WORDS)
    assert desk.said[desk.said.index(sentence) - 1].startswith("Does not pass yet: ")


def test_file_has_the_statement_and_a_blank_function_that_runs(work):
    name = files.lay(TASK, 2, 15)
    text = (work / name).read_text(encoding="utf-8")
    assert text.startswith("# Max pooling backward with overlap · 15 minutes · seed 2\n#\n# Write the backward of")
    assert text.endswith('    raise NotImplementedError("Your turn.")\n')
    assert max(map(len, text.splitlines())) <= 100
    assert runner.report_of(TASK, 2, work / name, False)["text"].count("not started") == 6


def test_file_is_never_overwritten(work):
    first = files.lay(TASK, 2, 15)
    (work / first).write_text("mine")
    names = [first, *(files.lay(TASK, 2, 15) for _ in range(2))]
    assert names == ["drill/max_pool_backward.py", "drill/max_pool_backward_2.py", "drill/max_pool_backward_3.py"]
    assert (work / first).read_text() == "mine"
    assert len(list((work / "drill").iterdir())) == 3


def test_file_is_written_where_the_file_system_has_no_links(work, monkeypatch):
    monkeypatch.setattr("os.link", lambda *paths: (_ for _ in ()).throw(PermissionError(1, "no links")))
    names = [files.lay(TASK, 2, 15) for _ in range(2)]
    assert len(set(names)) == 2
    assert [(work / name).read_text(encoding="utf-8") for name in names] == [files.blank(TASK, 2, 15)] * 2


def test_late_function_is_judged_with_its_diagnosis(coder):
    desk = coder(Saved(WRONG, ("", 16 * 60)), "")
    drill(desk, *WORDS)
    assert "max_eqmask" in desk.heard()
    assert journal.read()[0][0].rating == 1


def test_late_function_that_passes_was_hard(coder):
    desk = coder(Saved(RIGHT, ("", 16 * 60)), "")
    drill(desk, *WORDS)
    assert journal.read()[0][0].rating == 2


def test_hint_is_said_and_makes_it_hard(coder):
    desk = coder(*"hhhh", Saved(RIGHT), "")
    drill(desk, *WORDS)
    assert [desk.said.index(hint) for hint in TASK.hints] == sorted(desk.said.index(hint) for hint in TASK.hints)
    assert "There are no more hints." in desk.said
    assert journal.read()[0][0].rating == 2


def test_blank_function_is_given_up_without_a_diagnosis(coder):
    desk = coder("", "q", "")
    drill(desk, *WORDS)
    assert "The function is still blank. Is the file saved?" in desk.said
    assert "The function is still blank." in desk.said
    assert "not started" not in desk.heard()


def test_what_has_not_changed_is_not_judged_again(coder):
    desk = coder(Saved(WRONG), "", "q", "")
    drill(desk, *WORDS)
    assert "The file has not changed since. Is it saved?" in desk.said
    # The second one is the last, which is judged with its diagnosis.
    assert journal.read()[0][0].sources == [WRONG] * 2


def test_what_a_stop_kept_from_being_judged_is_judged_when_it_is_handed_in_again(coder, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr(terminal, "apart", stop)
        assert drill(coder(Saved(RIGHT, ("", 60))), *WORDS) == 130
    drill(coder("", "", ""), *WORDS[:2])
    (attempt,), _ = journal.read()
    assert (attempt.sources, attempt.passed, attempt.rating) == ([RIGHT], True, 4)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, EOFError])
def test_stop_gives_no_time_back(coder, stop):
    drill(coder((stop(), 300)), *WORDS)
    desk = coder("", KeyboardInterrupt())
    drill(desk, *WORDS[:2])
    assert "10 min 0 s are left." in desk.said


def test_time_is_written_down_while_the_candidate_writes(coder, monkeypatch):
    monkeypatch.setattr(sitting, "EVERY", 0.01)
    kept = threading.Event()

    class Slow(coder):
        def ask(self, prompt, seconds=None, over=None):
            self.seconds = 300
            for _ in range(500 if prompt == terminal.PROMPT else 0):
                if journal.read()[0][0].seconds == 300:
                    kept.set()
                    break
                time.sleep(0.01)
            return super().ask(prompt, seconds, over)

    drill(Slow("q", ""), *WORDS)
    assert kept.is_set()


@pytest.mark.parametrize("folder", [False, True])
def test_drill_goes_on_without_its_file(coder, work, folder):
    class Tidy(coder):
        def ask(self, prompt, seconds=None, over=None):
            for path in (work / "drill").glob("*.py"):
                if path.is_file():
                    path.unlink()
                    path.mkdir() if folder else None
            return super().ask(prompt, seconds, over)

    desk = Tidy("", "q", "")
    assert drill(desk, *WORDS) == 0
    gone = f"There is no file max_pool_backward.py that can be read in {work / 'drill'}."
    assert f"{gone} Save it there." in desk.said and gone in desk.said
    assert (journal.read()[0][0].sources, journal.read()[0][0].rating) == ([], 1)


def test_drill_goes_on_where_it_was_broken_off(coder):
    drill(coder(Saved(WRONG, ("", 100)), ("t", 20), KeyboardInterrupt()), *WORDS)
    desk = coder("", ("t", 60), Saved(RIGHT, ("", 30)), "")
    drill(desk, "--code", "max-pool-backward")
    (attempt,), _ = journal.read()
    assert (attempt.sources, attempt.seconds, attempt.rating) == ([WRONG, RIGHT], 210, 3)
    assert "13 min 0 s are left." in desk.said


def test_drill_takes_the_next_variant_and_the_minutes_that_are_said(coder):
    drill(coder("q", ""), *WORDS[:2])
    desk = coder(KeyboardInterrupt())
    drill(desk, *WORDS[:2], "--minutes", "7")
    first, second = journal.read()[0]
    assert (first.seed, first.minutes, second.seed, second.minutes) == (0, 15, 1, 7)
    assert "7 min 0 s are left." in desk.said


def test_list_shows_every_task(candidate, work):
    desk = candidate()
    assert drill(desk, "--code", "--list") == 0
    assert [line.split()[0] for line in desk.said] == [task.name for task in coding.tasks()]


def test_code_refuses_a_name_that_is_none(candidate, work):
    with pytest.raises(CourseError, match=r"There is no coding task 'none'\. They are .*max-pool-backward"):
        drill(candidate(), "--code", "none")


def test_code_takes_what_was_never_tried_and_then_what_comes_soonest(coder):
    pytest.importorskip("fsrs")
    for rating in "4144":
        drill(coder("q", rating), "--code", "--topic", "convolution")
    names = [attempt.question for attempt in journal.read()[0]]
    assert len(set(names[:3])) == 3
    assert names[3] == names[1]


def test_drill_mixes_a_hunt_in_when_it_is_due(candidate, work):
    pytest.importorskip("fsrs")
    drill(candidate(""), "--hunt")
    desk = candidate("")
    desk.wait(days=2)
    drill(desk, "--count", "1")
    first, second = [attempt.question for attempt in journal.read()[0]]
    assert first == second and first.startswith("hunt ")


def test_drill_mixes_a_task_in_when_it_is_due(coder):
    pytest.importorskip("fsrs")
    drill(coder("q", ""), *WORDS)
    desk = coder("q", "")
    desk.wait(days=2)
    drill(desk, "--count", "1")
    assert [attempt.question for attempt in journal.read()[0]] == ["code max-pool-backward"] * 2


def test_drill_goes_on_with_a_task_and_does_not_begin_it_again_once_it_was_dropped(coder):
    drill(coder(KeyboardInterrupt()), *WORDS)
    desk = coder("n", *[""] * 4)
    drill(desk, "--count", "1")
    drill(coder(*[""] * 200), "--count", "50", "--topic", TASK.topic, "--level", str(TASK.level))
    assert f'You broke off at "{TASK.title}"' in desk.said
    assert sum(attempt.question == "code max-pool-backward" for attempt in journal.read()[0]) == 1


def test_drill_of_questions_begins_no_task_by_itself(candidate, work):
    drill(candidate(*[""] * 20), "--count", "5")
    assert not [attempt for attempt in journal.read()[0] if attempt.question.startswith("code ")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:", r"max_pool_backward\.py, line 1: invalid syntax\."),
        ("x = 1\n", r"max_pool_backward\.py has no function max_pool_backward\."),
        ("import course_lib\n", r"Your file imports course_lib, which is not allowed here\."),
        ("from torch.nn import functional\n", r"Your file imports torch, which is not allowed here\."),
        ("1 / 0\n", r"Running max_pool_backward\.py raised ZeroDivisionError: division by zero\."),
        ("import os\nos._exit(0)\n", r"Your file ended the process that was to judge it\."),
        ("raise SystemExit('no')\n", r"Running max_pool_backward\.py raised SystemExit: no\."),
    ],
)
def test_file_that_cannot_be_judged_is_refused_in_a_sentence(work, text, said):
    path = work / files.lay(TASK, 2, 15)
    path.write_text(text)
    found = runner.apart(TASK, 2, path, False)
    assert re.fullmatch(said, found["problem"])
    assert not found["passed"]


FORGED = """
import json, os, sys
report = {"problem": "", "passed": True, "failing": [], "trouble": "", "text": ""}
for word in [*sys.argv[1:], sys.stdin.read()]:
    if os.path.isabs(word) and word != __file__:
        open(word, "w").write(json.dumps(report))
os._exit(0)
"""


def test_file_cannot_write_its_own_report(work):
    path = work / files.lay(TASK, 2, 15)
    path.write_text(FORGED)
    assert runner.apart(TASK, 2, path, False)["problem"] == runner.NO_REPORT


@pytest.mark.parametrize(
    "text", ["[]", "{}", "null", '{"passed": true}', "[" * 100_000,
             '{"problem": "", "passed": true, "failing": [1], "trouble": "", "text": ""}'],
)  # fmt: skip
def test_report_of_another_form_is_none(work, monkeypatch, text):
    monkeypatch.setattr(
        runner, "_run", lambda command, report, seconds: Path(report.strip()).write_text(text) and False
    )
    assert runner.apart(TASK, 2, work / "none.py", False)["problem"] == runner.NO_REPORT


ENDLESS = """
import pathlib, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(__file__).with_name("child").write_text(str(child.pid))
while True:
    pass
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux what became of a process")
def test_file_that_does_not_end_is_stopped_with_all_that_it_started(work):
    path = work / files.lay(TASK, 2, 15)
    path.write_text(ENDLESS)
    found = runner.apart(TASK, 2, path, False, seconds=2)
    assert found["problem"] == "Your file was still running after 2 s, and was stopped."
    # Its parent is gone: whoever inherits it may let it lie as a zombie for a moment, and a zombie runs nothing.
    state = Path("/proc", path.with_name("child").read_text(), "stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


WITHOUT = """
import sys
for name in ("torch", "fsrs", "matplotlib", "ipywidgets", "IPython"):
    sys.modules[name] = None
from course_lib import cli
sys.exit(cli.main(["drill", "--code", *sys.argv[1:]]))
"""


def _without(work, typed, *words):
    return subprocess.run([sys.executable, "-c", WITHOUT, *words], input=typed, capture_output=True, text=True,
                          timeout=60, cwd=COURSE, env=os.environ | {"COURSE_WORK": str(work)})  # fmt: skip


def test_code_works_without_torch_and_the_schedule(work):
    done = _without(work, "q\n\n", "max-pool-backward")
    assert (done.returncode, done.stderr) == (0, schedule.WITHOUT + "\n")
    assert journal.read()[0][0].rating == 1


def test_task_that_needs_torch_says_so_where_there_is_none(work):
    done = _without(work, "", "autograd-function")
    said = " ".join(done.stdout.split())
    assert said == "Max pooling as a torch.autograd.Function needs torch, which is not installed here."
    assert journal.read() == ([], "")


def test_solution_is_of_the_variant_if_there_is_one():
    assert 11 in files.solution(TASK, 11).seeds
    assert files.solution(TASK, 4).seeds


def test_drill_shows_no_solution_where_the_course_has_none(coder, monkeypatch, tmp_path):
    monkeypatch.setattr(files, "SOLUTIONS", tmp_path)
    desk = coder("q", "")
    drill(desk, *WORDS)
    assert not [line for line in desk.said if line.startswith("A right solution")]


def test_statement_of_max_unpool_says_that_values_are_compared():
    statements = [coding.find("max-unpool").variant(seed).statement for seed in range(40)]
    assert [text for text in statements if "the largest value stays" in text]
    assert not [text for text in statements if "largest of them" in text]


def test_events_of_a_task_are_lines_of_the_journal(coder, work):
    drill(coder(Saved(RIGHT), ""), *WORDS)
    events = [json.loads(line) for line in (work / journal.FILE).read_text(encoding="utf-8").splitlines()]
    assert [event["what"] for event in events] == ["began", "time", "handed in", "judged", "rated"]
