"""How many requests an address may make: a bucket of tokens for each, which refills with time."""

from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from time import monotonic

MOST_ADDRESSES = 4096
"""For which buckets are kept; full ones are forgotten first."""


class RateLimit:
    """Counts requests by address.

    >>> limit = RateLimit(rate=1.0, burst=2, clock=lambda: 0.0)
    >>> [limit.seconds_to_wait("10.0.0.1") for _ in range(3)]
    [0.0, 0.0, 1.0]
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        """Tokens left and when they were counted, by address."""

    def seconds_to_wait(self, address: str) -> float:
        """Takes a token: 0, or the seconds until there is one."""
        now = self._clock()
        key = _network(address)
        tokens = self._tokens(key, now)
        granted = tokens >= 1.0
        self._buckets[key] = (tokens - granted, now)
        if len(self._buckets) > MOST_ADDRESSES:
            self._forget(now)
        return 0.0 if granted else (1.0 - tokens) / self.rate

    def seconds_left(self, address: str) -> float:
        """The seconds until there is a token, without taking it."""
        return max(0.0, (1.0 - self._tokens(_network(address), self._clock())) / self.rate)

    def _tokens(self, key: str, now: float) -> float:
        tokens, since = self._buckets.get(key, (float(self.burst), now))
        return min(float(self.burst), tokens + (now - since) * self.rate)

    def _forget(self, now: float) -> None:
        """Drops buckets that are full by now, and the oldest half if there are none."""
        full = [
            key for key, (tokens, since) in self._buckets.items() if tokens + (now - since) * self.rate > self.burst
        ]
        for key in full or sorted(self._buckets, key=lambda one: self._buckets[one][1])[: MOST_ADDRESSES // 2]:
            del self._buckets[key]


def _network(address: str) -> str:
    """The address itself, or the first half of an IPv6 address, of which one client has many.

    >>> _network("2001:db8:1:2:3:4:5:6")
    '2001:db8:1:2'
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    return ":".join(f"{part:x}" for part in _parts(found)) if isinstance(found, IPv6Address) else str(found)


def _parts(address: IPv6Address) -> list[int]:
    return [int.from_bytes(address.packed[k : k + 2], "big") for k in range(0, 8, 2)]
