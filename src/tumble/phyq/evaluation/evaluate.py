"""Evaluating an agent: it attempts test tasks, and every attempt goes into a run log.

Many episodes are played side by side. To go on after some shots the longer sequence is played again, which begins with
the same bits. A log that ends early is gone on with behind its last finished task.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tumble.phyq.agents.agent import Agent, AttemptState
from tumble.phyq.evaluation.log_rows import _row, shots_of
from tumble.phyq.evaluation.run_spec import Experiment, cached_task, check_unchanged, from_header
from tumble.phyq.simulation.attempt import Attempt, attempt_shots, empty_attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.splits import Split
from tumble.phyq.tasks.task import Task
from tumble.progress import Advance
from tumble.runs import log as run_log
from tumble.runs.agent_registry import AgentError, asked
from tumble.runs.log import Log, LogError, Row
from tumble.runs.run import go_on
from tumble.runs.run_spec import Told

SIDE_BY_SIDE = {"cpu": 200, "cuda": 4000}
"""Episodes that are played together, by device."""


@dataclass
class _Episode:
    """An attempt at a task."""

    task: Task
    attempt: int
    past: tuple[Attempt, ...] = ()
    so_far: Attempt | None = None
    shots: list[Shot] = field(default_factory=list)
    gave_up: bool = False

    @property
    def over(self) -> bool:
        return self.gave_up or (self.so_far is not None and self.so_far.status != "open")

    @property
    def finished(self) -> Attempt:
        """What came of it."""
        return self.so_far or empty_attempt(self.task.level)


def attempt_tasks(
    agent: Agent,
    tasks: Sequence[Task],
    simulator: Simulator,
    log: Log,
    attempts: int,
    device: str = "cpu",
    advance: Advance = lambda _: None,
) -> None:
    """Has an agent attempt tasks, the levels of the simulator; those that the log has already are passed over."""
    with asked(agent, "ordering its tasks"):
        ordered = list(agent.order(tasks)) if agent.learns_online else list(tasks)
    if sorted(task.id for task in ordered) != sorted(task.id for task in tasks):
        raise AgentError(f"{type(agent).__name__}: its order must have each task once")
    player = _Player(agent, simulator, {task.id: number for number, task in enumerate(tasks)})
    remaining = []
    for task in ordered:
        if task.id not in log.tasks:
            remaining.append(task)
            continue
        if remaining and agent.learns_online:
            raise LogError(f"{log.path}: its tasks come in another order than this agent's; begin a new run")
        advance(1)
        if agent.learns_online:
            player.relive(task, log.tasks[task.id])
    together = 1 if agent.learns_online else max(1, SIDE_BY_SIDE[device] // (1 if agent.uses_past else attempts))
    for first in range(0, len(remaining), together):
        block = remaining[first : first + together]
        for task, tries in zip(block, player.attempt(block, attempts), strict=True):
            log.add_task(task.id, [_row(number, tried) for number, tried in enumerate(tries, start=1)])
            advance(1)
            if agent.learns_online:
                with asked(agent, f"learning from task {task.id}"):
                    agent.learn(task, tries)


@dataclass
class _Player:
    """Plays the episodes of an agent."""

    agent: Agent
    simulator: Simulator
    number_of: dict[str, int]
    """Of a task's level in the simulator."""

    def attempt(self, tasks: Sequence[Task], attempts: int) -> list[list[Attempt]]:
        """All attempts at tasks: of one that looks back, one attempt after the other."""
        tries: list[list[Attempt]] = [[] for _ in tasks]
        rounds = [[number] for number in range(1, attempts + 1)]
        for numbers in rounds if self.agent.uses_past else [[number for (number,) in rounds]]:
            episodes = [
                _Episode(task, number, tuple(past) if self.agent.uses_past else ())
                for task, past in zip(tasks, tries, strict=True)
                for number in numbers
            ]
            self.play_out(episodes)
            for k, past in enumerate(tries):
                past += [one.finished for one in episodes[k * len(numbers) : (k + 1) * len(numbers)]]
        return tries

    def play_out(self, episodes: Sequence[_Episode]) -> None:
        """Plays episodes side by side until all are over."""
        while active := [one for one in episodes if not one.over]:
            for one in active:
                self._ask(one)
            self._play([one for one in active if not one.gave_up])

    def _ask(self, one: _Episode) -> None:
        with asked(self.agent, f"proposing for task {one.task.id}"):
            answer = self.agent.propose(one.task, one.past, AttemptState(one.task, one.attempt, one.so_far))
        shots = [] if answer is None else list(answer) if isinstance(answer, Sequence) else [answer]
        left = len(one.task.level.birds) - len(one.shots)
        problem = ""
        if not all(isinstance(shot, Shot) for shot in shots):
            problem = f"it proposed {answer!r}, which is no shot"
        elif len(shots) > left:
            problem = f"it proposed {len(shots)} shots, and {left} birds are left"
        elif shots and one.shots and shots[0].delay is not None:
            problem = "it gave a shot a delay after everything came to rest; propose both shots at once"
        if problem:
            raise AgentError(f"{type(self.agent).__name__}: for task {one.task.id} {problem}")
        one.shots += shots
        one.gave_up = not shots

    def _play(self, episodes: Sequence[_Episode]) -> None:
        numbers = [self.number_of[one.task.id] for one in episodes]
        tries = attempt_shots(self.simulator, numbers, [one.shots for one in episodes], self.agent.wants)
        for one, tried in zip(episodes, tries, strict=True):
            one.so_far = tried

    def relive(self, task: Task, rows: Sequence[Row]) -> None:
        """Has the agent learn from attempts of a log as if it had just made them."""
        sequences = [shots_of(row["action"]) for row in rows]
        tries = attempt_shots(self.simulator, [self.number_of[task.id]] * len(rows), sequences, self.agent.wants)
        with asked(self.agent, f"learning from task {task.id}"):
            self.agent.learn(task, tries)


def run(experiment: Experiment, folder: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Runs an experiment, or goes on with it; `threads` as of a `Simulator`."""
    return _go_on(experiment, Path(folder) / experiment.file_name(), advance, threads)


def resume(path: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Goes on with a run that ended early; refuses where what it hangs on has changed since."""
    log = run_log.read(path)
    if log.finished:
        return log
    check_unchanged(log)
    return _go_on(from_header(log.header), log.path, advance, threads)


def _go_on(experiment: Experiment, path: Path, advance: Told, threads: int) -> Log:
    return go_on(
        path,
        lambda: experiment.header(experiment.make_agent()),
        lambda log: _evaluate(experiment, log, advance, threads),
        advance,
    )


def _evaluate(experiment: Experiment, log: Log, advance: Told, threads: int) -> None:
    parts = experiment.parts()
    if not _trains(experiment.make_agent()):
        parts = [Split([], experiment.task_ids())]
    total, done = sum(len(part.test) for part in parts), 0

    def count(finished: int) -> None:
        nonlocal done
        done += finished
        advance(done, total)

    for part in parts:
        if all(task_id in log.tasks for task_id in part.test):
            count(len(part.test))
            continue
        agent = experiment.make_agent()
        if _trains(agent):
            learn_from = [cached_task(task_id) for task_id in part.train]
            with asked(agent, "training"):
                agent.train(learn_from, _simulator(learn_from, experiment.device, threads))
        attempted = [cached_task(task_id) for task_id in part.test]
        simulator = _simulator(attempted, experiment.device, threads)
        attempt_tasks(agent, attempted, simulator, log, experiment.attempts, experiment.device, count)
    log.finish()


def _trains(agent: Agent) -> bool:
    return type(agent).train is not Agent.train or agent.learns_online


def _simulator(levels: Sequence[Task], device: str, threads: int) -> Simulator:
    return Simulator([task.level for task in levels], device, threads)
