"""Whether a report says where it was made."""

from course_lib.exercises.judged import wrong
from course_lib.experiments import environment

ASKED = ("python", "numpy", "torch")


def judge_environment(found):
    """The number of versions that are told, all right.

    Parameters
    ----------
    found : object
        What a report says.

    Raises
    ------
    Fault
        If a version is missing, or another one than that which runs.
    """
    if not isinstance(found, dict):
        raise wrong(f"the environment must be a dict with {', '.join(ASKED)}; got {found!r:.60}")
    here = environment()
    for name in ASKED:
        if name not in found:
            raise wrong(f"the environment does not say which version of {name} runs")
        if found[name] != here[name]:
            raise wrong(f"the environment says {name} {found[name]!r:.40}; here {here[name]!r} runs")
    return len(ASKED)
