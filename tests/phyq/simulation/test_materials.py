"""Worlds with other materials: which bodies change, and that the game's own world does not."""

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform, Tnt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.simulation.world import (
    MATERIAL_KINDS,
    MATERIAL_PROPERTIES,
    MaterialFactors,
    MaterialsError,
    world_of,
    wrong_materials,
)

LEVEL = Level(
    ("red", "blue", "white"),
    (Pig("small", 0.0, -3.26),),
    (Block("rect_fat", "ice", 2.0, -3.3, 0.0),),
    (Platform(5.0, 0.0, 0.0, 1.0, 1.0),),
    (Tnt(8.0, -3.18, 0.0),),
)
SHOTS = [[Shot(angle)] for angle in (10.0, 25.0, 40.0)]


def changed(kind: str, **factors: float) -> MaterialFactors:
    own = tuple(factors.get(name, 1.0) for name in MATERIAL_PROPERTIES)
    every = [(1.0, 1.0, 1.0)] * len(MATERIAL_KINDS)
    every[MATERIAL_KINDS.index(kind)] = (own[0], own[1], own[2])
    return MaterialFactors(tuple(every))


@pytest.mark.parametrize(
    ("kind", "roles"),
    [
        ("fixed", {"ground", "platform"}),
        ("ice", {"block"}),
        ("wood", set()),
        ("pig", {"pig"}),
        ("tnt", {"tnt"}),
        ("red", {"bird"}),
        ("blue", {"bird", "split_bird"}),
        ("egg", {"egg"}),
    ],
)
def test_factors_change_the_bodies_of_their_kind(kind: str, roles: set[str]) -> None:
    plain, other = world_of(LEVEL), world_of(LEVEL, changed(kind, friction=2.0, restitution=1.5, density=0.5))
    pairs = list(zip(plain.members, plain.scene.bodies, other.scene.bodies, strict=True))
    assert {member.role for member, own, new in pairs if own != new} == roles
    for _, own, new in pairs:
        if own != new:
            assert (new.friction, new.density) == (2.0 * own.friction, 0.5 * own.density)
            assert new.restitution == pytest.approx(1.5 * own.restitution)
            assert (new.shapes, new.position, new.gravity_scale) == (own.shapes, own.position, own.gravity_scale)


def test_factors_of_one_leave_every_episode_as_it_is() -> None:
    exact = Simulator([LEVEL]).play([0] * 3, SHOTS, ("states",))
    same = Simulator([LEVEL], materials=MaterialFactors()).play([0] * 3, SHOTS, ("states",))
    assert np.array_equal(exact.final_poses(), same.final_poses(), equal_nan=True)
    assert exact.steps.tolist() == same.steps.tolist()


def test_other_materials_change_what_happens_after_the_first_contact_only() -> None:
    exact = Simulator([LEVEL]).play([0] * 3, SHOTS, ("states",))
    wrong = Simulator([LEVEL], materials=wrong_materials(0.4, "0")).play([0] * 3, SHOTS, ("states",))
    assert exact.landed.tolist() == wrong.landed.tolist()
    assert not np.array_equal(exact.final_poses(), wrong.final_poses(), equal_nan=True)


def test_wrong_materials_are_off_by_the_noise_up_and_down() -> None:
    drawn = np.array(wrong_materials(0.2, "a").factors)
    assert drawn.shape == (len(MATERIAL_KINDS), len(MATERIAL_PROPERTIES))
    assert set(drawn.round(6).ravel().tolist()) == {0.8, 1.2}
    assert wrong_materials(0.2, "a") == wrong_materials(0.2, "a") != wrong_materials(0.2, "b")
    assert wrong_materials(0.0, "a") == MaterialFactors()


def test_a_restitution_stays_below_one() -> None:
    world = world_of(LEVEL, changed("red", restitution=50.0))
    assert max(body.restitution for body in world.scene.bodies) == 1.0


def test_impossible_materials_are_refused() -> None:
    with pytest.raises(MaterialsError, match="noise must be"):
        wrong_materials(1.0, "a")
    with pytest.raises(MaterialsError, match="above 0"):
        changed("pig", density=0.0)
    with pytest.raises(MaterialsError, match="3 factors"):
        MaterialFactors(((1.0, 1.0, 1.0),))
