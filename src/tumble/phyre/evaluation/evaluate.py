"""Evaluates an agent on PHYRE: it trains, then attempts test tasks; every attempt is written to a run log."""

from collections.abc import Sequence

from tumble.phyre.agents.agent import Agent
from tumble.phyre.evaluation.attempts import Attempts
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweeps.shipped import simulator_with_store
from tumble.phyre.tasks.task import Task
from tumble.runs.agent_registry import attributing_errors
from tumble.runs.evaluate import TaskCounter, attempt_in_rounds
from tumble.runs.log import Log
from tumble.runs.run import ProgressCallback

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
