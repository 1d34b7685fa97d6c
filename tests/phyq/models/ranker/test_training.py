"""The network, its training and its use."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tumble.learning.checkpoint import load_network
from tumble.learning.harness import Budget
from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.models.ranker.collect import WON, read_shots
from tumble.phyq.models.ranker.ranker import Ranker, RetryRule, candidate_shots
from tumble.phyq.models.ranker.scenes import NONE, scene_of_objects, widened
from tumble.phyq.models.ranker.training import RankerConfig, RankerTraining, train_ranker
from tumble.phyq.observation.view import start

SMALL = RankerConfig(width=16, layers=1, heads=2, scenes=4, shots=6, winning=2)


def scene_of(task_id: str):
    level = cached_task(task_id).level
    return scene_of_objects(start(level).objects, level.birds, level.rest_point)


def test_training_lowers_the_losses(shot_file: Path) -> None:
    training = RankerTraining(SMALL, read_shots(shot_file), torch.device("cpu"), 0)
    optimiser = torch.optim.Adam(training.network.parameters(), 3e-3)
    sums = []
    for step in range(40):
        torch.manual_seed(step)
        loss = sum(training.losses(step, 0.0).values())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        sums.append(loss.item())
    assert np.mean(sums[-10:]) < 0.8 * np.mean(sums[:5])


def test_drawn_shots_are_of_drawn_scenes_and_some_win(shot_file: Path) -> None:
    training = RankerTraining(SMALL, read_shots(shot_file), torch.device("cpu"), 0)
    for group in training.scene_groups:
        rows, shots = group.draw(8, 6, 2)
        assert (shots >= group.starts[rows, None]).all()
        assert (shots < (group.starts + group.counts)[rows, None]).all()
        has_wins = group.wins[rows] > 0
        assert (group.won[shots[has_wins][:, :2]] == WON).all()


def test_templates_can_be_left_out(shot_file: Path) -> None:
    data, device = read_shots(shot_file), torch.device("cpu")
    everything = RankerTraining(SMALL, data, device, 0).scene_groups
    without = RankerTraining(replace(SMALL, without="13.3,15.1"), data, device, 0).scene_groups
    left_out = np.isin(data.collected.templates, ["13.3", "15.1"]).sum()
    assert sum(len(group.counts) for group in without) == sum(len(group.counts) for group in everything) - left_out
    named = np.where(data.collected.templates == "15.1", "15.1v", data.collected.templates)
    renamed = replace(data, collected=replace(data.collected, templates=named))
    without = RankerTraining(replace(SMALL, without="13.3", variants=False), renamed, device, 0).scene_groups
    assert sum(len(group.counts) for group in without) == sum(len(group.counts) for group in everything) - left_out
    with pytest.raises(TrainingError, match="no shot to learn from"):
        RankerTraining(replace(SMALL, without="5.1,6.3,13.3,15.1"), data, device, 0)


def test_same_training_twice_gives_the_same_weights(shot_file: Path, tmp_path: Path) -> None:
    settings = {"width": 16, "layers": 1, "heads": 2, "scenes": 2, "shots": 4}
    paths = [
        train_ranker(shot_file, tmp_path / name, Budget(steps=2), torch.device("cpu"), 3, settings)
        for name in ("a.pt", "b.pt")
    ]
    first, second = (load_network(path, "shot-ranker")["network"] for path in paths)
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_scores_do_not_depend_on_room_or_on_other_shots(checkpoint: Path) -> None:
    ranker, scene = Ranker(checkpoint), scene_of("6.3:000")
    shots = candidate_shots(20, False)
    ranked = ranker.rank(scene, shots)
    wide = ranker.rank(widened(scene, scene.kinds.shape[1] + 5), shots)
    few = ranker.rank(scene, shots[3:5])
    assert (widened(scene, 30).kinds[0, -1]) == NONE
    np.testing.assert_allclose(ranked.log_chances, wide.log_chances, atol=1e-4)
    np.testing.assert_allclose(ranked.log_chances[3:5], few.log_chances, atol=1e-4)
    assert (ranked.log_chances < 0.0).all()
    assert (ranked.targets >= 0).any()


def test_scores_do_not_depend_on_where_the_level_is(checkpoint: Path) -> None:
    """Objects and slingshot moved together give the same chances, but for what depends on the ground."""
    ranker, scene = Ranker(checkpoint), scene_of("6.3:000")
    moved = replace(scene, poses=scene.poses + np.float32([1.5, 0, 0]), rests=scene.rests + np.float32([1.5, 0]))
    shots = candidate_shots(10, False)
    np.testing.assert_allclose(ranker.rank(scene, shots).log_chances, ranker.rank(moved, shots).log_chances, atol=2e-2)


def test_weights_of_another_shape_are_an_error(checkpoint: Path, tmp_path: Path) -> None:
    from tumble.learning.checkpoint import write_checkpoint

    content = load_network(checkpoint, "shot-ranker")
    content["config"]["width"] = 24
    write_checkpoint(tmp_path / "other.pt", content)
    with pytest.raises(TrainingError, match="another version"):
        Ranker(tmp_path / "other.pt")


def test_a_failed_shot_lowers_those_like_it() -> None:
    shots = np.array([[20.0, 1.0, np.nan], [20.5, 1.0, np.nan], [40.0, 1.0, np.nan], [41.0, 1.0, np.nan]])
    lowered = RetryRule().log_factors(shots, np.array([2, 2, 2, 4]), shots[0], 2)
    assert lowered[0] < lowered[1] < lowered[2] < lowered[3] <= 0.0
