"""The three clips at the top of the README, into docs/images.

python tools/docs/readme_pictures.py
"""

from collections.abc import Sequence
from pathlib import Path

import phyq_gallery
import phyre_gallery
from clips import write_clip
from PIL import Image

from tumble import comphy
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, SHOWN_FRAMES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
MAX_BYTES = 130_000
PHYRE_TEMPLATE, PHYQ_TEMPLATE = "00112", "12.2"
COMPHY_SET = {"index": 2, "family": "charge", "seed": 1}
COMPHY_SIZE, COMPHY_STRIDE = (360, 240), 2


def comphy_frames() -> Sequence[Image.Image]:
    """The shown frames of a target video."""
    videos = comphy.make_set(**COMPHY_SET)
    frames = comphy.render(videos.bodies, videos.target, COMPHY_SIZE, frames=slice(0, SHOWN_FRAMES, COMPHY_STRIDE))
    return [Image.fromarray(picture) for picture in frames.rgb]


def main() -> None:
    """Write the clips and print their sizes."""
    ((_, phyre),) = phyre_gallery.draw([PHYRE_TEMPLATE])
    ((_, phyq),) = phyq_gallery.draw([PHYQ_TEMPLATE])
    clips = {
        "phyre": (phyre.frames, phyre.fps, True),
        "phyq": (phyq.frames, phyq.fps, False),
        "comphy": (comphy_frames(), FRAMES_PER_SECOND / COMPHY_STRIDE, False),
    }
    for name, (frames, fps, lossless) in clips.items():
        size = write_clip(FOLDER / f"{name}.webp", frames, fps, lossless, MAX_BYTES)
        print(f"{FOLDER / name}.webp: {size:,} bytes, {frames[0].width}x{frames[0].height}")


if __name__ == "__main__":
    main()
