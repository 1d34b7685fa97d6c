"""Evaluates an agent on PHYRE: it trains, then attempts test tasks; every attempt is written to a run log.

The agent proposes actions, and valid ones are rolled out in batches. A language model loses an attempt if its
answer can't be read: the row of such an attempt has an empty action, and its status is that of an invalid one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from tumble.phyre.agents.agent import Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.shipped_sweeps import simulator_with_store
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID
from tumble.runs.evaluate import NO_PROPOSAL, ONLY_INVALID, OpenTask, ProgressCallback, TaskCounter, attempt_in_rounds
from tumble.runs.log import Log, Row
from tumble.runs.participant import AgentError, attributing_errors


def row_of(number: int, past: AttemptedAction, steps: int) -> Row:
    """An attempt as a row of the log; `steps` is 0 for outcomes of a sweep store, which has only the status."""
    action = [float(value) for value in past.action]
    return {"attempt": number, "action": action, "status": past.attempt.status, "steps": steps or None}


def lost_row(number: int) -> Row:
    """The row of an attempt without an action."""
    return {"attempt": number, "action": [], "status": INVALID, "steps": None}


def is_lost(row: Row) -> bool:
    """Whether an attempt has no action."""
    return not row["action"]


def past_attempts(agent: Agent, task: Task, rows: Sequence[Row], simulator: Simulator) -> list[AttemptedAction]:
    """The attempts of a log as the agent saw them."""
    actions = np.array([row["action"] for row in rows])
    if agent.wants:
        made = simulator.attempts([task.id] * len(rows), actions, want=agent.wants)
    else:
        made = [Attempt(row["status"]) for row in rows]
    return [AttemptedAction(action, attempt) for action, attempt in zip(actions, made, strict=True)]


ROLLOUTS_PER_ROUND = (4, 16, 80)
"""Attempts at a task that are rolled out together, by round: few at first, as many tasks are solved early."""
CHECKED_TOGETHER = 256
"""Actions of a proposal that are checked together; there can be many more than attempts that are left."""
MAX_INVALID_PROPOSALS = 1000
"""Consecutive proposals of an agent that may contain only invalid actions."""


@dataclass
class PhyreOpenTask(OpenTask[Task]):
    """`given_up` is NO_PROPOSAL, ONLY_INVALID, or empty."""

    made: list[AttemptedAction] = field(default_factory=list)
    queue: list[np.ndarray] = field(default_factory=list)
    """Valid actions that were proposed but not yet attempted, the best first."""
    rounds: int = 0

    @property
    def past(self) -> list[AttemptedAction]:
        return self.made

    @property
    def is_over(self) -> bool:
        return bool(self.given_up) or len(self.past) >= self.max_attempts or self.is_solved

    @property
    def is_solved(self) -> bool:
        return bool(self.past) and self.past[-1].solved

    def next_actions(self) -> list[np.ndarray]:
        """Takes the actions of the next round from the queue."""
        max_rollouts = ROLLOUTS_PER_ROUND[min(self.rounds, len(ROLLOUTS_PER_ROUND) - 1)]
        self.rounds += 1
        count = min(max_rollouts, self.max_attempts - len(self.past))
        actions, self.queue = self.queue[:count], self.queue[count:]
        return actions


class Attempts:
    """An agent's attempts at tasks, each of which has a maximum number of attempts."""

    def __init__(self, agent: Agent, simulator: Simulator, max_attempts: int) -> None:
        self.agent, self.simulator, self.max_attempts = agent, simulator, max_attempts
        self._seconds: list[float] = []

    def recall(self, task: Task, rows: Sequence[Row]) -> list[AttemptedAction]:
        """The attempts of a log as the agent saw them."""
        return past_attempts(self.agent, task, rows, self.simulator)

    def start(self, task: Task, rows: Sequence[Row]) -> PhyreOpenTask:
        """Opens a task that has been attempted as in `rows`.

        The agent is called again as before these attempts, so that actions which were proposed but not yet attempted
        are proposed again. If it now proposes something else, it continues from the attempts that it has made.
        """
        one = PhyreOpenTask(task, self.max_attempts)
        if not rows:
            return one
        made = self.recall(task, rows)
        done = PhyreOpenTask(task, self.max_attempts, list(rows), made=made)
        while not done.is_over and len(one.past) < len(made):
            self._fill_queues([one])
            expected = [attempted.action for attempted in made[len(one.past) :][: len(one.queue)]]
            if not expected or not np.array_equal(one.queue[: len(expected)], expected):
                return done
            one.made += made[len(one.past) :][: len(expected)]
            one.queue = one.queue[len(expected) :]
        done.queue = one.queue
        return done

    def make_round(self, open_tasks: Sequence[PhyreOpenTask]) -> list[float]:
        """Makes the next attempts at tasks, rolled out together; returns the seconds of each of the agent's proposals.

        Batching does not change the attempts at a task.
        """
        self._seconds = []
        batch: list[tuple[PhyreOpenTask, np.ndarray]] = []
        self._fill_queues(open_tasks)
        for one in open_tasks:
            batch += [(one, action) for action in one.next_actions()]
        if batch:
            self._roll_out(batch)
        return self._seconds

    def _fill_queues(self, open_tasks: Sequence[PhyreOpenTask]) -> None:
        """Calls the agent's `prepare`, and its `propose` for each task, until an action is valid or the agent gives up.

        Proposing the same invalid actions twice in a row counts as giving up.
        """
        before: dict[str, np.ndarray] = {}
        for _ in range(MAX_INVALID_PROPOSALS):
            waiting = [one for one in open_tasks if not one.queue and not one.given_up]
            if not waiting:
                return
            first, seconds = len(self._seconds), self._prepare(waiting)
            usable: list[tuple[PhyreOpenTask, np.ndarray]] = []
            for one in waiting:
                proposed, last = self._propose(one), before.get(one.task.id)
                inside = proposed[((proposed >= 0.0) & (proposed <= 1.0)).all(axis=1)]
                if not len(proposed):
                    one.given_up = NO_PROPOSAL
                elif last is not None and np.array_equal(proposed, last, equal_nan=True):
                    if not len(inside):
                        raise self._outside(one, proposed)
                    one.given_up = ONLY_INVALID
                else:
                    usable.append((one, inside))
                before[one.task.id] = proposed
            self._seconds[first] += seconds
            self._queue_valid(usable)
        stuck = next((one for one in open_tasks if not one.queue and not one.given_up), None)
        if stuck is not None:
            raise AgentError(
                f"{type(self.agent).__name__}: {MAX_INVALID_PROPOSALS:,} times in a row it proposed only invalid "
                f"actions for task {stuck.task.id}; to give up, propose none"
            )

    def _queue_valid(self, proposals: Sequence[tuple[PhyreOpenTask, np.ndarray]]) -> None:
        """Queues the valid ones of the actions that were proposed for each task, as many as it has attempts left."""
        first = 0
        while proposals:
            parts = [(one, actions[first : first + CHECKED_TOGETHER]) for one, actions in proposals]
            ids = [one.task.id for one, part in parts for _ in part]
            valid = self.simulator.valid(ids, np.concatenate([part for _, part in parts]))
            for one, part in parts:
                own, valid = valid[: len(part)], valid[len(part) :]
                one.queue += list(part[own])
            first += CHECKED_TOGETHER
            proposals = [
                (one, actions)
                for one, actions in proposals
                if len(actions) > first and len(one.queue) < one.max_attempts - len(one.past)
            ]

    def _outside(self, one: PhyreOpenTask, proposed: np.ndarray) -> AgentError:
        first = ", ".join(f"{number:g}" for number in proposed[0])
        return AgentError(
            f"{type(self.agent).__name__}: for task {one.task.id} it proposed the same {len(proposed)} actions twice, "
            f"all of them outside [0, 1], as in [{first}]; the numbers of an action are between 0 and 1; to give up, "
            "propose none"
        )

    def _prepare(self, waiting: Sequence[PhyreOpenTask]) -> float:
        """Tells the agent for which tasks it will propose; returns the seconds that it took."""
        begin = perf_counter()
        with attributing_errors(self.agent, f"preparing for task {waiting[0].task.id} and {len(waiting) - 1} more"):
            self.agent.prepare([one.task for one in waiting], [tuple(one.past) for one in waiting])
        return perf_counter() - begin

    def _propose(self, one: PhyreOpenTask) -> np.ndarray:
        """The actions [n, numbers of the tier] that the agent proposes."""
        begin = perf_counter()
        with attributing_errors(self.agent, f"proposing for task {one.task.id}"):
            answer = self.agent.propose(one.task, tuple(one.past))
            proposed = np.asarray([] if answer is None else answer, float)
        self._seconds.append(perf_counter() - begin)
        tier = self.simulator.tier
        if proposed.size and (proposed.ndim != 2 or proposed.shape[1] != tier.numbers):
            raise AgentError(
                f"{type(self.agent).__name__}: for task {one.task.id} it proposed an array of shape "
                f"{list(proposed.shape)}; actions of tier {tier.name} have the shape [n, {tier.numbers}]"
            )
        return proposed.reshape(-1, tier.numbers)

    def _roll_out(self, batch: list[tuple[PhyreOpenTask, np.ndarray]]) -> None:
        """Rolls out actions, and adds the outcomes to each task's past, up to the first that solves it."""
        ids = [one.task.id for one, _ in batch]
        actions = np.array([action for _, action in batch])
        if self.agent.wants:
            made = self.simulator.attempts(ids, actions, want=self.agent.wants, are_valid=True)
            steps = [attempt.steps for attempt in made]
        else:
            statuses, counts = self.simulator.outcomes(ids, actions, are_valid=True)
            made, steps = [Attempt(int(status)) for status in statuses], counts.tolist()
        for (one, action), attempt, count in zip(batch, made, steps, strict=True):
            if not one.is_solved:
                one.made.append(AttemptedAction(action, attempt))
                one.rows.append(row_of(len(one.past), one.past[-1], count))


MAX_OPEN_TASKS = 100
"""Tasks that are attempted together, by agents that are quick and don't learn online."""


def evaluate(spec: PhyreRunSpec, log: Log, progress: ProgressCallback, threads: int = 0) -> None:
    """Has the agent attempt the tasks that are not yet in the log; `threads` as for `Simulator`."""
    agent, tasks, training = spec.make_agent(), spec.tasks_to_attempt(), spec.training_tasks()
    counter = TaskCounter(progress, len(tasks))
    with attributing_errors(agent, "training"):
        agent.train(training, simulator_with_store(training, spec.tier, spec.store, spec.device, threads))
    simulator = simulator_with_store(tasks, spec.tier, spec.store, spec.device, threads)
    if agent.is_shown_solutions:
        with attributing_errors(agent, "looking at solutions"):
            agent.show_solutions(simulator)
    attempt_all(agent, tasks, simulator, log, spec.attempts, counter)


def attempt_all(
    agent: Agent,
    tasks: Sequence[Task],
    simulator: Simulator,
    log: Log,
    attempts: int,
    counter: TaskCounter | None = None,
) -> None:
    """Has a trained agent attempt the tasks that are not yet in the log."""
    made = Attempts(agent, simulator, attempts)
    attempt_in_rounds(
        agent, tasks, log, counter or TaskCounter(), made.start, made.make_round, made.recall, MAX_OPEN_TASKS
    )
