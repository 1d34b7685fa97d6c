"""`tumble phyq collect`: plays random shots on training templates, for agents that learn from them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.output import plural, print_line, reports_errors, resume_hint
from tumble.phyq.models.ranker.collect import Plan
from tumble.phyq.models.ranker.make_data import DataPlan, level_count, make_data
from tumble.progress import bar


@reports_errors
def collect_shots(
    out: Path,
    tasks: int,
    variants: int,
    shots: int,
    without: Sequence[str],
    seed: int,
    device: str,
    workers: int | None,
) -> None:
    """Collects shots and prints where they are."""
    if out.suffix != ".npz":
        raise TumbleError(f"{out}: a file of shots must end with .npz")
    check_device(device)
    plan = DataPlan(tasks, variants, tuple(without), replace(Plan(), first=shots), seed)
    with resume_hint("repeat the command to resume."), bar("levels", level_count(plan)) as advance:
        count = make_data(plan, out, device, workers=workers, advance=advance)
    print_line(f"{plural(count, 'shot')} written to {out} ({out.stat().st_size / 1e6:.0f} MB).")
