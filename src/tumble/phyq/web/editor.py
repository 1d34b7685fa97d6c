"""The level editor: all pieces and birds, checks of a level, random shots at it, and the routes.

The server keeps nothing: every request brings the whole level as the text of its file. Checked are overlaps, the
world's ends, and pieces that do not rest. The sequences of random shots are one long list, always the same for the
same birds; a request is answered with what happens to as many of them as fit into a fraction of a second, and the
page asks for the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from tumble.phyq.catalogue import level_json
from tumble.phyq.catalogue.level import (
    HIGHEST,
    Block,
    Level,
    LevelError,
    Piece,
    Pig,
    Platform,
    bounding_box,
    outline,
    overlap_depth,
    overlaps,
    shape_corners,
)
from tumble.phyq.catalogue.physics import (
    BIRD_COLOURS,
    BLOCK_SHAPES,
    HALF_WIDTH,
    MATERIAL_NAMES,
    PIG_SIZES,
    PLATFORM_SIDE,
    REST_OFFSET,
)
from tumble.phyq.catalogue.template import SLOP
from tumble.phyq.observation.camera import sling_layers
from tumble.phyq.observation.objects import OUTLINE_WIDTH, GameObject, layers
from tumble.phyq.simulation.episodes import AT_REST_SHIFT
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.web.attempts import EditedLevelRequest, SweepRequest
from tumble.phyq.web.level_data import (
    DIGITS,
    MOST_BIRDS,
    MOST_PIECES,
    POWERS,
    RULES,
    colours,
    known_task,
    layer_data,
    read_level,
)
from tumble.scene import Vec
from tumble.web.pages import PageServices
from tumble.web.play import ERROR_LEVEL, WARNING_LEVEL, Finding, timed_batches
from tumble.web.responses import StaticFiles, json_file, json_response

EDITOR_VIEW = [-HALF_WIDTH, -5.0, HALF_WIDTH, 9.0]
"""Left, bottom, right and top of what is seen at first."""


def editor_data() -> dict[str, Any]:
    """Pieces by the list of a level file that they belong to, birds, and the world."""
    pigs = [_piece_data(GameObject("pig", size), {"size": size}) for size in PIG_SIZES]
    blocks = [
        _piece_data(GameObject("block", shape, material), {"shape": shape, "material": material})
        for shape in BLOCK_SHAPES
        for material in MATERIAL_NAMES
    ]
    side = (PLATFORM_SIDE, PLATFORM_SIDE)
    return {
        "pieces": {
            "pigs": pigs,
            "blocks": blocks,
            "tnts": [_piece_data(GameObject("tnt"), {})],
            "platforms": [_piece_data(GameObject("platform", size=side), {})],
        },
        "edge": OUTLINE_WIDTH,
        "birds": [_bird_data(colour) for colour in BIRD_COLOURS],
        "most_pieces": MOST_PIECES,
        "most_birds": MOST_BIRDS,
        "highest": HIGHEST,
        "view": EDITOR_VIEW,
        "rules": RULES,
        "colours": colours(),
        "slingshot": list(Level.slingshot),
        **sling_data(Level.slingshot),
    }


def sling_data(slingshot: Vec) -> dict[str, Any]:
    """The slingshot at a place, and where the bird rests."""
    rest = [place + offset for place, offset in zip(slingshot, REST_OFFSET, strict=True)]
    return {"sling": [layer_data(layer) for layer in sling_layers(slingshot)], "rest": rest}


def level_file(task_id: str) -> dict[str, str]:
    """The level file of a task of Tumble's."""
    return {"text": level_json.to_json(known_task(task_id).level)}


def _piece_data(one: GameObject, values: dict[str, str]) -> dict[str, Any]:
    outline = [[round(x, DIGITS), round(y, DIGITS)] for x, y in shape_corners(one.shape).tolist()]
    return {"values": values, "layers": [layer_data(layer) for layer in layers(one)], "outline": outline}


def _bird_data(colour: str) -> dict[str, Any]:
    return {
        "colour": colour,
        "power": POWERS[colour],
        "layers": [layer_data(layer) for layer in layers(GameObject("bird", colour))],
    }


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
    findings = [
        *_in_the_way(level),
        *_overlaps(level),
        *_outside(level),
        *_first_findings(moving, "more pieces do not rest"),
    ]
    if gone:
        findings.append(Finding(ERROR_LEVEL, f"{gone} of its pieces die or leave the world before the first shot"))
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


def piece_label(piece: Piece) -> str:
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
            yield Finding(ERROR_LEVEL, f"{piece_label(piece)} is where the bird on the slingshot is", (k,))


def _overlaps(level: Level) -> list[Finding]:
    index = {id(piece): k for k, piece in enumerate(level.pieces)}
    found = []
    for piece, other, depth in overlaps(level, SLOP):
        if other is None:
            found.append(
                Finding(WARNING_LEVEL, f"{piece_label(piece)} is {depth:.2f} deep in the ground", (index[id(piece)],))
            )
        else:
            pair = (index[id(piece)], index[id(other)])
            found.append(
                Finding(WARNING_LEVEL, f"{piece_label(piece)} and {piece_label(other)} overlap by {depth:.2f}", pair)
            )
    return _first_findings(found, "more overlaps")


def _outside(level: Level) -> Iterator[Finding]:
    for k, piece in enumerate(level.pieces):
        box = bounding_box(outline(piece))
        if not isinstance(piece, Platform) and (box.left < -HALF_WIDTH or box.right > HALF_WIDTH):
            yield Finding(WARNING_LEVEL, f"{piece_label(piece)} stands at the end of the world", (k,))


def _moving(level: Level, settled: Level) -> Iterator[Finding]:
    """Pieces that come to rest somewhere else."""
    for k, (before, after) in enumerate(zip(level.pieces, settled.pieces, strict=True)):
        way = float(np.hypot(after.x - before.x, after.y - before.y))
        turn = abs(after.rotation - before.rotation)
        if way > AT_REST_SHIFT or np.radians(turn) > AT_REST_SHIFT:
            yield Finding(
                WARNING_LEVEL,
                f"{piece_label(before)} does not rest: it moves by {way:.2f} and turns by {turn:.0f}°",
                (k,),
            )


def _first_findings(findings: list[Finding], rest: str) -> list[Finding]:
    more = len(findings) - MOST_NAMED
    return findings if more <= 0 else [*findings[:MOST_NAMED], Finding(WARNING_LEVEL, f"{more} {rest}")]


SWEEP_ANGLES = (-10.0, 85.0)
SWEEP_TAPS = (200.0, 2600.0)
"""Limits of random angles in degrees, and of taps in milliseconds."""
SWEEP_SECONDS = 0.3
"""After which a request is answered."""
MOST_SEQUENCES = 128
"""In an answer, so that there is progress to see."""
TRIVIAL_SHARE = 0.25
"""A level is trivial if this share of random shots wins it; in the paper they win 13.4 % of the easiest scenario."""


def sweep_shots(level: Level, first: int) -> dict[str, Any]:
    """How many sequences of shots from number `first` on win, the next number, and shots that win: JSON values."""
    simulator = Simulator([level], threads=1)
    won, number = 0, first
    solution: list[dict[str, float]] | None = None
    for done, size in timed_batches(SWEEP_SECONDS, MOST_SEQUENCES):
        sequences = [random_shots(level.birds, first + done + k) for k in range(size)]
        episodes = simulator.play([0] * size, sequences)
        won += int(episodes.won.sum())
        rows = np.flatnonzero(episodes.won)
        if solution is None and len(rows):
            row = int(rows[0])
            solution = [_shot_record(shot) for shot in sequences[row][: int(episodes.shots_used[row])]]
        number = first + done + size
    return {
        "counts": {"won": won, "not_won": number - first - won},
        "next": number,
        "solution": solution,
        "trivial_share": TRIVIAL_SHARE,
    }


def random_shots(birds: tuple[str, ...], number: int) -> list[Shot]:
    """A full-stretch shot of each bird at a random angle; birds with a power are tapped at a random time."""
    rng = np.random.default_rng(number)
    shots = []
    for colour in birds:
        angle, tap = round(float(rng.uniform(*SWEEP_ANGLES)), 2), round(float(rng.uniform(*SWEEP_TAPS)), 0)
        shots.append(Shot(angle, tap_ms=tap if POWERS[colour] else None))
    return shots


def _shot_record(shot: Shot) -> dict[str, float]:
    return {"angle": shot.angle} if shot.tap_ms is None else {"angle": shot.angle, "tap_ms": shot.tap_ms}


def add_editor(router: APIRouter, services: PageServices, static: StaticFiles) -> None:
    """Adds the page `edit` and what it asks for."""
    constants = json_file(editor_data())

    @router.get("/edit")
    async def edit(request: Request) -> Response:
        return static.response("edit.html", request.headers)

    @router.get("/api/editor")
    async def editor(request: Request) -> Response:
        return constants.response(request.headers)

    @router.post("/api/own/check")
    async def check(asked: EditedLevelRequest) -> Response:
        level = await run_in_threadpool(_edited_level, asked.level)
        return json_response(await services.physics.submit(_checks, level, slow=True))

    @router.post("/api/own/sweep")
    async def random_shots(asked: SweepRequest) -> Response:
        level = await run_in_threadpool(_edited_level, asked.level)
        return json_response(await services.physics.submit(_sweeps, (level, asked.first), slow=True))


def _edited_level(text: str) -> Level:
    level = read_level(text)
    check_overlaps(level)
    return level


def _checks(levels: Sequence[Level]) -> list[Any]:
    return [check_level(level) for level in levels]


def _sweeps(requests: Sequence[tuple[Level, int]]) -> list[Any]:
    return [sweep_shots(level, first) for level, first in requests]
