"""How much to do at once, so that nobody waits long."""

MOST_GROWTH = 16


def next_size(size: int, took: float, seconds: float) -> int:
    """The size of the next batch, after one of `size` that took some seconds: what fits into half of `seconds`.

    >>> next_size(1, 0.01, 0.4), next_size(20, 1.0, 0.4), next_size(1, 0.0001, 0.4)
    (16, 4, 16)
    """
    return max(1, min(MOST_GROWTH * size, int(0.5 * seconds * size / max(took, 1e-6))))
