"""`tumble phyq train`: trains the networks of a learner."""

from collections.abc import Sequence
from pathlib import Path

from tumble.cli.option_values import single_settings, split_list
from tumble.learning.needs_torch import needs_torch
from tumble.output import plural, print_line, reports_errors
from tumble.phyq.models.registry import entry


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
        from tumble.learning.hardware import torch_device
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
        if max(learner.round for learner in training.learners) == 1:
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
