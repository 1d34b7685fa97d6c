"""What counts as an attempt, what ends the attempts at a task, and what agents see of them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from attempted_tasks import LEFT, RIGHT, Rank, attempted, columns, never, on_its_side
from known_outcomes import KnownSimulator, at
from run_headers import header_of

from tumble import phyre
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.evaluation.evaluate import Attempts, PhyreOpenTask, attempt_all
from tumble.runs.evaluate import NO_PROPOSAL, ONLY_INVALID
from tumble.runs.log import open_log, read


@dataclass
class Script(Agent):
    """Proposes given actions call by call, and records what it was given."""

    calls: list[np.ndarray | None]
    pasts: list[tuple[AttemptedAction, ...]] = field(default_factory=list)

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray | None:
        self.pasts.append(tuple(past))
        return self.calls.pop(0) if self.calls else NO_ACTIONS


def test_invalid_proposals_cost_nothing(tmp_path: Path) -> None:
    outside = np.array([[1.5, 0.5, 0.5], [np.nan, 0.5, 0.5], [0.0, 0.5, 1.0]])  # of the cube, and of the scene
    agent = Script([np.concatenate([outside, at(125, 130, 80, 90)]), at(127, 10)])
    log = attempted(agent, LEFT[:1], on_its_side, tmp_path, attempts=3)
    rows = log.tasks["left:000"]
    assert [(row["attempt"], row["status"]) for row in rows] == [(1, -1), (2, -1), (3, 1)]
    assert columns(rows) == [80, 90, 10]


def test_attempts_end_with_success_or_the_budget(tmp_path: Path) -> None:
    simulator = KnownSimulator([*LEFT[:1], *RIGHT[:1]], on_its_side)
    many = at(*range(40, 115))
    log = attempted(Rank(many), simulator.tasks, on_its_side, tmp_path, attempts=30, simulator=simulator)
    assert columns(log.tasks["left:000"]) == [40]
    assert columns(log.tasks["right:000"]) == list(range(40, 70))
    rolled_out = sum(task_id == "left:000" for task_id, _ in simulator.rolled_out)
    assert rolled_out <= 4  # a few are rolled out together, and what follows a success is dropped


def test_an_agent_is_called_again_with_the_results_of_its_attempts(tmp_path: Path) -> None:
    agent = Script([at(70, 80), at(90), None])
    log = attempted(agent, LEFT[:1], on_its_side, tmp_path)
    assert columns(log.tasks["left:000"]) == [70, 80, 90]
    assert [len(past) for past in agent.pasts] == [0, 2, 3]
    assert [tried.attempt.status for tried in agent.pasts[2]] == [-1, -1, -1]
    assert log.tasks["left:000"][0]["steps"] == 321
    assert agent.pasts[2][0].attempt.steps == 0  # a store does not know them, and must not change what an agent sees


def test_proposing_the_same_invalid_actions_again_gives_up(tmp_path: Path) -> None:
    class Stubborn(Agent):
        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            return at(125)

    log = attempted(Stubborn(), LEFT[:2], never, tmp_path)
    assert log.tasks == {"left:000": [], "left:001": []}
    assert log.given_up == {"left:000": ONLY_INVALID, "left:001": ONLY_INVALID}
    assert read(log.path).given_up == log.given_up


def test_a_task_is_given_up_by_proposing_nothing(tmp_path: Path) -> None:
    log = attempted(Script([at(80), None, at(10)]), LEFT[:2], on_its_side, tmp_path)
    assert log.given_up == {"left:000": NO_PROPOSAL}
    assert [len(rows) for rows in log.tasks.values()] == [1, 1]


@pytest.mark.parametrize(("value", "text"), [(np.nan, "nan"), (1.5, "1.5"), (-0.25, "-0.25")])
def test_constant_actions_outside_the_unit_cube_are_an_error(tmp_path: Path, value: float, text: str) -> None:
    class Outside(Agent):
        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            return np.full((7, 3), [0.5, value, 0.5])

    why = rf"Outside: for task left:000 it proposed the same 7 actions twice, all .* as in \[0.5, {text}, 0.5\]"
    with pytest.raises(AgentError, match=why):
        attempted(Outside(), LEFT[:1], never, tmp_path)


def test_endless_invalid_proposals_are_an_error(tmp_path: Path) -> None:
    class Unlucky(Agent):
        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            return at(np.random.default_rng().uniform(121, 134))

    with pytest.raises(AgentError, match="1,000 times in a row it proposed only invalid actions for task left"):
        attempted(Unlucky(), LEFT[:1], never, tmp_path)


def test_actions_of_another_shape_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"for task left:000 it proposed an array of shape \[3\]; .*\[n, 3\]"):
        attempted(Script([at(50)[0]]), LEFT[:1], never, tmp_path)


def test_an_agent_sees_what_it_wants(tmp_path: Path) -> None:
    known = [phyre.task("00000:000")]

    class Curious(Rank):
        wants = ("observations", "states")

        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            self.past = past
            return super().propose(task, past)

    agent = Curious(phyre.actions.sample_valid(known[0].scene, TIERS["B"], 2, np.random.default_rng(0)))
    simulator = phyre.Simulator(known, "B")
    with open_log(tmp_path / "a.jsonl", header_of()) as log:
        attempt_all(agent, known, simulator, log, 3)
    (first, *_) = agent.past
    assert first.attempt.observations is not None
    assert first.attempt.observations.shape[1:] == (256, 256)
    assert first.attempt.states is not None
    assert first.attempt.steps > 0


class Sleeper(Rank):
    """Takes long to propose."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        time.sleep(self.seconds)
        return at(20 + len(past))


def largest_round(agent: Agent, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The largest number of tasks that are attempted together."""
    sizes = []
    make_round = Attempts.make_round

    def counted(self: Attempts, open_tasks: Sequence[PhyreOpenTask]) -> list[float]:
        sizes.append(len(open_tasks))
        return make_round(self, open_tasks)

    monkeypatch.setattr(Attempts, "make_round", counted)
    attempted(agent, [*LEFT, *RIGHT], never, folder, attempts=3)
    return max(sizes)


def test_a_slow_agent_attempts_one_task_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert largest_round(Sleeper(0.0), tmp_path / "quick", monkeypatch) >= 4
    assert largest_round(Sleeper(0.04), tmp_path / "slow", monkeypatch) == 1
