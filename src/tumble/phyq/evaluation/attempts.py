"""Attempts at Phy-Q's tasks: an agent proposes shot by shot, and many episodes are played together in a batch.

After each shot the longer sequence is played from the start; its first part is reproduced exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tumble.phyq.agents.agent import Agent, AttemptState
from tumble.phyq.evaluation.log_rows import row_of, shots_of
from tumble.phyq.simulation.attempt import Attempt, attempt_shots, empty_attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.task import Task
from tumble.runs.agent_registry import AgentError, attributing_errors
from tumble.runs.evaluate import Attempted
from tumble.runs.log import Row


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


class Player:
    """Plays an agent's attempts at tasks, whose levels are those of the simulator."""

    def __init__(self, agent: Agent, tasks: Sequence[Task], simulator: Simulator, attempts: int) -> None:
        self.agent, self.simulator, self.attempts = agent, simulator, attempts
        self._level_of = {task.id: number for number, task in enumerate(tasks)}

    def attempt(self, tasks: Sequence[Task]) -> list[Attempted[list[Attempt]]]:
        """Makes all attempts at tasks: one after the other if the agent uses earlier ones, else together."""
        made: list[list[Attempt]] = [[] for _ in tasks]
        numbers = range(1, self.attempts + 1)
        for batch in [[number] for number in numbers] if self.agent.uses_past else [list(numbers)]:
            episodes = [
                _Episode(task, number, tuple(past) if self.agent.uses_past else ())
                for task, past in zip(tasks, made, strict=True)
                for number in batch
            ]
            self._play_out(episodes)
            for k, past in enumerate(made):
                of_task = episodes[k * len(batch) : (k + 1) * len(batch)]
                past += [one.current or empty_attempt(one.task.level) for one in of_task]
        return [Attempted([row_of(k, one) for k, one in enumerate(past, start=1)], past) for past in made]

    def past_attempts(self, task: Task, rows: Sequence[Row]) -> list[Attempt]:
        """The attempts of a log as the agent saw them."""
        return self._simulate([task] * len(rows), [shots_of(row["action"]) for row in rows])

    def _simulate(self, tasks: Sequence[Task], sequences: Sequence[Sequence[Shot]]) -> list[Attempt]:
        return attempt_shots(self.simulator, [self._level_of[task.id] for task in tasks], sequences, self.agent.wants)

    def _play_out(self, episodes: Sequence[_Episode]) -> None:
        """Plays episodes together until all are over."""
        while active := [one for one in episodes if not one.is_over]:
            for one in active:
                self._add_shots(one)
            shooting = [one for one in active if not one.gave_up]
            played = self._simulate([one.task for one in shooting], [one.shots for one in shooting])
            for one, attempt in zip(shooting, played, strict=True):
                one.current = attempt

    def _add_shots(self, one: _Episode) -> None:
        """Calls the agent's `propose` for the next shots of an episode."""
        with attributing_errors(self.agent, f"proposing for task {one.task.id}"):
            answer = self.agent.propose(one.task, one.past, AttemptState(one.task, one.number, one.current))
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
