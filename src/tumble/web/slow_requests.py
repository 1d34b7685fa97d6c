"""A time limit for the head of a request, which no ASGI application sees: connections that send half of it, or
nothing, are closed."""

import asyncio
from typing import Any

from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 10.0
"""From the first moment at which a request may begin to the end of its head."""
ANSWER = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class HeadTimeoutProtocol(H11Protocol):
    """HTTP by h11, as Uvicorn speaks it, which closes connections whose head takes too long."""

    head_seconds = HEAD_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:  # the head is here, and the body has a limit
            self._stop_waiting()
        else:
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """Answers a request that breaks the protocol; where its method allows no text, the connection is closed."""
        try:
            super().send_400_response(msg)
        except LocalProtocolError:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Begins to wait for the end of a head; further bytes of it give no further time."""
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.head_seconds, self._time_out)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _time_out(self) -> None:
        self._waiting = None
        if not self.transport.is_closing():
            self.transport.write(ANSWER)
            self.transport.close()
