"""Agents that learn online: the order of their tasks, and what they learn again when a run is resumed."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from attempted_tasks import LEFT, RIGHT, attempted, on_its_side
from known_outcomes import KnownSimulator
from run_headers import header_of

from tumble.phyre.agents import AgentError
from tumble.phyre.agents.mem import MemOnline
from tumble.phyre.catalogue.task import Task
from tumble.runs.log import Log, LogError, open_log


class Backwards(MemOnline):
    """Begins with the last task."""

    def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
        return tasks[::-1]


def test_an_online_agent_chooses_its_order(tmp_path: Path) -> None:
    agent = Backwards(ranked=60)
    agent.train(LEFT, KnownSimulator(LEFT, on_its_side))
    log = attempted(agent, RIGHT, on_its_side, tmp_path)
    assert list(log.tasks) == [known.id for known in RIGHT[::-1]]


def test_an_order_has_each_task_once(tmp_path: Path) -> None:
    class Forgetful(Backwards):
        def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
            return tasks[1:]

    with pytest.raises(AgentError, match="`order` must return each task exactly once"):
        attempted(Forgetful(), RIGHT, on_its_side, tmp_path)


@pytest.mark.parametrize("kind", [MemOnline, Backwards])
def test_a_resumed_online_agent_learns_again_what_it_had_learned(tmp_path: Path, kind: type[MemOnline]) -> None:
    def hard(task_id: str, column: int) -> bool:
        return column % 7 == int(task_id[-1]) % 3  # so that what was learned before decides

    def evaluate(folder: Path) -> Log:
        agent = kind(ranked=60)
        agent.train(LEFT, KnownSimulator(LEFT, hard))
        return attempted(agent, RIGHT, hard, folder)

    whole = evaluate(tmp_path / "whole")
    for kept in range(6):
        folder = tmp_path / str(kept)
        with open_log(folder / "a.jsonl", header_of()) as log:
            for task_id, rows in list(whole.tasks.items())[:kept]:
                log.add_task(task_id, [{**row} for row in rows])
        resumed = evaluate(folder)
        assert (resumed.tasks, list(resumed.tasks)) == (whole.tasks, list(whole.tasks))


def test_a_log_of_another_order_is_not_gone_on_with(tmp_path: Path) -> None:
    with open_log(tmp_path / "a.jsonl", header_of()) as log:
        log.add_task("right:003", [])
    agent = MemOnline(ranked=60)
    agent.train(LEFT, KnownSimulator(LEFT, on_its_side))
    with pytest.raises(LogError, match="another order"):
        attempted(agent, RIGHT, on_its_side, tmp_path)
