"""`tumble phyq train`: trains networks, and plays the shots that they learn from."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tumble.cli.options import single_settings, split_list
from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.learning.settings import needs_torch
from tumble.output import plural, print_line, reports_errors, resume_hint
from tumble.phyq.models.ranker.collect import Plan
from tumble.phyq.models.ranker.make_data import DataPlan, level_count, make_data
from tumble.phyq.models.registry import entry
from tumble.progress import bar


@reports_errors
def train_learner(
    name: str,
    setting: str,
    only: str,
    out: Path,
    device: str,
    preset: str,
    rounds: int | None,
    minutes: float | None,
    seed: int,
    settings: Sequence[str],
    outcomes: Path | None,
) -> None:
    """Trains the networks of a learner, or resumes their training, and writes checkpoints and the page of curves."""
    entry(name)
    with needs_torch("training"):
        from tumble.learning.networks import torch_device
        from tumble.phyq.models.learner import parts_of
        from tumble.phyq.models.outcome_file import read_first_shots, write_first_shots
        from tumble.phyq.models.q_networks import make_config
        from tumble.phyq.models.q_training import QTraining, write_training_page
    config = make_config(name, preset, single_settings(settings))
    parts = parts_of(setting, split_list(only) if only else [])
    known = read_first_shots(outcomes) if outcomes is not None and outcomes.exists() else None
    training = QTraining(name, config, parts, out, torch_device(device), seed, rounds, minutes, known=known)

    def keep_outcomes() -> None:
        """Writes what is known of first shots, most of which the first round has simulated."""
        if outcomes is not None:
            found = training.outcomes.first_shots()
            write_first_shots(outcomes, known.joined(found) if known else found)

    def after_round() -> bool:
        if max(learner.progress.step for learner in training.learners) == 1:
            keep_outcomes()
        return False

    training.run(after_round)
    keep_outcomes()
    page = out / f"{name}-{setting}.html"
    write_training_page(page, training)
    speed = training.speed
    print_line(f"{plural(len(parts), 'network')} in {out}; curves in {page}.")
    if speed.seconds > 0.0:
        print_line(
            f"Into replay: {speed.shots:,} shots, {speed.shots / speed.seconds:,.0f} a second, all included; "
            f"{speed.simulated:,} of them simulated."
        )


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
    device = "cpu" if device == "auto" else device
    check_device(device)
    plan = DataPlan(tasks, variants, tuple(without), replace(Plan(), first=shots), seed)
    with resume_hint("repeat the command to resume."), bar("levels", level_count(plan)) as advance:
        count = make_data(plan, out, device, workers=workers, advance=advance)
    print_line(f"{plural(count, 'shot')} written to {out} ({out.stat().st_size / 1e6:.0f} MB).")


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
        from tumble.learning.harness import Budget
        from tumble.learning.networks import torch_device
        from tumble.phyq.models.ranker.training import train_ranker
    if out.suffix != ".pt":
        raise TumbleError(f"{out}: a checkpoint's name must end with .pt")
    budget = Budget(steps, None if steps is not None else minutes)
    train_ranker(data, out, budget, torch_device(device), seed, single_settings(settings), export)
    print_line(f"Written to {out}; its losses to {out.with_suffix('.html')}.")
    if export is not None:
        print_line(f"Weights in half precision written to {export}.")
