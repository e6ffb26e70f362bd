"""The exercises: ``check`` judges answers and names the mistake, ``hint`` helps, ``reveal`` and ``progress``."""

from course_lib.exercises.commands import check, hint, progress, reveal
from course_lib.exercises.result import CheckResult, Verdict

__all__ = ["CheckResult", "Verdict", "check", "hint", "progress", "reveal"]
