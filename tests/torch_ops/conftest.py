"""What the tests of the torch backend share; without torch they are not collected."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["*.py"]
