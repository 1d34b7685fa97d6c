"""Frames of the targets of some sets of ComPhy-DIV, a row for each set.

python tools/docs/comphy_sets.py [--sets 0,1,2] [--seed 1] [--out sheet.png]
"""

import argparse
from pathlib import Path

import numpy as np
from comphy_stages import palette
from PIL import Image

from tumble.comphy.catalogue.world import DIV
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.clips import part_of, render_clips, set_clips

FILE = Path(__file__).resolve().parents[2] / "docs" / "images" / "comphy-div-set.png"
FRAMES = 8
SIZE, CELL = (480, 320), (210, 140)
GAP = 2
OBJECT_COLORS, FLOOR_COLORS = 160, 88


def sheet(sets: list[int], seed: int, cell: tuple[int, int] = CELL) -> Image.Image:
    """Evenly spaced frames of the target of each set, two rows for each, in few colours."""
    targets = [set_clips(make_set(index, seed=seed, world=DIV.name))[0] for index in sets]
    shown = [part_of(clip, np.linspace(0, clip.frames - 1, FRAMES).round().astype(int).tolist()) for clip in targets]
    rendered = render_clips(shown, SIZE)
    width, height = cell
    across = FRAMES // 2
    picture = Image.new("RGB", (across * (width + GAP) - GAP, 2 * len(sets) * (height + GAP) - GAP), "white")
    for row, frames in enumerate(rendered):
        for k, rgb in enumerate(frames.rgb):
            x, y = k % across * (width + GAP), (2 * row + k // across) * (height + GAP)
            picture.paste(Image.fromarray(rgb).resize(cell, Image.Resampling.BOX), (x, y))
    inside = np.concatenate([frames.rgb[frames.mask > 0] for frames in rendered])
    outside = np.concatenate([frames.rgb[frames.mask == 0][::7] for frames in rendered])
    few = Image.new("P", (1, 1))
    few.putpalette(palette(inside, OBJECT_COLORS) + palette(outside, FLOOR_COLORS) + [255, 255, 255])
    return picture.quantize(palette=few, dither=Image.Dither.NONE)


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(description="Pictures of sets of ComPhy-DIV")
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--sets", default="0,1,2")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", default=f"{CELL[0]}x{CELL[1]}", help="of a frame on the sheet")
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    sheet([int(index) for index in args.sets.split(",")], args.seed, (width, height)).save(args.out, optimize=True)
    print(f"{args.out}: {args.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
