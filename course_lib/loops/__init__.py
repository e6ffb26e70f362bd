"""Every operation as plain loops: the specification that all else is checked against."""

from course_lib.loops.avg_pool import avg_pool, avg_pool_backward
from course_lib.loops.max_pool import max_pool, max_pool_backward

__all__ = ["avg_pool", "avg_pool_backward", "max_pool", "max_pool_backward"]
