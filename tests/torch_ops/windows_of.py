"""The packed window of a geometry from the shared list, and the few geometries that are enough for a slow test."""

from course_lib.torch_ops import windows
from tests.geometries import GEOMETRIES

FEW = (
    "1d-padded", "overlapping", "padded", "dilated-padded", "non-square", "ceil-overhangs", "gaps", "one-element",
    "pairs-wide", "pairs-no-real-tap", "same-lower", "dilated-no-real-tap", "3d-non-cubic",
)  # fmt: skip
SOME_GEOMETRIES = [geometry for geometry in GEOMETRIES if geometry.name in FEW]


def packed(geometry):
    """The six arguments of the operators' schema."""
    given = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False} | geometry.arguments
    return windows.packed(len(geometry.size), **given)
