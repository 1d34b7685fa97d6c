"""Prompts tell the numbers of the game: flights, powers, and every piece of a level."""

import math
import re

import numpy as np
import pytest

from tumble.phyq.catalogue.physics import (
    BIRDS,
    DAMAGE_PER_MOMENTUM,
    EGG_EXPLOSION,
    EGG_VELOCITY,
    FALL,
    FUSE_TIME,
    GROUND_Y,
    HALF_WIDTH,
    LAUNCH_SPEED,
    MATERIALS,
    OTHER_DAMAGE_SHARE,
    PIGS,
    TNT_EXPLOSION,
)
from tumble.phyq.catalogue.tasks import task
from tumble.phyq.catalogue.templates import SCENARIOS, templates
from tumble.phyq.catalogue.trajectory import REST_POINT, Release, landing
from tumble.phyq.llm.prompts import GAME, opening_messages
from tumble.phyq.llm.scene_text import BIRD_POWERS, birds_text, pig_letter, scene_text
from tumble.phyq.llm.settings import settings_of
from tumble.phyq.observation.view import start
from tumble.phyq.simulation.episode_views import motion
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import play


@pytest.mark.parametrize("task_id", ["1.4:000", "15.3:000"])
def test_a_bird_flies_as_the_prompt_says(task_id: str) -> None:
    """Its circle's centre, to a hundredth of a unit, until shortly before it can hit anything."""
    level, angle, power = task(task_id).level, 64.0, 0.9
    found = re.search(r"\(x0, y0\) = \((.+?), (.+?)\)", birds_text(level))
    assert found
    x0, y0 = float(found[1]), float(found[2])
    assert "2.354 t (t + 0.02)" in GAME
    episodes = play(level, [[Shot(angle, power)]], want=("trajectory",), stride=1)
    bird = len(level.pieces)
    first = int(episodes.released[0, 0] - episodes.start[0])
    centres = motion(episodes, 0).poses[first : first + 60, bird, :2] + np.array(BIRDS[level.birds[0]].circle.centre)
    t = 0.02 * np.arange(len(centres))
    turn = math.radians(angle)
    x = x0 + power * math.cos(turn) * (10.0 * t - 1.0)
    y = y0 + power * math.sin(turn) * (10.0 * t - 1.0) - 2.354 * t * (t + 0.02)
    assert np.abs(centres - np.stack([x, y], axis=-1)).max() < 0.01


def test_the_numbers_of_the_game() -> None:
    assert f"y = {GROUND_Y:g}" in GAME
    assert f"x = {HALF_WIDTH:g}" in GAME
    assert f"{FALL:.2f} units/s²" in GAME
    assert f"launch is {LAUNCH_SPEED:g} units/s" in GAME
    farthest = max(landing(Release(float(angle)))[0] for angle in range(30, 60)) - REST_POINT[0]
    assert f"at most {farthest:.1f} units far" in GAME
    assert f"about {DAMAGE_PER_MOMENTUM * OTHER_DAMAGE_SHARE:.1f} x speed" in GAME
    assert f"({DAMAGE_PER_MOMENTUM:.1f} for a bird" in GAME
    assert all(f"{size} {pig.life:g}" in GAME for size, pig in PIGS.items())
    assert all(re.search(rf"{name}\s+{material.density:g}\b", GAME) for name, material in MATERIALS.items())
    assert f"mass is {BIRDS['red'].piece.mass:.2f}" in GAME
    assert f"radius {TNT_EXPLOSION.radius:g}, damage up to {TNT_EXPLOSION.damage:g}" in GAME


def test_the_powers_of_birds() -> None:
    boost, lift = (BIRDS[name].piece.mass for name in ("yellow", "white"))
    assert f"adds {BIRDS['yellow'].boost_impulse / boost:.1f} units/s" in BIRD_POWERS["yellow"]
    assert f"lifts the bird by {BIRDS['white'].lift_impulse / lift:.1f} units/s" in BIRD_POWERS["white"]
    assert f"at {-EGG_VELOCITY[1]:g} units/s" in BIRD_POWERS["white"]
    assert f"radius {EGG_EXPLOSION.radius:g}, damage up to {EGG_EXPLOSION.damage:g}" in BIRD_POWERS["white"]
    assert "{:+g}, {:+g} and {:+g} degrees".format(*BIRDS["blue"].fan_headings) in BIRD_POWERS["blue"]
    bomb = BIRDS["black"].explosion
    assert bomb
    assert (
        f"{FUSE_TIME:g} s after its first hit (radius {bomb.radius:g}, damage up to {bomb.damage:g})"
        in BIRD_POWERS["black"]
    )
    for colour, material in (("yellow", "wood"), ("blue", "ice"), ("black", "stone")):
        assert f"{BIRDS[colour].damage_factors[material]:g} times the damage to {material}" in BIRD_POWERS[colour]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_piece_of_a_level_has_a_place_in_its_text(scenario: int) -> None:
    key = [name for name, design in templates().items() if design.scenario == scenario][-1]
    level = task(f"{key}:090").level
    text = scene_text(start(level).objects)
    triangles = sum(block.shape.startswith("triangle") for block in level.blocks)
    assert len(re.findall(r"\(-?[\d.]+, -?[\d.]+\)", text)) == len(level.pieces) + 2 * triangles
    for k, pig in enumerate(level.pigs):
        assert f"{pig_letter(k)} {pig.size} (" in text


def test_the_rules_of_several_birds_are_told_where_there_are_several() -> None:
    settings = settings_of({"ids": ["6.4:000"]})
    alone, several = (opening_messages(settings, task(name).level)[0].text for name in ("6.4:000", "14.1:000"))
    assert '"then"' not in alone
    assert '"then"' in several


def test_letters_of_many_pigs_differ() -> None:
    assert len({pig_letter(number) for number in range(1000)}) == 1000
