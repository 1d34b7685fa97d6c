"""DQN and its variants: the network, its training data, and training that survives a kill."""

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tiny_dqn import CPU, LEFT, RIGHT, TINY, SideSimulator, UnusedSimulator, attempts_of_both, losses, trained

from tumble import phyre
from tumble.learning.checkpoint import export_weights, read_checkpoint
from tumble.learning.settings import TrainingError
from tumble.phyre.agents import AgentError, dqn, make
from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.dqn_online import DqnOnline
from tumble.phyre.agents.explorer.agent import Explorer
from tumble.phyre.agents.recipes import as_published, shipped_dqn
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.training_pool import TrainingPool, counts_with
from tumble.phyre.generation.variations import TriedActions
from tumble.phyre.models.network import FUSIONS, Brush, QNetwork, colour_shares, planes_of
from tumble.phyre.models.training import Batch, DqnTraining, LabelledActions, label_pool, mirrored_batch
from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import action_set, valid
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED

torch.set_num_threads(1)  # faster for a tiny network, especially on busy machines


@pytest.fixture(scope="module")
def sides() -> list[phyre.Task]:
    return [phyre.task(LEFT), phyre.task(RIGHT)]


def weights(agent: Dqn) -> dict[str, Any]:
    return agent.network.state_dict()


def same_weights(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def tiny_network(fusion: str = "last") -> QNetwork:
    """A network whose gains and biases differ from the initial ones."""
    torch.manual_seed(0)
    network = QNetwork(3, fusion, side=64, width=0.125)
    torch.nn.init.normal_(network.modulation.linear.weight, std=0.3)
    return network.eval()


# The network


@pytest.mark.parametrize("fusion", FUSIONS)
def test_actions_that_share_a_picture_score_as_if_alone(fusion: str, sides: list[phyre.Task]) -> None:
    network, actions = tiny_network(fusion), torch.rand(6, 3)
    with torch.inference_mode():
        features = network.encode(planes_of(sides, 64, CPU))
        together = network.score(features, actions)
        alone = [
            network.score(network.encode(planes_of([sides[k // 3]], 64, CPU)), actions[k : k + 1]) for k in range(6)
        ]
    assert together.unique().numel() == 6
    torch.testing.assert_close(together, torch.cat(alone), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_an_untrained_network_does_not_care_which_action(fusion: str, sides: list[phyre.Task]) -> None:
    network = QNetwork(6, fusion, side=64, width=0.125).eval()
    with torch.inference_mode():
        logits = network.score(network.encode(planes_of(sides, 64, CPU)), torch.rand(8, 6)).view(2, 4)
    torch.testing.assert_close(logits, logits[:, :1].expand(2, 4))


def test_the_network_is_a_resnet_18() -> None:
    """A ResNet-18 has 11,166,912 weights in its convolutions; ours looks at 7 planes instead of 3."""
    network = QNetwork(3)
    convolutions = [module for module in network.modules() if isinstance(module, torch.nn.Conv2d)]
    assert len(convolutions) == 1 + 16 + 3  # of which 3 are shortcuts; a linear layer is the 18th
    assert sum(module.weight.numel() for module in convolutions) == 11_166_912 + (7 - 3) * 64 * 7 * 7


def test_a_smaller_side_averages_pictures(sides: list[phyre.Task]) -> None:
    pictures = torch.from_numpy(np.stack([view.picture(task.scene) for task in sides]))
    averaged = colour_shares(planes_of(sides, 64, CPU))
    for colour in range(7):
        blocks = (pictures == colour).float().view(2, 64, 4, 64, 4).mean(dim=(2, 4))
        torch.testing.assert_close(averaged[:, colour], blocks)


def test_balls_are_drawn_at_their_place_in_any_order() -> None:
    action = torch.tensor([[64 / 255, 192 / 255, 14 / 30, 160 / 255, 32 / 255, 0.0]])  # radii 16 and 2
    maps = Brush(8).ball_maps(action, 32)
    torch.testing.assert_close(maps, Brush(8).ball_maps(action[:, [3, 4, 5, 0, 1, 2]], 32))
    covered, sized, field = maps[0]
    rows, columns = torch.meshgrid(torch.arange(32), torch.arange(32), indexing="ij")
    x, y = 8.0 * columns + 4.0, 256.0 - (8.0 * rows + 4.0)
    to_large, to_small = torch.hypot(x - 64, y - 192) - 16, torch.hypot(x - 160, y - 32) - 2
    torch.testing.assert_close(covered == 1.0, torch.minimum(to_large, to_small) <= 0.0)
    assert (covered[(to_large > 8.0) & (to_small > 8.0)] == 0.0).all()
    assert float(sized.max()) == pytest.approx(16 / 32)
    torch.testing.assert_close(field, (-torch.minimum(to_large, to_small) / 32).tanh())


# Training data


def few_labels(variations: np.ndarray, varied: np.ndarray) -> LabelledActions:
    """Outcomes of 50 random actions, and of some variations, on two tasks and on a mutation of which 20 were tried."""
    statuses = np.full((3, 50), NOT_SOLVED, np.int8)
    statuses[0, [3, 5]] = SOLVED
    statuses[:, 7:10] = INVALID
    statuses[2] = INVALID
    tasks = [phyre.task(LEFT), phyre.task("00002:000"), phyre.task(RIGHT)]
    parts = ([0, 2], 50), ([1], 20)
    pool = TrainingPool(
        *(
            TriedActions([tasks[row] for row in rows], statuses[rows, :count], variations[rows], varied[rows])
            for rows, count in parts
        )
    )
    return label_pool(pool, lambda some: planes_of(some, 64, CPU))


def test_labels_in_batches_are_correct() -> None:
    labels = few_labels(np.zeros((3, 0, 3), np.float32), np.zeros((3, 0), np.int8))
    actions = action_set(phyre.TIERS["B"], 50).astype(np.float32)
    assert len(labels.inputs) == 2  # the third task has no valid action
    batch = labels.batch(60, 8, torch.Generator().manual_seed(0))
    number = {action.tobytes(): k for k, action in enumerate(actions)}
    drawn = np.array([[number[action.numpy().tobytes()] for action in row] for row in batch.actions])
    first = np.array([torch.equal(picture, labels.inputs[0]) for picture in batch.inputs])
    assert 15 < first.sum() < 45
    assert not np.isin(drawn, [7, 8, 9]).any()
    assert (batch.solved.numpy() == (np.isin(drawn, [3, 5]) & first[:, None])).all()
    assert batch.solved.numpy()[first].mean() == 0.5
    assert set(drawn[~first].ravel()) == set(range(20)) - {7, 8, 9}


def test_variations_and_random_actions_are_drawn_equally_often() -> None:
    """A quarter of a batch each: solving and failing random actions, and variations."""
    variations = np.full((3, 4, 3), 2.0, np.float32) + np.arange(12).reshape(3, 4, 1)
    varied = [
        [SOLVED, SOLVED, NOT_SOLVED, NOT_SOLVED],
        [SOLVED, NOT_SOLVED, INVALID, INVALID],
        [SOLVED] + [INVALID] * 3,
    ]
    labels = few_labels(variations, np.array(varied, np.int8))
    batch = labels.batch(200, 8, torch.Generator().manual_seed(0))
    first = np.array([torch.equal(picture, labels.inputs[0]) for picture in batch.inputs])
    drawn, solved = batch.actions[..., 0].numpy() - 2.0, batch.solved.numpy()
    of_task = {True: ([0, 1], [2, 3], 0.25), False: ([4], [5], 0.5)}  # no random action solves the second
    for is_first, (solving, failing, share) in of_task.items():
        here = first == is_first
        solves, fails = ((drawn[here] >= 0.0) & (solved[here] == outcome) for outcome in (1, 0))
        assert np.unique(drawn[here][solves]).tolist() == solving
        assert np.unique(drawn[here][fails]).tolist() == failing
        assert (solves.mean(), fails.mean()) == (share, 0.25)


def test_a_mirrored_batch_places_balls_on_the_other_side() -> None:
    picture = torch.zeros(64, 7, 256, 256, dtype=torch.uint8)
    picture[:, 2, 100, 10] = 1
    actions = torch.tensor([0.1, 0.3, 0.5, 0.6, 0.7, 0.8]).expand(64, 2, 6)
    turned = mirrored_batch(Batch(picture, actions, torch.ones(64, 2)), torch.Generator().manual_seed(0))
    where = [int(row[2, 100].nonzero()) for row in turned.inputs]
    assert set(where) == {10, 245}
    for column, action in zip(where, turned.actions[:, 0], strict=True):
        x = 255 * float(action[0])
        assert x == pytest.approx(25.5 if column == 10 else 256 - 25.5, abs=1e-3)
        torch.testing.assert_close(action[[1, 2, 4, 5]], actions[0, 0, [1, 2, 4, 5]])


# Training


@pytest.mark.parametrize("settings", [*({"fusion": fusion} for fusion in FUSIONS), {"mirrored": True}], ids=str)
def test_every_variant_trains(settings: dict[str, Any], sides: list[phyre.Task]) -> None:
    agent = trained(sides, updates=4, **settings)
    assert [step for step, _ in losses(agent)] == [1, 2, 3, 4]
    assert all(math.isfinite(loss) for _, loss in losses(agent))
    ranking = agent.propose(sides[0], ())
    assert len(ranking) == valid(sides[0].scene, agent.actions).sum()


@pytest.mark.slow
def test_it_learns_which_side_solves(sides: list[phyre.Task]) -> None:
    agent = trained(sides, updates=120)
    values = [loss for _, loss in losses(agent)]
    assert np.mean(values[-10:]) < 0.25 < 0.5 < np.mean(values[:10])
    for refined in (0, 40):
        agent.refined = refined
        for task, on_left in zip(sides, (True, False), strict=True):
            ranking = agent.propose(task, ())
            assert len(np.unique(ranking, axis=0)) == len(ranking)
            assert ((ranking[:30, 0] < 0.5) == on_left).mean() > 0.9
            assert ((ranking[-30:, 0] < 0.5) == on_left).mean() < 0.1
            assert not len(agent.propose(task, (AttemptedAction(ranking[0], Attempt(NOT_SOLVED)),)))


def test_actions_that_the_scout_leaves_out_come_last(sides: list[phyre.Task]) -> None:
    agent = trained(sides)
    features, actions = agent.encode(sides[0]), agent.actions[valid(sides[0].scene, agent.actions)]
    all_scores = agent.scores(features, actions)
    agent.refined = 25
    scores = agent.scores(features, actions)
    best = np.argsort(-scores)[:25]
    np.testing.assert_allclose(scores[best], all_scores[best], atol=0.02)  # rounding depends on the batch
    assert scores[best].min() >= np.delete(scores, best).max()


def test_features_and_scores_are_the_same_to_the_bit_alone_and_with_other_tasks(
    sides: list[phyre.Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(dqn.TASKS_TOGETHER, "cpu", 4)
    agent = trained(sides)
    tasks = [*sides, *(phyre.task(f"00002:{number:03}") for number in range(4))]
    features = agent.encode_all(tasks)
    for task, together in zip(tasks, features, strict=True):
        assert torch.equal(agent.encode(task)[0], together[0])
    actions = [np.random.default_rng(count).random((count, 3)) for count in (5, 1, 30, 7, 12, 29)]
    scores = agent.scores_by_task(features, actions, 30)
    for own, some, together in zip(features, actions, scores, strict=True):
        np.testing.assert_array_equal(agent.scores_by_task([own], [some], 30)[0], together)
        np.testing.assert_allclose(agent.scores(own, some), together, atol=0.02)  # rounding depends on the batch


def test_the_best_actions_are_the_first_of_the_ranking(sides: list[phyre.Task]) -> None:
    agent = trained(sides)
    agent.actions = np.repeat(agent.actions, 2, axis=0)  # of equal scores, the earlier comes first
    actions = agent.actions[valid(sides[0].scene, agent.actions)]
    scores = agent.scores(agent.encode(sides[0]), actions)
    ranking = np.argsort(-scores, kind="stable")[:15]
    best, best_scores = agent.best(sides[0], agent.encode(sides[0]), 15)
    np.testing.assert_array_equal(best, actions[ranking])
    np.testing.assert_array_equal(best_scores, scores[ranking])


def test_the_same_seed_gives_the_same_weights(sides: list[phyre.Task]) -> None:
    first, again, other = (weights(trained(sides, seed=seed)) for seed in (1, 1, 2))
    assert same_weights(first, again)
    assert not same_weights(first, other)


def test_members_are_the_networks_of_the_next_seeds_and_score_by_their_mean(sides: list[phyre.Task]) -> None:
    both = trained(sides, members=2, seed=5)
    alone = [trained(sides, seed=seed) for seed in (5, 6)]
    for number, one in enumerate(alone):
        prefix = f"members.{number}."
        own = {name.removeprefix(prefix): value for name, value in weights(both).items() if name.startswith(prefix)}
        assert same_weights(own, {name.removeprefix("members.0."): value for name, value in weights(one).items()})
    actions = both.actions[valid(sides[0].scene, both.actions)]
    scores = [agent.scores(agent.encode(sides[0]), actions) for agent in (both, *alone)]
    np.testing.assert_allclose(scores[0], (scores[1] + scores[2]) / 2, atol=1e-5)


def test_a_file_of_a_pool_gives_the_same_weights_as_making_it(sides: list[phyre.Task], tmp_path: Path) -> None:
    simulator, path = phyre.Simulator(sides), tmp_path / "pool.npz"
    training_pool.make(sides, simulator, counts_with(200, 2)).save(path)
    read = {"pooled": True, "pool": str(path)}
    several = ({}, {"mutated": 2}, {**read, "mutated": 2}, read)
    agents = [Dqn(**{**TINY, "updates": 2}, **more) for more in several]
    for agent in agents:
        agent.train(sides, simulator)
    plain, made, same, without = map(weights, agents)
    assert same_weights(made, same)
    assert same_weights(plain, without)
    assert not same_weights(made, plain)


KILLED = """
import sys
import torch
from tiny_dqn import LEFT, RIGHT, trained
from tumble import phyre
from tumble.learning import harness
torch.set_num_threads(1)
harness.CHECKPOINT_SECONDS = 0.0
trained([phyre.task(LEFT), phyre.task(RIGHT)], updates=4000, checkpoint=sys.argv[1])
"""


@pytest.mark.slow
def test_training_that_was_killed_ends_with_the_same_weights(
    sides: list[phyre.Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder" / "dqn.pt"
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], env=variables)
    while not path.exists() or read_checkpoint(path)["step"] < 10:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = read_checkpoint(path)
    assert 10 <= kept["step"] < 4000
    # A few more updates are enough; the learning rate depends on the number of all updates, so that must stay.
    limited = Dqn(**{**TINY, "updates": 4000, "checkpoint": str(path), "minutes": 1e-9})
    for _ in range(2):
        with pytest.raises(AgentError, match=r"stopped after .* at step \d+ of 4000; the same call resumes"):
            limited.train(sides, SideSimulator())  # type: ignore[arg-type]
    after = read_checkpoint(path)
    assert after["step"] == kept["step"] + 2
    left = iter(range(after["step"]))
    update = DqnTraining.update

    def limited_update(self: DqnTraining, *batches: Any) -> Any:
        if next(left, None) is None:
            raise StopError
        return update(self, *batches)

    monkeypatch.setattr(DqnTraining, "update", limited_update)
    straight = Dqn(**{**TINY, "updates": 4000})
    with pytest.raises(StopError):
        straight.train(sides, SideSimulator())  # type: ignore[arg-type]
    assert same_weights(weights(straight), after["network"])
    assert losses(straight) == after["curve"]["loss"]


class StopError(Exception):
    """Ends a training without a checkpoint."""


def test_a_finished_checkpoint_is_only_loaded(sides: list[phyre.Task], tmp_path: Path) -> None:
    path, small = str(tmp_path / "dqn.pt"), str(tmp_path / "small.pt")
    agent = trained(sides, checkpoint=path)
    for kind in (Dqn, DqnOnline, Explorer):
        again = kind(**{**TINY, "checkpoint": path})
        again.train(sides, UnusedSimulator())  # type: ignore[arg-type]
        assert same_weights(weights(agent), weights(again))
        assert losses(again) == losses(agent)
    export_weights(path, small)
    assert Path(small).stat().st_size < 0.7 * Path(path).stat().st_size
    shipped = make("dqn", ranked=200, device="cpu", checkpoint=small, loaded=True)
    shipped.train(sides, UnusedSimulator())  # type: ignore[arg-type]
    exact = weights(agent)
    rounded = {name: one.half().to(one.dtype) if one.is_floating_point() else one for name, one in exact.items()}
    assert same_weights(weights(shipped), rounded)
    assert not same_weights(exact, rounded)
    assert len(shipped.propose(sides[0], ())) > 0


def test_training_is_not_resumed_on_other_outcomes(sides: list[phyre.Task], tmp_path: Path) -> None:
    class OtherSide(SideSimulator):
        def sweep(self, actions: object, task_ids: Sequence[str]) -> np.ndarray:
            return -super().sweep(actions, task_ids)

    agent = Dqn(**{**TINY, "checkpoint": str(tmp_path / "dqn.pt"), "minutes": 1e-9})
    with pytest.raises(AgentError, match="stopped after"):
        agent.train(sides, SideSimulator())  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="was made with outcomes"):
        agent.train(sides, OtherSide())  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_shipped_network_beats_chance() -> None:
    """By chance, 3 of 20 first attempts succeed once in 300 times: 1.5 % of valid random actions do."""
    ids = phyre.fold("ball_within_template", 0, phyre.task_ids("B"))
    known = shipped_dqn("ball_within_template", 0)
    assert known is not None
    agent = make("dqn", **known, ranked=1000, refined=200, device="cpu")
    agent.train([phyre.task(task_id) for task_id in ids.train_for_test], UnusedSimulator())  # type: ignore[arg-type]
    tasks = [phyre.task(task_id) for task_id in ids.test[::25]]
    first = [agent.propose(task, ())[0] for task in tasks]  # type: ignore[index]
    statuses = phyre.Simulator(tasks, "B").pairs([task.id for task in tasks], first)
    assert (statuses == SOLVED).sum() >= 3
    assert shipped_dqn("two_balls_within_template", 9) is None


def test_a_checkpoint_that_does_not_match_is_rejected(sides: list[phyre.Task], tmp_path: Path) -> None:
    path = tmp_path / "dqn.pt"
    trained(sides, checkpoint=str(path))

    def rejected(why: str, tasks: list[phyre.Task] = sides, **settings: Any) -> None:
        with pytest.raises(TrainingError, match=why):
            trained(tasks, checkpoint=str(path), **settings)

    rejected("was made with width 0.125, and this is 0.25", width=0.25)
    rejected("was made with mirrored False, and this is True", mirrored=True)
    rejected("was made with data B .*, and this is B", tasks=sides[:1])
    two = phyre.task("00100:000")
    other_tier = Dqn(**{**TINY, "checkpoint": str(path)})
    with pytest.raises(TrainingError, match=r"was made with data B .*, and this is 2B"):
        other_tier.train([two], phyre.Simulator([two], "2B"))
    path.write_bytes(path.read_bytes()[:1000])
    rejected("no checkpoint, or a damaged one")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"fusion": "late"}, "no fusion 'late'; there are last"),
        ({"side": 100}, "side must be one of 32, 64, 128, 256, not 100"),
        ({"width": 0.0}, "width must be above 0"),
        ({"updates": 0}, "updates must be 1 or more"),
        ({"minutes": 1.0}, "minutes needs a checkpoint"),
        ({"loaded": True}, "loaded needs a checkpoint"),
        ({"depth": 3}, "has no setting 'depth'"),
    ],
)
def test_invalid_settings_are_rejected(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(AgentError, match=why):
        make("dqn", **settings)


def test_without_torch_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['torch'] = None; from tumble.phyre.agents import make; make('dqn')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert 'agent dqn needs PyTorch: pip install "tumble[agents]"' in done.stderr


# Learning from test tasks


@pytest.mark.slow
@pytest.mark.parametrize("extra", [{}, {"recalled": 1}], ids=str)
def test_solutions_of_a_test_task_score_higher_afterwards(extra: dict[str, int], sides: list[phyre.Task]) -> None:
    agent = trained(sides, DqnOnline, updates_online=10, learning_rate_online=3e-3, actions_online=16, **extra)
    actions = agent.actions[valid(sides[0].scene, agent.actions)]
    before = agent.scores(agent.encode(sides[0]), actions)
    order = np.argsort(-before)
    past = [AttemptedAction(actions[k], Attempt(NOT_SOLVED)) for k in order[:5]] + [
        AttemptedAction(actions[order[50]], Attempt(SOLVED))
    ]
    for _ in range(2):
        agent.learn(sides[0], past)
    after = agent.scores(agent.encode(sides[0]), actions)
    margin = [scores[order[50]] - scores[order[:5]].mean() for scores in (before, after)]
    assert margin[1] > margin[0] + 0.1
    learned = weights(agent)
    again = trained(sides, DqnOnline, updates_online=10, learning_rate_online=3e-3, actions_online=16, **extra)
    for _ in range(2):
        again.learn(sides[0], past)
    assert same_weights(learned, weights(again))


def test_without_updates_it_makes_the_attempts_of_dqn(
    sides: list[phyre.Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    online = trained(sides, DqnOnline, updates_online=0)
    assert not online.learns_online
    of_dqn, of_online = attempts_of_both((trained(sides), online), sides, 6, tmp_path, monkeypatch)
    assert of_online == of_dqn
    assert [len(actions) for actions in of_dqn] == [6, 6]


# The paper's DQN


def test_half_of_the_pairs_solve_and_each_outcome_is_drawn_as_it_occurs(sides: list[phyre.Task]) -> None:
    statuses = np.array([[1, 1, -1, -1, -1, -1, 0, -1], [-1, -1, -1, 0, 0, 0, 0, 1]], np.int8)
    none = np.zeros((2, 0, 3), np.float32)
    tried = TriedActions(sides, statuses, none, np.zeros((2, 0), np.int8))
    empty = TriedActions([], np.zeros((0, 1), np.int8), np.zeros((0, 0, 3), np.float32), np.zeros((0, 0), np.int8))
    labels = label_pool(TrainingPool(tried, empty), lambda tasks: planes_of(tasks, 32, CPU))
    generator = torch.Generator().manual_seed(0)
    pictures = planes_of(sides, 32, CPU)
    for batch in (labels.pairs(11_000, generator), labels.pairs(11_000, generator)):
        assert abs(float(batch.solved.mean()) - 0.5) < 0.001
        row = (batch.inputs == pictures[1]).flatten(1).all(1).long()
        number = (
            (batch.actions[:, 0, None] == torch.tensor(action_set("B", 8), dtype=torch.float32)).all(2).int().argmax(1)
        )
        drawn = torch.from_numpy(statuses)[row, number]
        assert torch.equal(drawn == SOLVED, batch.solved[:, 0] == 1.0)
        assert (drawn != INVALID).all()
        of_first = float((row[batch.solved[:, 0] == 1.0] == 0).float().mean())
        assert abs(of_first - 2 / 3) < 0.03, "two of the three solving pairs are the first task's"


def test_the_papers_settings_use_no_stored_solutions_and_no_scout() -> None:
    agent = Dqn(**{**as_published("ball_cross_template"), "width": 0.125})
    assert (agent.members, agent.updates, agent.tasks_per_batch * agent.actions_per_task) == (1, 100_000, 64)
    assert agent.given().training == ("simulated actions",)
    assert agent.given().actions_per_task == 100_000
    assert QNetwork(3, agent.fusion, width=0.125).scout is None
    assert [as_published(name)["ranked"] for name in ("ball_cross_template", "ball_within_template")] == [1000, 10_000]
    for wrong in ({"pooled": True}, {"mutated": 2}, {"actions_per_task": 8}):
        with pytest.raises(AgentError, match="pairs needs pooled=false, mutated=0 and actions_per_task=1"):
            Dqn(**{**as_published("ball_cross_template"), **wrong})


def test_the_paper_trains_on_random_actions_alone(sides: list[phyre.Task]) -> None:
    counts = counts_with(20, 0, varied=False)
    pool = training_pool.make(sides, SideSimulator(), counts)  # type: ignore[arg-type]
    assert pool.of_tasks.random.shape == (2, 20)
    assert pool.of_tasks.varied.shape == (2, 0)
    assert pool.of_mutations.tasks == []
