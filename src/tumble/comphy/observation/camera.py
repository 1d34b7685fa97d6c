"""The camera that looks at the table, the same for every video."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Camera:
    """A pinhole camera; its picture is 3 wide to 2 high."""

    position: tuple[float, float, float] = (1.4, -3.68, 2.74)
    """CLEVRER's direction, but 4.8 away instead of 8.3: ComPhy's bodies are smaller and yet 40 to 65 pixels wide."""
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lens: float = 34.2
    """Millimetres, on a sensor that is …"""
    sensor: float = 32.0
    """… so many wide."""
    aspect: float = 1.5

    @cached_property
    def axes(self) -> np.ndarray:
        """[3, 3]: the directions to the right, up and forward, as rows."""
        forward = np.subtract(self.target, self.position)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right = right / np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    def project(self, points: np.ndarray) -> np.ndarray:
        """[..., 3] points to [..., 3]: x from 0 (left) to 1, y from 0 (top) to 1, and the depth along the view."""
        across, up, depth = np.moveaxis((np.asarray(points, float) - self.position) @ self.axes.T, -1, 0)
        scale = self.lens / self.sensor / np.maximum(depth, 1e-9)
        return np.stack([0.5 + across * scale, 0.5 - up * scale * self.aspect, depth], axis=-1)

    def sees(self, points: np.ndarray) -> np.ndarray:
        """[..., 3] points to bool [...]: whether each is in the picture."""
        x, y, depth = np.moveaxis(self.project(points), -1, 0)
        return np.asarray((depth > 0.0) & (x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0))


CAMERA = Camera()
