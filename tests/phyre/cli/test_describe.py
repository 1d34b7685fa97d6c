"""How goals, actions and invalid placements are described."""

from dataclasses import replace

import numpy as np

from tumble import phyre
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.observation.words import body_name
from tumble.phyre.simulation.actions import action_text, describe_goal, placement_problem, sample_valid


def test_bodies_without_names_are_described_by_their_appearance() -> None:
    task = phyre.task("00106:002")
    nameless = replace(task.scene, bodies=tuple(replace(body, name="") for body in task.scene.bodies))
    assert describe_goal(replace(task, scene=nameless)) == "the green ball has to touch the blue ball for 3 seconds"
    assert body_name(nameless, 0) == "body 0 (black bar)"


def test_placement_problems_are_reported_exactly_for_invalid_actions() -> None:
    task = phyre.task("00106:002")
    rng = np.random.default_rng(0)
    actions = rng.random((200, 6))
    valid = phyre.actions.valid(task.scene, actions)
    assert 0 < valid.sum() < 200
    assert [placement_problem(task.scene, action) == "" for action in actions] == valid.tolist()


def test_a_short_action_places_the_same_balls() -> None:
    scene = phyre.task("00106:002").scene
    actions = sample_valid(scene, TIERS["2B"], 50, np.random.default_rng(1))
    actions[::2] = np.rint(actions[::2] * 255) / 255  # on the border between two pixels
    for action in actions:
        short = np.array([float(number) for number in action_text(action).split()])
        np.testing.assert_array_equal(phyre.actions.placed_balls(short[None]), phyre.actions.placed_balls(action[None]))
