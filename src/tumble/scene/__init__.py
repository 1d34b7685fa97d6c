"""Scenes: shapes and bodies of a 2D world as plain data; checked, saved and drawn.

Immutable, without any physics. A scene holds bodies, a body holds circles and convex polygons:

>>> from tumble.scene import Body, Circle, Scene, box
>>> ball = Body((Circle(8.0),), position=(60.0, 200.0), dynamic=True, name="ball", role="object")
>>> ramp = Body((box(120.0, 6.0),), position=(100.0, 80.0), angle=-0.3, name="ramp")
>>> scene = Scene((ball, ramp), units_per_metre=6.0)
>>> scene.index("ramp")
1

Invalid scenes raise a `SceneError` that names the body. `save` and `load` write and read scenes as JSON;
`rasterize` draws grids of colour indices for agents, `save_image`, `save_animation` and `to_svg` draw
pictures for people.
"""

from tumble.scene.checks import PictureError, SceneError
from tumble.scene.drawing import PALETTE, as_poses, colour_index, initial_poses
from tumble.scene.files import from_json, load, save, to_json
from tumble.scene.picture import rasterize, render_rgb, save_animation, save_image
from tumble.scene.scene import Body, Scene
from tumble.scene.shapes import MAX_VERTICES, Circle, Polygon, Shape, Vec, box, regular_polygon
from tumble.scene.svg import to_svg

__all__ = [
    "MAX_VERTICES",
    "PALETTE",
    "Body",
    "Circle",
    "PictureError",
    "Polygon",
    "Scene",
    "SceneError",
    "Shape",
    "Vec",
    "as_poses",
    "box",
    "colour_index",
    "from_json",
    "initial_poses",
    "load",
    "rasterize",
    "regular_polygon",
    "render_rgb",
    "save",
    "save_animation",
    "save_image",
    "to_json",
    "to_svg",
]
