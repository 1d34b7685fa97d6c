"""The contact sheet of ComPhy-DIV's objects, into docs/images: three of each category, as the camera sees them.

python tools/docs/comphy_objects.py [--plain] [--out sheet.png]
"""

import argparse
from pathlib import Path

import numpy as np
import warp as wp
from PIL import Image, ImageDraw

from tumble.comphy.objects.shape import CATEGORIES, ObjectShape, build_object
from tumble.comphy.observation.camera import CAMERA

FILE = Path(__file__).resolve().parents[2] / "docs" / "images" / "comphy-div-objects.png"
VARIATIONS = 3
COLUMNS = 5
"""Categories in a row."""
WIDTH, HEIGHT = 110, 116
"""Of the picture of one object, in pixels."""
VIEW = 0.86
"""What a picture shows is this wide, in units of the simulation."""
SAMPLES = 4
"""Rays for each pixel along either axis."""
MIDDLE = 0.25
"""Height above the table at the middle of a picture."""
LIGHT = (-0.3, -0.45, 1.0)
HEADINGS = (0.35, -0.45, 0.8)
"""Of the variations, in radians."""
PALETTE = ((0.72, 0.28, 0.22), (0.30, 0.46, 0.68), (0.85, 0.68, 0.32), (0.40, 0.55, 0.36))
"""Colours of an object's roles: the sheet shows what can be told apart."""
PLAIN = ((0.62, 0.62, 0.64),) * len(PALETTE)


@wp.kernel(enable_backward=False)
def draw_object(
    mesh: wp.uint64,
    normals: wp.array(dtype=wp.vec3),
    colors: wp.array(dtype=wp.vec3),
    origin: wp.vec3,
    right: wp.vec3,
    up: wp.vec3,
    forward: wp.vec3,
    light: wp.vec3,
    unit: float,
    picture: wp.array2d(dtype=wp.vec3),
):
    """Parallel rays; light from one side with a shadow, and some from the sky."""
    row, column = wp.tid()
    across = (float(column) + 0.5 - 0.5 * float(picture.shape[1])) * unit
    down = (float(row) + 0.5 - 0.5 * float(picture.shape[0])) * unit
    start = origin + right * across - up * down
    normal = wp.vec3(0.0, 0.0, 1.0)
    color = wp.vec3(0.93, 0.93, 0.92)
    place = start - forward * (start[2] / forward[2])
    hit = wp.mesh_query_ray(mesh, start, forward, 10.0)
    shine = float(0.0)  # noqa: UP018, the bare literal would be a constant in a kernel
    if hit.result:
        third = 1.0 - hit.u - hit.v
        corner = 3 * hit.face
        normal = wp.normalize(normals[corner] * hit.u + normals[corner + 1] * hit.v + normals[corner + 2] * third)
        color = colors[hit.face]
        place = start + forward * hit.t
        shine = 0.25 * wp.pow(wp.max(wp.dot(normal, wp.normalize(light - forward)), 0.0), 40.0)
    direct = wp.max(wp.dot(normal, light), 0.0)
    shadow = wp.mesh_query_ray(mesh, place + normal * 0.002, light, 10.0)
    if shadow.result:
        direct = 0.25 * direct
        shine = 0.0
    sky = 0.5 + 0.5 * normal[2]
    picture[row, column] = color * (0.62 * direct + 0.2 + 0.28 * sky) + wp.vec3(shine, shine, shine)


def object_picture(shape: ObjectShape, heading: float, palette: tuple[tuple[float, float, float], ...]) -> Image.Image:
    """An object seen from the camera's direction, without perspective."""
    cosine, sine = np.cos(heading), np.sin(heading)
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    points = wp.array((shape.mesh.vertices @ turn.T).astype(np.float32), dtype=wp.vec3)
    mesh = wp.Mesh(points, wp.array(shape.mesh.faces.ravel(), dtype=wp.int32))
    normals = wp.array((shape.mesh.normals.reshape(-1, 3) @ turn.T).astype(np.float32), dtype=wp.vec3)
    colors = wp.array(np.array(palette, np.float32)[shape.mesh.part % len(palette)], dtype=wp.vec3)
    right, up, forward = CAMERA.axes
    origin = np.array([0.0, 0.0, MIDDLE]) - 4.0 * forward
    light = np.array(LIGHT) / np.linalg.norm(LIGHT)
    size = (HEIGHT * SAMPLES, WIDTH * SAMPLES)
    picture = wp.zeros(size, dtype=wp.vec3)
    vectors = [wp.vec3(*map(float, vector)) for vector in (origin, right, up, forward, light)]
    wp.launch(draw_object, size, [mesh.id, normals, colors, *vectors, VIEW / WIDTH / SAMPLES, picture])
    pixels = picture.numpy().reshape(HEIGHT, SAMPLES, WIDTH, SAMPLES, 3).mean(axis=(1, 3))
    return Image.fromarray((255.0 * np.clip(pixels, 0.0, 1.0)).round().astype(np.uint8))


def contact_sheet(palette: tuple[tuple[float, float, float], ...], names: bool) -> Image.Image:
    """All categories, each with its variations side by side."""
    gap, line = 12, 18
    cell = (VARIATIONS * WIDTH + gap, HEIGHT + line)
    rows = -(-len(CATEGORIES) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * cell[0] - gap, rows * cell[1]), "white")
    pen = ImageDraw.Draw(sheet)
    for number, category in enumerate(CATEGORIES):
        x, y = number % COLUMNS * cell[0], number // COLUMNS * cell[1]
        for variation in range(VARIATIONS):
            picture = object_picture(build_object(category, variation), HEADINGS[variation], palette)
            sheet.paste(picture, (x + variation * WIDTH, y))
        if names:
            pen.text(
                (x + VARIATIONS * WIDTH // 2, y + HEIGHT + line // 2), category, "black", anchor="mm", font_size=13
            )
    return sheet


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(description="The contact sheet of ComPhy-DIV's objects")
    parser.add_argument("--plain", action="store_true", help="grey and without names, to test who recognises what")
    parser.add_argument("--out", type=Path, default=FILE)
    args = parser.parse_args()
    contact_sheet(PLAIN if args.plain else PALETTE, not args.plain).save(args.out, optimize=True)
    print(f"{args.out}: {args.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    wp.config.quiet = True
    main()
