"""Makes an operation an operator of the framework: one schema, one kernel a device, rules for gradients and vmap."""

from functools import partial

import torch
from torch import _C
from torch._functorch.autograd_function import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

NAMESPACE = "course_lib"
AUTOCAST = ("cpu", "cuda")
LIBRARY = torch.library.Library(NAMESPACE, "DEF")
TAGS = (torch.Tag.pt2_compliant_tag, getattr(torch.Tag, "needs_exact_strides", torch.Tag.needs_fixed_stride_order))


class Rule(_SingleLevelFunction):
    """The gradients of an operator: ``forward(ctx, run, *args)`` calls ``run``; ``backward`` and ``tangent`` follow."""

    @staticmethod
    def tangent(ctx, *tangents):
        """The tangents of the results, from those of the arguments."""
        raise NotImplementedError

    @classmethod
    def jvp(cls, ctx, *tangents):
        """Forward mode; inside torch.func with forward mode on, since an outer level may want tangents of this one."""
        with forward_ad._set_fwd_grad_enabled(_C._are_functorch_transforms_active()):
            return cls.tangent(ctx, *tangents)


def operator(schema, *, rule, cpu, plain, fake, vmap, cuda=None, autocast=False):
    """Registers an operator and returns it.

    Parameters
    ----------
    schema : str
        Name, arguments and results. Tensors come first, and no argument has a default.
    rule : Rule or function
        Gradients in both modes; a function does the same with operations that are differentiable themselves, and is
        called instead of the operator where a gradient is wanted.
    cpu, cuda, plain : function
        The kernels on the CPU, on CUDA (None means ``plain``) and on any other device.
    fake : function
        Gives empty results with the shapes, dtypes and strides of the real ones.
    vmap : function
        Takes a batched call to one call, see `vmapped`.
    autocast : bool
        Whether autocast casts the tensors to its type, as it does for the framework's matrix products.
    """
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=TAGS)
    handle = getattr(getattr(torch.ops, NAMESPACE), name).default
    for key, kernel in (("CompositeExplicitAutograd", plain), ("CPU", cpu), ("CUDA", cuda or plain)):
        LIBRARY.impl(name, kernel, key)
    torch.library.register_fake(f"{NAMESPACE}::{name}", fake, lib=LIBRARY)
    torch.library.register_vmap(f"{NAMESPACE}::{name}", partial(vmap, handle), lib=LIBRARY)
    LIBRARY.impl(name, differentiated(handle, rule, cpu), "Autograd", with_keyset=True)
    for device in AUTOCAST if autocast else ():
        LIBRARY.impl(name, autocasting(handle, device), f"Autocast{device.upper()}")
    return handle


def differentiated(handle, rule, cpu):
    """The operator's kernel for the autograd key: it records the rule where a gradient is wanted, and runs the rest.

    The framework's own register_autograd costs twice as much a call, has no forward mode (it gives zero tangents), and
    refuses torch.func.grad.
    """

    if not isinstance(rule, type):
        return composed(handle, rule, cpu)

    def autograd(keyset, *args):
        if _C._are_functorch_transforms_active():
            with enable_single_level_autograd_function():
                return rule.apply(partial(run_transformed, handle), *args)
        run = partial(run_below, handle, cpu, keyset & _C._after_autograd_keyset)
        return rule.apply(run, *args) if wanted(args) else run(*args)

    return autograd


def composed(handle, composition, cpu):
    """The kernel for the autograd key of an operator whose gradients come from differentiable operations."""

    def autograd(keyset, *args):
        if _C._are_functorch_transforms_active() or wanted(args):
            return composition(*args)
        return run_below(handle, cpu, keyset & _C._after_autograd_keyset, *args)

    return autograd


def wanted(args):
    """Whether anybody may ask for a gradient."""
    # Not requires_grad alone: a dual tensor carries a tangent without it, and would lose it in silence.
    return forward_ad._current_level >= 0 or (torch.is_grad_enabled() and _C._any_requires_grad(*args))


def run_below(handle, cpu, keyset, *args):
    """The operator without autograd."""
    with _C._AutoDispatchBelowAutograd():
        # A plain CPU tensor needs no second way through the dispatcher.
        if keyset.highestPriorityTypeId() == _C.DispatchKey.CPU:
            return cpu(*args)
        return handle.redispatch(keyset, *args)


def run_transformed(handle, *args):
    """The operator inside torch.func: this level is done, the next one may want gradients of its own."""
    # A Rule runs with gradients off, and the outer levels would inherit that and record nothing.
    with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True), _C._AutoDispatchBelowAutograd():
        return handle(*args)


def autocasting(handle, device):
    """The operator's kernel for autocast: floating-point tensors, but for float64, take the type it names."""
    keys = _C.DispatchKeySet(getattr(_C.DispatchKey, f"Autocast{device.upper()}"))

    def autocast(*args):
        with _C._ExcludeDispatchKeyGuard(keys):
            return handle(*(autocast_tensor(value, device) for value in args))

    return autocast


def autocast_tensor(value, device):
    """A tensor in the type of autocast; anything else as it is."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.dtype == torch.float64:
        return value
    return value.to(torch.get_autocast_dtype(device))


def keep(ctx, rest):
    """Keeps an operator's arguments for its rule: tensors where the framework can watch them, others on ``ctx``."""
    tensors = [value for value in rest if isinstance(value, torch.Tensor)]
    ctx.save_for_backward(*tensors)
    ctx.save_for_forward(*tensors)
    ctx.rest = rest[len(tensors) :]


def kept(ctx):
    """The arguments that `keep` kept, in their order."""
    return (*ctx.saved_tensors, *ctx.rest)


def primals(ctx):
    """`kept`, without the tangents of this level, for the rules of forward mode."""
    with forward_ad._set_fwd_grad_enabled(True):
        return (*(torch._VF._unpack_dual(tensor, level=0)[0] for tensor in ctx.saved_tensors), *ctx.rest)


def linear(apply, transpose):
    """The rule of an operator that is linear in its first argument; the other arguments are constants.

    Parameters
    ----------
    apply : function
        ``apply(x, *rest)``, the operator itself.
    transpose : function
        ``transpose(grad_output, input_shape, *rest)``, its transpose, an operator too, so that it has gradients again.
    """

    class Linear(Rule):
        @staticmethod
        def forward(ctx, run, x, *rest):
            keep(ctx, rest)
            ctx.shape = x.shape
            return run(x, *rest)

        @staticmethod
        def backward(ctx, grad_output):
            rest = kept(ctx)
            return None, transpose(grad_output, ctx.shape, *rest), *[None] * len(rest)

        @staticmethod
        def tangent(ctx, _run, tangent, *_rest):
            return apply(tangent, *primals(ctx))

    return Linear


def vmapped(shape_at=None):
    """The vmap rule of an operator that treats samples one by one: the new axis is folded into the batch axis.

    Parameters
    ----------
    shape_at : int or None
        Which argument is a full shape, whose first entry grows with the batch.
    """

    def vmap(handle, info, in_dims, *args):
        size = info.batch_size
        folded = [fold(value, dim, size) for value, dim in zip(args, in_dims, strict=True)]
        if shape_at is not None:
            folded[shape_at] = [size * args[shape_at][0], *args[shape_at][1:]]
        results = handle(*folded)
        if isinstance(results, torch.Tensor):
            return unfold(results, size), 0
        return tuple(unfold(result, size) for result in results), (0,) * len(results)

    return vmap


def fold(value, dim, size):
    """Joins the mapped axis to the batch axis; what is not mapped is repeated."""
    if not isinstance(value, torch.Tensor):
        return value
    batched = value.expand(size, *value.shape) if dim is None else value.movedim(dim, 0)
    return batched.flatten(0, 1)


def unfold(result, size):
    """Takes the mapped axis out of the batch axis again."""
    return result.unflatten(0, (size, result.shape[0] // size))
