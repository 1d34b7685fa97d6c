"""Why balls can't be placed where an action wants them, in words."""

from dataclasses import replace

import numpy as np

from tumble.phyre.observation.body_names import body_name
from tumble.phyre.simulation.actions import MIN_GAP, SIZE, exact_balls, placed_balls, within_scene
from tumble.phyre.simulation.overlap import Obstacles
from tumble.scene import Scene


def placement_problem(scene: Scene, action: np.ndarray) -> str:
    """Why an action is invalid; empty if it is valid."""
    exact, placed = exact_balls(action[None])[0], placed_balls(action[None])[0]
    names = ["the placed ball"] if len(exact) == 1 else ["placed ball 1", "placed ball 2"]
    for name, (x, y, radius) in zip(names, exact, strict=True):
        if min(x, y) < radius or max(x, y) > SIZE - radius:
            return (
                f"{name} leaves the scene: radius {radius:.1f} at ({x:.1f}, {y:.1f}), "
                f"and the scene is {SIZE:g} by {SIZE:g} pixels"
            )
    if not within_scene(action[None])[0]:
        between = np.hypot(*(exact[0] - exact[1])[:2]) - exact[:, 2].sum()
        how = f"{between:.1f} pixels apart" if between >= 0.0 else "overlapping"
        return f"the two balls are too close: {how}, and they must be {MIN_GAP:g} pixel apart"
    overlapped = {name: _overlapped_bodies(scene, ball) for name, ball in zip(names, placed, strict=True)}
    return ", ".join(f"{name} overlaps {' and '.join(bodies)}" for name, bodies in overlapped.items() if bodies)


def _overlapped_bodies(scene: Scene, ball: np.ndarray) -> list[str]:
    """The names of the bodies that a ball overlaps; tests each body alone, with the same code as attempts."""
    single_bodies = [replace(scene, bodies=(body,)) for body in scene.bodies]
    clear = Obstacles(single_bodies).clear(np.arange(len(single_bodies)), np.tile(ball, (len(single_bodies), 1, 1)))
    return [body_name(scene, int(index)) for index in np.flatnonzero(~clear)]
