"""A camera and the size of its picture, in the form that rays need."""

from typing import Any

import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.errors import TumbleError

Size = tuple[int, int]
"""Width and height in pixels."""
MAX_SIDE = 8192


class SizeError(TumbleError):
    """A size or a camera that can't be rendered."""


@wp.struct
class View:
    """The rays of a camera, and its projection in double precision."""

    eye: wp.vec3
    forward: wp.vec3
    corner: wp.vec3
    """Towards the picture's upper left corner."""
    across: wp.vec3
    """Change of direction for each pixel to the right."""
    down: wp.vec3
    """Change of direction for each pixel downwards."""
    position: wp.vec3d
    """The eye."""
    axes: wp.mat33d
    """Unit vectors to the right, up and forward, as rows."""
    zoom: wp.float64
    """Focal length divided by the sensor's width."""
    aspect: wp.float64
    width: int
    height: int


def view_of(camera: Camera, size: Size) -> Any:
    """The `View` of a camera."""
    if any(int(side) != side for side in size) or min(size) < 1 or max(size) > MAX_SIDE:
        limits = f"1x1 to {MAX_SIDE}x{MAX_SIDE}"
        raise SizeError(f"a picture must be from {limits} pixels, not {'x'.join(map(str, size))}")
    width, height = size
    right, up, forward = camera.axes
    across = right * camera.sensor_width / camera.focal_length
    down = -up * camera.sensor_width / camera.focal_length / camera.aspect
    corner = forward - 0.5 * across - 0.5 * down
    highest = max(corner[2], (corner + across)[2])
    if camera.position[2] <= 0.0 or highest > -0.01:
        raise SizeError("the camera must look down far enough that the table fills the picture")
    view = View()
    view.eye, view.forward, view.corner = wp.vec3(*camera.position), wp.vec3(*forward), wp.vec3(*corner)
    view.across, view.down = wp.vec3(*(across / width)), wp.vec3(*(down / height))
    view.position, view.axes = wp.vec3d(*camera.position), wp.mat33d(*camera.axes.reshape(-1))
    view.zoom, view.aspect = camera.focal_length / camera.sensor_width, camera.aspect
    view.width, view.height = width, height
    return view


@wp.func
def ray(view: View, x: float, y: float) -> wp.vec3:
    return wp.normalize(view.corner + view.across * x + view.down * y)


@wp.func
def project(view: View, point: wp.vec3d) -> wp.vec3d:
    """The pixel at which a point is seen, as x and y, and its depth along the view, as `Camera.project` gives them."""
    seen = view.axes @ (point - view.position)
    scale = view.zoom / wp.max(seen[2], wp.float64(1.0e-9))
    half = wp.float64(0.5)
    x = (half + seen[0] * scale) * wp.float64(view.width)
    y = (half - seen[1] * scale * view.aspect) * wp.float64(view.height)
    return wp.vec3d(x, y, seen[2])
