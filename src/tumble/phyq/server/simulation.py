"""One simulation thread for all games: shots that arrive together are simulated in one batch."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tumble.phyq.server.game import Played
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator


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
