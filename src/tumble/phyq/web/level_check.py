"""What is wrong with a level that a person makes: overlaps, the world's ends, pieces that do not rest."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from tumble.phyq.observation.objects import GameObject
from tumble.phyq.simulation.settling import AT_REST_SHIFT
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.constants import HALF_WIDTH
from tumble.phyq.tasks.level import Block, Level, LevelError, Piece, Pig, Platform
from tumble.phyq.tasks.outlines import bounding_box, outline, overlap_depth, overlaps
from tumble.phyq.tasks.template import SLOP
from tumble.phyq.web.editor_data import sling_data
from tumble.web.findings import ERROR, WARNING, Finding

MOST_OVERLAPS = 100
"""Pairs of overlapping pieces beyond which a level is not simulated: each costs time."""
MOST_NAMED = 8
"""Findings of one kind that are listed."""


def check_level(level: Level) -> dict[str, Any]:
    """All findings; `settled` are x, y and rotation of each piece once everything rests; the slingshot: JSON values."""
    simulator = Simulator([level], threads=1)
    (settled,) = simulator.settled_levels()
    gone = int(simulator.settle().gone[0])
    moving = list(_moving(level, settled))
    findings = [*_in_the_way(level), *_overlaps(level), *_outside(level), *_first(moving, "more pieces do not rest")]
    if gone:
        findings.append(Finding(ERROR, f"{gone} of its pieces die or leave the world before the first shot"))
    return {
        "findings": [asdict(one) for one in findings],
        "settled": [[piece.x, piece.y, piece.rotation] for piece in settled.pieces],
        "rests": not moving and not gone,
        **sling_data(level.slingshot),
    }


def check_overlaps(level: Level) -> None:
    """Raises a LevelError for a level that would take too long to simulate."""
    count = len(overlaps(level, SLOP))
    if count > MOST_OVERLAPS:
        raise LevelError(f"{count} pairs of pieces overlap; on this page there can be {MOST_OVERLAPS}")


def name(piece: Piece) -> str:
    """What a piece is, in words."""
    if isinstance(piece, Pig):
        return f"the {piece.size} pig"
    if isinstance(piece, Block):
        return f"the {piece.material} {piece.shape.replace('_', ' ')}"
    return "the platform" if isinstance(piece, Platform) else "the TNT"


def _in_the_way(level: Level) -> Iterator[Finding]:
    """Pieces where the first bird is."""
    x, y = level.rest_point
    bird = GameObject("bird", level.birds[0], x=x, y=y).corners
    for k, piece in enumerate(level.pieces):
        if overlap_depth(outline(piece), bird) > SLOP:
            yield Finding(ERROR, f"{name(piece)} is where the bird on the slingshot is", (k,))


def _overlaps(level: Level) -> list[Finding]:
    index = {id(piece): k for k, piece in enumerate(level.pieces)}
    found = []
    for piece, other, depth in overlaps(level, SLOP):
        if other is None:
            found.append(Finding(WARNING, f"{name(piece)} is {depth:.2f} deep in the ground", (index[id(piece)],)))
        else:
            pair = (index[id(piece)], index[id(other)])
            found.append(Finding(WARNING, f"{name(piece)} and {name(other)} overlap by {depth:.2f}", pair))
    return _first(found, "more overlaps")


def _outside(level: Level) -> Iterator[Finding]:
    for k, piece in enumerate(level.pieces):
        box = bounding_box(outline(piece))
        if not isinstance(piece, Platform) and (box.left < -HALF_WIDTH or box.right > HALF_WIDTH):
            yield Finding(WARNING, f"{name(piece)} stands at the end of the world", (k,))


def _moving(level: Level, settled: Level) -> Iterator[Finding]:
    """Pieces that come to rest somewhere else."""
    for k, (before, after) in enumerate(zip(level.pieces, settled.pieces, strict=True)):
        way = float(np.hypot(after.x - before.x, after.y - before.y))
        turn = abs(after.rotation - before.rotation)
        if way > AT_REST_SHIFT or np.radians(turn) > AT_REST_SHIFT:
            yield Finding(
                WARNING, f"{name(before)} does not rest: it moves by {way:.2f} and turns by {turn:.0f}°", (k,)
            )


def _first(findings: list[Finding], rest: str) -> list[Finding]:
    more = len(findings) - MOST_NAMED
    return findings if more <= 0 else [*findings[:MOST_NAMED], Finding(WARNING, f"{more} {rest}")]
