"""The coding tasks: a module holds one, as ``TASK``."""
