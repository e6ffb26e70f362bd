"""The catalogue of known mistakes. To add one, write it into the list of its operation."""

from course_lib.exercises.misconceptions.avg_pool import AVG_POOL_MISCONCEPTIONS
from course_lib.exercises.misconceptions.conv import CONV_MISCONCEPTIONS
from course_lib.exercises.misconceptions.convolution import CONV
from course_lib.exercises.misconceptions.derivations import DERIVATION_MISCONCEPTIONS
from course_lib.exercises.misconceptions.harness import GRADIENT_CHECK, HARNESS_MISCONCEPTIONS
from course_lib.exercises.misconceptions.max_pool import MAX_POOL_MISCONCEPTIONS
from course_lib.exercises.misconceptions.model import Case, Misconception, Operation, catalogue
from course_lib.exercises.misconceptions.pooling import AVG_POOL, MAX_POOL
from course_lib.exercises.misconceptions.ties import TIE_MISCONCEPTIONS
from course_lib.exercises.misconceptions.words import WORD_MISCONCEPTIONS

CATALOGUE = catalogue(
    MAX_POOL_MISCONCEPTIONS,
    AVG_POOL_MISCONCEPTIONS,
    CONV_MISCONCEPTIONS,
    WORD_MISCONCEPTIONS,
    DERIVATION_MISCONCEPTIONS,
    HARNESS_MISCONCEPTIONS,
    TIE_MISCONCEPTIONS,
)

__all__ = ["AVG_POOL", "CATALOGUE", "CONV", "GRADIENT_CHECK", "MAX_POOL", "Case", "Misconception", "Operation"]
