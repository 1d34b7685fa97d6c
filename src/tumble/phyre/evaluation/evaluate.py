"""Evaluating an agent: it trains, attempts test tasks, and every attempt goes into a run log.

Agents that don't learn between tasks attempt many tasks side by side, others one after the other; a task's attempts
are the same either way. A log that ends early is gone on with behind its last finished task.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import Agent, AttemptedAction
from tumble.phyre.evaluation.log_rows import _remembered, _row
from tumble.phyre.evaluation.run_spec import NO_STORE, Experiment, check_physics, chosen_tasks, from_header
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweeps import shipped, store
from tumble.phyre.simulation.sweeps.cached_simulator import CachedSimulator
from tumble.phyre.tasks.catalogue import published_tasks
from tumble.phyre.tasks.task import MAX_ATTEMPTS, Task
from tumble.progress import Advance
from tumble.runs import log as run_log
from tumble.runs.agent_registry import asked
from tumble.runs.log import Log, LogError, Row
from tumble.runs.run import go_on
from tumble.runs.run_spec import ExperimentError, Told

SIDE_BY_SIDE = 100
"""Tasks attempted together by agents that don't learn online."""
AHEAD = (4, 16, 80)
"""Attempts at a task that are rolled out together: few at first, as many tasks are solved soon."""
MOST_IN_VAIN = 1000
"""Times in a row that an agent may propose nothing but invalid actions."""


@dataclass
class _Open:
    """A task that is being attempted."""

    task: Task
    past: list[AttemptedAction] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    """The same for the log."""
    waiting: list[np.ndarray] = field(default_factory=list)
    """Valid actions that were proposed and not yet tried, the best first."""
    gave_up: bool = False

    def over(self, attempts: int) -> bool:
        return self.gave_up or len(self.past) >= attempts or (bool(self.past) and self.past[-1].solved)


def attempt_tasks(
    agent: Agent,
    tasks: Sequence[Task],
    simulator: Simulator,
    log: Log,
    attempts: int = MAX_ATTEMPTS,
    advance: Advance = lambda _: None,
) -> None:
    """Has a trained agent attempt tasks, those that the log has already excepted; writes each when it is finished."""
    with asked(agent, "ordering its tasks"):
        ordered = list(agent.order(tasks)) if agent.learns_online else list(tasks)
    if sorted(task.id for task in ordered) != sorted(task.id for task in tasks):
        raise AgentError(f"{type(agent).__name__}: its order must have each task once")
    remaining = []
    for task in ordered:
        if task.id not in log.tasks:
            remaining.append(task)
            continue
        if remaining and agent.learns_online:
            raise LogError(f"{log.path}: its tasks come in another order than this agent's; begin a new run")
        advance(1)
        if agent.learns_online:
            _have_learn(agent, task, _remembered(agent, task, log.tasks[task.id], simulator))
    together = 1 if agent.learns_online else SIDE_BY_SIDE
    for first in range(0, len(remaining), together):
        block = [_Open(task) for task in remaining[first : first + together]]
        _attempt_block(agent, block, simulator, attempts)
        for one in block:
            log.add_task(one.task.id, one.rows)
            advance(1)
            if agent.learns_online:
                _have_learn(agent, one.task, one.past)
    log.finish()


def _have_learn(agent: Agent, task: Task, past: Sequence[AttemptedAction]) -> None:
    with asked(agent, f"learning from task {task.id}"):
        agent.learn(task, past)


def _attempt_block(agent: Agent, block: list[_Open], simulator: Simulator, attempts: int) -> None:
    """Attempts at some tasks, side by side, until all are over."""
    rounds = 0
    while active := [one for one in block if not one.over(attempts)]:
        ahead = AHEAD[min(rounds, len(AHEAD) - 1)]
        rounds += 1
        chosen: list[tuple[_Open, np.ndarray]] = []
        for one in active:
            _refill(agent, one, simulator)
            count = min(ahead, attempts - len(one.past), len(one.waiting))
            chosen += [(one, one.waiting.pop(0)) for _ in range(count)]
        if chosen:
            _try(agent, chosen, simulator)


def _refill(agent: Agent, one: _Open, simulator: Simulator) -> None:
    """Asks the agent for actions until there is a valid one, or none any more.

    Who proposes again what has just been invalid has no more ideas.
    """
    before = None
    for _ in range(MOST_IN_VAIN):
        if one.waiting or one.gave_up:
            return
        proposed = _proposed(agent, one, simulator)
        if not len(proposed) or (before is not None and np.array_equal(proposed, before)):
            one.gave_up = True
            return
        before = proposed
        inside = proposed[((proposed >= 0.0) & (proposed <= 1.0)).all(axis=1)]
        one.waiting = list(inside[simulator.valid([one.task.id] * len(inside), inside)])
    if not one.waiting:
        raise AgentError(
            f"{type(agent).__name__}: {MOST_IN_VAIN:,} times in a row it proposed nothing but invalid actions "
            f"for task {one.task.id}; to give up, propose none"
        )


def _proposed(agent: Agent, one: _Open, simulator: Simulator) -> np.ndarray:
    with asked(agent, f"proposing for task {one.task.id}"):
        answer = agent.propose(one.task, tuple(one.past))
        proposed = np.asarray([] if answer is None else answer, float)
    numbers = simulator.tier.numbers
    if proposed.size and (proposed.ndim != 2 or proposed.shape[1] != numbers):
        raise AgentError(
            f"{type(agent).__name__}: for task {one.task.id} it proposed an array of shape {list(proposed.shape)}; "
            f"actions of tier {simulator.tier.name} have the shape [n, {numbers}]"
        )
    return proposed.reshape(-1, numbers)


def _try(agent: Agent, chosen: list[tuple[_Open, np.ndarray]], simulator: Simulator) -> None:
    """Rolls actions out, and adds to each task's past what came of its actions, up to the first that solves."""
    ids = [one.task.id for one, _ in chosen]
    actions = np.array([action for _, action in chosen])
    if agent.wants:
        seen = simulator.attempts(ids, actions, want=agent.wants)
        steps = [attempt.steps for attempt in seen]
    else:
        statuses, counts = simulator.outcomes(ids, actions)
        seen, steps = [Attempt(int(status)) for status in statuses], counts.tolist()
    for (one, action), attempt, count in zip(chosen, seen, steps, strict=True):
        if not (one.past and one.past[-1].solved):
            one.past.append(AttemptedAction(action, attempt))
            one.rows.append(_row(len(one.past), one.past[-1], count))


def run(experiment: Experiment, folder: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Runs an experiment, or goes on with it; `threads` as of a `Simulator`."""
    path = Path(folder) / experiment.file_name()
    return _go_on(experiment, path, advance, threads)


def resume(path: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Goes on with a run that ended early; refuses where what it hangs on has changed since."""
    log = run_log.read(path)
    if log.finished:
        return log
    check_physics(log)
    experiment = from_header(log.header)
    for name, digest in experiment._digests().items():
        if log.header.get(name) != digest:
            what = experiment.agent if name == "agent_sha256" else experiment.tasks
            raise ExperimentError(f"{path}: {what} has changed since this run began; begin a new run")
    return _go_on(experiment, log.path, advance, threads)


def _go_on(experiment: Experiment, path: Path, advance: Told, threads: int) -> Log:
    return go_on(
        path,
        lambda: experiment.header(experiment.make_agent(), len(chosen_tasks(experiment)[1])),
        lambda log: _evaluate(experiment, log, advance, threads),
        advance,
    )


def _evaluate(experiment: Experiment, log: Log, advance: Told, threads: int) -> None:
    agent = experiment.make_agent()
    learn_from, attempted = chosen_tasks(experiment)
    done = 0

    def count(finished: int) -> None:
        nonlocal done
        done += finished
        advance(done, len(attempted))

    count(0)
    simulator = _simulator(experiment, learn_from, threads)
    with asked(agent, "training"):
        agent.train(learn_from, simulator)
    tested = _simulator(experiment, attempted, threads)
    if agent.is_shown_solutions:
        with asked(agent, "looking at solutions"):
            agent.show_solutions(tested)
    attempt_tasks(agent, attempted, tested, log, experiment.attempts, count)


@lru_cache(maxsize=2)
def _stored(tier: str, path: str | None, device: str, threads: int) -> CachedSimulator | None:
    """A simulator of all published tasks of a tier that knows a store, or what the package brings along."""
    if path is not None:
        return CachedSimulator(published_tasks(tier).values(), tier, store.open_store(path), device, threads)
    try:
        return CachedSimulator(published_tasks(tier).values(), tier, shipped.sweep_store(tier), device, threads)
    except store.StoreError:  # of other physics: then there is none
        return None


def _simulator(experiment: Experiment, tasks: Sequence[Task], threads: int) -> Simulator:
    """A simulator of these tasks and no others, with the store where there is one and it is of them."""
    known = published_tasks(experiment.tier)
    if experiment.store != NO_STORE and all(known.get(task.id) is task for task in tasks):
        stored = _stored(experiment.tier, experiment.store, experiment.device, threads)
        if stored is not None:
            return stored.restricted_to(tasks)
    return Simulator(tasks, experiment.tier, experiment.device, threads)
