"""Turns and ends of episodes, and the same bits in every batch."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tumble import engine
from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.templates import template, templates
from tumble.phyq.catalogue.trajectory import REST_POINT, releases_to
from tumble.phyq.simulation import game_layout
from tumble.phyq.simulation import simulator as simulate
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.shots import Shot, ShotError, shot_from, table, table_of

GOLDEN = Path(__file__).with_name("golden_episodes.json")
ON_GROUND = -3.5 + 0.2377
"""Height of a small pig on the ground."""
ONE_PIG = Level(("red",), (Pig("small", 0.0, ON_GROUND),))
TWO_BIRDS = Level(("red", "red"), (Pig("small", 3.0, ON_GROUND), Pig("small", -5.0, ON_GROUND)))


def at(level: Level, pig: int = 0, high: bool = False, **more: float) -> Shot:
    """A shot at a pig."""
    target = level.pigs[pig]
    release = releases_to((target.x, target.y))[-1 if high else 0]
    return Shot(release.angle, release.stretch, **more)


def test_killing_all_pigs_wins_and_the_level_ends_a_second_later() -> None:
    episodes = simulate.play(ONE_PIG, [[at(ONE_PIG)]])
    pig = episodes.worlds[0].of_role("pig")[0]
    assert episodes.won[0]
    assert episodes.pigs_left[0] == 0
    assert list(episodes.kills[0]) == [1]
    assert episodes.steps[0] - episodes.died[0, pig] == 50
    assert episodes.score[0] == 5000


def test_running_out_of_birds_loses_once_everything_rests() -> None:
    episodes = simulate.play(ONE_PIG, [[Shot(80.0)]], want=("states",))
    assert episodes.status[0] == "lost"
    assert episodes.pigs_left[0] == 1
    assert episodes.states is not None
    assert not episodes.states.awake.any()
    assert episodes.steps[0] - episodes.landed[0, 0] >= 50


def test_a_level_with_birds_left_is_open_and_unused_birds_score_when_it_is_won() -> None:
    first, both = [at(TWO_BIRDS)], [at(TWO_BIRDS), at(TWO_BIRDS, 1)]
    episodes = simulate.play(TWO_BIRDS, [first, both, []])
    assert list(episodes.status) == ["open", "won", "open"]
    assert list(episodes.shots_used) == [1, 2, 0]
    assert list(episodes.kills[1]) == [1, 1]
    one = Level(("red", "red", "red"), ONE_PIG.pigs)
    assert simulate.play(one, [[at(one)]]).score[0] == 5000 + 2 * 10000


def test_a_longer_sequence_begins_with_the_same_bits() -> None:
    """Continuing shot by shot is playing the longer sequence."""
    first, both = [at(TWO_BIRDS)], [at(TWO_BIRDS), at(TWO_BIRDS, 1)]
    episodes = simulate.play(TWO_BIRDS, [first, both], want=("trajectory",), stride=1)
    until = int(min(episodes.steps[0], episodes.released[1, 1]) - episodes.start[0])
    np.testing.assert_array_equal(episodes.poses[0, :until], episodes.poses[1, :until])


def test_by_default_the_next_bird_waits_for_rest() -> None:
    episodes = simulate.play(TWO_BIRDS, [[Shot(20.0), Shot(30.0)]], want=("trajectory",), stride=1)
    waited = int(episodes.released[0, 1] - episodes.start[0])
    pigs = episodes.worlds[0].of_role("pig")  # the bird is removed as soon as it stops
    before = np.nan_to_num(episodes.poses[0, waited - 25 : waited, pigs])
    assert np.ptp(before, axis=1).max() < 0.02, "slower than 0.01 units/s and 2 degrees/s for half a second"


def test_with_a_delay_the_second_bird_flies_while_objects_still_move() -> None:
    episodes = simulate.play(TWO_BIRDS, [[Shot(-20.0), Shot(30.0, delay=1.5)]], want=("trajectory",), stride=1)
    released, landed = episodes.released[0] - episodes.start[0], episodes.landed[0] - episodes.start[0]
    assert released[1] - released[0] == 75
    first = episodes.worlds[0].first_bird
    assert landed[0] < released[1]
    at_release = episodes.poses[0, released[1] : released[1] + 2, first, 0]
    assert abs(at_release[1] - at_release[0]) > 0.01, "the first is still rolling"


def test_the_next_bird_waits_until_the_slingshot_is_free() -> None:
    """The next bird moves to the slingshot after the first contact of the one before, in 0.1 s."""
    episodes = simulate.play(TWO_BIRDS, [[Shot(60.0), Shot(30.0, delay=0.5)]])
    assert episodes.released[0, 1] - episodes.landed[0, 0] == 5


def test_a_bird_is_removed_when_it_rests() -> None:
    """3 s after its first contact at the earliest, then every second; here it falls into a narrow pit."""
    pit = (Platform(-8.5, -2.0, scale_y=5.0), Platform(-7.5, -2.0, scale_y=5.0))
    level = Level(("red", "red"), ONE_PIG.pigs, platforms=pit, slingshot=(-7.9, -2.0))
    episodes = simulate.play(level, [[Shot(90.0, 0.001), Shot(90.0, 0.001, delay=8.0)]])
    bird = episodes.worlds[0].first_bird
    gone = episodes.died[0, bird] - episodes.landed[0, 0]
    assert gone >= 150
    assert gone % 50 == 0


def test_a_level_that_never_rests_ends() -> None:
    """30 s after the flight of its last bird at the latest; the bird lives 20 s at most."""
    episodes = simulate.play([template("12.5").base] * 40, [[Shot(float(a))] for a in range(10, 50)])
    assert (episodes.steps - episodes.landed[:, 0] <= 1501).all()
    assert (episodes.status != "open").all()


def test_levels_settle() -> None:
    resting = Level(("red",), (Pig("small", 0.0, ON_GROUND),), (Block("circle", "wood", 3.0, -3.5 + 0.39),))
    falling = Level(("red",), (Pig("small", 0.0, 1.0),))
    leaning = Level(("red",), (Pig("small", 0.0, ON_GROUND),), (Block("rect_big", "wood", 3.0, -2.5, 70.0),))
    settled = simulate.settle([resting, falling, leaning])
    assert list(settled.at_rest) == [True, False, False]
    assert settled.moved[0] < 0.01
    assert settled.turned[2] > 1.0
    assert settled.worst[1] == 1


def test_settled_levels_are_at_rest() -> None:
    levels = simulate.Simulator([template(name).base for name in ("12.4", "11.4", "6.5", "13.2")]).settled_levels()
    settled = simulate.settle(levels)
    assert settled.at_rest.all()
    assert settled.moved.max() < 0.01


def test_a_settled_level_stays_at_rest_through_a_shot_that_misses() -> None:
    (level,) = simulate.Simulator([template("12.6").base]).settled_levels()
    episodes = simulate.play(level, [[Shot(85.0)]], want=("trajectory",))
    world = episodes.worlds[0]
    pieces = [k for k in world.dynamic if k < world.first_bird]
    assert np.nanmax(np.abs(episodes.poses[0, :, pieces] - episodes.poses[0, :1, pieces])) == 0.0
    assert episodes.pigs_left[0] == 4


def mixed() -> tuple[list[Level], list[list[Shot]]]:
    """Levels of very different size, with one to three shots."""
    levels, shots = [], []
    for name in ("1.4", "12.1", "14.1", "15.2", "15.3", "15.4", "2.1", "13.5"):
        level = template(name).published
        for angle in (15.0, 33.0, 52.0):
            levels.append(level)
            first, *others = [Shot(angle + 2.0 * k, tap_ms=700.0) for k in range(len(level.birds))]
            shots.append([first, *(replace(shot, delay=2.0) for shot in others)])
    return levels, shots


def digest(episodes: Episodes, row: int) -> str:
    """A hash of all results of an episode."""
    total = hashlib.sha256()
    world = episodes.worlds[episodes.level_of[row]]
    bodies, length = len(world.members), int(episodes.steps[row] - episodes.start[row]) // 5 + 1
    for values in (
        episodes.poses[row, :length, :bodies],
        episodes.died[row, :bodies],
        episodes.released[row, : len(world.level.birds)],
        episodes.landed[row, : len(world.level.birds)],
        np.array([episodes.steps[row], episodes.pigs_left[row], episodes.score[row]]),
    ):
        total.update(np.ascontiguousarray(np.nan_to_num(values)).tobytes())
    total.update(str(episodes.status[row]).encode())
    return total.hexdigest()


def played(rows: np.ndarray | None = None, **options: object) -> list[str]:
    levels, shots = mixed()
    chosen = np.arange(len(levels)) if rows is None else rows
    episodes = simulate.play(
        [levels[k] for k in chosen],
        [shots[k] for k in chosen],
        want=("trajectory",),
        **options,  # type: ignore[arg-type]
    )
    return [digest(episodes, k) for k in range(len(chosen))]


def test_results_do_not_depend_on_batch_order_or_threads() -> None:
    together = played(threads=1)
    assert len(set(together)) == len(together)
    turned = np.arange(len(together))[::-1]
    assert played(turned, threads=3) == together[::-1]
    for k in (0, 4, 8, 13, 23):
        assert played(np.array([k])) == [together[k]]


def test_golden_episodes() -> None:
    stored = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert stored["physics"] == simulate.physics_id()
    assert played() == stored["hashes"], "bits changed: if that was meant, raise simulate.PHYSICS_VERSION"


@pytest.mark.gpu
def test_golden_episodes_on_the_gpu() -> None:
    assert played(device="cuda") == json.loads(GOLDEN.read_text(encoding="utf-8"))["hashes"]


def test_sharing_the_settled_state_changes_no_bit() -> None:
    """An episode in one go, from the loading of the level on."""
    levels, shots = mixed()
    simulator = simulate.Simulator(levels)
    every = np.arange(len(levels))
    shared = simulator.play(every, shots, want=("states",))
    rule = simulator._rule(every, table(shots), game_layout.IMMORTAL_STEPS, 0)
    options = engine.Options(**{**vars(simulator._options), "max_steps": 9000})
    whole = engine.rollout(simulator._worlds(every), rule, options, keep_states=True)
    assert whole.states is not None
    assert shared.states is not None
    np.testing.assert_array_equal(whole.steps, shared.steps)
    np.testing.assert_array_equal(whole.states.poses, shared.states.poses)
    np.testing.assert_array_equal(whole.states.velocities, shared.states.velocities)
    np.testing.assert_array_equal(whole.states.body_scratch, shared.states.body_scratch)


def test_events_are_in_order() -> None:
    episodes = simulate.play(TWO_BIRDS, [[at(TWO_BIRDS), at(TWO_BIRDS, 1)]], want=("events",))
    kinds = list(episodes.events["kind"])
    assert kinds[0] == "release"
    assert kinds[-1] == "end"
    assert kinds.count("release") == 2
    deaths = episodes.events[episodes.events["kind"] == "death"]
    assert list(deaths["body"]) == list(episodes.worlds[0].of_role("pig"))
    assert (np.diff(episodes.events["step"]) >= 0).all()


def test_final_poses() -> None:
    episodes = simulate.play([ONE_PIG, TWO_BIRDS], [[at(ONE_PIG)], []], want=("states",))
    poses = episodes.final_poses()
    pig = episodes.worlds[0].of_role("pig")[0]
    assert np.isnan(poses[0, pig]).all(), "it is dead"
    np.testing.assert_allclose(poses[1, episodes.worlds[1].of_role("pig"), 0], [3.0, -5.0], atol=0.01)
    assert poses[0, 0, 1] == pytest.approx(-3.5 - 2.2), "the ground"
    with pytest.raises(EpisodeError, match="states"):
        simulate.play(ONE_PIG, [[]]).final_poses()


def test_no_episodes_at_all() -> None:
    episodes = simulate.Simulator([ONE_PIG]).play([], [], want=("events", "states", "trajectory"))
    assert len(episodes) == 0
    assert episodes.died.shape == (0, 3)
    assert episodes.final_poses().shape == (0, 3, 3)


def test_shots_are_checked() -> None:
    with pytest.raises(ShotError, match="angle"):
        Shot(float("nan"))
    with pytest.raises(ShotError, match="stretch"):
        Shot(10.0, 1.5)
    with pytest.raises(ShotError, match="not both"):
        Shot(10.0, tap_ms=100.0, tap_share=0.5)
    with pytest.raises(ShotError, match="2 shots, but the level has 1 birds"):
        simulate.play(ONE_PIG, [[Shot(10.0), Shot(20.0)]])
    with pytest.raises(ShotError, match="2 levels: give one for each"):
        simulate.play([ONE_PIG, ONE_PIG], [[Shot(10.0)]])
    with pytest.raises(ShotError, match="stretches"):
        table_of([10.0], 2.0)
    with pytest.raises(EpisodeError, match="an episode has no 'pictures'"):
        simulate.play(ONE_PIG, [[]], want=("pictures",))


def test_a_shot_from_its_release_point() -> None:
    """Pulled down and left it flies up and right; pulled too far it has full power."""
    shot = shot_from((REST_POINT[0] - 0.3, REST_POINT[1] - 0.4))
    assert shot.stretch == pytest.approx(0.5)
    assert shot.angle == pytest.approx(np.degrees(np.arctan2(0.4, 0.3)))
    assert shot_from((REST_POINT[0] - 30.0, REST_POINT[1])).stretch == 1.0


@pytest.mark.slow
def test_every_template_settles_and_ends() -> None:
    """All 75 levels, settled, rest for 10 s; no shot of a rough sweep runs into the engine's last limit."""
    simulator = simulate.Simulator([design.base for design in templates().values()])
    levels = simulator.settled_levels()
    assert simulate.settle(levels).at_rest.all()
    angles = np.linspace(-60.0, 85.0, 12)
    of = np.repeat(np.arange(len(levels)), len(angles))
    episodes = simulate.Simulator(levels).play(of, table_of(np.tile(angles, len(levels))))
    assert ((episodes.steps - episodes.start) < simulate.LONGEST_SHOT).all()


if __name__ == "__main__":  # after a deliberate change: raise simulate.PHYSICS_VERSION, then run this
    GOLDEN.write_text(json.dumps({"physics": simulate.physics_id(), "hashes": played()}, indent=2) + "\n")
