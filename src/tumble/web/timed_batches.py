"""How much to simulate for one request, so that nobody waits long: batches that grow until the time is used up."""

from collections.abc import Iterator
from time import monotonic

MOST_GROWTH = 16
"""Factor by which a batch may be larger than the one before."""


def timed_batches(seconds: float, most: int) -> Iterator[tuple[int, int]]:
    """The first number and the size of each batch; the next is asked for when one has been simulated.

    Ends when half of the seconds are used up or `most` are done. The first batch has one element, as some tasks take a
    hundred times as long as others; the next ones are what fits into half of the seconds.
    """
    done, size = 0, 1
    begin = last = monotonic()
    while done == 0 or (done < most and 2.0 * (last - begin) < seconds):
        size = min(size, most - done)
        yield done, size
        done += size
        last, before = monotonic(), last
        size = next_size(size, last - before, seconds)


def next_size(size: int, took: float, seconds: float) -> int:
    """The size of the next batch, after one of `size` that took some seconds: what fits into half of `seconds`.

    >>> next_size(1, 0.01, 0.4), next_size(20, 1.0, 0.4), next_size(1, 0.0001, 0.4)
    (16, 4, 16)
    """
    return max(1, min(MOST_GROWTH * size, int(0.5 * seconds * size / max(took, 1e-6))))
