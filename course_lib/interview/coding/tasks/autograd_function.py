"""Max pooling as a function of PyTorch's with a backward of one's own."""

import numpy as np

from course_lib.exercises import faults
from course_lib.exercises.faults import Fault, type_name
from course_lib.exercises.judged import Judged, wrong
from course_lib.exercises.properties import Values
from course_lib.interview.coding import pools
from course_lib.interview.coding.draw import case, distinct, one_of, shuffled, tied
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "max_pool"
BORDERS = ("max_zero_pad", "max_pad_offset", "max_no_crop")


def _torch():
    """The tools for tensors, loaded when a tensor is needed."""
    from course_lib.torch_ops import by_autograd

    return by_autograd


def output(session, x, case):
    """What the candidate's function makes of a tensor."""
    sizes = [case.arguments[name] for name in ("kernel_size", "stride", "padding") if name in case.arguments]
    y = session.call(NAME, x, *sizes, returns=("y",))
    if not _torch().is_tensor(y):
        raise Fault(faults.NOT_USABLE, f"{NAME} must return a tensor; got a value of type {type_name(y)}")
    return y


def gradient(session, y, x, grad_output):
    """The gradient of x; the candidate's backward runs here."""
    if not y.requires_grad:
        raise Fault(faults.NOT_USABLE, f"what {NAME} returns needs no gradient: apply the Function")
    return session.calls.value(f"the backward of {NAME}", lambda: _torch().gradient(y, x, grad_output))


def values_of(session, case):
    """The output, as an array."""
    return output(session, _torch().leaf(case.fresh()["x"]), case).detach().numpy()


def gradient_of(session, case):
    """The gradient, as an array."""
    x = _torch().leaf(case.fresh()["x"])
    return gradient(session, output(session, x, case), x, case.fresh()["grad_output"])


def gradient_of_the_first(session, case):
    """The gradient of the first of two calls."""
    given = case.fresh()
    x, other = _torch().leaf(given["x"]), _torch().leaf(-given["x"])
    y = output(session, x, case)
    output(session, other, case)
    return gradient(session, y, x, given["grad_output"])


def gradient_of_a_view(session, case):
    """The gradient through a view that is not contiguous, in float32; other types are refused."""
    given = case.fresh()
    whole, x = _torch().view_of(given["x"], "float32")
    y = output(session, x, case)
    found = gradient(session, y, whole, given["grad_output"]).swapaxes(-1, -2)
    for name, dtype in (("y", y.detach().numpy().dtype), ("the gradient", found.dtype)):
        if dtype != np.float32:
            raise wrong(f"{name} must be float32, as x is; got {dtype}")
    return found


def judge_own(case):
    """Whether the backward is the candidate's, and whether an input without gradient works."""

    def by(session):
        if not _torch().is_own(output(session, _torch().leaf(case.fresh()["x"]), case)):
            raise wrong("the output comes from no torch.autograd.Function of yours: return MyFunction.apply(…)")
        if output(session, _torch().leaf(case.fresh()["x"], requires_grad=False), case).requires_grad:
            raise wrong("where x needs no gradient, the output must need none")
        return 2

    return by


def variant(seed):
    """The layout, the rule for ties, and whether there is padding, are drawn."""
    rng = np.random.default_rng(seed)
    layout, padded, rule = one_of(rng, *pools.LAYOUTS), one_of(rng, False, True), one_of(rng, *pools.RULES)
    axes = pools.LAYOUTS[layout]
    signature = f"def {NAME}(x, kernel_size, stride{', padding' if padded else ''}):"
    padding = (
        "On each side stand `padding` elements of padding, which never win and get nothing."
        if padded
        else "There is no padding."
    )
    statement = (
        f"Write 2-D max pooling of a tensor `x`, {axes}, as a torch.autograd.Function with a forward and a backward of "
        "your own, and a function that applies it. The function returns the maxima, in the same layout. Windows are "
        f"`kernel_size` by `kernel_size` and `stride` apart, and may overlap. {padding} {pools.SAID[rule]} Values and "
        "gradients have the type of x, which may be any view. PyTorch's own pooling is not allowed."
    )
    operation, first = pools.operation(rule, layout), pools.operation("first", layout)

    def pool(x, kernel_size, stride, padding=0):
        more = {"padding": padding} if padded else {}
        upstream = pools.upstream(rng, x, kernel_size, stride, layout, padding if padded else 0)
        return case(x=x, grad_output=upstream, kernel_size=kernel_size, stride=stride, **more)

    def plain(shape, *sizes):
        return pool(distinct(rng, pools.laid(shape, layout)), *sizes)

    def gradients(name, *cases, run=gradient_of):
        return Values(name, 1, (NAME,), operation, cases, lambda results: results["grad_input"], run)

    pair = pool(shuffled(rng, (2, 2, 2, -1), pools.laid((1, 1, 2, 2), layout)), 2, 2)
    equal = pool(tied(rng, pools.laid((1, 1, 4, 5), layout)), 3, 1)
    small, batch = plain((1, 1, 3, 4), 2, 1), plain((2, 3, 5, 4), 3, one_of(rng, 1, 2))
    negative = pool(distinct(rng, pools.laid((1, 1, 3, 3), layout), low=-9), 2, 2, 1)
    borders = [gradients("borders", negative, plain((1, 2, 4, 5), 3, 2, 1))] if padded else []
    properties = (
        Values("values", 1, (NAME,), first, (small, batch, negative), lambda results: results["y"], values_of),
        Judged("a backward of its own", 1, (NAME,), judge_own(small)),
        gradients("overlap", small, plain((1, 1, 5, 5), 3, 1)),
        gradients("batch and channels", plain((2, 2, 2, 2), 2, 2), batch),
        gradients("ties", pair, equal),
        *borders,
        gradients("two calls before one backward", small, run=gradient_of_the_first),
        gradients("views and float32", batch, run=gradient_of_a_view),
    )
    blank = f"class MaxPool(torch.autograd.Function):\n    ...\n\n\n{skeleton(signature, f'The maxima, {axes}.')}"
    names = (*pools.ANY_RULE, *(BORDERS if padded else ()))
    return Variant(statement, signature, properties, blank, pools.mistakes(rule, layout, names))


TASK = Task(
    name="autograd-function",
    title="Max pooling as a torch.autograd.Function",
    minutes=40,
    topic="Where the gradient goes",
    level=3,
    variant=variant,
    why="What the backward needs is saved in ctx, one ctx a call: what is kept on the class belongs to the last call. "
    "The backward returns one value for each argument of the forward, None for the sizes, in the type and layout of x. "
    "An interviewer asks next what you would save, input or index, and how you would test it: with "
    "torch.autograd.gradcheck in float64, away from ties.",
    hints=(
        "What does the backward have to know, and where is it kept between the two? What if the function is called "
        "twice before the first backward?",
        "forward(ctx, x, ...): ctx.save_for_backward(...) and plain numbers as ctx.name; backward(ctx, grad_output) "
        "returns the gradient of x and a None for each other argument.",
        "unfold(2, k, s).unfold(3, k, s) gives all windows as a view. index_add_, scatter_add_ or index_put_ with "
        "accumulate=True add at repeated places.",
    ),
    chapter="03",
    needs="torch",
)
