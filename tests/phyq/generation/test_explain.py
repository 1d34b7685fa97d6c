"""Chains of causes: from the birds to the pigs, through pushes, lost supports, splits and bounces."""

from collections.abc import Sequence

import numpy as np

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.generation.checks import direct_shots
from tumble.phyq.generation.explain import Explanation, Link, explain
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import play

PIG = Pig("small", 0.0, -3.26683)
GROUND = -3.5


def explained(level: Level, *shots: Shot) -> Explanation:
    return explain(Task("own", level), shots)


def kinds(links: Sequence[Link]) -> list[str]:
    return [link.kind for link in links]


def test_a_direct_hit() -> None:
    level = Level(("red",), (PIG,))
    explanation = explained(level, direct_shots(level)[0])
    assert kinds(explanation.links) == ["release", "kill"]
    assert explanation.lines()[0] == "1  0.00 s  bird 0 is released"
    assert explanation.lines()[1].endswith("s  bird 0 kills pig 0")
    assert explanation.rule is None


def test_a_miss_has_the_birds_contacts() -> None:
    explanation = explained(Level(("red",), (PIG,)), Shot(80.0))
    assert kinds(explanation.links)[:2] == ["release", "touch"]
    assert "bird 0 touches ground" in explanation.lines()[1]


def test_a_push_leads_to_the_kill() -> None:
    level = Level(("red",), (PIG,), blocks=(Block("square_hole", "wood", -0.75, GROUND + 0.4),))
    angles = np.arange(0.0, 45.0, 1.0).tolist()
    episodes = play(level, [[Shot(angle)] for angle in angles], want=("events",))
    pig, block = (int(episodes.worlds[0].of_role(role)[0]) for role in ("pig", "block"))
    pushed = [angle for angle, by in zip(angles, episodes.killed_by[:, pig], strict=True) if by == block]
    assert pushed
    links = explained(level, Shot(pushed[0])).links
    (push,) = [link for link in links if link.kind == "push"]
    (kill,) = [link for link in links if link.kind == "kill"]
    assert (push.source, push.target) == (int(episodes.worlds[0].first_bird), block)
    assert (kill.source, kill.target) == (block, pig)
    assert push.step <= kill.step
    assert push.speed > 0.0


def test_a_lost_support_is_a_cause() -> None:
    level = Level(
        ("red",),
        (Pig("small", 0.0, 1.0 + 2 * 0.184 + 0.2327),),
        blocks=(Block("square_tiny", "ice", 0.0, 1.092), Block("square_tiny", "ice", 0.0, 1.276)),
        platforms=(Platform(0.0, 0.68, 0.0, 0.3, 1.0),),
    )
    angles = np.arange(20.0, 45.0, 0.1).round(1).tolist()
    episodes = play(level, [[Shot(angle)] for angle in angles], want=("events",))
    pig, bird = int(episodes.worlds[0].of_role("pig")[0]), episodes.worlds[0].first_bird
    hits = episodes.events[episodes.events["kind"] == "hit"]
    by_bird = {int(hit["episode"]) for hit in hits if {int(hit["body"]), int(hit["other"])} == {pig, bird}}
    rows = [row for row in np.flatnonzero(episodes.died[:, pig]).tolist() if row not in by_bird]
    found = [explained(level, Shot(angles[row])) for row in rows]
    supports = [one for one in found if "support" in kinds(one.links)]
    assert supports
    for one in supports:
        assert kinds(one.links)[0] == "release"
        assert kinds(one.links)[-1] in ("fall", "kill")


def test_split_birds_come_from_the_tapped_bird() -> None:
    level = Level(("blue",), (PIG,))
    angle = direct_shots(level)[0].angle
    shots = [[Shot(angle + by, tap_share=0.5)] for by in np.arange(-12.0, 12.0, 1.0).tolist()]
    won = np.flatnonzero(play(level, shots).won)
    assert len(won)
    links = explained(level, *shots[int(won[0])]).links
    assert kinds(links)[:2] == ["release", "tap"]
    assert "split" in kinds(links)
    assert kinds(links)[-1] == "kill"
