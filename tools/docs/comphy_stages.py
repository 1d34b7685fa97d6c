"""The picture of ComPhy-DIV's nine stages with objects of all categories and materials, into docs/images.

python tools/docs/comphy_stages.py [--out sheet.png] [--seed 1]
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from tumble.comphy.catalogue.body import COLORS
from tumble.comphy.catalogue.video_set import FLOORS, LIGHTS, Stage
from tumble.comphy.objects.shape import CATEGORIES
from tumble.comphy.observation.staged import PATTERNS, ObjectLook, StagedClip, render_many_staged

FILE = Path(__file__).resolve().parents[2] / "docs" / "images" / "comphy-div-stages.png"
SURFACES = ("metal", "ceramic", "rubber", "wood", "painted")
PLACES = np.array([(-0.75, -0.55), (0.55, -0.75), (-0.75, 0.75), (0.75, 0.45), (0.1, 1.6)])
SIZE = (960, 640)
CELL = (320, 213)
CAPTION = 18
OBJECT_COLORS, FLOOR_COLORS = 136, 112
"""Of the picture's palette, which keeps the file small; objects are small, and would have few of them otherwise."""


def scene(number: int, seed: int) -> StagedClip:
    """Five objects on a stage."""
    random = np.random.default_rng(100 * seed + number)
    looks = []
    for k in range(len(PLACES)):
        surface = SURFACES[(k + number) % len(SURFACES)]
        looks.append(
            ObjectLook(
                CATEGORIES[(5 * number + k) % len(CATEGORIES)],
                int(random.integers(100)),
                COLORS[(3 * k + 2 * number) % len(COLORS)],
                "metal" if surface == "metal" else "rubber",
                surface if surface in PATTERNS else "plain",
            )
        )
    flat = PLACES + random.uniform(-0.15, 0.15, PLACES.shape)
    half = 0.5 * random.uniform(-0.6, 0.9, len(PLACES))
    turned = np.stack([np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)], axis=-1)
    stage = Stage(FLOORS[number], LIGHTS[number % len(LIGHTS)], seed + number)
    return StagedClip(tuple(looks), np.insert(flat, 2, 0.0, axis=1)[None], turned[None], stage)


def sheet(seed: int) -> Image.Image:
    """All stages, with their floors and lights in words, in few colours."""
    clips = [scene(number, seed) for number in range(len(FLOORS))]
    rendered = render_many_staged(clips, SIZE)
    picture = Image.new("RGB", (3 * CELL[0] + 8, 3 * (CELL[1] + CAPTION)), "white")
    pen = ImageDraw.Draw(picture)
    for number, (clip, frames) in enumerate(zip(clips, rendered, strict=True)):
        x, y = number % 3 * (CELL[0] + 4), number // 3 * (CELL[1] + CAPTION)
        picture.paste(Image.fromarray(frames.rgb[0]).resize(CELL, Image.Resampling.BOX), (x, y))
        words = f"{clip.stage.floor}, {clip.stage.light}"
        pen.text((x + CELL[0] // 2, y + CELL[1] + CAPTION // 2), words, "black", anchor="mm", font_size=13)
    inside = np.concatenate([frames.rgb[frames.mask > 0] for frames in rendered])
    outside = np.concatenate([frames.rgb[frames.mask == 0][::7] for frames in rendered])
    colors = palette(inside, OBJECT_COLORS) + palette(outside, FLOOR_COLORS) + [0, 0, 0, 255, 255, 255]
    few = Image.new("P", (1, 1))
    few.putpalette(colors)
    return picture.quantize(palette=few, dither=Image.Dither.NONE)


def palette(pixels: np.ndarray, colors: int) -> list[int]:
    """Red, green and blue of the colours that stand best for some pixels."""
    found = Image.fromarray(pixels[None]).quantize(colors, method=Image.Quantize.MEDIANCUT).getpalette() or []
    return found[: 3 * colors]


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(description="The picture of ComPhy-DIV's stages")
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    sheet(args.seed).save(args.out, optimize=True)
    print(f"{args.out}: {args.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
