"""Who sends a request, an address, which a trusted proxy may tell; and how many requests a client may make.

Each client has a bucket of tokens, which refills with time.
"""

from collections.abc import Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import monotonic

from starlette.datastructures import Headers
from starlette.types import Scope

from tumble.errors import TumbleError

Address = IPv4Address | IPv6Address
LONGEST_ADDRESS = 64
"""Characters that are kept of a client that has no IP address."""
SCHEMES = ("http", "https")


class Proxies:
    """The proxies in front of a server that are trusted to say who asks, and by which scheme."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = [_network(text) for text in networks]

    def trusts(self, address: str) -> bool:
        """Whether an address is that of a trusted proxy."""
        found = _parsed(address)
        return found is not None and any(found in network for network in self._networks)

    def client(self, peer: str, forwarded: Sequence[str]) -> str:
        """The address from which a request came, given its peer and all headers X-Forwarded-For.

        It is the right-most one that is no trusted proxy's: what stands left of it anybody may have written.

        >>> Proxies(["127.0.0.1", "10.0.0.0/8"]).client("127.0.0.1", ["192.0.2.1, 192.0.2.7", "10.1.2.3"])
        '192.0.2.7'
        >>> Proxies(["127.0.0.1"]).client("192.0.2.1", ["10.0.0.1"])
        '192.0.2.1'
        """
        hops = [hop for line in forwarded for hop in line.split(",")]
        found = peer
        while hops and self.trusts(found):
            hop = _parsed(_without_port(hops.pop().strip()))
            if hop is None:
                break
            found = str(hop)
        return found

    def resolve(self, scope: Scope) -> None:
        """Sets the client and the scheme of a request as its proxies tell them."""
        peer = scope["client"][0] if scope.get("client") else ""
        if not self._networks or not self.trusts(peer):
            return
        headers = Headers(scope=scope)
        scope["client"] = (self.client(peer, headers.getlist("x-forwarded-for")), 0)
        scheme = ",".join(headers.getlist("x-forwarded-proto")).rpartition(",")[2].strip().lower()
        if scheme in SCHEMES:
            scope["scheme"] = scheme


def client_key(scope: Scope) -> str:
    """What limits count a request's client by."""
    return address_key(scope["client"][0]) if scope.get("client") else ""


def address_key(address: str) -> str:
    """An address, or the first half of an IPv6 address, of which one client has many.

    >>> address_key("2001:db8:1:2:3:4:5:6"), address_key("::ffff:192.0.2.1")
    ('2001:db8:1:2', '192.0.2.1')
    """
    found = _parsed(address)
    if found is None:
        return address[:LONGEST_ADDRESS]
    if isinstance(found, IPv4Address):
        return str(found)
    return ":".join(f"{int.from_bytes(found.packed[k : k + 2], 'big'):x}" for k in range(0, 8, 2))


def _parsed(text: str) -> Address | None:
    """An address; one of IPv4 inside IPv6, as sockets for both show it, is one of IPv4."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _without_port(text: str) -> str:
    """An address of a header without the port that some proxies add.

    >>> _without_port("192.0.2.1:4711"), _without_port("[2001:db8::1]:4711"), _without_port("2001:db8::1")
    ('192.0.2.1', '2001:db8::1', '2001:db8::1')
    """
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError:
        raise TumbleError(
            f"a trusted proxy is an address, as 10.0.0.5, or a network, as 10.0.0.0/8, not {text!r}"
        ) from None


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
