"""Where this project and the framework differ, by how much, and why."""

import html
import inspect
from dataclasses import dataclass

import torch

from course_lib import arguments, torch_ops
from course_lib.torch_ops import native

COMPARED = (
    "max_pool", "avg_pool", "adaptive_max_pool", "adaptive_avg_pool", "global_max_pool", "global_avg_pool",
    "fractional_max_pool", "lp_pool", "max_unpool", "conv", "conv_transpose",
)  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """One result of both backends.

    Attributes
    ----------
    what : str
        "output", "indices" or "gradient of" an input.
    count, total : int
        Elements that differ, of how many; NaN equals NaN here.
    where : tuple of int or None
        The first element that differs.
    ours, theirs : number or None
        The two values there.
    why : str
        One sentence.
    """

    what: str
    count: int
    total: int
    where: tuple | None
    ours: float | None
    theirs: float | None
    why: str

    @property
    def same(self):
        """Whether the two agree in every element."""
        return self.count == 0 and self.total > 0

    def cells(self):
        """The columns of a table row."""
        place = "" if self.where is None else f"{self.where}: {self.ours:g} and {self.theirs:g}"
        return self.what, f"{self.count} of {self.total}", place, self.why


@dataclass(frozen=True)
class Comparison:
    """What `compare` found; shows itself as a table.

    Attributes
    ----------
    operation : str
    differences : tuple of Difference
    """

    operation: str
    differences: tuple

    @property
    def same(self):
        """Whether all results agree in every element."""
        return all(difference.same for difference in self.differences)

    def __repr__(self):
        rows = [
            f"  {what}: {count} differ. {place}{'. ' * bool(place)}{why}" for what, count, place, why in self.rows()
        ]
        return "\n".join([f"{self.operation}: this project and PyTorch {torch.__version__}", *rows])

    def _repr_html_(self):
        head = (self.operation, "differ", "first: ours and theirs", "why")
        return f"<table>{_html_row('th', head)}{''.join(_html_row('td', row) for row in self.rows())}</table>"

    def rows(self):
        """What differs, how often, where first, and why."""
        return [difference.cells() for difference in self.differences]


def _html_row(tag, cells):
    """One row of a table."""
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def compare(operation, x, *args, **kwargs):
    """Runs an operation here and in the framework, forward and backward, and says where they differ and why.

    Parameters
    ----------
    operation : function or str
        One of this project's operations, such as `course_lib.max_pool`, or its name.
    x : Tensor
        The input.
    *args, **kwargs
        The operation's other arguments.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the framework has no such operation.

    Examples
    --------
    >>> compare("max_pool", torch.tensor([[[1., 4., 3., 2.]]]), 2).same
    True
    """
    name = arguments.choice("operation", getattr(operation, "__name__", operation), COMPARED)
    keywords = kwargs | ({"return_indices": True} if "max_pool" in name else {})
    runs = []
    for backend, who in ((native, "PyTorch"), (torch_ops, "This project")):
        try:
            runs.append(run(getattr(backend, name), x, args, keywords))
        except (RuntimeError, ValueError, TypeError) as refusal:
            return Comparison(name, (refused(who, refusal),))
    theirs, ours = runs
    exact = run(getattr(torch_ops, name), x.double(), [_double(value) for value in args], _doubled(keywords))
    options = inspect.signature(getattr(torch_ops, name)).bind(x, *args, **keywords)
    options.apply_defaults()
    reasons = Reasons(name, x, ours, exact, options.arguments)
    return Comparison(name, tuple(reasons.differences(theirs)))


def refused(who, refusal):
    """What stands in place of all differences where one of the two refuses."""
    return Difference("output", 0, 0, None, None, None, f"{who} refuses: {str(refusal).splitlines()[0]}")


def _double(value):
    return value.double() if _is_float(value) else value


def _doubled(keywords):
    return {name: _double(value) for name, value in keywords.items()}


@dataclass(frozen=True)
class Run:
    """What one backend gives: its outputs, and the leaves that gradients can still be asked for."""

    outputs: tuple
    leaves: tuple

    def gradients(self, dtype):
        """The gradients of the leaves for a fixed upstream gradient of a type; none for integers."""
        if not self.leaves:
            return ()
        y = self.outputs[0]
        upstream = torch.linspace(-1, 1, y.numel(), dtype=torch.float64).cos().reshape(y.shape).to(dtype)
        return torch.autograd.grad(y, self.leaves, upstream.to(y))


def run(function, x, args, keywords):
    """Calls a backend on fresh leaves."""
    fresh = [value.detach().clone().requires_grad_() if _is_float(value) else value for value in (x, *args)]
    result = function(*fresh, **keywords)
    outputs = result if isinstance(result, tuple) else (result,)
    return Run(outputs, tuple(value for value in fresh if _is_float(value)))


def _is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


@dataclass(frozen=True)
class Reasons:
    """What is needed to say why two results differ."""

    name: str
    x: torch.Tensor
    ours: Run
    exact: Run
    options: dict

    def differences(self, theirs):
        """One difference a result; the framework's gradient is not asked for where it would write out of bounds."""
        labels = ("output", "indices")
        for label, *triple in zip(labels, self.ours.outputs, theirs.outputs, self.exact.outputs, strict=False):
            yield self.difference(label, *triple)
        if self.empty_windows():
            yield Difference("gradient", 0, 0, None, None, None, "Not run: PyTorch would write outside the plane.")
            return
        names = ("x", "weight", "bias")
        runs = (backend.gradients(self.ours.outputs[0].dtype) for backend in (self.ours, theirs, self.exact))
        for label, *triple in zip(names, *runs, strict=False):
            yield self.difference(f"gradient of {label}", *triple)

    def difference(self, what, ours, theirs, exact):
        """Counts the elements that differ, and names the first."""
        ours, theirs, exact = (value.detach() for value in (ours, theirs, exact))
        unequal = ~((ours == theirs) | (ours.isnan() & theirs.isnan()))
        if not unequal.any():
            return Difference(what, 0, ours.numel(), None, None, None, "The same in every element.")
        where = tuple(unequal.nonzero()[0].tolist())
        why = self.why(what, ours[where].item(), ours, theirs, exact)
        return Difference(what, int(unequal.sum()), ours.numel(), where, ours[where].item(), theirs[where].item(), why)

    def empty_windows(self):
        """Whether a maximum has a window without a real tap."""
        return "max" in self.name and len(self.ours.outputs) > 1 and bool((self.ours.outputs[1] < 0).any())

    def why(self, what, value, ours, theirs, exact):
        """The first reason that applies."""
        if what == "indices" and value == -1:
            return "A window without a real tap has the index -1 here, and one outside the plane in PyTorch."
        if self.name == "max_unpool":
            return "Of two values for one element the last stays here, and alone gets a gradient; in PyTorch any stays."
        if self.name == "lp_pool":
            return self.why_norm(ours, theirs, exact)
        return self.why_rounding(ours, theirs, exact)

    def why_norm(self, ours, theirs, exact):
        """What the framework's power-average pooling does otherwise."""
        if self.options["norm_type"] % 2 and (self.x < 0).any():
            return "PyTorch takes powers of x, not of |x|: negative x give NaN or cancel where p is not even."
        if self.options["ceil_mode"] and distance(theirs, exact) > 100:
            return "PyTorch scales a window that hangs over the end up to a full one."
        return self.why_rounding(ours, theirs, exact)

    def why_rounding(self, ours, theirs, exact):
        """How far both are from float64."""
        here, there = distance(ours, exact), distance(theirs, exact)
        half = ours.dtype in (torch.float16, torch.bfloat16) and there > here
        reason = "PyTorch adds in half precision, this project in float32" if half else "Another order of additions"
        return f"{reason}: at most {here:.2g} ε from the float64 value here, {there:.2g} ε there."


def distance(values, exact):
    """The largest relative error, in units of the type's ε."""
    info = torch.finfo(values.dtype)
    relative = (values.double() - exact.double()).abs() / exact.double().abs().clamp(min=info.tiny)
    return relative.nan_to_num(posinf=0).max().item() / info.eps
