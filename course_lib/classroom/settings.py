"""What a batch is graded with."""

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass

from course_lib.exercises import registry


@dataclass(frozen=True)
class Settings:
    """The choices of one batch.

    Attributes
    ----------
    exercises : tuple of int
    secret : bytes
        Empty: then there are no hidden cases.
    own_cases : bool
        Whether each student has hidden cases of their own.
    pace : float
        The seconds of every exercise are multiplied by it.
    runs : int
        How many runs of each design of exercises 8 to 10 the grader repeats.
    roster : tuple of (str, str)
        The number and the name of each student who has numbers of their own; empty where nobody has.
    similar : bool
        Whether the code of answers is kept, so that answers can be compared with each other.
    """

    exercises: tuple = ()
    secret: bytes = b""
    own_cases: bool = False
    pace: float = 1.0
    runs: int = 2
    roster: tuple = ()
    similar: bool = False

    def __post_init__(self):
        object.__setattr__(self, "exercises", tuple(self.exercises or registry.module_names()))
        # Lists that have crossed as JSON are tuples again.
        object.__setattr__(self, "roster", tuple(map(tuple, self.roster)))

    def mark(self):
        """What tells these settings from others, without telling the secret."""
        secret = hmac.new(self.secret, b"journal", hashlib.sha256).hexdigest() if self.secret else ""
        words = json.dumps({**asdict(self), "secret": secret}, sort_keys=True)
        return hashlib.sha256(words.encode()).hexdigest()

    def packed(self):
        """As bytes, for a process elsewhere. The secret is in them."""
        return json.dumps({**asdict(self), "secret": self.secret.hex()}).encode()


def unpacked(data):
    """The settings that were packed."""
    values = json.loads(data)
    return Settings(**{**values, "secret": bytes.fromhex(values["secret"])})
