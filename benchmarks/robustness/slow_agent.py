"""What is lost when a slow agent is killed? At most one task may be, and the resumed run must equal an unkilled one.

    python benchmarks/robustness/slow_agent.py                random kills of all three benchmarks
    python benchmarks/robustness/slow_agent.py --trials 3

Agents sleep 50 ms before each proposal (ComPhy's before each set) and write every call into a journal. Each trial makes
the run in a new process, kills it twice at random moments (SIGKILL), and then lets it finish. A task is lost if,
according to the journal, all its proposals were made and the agent had been called for another task since, but the log
does not have it as finished.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))

from table import Results

from tumble.benchmark import benchmark
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import Log, read
from tumble.runs.spec import RunSpec

PAUSE = 0.05
KILLS = 2
SETS = 20
LONG_SECONDS = 25.0
"""The original report: an agent was killed after 25 s on 40 tasks, and none was saved."""
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


def generator(*values):
    return np.random.default_rng([zlib.crc32(str(value).encode()) for value in values])


class PHYRE(Placer):
    def propose(self, task, past):
        call(task.id, len(past))
        return sample_valid(task.scene, TIERS[task.tier], 1, generator(task.id, len(past)))


class Online(PHYRE):
    learns_online = True
    learned = 0

    def propose(self, task, past):
        call(task.id, len(past))
        return sample_valid(task.scene, TIERS[task.tier], 1, generator(task.id, len(past), self.learned))

    def learn(self, task, past):
        self.learned += len(past)


class PhyQ(Shooter):
    def propose(self, task, past, state):
        call(task.id, f"{state.attempt}.{state.shots}")
        return Shot(float(generator(task.id, state.attempt, state.shots).uniform(-10.0, 80.0)))


class ComPhy(Random):
    def answer(self, task):
        call(task.id, 0)
        return super().answer(task)
"""


def specs(folder: Path) -> dict[str, RunSpec]:
    """Runs that take some seconds."""
    agents = folder / "slow_agents.py"
    agents.write_text(AGENTS)
    generate(folder / "data", SETS, 1, video=False, workers=1)
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
        self.spec, self.folder = spec, folder
        self.journal = folder / "journal.txt"
        folder.mkdir()

    def start(self, pause: float) -> subprocess.Popen[bytes]:
        """Starts a process that makes or resumes the run."""
        environment = {**os.environ, "PAUSE": str(pause), "JOURNAL": str(self.journal)}
        call = [sys.executable, __file__, "--run", self.spec.benchmark, json.dumps(self.spec.plain()), str(self.folder)]
        return subprocess.Popen(call, env=environment)

    def kill_after(self, proposals: int, seconds: float) -> None:
        """Starts the run and kills it some seconds after it has made a number of proposals."""
        before = len(self.calls())
        process = self.start(PAUSE)
        while len(self.calls()) < before + proposals and process.poll() is None:
            time.sleep(0.005)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def finish(self) -> Log:
        """Finishes the run without pauses."""
        assert self.start(0.0).wait() == 0
        return self.log()

    def log(self) -> Log:
        """The log as it is."""
        (path,) = (path for path in self.folder.iterdir() if path.suffix in (".jsonl", ".parquet"))
        return read(path)

    def calls(self) -> list[tuple[str, ...]]:
        """The calls of the agent so far."""
        text = self.journal.read_text() if self.journal.exists() else ""
        return [tuple(line.split()) for line in text.splitlines()]


def finished_tasks(calls: list[tuple[str, ...]], needed: dict[str, set[tuple[str, ...]]]) -> set[str]:
    """Tasks for which an agent made all calls, and which are not those of its last call."""
    made = set(calls[:-1])
    return {task for task, own in needed.items() if own <= made and task != calls[-1][0]}


def add_trials(results: Results, title: str, spec: RunSpec, folder: Path, trials: int, draws: random.Random) -> None:
    whole_trial = Trial(spec, folder / "whole")
    whole = whole_trial.finish()
    needed: dict[str, set[tuple[str, ...]]] = {}
    for call in whole_trial.calls():
        needed.setdefault(call[0], set()).add(call)
    most_proposals = len(whole_trial.calls()) // KILLS
    lost, most_lost, equal, finished = 0, 0, 0, 0
    for number in range(trials):
        trial = Trial(spec, folder / str(number))
        for _ in range(KILLS):
            trial.kill_after(draws.randint(1, most_proposals), draws.uniform(0.0, 2 * PAUSE))
            ended = finished_tasks(trial.calls(), needed)
            missing = len(ended - trial.log().tasks.keys())
            lost, most_lost, finished = lost + missing, max(most_lost, missing), finished + len(ended)
        log = trial.finish()
        equal += (log.tasks, list(log.tasks), log.given_up) == (whole.tasks, list(whole.tasks), whole.given_up)
    note = f"{trials * KILLS} kills; {finished} finished tasks seen at kills, {lost} of them lost"
    results.add(f"{title}: finished tasks lost at a kill, at most", str(most_lost), "1", "0", note)
    results.add(f"{title}: resumed runs equal to the unkilled one", f"{equal} of {trials}", f"{trials} of {trials}")


def add_long_trial(results: Results, spec: RunSpec, folder: Path) -> None:
    """The original report's case."""
    trial = Trial(spec, folder)
    trial.kill_after(1, LONG_SECONDS)
    log = trial.log()
    attempts = sum(1 for _ in log.rows()) + sum(map(len, log.open_tasks.values()))
    note = f"of about {len(trial.calls())} proposals; {len(log.tasks)} tasks finished, {len(log.open_tasks)} open"
    figure = f"PHYRE: attempts in the log of an agent killed after {LONG_SECONDS:g} s, 40 tasks, 100 attempts"
    results.add(figure, str(attempts), "", "", note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=6, help="for each benchmark")
    parser.add_argument("--run", nargs=3, metavar=("BENCHMARK", "SPEC", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        name, spec, folder = args.run
        benchmark(name).run(benchmark(name).spec(**json.loads(spec)), folder)
        return
    results = Results(f"Agents that sleep {1000 * PAUSE:g} ms before each proposal, killed at random moments")
    draws = random.Random(1)
    with TemporaryDirectory() as name:
        runs = specs(Path(name))
        for title, spec in runs.items():
            folder = Path(name) / title.replace(" ", "-")
            folder.mkdir()
            add_trials(results, title, spec, folder, args.trials, draws)
        long = PhyreRunSpec(runs["PHYRE"].agent, "ball_within_template", limit=40)
        add_long_trial(results, long, Path(name) / "long")
    results.finish("slow-agent")


if __name__ == "__main__":
    main()
