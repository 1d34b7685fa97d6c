"""ComPhy's part of the demo."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tumble.report import Document

from rich.console import Console

COMPHY_SETS = 3

COMPHY_SIZE = (240, 160)

COMPHY_SEED = 1


def _comphy(console: Console, folder: Path, size: tuple[int, int], workers: int | None) -> "Document":
    """Makes some sets with their videos and questions; a page that shows them."""
    from tumble.comphy.dataset.layout import VIDEOS
    from tumble.comphy.dataset.load import open_dataset
    from tumble.comphy.generation.generate import generate
    from tumble.comphy.report.set_page import add_set
    from tumble.report import Document

    console.print(f"{COMPHY_SETS} sets of ComPhy: five videos of {size[0]}x{size[1]} each, and questions about them.")
    generate(folder, COMPHY_SETS, COMPHY_SEED, size, workers=workers)
    document = Document("ComPhy")
    for example in open_dataset(folder).examples():
        films = [example.data.layout.video(example.index, which).read_bytes() for which in VIDEOS]
        document.heading(f"Set {example.index:05d}", 3)
        add_set(document, example.videos, example.questions, films, level=4)
    return document
