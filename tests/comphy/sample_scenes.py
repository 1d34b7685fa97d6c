"""Symbolic scenes written by hand, for tests."""

from collections.abc import Mapping, Sequence

import numpy as np

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES, Body, Motion
from tumble.comphy.catalogue.video_set import Alteration, distinct_worlds
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import Event, pairs_of
from tumble.draws import Draws

RED_CUBE = Body("red", "rubber", "cube", mass=5)
BLUE_BALL = Body("blue", "metal", "sphere", charge=1)
RED_BALL = Body("red", "metal", "sphere", charge=-1)
GREEN_TUBE = Body("green", "rubber", "cylinder")


def make_scene(
    bodies: Sequence[Body],
    shown: Sequence[Event] = (),
    unseen: Sequence[Event] = (),
    altered: Mapping[Alteration, Sequence[Event]] | None = None,
    velocities: Mapping[int, tuple[float, float]] | None = None,
    until: Mapping[int, int] | None = None,
    interacted: Sequence[tuple[int, int]] = (),
) -> SymbolicScene:
    """A scene of bodies with given planar velocities until given frames, and at rest otherwise."""
    count = len(bodies)
    speeds = np.zeros((TARGET_FRAMES, count, 3))
    for k, velocity in (velocities or {}).items():
        speeds[: (until or {}).get(k, TARGET_FRAMES), k, :2] = velocity
    places = np.zeros((TARGET_FRAMES, count, 3))
    places[..., 0] = np.linspace(-1.0, 1.0, count)
    places[..., 2] = 0.2
    inside = np.ones((TARGET_FRAMES, count), bool)
    for event in sorted(shown, key=lambda own: -own.frame):
        if event.kind == "in":
            inside[: event.frame, event.bodies[0]] = False
        if event.kind == "out":
            inside[event.frame :, event.bodies[0]] = False
    turns = np.zeros((TARGET_FRAMES, count, 4))
    turns[..., 0] = 1.0
    motion = Motion(places, turns, speeds, np.zeros_like(places), inside)
    worlds = {change: tuple(events) for change, events in (altered or {}).items()}
    return SymbolicScene(tuple(bodies), motion, tuple(shown), tuple(unseen), worlds, frozenset(interacted))


def busy_scene() -> SymbolicScene:
    """Four bodies, one heavy and two charged, with events of every kind."""
    shown = (
        Event("in", 10, (1,)),
        Event("attraction", 15, (1, 2)),
        Event("collision", 20, (1, 2)),
        Event("collision", 40, (0, 1)),
        Event("in", 50, (3,)),
        Event("out", 90, (2,)),
    )
    altered = {
        Alteration(0, "lighter"): (Event("collision", 40, (0, 1)), Event("collision", 60, (0, 3))),
        Alteration(1, "uncharged"): (Event("collision", 44, (0, 1)),),
        Alteration(1, "opposite"): (),
    }
    return make_scene(
        (RED_CUBE, BLUE_BALL, RED_BALL, GREEN_TUBE),
        shown,
        (Event("collision", SHOWN_FRAMES + 5, (2, 3)),),
        altered,
        velocities={1: (0.5, 0.2), 2: (-0.5, -0.2), 3: (-0.2, 0.5)},
        until={2: 60},
        interacted=((0, 1), (1, 2)),
    )


def random_scene(number: int, family: str) -> SymbolicScene:
    """A scene with random events."""
    draws = Draws(f"{family} story {number}")
    appearances: dict[tuple[str, str, str], None] = {}
    while len(appearances) < 3 + number % 3:
        appearances[draws.one_of(COLORS), draws.one_of(MATERIALS), draws.one_of(SHAPES)] = None
    signs = (1, draws.one_of((-1, 1))) if family == "charge" else (0, 0)
    masses = (5 if family == "mass" else 1, 1)
    bodies = tuple(
        Body(*own, masses[min(k, 1)], signs[k] if k < 2 else 0) for k, own in enumerate(sorted(appearances, key=str))
    )
    pairs = pairs_of(len(bodies))
    everyone = range(len(bodies))
    moves = {k: (draws.between(-1.0, 1.0), draws.between(-1.0, 1.0)) for k in everyone if draws.one_of((0, 1, 1))}
    passing = [k for k in everyone if draws.one_of((0, 1))]
    passages = [Event(draws.one_of(("in", "out")), 20 + 7 * k, (k,)) for k in passing]
    met = _collisions(draws, pairs, 1, 0.5)
    return make_scene(
        bodies,
        sorted([*passages, *met], key=lambda event: event.frame),
        _collisions(draws, pairs, SHOWN_FRAMES, 0.15),
        _altered(draws, bodies, pairs),
        moves,
        {k: 60 for k in moves if draws.one_of((0, 1))},
        [event.bodies for event in met] or pairs[:1],
    )


def _altered(draws: Draws, bodies: tuple[Body, ...], pairs: Sequence[tuple[int, int]]) -> dict[Alteration, list[Event]]:
    """Random collisions after each change, the same for changes that lead to the same world."""
    events = {world: _collisions(draws, pairs, 1, 0.5) for world in distinct_worlds(bodies)}
    return {change: own for world, own in events.items() for change in world}


def _collisions(draws: Draws, pairs: Sequence[tuple[int, int]], first: int, share: float) -> list[Event]:
    chosen = [pair for pair in pairs if draws.between(0.0, 1.0) < share]
    return [Event("collision", first + 4 * k, pair) for k, pair in enumerate(chosen)]
