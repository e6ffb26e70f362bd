"""Bug hunts: find the smallest input that exposes a backward with one planted fault, name the fault, mend the line.

``course drill --hunt`` plays one in the terminal. In a notebook::

    from course_lib.interview import hunt

    hunter = hunt.start()
"""

from course_lib.interview.hunting.notebook import Hunter, start
from course_lib.interview.hunting.planted import Hunt, Planted, hunts
from course_lib.interview.hunting.terminal import PREFIX, parse, play

__all__ = ["PREFIX", "Hunt", "Hunter", "Planted", "hunts", "parse", "play", "start"]
