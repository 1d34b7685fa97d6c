"""Evaluates an agent on Phy-Q: for each part it trains and attempts test tasks; attempts are written to a run log."""

from collections.abc import Sequence

from tumble.phyq.agents.agent import Agent
from tumble.phyq.evaluation.attempts import Player
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.splits import Split
from tumble.phyq.tasks.task import Task
from tumble.runs.agent_registry import attributing_errors
from tumble.runs.evaluate import TaskCounter, attempt_in_rounds
from tumble.runs.log import Log
from tumble.runs.run import ProgressCallback

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
