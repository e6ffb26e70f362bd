"""What stands for values and functions that stay in the sandbox."""

import inspect


class Reference:
    """A value that stays in the sandbox: only its number is here, and the name of its type."""

    def __init__(self, number, generation):
        self.number, self.generation = number, generation


class StandIn:
    """A student's function."""

    def __init__(self, program, name, signature):
        self.program, self.name = program, name
        self.__name__ = name
        if (found := signature_of(signature)) is not None:
            self.__signature__ = found

    def __call__(self, *arguments, **named):
        return self.program.call(self.name, list(arguments), named)


def signature_of(parameters):
    """A signature from names, kinds and whether there are defaults; None where there is none."""
    try:
        kinds = list(inspect._ParameterKind)
        return inspect.Signature(
            [
                inspect.Parameter(name, kinds[kind], **({"default": None} if default else {}))
                for name, kind, default in parameters
            ]
        )
    except (TypeError, ValueError, IndexError):
        return None
