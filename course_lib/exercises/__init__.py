"""The exercises: ``check`` judges answers and names the mistake, ``hint`` helps, ``reveal`` and ``progress``.

The first argument is the number of an exercise, ``check(3, …)``, or the number of a chapter as text for the task at its
end, ``check("01", …)``.

To add an exercise, write ``exNN_name.py`` beside this file, with an `Exercise` as ``EXERCISE``, and its notebook as
``sources/exercises/NN_name.py``. Nothing else need change: the engine finds it. The task of chapter NN is
``tasks/chNN_name.py``, whose ``name`` is that of the chapter. A mistake that is new goes into the catalogue,
`course_lib.exercises.misconceptions`.
"""

from course_lib.exercises.commands import check, hint, progress, reveal
from course_lib.exercises.result import CheckResult, Verdict

__all__ = ["CheckResult", "Verdict", "check", "hint", "progress", "reveal"]
