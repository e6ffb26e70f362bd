"""The same network in PyTorch, which finds the backward itself."""

from course_lib.experiments.environment import load_torch
from course_lib.experiments.gradients import Gradients
from course_lib.experiments.networks import POOL
from course_lib.experiments.settings import HALF


class TorchNetwork:
    """Computes a variant whose backend is the framework. It keeps no parameters: they are given to every call.

    Parameters
    ----------
    settings : Settings

    Raises
    ------
    ImportError
        If PyTorch is not installed.
    """

    def __init__(self, settings):
        self.torch = load_torch()
        self.geometry, self.settings = settings.geometry, settings
        self.numbers = range(1, len(self.geometry.channels) + 1)

    def values(self, parameters, x):
        """What each layer gives, by name."""
        kept = {"x": self.torch.from_numpy(x)}
        with self.torch.no_grad():
            kept["logits"] = self._logits(self._tensors(parameters), kept["x"], kept)
        return {name: self._array(value) for name, value in kept.items() if not name.startswith("relu")}

    def classes(self, parameters, x):
        """The digit that each image is taken for."""
        with self.torch.no_grad():
            return self._logits(self._tensors(parameters), self.torch.from_numpy(x)).argmax(1).numpy()

    def gradients(self, parameters, x, y, factor=1.0, pools=False):
        """The gradients of the mean cross-entropy times a factor; those around the poolings too, if asked for."""
        tensors = {name: tensor.requires_grad_() for name, tensor in self._tensors(parameters).items()}
        kept = {} if pools else None
        logits = self._logits(tensors, self.torch.from_numpy(x), kept).to(tensors["linear.bias"].dtype)
        loss = self.torch.nn.functional.cross_entropy(logits, self.torch.from_numpy(y)) * factor
        around = [kept[f"{kind}{number}"] for number in self.numbers for kind in ("relu", "pool")] if pools else []
        found = [self._array(gradient) for gradient in self.torch.autograd.grad(loss, [*tensors.values(), *around])]
        own, rest = found[: len(tensors)], found[len(tensors) :]
        return Gradients(dict(zip(tensors, own, strict=True)), tuple(zip(rest[::2], rest[1::2], strict=True)))

    def _array(self, tensor):
        """The tensor's numbers; NumPy has no bfloat16."""
        return (tensor.float() if tensor.dtype == self.torch.bfloat16 else tensor).numpy()

    def _tensors(self, parameters):
        """Tensors that share the memory of the arrays."""
        return {name: self.torch.from_numpy(array) for name, array in parameters.items()}

    def _precision(self):
        """PyTorch's automatic mixed precision, or none."""
        name = self.settings.precision
        dtype = getattr(self.torch, name if name in HALF else "bfloat16")
        return self.torch.autocast("cpu", dtype, enabled=name in HALF)

    def _logits(self, tensors, x, kept=None):
        """The last layer's output; what comes before is put into a dict, if there is one, and else dropped early."""
        functional = self.torch.nn.functional
        with self._precision():
            for number in self.numbers:
                x = self._block(tensors, number, x, kept)
            return functional.linear(x.flatten(1), tensors["linear.weight"], tensors["linear.bias"])

    def _block(self, tensors, number, x, kept):
        """Convolution, ReLU, pooling."""
        functional = self.torch.nn.functional
        pool = {"max": functional.max_pool2d, "average": functional.avg_pool2d}[self.settings.pooling]
        weight, bias = tensors[f"conv{number}.weight"], tensors[f"conv{number}.bias"]
        z = functional.conv2d(x, weight, bias, padding=self.geometry.padding)
        before = functional.relu(z)
        after = pool(before, POOL)
        if kept is not None:
            kept.update({f"conv{number}": z, f"relu{number}": before, f"pool{number}": after})
        return after
