"""course doctor: what is there, what is not, and the sentence that mends it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib import doctor
from course_lib.workspace import COURSE


@pytest.fixture
def module_folder(tmp_path, monkeypatch):
    """Puts modules in front of the installed ones, for child processes."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(text)

    return write


def course_doctor(**variables):
    """The real command: its status and its lines."""
    command = [sys.executable, "-P", str(COURSE / "course_command.py"), "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables, timeout=200)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def test_pins_are_those_of_the_requirements():
    assert doctor.pins()["torch"] == "2.13.0"


def test_pins_leave_the_course_itself_out():
    assert all(name[0].isalpha() for name in doctor.pins())


def test_pins_are_empty_without_requirements(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "COURSE", tmp_path)
    assert doctor.pins() == {}


def test_installed_is_none_for_what_is_not_there():
    assert doctor.installed("no-such-package") is None


def test_installed_is_none_for_a_remnant_without_a_version(monkeypatch, tmp_path):
    (tmp_path / "remnant-1.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert doctor.installed("remnant") is None


def test_import_errors_are_empty_where_all_works():
    assert doctor.import_errors(["json", "numpy"]) == {}


def test_import_errors_gives_the_reason(module_folder):
    module_folder("halfhere", "raise ImportError('only half is here')")
    assert doctor.import_errors(["json", "halfhere"]) == {"halfhere": "ImportError: only half is here"}


def test_import_errors_goes_on_after_a_crash(module_folder):
    module_folder("crashing", "import os\nos._exit(11)")
    module_folder("missing", "raise OSError('no library')")
    assert doctor.import_errors(["crashing", "json", "missing"]) == {
        "crashing": "crashes when it is imported",
        "missing": "OSError: no library",
    }


def test_import_errors_ends_where_python_does_not_run(monkeypatch):
    monkeypatch.setattr(doctor, "output_of", lambda command: "")
    assert doctor.import_errors(["json"]) == {"json": "Python does not run"}


def test_package_of_the_pinned_version_is_ok():
    assert doctor.package("numpy", "2.4.6", "2.4.6", "") == ("ok", "numpy", "2.4.6", "")


def test_package_of_a_local_build_is_ok(monkeypatch):
    monkeypatch.setattr(doctor, "devices", lambda: "cpu (2 threads)")
    assert doctor.package("torch", "2.13.0", "2.13.0+cpu", "") == ("ok", "torch", "2.13.0+cpu, cpu (2 threads)", "")


def test_package_of_another_version_is_a_note():
    finding = doctor.package("numpy", "2.4.6", "2.0.0", "")
    assert finding.state == "note"
    assert "tested with 2.4.6" in finding.mend


def test_package_that_is_missing_fails_with_what_to_do():
    finding = doctor.package("numpy", "2.4.6", None, "")
    assert finding[:3] == ("fails", "numpy", "not installed")
    assert "requirements.txt" in finding.mend or "start.py" in finding.mend


def test_package_that_is_broken_fails_with_the_reason():
    finding = doctor.package("numpy", "2.4.6", "2.4.6", "ImportError: half")
    assert finding[:3] == ("fails", "numpy", "2.4.6, but ImportError: half")


def test_torch_that_is_missing_is_a_note():
    finding = doctor.package("torch", "2.13.0", None, "")
    assert finding.state == "note"
    assert "start.py --torch" in finding.mend


def test_mend_packages_deletes_the_environment_of_the_course(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "COURSE", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    assert doctor.mend_packages() == "Delete the folder .venv, then run: python3 start.py"


def test_mend_packages_uses_pip_elsewhere(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/usr")
    assert "-m pip install -r requirements.txt" in doctor.mend_packages()


def test_devices_names_the_cpu():
    assert doctor.devices().startswith("cpu (")


def test_python_that_is_old_fails(monkeypatch):
    monkeypatch.setattr(doctor, "OLDEST", (99, 0))
    assert doctor.python().state == "fails"


def test_jupyterlab_lacks_what_is_missing(monkeypatch):
    monkeypatch.setattr(doctor, "LAB_EXTENSIONS", ("no-such-extension",))
    assert doctor.jupyterlab()[:3] == ("fails", "notebooks", "JupyterLab lacks extension no-such-extension")


def test_work_that_can_be_written_is_ok(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path))
    assert doctor.work().state == "ok"


def test_work_that_is_not_there_yet_is_not_made(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "a" / "b"))
    assert doctor.work().state == "ok"
    assert not list(tmp_path.iterdir())


def test_work_that_cannot_be_written_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "work"))
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    assert doctor.work().state == "fails"
    assert "COURSE_WORK" in doctor.work().mend


def test_work_that_is_a_file_fails(monkeypatch, tmp_path):
    (tmp_path / "work").write_text("")
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "work"))
    assert doctor.work().state == "fails"


def test_browser_finds_chromium_on_the_path(monkeypatch, tmp_path):
    path = tmp_path / "chromium"
    path.write_text("")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor.browser() == ("ok", "browser", str(path), "")


def test_browser_without_chromium_is_a_note(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(doctor, "CHROMIUM_PLACES", ())
    assert doctor.browser().state == "note"


def test_course_doctor_fits_one_screen():
    status, lines = course_doctor()
    assert (status, lines[-1]) == (0, "Everything that the course needs works."), lines
    assert len(lines) <= 24


def test_course_doctor_works_where_numpy_is_broken(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('half of NumPy is here')")
    status, lines = course_doctor(PYTHONPATH=str(tmp_path))
    assert status == 1
    assert any(line.startswith("fails  numpy") and "half of NumPy is here" in line for line in lines)


def test_course_doctor_works_without_torch(tmp_path):
    program = """
import sys
from course_lib import doctor
found, pins = doctor.installed, doctor.pins()
# Two packages for all: the others are imported in the tests above.
doctor.pins = lambda: {name: pins[name] for name in ("numpy", "torch")}
doctor.installed = lambda name: None if name == "torch" else found(name)
sys.exit(doctor.run(None))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=COURSE, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0
    assert ["note", "torch", "not", "installed"] in [line.split() for line in done.stdout.splitlines()]


def test_start_and_doctor_ask_for_the_same_python():
    assert f"OLDEST = {doctor.OLDEST}" in Path(COURSE / "start.py").read_text(encoding="utf-8")
