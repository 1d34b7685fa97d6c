"""The physics of the world: flight, damage, powers, explosions, and leaving the world."""

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform, Tnt
from tumble.phyq.catalogue.physics import (
    BIRDS,
    BLOCKS,
    EGG_EXPLOSION,
    FALL,
    GROUND_Y,
    HALF_WIDTH,
    LAUNCH_SPEED,
    PIGS,
    STEP,
    TNT,
)
from tumble.phyq.catalogue.trajectory import Release, path, position_at
from tumble.phyq.simulation import simulator
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot, table_of

AWAY = Pig("small", 16.0, GROUND_Y + 0.2377)
"""A pig far from everything."""
SKIN = 0.015
"""The gap between a resting piece and what it rests on."""


def above(x: float, y: float, *, bird: str = "red", **pieces: object) -> Level:
    """A level whose bird falls from (x, y) when it is hardly pulled."""
    fields: dict[str, object] = {"pigs": (AWAY,), **pieces}
    return Level(birds=(bird,), slingshot=(x + 0.15, y - 0.8), **fields)  # type: ignore[arg-type]


def dropped(level: Level, **more: float) -> Episodes:
    """The bird is released with hardly any speed."""
    return simulator.play(level, [[Shot(90.0, 0.001, **more)]], want=("events", "states", "trajectory"), stride=1)


def on_ground(shape: str, material: str, x: float) -> Block:
    low = -min(y for _, y in BLOCKS[shape, material].shape.vertices)  # type: ignore[union-attr]
    return Block(shape, material, x, GROUND_Y + low + SKIN)


@pytest.mark.parametrize("stretch", [1.0, 0.7, 0.35])
def test_birds_fly_along_the_closed_form(stretch: float) -> None:
    """Wherever they are shot to, to within 0.05 units until they touch something."""
    angles = np.arange(-89.0, 90.0, 2.0)
    level = Level(birds=("red",), pigs=(AWAY,))
    episodes = simulator.play(level, table_of(angles, stretch), want=("trajectory",), stride=1)
    bird = episodes.worlds[0].first_bird
    for k, angle in enumerate(angles):
        steps = int(episodes.landed[k, 0] - episodes.released[k, 0])
        flown = episodes.poses[k, 1:steps, bird, :2]
        assert steps > 5
        np.testing.assert_allclose(flown, path(Release(float(angle), stretch))[1:steps], atol=1e-3)


def test_range_at_full_stretch_is_9_44() -> None:
    """The range of facts 1.3: where a step would take the bird's middle to the ground, if it were a point."""
    angles = np.arange(40.0, 46.0, 0.25)
    episodes = simulator.play(Level(("red",), (AWAY,)), table_of(angles), want=("trajectory",), stride=1)
    bird, reached = episodes.worlds[0].first_bird, []
    for k in range(len(angles)):
        last = episodes.poses[k, episodes.landed[k, 0] - episodes.released[k, 0] - 2 :, bird, :2]
        place, way = last[1], last[1] - last[0]
        while place[1] > GROUND_Y:
            way = way - np.array([0.0, FALL * STEP * STEP])
            place = place + way
        reached.append(place[0])
    assert abs(max(reached) - 9.44) < 0.05


def test_all_birds_fly_alike() -> None:
    levels = [Level((colour,), (AWAY,)) for colour in BIRDS]
    episodes = simulator.play(levels, [[Shot(50.0)]] * len(levels), want=("trajectory",), stride=1)
    flown = np.array([episodes.poses[k, :100, world.first_bird] for k, world in enumerate(episodes.worlds)])
    np.testing.assert_allclose(flown, np.broadcast_to(flown[0], flown.shape), atol=1e-4)


def speeds_of_hits(episodes: Episodes, a: int, b: int) -> np.ndarray:
    events = episodes.events
    pair = (np.minimum(events["body"], events["other"]) == min(a, b)) & (
        np.maximum(events["body"], events["other"]) == max(a, b)
    )
    return np.asarray(events["speed"][(events["kind"] == "hit") & pair])


@pytest.mark.parametrize("colour", ["red", "yellow", "blue", "white", "black"])
@pytest.mark.parametrize("material", ["wood", "ice", "stone"])
def test_damage_of_a_bird_to_a_block_is_momentum_times_factor(colour: str, material: str) -> None:
    """v m factor 11.22 less the defence, for each new contact of each of the bird's two colliders."""
    block = on_ground("rect_fat", material, 5.0)
    offset = BIRDS[colour].circle.centre
    episodes = dropped(above(5.0 - offset[0], 0.0, bird=colour, blocks=(block,)))
    hit, bird = episodes.worlds[0].of_role("block")[0], episodes.worlds[0].first_bird
    piece, attacker = BLOCKS["rect_fat", material], BIRDS[colour]
    speeds = speeds_of_hits(episodes, hit, bird)
    power = attacker.piece.mass * attacker.damage_factors[material] * 11.22
    damage = 2.0 * np.maximum(0.0, speeds * power - piece.defence).sum()
    if colour == "black":
        damage += 20.0 * (1.0 - 0.5 / 3.0)  # when it explodes it lies about 0.5 above the block's middle
    assert speeds[0] == pytest.approx(np.sqrt(2.0 * FALL * 2.9), rel=0.05), "it fell 2.9 units"
    expected = piece.life - damage
    tolerance = 2.0 if colour == "black" else 0.02 * float(damage)
    if expected < -tolerance:
        assert episodes.died[0, hit] > 0
    else:
        assert episodes.final_lives()[0, hit] == pytest.approx(expected, abs=tolerance)


def test_a_hit_of_a_bird_counts_four_times_on_a_square_with_a_hole() -> None:
    """Both have two colliders, and each contact of a pair of colliders does damage."""
    episodes = dropped(above(5.0 - 0.05, -2.1, blocks=(on_ground("square_hole", "wood", 5.0),)))
    hit, bird = episodes.worlds[0].of_role("block")[0], episodes.worlds[0].first_bird
    damage = np.maximum(0.0, speeds_of_hits(episodes, hit, bird) * BIRDS["red"].piece.mass * 11.22 - 2.5).sum()
    assert episodes.final_lives()[0, hit] == pytest.approx(120.0 - 4.0 * damage, abs=0.08 * float(damage))


@pytest.mark.parametrize(("size", "height", "dies"), [("small", 0.02, False), ("small", 0.12, True)])
def test_a_red_bird_kills_a_small_pig_above_0_65(size: str, height: float, dies: bool) -> None:
    """It falls so far above the pig's head; 0.65 units/s is reached after 0.045."""
    top = max(y for _, y in PIGS[size].shape.vertices)  # type: ignore[union-attr]
    shelf, y = Platform(3.0, 0.0), 0.32 + 0.2227 + SKIN
    low = y + top + 0.17 + 0.01 + 0.03
    level = above(3.0 - 0.05, low + height, pigs=(Pig(size, 3.0, y),), platforms=(shelf,))
    assert dropped(level).won[0] == dies


def test_a_medium_pig_loses_half_of_what_a_block_would() -> None:
    """v m 11.22 / 2 - 1 for each of the bird's colliders."""
    pig = Pig("medium", 3.0, GROUND_Y + 0.38 + SKIN)
    episodes = dropped(above(3.0 - 0.05, -2.3, pigs=(pig,)))
    body, bird = episodes.worlds[0].of_role("pig")[0], episodes.worlds[0].first_bird
    speeds = speeds_of_hits(episodes, body, bird)
    assert 1.0 < speeds[0] < 3.0
    damage = 2.0 * np.maximum(0.0, speeds * BIRDS["red"].piece.mass * 5.61 - 1.0).sum()
    assert episodes.final_lives()[0, body] == pytest.approx(15.0 - damage, abs=0.3)
    assert episodes.status[0] == "lost"


def test_the_heavier_attacker_does_the_damage_and_both_suffer() -> None:
    """Stone falls on ice: both lose v m_stone 11.22 / 2, less their defence; the ice breaks, the stone does not."""
    ice = on_ground("rect_fat", "ice", 0.0)
    stone = Block("rect_fat", "stone", 0.0, 18.0)  # it falls for longer than the 2 s of immortality
    episodes = simulator.play(Level(("red",), (AWAY,), (ice, stone)), [[]], want=("states",))
    damage = np.sqrt(2.0 * FALL * (18.0 - ice.y - 0.4)) * BLOCKS["rect_fat", "stone"].mass * 5.61
    broken, whole = episodes.worlds[0].of_role("block")
    assert damage - 2.0 > BLOCKS["rect_fat", "ice"].life
    assert episodes.died[0, broken] > 0
    assert 0.0 < episodes.final_lives()[0, whole] < 140.0 - (damage - 15.0) + 3.0


def test_nothing_takes_damage_in_the_first_two_seconds() -> None:
    """A pig that falls 3 units lands after 1.1 s and lives; one that falls 15 lands after 2.5 s and dies."""
    falls = [Pig("small", 0.0, GROUND_Y + 3.0), Pig("small", 0.0, GROUND_Y + 15.0)]
    settled = simulator.settle([Level(("red",), (pig,)) for pig in falls])
    assert list(settled.gone) == [0, 1]


def velocity_after(episodes: Episodes, body: int, step: int) -> np.ndarray:
    """How it moves in the step that follows; a body that appears is first seen after that."""
    at = step - int(episodes.start[0])
    return np.asarray((episodes.poses[0, at + 1, body, :2] - episodes.poses[0, at, body, :2]) / STEP)


def fallen(steps: int) -> np.ndarray:
    """What so many steps of falling take off a velocity."""
    return np.array([0.0, FALL * STEP * steps])


def tapped(colour: str, angle: float = 30.0, tap_ms: float = 1000.0) -> tuple[Episodes, int, int, np.ndarray]:
    """A tap in free flight: what came of it, the bird, the step, and the velocity with which it flew on without."""
    shots = [[Shot(angle, tap_ms=tap_ms)]]
    episodes = simulator.play(Level((colour,), (AWAY,)), shots, want=("trajectory", "states"), stride=1)
    bird, step = episodes.worlds[0].first_bird, int(episodes.tapped[0, 0])
    turn, time = np.radians(angle), tap_ms / 1000.0
    velocity = np.array([LAUNCH_SPEED * np.cos(turn), LAUNCH_SPEED * np.sin(turn) - FALL * (time + STEP)])
    assert step == episodes.released[0, 0] + round(tap_ms / 20.0)
    return episodes, bird, step, velocity


def test_a_yellow_bird_gets_faster_by_its_impulse() -> None:
    episodes, bird, step, flying = tapped("yellow")
    after = velocity_after(episodes, bird, step)
    before = flying + fallen(1)
    more = before * 4.0 / BIRDS["yellow"].piece.mass / np.hypot(*before)
    np.testing.assert_allclose(after, flying + more, atol=0.02)
    assert np.hypot(*more) == pytest.approx(7.11, abs=0.01)
    assert episodes.landed[0, 0] > step, "it stays the bird in flight"


def test_a_blue_bird_splits_into_three_of_its_speed() -> None:
    episodes, bird, step, flying = tapped("blue")
    split_birds = episodes.worlds[0].of_role("split_bird")
    assert len(split_birds) == 3
    before = flying + fallen(1)
    for body, heading in zip(split_birds, (15.0, 5.0, -5.0), strict=True):
        c, s = np.cos(np.radians(heading)), np.sin(np.radians(heading))
        turned = np.array([c * before[0] - s * before[1], s * before[0] + c * before[1]])
        np.testing.assert_allclose(velocity_after(episodes, body, step + 1), turned - fallen(2), atol=0.02)
    assert episodes.died[0, bird] == episodes.landed[0, 0] == step


def test_a_white_bird_rises_and_its_egg_explodes_where_it_lands() -> None:
    episodes, bird, step, flying = tapped("white")
    egg, mass = episodes.worlds[0].of_role("egg")[0], BIRDS["white"].piece.mass
    np.testing.assert_allclose(velocity_after(episodes, bird, step), flying + np.array([0.0, 10.0 / mass]), atol=0.02)
    np.testing.assert_allclose(velocity_after(episodes, egg, step + 1), (0.0, -6.0 - 9.81 * 2 * STEP), atol=0.02)
    at = step - int(episodes.start[0])
    height = float(episodes.poses[0, at, bird, 1]) - GROUND_Y - 0.29
    falls = (np.sqrt(36.0 + 2.0 * 9.81 * height) - 6.0) / 9.81
    assert episodes.died[0, egg] - step == pytest.approx(falls / STEP, abs=2.0)


def test_an_egg_kills_what_is_near() -> None:
    """200 (1 - d / 2) with the distance of the centres: a big pig of 80 dies within 1.2, and lives at 1.7."""
    shot = Shot(0.0, tap_ms=400.0)
    drop_x = -12.15 - 1.0 + 10.0 * 0.4
    for distance, dies in ((0.9, True), (1.7, False)):
        pig = Pig("big", drop_x + distance, GROUND_Y + 0.4786 + SKIN)
        episodes = simulator.play(Level(("white",), (pig,)), [[shot]], want=("states",))
        assert episodes.won[0] == dies, distance
    assert EGG_EXPLOSION.radius == 2.0


def test_damage_and_impulse_of_an_explosion_fall_with_distance() -> None:
    """A black bird, tapped in flight: 20 (1 - d / 3) of life and 4 (1 - d / 3) of momentum, away from it."""
    time, angle = 0.6, 15.0
    centre = position_at(Release(angle), time)
    blocks = [on_ground("square_hole", "stone", centre[0] + x) for x in (-1.2, 0.8, 4.0)]
    aside = Block("square_hole", "ice", centre[0] + 2.0, centre[1])
    shelf = Platform(aside.x, aside.y - 0.3865 - SKIN - 0.32)
    level = Level(("black",), (AWAY,), (*blocks, aside), (shelf,))
    episodes = simulator.play(level, [[Shot(angle, tap_ms=1000.0 * time)]], want=("states", "trajectory"), stride=1)
    step = int(episodes.tapped[0, 0])
    assert episodes.died[0, episodes.worlds[0].first_bird] == step
    lives = episodes.final_lives()[0][episodes.worlds[0].of_role("block")]
    for k, block in enumerate(blocks[:2]):
        away = np.array([block.x, block.y]) - centre
        share = 1.0 - np.hypot(*away) / 3.0
        assert lives[k] == pytest.approx(160.0 - 20.0 * share, abs=0.3)
    assert lives[2] == 160.0
    speed = velocity_after(episodes, episodes.worlds[0].of_role("block")[3], step)[0]
    friction = np.sqrt(0.7 * 0.4) * FALL * STEP
    assert speed == pytest.approx(4.0 / 3.0 / BLOCKS["square_hole", "ice"].mass - friction, abs=0.01)


def test_a_black_bird_explodes_0_6_s_after_its_first_contact() -> None:
    episodes = simulator.play(Level(("black",), (AWAY,)), [[Shot(20.0)]])
    assert episodes.died[0, episodes.worlds[0].first_bird] - episodes.landed[0, 0] == 30


def test_tnt_sets_off_tnt() -> None:
    """A bird on the first; the second is 2 away, out of the bird's reach but within the 2.5 of the explosion."""
    low = GROUND_Y + 0.32 + SKIN
    level = above(0.0, 2.0, tnts=(Tnt(0.0, low), Tnt(2.0, low)), pigs=(Pig("small", 4.0, GROUND_Y + 0.2377),))
    episodes = dropped(level)
    first, second = episodes.worlds[0].of_role("tnt")
    assert TNT.life == 3.0
    assert episodes.died[0, first] == episodes.landed[0, 0]
    assert 0 <= episodes.died[0, second] - episodes.died[0, first] <= 1
    assert episodes.won[0], "and that kills the pig"


def test_a_tap_before_the_bird_has_left_the_slingshot_does_nothing() -> None:
    """Fired flat it needs 0.27 s (facts 5.4)."""
    episodes = simulator.play(Level(("yellow",), (AWAY,)), [[Shot(0.0, tap_ms=ms)] for ms in (240.0, 300.0)])
    assert list(episodes.tapped[:, 0] > 0) == [False, True]


def test_a_tap_after_the_first_contact_does_nothing() -> None:
    flight = simulator.play(Level(("yellow",), (AWAY,)), [[Shot(10.0)]])
    ms = 20.0 * float(flight.landed[0, 0] - flight.released[0, 0])
    level = Level(("yellow",), (AWAY,))
    episodes = simulator.play(level, [[Shot(10.0, tap_ms=ms - 20.0)], [Shot(10.0, tap_ms=ms + 20.0)]])
    assert list(episodes.tapped[:, 0] > 0) == [True, False]


def test_a_tap_at_a_share_of_the_flight() -> None:
    """Half of the time that the bird flies if nobody taps."""
    level = Level(("yellow", "yellow"), (AWAY,))
    plain = simulator.play(level, [[Shot(20.0), Shot(40.0)]])
    shared = simulator.play(level, [[Shot(20.0, tap_share=0.5), Shot(40.0, tap_share=0.8)]])
    flights = plain.landed[0] - plain.released[0]
    taps = shared.tapped[0] - shared.released[0]
    assert taps[0] == round(0.5 * flights[0])
    assert abs(taps[1] - 0.8 * flights[1]) <= 1.0


def test_a_body_that_leaves_the_world_is_removed_and_a_pig_counts_as_killed() -> None:
    """A big pig survives the hit of a bird (28 of its 80), but is pushed over the side."""
    floor = Platform(16.0, 4.0, scale_x=6.0)
    pig = Pig("big", 17.0, 4.32 + 0.4786 + SKIN)
    level = Level(("red",), (pig,), platforms=(floor,), slingshot=(13.0, 4.0))
    episodes = simulator.play(level, [[Shot(5.0)]], want=("trajectory", "states"), stride=1)
    assert episodes.won[0]
    body = episodes.worlds[0].of_role("pig")[0]
    died = int(episodes.died[0, body])
    assert episodes.final_lives()[0, body] > 0.0
    assert episodes.poses[0, died - episodes.start[0], body, 0] > HALF_WIDTH


def test_a_bird_that_leaves_ends_its_turn() -> None:
    level = Level(("red", "red"), (AWAY,), slingshot=(12.0, 4.0))
    episodes = simulator.play(level, [[Shot(20.0)]])
    assert 0 < episodes.landed[0, 0] - episodes.released[0, 0] < 40
    assert episodes.died[0, episodes.worlds[0].first_bird] == episodes.landed[0, 0]
    assert episodes.status[0] == "open"


def test_birds_pass_through_birds() -> None:
    """The second flies the way of the first, past where that lies on the ground."""
    level = Level(("red", "red"), (AWAY,))
    both = simulator.play(level, [[Shot(-20.0, 0.4), Shot(-20.0, 0.4, delay=1.0)]], want=("events",))
    first = both.worlds[0].first_bird
    assert not len(speeds_of_hits(both, first, first + 1))
