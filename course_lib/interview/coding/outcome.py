"""What a coding drill is worth."""


def suggested(attempt, passed):
    """The rating that the outcome suggests.

    Parameters
    ----------
    attempt : Attempt
    passed : bool

    Returns
    -------
    int
        1 if it does not pass; 2 if it passes late or with a hint; 4 if it passes at once in half of the time; else 3.
    """
    if not passed:
        return 1
    if attempt.hints or attempt.seconds > 60 * attempt.minutes:
        return 2
    return 4 if len(attempt.sources) == 1 and attempt.seconds <= 30 * attempt.minutes else 3
