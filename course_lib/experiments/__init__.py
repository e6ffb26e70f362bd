"""Experiments: photographs and digits to measure on, small networks, training within a budget, and honest measurement.

`run` takes a design, which is plain data, and gives a `Report`. PyTorch is imported when a design needs it.
"""

from course_lib.experiments.data import Digits, digits, photograph
from course_lib.experiments.design import Design, design_of
from course_lib.experiments.environment import environment
from course_lib.experiments.fields import FIELDS
from course_lib.experiments.one_pool import train_one_pool
from course_lib.experiments.plug import plug_in
from course_lib.experiments.report import Report
from course_lib.experiments.runs import rerun, run
from course_lib.experiments.settings import Settings

__all__ = [
    "FIELDS",
    "Design",
    "Digits",
    "Report",
    "Settings",
    "design_of",
    "digits",
    "environment",
    "photograph",
    "plug_in",
    "rerun",
    "run",
    "train_one_pool",
]
