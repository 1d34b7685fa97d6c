"""Shots per second of `tumble phyq serve` with several clients at once, each a process, on this machine.

    python benchmarks/speed/phyq_server.py

Clients send messages in the order of the published PigShooter, without its sleeps, and shoot at fixed angles at the
test tasks of the broad setting; every attempt is recorded. Server and clients share the machine's cores.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from table import Results

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "phyq" / "server"))

import numpy as np
from protocol_client import Client, PigShooterPlayer

from tumble.phyq.catalogue.trajectory import REST_POINT, Release
from tumble.phyq.observation.camera import to_pixels
from tumble.phyq.simulation.simulator import physics_id

SECONDS = 20.0
LEVELS = 680


def release_at(degrees: float) -> tuple[int, int]:
    """The release pixel of a shot at full stretch."""
    x, y = to_pixels(np.array(REST_POINT) + 5.0 * np.array(Release(degrees).pull))
    return round(x), round(y)


def play(port: int, number: int, until: float) -> int:
    """The shots of a client until a time."""
    shots = 0
    with Client(port) as client:
        player = PigShooterPlayer(client, lambda level, shot: release_at(10.0 + (17 * level + 29 * shot) % 60))
        player.start()
        for level in islice(cycle(range(1, LEVELS + 1)), 85 * number, None):
            if time.time() > until:
                return shots
            shots += player.play(level).shots
    raise AssertionError


@contextmanager
def served(folder: str) -> Iterator[tuple[int, int]]:
    """The server's port and process, once its levels are prepared."""
    options = ["--setting", "broad", "--attempts", "5", "--port", "0", "--runs", folder, "--agent", "benchmark"]
    with subprocess.Popen(
        [sys.executable, "-m", "tumble", "phyq", "serve", *options], stdout=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        assert process.stdout is not None
        found = next(match for line in process.stdout if (match := re.search(r"\.1:(\d+)", line)))
        drain = threading.Thread(target=process.stdout.read)  # its lines must be read, or it stops
        drain.start()
        try:
            yield int(found[1]), process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
            drain.join()


def cpu_seconds(process: int) -> float:
    """CPU seconds that a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def shots_of(port: int, clients: int) -> tuple[int, float]:
    """The shots of a number of clients at once, and the seconds that they took."""
    with get_context("fork").Pool(clients) as pool:
        begin = time.time()
        until = begin + SECONDS
        shots = pool.starmap(play, [(port, number, until) for number in range(clients)])
        return sum(shots), time.time() - begin


def main() -> None:
    results = Results(f"Phy-Q's server, {physics_id()}")
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        with served(folder) as (port, process):
            results.add("seconds until it serves 680 levels", f"{time.perf_counter() - begin:.1f}")
            shots_of(port, 1)
            for clients, must in ((1, ""), (8, "100"), (32, "")):
                used = cpu_seconds(process)
                shots, seconds = shots_of(port, clients)
                cost = 1000.0 * (cpu_seconds(process) - used) / shots
                load = os.getloadavg()[0]
                note = f"{os.cpu_count()} cores for server and clients, load {load:.1f}; server {cost:.1f} CPU ms/shot"
                results.add(f"shots/s, {clients} clients at once", f"{shots / seconds:.0f}", must, "", note)
    results.finish("phyq-server")


if __name__ == "__main__":
    main()
