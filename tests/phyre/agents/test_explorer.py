"""Explorers choose actions by what their attempts did."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from run_headers import header_of
from tiny_dqn import CPU, LEFT, RIGHT, TINY, SideSimulator, attempted, attempts_of_both, trained

from tumble import phyre
from tumble.phyre.agents import AgentError, dqn
from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.explorer.agent import Explorer, ExplorerOnline
from tumble.phyre.agents.explorer.evidence import first_touch, goal_distances, seen_in_attempt, undisturbed_at_start
from tumble.phyre.agents.explorer.memory import Carried, SolutionMemory, layout_of
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.evaluation.evaluate import attempt_all
from tumble.phyre.models.network import Ensemble, QNetwork
from tumble.phyre.simulation.actions import action_set, exact_balls, placed_balls, valid
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.runs.log import open_log
from tumble.scene import Body, Circle, Scene, box

torch.set_num_threads(1)  # faster for a tiny network, especially on busy machines


@pytest.fixture(scope="module")
def sides() -> list[phyre.Task]:
    return [phyre.task(LEFT), phyre.task(RIGHT)]


def indifferent(kind: type[Explorer] = Explorer, **settings: Any) -> Explorer:
    """An explorer with the same initial score for all actions."""
    agent = kind(**{**TINY, "ranked": 2000, **settings})
    agent.torch_device = CPU
    agent.actions = action_set(phyre.TIERS["B"], agent.ranked)
    network = Ensemble([QNetwork(3, side=64, width=0.125)]).eval()
    torch.nn.init.zeros_(network.networks[0].output.weight)
    agent.network = network
    return agent


def test_an_explorer_does_not_repeat_what_failed_nearby(sides: list[phyre.Task]) -> None:
    task = sides[0]
    simulator = phyre.Simulator([task], "B")
    agent = indifferent(reach=20.0, hope=0.0, patience=0)
    past: list[AttemptedAction] = []
    while len(past) < 12:
        proposed = agent.propose(task, past)
        assert proposed.shape == (1, 3)
        tried = AttemptedAction(proposed[0], simulator.simulate(task, proposed[0], want=agent.wants))
        assert tried.attempt.status != INVALID
        past.append(replace(tried, attempt=tried.attempt.with_status(NOT_SOLVED)))
    balls = placed_balls(np.array([tried.action for tried in past]))[:, 0]
    distances = np.linalg.norm(balls[:, None] - balls[None], axis=2)[~np.eye(12, dtype=bool)]
    assert distances.min() > 40.0


def test_the_gap_between_the_goals_bodies_is_exact() -> None:
    """Between a ball and a bar, by the formula for a point and a line."""
    ball = Body((Circle(3.0),), position=(10.0, 20.0), dynamic=True, role="goal_object")
    bar = Body((box(40.0, 4.0),), position=(10.0, 5.0), dynamic=False, role="goal_subject")
    task = phyre.Task("x:000", "B", Scene((ball, bar)), 0, 1)
    states = np.zeros((4, 2, 6))
    states[:, 0, :2] = (10, 20), (10, 10), (33, 5 + 2), (10, 20)
    states[:, 1, :3] = (10, 5, 0), (10, 5, 0), (10, 5, 0), (10, 5, math.pi / 2)
    np.testing.assert_allclose(goal_distances(task, states), [15 - 3 - 2, 0, 0, 0], atol=1e-6)
    states[:, 0, 0] = 50.0
    np.testing.assert_allclose(goal_distances(task, states)[0], math.hypot(20, 13) - 3)


WANTS = ("states", "events")


@pytest.fixture(scope="module")
def attempts() -> tuple[phyre.Task, np.ndarray, list[Attempt]]:
    """A task whose goal bodies move without an action too, with actions and attempts."""
    task = phyre.task("00002:010")
    actions = action_set(phyre.TIERS["B"], 400)
    actions = actions[valid(task.scene, actions)]
    return task, actions, phyre.Simulator([task], "B").attempts([task.id] * len(actions), actions, want=WANTS)


def test_attempts_show_what_happens_without_an_action(attempts: tuple[phyre.Task, np.ndarray, list[Attempt]]) -> None:
    task, _, made = attempts
    alone = phyre.Simulator([task], "B").rollout(task, want=WANTS)
    assert alone.states is not None
    assert first_touch(task, alone) is None
    whole = seen_in_attempt(task, alone).undisturbed
    assert whole.nearest == goal_distances(task, alone.states).min()
    assert undisturbed_at_start(task).nearest == pytest.approx(goal_distances(task, alone.states)[0], abs=1e-3)
    some = {True: 0, False: 0}
    for attempt in made:
        seen, step = seen_in_attempt(task, attempt).undisturbed, first_touch(task, attempt)
        assert attempt.states is not None
        assert attempt.frames is not None
        before = attempt.frames[: len(alone.states)] <= seen.last_step
        own = attempt.states[: len(alone.states)][before][:, : len(task.scene.bodies)]
        np.testing.assert_allclose(own, alone.states[: len(before)][before], atol=1e-4)
        if step is None:
            assert seen.nearest == pytest.approx(whole.nearest, abs=1e-3)
        some[step is None] += 1
    assert min(some.values()) > 10


def test_an_explorer_uses_the_effects_of_attempts(attempts: tuple[phyre.Task, np.ndarray, list[Attempt]]) -> None:
    """It avoids actions that touched nothing, and prefers those that brought the goal's bodies nearer to each other."""
    task, actions, made = attempts
    agent = indifferent(doubt=0.0)
    touched = np.array([first_touch(task, attempt) is not None for attempt in made])
    nearest = np.array([goal_distances(task, attempt.states).min() for attempt in made if attempt.states is not None])
    nothing, much = int(touched.argmin()), int(np.where(touched, nearest, np.inf).argmin())
    past = [AttemptedAction(actions[nothing], made[nothing])]
    first = agent.propose(task, past)[0]
    assert np.linalg.norm(placed_balls(first[None]) - placed_balls(actions[[nothing]])) > agent.view
    search = agent.searches[task.id]
    assert search.undisturbed == seen_in_attempt(task, made[nothing]).undisturbed
    assert search.effects.tolist() == [[-1.0]]
    past.append(AttemptedAction(actions[much], made[much].with_status(NOT_SOLVED)))
    then = agent.propose(task, past)[0]
    assert search.effects[1, 0] > 0.0
    assert np.linalg.norm(placed_balls(then[None]) - placed_balls(actions[[much]])) < agent.view
    new = search.actions[-agent.offspring // 2 :]
    assert not (new[:, None] == agent.actions).all(axis=2).any()
    assert (np.linalg.norm(placed_balls(new) - placed_balls(actions[[much]]), axis=(1, 2)) < 5 * agent.reach).all()


def test_an_attempt_that_brings_little_is_bad_with_a_cost(
    attempts: tuple[phyre.Task, np.ndarray, list[Attempt]],
) -> None:
    """The scores of actions around it fall, but not those around one that touched nothing, which is bad anyway."""
    task, actions, made = attempts
    touched = np.array([first_touch(task, attempt) is not None for attempt in made])
    for row, fall in ((int(touched.argmax()), 0.2), (int(touched.argmin()), 0.0)):
        scores = []
        for cost in (0.0, 0.2):
            agent = indifferent(doubt=0.0, offspring=0, cost=cost)
            agent.propose(task, [AttemptedAction(actions[row], made[row].with_status(NOT_SOLVED))])
            search = agent.searches[task.id]
            weights = np.exp(-0.5 * ((search.balls - placed_balls(actions[[row]])[0]) ** 2).sum(axis=1) / agent.view**2)
            scores.append(agent.revised_scores(search) - search.scores)
        expected = agent.hope * fall * weights / (1.0 + weights)
        np.testing.assert_allclose(scores[0] - scores[1], expected, atol=1e-4)
        assert weights.max() > 0.1


class PrefersTheRight:
    """A transfer model to which a ball is the likelier to solve the further right it is."""

    def log_odds(self, task: phyre.Task, carried: Carried) -> np.ndarray:
        return np.asarray(exact_balls(carried.actions)[:, 0, 0])


def test_of_the_solutions_that_are_carried_over_the_most_likely_one_comes_first(sides: list[phyre.Task]) -> None:
    known = solution("00001:000")
    assert known is not None
    proposed = []
    for transfer in (0.0, 1.0):
        agent = indifferent(transfer=transfer, pooled=True, prior=100.0, transferred=300)
        agent.memory.add(phyre.task("00001:000"), known[None])
        agent.model = PrefersTheRight()  # type: ignore[assignment]
        proposed.append(exact_balls(agent.propose(sides[0], []))[0, 0, 0])
        rows = agent.memory.by_role(sides[0], 300, agent._generator_for(f"{sides[0].id}/by_role"), aimed=True)
    furthest = exact_balls(rows.actions[valid(sides[0].scene, rows.actions)])[:, 0, 0].max()
    assert proposed[1] == pytest.approx(furthest)
    assert proposed[0] != pytest.approx(furthest)


def test_a_negative_setting_is_an_error() -> None:
    with pytest.raises(AgentError, match="transferred must be 0 or more, not -1"):
        Explorer(transferred=-1)
    with pytest.raises(AgentError, match="cost must be 0 or more, not -1"):
        Explorer(cost=-1.0)


def test_an_online_explorer_tries_again_what_solved(sides: list[phyre.Task]) -> None:
    tasks = [phyre.task(f"00002:{number:03}") for number in range(10, 13)]
    agent = trained(sides, ExplorerOnline, updates_online=1, prior_alike=100.0)
    agent.memory = SolutionMemory()
    known = solution(tasks[1].id)
    assert known is not None
    agent.learn(tasks[1], [AttemptedAction(known, Attempt(NOT_SOLVED))])
    assert not agent.memory.by_layout
    agent.learn(tasks[1], [AttemptedAction(known, Attempt(SOLVED))])
    first = agent.propose(tasks[1], [])[0]
    assert np.abs(exact_balls(first[None]) - exact_balls(known[None])).max() < 40.0
    assert any(layout_of(tasks[2].scene) == one for one in agent.memory.by_layout)


def test_an_online_explorer_that_learns_nothing_makes_the_attempts_of_an_explorer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [phyre.task(f"00002:{number:03}") for number in range(10, 16)]
    online = trained(tasks, ExplorerOnline, updates_online=0, remembers=False)
    assert not online.learns_online
    agents = (trained(tasks, Explorer), online)
    of_explorer, of_online = attempts_of_both(agents, tasks, 8, tmp_path, monkeypatch)
    assert of_online == of_explorer
    assert trained(tasks, ExplorerOnline, updates_online=0).learns_online
    assert trained(tasks, ExplorerOnline, remembers=False).learns_online


@pytest.mark.parametrize("kind", [Explorer, ExplorerOnline])
def test_an_explorer_is_evaluated_like_any_agent(kind: type[Explorer], tmp_path: Path) -> None:
    tasks = [phyre.task(LEFT), phyre.task(RIGHT)]
    agent = kind(**{**TINY, "ranked": 300})
    agent.train(tasks, SideSimulator())  # type: ignore[arg-type]
    with open_log(tmp_path / "run.jsonl", header_of()) as log:
        attempt_all(agent, tasks, phyre.Simulator(tasks, "B"), log, attempts=6)
    for task in tasks:
        actions = [tuple(row["action"]) for row in log.tasks[task.id]]
        assert len(set(actions)) == len(actions) >= 1


@pytest.mark.parametrize("kind", [Dqn, Explorer])
def test_attempts_do_not_depend_on_how_many_tasks_go_through_the_network_together(
    kind: type[Dqn], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [phyre.task(f"00002:{number:03}") for number in range(10, 16)]
    agent = trained(tasks, kind, seed=1)
    if isinstance(agent, Explorer):
        agent.patience = 2
    together: list[int] = []
    score = Ensemble.score

    def counted(self: Ensemble, features: Any, *others: Any) -> Any:
        together.append(len(features[0]))
        return score(self, features, *others)

    monkeypatch.setattr(Ensemble, "score", counted)
    monkeypatch.setitem(dqn.TASKS_TOGETHER, "cpu", 4)
    made = [attempted(agent, tasks, max_open, 8, tmp_path, monkeypatch) for max_open in (1, 100)]
    assert made[0] == made[1]
    assert (4 in together) == (kind is Explorer)


def test_an_explorer_proposes_more_at_a_time_as_attempts_fail() -> None:
    """And a search that is made again from its attempts is the same."""
    task = phyre.task("00002:010")
    simulator = phyre.Simulator([task], "B")
    agent, again = indifferent(patience=2), indifferent(patience=2)
    past: list[AttemptedAction] = []
    sizes = []
    while len(past) < 12:
        proposed = agent.propose(task, past)
        np.testing.assert_array_equal(again.propose(task, past), proposed)
        again.searches.clear()
        sizes.append(len(proposed))
        for action, attempt in zip(
            proposed, simulator.attempts([task.id] * len(proposed), proposed, want=agent.wants), strict=True
        ):
            past.append(AttemptedAction(action, attempt.with_status(NOT_SOLVED)))
    assert sizes == [1, 1, 2, 3, 4, 6]
    assert len({tuple(tried.action) for tried in past}) == len(past)
