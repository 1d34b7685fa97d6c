"""The symbolic state in the published form: a JSON list with one feature collection of polygons in pixels.

    [{"type": "FeatureCollection", "features": [
        {"type": "Feature", "geometry": {},
         "properties": {"id": "-1", "label": "Ground", "yindex": 286, "colormap": []}},
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[97, 249], …]]},
         "properties": {"id": "-3", "label": "Object", "colormap": [{"color": 125, "percent": 1.0}]}}, …]}]

y counts down from the upper edge. Colours have 8 bits, RRRGGGBB. Rings are not closed, and a hole is a second ring.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tumble.phyq.observation import scenery
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, ROWS, to_pixels
from tumble.phyq.observation.things import Thing
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.outlines import placed
from tumble.phyq.tasks.pieces import BLOCKS, PIGS, TNT
from tumble.scene import Vec

NOISE_RADIUS = 2.0
"""Pixels by which a noisy thing is shifted at most."""
ENDLESS = 3.4e38
"""The life of what cannot be destroyed."""
STAGES = 4
"""Looks of a thing from whole to nearly destroyed."""

COLOUR_SHARES: dict[str, dict[int, float]] = {
    "red": {0: 0.27, 250: 0.24, 244: 0.09},
    "yellow": {248: 0.59},
    "blue": {119: 0.40, 0: 0.22},
    "white": {36: 0.32, 255: 0.22, 21: 0.18},
    "black": {73: 0.68, 36: 0.15},
    "pig": {125: 0.50},
    "wood": {240: 0.40, 136: 0.20, 204: 0.13, 172: 0.12},
    "stone": {182: 0.45, 146: 0.27, 73: 0.21},
    "ice": {123: 0.38, 87: 0.28, 19: 0.16},
    "platform": {36: 0.56, 68: 0.34},
    "tnt": {205: 0.15, 68: 0.12},
    "egg": {255: 1.0},
}
"""The main colours of the published pictures with their shares; in the state they are scaled to a sum of 1."""

_PIGS = ("pig small", "pig big", "pig medium")
_ORDER = (*_PIGS, "bird", "egg", "circle", "triangle", "square_hole", "rect", "tnt", "platform")


def symbolic_state(
    seen: Iterable[Thing],
    slingshot: Vec = Level.slingshot,
    labels: bool = False,
    noise: np.random.Generator | None = None,
    platforms: bool = True,
    trail: np.ndarray | None = None,
) -> list[dict[str, Any]]:
    """The state of what is seen, ready for JSON.

    With `labels` things are named and tell their life, as in the published development mode; else all are "Object".
    `noise` shifts everything but ground, slingshot and birds. The published agents never saw `platforms`. `trail` are
    points [n, 2] that a bird has flown through.
    """
    features = [_feature({}, "-1", "Ground", yindex=round(GROUND_ROW)), _sling(slingshot)]
    if trail is not None and len(trail):
        dots = np.rint(to_pixels(np.asarray(trail, float))).astype(int).tolist()
        features.append(_feature({"type": "MultiPoint", "coordinates": dots}, "-3", "Trajectory"))
    shown = [thing for thing in seen if platforms or thing.kind != "platform"]
    for thing in sorted(shown, key=lambda thing: _ORDER.index(_group(thing))):
        rings = [to_pixels(ring) for ring in _rings(thing)]
        if noise is not None and thing.kind not in ("bird", "egg"):
            turn, away = 2.0 * math.pi * noise.random(), NOISE_RADIUS * math.sqrt(noise.random())
            shift = np.array([away * math.cos(turn), away * math.sin(turn)])
            rings = [ring + shift for ring in rings]
        if not _is_visible(rings[0]):
            continue
        life = {"currentLife": _life(thing)} if labels else {}
        label = _label(thing) if labels else "Object"
        features.append(_feature(_polygon(rings), str(-4 - thing.number), label, _colours(thing), **life))
    return [{"type": "FeatureCollection", "features": features}]


def _feature(
    geometry: dict[str, Any], number: str, label: str, colours: list[dict[str, float]] | None = None, **more: float
) -> dict[str, Any]:
    properties = {"id": number, "label": label, **more, "colormap": colours or []}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _sling(slingshot: Vec) -> dict[str, Any]:
    left, bottom, right, top = scenery.SLING_BOX
    corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)]) + slingshot
    return _feature(_polygon([to_pixels(corners)]), "-2", "Slingshot")


def _polygon(rings: list[np.ndarray]) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [np.rint(ring).astype(int).tolist() for ring in rings]}


def _group(thing: Thing) -> str:
    """What things are sorted by."""
    if thing.kind == "pig":
        return f"pig {thing.name}"
    if thing.kind != "block":
        return thing.kind
    return next((group for group in ("circle", "triangle", "square_hole") if thing.name.startswith(group)), "rect")


def _rings(thing: Thing) -> list[np.ndarray]:
    holes = BLOCKS[thing.name, thing.material].holes if thing.kind == "block" else ()
    return [thing.corners, *(placed(np.array(hole), thing.x, thing.y, thing.rotation) for hole in holes)]


def _is_visible(ring: np.ndarray) -> bool:
    (left, top), (right, bottom) = ring.min(axis=0), ring.max(axis=0)
    return bool(right >= 0.0 and left < COLUMNS and bottom >= 0.0 and top < min(GROUND_ROW, ROWS))


def _life(thing: Thing) -> float:
    if thing.kind == "pig":
        return PIGS[thing.name].life * thing.life
    if thing.kind == "block":
        return BLOCKS[thing.name, thing.material].life * thing.life
    return TNT.life * thing.life if thing.kind == "tnt" else ENDLESS


def _label(thing: Thing) -> str:
    stage = 1 + min(int((1.0 - thing.life) * STAGES), STAGES - 1)
    if thing.kind == "pig":
        return f"pig_basic_{thing.name}_{stage}"
    if thing.kind == "block":
        return f"{thing.material}_{thing.name}_{stage}"
    if thing.kind == "bird":
        return f"bird_{thing.name}_1"
    return {"tnt": "TNT", "platform": "Platform", "egg": "bird_egg_1"}[thing.kind]


def _colours(thing: Thing) -> list[dict[str, float]]:
    shares = COLOUR_SHARES[thing.material or (thing.name if thing.kind == "bird" else thing.kind)]
    total = sum(shares.values())
    return [{"color": colour, "percent": share / total} for colour, share in shares.items()]
