"""`tumble comphy train`, `pack` and `perceive`: trains models, packs training data, and writes detected tracks."""

from collections.abc import Sequence
from pathlib import Path

from tumble.cli.options import single_settings
from tumble.comphy.dataset.layout import named_split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import stored_pictures
from tumble.comphy.models.data.packed_sets import write_packed
from tumble.comphy.models.data.sources import read_sets, with_more_questions
from tumble.comphy.models.registry import entry
from tumble.errors import TumbleError
from tumble.learning.settings import needs_torch
from tumble.output import plural, print_error, print_line, reports_errors
from tumble.progress import bar


@reports_errors
def train_model(
    name: str,
    data: Path,
    out: Path | None,
    device: str,
    minutes: float | None,
    steps: int | None,
    seed: int,
    limit: int | None,
    settings: Sequence[str],
    export: Path | None,
) -> None:
    """Trains a model, or resumes its training, and writes its checkpoint and the page of its losses."""
    entry(name)
    with needs_torch("training"):
        from tumble.comphy.models.registry import make_training
        from tumble.learning.checkpoint import export_weights
        from tumble.learning.harness import Budget, train
        from tumble.learning.networks import torch_device
        from tumble.learning.page import write_training_page
    budget = Budget(steps, None if steps is not None else minutes)
    path = out or Path("checkpoints") / f"{name}.pt"
    if path.suffix != ".pt":
        raise TumbleError(f"{path}: a checkpoint's name must end with .pt")
    place = torch_device(device)
    sets = read_sets(data, limit=limit)
    training = make_training(name, sets, place, seed, single_settings(settings))
    train(training, path, budget, place, seed, sets.digest)
    write_training_page(path.with_suffix(".html"), training)
    print_line(f"Written to {path}; its losses to {path.with_suffix('.html')}.")
    if export is not None:
        export_weights(path, export)
        print_line(f"Weights in half precision written to {export}.")


@reports_errors
def pack_training_data(folder: Path, out: Path, split: str, limit: int | None, questions: int) -> None:
    """Writes the motion and the questions of a dataset as one small file; `questions` times as many as it has."""
    packed = read_sets(folder, named_split(split), limit)
    if questions > 1:
        packed = with_more_questions(packed, folder, questions - 1)
    write_packed(out, packed)
    size = out.stat().st_size
    print_line(
        f"Written to {out}: {plural(len(packed), 'set')}, {size / 1e6:.1f} MB ({size / len(packed):.0f} bytes a set)."
    )


@reports_errors
def perceive(folder: Path, out: Path, split: str, limit: int | None, checkpoint: str, device: str) -> None:
    """Writes the boxes and looks that the perceiver finds in the videos of a split; unreadable sets are named."""
    with needs_torch("the perceiver"):
        from tumble.comphy.models.perceiver.perceive import Perceiver, write_perception
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
