"""Which output feeds which input, with what weight: routes, coverage and density of a gradient."""

from course_lib.routing.convolution import conv_routes
from course_lib.routing.counts import coverage, density
from course_lib.routing.pooling import TIES, avg_routes, lp_routes, max_routes
from course_lib.routing.routes import Routes

__all__ = ["TIES", "Routes", "avg_routes", "conv_routes", "coverage", "density", "lp_routes", "max_routes"]


def __getattr__(name):
    """`GradientProbe`, which watches the layers of a torch model: loaded when it is asked for, as torch is large."""
    if name != "GradientProbe":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from course_lib.torch_ops.probe import GradientProbe

    return GradientProbe
