"""Sample scenes, shared by demo, tests and benchmarks. Units: 256 x 256 pixels, 6 to the metre."""

from collections.abc import Callable
from dataclasses import replace
from math import cos, pi, sin

from tumble.scene.scene import Body, Scene
from tumble.scene.shapes import Circle, Polygon, Shape, box

_SIZE = 256.0
_UNITS = 6.0


def _static(shapes: Shape | tuple[Shape, ...], x: float, y: float, angle: float = 0.0, name: str = "") -> Body:
    return Body(_tuple(shapes), position=(x, y), angle=angle, name=name, restitution=0.2)


def _dynamic(shapes: Shape | tuple[Shape, ...], x: float, y: float, angle: float = 0.0, name: str = "") -> Body:
    """A moving body: balls green, boxes blue, compounds gray."""
    return Body(
        _tuple(shapes),
        position=(x, y),
        angle=angle,
        name=name,
        role="object" if isinstance(shapes, Circle) else "subject" if isinstance(shapes, Polygon) else "",
        dynamic=True,
        density=0.25,
        restitution=0.2,
        angular_damping=0.01,
    )


def _tuple(shapes: Shape | tuple[Shape, ...]) -> tuple[Shape, ...]:
    return shapes if isinstance(shapes, tuple) else (shapes,)


def _walled(*bodies: Body) -> Scene:
    """The bodies between four walls just outside the picture."""
    wide, tall = box(_SIZE, 5.0), box(5.0, _SIZE)
    walls = (
        _static(wide, _SIZE / 2, -2.5, name="floor"),
        _static(tall, -2.5, _SIZE / 2, name="left wall"),
        _static(wide, _SIZE / 2, _SIZE + 2.5, name="ceiling"),
        _static(tall, _SIZE + 2.5, _SIZE / 2, name="right wall"),
    )
    return Scene((*walls, *bodies), units_per_metre=_UNITS)


def stack(height: int = 12) -> Scene:
    """Boxes, one on the other, blue and gray in turn."""
    boxes = [_dynamic(box(16.0, 16.0), 128.0, 8.05 + 16.05 * k, name=f"box {k}") for k in range(height)]
    return _walled(*(replace(body, role="") if k % 2 else body for k, body in enumerate(boxes)))


def ramp() -> Scene:
    """A ball and a box on a slope, the box with enough friction to stick."""
    slope = Polygon(((0.0, 0.0), (200.0, 0.0), (0.0, 80.0)))
    angle = -0.3805063771123649  # atan(80 / 200)
    lift = (cos(angle + pi / 2), sin(angle + pi / 2))

    def on_slope(x: float, away: float) -> tuple[float, float]:
        return x + away * lift[0], 80.0 - x * 0.4 + away * lift[1]

    bx, by = on_slope(30.0, 10.1)
    cx, cy = on_slope(90.0, 8.1)
    return _walled(
        _static(slope, 0.0, 0.0, name="slope"),
        _dynamic(Circle(10.0), bx, by, name="ball"),
        _dynamic(box(24.0, 16.0), cx, cy, angle, name="crate"),
    )


def pinball() -> Scene:
    """Three balls fall through sixty static ones."""
    pins = [
        _static(
            Circle(4.0),
            16.0 + 25.0 * column + 12.5 * (row % 2),
            40.0 + 28.0 * row,
            name=f"pin {row} {column}",
        )
        for row in range(6)
        for column in range(10)
    ]
    balls = [_dynamic(Circle(5.0 + k), 60.0 + 61.0 * k, 235.0, name=f"ball {k}") for k in range(3)]
    return _walled(*pins, *balls)


def _jar(width: float, height: float, wall: float) -> tuple[Shape, ...]:
    w, h = width / 2, height
    return (
        Polygon(((-w, 0.0), (w, 0.0), (w, wall), (-w, wall))),
        Polygon(((-w, wall), (-w + wall, wall), (-w + wall, h), (-w, h))),
        Polygon(((w - wall, wall), (w, wall), (w, h), (w - wall, h))),
    )


def jars() -> Scene:
    """Balls in jars; one jar stands on the rim of another, tilted."""
    return _walled(
        _dynamic(_jar(60.0, 50.0, 5.0), 70.0, 0.1, name="left jar"),
        _dynamic(_jar(60.0, 50.0, 5.0), 160.0, 0.1, name="right jar"),
        _dynamic(_jar(40.0, 36.0, 4.0), 110.0, 66.0, 0.2, name="upper jar"),
        _dynamic(Circle(7.0), 70.0, 40.0, name="left ball"),
        _dynamic(Circle(9.0), 160.0, 60.0, name="right ball"),
        _dynamic(Circle(6.0), 106.0, 96.0, name="upper ball"),
    )


def dominoes(count: int = 14) -> Scene:
    """A row of dominoes and a ball that rolls into the first."""
    row = [_dynamic(box(4.0, 30.0), 50.0 + 13.0 * k, 15.05, name=f"domino {k}") for k in range(count)]
    shelf = _static(Polygon(((0.0, 0.0), (40.0, 0.0), (0.0, 34.0))), 0.0, 0.0, name="shelf")
    return _walled(shelf, *row, _dynamic(Circle(7.0), 14.0, 60.0, name="ball"))


def bullet() -> Scene:
    """A ball at 200 m/s against a thin wall, beside it a bullet against a thin plate that can move."""
    ball = Body(
        (Circle(2.0),),
        position=(20.0, 60.0),
        velocity=(200.0 * _UNITS, 0.0),
        dynamic=True,
        name="ball",
        role="object",
        gravity_scale=0.0,
    )
    shot = Body(
        (Circle(2.0),),
        position=(20.0, 160.0),
        velocity=(200.0 * _UNITS, 0.0),
        dynamic=True,
        bullet=True,
        name="shot",
        role="object",
        gravity_scale=0.0,
    )
    plate = Body((box(1.0, 40.0),), position=(200.0, 160.0), dynamic=True, name="plate", gravity_scale=0.0)
    return _walled(_static(box(1.0, 80.0), 200.0, 60.0, name="thin wall"), plate, ball, shot)


SAMPLES: dict[str, Callable[[], Scene]] = {
    "stack": stack,
    "ramp": ramp,
    "pinball": pinball,
    "jars": jars,
    "dominoes": dominoes,
    "bullet": bullet,
}
"""All samples by name."""
