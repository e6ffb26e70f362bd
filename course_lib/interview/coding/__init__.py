"""Coding drills: a blank function, a clock, and the exercises' checks, whose diagnosis waits until the time is over.

Each module of ``tasks`` holds one task. Its rules are drawn by a seed, so that an answer learnt by heart fails.
"""

from course_lib.interview.coding.bank import find, tasks
from course_lib.interview.coding.judging import judged, missing
from course_lib.interview.coding.notebook import start
from course_lib.interview.coding.task import Task, Variant

__all__ = ["Task", "Variant", "find", "judged", "missing", "start", "tasks"]
