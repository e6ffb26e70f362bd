"""What experiments need: photographs now, later data splits, small models, training and measurement."""

from course_lib.experiments.data import photograph

__all__ = ["photograph"]
