"""What is lost when a slow agent is killed? No finished task may be, and the resumed run must equal an unkilled one.

    python benchmarks/robustness/slow_agent.py [--trials 6]

Agents sleep 50 ms before each proposal (ComPhy's before each set) and write every call into a journal. Each trial makes
the run in a new process, kills it twice at random moments (SIGKILL), and then lets it finish. A task is lost if,
according to the journal, all its proposals were made and the agent had been called for another task since, but the log
does not have it as finished.
"""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))

from table import Results, arguments

from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import Log, log_files, read
from tumble.runs.spec import RunSpec

PAUSE = 0.05
KILLS = 2
RUN = """
import json, sys
from pathlib import Path
from tumble.benchmark import benchmark
benchmark(sys.argv[1]).run(benchmark(sys.argv[1]).spec(**json.loads(sys.argv[2])), Path(sys.argv[3]))
"""
AGENTS = """
import os, time, zlib
import numpy as np
from tumble.comphy.agents.guessing import Random
from tumble.phyq.agents.agent import Agent as Shooter
from tumble.phyq.simulation.shots import Shot
from tumble.phyre.agents.agent import Agent as Placer
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.catalogue.task import TIERS


def call(*values):
    with open(os.environ["JOURNAL"], "a") as stream:
        stream.write(" ".join(map(str, values)) + "\\n")
    time.sleep(float(os.environ["PAUSE"]))
    return np.random.default_rng([zlib.crc32(str(value).encode()) for value in values])


class PHYRE(Placer):
    learned = 0

    def propose(self, task, past):
        generator = call(task.id, len(past))
        for _ in range(self.learned % 7):
            generator.random()
        return sample_valid(task.scene, TIERS[task.tier], 1, generator)


class Online(PHYRE):
    learns_online = True

    def learn(self, task, past):
        self.learned += len(past)


class PhyQ(Shooter):
    def propose(self, task, past, state):
        return Shot(float(call(task.id, f"{state.attempt}.{state.shots}").uniform(-10.0, 80.0)))


class ComPhy(Random):
    def answer(self, task):
        call(task.id, 0)
        return super().answer(task)
"""


def specs(folder: Path) -> dict[str, RunSpec]:
    """Runs that take some seconds."""
    agents = folder / "slow_agents.py"
    agents.write_text(AGENTS)
    generate(folder / "data", 20, 1, video=False, workers=1)
    placing = {"limit": 6, "attempts": 12}
    return {
        "PHYRE": PhyreRunSpec(f"{agents}:PHYRE", "ball_within_template", **placing),
        "PHYRE, learning online": PhyreRunSpec(f"{agents}:Online", "ball_within_template", **placing),
        "Phy-Q": PhyQRunSpec(f"{agents}:PhyQ", only=("1", "3.4", "4"), limit=2, attempts=4),
        "ComPhy": ComPhyRunSpec(f"{agents}:ComPhy", str(folder / "data"), split="train"),
    }


class Trial:
    """A run in a folder, made by processes that may be killed."""

    def __init__(self, spec: RunSpec, folder: Path) -> None:
        self.spec, self.folder, self.journal = spec, folder, folder / "journal.txt"
        folder.mkdir()

    def start(self, pause: float) -> subprocess.Popen[bytes]:
        """Starts a process that makes or resumes the run."""
        environment = {**os.environ, "PAUSE": str(pause), "JOURNAL": str(self.journal)}
        words = [self.spec.benchmark, json.dumps(self.spec.plain()), str(self.folder)]
        return subprocess.Popen([sys.executable, "-c", RUN, *words], env=environment)

    def kill_after(self, proposals: int, seconds: float) -> None:
        """Starts the run and kills it some seconds after it has made a number of proposals."""
        before, process = len(self.calls()), self.start(PAUSE)
        while len(self.calls()) < before + proposals and process.poll() is None:
            time.sleep(0.005)
        time.sleep(seconds)
        process.kill()
        process.wait()

    def finish(self) -> Log:
        """Finishes the run without pauses."""
        assert self.start(0.0).wait() == 0
        return self.log()

    def log(self) -> Log:
        """The log as it is."""
        (path,) = log_files(self.folder)
        return read(path)

    def calls(self) -> list[tuple[str, ...]]:
        """The calls of the agent so far."""
        text = self.journal.read_text() if self.journal.exists() else ""
        return [tuple(line.split()) for line in text.splitlines()]


def add_trials(results: Results, title: str, spec: RunSpec, folder: Path, trials: int, draws: random.Random) -> None:
    first = Trial(spec, folder / "whole")
    whole, calls = first.finish(), first.calls()
    needed: dict[str, set[tuple[str, ...]]] = {}
    for call in calls:
        needed.setdefault(call[0], set()).add(call)
    lost, most_lost, equal, finished = 0, 0, 0, 0
    for number in range(trials):
        trial = Trial(spec, folder / str(number))
        for _ in range(KILLS):
            trial.kill_after(draws.randint(1, len(calls) // KILLS), draws.uniform(0.0, 2 * PAUSE))
            made = trial.calls()
            ended = {task for task, own in needed.items() if own <= set(made[:-1]) and task != made[-1][0]}
            missing = len(ended - trial.log().tasks.keys())
            lost, most_lost, finished = lost + missing, max(most_lost, missing), finished + len(ended)
        log = trial.finish()
        equal += (log.tasks, list(log.tasks), log.given_up) == (whole.tasks, list(whole.tasks), whole.given_up)
    note = f"{trials * KILLS} kills; {finished} finished tasks seen at kills, {lost} of them lost"
    results.add(f"{title}: finished tasks lost at a kill, at most", str(most_lost), "1", "0", note)
    results.add(f"{title}: resumed runs equal to the unkilled one", f"{equal} of {trials}", f"{trials} of {trials}")


def main() -> None:
    given, draws = arguments(__doc__, trials=6), random.Random(1)
    results = Results(f"Agents that sleep {1000 * PAUSE:g} ms before each proposal, killed at random moments")
    with TemporaryDirectory() as name:
        for title, spec in specs(Path(name)).items():
            folder = Path(name) / title.replace(" ", "-")
            folder.mkdir()
            add_trials(results, title, spec, folder, given.trials, draws)
    results.finish("slow-agent")


if __name__ == "__main__":
    main()
