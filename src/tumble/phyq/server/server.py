"""The TCP server: a session for each client that connects."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from tumble.errors import TumbleError
from tumble.output import file_error
from tumble.phyq.observation.view import start as start_view
from tumble.phyq.server.game import Game, Served
from tumble.phyq.server.recorder import Recorder
from tumble.phyq.server.session import Session
from tumble.phyq.server.simulation import SharedSimulation
from tumble.phyq.server.wire import read_request
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.task import Task

Report = Callable[[str], None]
"""Takes a line about a client."""


class GameServer:
    """Lets clients play tasks, each in its own game; all share the simulation.

    `attempts` is how often the next level is the same one; `recorder` takes every attempt.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        attempts: int = 1,
        recorder: Recorder | None = None,
        report: Report = lambda line: None,
        device: str = "cpu",
        threads: int = 0,
    ) -> None:
        self._attempts, self._recorder, self._report = attempts, recorder, report
        simulator = Simulator([task.level for task in tasks], device, threads)
        self.levels = [
            Served(task, start_view(level)) for task, level in zip(tasks, simulator.settled_levels(), strict=True)
        ]
        self.simulation = SharedSimulation(simulator)
        self._best_scores: dict[int, int] = {}
        self._numbers = count(1)
        self._sessions: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Starts to listen; returns the port, which is a free one for port 0."""
        self._server = await asyncio.start_server(self._serve, host, port)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Closes all connections; attempts that are not over are not counted."""
        if self._server is not None:
            self._server.close()
        for writer in self._sessions.values():
            writer.close()
        await asyncio.gather(*self._sessions)
        self.simulation.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves a client until it disconnects or sends something that is no request."""
        task = asyncio.current_task()
        assert task is not None
        self._sessions[task] = writer
        name = f"client {next(self._numbers)}"
        self._report(f"{name}: connected")
        session = self._session(name)
        try:
            await self._answer(session, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            partial = isinstance(error, asyncio.IncompleteReadError) and error.partial
            self._report(f"{name}: disconnected{' within a message' if partial else ''}{_unfinished(session.game)}")
        except TumbleError as error:
            self._report(f"{name}: {error}; connection closed{_unfinished(session.game)}")
        except OSError as error:
            self._report(f"{name}: {file_error(error)}; connection closed")
        finally:
            del self._sessions[task]
            writer.close()

    async def _answer(self, session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers requests one by one, each with one write."""
        while True:
            request = await read_request(reader.readexactly)
            writer.write(await session.reply(request))
            await writer.drain()

    def _session(self, name: str) -> Session:
        def ended(number: int, attempt: Attempt) -> None:
            task = self.levels[number - 1].task
            if self._recorder is not None:
                self._recorder.record(task.id, attempt)
            status = {"open": "given up", "cap": "lost, still moving"}.get(attempt.status, attempt.status)
            shots = f"{len(attempt.shots)} of {len(task.level.birds)} birds"
            self._report(f"{name}: level {number} of {len(self.levels)} ({task.id}): {status}, {shots}")

        game = Game(self.levels, self._attempts)
        return Session(game, self.simulation, ended, self._best_scores, np.random.default_rng())


def _unfinished(game: Game) -> str:
    """A remark about an attempt that was not over."""
    return f" during level {game.number}, an attempt that does not count" if game.is_open else ""
