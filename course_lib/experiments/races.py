"""Many hands at once: in an order of turns drawn from a seed, and in real threads."""

from threading import Thread

import numpy as np


def together(hands, seed):
    """Runs generators at once: in each turn one of those not yet done goes on to its next ``yield``.

    Parameters
    ----------
    hands : iterable of generators
    seed : int
        From which the order of turns is drawn, each hand as likely as any other.

    Examples
    --------
    >>> def hand(name):
    ...     print(name, "reads")
    ...     yield
    ...     print(name, "writes")
    >>> together([hand("A"), hand("B")], seed=1)
    A reads
    B reads
    B writes
    A writes
    """
    hands, rng = list(hands), np.random.default_rng(seed)
    while hands:
        turn = rng.integers(len(hands))
        if next(hands[turn], hand_done) is hand_done:
            del hands[turn]


def hand_done():
    """Stands for a hand that has no turn left."""


def in_two_threads(work, *args):
    """Calls a function in two threads at once, with the same arguments, and waits for both."""
    threads = [Thread(target=work, args=args) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
