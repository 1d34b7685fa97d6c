"""The paper's figures 2, 10 and 11 from a sweep of random actions: difficulty of tasks and diversity of solutions.

    python benchmarks/phyre_difficulty.py --device cuda --actions 1000 --store sweeps

Each tier's sweep is kept in a store and resumes if it was stopped. Writes results/phyre-difficulty-*.csv and
the figures as results/phyre-difficulty.png and results/phyre-diversity.png.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import warp as wp
from table import RESULTS, Results

from tumble import engine, phyre
from tumble.phyre.catalogue.templates import NAMES
from tumble.phyre.generation.task_analysis import random_success, solution_diversity, template_chances
from tumble.phyre.simulation import sweep_files
from tumble.phyre.simulation.actions import fixed_set
from tumble.scene.files import whole_file

ATTEMPTS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)


def sweep(tier: str, count: int, folder: Path, device: str) -> tuple[np.ndarray, list[str]]:
    """Statuses [task, action] of random actions on all published tasks of a tier, and the ids of these."""
    tasks = phyre.tasks(tier)
    sweep_store = sweep_files.create_store(folder / tier, tasks.values(), tier, fixed_set(phyre.TIERS[tier], count))
    sweep_store.fill(phyre.Simulator(tasks.values(), tier, device), at_once=100)
    return sweep_store.statuses(), list(tasks)


def draw_difficulty(curves: dict[str, tuple[list[int], np.ndarray]], chances: dict[str, dict[str, float]]) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for tier, (attempts, shares) in curves.items():
        left.semilogx(attempts, 100 * shares, marker="o", label=f"PHYRE-{tier}")
        right.semilogy(sorted(chances[tier].values(), reverse=True), marker=".", label=f"PHYRE-{tier}")
    left.set(xlabel="random attempts", ylabel="tasks solved, %", title="By attempts (figure 2a)")
    right.set(xlabel="template, by chance", ylabel="chance of an attempt", title="By template (figure 2b)")
    left.legend()
    right.legend()
    save(figure, "phyre-difficulty.png")


def draw_diversity(histograms: dict[str, np.ndarray]) -> None:
    figure, axes = plt.subplots(5, 10, figsize=(22, 10), sharex=True, sharey=True, layout="constrained")
    for axis, (key, counts) in zip(axes.flat, histograms.items(), strict=True):
        axis.bar(np.arange(1, len(counts)), counts[1:], width=1.0)
        axis.set_yscale("symlog")
        axis.set_title(f"{key} {NAMES[key]}", fontsize=8)
    figure.supxlabel("tasks of the template that an action solves (figures 10 and 11)")
    figure.supylabel("actions")
    save(figure, "phyre-diversity.png")


def save(figure: plt.Figure, name: str) -> None:
    with whole_file(RESULTS / name) as partial:
        figure.savefig(partial, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--actions", type=int, default=1000)
    parser.add_argument("--store", type=Path, default=Path("sweeps"), help="folder for the sweeps")
    arguments = parser.parse_args()
    device = wp.get_device(arguments.device)
    results = Results(f"Difficulty of tasks, {engine.physics_id()}", "" if device.is_cpu else device.name)
    curves, chances, histograms = {}, {}, {}
    for tier in phyre.TIERS:
        statuses, ids = sweep(tier, arguments.actions, arguments.store, arguments.device)
        valid = int((statuses != phyre.status.INVALID).sum(axis=1).min())
        attempts = [count for count in ATTEMPTS if count <= valid]
        shares, spread = random_success(statuses, attempts)
        curves[tier] = (attempts, shares)
        chances[tier] = template_chances(statuses, ids)
        for count, share, deviation in zip(attempts, shares, spread, strict=True):
            figure = f"tasks of tier {tier} that {count} random attempts solve"
            results.add(figure, f"{share:.1%}", note=f"+- {deviation:.1%} over 10 runs")
        for key, counts in solution_diversity(statuses, ids).items():
            histograms[key] = counts
            most = int(np.flatnonzero(counts).max())
            figure = f"{key} {NAMES[key]}: most tasks that one action solves"
            results.add(figure, f"{most} of 100", note=f"chance {chances[tier][key]:.2e}; {arguments.actions} actions")
    draw_difficulty(curves, chances)
    draw_diversity(histograms)
    results.finish("phyre-difficulty")


if __name__ == "__main__":
    main()
