"""Who sends a request: an address, which a trusted proxy may tell."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope

from tumble.errors import TumbleError

Address = IPv4Address | IPv6Address
LONGEST = 64
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
        return address[:LONGEST]
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
