"""ComPhy's part of the demo: some sets with their videos and questions."""

from collections.abc import Iterator
from pathlib import Path

from tumble.comphy.dataset.layout import VIDEOS
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.generation.generate import generate
from tumble.comphy.report.set_page import add_set
from tumble.output import print_line
from tumble.report.document import Document

SETS = 3
SIZE = (240, 160)
SEED = 1


def add_demo(document: Document, folder: Path, workers: int | None) -> Iterator[None]:
    """Adds sets with their videos and questions."""
    print_line(f"{SETS} sets of ComPhy: five videos of {SIZE[0]}x{SIZE[1]} each, and questions about them.")
    generate(folder, SETS, SEED, SIZE, workers=workers)
    for example in open_dataset(folder).examples():
        mp4_files = [example.data.layout.video(example.index, which).read_bytes() for which in VIDEOS]
        document.heading(f"Set {example.index:05d}", 2)
        add_set(document, example.videos, example.questions, mp4_files, level=3)
    yield
