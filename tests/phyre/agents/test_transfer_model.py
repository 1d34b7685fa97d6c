"""Which solutions that are carried over solve another task: features, outcomes, and the model that learns from them."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tumble import phyre
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.explorer import transfer
from tumble.phyre.agents.explorer.agent import Explorer
from tumble.phyre.agents.explorer.memory import SEPARATOR, Carried, goal_of, landings
from tumble.phyre.agents.explorer.transfer import CarriedOutcomes, load_carried_outcomes, transfer_features
from tumble.phyre.catalogue.task import TaskError
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.generation import training_pool
from tumble.phyre.simulation.actions import exact_balls, from_balls, valid
from tumble.phyre.simulation.status import SOLVED
from tumble.scene import Body, Circle, Polygon, Scene


def bar_task() -> phyre.Task:
    """A bar that moves and is to touch a ball that moves, further right and lower."""
    walls = phyre.task("00000:000").scene.bodies[:4]
    corners = ((-32.0, -4.0), (32.0, -4.0), (32.0, 4.0), (-32.0, 4.0))
    bar = Body((Polygon(corners),), (64.0, 100.0), dynamic=True, role="object")
    ball = Body((Circle(8.0),), (192.0, 60.0), dynamic=True, role="subject")
    return phyre.Task("mine:000", "B", Scene((*walls, bar, ball)), 4, 5)


def carried_to(task: phyre.Task, balls: np.ndarray, **changes: np.ndarray) -> Carried:
    """Balls [n, 3] that come from a task that is just the same."""
    actions = from_balls(balls[:, None])
    kinds = np.full(len(balls), SEPARATOR.join(["object bar True", "subject ball True"]))
    no = np.zeros(len(balls), bool)
    same = Carried(
        actions, landings(task.scene, exact_balls(actions)), np.full(len(balls), goal_of(task)), kinds, kinds, no, no
    )
    return replace(same, **changes)


def test_features_of_a_ball() -> None:
    task = bar_task()
    carried = carried_to(task, np.array([[80.0, 168.0, 8.0], [128.0, 72.0, 16.0]]))
    onto_bar, onto_ground = transfer_features(task, carried)
    in_common = [1.0, 1.0, onto_bar[2], 0.0, 0.0]
    onto_the_bar = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    fall = (168.0 - 8.0 - 104.0) / 256.0
    distances = [np.hypot(16.0, 68.0) / 256.0, np.hypot(112.0, 108.0) / 256.0, 0.0]
    sizes = [8.0 / 256.0, 8.0 / 256.0, fall, fall, 0.5, fall]
    np.testing.assert_allclose(onto_bar, [*in_common, *onto_the_bar, *sizes, *distances, np.log(2.0)], atol=1e-6)
    np.testing.assert_allclose(onto_ground[5:13], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0])
    assert 0.5 < onto_bar[2] < 1.0, "the walls are bodies of this scene only"


def test_features_of_where_an_action_comes_from() -> None:
    task = bar_task()
    balls = np.repeat([[80.0, 168.0, 8.0]], 4, axis=0)
    kinds = np.array(["subject ball True", "other", "other", "other"])
    no = np.zeros(4, bool)
    changed = carried_to(task, balls, landings=np.array([["ground"]] + [["object bar True"]] * 3))
    changed = replace(changed, goals=np.array([goal_of(task), "", "", ""]), scene_kinds=kinds)
    changed = replace(changed, was_moved=np.array([False, False, True, False]), by_kind=np.append(no[:3], True))
    found = transfer_features(task, changed)[:, :5]
    np.testing.assert_array_equal(found[:, 0], [0.0, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(found[:, 1], [1.0, 0.0, 0.0, 0.0])
    assert found[0, 2] > 0.0
    np.testing.assert_array_equal(found[1:, 2], 0.0)
    np.testing.assert_array_equal(found[:, 3:], [[0, 0], [0, 0], [1, 0], [0, 1]])


def balls_at_random(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform((20.0, 110.0, 4.0), (236.0, 240.0, 20.0), (count, 3))


def outcomes(seed: int) -> CarriedOutcomes:
    """Balls that fall onto the bar solve, and no others."""
    task = bar_task()
    carried = carried_to(task, balls_at_random(400, seed))
    return CarriedOutcomes(task, carried, carried.landings[:, 0] == "object bar True")


def test_a_model_learns_which_actions_solve_and_is_the_same_for_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "UPDATES", 150)
    monkeypatch.setattr(transfer, "BATCH_SIZE", 400)
    before = torch.random.get_rng_state()
    models = [transfer.fitted_transfer_model([outcomes(0), outcomes(1)], seed) for seed in (3, 3, 4)]
    assert torch.equal(torch.random.get_rng_state(), before)
    new = outcomes(2)
    found = [model.log_odds(new.task, new.carried) for model in models if model is not None]
    assert len(found) == 3
    assert found[0][new.solved].min() > found[0][~new.solved].max()
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()
    assert models[0] is not None
    assert models[0].log_odds(new.task, new.carried.take(slice(0))).shape == (0,)


def test_there_is_nothing_to_learn_where_nothing_solves() -> None:
    none = replace(outcomes(0), solved=np.zeros(400, bool))
    assert transfer.fitted_transfer_model([none], 0) is None
    assert transfer.fitted_transfer_model([], 0) is None


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_outcomes_are_those_of_the_simulator_and_come_from_training_tasks_of_other_templates(tier: str) -> None:
    tasks = list(published_tasks(tier).values())[:1250]
    found = load_carried_outcomes(training_pool.shipped(tier, 4), tasks)
    assert len(found) == 209
    known = {task.id for task in tasks}
    for one in found:
        assert set(one.carried.task_ids) <= known
        assert one.task.id[:5] not in {task_id[:5] for task_id in one.carried.task_ids}
    some = found[::20]
    ids = [one.task.id for one in some for _ in range(min(30, len(one.carried)))]
    actions = np.concatenate([one.carried.actions[:30] for one in some])
    solved = np.concatenate([one.solved[:30] for one in some])
    np.testing.assert_array_equal(
        phyre.Simulator([one.task for one in some], tier).pairs(ids, actions) == SOLVED, solved
    )
    assert all(valid(one.task.scene, one.carried.actions).all() for one in some)
    assert 0.005 < np.concatenate([one.solved for one in found]).mean() < 0.2


def test_a_pool_without_outcomes_beside_it_is_an_error() -> None:
    with pytest.raises(TaskError, match="--carried"):
        load_carried_outcomes("missing/2B.npz", [phyre.task("00100:000")])


def test_a_model_needs_a_pool() -> None:
    with pytest.raises(AgentError, match="set pooled to true"):
        Explorer(transfer=1.0)
    with pytest.raises(AgentError, match="transfer must be 0 or more"):
        Explorer(transfer=-1.0, pooled=True)
