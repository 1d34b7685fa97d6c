"""A table of actions to check against many scenes: what depends only on the actions is computed once."""

import numpy as np

from tumble.phyre.simulation.actions import placed_balls, within_scene
from tumble.phyre.simulation.overlap import Obstacles, upload_balls
from tumble.scene import Scene


class ActionTable:
    """Actions [n, numbers], and the balls of those that lie within the scene, on the device that checks them."""

    def __init__(self, actions: np.ndarray, device: str = "cpu") -> None:
        inside = within_scene(actions)
        self._hold(actions, inside, placed_balls(actions[inside]), device)

    def _hold(self, actions: np.ndarray, inside: np.ndarray, balls: np.ndarray, device: str) -> None:
        self.actions, self.device = actions, device
        self._inside, self._balls, self._uploaded = inside, balls, upload_balls(balls, device)
        self._scene_of = np.zeros(len(balls), np.int32)

    def with_more(self, actions: np.ndarray) -> "ActionTable":
        """This table with more actions at its end."""
        new, longer = ActionTable(actions, self.device), object.__new__(ActionTable)
        longer._hold(
            np.concatenate([self.actions, actions]),
            np.concatenate([self._inside, new._inside]),
            np.concatenate([self._balls, new._balls]),
            self.device,
        )
        return longer

    def valid(self, scene: Scene) -> np.ndarray:
        """bool [n]: which actions are attempts at a task with this scene, as `actions.valid`."""
        valid = self._inside.copy()
        valid[valid] = Obstacles([scene], self.device).clear_uploaded(self._scene_of, self._uploaded)
        return valid
