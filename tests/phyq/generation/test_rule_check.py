"""Episodes held against rules: contacts, causes of death, order, motion, and what must never happen."""

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Destroy, Kill, Move, Release, Rule, Tap, Topple, Touch
from tumble.phyq.catalogue.template import Template
from tumble.phyq.generation.checks import direct_shots
from tumble.phyq.generation.rule_check import EpisodeRecord, follows, wins_by_rule
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator, play

GROUND = -3.5
PIG = Pig("small", 0.0, -3.26683)
OPEN = Level(("red",), (PIG,))
"""A pig on the ground, which the bird hits."""
ON_EDGE = Level(
    ("red",),
    (Pig("small", 0.0, -1.27730),),
    platforms=(Platform(0.0, -1.82, 0.0, 0.5, 1.0),),
)
"""A pig on a small platform high above the ground."""
BEHIND = Level(
    ("red",), (PIG,), blocks=(Block("square_hole", "wood", -0.75, GROUND + 0.4),), platforms=(Platform(3.0, -3.18),)
)
"""A square stands before the pig."""


def played(level: Level, *shots: Shot, stride: int = 5) -> Episodes:
    return play(level, [list(shots)], want=("events", "trajectory"), stride=stride)


def verdict(rule: Rule, level: Level, episodes: Episodes, base: Level | None = None) -> str:
    return str(follows(rule, base or level, episodes, 0))


def test_a_direct_hit_is_a_kill_by_the_bird() -> None:
    episodes = played(OPEN, direct_shots(OPEN)[0])
    assert episodes.won.tolist() == [True]
    pig, bird = episodes.worlds[0].of_role("pig")[0], episodes.worlds[0].first_bird
    assert episodes.killed_by[0, pig] == bird
    assert not episodes.killed_by_explosion[0, pig]
    (death,) = episodes.events[episodes.events["kind"] == "death"]
    assert (death["body"], death["other"]) == (pig, bird)
    rule = Rule((Release("bird 0"), Touch("bird", "pig 0"), Kill("pig 0", by="bird 0")))
    assert verdict(rule, OPEN, episodes) == "followed"
    by_block = Rule((Kill("pig 0", by=("block", "fall")),))
    assert verdict(by_block, OPEN, episodes) == "not followed: missing is that a block or a fall kills pig 0"
    never = Rule((Kill("pig 0"),), never=(Touch("bird", "pig"),))
    assert verdict(never, OPEN, episodes) == "not followed, because a bird touches a pig"
    assert verdict(Rule((Kill("pig 0"),), never=(Tap(),)), OPEN, episodes) == "followed"


def test_events_must_come_in_their_order() -> None:
    episodes = played(OPEN, direct_shots(OPEN)[0])
    assert verdict(Rule((Touch("bird", "pig 0"), Kill("pig 0"))), OPEN, episodes) == "followed"
    wrong = Rule((Kill("pig 0"), Release("bird 0")))
    assert verdict(wrong, OPEN, episodes) == "not followed: missing is that bird 0 is released"
    found = follows(Rule((Release(), Kill("pig 0"))), OPEN, episodes, 0)
    ((released, killed),) = found.steps
    assert released == episodes.released[0, 0] < killed == episodes.died[0, episodes.worlds[0].of_role("pig")[0]]


def test_a_kill_on_the_ground_counts_for_the_last_body_that_touched_the_pig() -> None:
    angles = np.arange(0.0, 30.0, 0.5).tolist()
    episodes = play(ON_EDGE, [[Shot(angle)] for angle in angles], want=("events",))
    world = episodes.worlds[0]
    pig = int(world.of_role("pig")[0])
    on_ground = [row for row in range(len(angles)) if episodes.killed_by[row, pig] == world.of_role("ground")[0]]
    for row in on_ground:
        record = EpisodeRecord(episodes, row, ON_EDGE)
        assert record.cause_names(pig) == ("bird 0",)
        cause = record.cause(pig)
        assert cause is not None
        assert cause.contact == 0
    killed = {int(body) for body in episodes.killed_by[:, pig]}
    assert killed <= {-1, 0, *world.of_role("platform").tolist(), world.first_bird}
    assert killed - {-1}


def test_a_pig_whose_support_breaks_dies_by_a_fall() -> None:
    tower = Level(
        ("red",),
        (Pig("small", 0.0, 1.0 + 2 * 0.184 + 0.2327),),
        blocks=(Block("square_tiny", "ice", 0.0, 1.092), Block("square_tiny", "ice", 0.0, 1.276)),
        platforms=(Platform(0.0, 0.68, 0.0, 0.3, 1.0),),
    )
    angles = np.arange(20.0, 45.0, 0.1).round(1).tolist()
    episodes = play(tower, [[Shot(angle)] for angle in angles], want=("events",))
    pig, bird = int(episodes.worlds[0].of_role("pig")[0]), episodes.worlds[0].first_bird
    fell = []
    for row in np.flatnonzero(episodes.died[:, pig]).tolist():
        record = EpisodeRecord(episodes, row, tower)
        touchers = {
            int(hit["body"]) + int(hit["other"]) - pig for hit in record.hits if pig in (hit["body"], hit["other"])
        }
        if touchers <= {0, *episodes.worlds[0].of_role("platform").tolist()}:
            fell.append(row)
            assert record.cause_names(pig) == ("fall",)
            assert follows(Rule((Kill("pig 0", by=("pig", "fall")),)), tower, episodes, row).followed
        else:
            assert record.cause_names(pig) in (("bird 0",), ("block 0",), ("block 1",))
    assert fell
    assert not {bird} & {int(episodes.killed_by[row, pig]) for row in fell}


def test_pushed_blocks_move_and_kill() -> None:
    angles = np.arange(0.0, 45.0, 1.0).tolist()
    simulator = Simulator([BEHIND])
    episodes = simulator.play([0] * len(angles), [[Shot(angle)] for angle in angles], ("events", "trajectory"))
    rule = Rule((Touch("bird", "block 0"), Move("block 0", 0.05), Kill("pig 0", by="block 0")))
    rows = [row for row in range(len(angles)) if follows(rule, BEHIND, episodes, row).followed]
    assert rows
    for row in rows:
        pig, block = (int(episodes.worlds[0].of_role(role)[0]) for role in ("pig", "block"))
        assert episodes.killed_by[row, pig] == block
        assert not follows(Rule((Topple("block 0", 720.0),)), BEHIND, episodes, row).followed
        as_distractor = follows(Rule((Kill("pig 0", by="distractor"),)), Level(("red",), (PIG,)), episodes, row)
        assert as_distractor.followed, "a block that the base level does not have is a distractor"
    design = Template("3.1", "", BEHIND, None, rule=rule)
    shots = [(Shot(angle),) for angle in angles]
    assert np.flatnonzero(wins_by_rule(design, simulator, [0] * len(shots), shots)).tolist() == [
        row for row in rows if episodes.won[row]
    ]


def test_motion_is_found_between_frames_of_any_stride() -> None:
    rule = Rule((Touch("bird", "block 0"), Move("block 0", 0.02), Kill("pig 0", by="block 0")))
    angles = [angle for angle in range(0, 45) if play(BEHIND, [[Shot(float(angle))]]).won[0]][:3]
    for angle in angles:
        verdicts = {
            follows(rule, BEHIND, played(BEHIND, Shot(float(angle)), stride=stride), 0).followed for stride in (1, 5)
        }
        assert len(verdicts) == 1


def test_motion_needs_a_trajectory() -> None:
    episodes = play(OPEN, [[Shot(10.0)]], want=("events",))
    with pytest.raises(EpisodeError, match="needs motion"):
        follows(Rule((Move("pig 0", 1.0),)), OPEN, episodes, 0)


def test_explosions_and_eggs_kill_under_their_names() -> None:
    bomb = Level(("black",), (PIG,))
    angle = direct_shots(bomb)[0].angle
    episodes = play(bomb, [[Shot(angle, tap_share=share)] for share in (0.8, 0.9, 0.95)], want=("events",))
    pig = int(episodes.worlds[0].of_role("pig")[0])
    exploded = np.flatnonzero(episodes.killed_by_explosion[:, pig])
    assert len(exploded)
    row = int(exploded[0])
    assert EpisodeRecord(episodes, row, bomb).cause_names(pig) == ("explosion",)
    assert follows(Rule((Kill("pig 0", by="explosion"),)), bomb, episodes, row).followed
    assert not follows(Rule((Kill("pig 0", by="bird"),)), bomb, episodes, row).followed


def test_destroyed_blocks_have_a_cause() -> None:
    target = Level(("red",), (Pig("small", 9.0, -3.26683),), blocks=(Block("square_tiny", "ice", -6.0, GROUND + 0.1),))
    angles = np.arange(-15.0, 15.0, 0.5).tolist()
    episodes = play(target, [[Shot(angle)] for angle in angles], want=("events",))
    by_bird = Rule((Destroy("block 0", by="bird"),))
    rows = [row for row in range(len(angles)) if follows(by_bird, target, episodes, row).followed]
    assert rows
    assert not any(follows(Rule((Destroy("block 0", by="pig"),)), target, episodes, row).followed for row in rows)
