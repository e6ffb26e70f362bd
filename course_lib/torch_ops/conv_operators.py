"""The operators of convolution: products that are linear in each of two tensors, with their gradients among them.

With C for convolution, T for its transpose and M for the gradient of its weights, <C(x, w), g> = <x, T(g, w)> =
<w, M(g, x)>: every rule below is read off these equations.
"""

from course_lib import geometry
from course_lib.torch_ops import conv_kernels as kernels
from course_lib.torch_ops.register import Rule, fold, keep, kept, operator, primals, unfold

WINDOW = "int[] stride, SymInt[] padding, int[] dilation, int groups"
TRANSPOSED = "int[] stride, SymInt[] padding, SymInt[] output_padding, int[] dilation, int groups"


def c(x, weight, like, stride, padding, dilation, groups, bias=None):
    """A convolution with as many windows as ``like`` has."""
    y = CONV(x, weight, bias, stride, padding, dilation, groups)
    for axis, size in enumerate(like[2:], start=2):
        # An output padding of a stride or more leaves room for windows that nothing was transposed from.
        y = y if y.shape[axis] == size else y.narrow(axis, 0, size)
    return y


def t(y, weight, shape, stride, padding, dilation, groups, bias=None):
    """A transposed convolution with a result of a given shape."""
    axes = zip(y.shape[2:], weight.shape[2:], stride, padding[::2], padding[1::2], dilation, strict=True)
    natural = [geometry.transposed_size(*axis) for axis in axes]
    extra = [size - smallest for size, smallest in zip(shape[2:], natural, strict=True)]
    return TRANSPOSE(y, weight, bias, stride, padding, extra, dilation, groups)


def m(y, x, weight_shape, *window):
    """The gradient of the weights."""
    return MOMENTS(y, x, weight_shape, *window)


def total(*terms):
    """The sum of the terms that are there; None if none is."""
    there = [term for term in terms if term is not None]
    return sum(there[1:], there[0]) if there else None


def without_output_padding(window):
    """The window of the convolution that a transposed one undoes."""
    return (*window[:2], *window[-2:])


def both(rule_of, bilinear):
    """The rule of an operator f(x, weight, bias) that is linear in each, with its backward as one operator."""

    class Bilinear(Rule):
        @staticmethod
        def forward(ctx, run, x, weight, bias, *window):
            keep(ctx, (x, weight, *window))
            y = run(x, weight, bias, *window)
            ctx.biased, ctx.output_shape = bias is not None, y.shape
            return y

        @staticmethod
        def backward(ctx, grad_output):
            rest = kept(ctx)
            grad_input, grad_weight, grad_bias = rule_of(grad_output, *rest)
            return None, grad_input, grad_weight, grad_bias if ctx.biased else None, *[None] * (len(rest) - 2)

        @staticmethod
        def tangent(ctx, _run, x_tangent, weight_tangent, bias_tangent, *_window):
            x, weight, *window = primals(ctx)
            return total(
                x_tangent if x_tangent is None else bilinear(x_tangent, weight, None, *window),
                weight_tangent if weight_tangent is None else bilinear(x, weight_tangent, None, *window),
                bias_tangent if bias_tangent is None else everywhere(bias_tangent, ctx.output_shape),
            )

    return Bilinear


def everywhere(bias, shape):
    """The bias at every element of an output (N, C, *spatial)."""
    return bias.reshape(-1, *[1] * (len(shape) - 2)).expand(shape)


class ConvGradients(Rule):
    """(T(g, w), M(g, x), Σ g): the second gradients of a convolution."""

    @staticmethod
    def forward(ctx, run, grad_output, x, weight, *window):
        keep(ctx, (grad_output, x, weight, *window))
        return run(grad_output, x, weight, *window)

    @staticmethod
    def backward(ctx, u, v, bias):
        g, x, weight, *window = kept(ctx)
        grad = c(u, weight, g.shape, *window) + c(x, v, g.shape, *window, bias=bias)
        return None, grad, t(g, v, x.shape, *window), m(g, u, weight.shape, *window), *[None] * len(window)

    @staticmethod
    def tangent(ctx, _run, g_tangent, x_tangent, weight_tangent, *_window):
        g, x, weight, *window = primals(ctx)
        return (
            total(
                g_tangent if g_tangent is None else t(g_tangent, weight, x.shape, *window),
                weight_tangent if weight_tangent is None else t(g, weight_tangent, x.shape, *window),
            ),
            total(
                g_tangent if g_tangent is None else m(g_tangent, x, weight.shape, *window),
                x_tangent if x_tangent is None else m(g, x_tangent, weight.shape, *window),
            ),
            None if g_tangent is None else g_tangent.sum((0, *range(2, g.dim()))),
        )


class TransposeGradients(Rule):
    """(C(g, w), M(x, g), Σ g): the second gradients of a transposed convolution."""

    @staticmethod
    def forward(ctx, run, grad_output, x, weight, *window):
        keep(ctx, (grad_output, x, weight, *window))
        return run(grad_output, x, weight, *window)

    @staticmethod
    def backward(ctx, u, v, bias):
        g, x, weight, *transposed = kept(ctx)
        window = without_output_padding(transposed)
        grad = t(u, weight, g.shape, *window) + t(x, v, g.shape, *window, bias=bias)
        return None, grad, c(g, v, x.shape, *window), m(u, g, weight.shape, *window), *[None] * len(transposed)

    @staticmethod
    def tangent(ctx, _run, g_tangent, x_tangent, weight_tangent, *_window):
        g, x, weight, *transposed = primals(ctx)
        window = without_output_padding(transposed)
        return (
            total(
                g_tangent if g_tangent is None else c(g_tangent, weight, x.shape, *window),
                weight_tangent if weight_tangent is None else c(g, weight_tangent, x.shape, *window),
            ),
            total(
                g_tangent if g_tangent is None else m(x, g_tangent, weight.shape, *window),
                x_tangent if x_tangent is None else m(x_tangent, g, weight.shape, *window),
            ),
            None if g_tangent is None else g_tangent.sum((0, *range(2, g.dim()))),
        )


class Moments(Rule):
    """M(y, x), linear in both."""

    @staticmethod
    def forward(ctx, run, y, x, *rest):
        keep(ctx, (y, x, *rest))
        return run(y, x, *rest)

    @staticmethod
    def backward(ctx, grad):
        y, x, shape, *window = kept(ctx)
        return None, c(x, grad, y.shape, *window), t(y, grad, x.shape, *window), None, *[None] * len(window)

    @staticmethod
    def tangent(ctx, _run, y_tangent, x_tangent, *_rest):
        y, x, *rest = primals(ctx)
        return total(
            y_tangent if y_tangent is None else m(y_tangent, x, *rest),
            x_tangent if x_tangent is None else m(y, x_tangent, *rest),
        )


def grouped_vmap(inputs, outputs, shape_at=None):
    """The vmap rule of a convolution: every mapped entry becomes a group of its own.

    Parameters
    ----------
    inputs, outputs : str
        A letter a tensor: "c" if the mapped axis joins the channels, "r" if it joins the rows of weights or bias.
    shape_at : int or None
        Which argument is the shape of a weight.
    """

    def vmap(handle, info, in_dims, *args):
        size = info.batch_size
        if shape_at is None and len(outputs) == 1 and not any(dim is not None for dim in in_dims[1:]):
            return unfold(handle(fold(args[0], in_dims[0], size), *args[1:]), size), 0
        tensors = [joined(kind, value, dim, size) for kind, value, dim in zip(inputs, args, in_dims, strict=False)]
        rest = list(args[len(inputs) :])
        if shape_at is not None:
            rest[shape_at - len(inputs)] = [size * args[shape_at][0], *args[shape_at][1:]]
        results = handle(*tensors, *rest[:-1], rest[-1] * size)
        if len(outputs) == 1:
            return parted(outputs, results, size), 0
        return tuple(map(parted, outputs, results, (size,) * len(outputs))), (0,) * len(outputs)

    return vmap


def joined(kind, value, dim, size):
    """Joins the mapped axis to the channels or to the rows; what is not mapped is repeated."""
    if value is None or kind == "r":
        return None if value is None else fold(value, dim, size)
    batched = value.expand(size, *value.shape) if dim is None else value.movedim(dim, 0)
    return batched.movedim(0, 1).flatten(1, 2)


def parted(kind, result, size):
    """Takes the mapped axis out of the channels or the rows again, to the front."""
    if kind == "r":
        return unfold(result, size)
    return result.unflatten(1, (size, result.shape[1] // size)).movedim(1, 0)


CONV = operator(
    f"conv(Tensor x, Tensor weight, Tensor? bias, {WINDOW}) -> Tensor",
    rule=both(lambda *args: CONV_BACKWARD(*args), lambda *args: CONV(*args)),
    cpu=kernels.cpu_conv,
    plain=kernels.plain_conv,
    fake=kernels.fake_conv,
    vmap=grouped_vmap("crr", "c"),
    autocast=True,
)
TRANSPOSE = operator(
    f"conv_transpose(Tensor x, Tensor weight, Tensor? bias, {TRANSPOSED}) -> Tensor",
    rule=both(lambda *args: TRANSPOSE_BACKWARD(*args), lambda *args: TRANSPOSE(*args)),
    cpu=kernels.cpu_transpose,
    plain=kernels.plain_transpose,
    fake=kernels.fake_transpose,
    vmap=grouped_vmap("crr", "c"),
    autocast=True,
)
CONV_BACKWARD = operator(
    f"conv_backward(Tensor grad_output, Tensor x, Tensor weight, {WINDOW}) -> (Tensor, Tensor, Tensor)",
    rule=ConvGradients,
    cpu=kernels.cpu_conv_backward,
    plain=kernels.plain_conv_backward,
    fake=kernels.fake_gradients,
    vmap=grouped_vmap("ccr", "crr"),
)
TRANSPOSE_BACKWARD = operator(
    f"conv_transpose_backward(Tensor grad_output, Tensor x, Tensor weight, {TRANSPOSED}) -> (Tensor, Tensor, Tensor)",
    rule=TransposeGradients,
    cpu=kernels.cpu_transpose_backward,
    plain=kernels.plain_transpose_backward,
    fake=kernels.fake_gradients,
    vmap=grouped_vmap("ccr", "crr"),
)
MOMENTS = operator(
    f"conv_moments(Tensor y, Tensor x, SymInt[] weight_shape, {WINDOW}) -> Tensor",
    rule=Moments,
    cpu=kernels.cpu_moments,
    plain=kernels.plain_moments,
    fake=kernels.fake_moments,
    vmap=grouped_vmap("cc", "r", shape_at=2),
)
