"""`tumble phyq train-ranker`: trains the network of the agent shot-ranker."""

from collections.abc import Sequence
from pathlib import Path

from tumble.cli.option_values import single_settings
from tumble.errors import TumbleError
from tumble.learning.needs_torch import needs_torch
from tumble.output import print_line, reports_errors


@reports_errors
def train_shot_ranker(
    data: Path,
    out: Path,
    device: str,
    minutes: float | None,
    steps: int | None,
    seed: int,
    settings: Sequence[str],
    export: Path | None,
) -> None:
    """Trains the network, or resumes its training, and writes its checkpoint and the page of its losses."""
    with needs_torch("training"):
        from tumble.learning.hardware import torch_device
        from tumble.learning.trainer import Budget
        from tumble.phyq.models.ranker.training import train_ranker
    if out.suffix != ".pt":
        raise TumbleError(f"{out}: a checkpoint's name must end with .pt")
    budget = Budget(steps, None if steps is not None else minutes)
    train_ranker(data, out, budget, torch_device(device), seed, single_settings(settings), export)
    print_line(f"Written to {out}; its losses to {out.with_suffix('.html')}.")
    if export is not None:
        print_line(f"Weights in half precision written to {export}.")
