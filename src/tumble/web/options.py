"""What a server is told when it starts: where it listens, what it shows, and its limits."""

from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

from tumble.errors import TumbleError

KIB = 1024
HELP = "help"


def _limit(default: float, text: str) -> Any:
    """A limit with its default and the help of its option on the command line."""
    return field(default=default, metadata={HELP: text})


@dataclass(frozen=True)
class Limits:
    """Limits for what comes from the net; each is an option of the commands that serve pages.

    A client is a participant of a study where one is known, else an address; IPv6 addresses count by their first half.
    """

    requests_per_second: float = _limit(100.0, "Requests a second of a client; files of the pages do not count.")
    burst: int = _limit(1000, "Requests that a client may make at once.")
    body_bytes: int = _limit(16 * KIB, "Of a request, where the pages of a benchmark do not need more.")
    head_seconds: float = _limit(10.0, "In which the head of a request must arrive.")
    body_seconds: float = _limit(10.0, "In which the body of a request must arrive.")
    write_seconds: float = _limit(10.0, "In which an answer must be read, besides a second for each 16 KiB of it.")
    idle_seconds: int = _limit(20, "After which a connection without a request is closed.")
    connections: int = _limit(1024, "Connections that are open; idle ones make room for new ones.")
    connections_per_address: int = _limit(384, "Connections of one address, unless it is a trusted proxy.")
    waiting: int = _limit(512, "Requests that wait for physics, or for pictures; more are answered with 503.")
    waiting_per_address: int = _limit(384, "Requests of one address that wait for pictures.")

    def __post_init__(self) -> None:
        for limit in (one for one in fields(self) if HELP in one.metadata):
            value = getattr(self, limit.name)
            if not (isfinite(value) and value > 0):
                raise TumbleError(f"--{limit.name.replace('_', '-')} is a number above 0, not {value:g}")


@dataclass(frozen=True)
class StudyLimits(Limits):
    """Those of `tumble study serve`."""

    newcomers_per_minute: int = _limit(120, "New participants of one address, where a study is open to anyone.")
    wrong_tokens_per_minute: int = _limit(12, "Wrong tokens of one address; the right one is always accepted.")


@dataclass(frozen=True)
class WebOptions(StudyLimits):
    """All that a server is told."""

    host: str = "127.0.0.1"
    port: int = 8000
    runs: Path | None = None
    """A folder of run logs to show beside people's attempts."""
    allowed_hosts: tuple[str, ...] = ()
    """Names in the header Host that are accepted besides this machine's and IP addresses."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks whose X-Forwarded-For and X-Forwarded-Proto are believed."""
