"""The TCP server: a session for each client that connects, one simulation thread for all, and run logs.

Shots that arrive together are simulated in one batch. The attempts of clients are written to logs of the usual
format.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import numpy as np

from tumble.errors import TumbleError
from tumble.output import file_error
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.observation.view import start as start_view
from tumble.phyq.server.game import Game, Played, Served
from tumble.phyq.server.session import Session
from tumble.phyq.server.wire import read_request
from tumble.phyq.simulation.attempt import Attempt, row_of
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs import log as run_log
from tumble.runs.log import Log, TaskUpdate


@dataclass
class _Job:
    """A sequence of shots to simulate, with the steps between recorded poses, or 0."""

    level: int
    shots: tuple[Shot, ...]
    stride: int
    result: "asyncio.Future[Played]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class SharedSimulation:
    """Simulates the shots of many games; while a batch runs, the next one collects."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="phyq-simulation")
        self._waiting: list[_Job] = []
        self._worker: asyncio.Task[None] | None = None
        self.shots = self.batches = 0

    async def play(self, level: int, shots: Sequence[Shot], stride: int = 0) -> Played:
        """Simulates shots on the level of an index, from its start; with `stride`, poses are recorded."""
        job = _Job(level, tuple(shots), stride)
        self._waiting.append(job)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.get_running_loop().create_task(self._work())
        return await job.result

    async def _work(self) -> None:
        """Simulates batch after batch until nothing waits."""
        await asyncio.sleep(0)  # lets other clients, whose requests have arrived, join the batch
        while self._waiting:
            stride = self._waiting[0].stride
            batch = [job for job in self._waiting if job.stride == stride]
            self._waiting = [job for job in self._waiting if job.stride != stride]
            try:
                episodes = await asyncio.get_running_loop().run_in_executor(self._thread, self._simulate, batch)
            except Exception as error:
                for job in batch:
                    if not job.result.cancelled():
                        job.result.set_exception(error)
                continue
            self.batches, self.shots = self.batches + 1, self.shots + len(batch)
            for row, job in enumerate(batch):
                if not job.result.cancelled():
                    job.result.set_result(Played(episodes, row))

    def _simulate(self, batch: Sequence[_Job]) -> Episodes:
        stride = batch[0].stride
        want = ("states", "trajectory") if stride else ("states",)
        levels, shots = [job.level for job in batch], [job.shots for job in batch]
        return self._simulator.play(levels, shots, want, max(stride, 1))

    def close(self) -> None:
        """Waits for the batch that is being simulated, and ends the thread."""
        self._thread.shutdown(cancel_futures=True)


class Recorder:
    """Records attempts at the tasks of a specification, until the context that it is used as ends.

    An attempt belongs to the first run, by seed from that of the specification on, in which its task still lacks
    attempts. So several clients fill one run together, and what they play beyond it starts the next. Runs that exist
    are continued.
    """

    def __init__(self, spec: PhyQRunSpec, folder: Path) -> None:
        self.spec, self.folder = spec, folder
        self._index = {task_id: index for index, task_id in enumerate(spec.task_ids())}
        self._logs: list[Log] = []
        self._open = ExitStack()
        self.attempts = 0

    def __enter__(self) -> "Recorder":
        self._add_run()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def paths(self) -> list[Path]:
        """The logs."""
        return [log.path for log in self._logs]

    def record(self, task_id: str, attempt: Attempt) -> None:
        """Appends an attempt to the log of its run; finishes the log if it was the last."""
        log = next((log for log in self._logs if task_id not in log.tasks), None)
        while log is None:
            added = self._add_run()
            log = None if task_id in added.tasks else added
        number = len(log.open_tasks.get(task_id, ())) + 1
        done = number >= self.spec.attempts
        log.append([TaskUpdate(task_id, [row_of(number, attempt)], self._index[task_id], done)])
        self.attempts += 1
        if len(log.tasks) == len(self._index):
            log.finish()

    def _add_run(self) -> Log:
        """Opens the log of the next run; continues it if it exists."""
        spec = replace(self.spec, seed=self.spec.seed + len(self._logs))
        self.folder.mkdir(parents=True, exist_ok=True)
        spec.write_tasks(self.folder)
        log = self._open.enter_context(run_log.open_log(self.folder / spec.file_name(), spec.header()))
        self._logs.append(log)
        return log


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
