"""The camera that looks at the table, the same for every video."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Camera:
    """A pinhole camera.

    >>> CAMERA.project(np.array([0.0, 0.0, 0.0])).round(2).tolist()  # the table's centre
    [0.5, 0.5, 4.8]
    """

    position: tuple[float, float, float] = (1.4, -3.68, 2.74)
    """CLEVRER's direction, 4.8 away instead of 8.3: ComPhy's smaller bodies are still 40 to 65 pixels wide."""
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    focal_length: float = 34.2
    """Millimetres."""
    sensor_width: float = 32.0
    """Millimetres."""
    aspect: float = 1.5
    """Width of the picture divided by its height."""

    @cached_property
    def axes(self) -> np.ndarray:
        """[3, 3]: unit vectors to the right, up and forward, as rows."""
        forward = np.subtract(self.target, self.position)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right = right / np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    def project(self, points: np.ndarray) -> np.ndarray:
        """[..., 3] points to [..., 3]: x from 0 (left) to 1, y from 0 (top) to 1, and depth along the view."""
        across, up, depth = np.moveaxis((np.asarray(points, float) - self.position) @ self.axes.T, -1, 0)
        scale = self.focal_length / self.sensor_width / np.maximum(depth, 1e-9)
        return np.stack([0.5 + across * scale, 0.5 - up * scale * self.aspect, depth], axis=-1)

    def sees(self, points: np.ndarray) -> np.ndarray:
        """[..., 3] points to bool [...]: whether each is in the picture."""
        x, y, depth = np.moveaxis(self.project(points), -1, 0)
        return np.asarray((depth > 0.0) & (x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0))

    def sees_point(self, x: float, y: float, z: float) -> bool:
        """Whether one point is in the picture; much faster than `sees` for a single one."""
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = self._rows
        x, y, z = x - self.position[0], y - self.position[1], z - self.position[2]
        depth = x * cx + y * cy + z * cz
        reach = self._half_width * depth
        return (
            depth > 0.0
            and abs(x * ax + y * ay + z * az) <= reach
            and abs(x * bx + y * by + z * bz) * self.aspect <= reach
        )

    @cached_property
    def _rows(self) -> list[list[float]]:
        rows: list[list[float]] = self.axes.tolist()
        return rows

    @cached_property
    def _half_width(self) -> float:
        """Half the width of the picture at depth 1."""
        return 0.5 * self.sensor_width / self.focal_length

    def place(self, x: float, y: float, height: float) -> tuple[float, float]:
        """The point (x, y) in space at a height above the table that is seen at a point of the picture.

        >>> place = CAMERA.place(0.3, 0.8, height=0.2)
        >>> CAMERA.project(np.array([*place, 0.2]))[:2].round(6).tolist()
        [0.3, 0.8]
        """
        scale = self.sensor_width / self.focal_length
        right, up, forward = self.axes
        ray = forward + (x - 0.5) * scale * right - (y - 0.5) * scale / self.aspect * up
        reach = (height - self.position[2]) / ray[2]
        return float(self.position[0] + reach * ray[0]), float(self.position[1] + reach * ray[1])

    def places(self, points: np.ndarray, heights: np.ndarray | float) -> np.ndarray:
        """[..., 2] points of the picture to [..., 2]: the x and y in space at heights [...] that are seen there.

        A ray that does not come down to its height in front of the camera gives NaN.

        >>> places = CAMERA.places(np.array([[0.3, 0.8], [0.5, 0.5]]), 0.2)
        >>> np.allclose(places[0], CAMERA.place(0.3, 0.8, 0.2))
        True
        """
        points = np.asarray(points, float)
        scale = self.sensor_width / self.focal_length
        right, up, forward = self.axes
        across, down = points[..., :1] - 0.5, points[..., 1:] - 0.5
        rays = forward + across * scale * right - down * (scale / self.aspect) * up
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (heights - self.position[2]) / rays[..., 2]
            reach = np.where(reach > 0.0, reach, np.nan)
        return np.asarray(self.position[:2] + reach[..., None] * rays[..., :2])


CAMERA = Camera()
