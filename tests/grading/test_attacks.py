"""Submissions that want points without work, or the end of the batch: none gains anything."""

import socket
import threading

import pytest

from course_lib.classroom import pages
from tests.grading.classes import ATTACKS, adapted, exercise_of, handed_in, rows_of, settings, solution
from tests.grading.more_attacks import ATTACKS as MORE

CORPUS = sorted(ATTACKS.glob("*.txt"))
HONEST = [path.name for path in CORPUS if path.name.startswith("00") or path.name[:3] in ("47_", "48_")]
HOSTILE = [path.name for path in CORPUS if path.name not in HONEST]
PORT = 18765


@pytest.fixture(scope="module")
def listener():
    """What listens where one of the corpus wants to send what it has seen."""
    heard = []
    with socket.create_server(("127.0.0.1", PORT)) as server:

        def listen():
            try:
                while True:
                    server.accept()[0].close()
                    heard.append("a connection")
            except OSError:
                pass

        thread = threading.Thread(target=listen)
        thread.start()
        yield heard
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.fixture(scope="module")
def rows(zygote, listener, tmp_path_factory):
    """All of them in one batch, and one honest student at its end."""
    folder = tmp_path_factory.mktemp("attacks")
    works = {path.name: dict([adapted(path)]) for path in CORPUS}
    works |= {name: {"11_work.py": source.encode("utf-8", "surrogatepass")} for name, source in MORE.items()}
    works["zzz the last one"] = {"11_work.ipynb": solution(11)}
    return rows_of(handed_in(folder, works), folder.parent / "report", settings(11), jobs=2)


@pytest.mark.parametrize("name", [*HOSTILE, *MORE])
def test_an_attack_gains_nothing(rows, name):
    assert exercise_of(rows[name], 11)["points"] == 0


@pytest.mark.parametrize("name", [*HOSTILE, *MORE])
def test_an_attack_is_judged_and_is_no_failure_of_the_grader(rows, name):
    assert exercise_of(rows[name], 11)["status"] in ("graded", "unreadable")


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_one_of_the_corpus_is_paid(rows, name):
    # They know nothing of padding and rectangles, and some pay every tied element.
    assert exercise_of(rows[name], 11)["points"] >= 14


def test_the_last_one_is_graded_as_if_it_were_alone(rows):
    one = exercise_of(rows["zzz the last one"], 11)
    assert (one["points"], one["max_points"]) == (24, 24)


def test_nothing_reaches_the_network(rows, listener):
    assert listener == []


@pytest.mark.parametrize("name", ["08_print_fake_score.py.txt", "forged message: right by claim"])
def test_a_forged_message_is_told_to_the_teacher(rows, name):
    assert "sent something that is no answer" in exercise_of(rows[name], 11)["flags"]


@pytest.mark.parametrize("name", ["11_torch_autograd.py.txt", "12_torch_alias.py.txt", "61_star_import.py.txt"])
def test_forbidden_help_is_named(rows, name):
    assert any("torch, which is not there" in flag for flag in exercise_of(rows[name], 11)["flags"])


def test_markup_in_an_error_stays_text(rows):
    page = pages.student_page(rows["an error with markup"])
    assert "&lt;script&gt;alert" in page
    assert "<script" not in page
