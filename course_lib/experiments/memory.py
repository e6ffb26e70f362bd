"""Peak memory, by a way that is the same on every system: the bytes of the arrays that are alive at one time.

What the operating system says about a process counts pages, in steps larger than all of these networks.
"""

import tracemalloc


def numpy_peak(function):
    """The largest number of bytes that a function had allocated at one time, beyond those from before.

    Parameters
    ----------
    function : callable
        Without arguments. NumPy tells `tracemalloc` of every array.
    """
    begun = tracemalloc.is_tracing()
    if not begun:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        function()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not begun:
            tracemalloc.stop()


def torch_peak(function):
    """The largest number of bytes in tensors that a function had made and that were alive at one time.

    Parameters
    ----------
    function : callable
        Without arguments.
    """
    from torch import Tensor
    from torch.multiprocessing.reductions import StorageWeakRef
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Watch(TorchDispatchMode):
        """Sees every operation, those of the backward too, and keeps track of what it made."""

        def __init__(self):
            super().__init__()
            self.alive, self.peak = {}, 0

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            given = {storage._cdata for storage in _storages(tree_leaves((args, kwargs)), Tensor)}
            result = operation(*args, **(kwargs or {}))
            self.alive = {key: entry for key, entry in self.alive.items() if not entry[0].expired()}
            for storage in _storages(tree_leaves(result), Tensor):
                if storage._cdata not in self.alive and storage._cdata not in given:
                    self.alive[storage._cdata] = StorageWeakRef(storage), storage.nbytes()
            self.peak = max(self.peak, sum(size for _, size in self.alive.values()))
            return result

    with Watch() as watch:
        function()
    return watch.peak


def _storages(values, kind):
    """The memory behind each tensor."""
    return [value.untyped_storage() for value in values if isinstance(value, kind)]
