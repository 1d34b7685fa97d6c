"""Stages as rows for the device: colours, directions and lights that the seed decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tumble.comphy.observation.renderer.colors import linear
from tumble.comphy.observation.staged.scene import LIGHT_RAYS, STAGE_ROW
from tumble.comphy.tasks.stage import FLOORS, Stage
from tumble.draws import Draws

GOLDEN_ANGLE = np.pi * (3.0 - 5.0**0.5)
RIM_POINTS, RIM, INNER = 5, 0.93, 0.82
"""The points of a light whose shadow rays are traced first are at its rim; radii of the rim and of the others."""
MAX_BOUNCE = 0.42

Rgb = tuple[int, int, int]
PALETTES: Mapping[str, tuple[tuple[Rgb, Rgb, Rgb], ...]] = {
    "planks": (
        ((122, 82, 50), (188, 140, 94), (0, 0, 0)),
        ((94, 62, 40), (148, 106, 72), (0, 0, 0)),
        ((160, 128, 92), (214, 186, 146), (0, 0, 0)),
    ),
    "marble": (
        ((226, 222, 214), (198, 194, 188), (122, 120, 122)),
        ((206, 196, 178), (180, 162, 138), (118, 92, 70)),
        ((82, 92, 88), (54, 66, 62), (176, 186, 178)),
    ),
    "concrete": (
        ((132, 131, 127), (172, 170, 164), (0, 0, 0)),
        ((148, 142, 132), (184, 178, 166), (0, 0, 0)),
        ((112, 116, 120), (150, 154, 158), (0, 0, 0)),
    ),
    "tiles": (
        ((206, 204, 196), (110, 134, 152), (128, 124, 116)),
        ((214, 204, 186), (168, 112, 82), (136, 128, 116)),
        ((200, 206, 204), (92, 112, 104), (120, 122, 118)),
    ),
    "carpet": (
        ((120, 50, 48), (52, 58, 84), (206, 182, 140)),
        ((54, 72, 100), (126, 60, 56), (204, 192, 160)),
        ((88, 92, 76), (124, 76, 58), (204, 188, 148)),
    ),
    "sand": (
        ((222, 196, 150), (186, 154, 108), (0, 0, 0)),
        ((214, 186, 154), (172, 138, 108), (0, 0, 0)),
        ((226, 212, 178), (194, 174, 134), (0, 0, 0)),
    ),
    "cloth": (
        ((228, 224, 214), (168, 62, 62), (96, 40, 44)),
        ((226, 226, 220), (72, 104, 156), (40, 56, 96)),
        ((228, 224, 208), (94, 128, 88), (52, 78, 54)),
    ),
    "metal": (
        ((112, 116, 122), (142, 146, 150), (204, 208, 212)),
        ((98, 100, 104), (128, 128, 130), (190, 192, 194)),
        ((120, 116, 110), (152, 146, 138), (206, 202, 194)),
    ),
    "grass": (
        ((70, 118, 38), (142, 172, 72), (34, 44, 20)),
        ((88, 122, 46), (166, 174, 86), (48, 46, 26)),
        ((54, 104, 44), (120, 160, 76), (28, 42, 22)),
    ),
}
"""Colours of each floor, in sRGB; the seed chooses."""


@dataclass(frozen=True, eq=False)
class StageRows:
    """A stage as the device gets it."""

    row: np.ndarray
    """StageRow []."""
    light_points: np.ndarray
    """float32 [LIGHT_RAYS, 3]: points of the light's disc, those at its rim first."""


@lru_cache(maxsize=256)
def stage_rows(stage: Stage) -> StageRows:
    """The rows of a stage."""
    draws = Draws(f"{stage.floor} {stage.light} {stage.seed}")
    palette = linear(np.array(draws.one_of(PALETTES[stage.floor])) / 255.0)
    palette = palette * draws.between(0.9, 1.1)
    row = np.zeros((), STAGE_ROW)
    row["kind"], row["seed"] = FLOORS.index(stage.floor), int(draws.between(0.0, 1.0e6))
    angle = draws.between(-0.6, 0.6)
    row["turn"] = np.cos(angle), np.sin(angle)
    row["offset"] = draws.between(20.0, 60.0), draws.between(20.0, 60.0)
    row["color_a"], row["color_b"], row["color_c"] = palette
    points = _light(row, stage.light, draws)
    total = row["light_color"] * (row["light"][2] / np.linalg.norm(row["light"])) + row["sky"] + 0.5 * row["fill"]
    row["bounce"] = np.minimum(0.9 * total * palette[:2].mean(axis=0), MAX_BOUNCE)
    return StageRows(row, points)


def _light(row: np.ndarray, kind: str, draws: Draws) -> np.ndarray:
    """Fills in the lights of a stage; returns points of the light that casts shadows."""
    side = draws.one_of((-1.0, 1.0))
    azimuth = draws.between(-0.5, 0.9)
    around = np.array([side * np.cos(azimuth), np.sin(azimuth)])
    if kind == "window":
        distance, elevation, radius = draws.between(6.0, 7.5), draws.between(0.72, 0.9), draws.between(0.85, 1.1)
        row["light_color"] = np.array([1.0, 0.98, 0.95]) * draws.between(0.95, 1.1)
        row["sky"], row["fill"] = (0.27, 0.29, 0.33), (0.16, 0.16, 0.17)
    elif kind == "lamp":
        distance, elevation, radius = draws.between(4.2, 5.0), draws.between(0.95, 1.1), draws.between(0.3, 0.4)
        row["light_color"] = np.array([1.12, 0.92, 0.66]) * draws.between(1.0, 1.15)
        row["sky"], row["fill"] = (0.22, 0.20, 0.19), (0.12, 0.12, 0.15)
    else:
        distance, elevation, radius = 40.0, draws.between(0.85, 1.1), draws.between(3.0, 4.0)
        row["light_color"] = np.array([1.0, 0.95, 0.86]) * draws.between(0.85, 1.0)
        row["sky"], row["fill"] = (0.36, 0.41, 0.49), (0.08, 0.09, 0.1)
    flat = distance * np.cos(elevation)
    light = np.array([*(flat * around), distance * np.sin(elevation)])
    row["light"], row["light_radius"], row["light_square"] = light, radius, distance * distance
    fill = np.array([-around[0], -0.7, 0.55])
    row["fill_direction"] = fill / np.linalg.norm(fill)
    return _disc(light, radius)


def _disc(middle: np.ndarray, radius: float) -> np.ndarray:
    """float32 [LIGHT_RAYS, 3]: points of a disc that faces the origin: its rim, and a Fibonacci spiral."""
    towards = middle / np.linalg.norm(middle)
    side = np.cross(towards, (0.0, 0.0, 1.0))
    side = side / np.linalg.norm(side)
    inner = np.arange(LIGHT_RAYS - RIM_POINTS)
    reach = radius * np.concatenate([np.full(RIM_POINTS, RIM), INNER * np.sqrt((inner + 0.5) / len(inner))])
    angle = np.concatenate([2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS, 0.3 + inner * GOLDEN_ANGLE])
    flat = np.stack([reach * np.cos(angle), reach * np.sin(angle)], axis=-1)
    return np.asarray(middle + flat @ np.stack([side, np.cross(towards, side)]), np.float32)
