"""Sets: their families, the paper's rules of what they must show, and repeatability."""

from functools import cache

import numpy as np
import pytest

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.video_set import (
    FAMILIES,
    Family,
    FamilyError,
    Reference,
    VideoSet,
    alterations,
    distinct_worlds,
)
from tumble.comphy.catalogue.world import (
    REFERENCE_COUNT,
    REFERENCE_FRAMES,
    SHOWN_FRAMES,
    STEPS_PER_FRAME,
    TARGET_FRAMES,
)
from tumble.comphy.generation.initial_state import FreePath
from tumble.comphy.generation.make_set import TELLING_PAIRS, TELLING_WORLDS, draw_bodies, make_set, missing_evidence
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.comphy.simulation.events import colliding_pairs, events_of, set_interactions
from tumble.comphy.simulation.laws import sliding_distance
from tumble.comphy.simulation.simulator import InitialState, simulate, simulate_many
from tumble.draws import Draws

SEED = 7
every_family = pytest.mark.parametrize("family", FAMILIES)


@cache
def made(family: Family, index: int = 3) -> VideoSet:
    return make_set(index, family, SEED)


def arrays(motion: Motion) -> tuple[np.ndarray, ...]:
    return motion.positions, motion.orientations, motion.velocities, motion.angular_velocities, motion.in_view


def assert_same(one: VideoSet, other: VideoSet) -> None:
    assert one.bodies == other.bodies
    assert [own.members for own in one.references] == [own.members for own in other.references]
    assert list(one.altered) == list(other.altered)
    motions = zip(all_motions(one), all_motions(other), strict=True)
    for own, again in motions:
        assert own.collisions == again.collisions
        for left, right in zip(arrays(own), arrays(again), strict=True):
            np.testing.assert_array_equal(left, right)


def all_motions(videos: VideoSet) -> list[Motion]:
    return [videos.target, *(own.motion for own in videos.references), *videos.altered.values()]


@every_family
def test_families_differ_in_what_is_hidden(family: Family) -> None:
    for index in range(200):
        bodies = draw_bodies(Draws(f"{family} {index}"), family)
        assert 3 <= len(bodies) <= 5
        assert len({body.appearance for body in bodies}) == len(bodies)
        assert sum(body.is_heavy for body in bodies) == (family != "charge")
        assert sum(body.is_charged for body in bodies) == (0 if family == "mass" else 2)


def test_charged_pairs_are_alike_as_often_as_opposite() -> None:
    drawn = [draw_bodies(Draws(f"pair {index}"), "charge") for index in range(600)]
    alike = np.mean([sum(body.charge for body in bodies) != 0 for bodies in drawn])
    # Four standard deviations of 600 tosses of a coin.
    assert alike == pytest.approx(0.5, abs=0.08)


@every_family
def test_a_set_has_the_published_form(family: Family) -> None:
    videos = made(family)
    assert videos.target.frames == TARGET_FRAMES
    assert len(videos.references) == REFERENCE_COUNT
    for reference in videos.references:
        assert reference.motion.frames == REFERENCE_FRAMES
        assert len(reference.members) == reference.motion.bodies in (2, 3)
    assert tuple(videos.altered) == alterations(videos.bodies)
    assert {motion.frames for motion in videos.altered.values()} == {SHOWN_FRAMES}


@every_family
def test_a_set_shows_what_the_paper_asks_for(family: Family) -> None:
    videos = made(family)
    assert missing_evidence(videos.bodies, videos.target, videos.references) is None
    assert {member for own in videos.references for member in own.members} == set(range(len(videos.bodies)))
    for reference in videos.references:
        members = tuple(videos.bodies[k] for k in reference.members)
        kinds = {event.kind for event in events_of(members, reference.motion, 0, REFERENCE_FRAMES)}
        assert kinds & {"collision", "attraction", "repulsion"}
    met = set_interactions(videos)
    charged = tuple(k for k, body in enumerate(videos.bodies) if body.is_charged)
    assert not charged or charged in met
    assert {k for pair in met for k in pair} == set(range(len(videos.bodies)))


def test_what_videos_fail_to_show_is_named() -> None:
    videos = made("mass")
    bodies, target, references = videos.bodies, videos.target, videos.references
    assert missing_evidence(bodies, standing(bodies), references) == "a collision in the target"
    first = references[0]
    quiet = Reference(first.members, standing(tuple(bodies[k] for k in first.members)))
    assert missing_evidence(bodies, target, (quiet, *references[1:])) == "an interaction in reference 0"
    lacking = tuple(own for own in references if 0 not in own.members)
    assert missing_evidence(bodies, target, lacking) == f"the {bodies[0]} in a reference"


def standing(bodies: tuple[Body, ...]) -> Motion:
    """Bodies in a row, at rest."""
    places = np.array([[k - 2.0, 0.5] for k in range(len(bodies))])
    return simulate(
        bodies, InitialState.on_table(bodies, places, np.zeros(len(bodies)), np.zeros((len(bodies), 2))), 20
    )


@every_family
def test_altered_worlds_start_as_the_target_and_differ_later(family: Family) -> None:
    videos = made(family)
    for motion in videos.altered.values():
        for own, target in zip(arrays(motion), arrays(videos.target), strict=True):
            np.testing.assert_array_equal(own[0], target[0])
    shown = videos.target.positions[:SHOWN_FRAMES]
    assert any(not np.allclose(motion.positions, shown, atol=0.05) for motion in videos.altered.values())


@every_family
def test_changes_alter_what_collides_in_several_worlds(family: Family) -> None:
    own = made(family)
    shown = colliding_pairs(own.target)
    telling = {
        frozenset((colliding_pairs(own.altered[world[0]]) ^ shown) - own.undetermined[world[0]])
        for world in distinct_worlds(own.bodies)
    } - {frozenset()}
    needed = TELLING_PAIRS if len(own.bodies) > 3 else 1
    assert len(telling) >= TELLING_WORLDS[family]
    assert sum(len(pairs) >= needed for pairs in telling) >= TELLING_WORLDS[family] - 1


@every_family
def test_nothing_touches_out_of_view_and_charged_bodies_are_seen_from_the_start(family: Family) -> None:
    own = made(family)
    for motion in (own.target, *(reference.motion for reference in own.references)):
        for collision in motion.collisions:
            assert motion.in_view[collision.step // STEPS_PER_FRAME, list(collision.pair)].all()
    assert own.target.in_view[0, [k for k, body in enumerate(own.bodies) if body.is_charged]].all()


@every_family
def test_determined_pairs_do_not_depend_on_what_is_out_of_view(family: Family) -> None:
    own = made(family)
    start = InitialState.from_motion(own.target, 0)
    for change, motion in own.altered.items():
        (seen,) = simulate_many([(change.apply(own.bodies), start)], SHOWN_FRAMES, only_in_view=True)
        assert (colliding_pairs(seen) ^ colliding_pairs(motion)) <= own.undetermined[change]


def test_changes_that_lead_to_one_world_are_one_world() -> None:
    own = made("charge")
    worlds = distinct_worlds(own.bodies)
    assert sorted(map(len, worlds)) == [1] * len(own.bodies) + [2, 2]
    for world in worlds:
        assert len({own.altered[change].positions.tobytes() for change in world}) == 1
    assert len({own.altered[world[0]].positions.tobytes() for world in worlds}) == len(worlds)


def test_a_set_is_the_same_whatever_was_generated_before() -> None:
    first = made("charge")
    made("mass", 5)
    assert_same(first, make_set(3, "charge", SEED))


def test_index_and_seed_change_the_set() -> None:
    positions = {make_set(index, "mass", seed).target.positions.tobytes() for index, seed in ((0, 1), (1, 1), (0, 2))}
    assert len(positions) == 3


def test_a_set_has_a_symbolic_scene() -> None:
    scene = symbolic_scene(made("both"))
    assert any(event.kind == "collision" for event in scene.shown_events)
    assert all(event.frame >= SHOWN_FRAMES for event in scene.future_events)
    assert set(scene.altered_events) == set(made("both").altered)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(FamilyError, match="no family 'weight'; there are mass, charge, both"):
        make_set(0, "weight", 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", ["cube", "sphere", "cylinder"])
def test_free_paths_predict_where_bodies_will_be(shape: str) -> None:
    bodies = (Body("red", "metal", shape),)
    path = FreePath(shape, (0.5, -0.5), 0.0, 0.6, 1.5)
    velocity = 1.5 * np.array([[np.cos(0.6), np.sin(0.6)]])
    motion = simulate(bodies, InitialState.on_table(bodies, np.array([path.place]), np.zeros(1), velocity), 150)
    for seconds in (0.4, 2.0, 5.0):
        np.testing.assert_allclose(motion.positions[int(seconds * 25), 0, :2], path.at(seconds), atol=0.02)
    assert sliding_distance(shape, 0.0, 3.0) == 0.0


@pytest.mark.slow
def test_spread_and_future_are_near_the_published() -> None:
    sets = [make_set(index, family, 1) for index in range(60) for family in ("mass", "charge")]
    positions = np.concatenate([own.target.positions[..., :2].ravel() for own in sets])
    velocities = np.concatenate([own.target.velocities[..., :2].ravel() for own in sets])
    assert positions.std() == pytest.approx(1.84, rel=0.1)
    assert velocities.std() == pytest.approx(0.72, rel=0.1)
    later = np.mean([bool(colliding_pairs(own.target, SHOWN_FRAMES, TARGET_FRAMES)) for own in sets])
    assert 0.65 < later < 0.9
