"""The design of an experiment as plain data: it can be checked, compared, and run again by somebody else."""

from dataclasses import asdict, dataclass
from types import MappingProxyType

from course_lib import arguments
from course_lib.experiments.fields import DEFAULT_FIELDS, FIELDS
from course_lib.experiments.settings import FACTORS, Settings, settings_of

MOST_VARIANTS, MOST_SEEDS, MOST_STEPS, MOST_SAMPLES = 24, 10, 2000, 256
# Images that all runs see together. The loops take about a hundred times as long with each.
MOST_IMAGES, MOST_IN_LOOPS = 1_000_000, 50_000
SLOW, IN_LOOPS = ("naive", "yours"), "for loops and for your own convolution "
BUDGET = ("steps", "batch_size")


@dataclass(frozen=True)
class Design:
    """What is compared, and what is the same for all.

    Attributes
    ----------
    variants : mapping of str to Settings
    seeds : tuple of int
        Every variant is trained once with each; a seed decides the first parameters and the order of the images.
    steps, batch_size : int
        The budget of every run.
    shapes : mapping of str to tuple of int
        What the author of the design expects of the batch, of the layers' outputs and of the parameters.
    fields : tuple of str
        What is measured.
    """

    variants: MappingProxyType
    seeds: tuple
    steps: int
    batch_size: int
    shapes: MappingProxyType
    fields: tuple

    def plain(self):
        """The design as dicts, lists, numbers and words, as `design_of` takes it."""
        return {
            "variants": {name: changed(settings) for name, settings in self.variants.items()},
            "seeds": list(self.seeds),
            "budget": {"steps": self.steps, "batch_size": self.batch_size},
            "shapes": {name: list(shape) for name, shape in self.shapes.items()},
            "fields": list(self.fields),
        }

    def factors(self):
        """The factors in which the variants differ: those with more than one value."""
        return tuple(factor for factor in FACTORS if len({getattr(v, factor) for v in self.variants.values()}) > 1)


def changed(settings):
    """The factors of a variant that have not their default."""
    default = asdict(Settings())
    return {name: value for name, value in asdict(settings).items() if value != default[name]}


def design_of(variants, seeds, budget, shapes=None, fields=None):
    """A design from plain data.

    Parameters
    ----------
    variants : dict of str to dict
        Of each variant the factors that are not the default, see `Settings`.
    seeds : list of int
        Different ones.
    budget : dict
        ``steps`` and ``batch_size``.
    shapes : dict of str to sequence of int, or None
        What is expected, by name: ``x``, ``conv1``, ``pool1``, …, ``logits``, ``conv1.weight``, …
    fields : list of str or None
        Names in `course_lib.experiments.FIELDS`; None means those that are always useful.

    Raises
    ------
    ValueError, TypeError
        In one sentence, for the first thing that is wrong.
    """
    _typed("variants", variants, dict)
    if not 1 <= len(variants) <= MOST_VARIANTS:
        raise ValueError(f"variants must hold 1 to {MOST_VARIANTS} variants; got {len(variants)}.")
    _texts("the names of variants", variants)
    found = {name: settings_of(name, given) for name, given in variants.items()}
    steps, batch_size = _budget(budget)
    chosen = _fields(DEFAULT_FIELDS if fields is None else fields)
    design = Design(MappingProxyType(found), _seeds(seeds), steps, batch_size, _shapes(shapes or {}), chosen)
    _affordable(design)
    return design


def _affordable(design):
    """Refuses what would take many minutes."""
    each = len(design.seeds) * design.steps * design.batch_size
    slow = sum(settings.backend in SLOW for settings in design.variants.values())
    for count, most, where in ((len(design.variants), MOST_IMAGES, ""), (slow, MOST_IN_LOOPS, IN_LOOPS)):
        if count * each > most:
            raise ValueError(
                f"{where}variants × seeds × steps × batch_size must be at most {most}; got {count * each}."
            )


def _typed(name, value, kind):
    """Refuses another type."""
    if not isinstance(value, kind):
        words = " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))
        raise TypeError(f"{name} must be a {words}; got {type(value).__name__}.")


def _texts(name, values):
    """Refuses what is no text."""
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{name} must be text; got {value!r}.")


def _seeds(seeds):
    """Different whole numbers from 0 on."""
    _typed("seeds", seeds, (list, tuple))
    numbers = tuple(arguments.integer("seeds", seed, 0) for seed in seeds)
    if not 1 <= len(numbers) <= MOST_SEEDS or len(set(numbers)) != len(numbers):
        raise ValueError(f"seeds must be 1 to {MOST_SEEDS} different numbers; got seeds={list(numbers)!r}.")
    return numbers


def _budget(budget):
    """Steps and batch size."""
    _typed("budget", budget, dict)
    if set(budget) != set(BUDGET):
        raise ValueError(f"budget must hold {' and '.join(BUDGET)}, and nothing else; got {budget!r}.")
    numbers = [arguments.integer(f"budget[{name!r}]", budget[name], 1) for name in BUDGET]
    for name, number, most in zip(BUDGET, numbers, (MOST_STEPS, MOST_SAMPLES), strict=True):
        if number > most:
            raise ValueError(f"budget[{name!r}] must be at most {most}; got {number}.")
    return numbers


def _shapes(shapes):
    """Shapes as tuples, by name."""
    _typed("shapes", shapes, dict)
    _texts("the names of shapes", shapes)
    for name, shape in shapes.items():
        _typed(f"shapes[{name!r}]", shape, (list, tuple))
    found = {
        name: tuple(arguments.integer(f"shapes[{name!r}]", size, 0) for size in shape) for name, shape in shapes.items()
    }
    return MappingProxyType(found)


def _fields(fields):
    """Names of fields, each once."""
    _typed("fields", fields, (list, tuple))
    _texts("fields", fields)
    for name in fields:
        if name not in FIELDS:
            raise ValueError(f"fields must be among {', '.join(FIELDS)}; got {name!r}.")
    if not fields or len(set(fields)) != len(fields):
        raise ValueError(f"fields must hold different fields, at least one; got fields={list(fields)!r}.")
    return tuple(fields)
