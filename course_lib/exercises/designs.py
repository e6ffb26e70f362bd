"""Whether an experiment is sound, from its design and by running a part of it again: never by its times."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from course_lib.exercises import faults
from course_lib.exercises.environments import judge_environment
from course_lib.exercises.faults import Fault, type_name
from course_lib.exercises.judged import Judged, Plain, described, wrong
from course_lib.experiments import Report, design_of, rerun
from course_lib.experiments.shapes import difference

KEYS = ("variants", "seeds", "budget", "shapes", "fields")
# What a second run on another machine may differ by. On the same machine it differs by nothing.
ALLOWED = {
    "accuracy": (0.0, 0.03),
    "gradient density": (0.0, 0.05),
    "gradient norm": (0.2, 0.0),
    "norm ratio": (0.05, 0.0),
    "finite gradients": (0.0, 0.1),
    "vanished gradients": (0.0, 0.05),
    "parameters": (0.0, 0.0),
    "peak memory": (0.1, 0.0),
}


@dataclass(frozen=True)
class Table:
    """An answer that is the report of a run."""

    name: str

    def read(self, value, calls):
        """The report."""
        if not faults.is_instance(value, Report):
            what = f"{self.name} must be what run(**design) gives"
            raise Fault(faults.NOT_USABLE, f"{what}; got a value of type {type_name(value)}")
        return value


@dataclass(frozen=True)
class Comparison:
    """What a design must be, and the answers that hold it and its report.

    Attributes
    ----------
    factor : str
        The one that may differ between variants.
    levels : mapping of str to callable
        The values that it must have, by name, each with a test of a value.
    fixed : mapping of str to object
        Factors that must have one value in all variants.
    swept : str
        A second factor, each of whose values must come with every level; "" for none.
    sweep : int
        How many values of it there must be.
    seeds, steps : int
        The least.
    fields, shapes : tuple of str
        What must be measured, and whose dimensions must be asserted.
    design, report : str
        The names of the answers.
    """

    factor: str
    levels: Mapping[str, Callable]
    fields: tuple
    shapes: tuple
    fixed: Mapping = field(default_factory=dict)
    swept: str = ""
    sweep: int = 1
    seeds: int = 3
    steps: int = 40
    design: str = "design"
    report: str = "report"

    def answers(self):
        """The kinds of the two answers."""
        return Plain(self.design), Table(self.report)

    def of_design(self, prefix=""):
        """The properties that the design alone decides: no code of the learner's is needed."""
        parts = (
            ("one factor", 3, self.judge_factor),
            ("seeds and budget", 1, self.judge_budget),
            ("fields", 1, self.judge_fields),
            ("dimensions", 1, self.judge_shapes),
        )
        return tuple(Judged(prefix + name, points, (self.design,), by) for name, points, by in parts)

    def of_report(self, prefix=""):
        """The properties of the report."""
        both = self.design, self.report
        return (
            Judged(f"{prefix}report", 1, both, self.judge_report),
            Judged(f"{prefix}environment", 1, (self.report,), self.judge_environment),
            Judged(f"{prefix}second run", 2, both, self.judge_again),
        )

    def read(self, session):
        """The learner's design, checked as `run` checks it."""
        plain = session.answer(self.design)
        if not isinstance(plain, dict) or not set(KEYS[:3]) <= set(plain) <= set(KEYS):
            raise wrong(f"{self.design} must be a dict with {', '.join(KEYS)}; got {described(plain)}")
        try:
            return design_of(**plain)
        except (TypeError, ValueError) as error:
            raise wrong(str(error).removesuffix(".")) from None

    def judge_factor(self, session):
        """One factor differs, with every level, at every value of the swept one."""
        design = self.read(session)
        self._judge_fixed(design)
        self._judge_others(design)
        groups = self._groups(design)
        if len(groups) < self.sweep:
            raise wrong(f"at least {self.sweep} values of {self.swept} must be tried; got {len(groups)}")
        for value, found in groups.items():
            self._judge_levels(f" with {self.swept} {value}" if self.swept else "", found)
        return len(design.variants)

    def _judge_fixed(self, design):
        """Factors that the task fixes."""
        for name, settings in design.variants.items():
            for factor, value in self.fixed.items():
                given = getattr(settings, factor)
                if given != value:
                    raise wrong(f"every variant must have {factor} {value!r}; got {given!r} for {name!r}")

    def _judge_others(self, design):
        """Factors that nobody asked about."""
        others = [factor for factor in design.factors() if factor not in (self.factor, self.swept)]
        if others:
            verb = "differs" if len(others) == 1 else "differ"
            raise wrong(
                f"{' and '.join(others)} {verb} between the variants too: then nobody knows what {self.factor} did",
                ("note", "Change one factor, and give every other one the same value in all variants."),
            )

    def _groups(self, design):
        """The factor's values in the variants, by the value of the swept factor."""
        groups = {}
        for settings in design.variants.values():
            key = getattr(settings, self.swept) if self.swept else None
            groups.setdefault(key, []).append(getattr(settings, self.factor))
        return groups

    def _judge_levels(self, where, found):
        """Every level is there, and none twice."""
        for name, holds in self.levels.items():
            if not any(holds(value) for value in found):
                raise wrong(f"there is no variant{where} whose {self.factor} is {name}")
        if len(set(found)) != len(found):
            raise wrong(f"two variants{where} have the same {self.factor}")

    def judge_budget(self, session):
        """Enough seeds for a spread, and enough steps to learn something."""
        design = self.read(session)
        if len(design.seeds) < self.seeds:
            raise wrong(f"at least {self.seeds} seeds are needed to see a spread; got {len(design.seeds)}")
        if design.steps < self.steps:
            raise wrong(
                f"the budget must be at least {self.steps} steps, so that something is learnt; got {design.steps}"
            )
        return 2

    def judge_fields(self, session):
        """All that the task asks for is measured."""
        design = self.read(session)
        missing = [name for name in self.fields if name not in design.fields]
        if missing:
            raise wrong(f"fields must hold what the task asks for; missing: {', '.join(missing)}")
        return len(self.fields)

    def judge_shapes(self, session):
        """Dimensions are written down, and are those of the network."""
        design = self.read(session)
        for name in self.shapes:
            if name not in design.shapes:
                raise wrong(f"shapes must say the dimensions of {name}")
        for variant, settings in design.variants.items():
            right = settings.geometry.value_shapes(design.batch_size) | settings.geometry.parameter_shapes()
            for name in self.shapes:
                if design.shapes[name] != right[name]:
                    where = difference(design.shapes[name], right[name])
                    raise wrong(f"shapes[{name!r}] is {design.shapes[name]} for {variant!r}, {where}")
        return len(self.shapes)

    def judge_report(self, session):
        """The report is of this design, and complete."""
        design, report = self.read(session), session.answer(self.report)
        if report.design.plain() != design.plain():
            raise wrong(f"{self.report} is not of this {self.design}: run it again")
        for name in design.variants:
            for measured in design.fields:
                if not np.isfinite(report.rows.get(name, {}).get(measured, np.nan)).all():
                    raise wrong(f"{self.report} has no number for {measured} of {name!r}")
        return len(design.variants)

    def judge_environment(self, session):
        """The report says where it was made, and with how many threads."""
        found = session.answer(self.report).environment
        if "threads" not in found:
            raise wrong("the environment does not say how many threads were used")
        return judge_environment(found) + 1

    def judge_again(self, session):
        """One variant with one seed gives the same numbers once more."""
        design, report = self.read(session), session.answer(self.report)
        self.judge_report(session)
        variant, number = drawn(design)
        again = rerun(design, variant, design.seeds[number])[variant]
        fields = [name for name in design.fields if name in ALLOWED]
        for name in fields:
            given, found = report[variant][name], again[name]
            _judge_equal(
                name, variant, given[number] if np.ndim(given) else given, found[0] if np.ndim(found) else found
            )
        return len(fields)


def drawn(design):
    """The variant and the seed that are run again: drawn from the design, so that nobody chooses them.

    Not one with the learner's own functions, which a grader does not have.
    """
    names = [name for name, settings in design.variants.items() if settings.backend != "yours"]
    number = zlib.crc32(repr(design.plain()).encode())
    return names[number % len(names)], number // len(names) % len(design.seeds)


def _judge_equal(name, variant, given, found):
    """Refuses a number that a second run does not give."""
    relative, absolute = ALLOWED[name]
    if not np.allclose(given, found, rtol=relative, atol=absolute):
        numbers = " and ".join(np.array2string(np.asarray(value), precision=4) for value in (given, found))
        raise wrong(f"run again, {variant!r} has another {name}: {numbers}")


def exactly(*words):
    """Levels that are words."""
    return {repr(word): lambda value, word=word: value == word for word in words}
