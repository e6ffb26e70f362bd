"""How a call or a process in the sandbox ended, in the learner's terms."""

from course_lib.exercises import faults
from course_lib.exercises.calls import YOUR_TURN
from course_lib.exercises.faults import Fault

ENDINGS = {-24: "used more than its seconds", -9: "was ended by the system", -11: "crashed"}
MEMORY = "MemoryError", "_ArrayMemoryError"


def raised(name, values):
    """The fault of a function that raised an error."""
    kind, text = faults.clean(str(values.get("kind")), 80), faults.clean(str(values.get("text")))
    if kind == "NotImplementedError" and text == YOUR_TURN:
        return faults.not_started()
    lines = sentences(values.get("lines"))
    return Fault(
        faults.ERROR, f"{name} raised {kind}" + (f": {text}" if text else ""), [("your line", one) for one in lines]
    )


def ending(status):
    """How a process ended, as the end of a sentence."""
    return ENDINGS.get(status, f"ended the process (exit status {status})")


def sentences(found):
    """A few lines of text, whatever came."""
    return [faults.clean(one, 300) for one in found if type(one) is str][:20] if type(found) is list else []
