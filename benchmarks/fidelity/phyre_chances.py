"""The chance that a random valid action solves a task, mean per template, compared with the published counts.

    python benchmarks/fidelity/phyre_chances.py --device cuda [--minutes 30] [--found found.npz]

Needs the published data (TUMBLE_SHARED). Published counts exist for every second task of a template; they stopped early
after first successes, so small chances among them are too high rather than too low. Solving actions are saved in
--found, where phyre_solutions.py starts.
"""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from published import load
from table import Results, arguments

from tumble import engine, phyre
from tumble.phyre.catalogue.templates import NAMES, template
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.progress import bar

ENOUGH_SOLVED = 200
"""Solving attempts after which a template's chance is precise enough: to about 7 %."""


class Sampler:
    """Random actions on the tasks of a tier, and their outcomes."""

    def __init__(self, tier: str, device: str) -> None:
        self.tasks = phyre.tasks(tier)
        self.simulator = phyre.Simulator(self.tasks.values(), tier, device)
        self.rng = np.random.default_rng(0)
        self.valid = dict.fromkeys(self.tasks, 0)
        self.solved = dict.fromkeys(self.tasks, 0)
        self.found: list[tuple[str, np.ndarray]] = []

    def draw(self, task_ids: list[str], each: int) -> None:
        """Simulates `each` random actions within the scene on each task."""
        actions = fixed_set(self.simulator.tier, each * len(task_ids), int(self.rng.integers(2**62)))
        ids = [task_id for task_id in task_ids for _ in range(each)]
        status = self.simulator.pairs(ids, actions, progress=lambda _: None).reshape(len(task_ids), each)
        for k, task_id in enumerate(task_ids):
            self.valid[task_id] += int((status[k] != INVALID).sum())
            solved = np.flatnonzero(status[k] == SOLVED)
            self.solved[task_id] += len(solved)
            self.found += [(task_id, actions[k * each + row]) for row in solved[:40]]


def measure(key: str, sampler: Sampler, compared: list[str], given: Any, until: float) -> None:
    """Samples all tasks once, then those with published counts until enough attempts have solved."""
    sampler.draw([task_id for task_id in sampler.tasks if task_id.startswith(key)], given.each)
    while sum(sampler.solved[one] for one in compared) < ENOUGH_SOLVED and sampler.valid[compared[0]] < given.most:
        if time.time() > until:
            return
        sampler.draw(compared, 2 * given.each)


def main() -> None:
    given = arguments(__doc__, device="cpu", each=4096, most=150_000, minutes=1e6, found=Path("found.npz"))
    counts = {task_id: entry["random"] for task_id, entry in load("official_solutions.json.xz").items()}
    results = Results(f"Chance that a random valid action solves, {engine.physics_id()}", given.device)
    until, kept, within = time.time() + 60.0 * given.minutes, dict[str, np.ndarray](), 0
    with bar("Templates", len(NAMES)) as advance:
        for tier in phyre.TIERS:
            sampler = Sampler(tier, given.device)
            for key in (key for key in NAMES if template(key).tier == tier):
                compared = [task_id for task_id in sampler.tasks if task_id.startswith(key) and task_id in counts]
                measure(key, sampler, compared, given, until)
                ours = np.mean([sampler.solved[one] / max(1, sampler.valid[one]) for one in compared])
                solved = np.array([counts[one]["unstable"] + counts[one]["stable"] for one in compared])
                theirs = np.mean(solved / (solved + [counts[one]["not_solved"] for one in compared]))
                within += 1 / 1.3 <= ours / theirs <= 1.3
                attempts = sum(sampler.valid[one] for one in compared)
                note = f"{sum(sampler.solved[one] for one in compared)} of {attempts} attempts solved"
                figure = f"{key} {NAMES[key]}: {ours:.3e}, published {theirs:.3e}"
                results.add(figure, f"{ours / theirs:.2f} x", "1/1.3 to 1.3", "", note)
                advance(1)
            kept[f"{tier} ids"] = np.array([task_id for task_id, _ in sampler.found])
            kept[f"{tier} actions"] = np.array([action for _, action in sampler.found], np.float64)
            np.savez_compressed(given.found, **kept)  # type: ignore[arg-type]
    results.add("templates within a factor of 1.3", f"{within} of {len(NAMES)}", "45")
    results.finish("phyre-chances")


if __name__ == "__main__":
    main()
