"""`tumble phyre train`: trains the network of an agent with the recommended settings."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from tumble.cli.option_values import OptionError, agents_with_settings, single_settings
from tumble.engine import check_device
from tumble.learning.needs_torch import needs_torch
from tumble.output import check_target, print_line, reports_errors, resume_hint
from tumble.phyre.agents import REGISTRY, settings_of
from tumble.phyre.agents.recipes import recommended
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.sweeps.shipped import NO_STORE, simulator_with_store

OPTIONS = {"checkpoint": "--checkpoint", "device": "--device", "loaded": "another command: tumble phyre evaluate"}
"""Settings of agents that are not given with --set here, and what is given instead."""
TRAINING_ONLY = ("minutes", "save_every", "log_every")
"""Settings that evaluation has no use for."""


@reports_errors
def train_network(
    setting: str,
    fold: int,
    agent: str,
    checkpoint: Path | None,
    store: str | None,
    split: str,
    settings: Sequence[str],
    device: str,
) -> None:
    """Trains the network, or resumes its training, and prints the command that evaluates the agent."""
    recipe, given = recommended(setting, agent), single_settings(settings)
    list(agents_with_settings(REGISTRY, agent, settings))  # refuses settings that the agent does not have
    for name in given.keys() & OPTIONS.keys():
        raise OptionError(f"--set {name} has no use here; use {OPTIONS[name]}")
    with needs_torch("training"):
        from tumble.learning.hardware import torch_device
        from tumble.phyre.models.training import TRAINING_SETTINGS
    hardware = torch_device(device).type
    check_device(hardware)
    path = (checkpoint or Path(f"dqn-{setting}-{fold}.pt")).resolve()
    check_target(path, ".pt")
    used = {**recipe, **given}
    known = settings_of(REGISTRY.class_of("dqn"))
    network = {name: value for name, value in used.items() if name in known}
    sweeps = store if store in (None, NO_STORE) else str(Path(store).resolve())
    spec = PhyreRunSpec(
        "dqn", setting, fold, split, settings={**network, "checkpoint": str(path), "device": device}, store=sweeps
    )
    tasks = spec.training_tasks()
    with resume_hint("repeat the command to resume training from its last checkpoint"):
        spec.make_agent().train(tasks, simulator_with_store(tasks, spec.tier, sweeps, hardware))
    evaluated = {"checkpoint": path, "loaded": "true"}
    evaluated |= {name: used[name] for name in used if name not in (*TRAINING_SETTINGS, *TRAINING_ONLY)}
    print_line(f"The trained network is in {path}. To evaluate the agent:")
    print_line(evaluate_command(agent, setting, fold, split, sweeps, evaluated))


def evaluate_command(
    agent: str, setting: str, fold: int, split: str, store: str | None, settings: dict[str, object]
) -> str:
    """The command that evaluates an agent with a trained network."""
    words = ["tumble", "phyre", "evaluate", "--agent", agent, "--setting", setting, "--fold", str(fold)]
    words += ["--split", split] if split != "test" else []
    words += ["--store", store] if store is not None else []
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join([*words, "--runs", "runs"])
