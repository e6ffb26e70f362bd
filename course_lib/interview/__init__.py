"""The interview room: a bank of questions, a drill with a clock, and a schedule.

The questions are data, ``bank/*.toml``, one file a topic; `load` says what each field means and refuses bad entries.
``course drill`` runs them in a terminal. Nothing here needs torch.
"""

from course_lib.interview.load import questions
from course_lib.interview.matching import said

__all__ = ["questions", "said"]
