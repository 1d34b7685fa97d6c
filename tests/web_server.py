"""An application on a real socket in a thread, for tests with a browser."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import uvicorn
from fastapi import FastAPI

from tumble.web.app import make_app
from tumble.web.options import WebOptions
from tumble.web.pages import WebPages
from tumble.web.server import address_of, listen

START_SECONDS = 20.0


@contextmanager
def running(app: FastAPI, port: int = 0) -> Iterator[str]:
    """Serves an application at a free port, or at one of before; yields its address, as http://localhost:1234."""
    listening = listen("127.0.0.1", port)
    config = uvicorn.Config(app, log_level="warning", access_log=False, ws="none", proxy_headers=False)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        begin = monotonic()
        while not server.started:
            assert monotonic() - begin < START_SECONDS, "the server does not start"
            sleep(0.02)
        yield address_of("127.0.0.1", listening).rstrip("/")
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)


@contextmanager
def serving(pages: Mapping[str, WebPages], runs: Path | None = None) -> Iterator[str]:
    """Serves the pages of benchmarks without a limit of requests; yields the address."""
    with running(make_app(WebOptions(runs=runs, requests_per_second=1e6, burst=10**6), dict(pages))) as address:
        yield address
