"""A table of actions to check against many scenes: what depends only on the actions is computed once."""

import numpy as np

from tumble.phyre.simulation.actions import placed_balls, within_scene
from tumble.phyre.simulation.overlap import Obstacles, upload_balls
from tumble.scene import Scene


class ActionTable:
    """Actions [n, numbers], and the balls of those that lie within the scene, on the device that checks them."""

    def __init__(self, actions: np.ndarray, device: str = "cpu") -> None:
        self.actions, self.device = actions, device
        self._inside = within_scene(actions)
        balls = placed_balls(actions[self._inside])
        self._uploaded, self._scene_of = upload_balls(balls, device), np.zeros(len(balls), np.int32)

    def valid(self, scene: Scene) -> np.ndarray:
        """bool [n]: which actions are attempts at a task with this scene, as `actions.valid`."""
        valid = self._inside.copy()
        valid[valid] = Obstacles([scene], self.device).clear_uploaded(self._scene_of, self._uploaded)
        return valid
