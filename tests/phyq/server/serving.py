"""A server in a thread of its own, on a free port, and levels to serve."""

import asyncio
import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from protocol_client import Release

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.camera import to_world
from tumble.phyq.server.server import GameServer, Recorder
from tumble.phyq.simulation.shots import shot_from
from tumble.phyq.simulation.simulator import play

ON_GROUND = -3.277
MISS: Release = (300, 253)
"""A release right of the slingshot, which shoots the bird to the left, out of the world."""


def one_pig(birds: Sequence[str], *more: Pig) -> Level:
    """A level with a pig in the open."""
    return Level(tuple(birds), (Pig("small", 0.0, ON_GROUND), *more))


LEVELS = [
    one_pig(["red"]),
    one_pig(["red", "red"]),
    one_pig(["red", "blue", "yellow"]),
    Level(("red",), (Pig("small", 14.0, ON_GROUND),)),
    Level(
        ("black", "white"),
        (Pig("medium", 3.0, -3.12),),
        (Block("triangle", "wood", 6.0, -3.125), Block("square_hole", "ice", 8.0, -3.1135)),
        (Platform(-4.0, 4.0, 0.0, 2.0, 0.5),),
    ),
]
"""With one, two and three birds; with a pig that is out of reach; with all kinds of pieces."""
TASKS = [Task(f"level {number}", level) for number, level in enumerate(LEVELS, start=1)]


def release_at(degrees: float) -> Release:
    """The release pixel of a shot at an angle, 200 pixels from the rest point."""
    turn = math.radians(degrees)
    return round(97.8 - 200.0 * math.cos(turn)), round(252.8 + 200.0 * math.sin(turn))


@cache
def winning_release() -> Release:
    """A release that hits the pig in the open, found by simulation."""
    releases = [release_at(degrees) for degrees in range(5, 80)]
    shots = [[shot_from(to_world(float(x), float(y)))] for x, y in releases]
    won = play(LEVELS[0], shots).won
    assert won.any()
    return releases[int(won.argmax())]


class Running:
    """A server that is running."""

    def __init__(self, server: GameServer) -> None:
        self.server, self.port = server, 0
        self.lines: list[str] = []
        """What it reported."""


@contextmanager
def serving(tasks: Sequence[Task] = TASKS, attempts: int = 1, recorder: Recorder | None = None) -> Iterator[Running]:
    """Runs a server until the context ends."""
    lines: list[str] = []
    running = Running(GameServer(tasks, attempts, recorder, lines.append))
    running.lines = lines
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def run() -> None:
        running.port = await running.server.start("127.0.0.1", 0)
        ready.set()
        await stop.wait()
        await running.server.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        assert ready.wait(60.0)
        yield running
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60.0)
        loop.close()
