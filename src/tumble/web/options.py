"""What the server is told when it starts."""

from dataclasses import dataclass
from pathlib import Path

KIB = 1024


@dataclass(frozen=True)
class WebOptions:
    """Where to listen, what to show, and limits for what comes from the net."""

    host: str = "127.0.0.1"
    port: int = 8000
    runs: Path | None = None
    """A folder of run logs to show beside people's attempts."""
    allowed_hosts: tuple[str, ...] = ()
    """Names in the header Host that are accepted besides this machine's and IP addresses."""
    requests_per_second: float = 50.0
    """For each client's address, on average."""
    burst: int = 300
    """Requests that an address may make at once."""
    body_bytes: int = 16 * KIB
    """Of a request, unless the pages of a benchmark say more."""
    body_seconds: float = 10.0
    """In which a request's body must arrive."""
    waiting_attempts: int = 256
    """Requests for physics that may wait; more are answered with 503."""
