"""Explorables: tables computed in Python, drawn by one small JavaScript module."""

from course_lib.widgets.backward_stepper import BackwardStepper
from course_lib.widgets.border_explorer import BorderExplorer
from course_lib.widgets.coverage_explorer import CoverageExplorer
from course_lib.widgets.explorable import Explorable
from course_lib.widgets.gradient_check_explorer import GradientCheckExplorer
from course_lib.widgets.kernel_gradient_explorer import KernelGradientExplorer
from course_lib.widgets.oral_drill import OralDrill, oral
from course_lib.widgets.page import fragment, head, page
from course_lib.widgets.precision_explorer import PrecisionExplorer
from course_lib.widgets.prediction import bets, predict
from course_lib.widgets.routing_explorer import RoutingExplorer
from course_lib.widgets.sparsity_explorer import SparsityExplorer
from course_lib.widgets.tie_explorer import TieExplorer
from course_lib.widgets.window_explorer import WindowExplorer

__all__ = [
    "BackwardStepper",
    "BorderExplorer",
    "CoverageExplorer",
    "Explorable",
    "GradientCheckExplorer",
    "KernelGradientExplorer",
    "OralDrill",
    "PrecisionExplorer",
    "RoutingExplorer",
    "SparsityExplorer",
    "TieExplorer",
    "WindowExplorer",
    "bets",
    "fragment",
    "head",
    "oral",
    "page",
    "predict",
]
