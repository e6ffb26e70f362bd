"""Which output feeds which input, with what weight: routes, coverage and density of a gradient."""

from course_lib.routing.convolution import conv_routes
from course_lib.routing.counts import coverage, density
from course_lib.routing.pooling import TIES, avg_routes, lp_routes, max_routes
from course_lib.routing.routes import Routes

__all__ = ["TIES", "Routes", "avg_routes", "conv_routes", "coverage", "density", "lp_routes", "max_routes"]
