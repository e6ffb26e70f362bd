"""The checked task at the end of a chapter, about five minutes: ``chNN_name.py`` holds one, as ``EXERCISE``."""
