"""Explorables: tables computed in Python, drawn by one small JavaScript module."""

from course_lib.widgets.explorable import Explorable
from course_lib.widgets.page import fragment, head, page
from course_lib.widgets.prediction import predict
from course_lib.widgets.routing_explorer import RoutingExplorer

__all__ = ["Explorable", "RoutingExplorer", "fragment", "head", "page", "predict"]
