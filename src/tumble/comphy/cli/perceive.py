"""`tumble comphy perceive`: writes detected tracks."""

from pathlib import Path

from tumble.comphy.dataset.layout import named_split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import stored_pictures
from tumble.errors import TumbleError
from tumble.learning.needs_torch import needs_torch
from tumble.output import plural, print_error, print_line, reports_errors
from tumble.progress import bar


@reports_errors
def perceive(folder: Path, out: Path, split: str, limit: int | None, checkpoint: str, device: str) -> None:
    """Writes the boxes and looks that the perceiver finds in the videos of a split; unreadable sets are named."""
    with needs_torch("the perceiver"):
        from tumble.comphy.models.perceiver.files import write_perception
        from tumble.comphy.models.perceiver.perceive import Perceiver
    data = open_dataset(folder)
    indices = data.indices(named_split(split))[:limit]
    perceiver = Perceiver.load(checkpoint, device)
    written = 0
    with bar("Perceiving", len(indices)) as advance:
        for index in indices:
            try:
                perception = perceiver.perceive(stored_pictures(data, index))
            except TumbleError as error:
                print_error(f"skipped: set {index:05d}: {error}")
            else:
                write_perception(perception, out / "target", out / "reference", index)
                written += 1
            advance(1)
    if not written:
        raise TumbleError(
            f"{folder}: the videos of none of {plural(len(indices), 'set')} of the {split} split can be read"
        )
    print_line(f"Written to {out}: detected tracks of {plural(written, 'set')}.")
