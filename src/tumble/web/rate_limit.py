"""How many requests a client may make: a bucket of tokens for each, which refills with time."""

from collections.abc import Callable
from time import monotonic

MOST_CLIENTS = 4096
"""For which buckets are kept; full ones are forgotten first."""


class RateLimit:
    """Counts requests by client.

    >>> limit = RateLimit(rate=1.0, burst=2, clock=lambda: 0.0)
    >>> [limit.seconds_to_wait("10.0.0.1") for _ in range(3)]
    [0.0, 0.0, 1.0]
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        """Tokens left and when they were counted, by client."""

    def seconds_to_wait(self, client: str) -> float:
        """Takes a token: 0, or the seconds until there is one."""
        now = self._clock()
        tokens = self._tokens(client, now)
        granted = tokens >= 1.0
        self._buckets[client] = (tokens - granted, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._forget(now)
        return 0.0 if granted else (1.0 - tokens) / self.rate

    def _tokens(self, client: str, now: float) -> float:
        tokens, since = self._buckets.get(client, (float(self.burst), now))
        return min(float(self.burst), tokens + (now - since) * self.rate)

    def _forget(self, now: float) -> None:
        """Drops buckets that are full by now, and the oldest half if there are none."""
        full = [
            key for key, (tokens, since) in self._buckets.items() if tokens + (now - since) * self.rate > self.burst
        ]
        for key in full or sorted(self._buckets, key=lambda one: self._buckets[one][1])[: MOST_CLIENTS // 2]:
            del self._buckets[key]


def per_minute(count: int) -> RateLimit:
    """A limit of so many a minute, all of which may come at once."""
    return RateLimit(count / 60.0, count)
