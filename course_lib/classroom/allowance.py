"""The seconds that a student's programs may still take, whatever ends them and however often they are begun again."""

# A process that waits for others uses the clock and not the processor.
PATIENCE, SLACK = 2.0, 2.0
# Of an exercise's seconds, what one call may take: who loops for ever in one function still shows the others.
SHARE_OF_A_CALL = 0.25


class Allowance:
    """Seconds of the processor and of the clock.

    Parameters
    ----------
    seconds : float
        Of the processor.
    above : Allowance or None
        One for several, of which this is a part: what is spent here is spent there too.
    """

    def __init__(self, seconds, above=None):
        self.seconds, self.above = seconds, above
        self._processor, self._clock = seconds, patience(seconds)

    @property
    def processor(self):
        """The seconds of the processor that are left."""
        return self._processor if self.above is None else min(self._processor, self.above.processor)

    @property
    def clock(self):
        """The seconds of the clock that are left."""
        return self._clock if self.above is None else min(self._clock, self.above.clock)

    @property
    def is_used_up(self):
        """Whether nothing is left of one of them."""
        return self.processor <= 0 or self.clock <= 0

    @property
    def a_call(self):
        """The seconds of the processor for one call."""
        return min(SHARE_OF_A_CALL * self.seconds, self.processor)

    def wait(self, clock):
        """Takes away what the judge has waited."""
        self._clock -= clock
        if self.above is not None:
            self.above.wait(clock)

    def spend(self, processor):
        """Takes away what a process has used."""
        self._processor -= processor
        if self.above is not None:
            self.above.spend(processor)


def patience(seconds):
    """The seconds of the clock for seconds of the processor."""
    return PATIENCE * seconds + SLACK
