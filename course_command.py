"""The door to the ``course`` command: it opens even where NumPy is broken, so that the doctor can say so."""

import sys
from pathlib import Path
from types import ModuleType


def main():
    """Run the command; returns the exit status."""
    try:
        import course_lib  # noqa: F401
    except Exception:
        # The package's own first lines need NumPy. The doctor does not, so it gets the package without them.
        package = ModuleType("course_lib")
        package.__path__ = [str(Path(__file__).with_name("course_lib"))]
        sys.modules["course_lib"] = package
    from course_lib.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
