"""The pictures and clips of the galleries: what to draw for each template, and which are up to date.

python tools/docs/gallery.py        # draws what is missing or out of date into build/gallery
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import clips
import phyq_gallery
import phyre_gallery
from drawing import Gallery

from tumble.progress import bar
from tumble.scene.files import whole_file

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "gallery"
MANIFEST = "manifest.json"


def read_manifest(folder: Path = FOLDER) -> dict[str, dict[str, str]]:
    """What was drawn, by "benchmark/template": the digest, the task and the solution in words."""
    path = folder / MANIFEST
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def picture_path(benchmark: str, template: str) -> Path:
    """The picture of a template's task, below the folder of the gallery."""
    return Path(benchmark, f"{template}.webp")


def clip_path(benchmark: str, template: str) -> Path:
    """The clip of its solution."""
    return Path(benchmark, f"{template}-clip.webp")


def out_of_date(gallery: Gallery, folder: Path = FOLDER) -> list[str]:
    """The templates of which files are missing or show something else than they would today."""
    manifest = read_manifest(folder)
    return [
        template
        for template, key in gallery.keys.items()
        if manifest.get(f"{gallery.name}/{template}", {}).get("key") != key
        or not (folder / picture_path(gallery.name, template)).exists()
        or not (folder / clip_path(gallery.name, template)).exists()
    ]


def make(gallery: Gallery, folder: Path = FOLDER, advance: Callable[[int], None] = lambda count: None) -> None:
    """Draw what is out of date; what is finished stays when this is stopped."""
    manifest = read_manifest(folder)
    for template, drawing in gallery.draw(out_of_date(gallery, folder)):
        clips.write_picture(folder / picture_path(gallery.name, template), drawing.picture)
        clips.write_clip(folder / clip_path(gallery.name, template), drawing.frames, drawing.fps, drawing.lossless)
        manifest[f"{gallery.name}/{template}"] = {
            "key": gallery.keys[template],
            "task": drawing.task_id,
            "solution": drawing.solution,
        }
        with whole_file(folder / MANIFEST) as partial:
            partial.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        advance(1)


def main() -> None:
    """Draw the galleries of both benchmarks."""
    parser = argparse.ArgumentParser(description="Draw the pictures and clips of the galleries.")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder for them (default: build/gallery)")
    folder = parser.parse_args().out

    for module in (phyre_gallery, phyq_gallery):
        gallery = module.gallery()
        stale = len(out_of_date(gallery, folder))
        print(f"{gallery.name}: {stale} of {len(gallery.keys)} templates to draw", file=sys.stderr)
        with bar(f"Drawing {gallery.name}", stale) as advance:
            make(gallery, folder, advance)


if __name__ == "__main__":
    main()
