"""Evaluates an agent on Phy-Q: for each part it trains and attempts test tasks, which a run log keeps.

An agent proposes shot by shot, and many episodes are played together in a batch. After each shot the longer sequence
is played from the start; its first part is reproduced exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from tumble.phyq.agents.agent import Agent, AttemptState
from tumble.phyq.catalogue.tasks import Split, Task
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.simulation.attempt import Attempt, attempt_shots, empty_attempt, row_of, shots_of
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.evaluate import OpenTask, ProgressCallback, TaskCounter, attempt_in_rounds
from tumble.runs.log import Log, Row
from tumble.runs.participant import AgentError, attributing_errors


@dataclass
class _Episode:
    """An attempt at a task in progress."""

    task: Task
    number: int
    past: tuple[Attempt, ...] = ()
    current: Attempt | None = None
    shots: list[Shot] = field(default_factory=list)
    gave_up: bool = False

    @property
    def is_over(self) -> bool:
        return self.gave_up or (self.current is not None and self.current.status != "open")


@dataclass
class PhyQOpenTask(OpenTask[Task]):
    """Rows are in the order in which attempts ended. An agent gives up attempts, as their status says, but no task."""

    made: dict[int, Attempt] = field(default_factory=dict)
    """Attempts that are over, by number."""
    episodes: list[_Episode] = field(default_factory=list)
    """Attempts in progress."""

    @property
    def past(self) -> list[Attempt]:
        return [self.made[number] for number in sorted(self.made)]

    @property
    def is_over(self) -> bool:
        return len(self.made) >= self.max_attempts


class Player:
    """Plays an agent's attempts at tasks, whose levels are those of the simulator."""

    def __init__(
        self, agent: Agent, tasks: Sequence[Task], simulator: Simulator, attempts: int, scored: bool = False
    ) -> None:
        self.agent, self.simulator, self.attempts, self.scored = agent, simulator, attempts, scored
        self._level_of = {task.id: number for number, task in enumerate(tasks)}
        self._seconds: list[float] = []

    def recall(self, task: Task, rows: Sequence[Row]) -> list[Attempt]:
        """The attempts of a log as the agent saw them."""
        return self._simulate([task] * len(rows), [shots_of(row["action"]) for row in rows])

    def start(self, task: Task, rows: Sequence[Row]) -> PhyQOpenTask:
        """Opens a task that has been attempted as in `rows`."""
        numbers = [row["attempt"] for row in rows]
        made = dict(zip(numbers, self.recall(task, rows), strict=True))
        return PhyQOpenTask(task, self.attempts, list(rows), made=made)

    def make_round(self, open_tasks: Sequence[PhyQOpenTask]) -> list[float]:
        """Makes the next shots at tasks, played together; returns the seconds of each of the agent's proposals.

        An agent that uses its earlier attempts makes them one after the other, others make all together.
        """
        self._seconds = []
        for one in open_tasks:
            if not one.episodes:
                one.episodes = self._next_episodes(one)
        active = [episode for one in open_tasks for episode in one.episodes]
        for episode in active:
            self._add_shots(episode)
        shooting = [episode for episode in active if not episode.gave_up]
        played = self._simulate([episode.task for episode in shooting], [episode.shots for episode in shooting])
        for episode, attempt in zip(shooting, played, strict=True):
            episode.current = attempt
        for one in open_tasks:
            for episode in one.episodes:
                if episode.is_over:
                    attempt = episode.current or empty_attempt(one.task.level)
                    one.made[episode.number] = attempt
                    one.rows.append(row_of(episode.number, attempt, self.scored))
            one.episodes = [episode for episode in one.episodes if not episode.is_over]
        return self._seconds

    def _next_episodes(self, one: PhyQOpenTask) -> list[_Episode]:
        missing = [number for number in range(1, self.attempts + 1) if number not in one.made]
        if self.agent.uses_past:
            return [_Episode(one.task, missing[0], tuple(one.past))]
        return [_Episode(one.task, number) for number in missing]

    def _simulate(self, tasks: Sequence[Task], sequences: Sequence[Sequence[Shot]]) -> list[Attempt]:
        return attempt_shots(self.simulator, [self._level_of[task.id] for task in tasks], sequences, self.agent.wants)

    def _add_shots(self, one: _Episode) -> None:
        """Calls the agent's `propose` for the next shots of an episode."""
        begin = perf_counter()
        with attributing_errors(self.agent, f"proposing for task {one.task.id}"):
            answer = self.agent.propose(one.task, one.past, AttemptState(one.task, one.number, one.current))
        self._seconds.append(perf_counter() - begin)
        shots = [] if answer is None else list(answer) if isinstance(answer, Sequence) else [answer]
        left = len(one.task.level.birds) - len(one.shots)
        problem = ""
        if not all(isinstance(shot, Shot) for shot in shots):
            problem = f"it proposed {answer!r}, which is not a shot"
        elif len(shots) > left:
            problem = f"it proposed {len(shots)} shots, but {left} birds are left"
        elif shots and one.shots and shots[0].delay is not None:
            problem = "it proposed a shot with a delay after everything came to rest; propose both shots together"
        if problem:
            raise AgentError(f"{type(self.agent).__name__}: for task {one.task.id} {problem}")
        one.shots += shots
        one.gave_up = not shots


MAX_EPISODES = {"cpu": 200, "cuda": 4000}
"""Episodes that are played together, by device."""


def evaluate(spec: PhyQRunSpec, log: Log, progress: ProgressCallback, threads: int = 0) -> None:
    """Has the agent attempt the tasks that are not yet in the log; `threads` as for `Simulator`."""
    parts = spec.parts() if _trains(spec.make_agent()) else [Split([], spec.task_ids())]
    counter = TaskCounter(progress, sum(len(part.test) for part in parts))
    first_index = 0
    for part in parts:
        index, first_index = first_index, first_index + len(part.test)
        if all(task_id in log.tasks for task_id in part.test):
            counter.add(len(part.test))
            continue
        agent: Agent = spec.make_agent()
        if _trains(agent):
            training = [spec.task(task_id) for task_id in part.train]
            with attributing_errors(agent, "training"):
                agent.train(training, _simulator(training, spec, threads))
        tasks = [spec.task(task_id) for task_id in part.test]
        episodes = MAX_EPISODES[spec.device.partition(":")[0]]
        simulator, scored = _simulator(tasks, spec, threads), spec.setting == "levels"
        attempt_all(agent, tasks, simulator, log, spec.attempts, counter, episodes, index, scored)


def attempt_all(
    agent: Agent,
    tasks: Sequence[Task],
    simulator: Simulator,
    log: Log,
    attempts: int,
    counter: TaskCounter | None = None,
    episodes: int = MAX_EPISODES["cpu"],
    first_index: int = 0,
    scored: bool = False,
) -> None:
    """Has a trained agent attempt the tasks that are not yet in the log; the simulator has their levels.

    `first_index` is the position of the first task in the run; `scored` says whether rows have the game's score.
    """
    player = Player(agent, tasks, simulator, attempts, scored)
    max_open = max(1, episodes // (1 if agent.uses_past else attempts))
    attempt_in_rounds(
        agent,
        tasks,
        log,
        counter or TaskCounter(),
        player.start,
        player.make_round,
        player.recall,
        max_open,
        first_index,
    )


def _trains(agent: Agent) -> bool:
    return type(agent).train is not Agent.train or agent.learns_online


def _simulator(tasks: Sequence[Task], spec: PhyQRunSpec, threads: int) -> Simulator:
    return Simulator([task.level for task in tasks], spec.device, threads)
