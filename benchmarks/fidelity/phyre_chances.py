"""The chance that a random valid action solves a task, mean per template, compared with the published counts.

    python benchmarks/fidelity/phyre_chances.py --device cuda           needs the published data (TUMBLE_SHARED)

Published counts exist for every second task of a template; they stopped early after first successes, so small chances
among them are too high rather than too low. Solving actions are saved in --found, where phyre_solutions.py starts.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from published import load
from table import Results

from tumble import engine, phyre
from tumble.phyre.catalogue.templates import NAMES, template
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.progress import bar

ENOUGH_SOLVED = 200
"""Solving attempts after which a template's chance is precise enough: to about 7 %."""


class Sampler:
    """Random actions on the tasks of a tier, and their outcomes."""

    def __init__(self, tier: str, device: str, seed: int = 0) -> None:
        self.tasks = phyre.tasks(tier)
        self.simulator = phyre.Simulator(self.tasks.values(), tier, device)
        self.rng = np.random.default_rng(seed)
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

    def chance(self, task_ids: list[str]) -> float:
        return float(np.mean([self.solved[task_id] / max(1, self.valid[task_id]) for task_id in task_ids]))


def published_chance(random: dict[str, int]) -> float:
    solved = random["unstable"] + random["stable"]
    return solved / (solved + random["not_solved"])


def measure(key: str, sampler: Sampler, counts: dict[str, dict[str, int]], each: int, most: int, until: float) -> str:
    """Samples all tasks once, then those with published counts until enough attempts have solved; returns a note."""
    task_ids = [task_id for task_id in sampler.tasks if task_id.startswith(key)]
    compared = [task_id for task_id in task_ids if task_id in counts]
    sampler.draw(task_ids, each)
    while sum(sampler.solved[t] for t in compared) < ENOUGH_SOLVED and sampler.valid[compared[0]] < most:
        if time.time() > until:
            return "stopped by the time limit"
        sampler.draw(compared, 2 * each)
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--each", type=int, default=4096, help="actions on each task in a round")
    parser.add_argument("--most", type=int, default=150_000, help="valid actions on a task, at most")
    parser.add_argument("--minutes", type=float, default=1e6, help="time after which no further round starts")
    parser.add_argument("--found", type=Path, default=Path("found.npz"), help="file for the actions that solved")
    arguments = parser.parse_args()
    counts = {task_id: entry["random"] for task_id, entry in load("official_solutions.json.xz").items()}
    device = wp.get_device(arguments.device)
    title = f"Chance that a random valid action solves, {engine.physics_id()}"
    results = Results(title, "" if device.is_cpu else device.name)
    until = time.time() + 60.0 * arguments.minutes
    kept: dict[str, np.ndarray] = {}
    within = 0
    with bar("Templates", len(NAMES)) as advance:
        for tier in phyre.TIERS:
            sampler = Sampler(tier, arguments.device)
            for key in (key for key in NAMES if template(key).tier == tier):
                note = measure(key, sampler, counts, arguments.each, arguments.most, until)
                compared = [task_id for task_id in sampler.tasks if task_id.startswith(key) and task_id in counts]
                ours = sampler.chance(compared)
                theirs = float(np.mean([published_chance(counts[task_id]) for task_id in compared]))
                ratio = ours / theirs
                within += 1 / 1.3 <= ratio <= 1.3
                solved = sum(sampler.solved[task_id] for task_id in compared)
                note = f"{solved} of {sum(sampler.valid[task_id] for task_id in compared)} attempts solved. {note}"
                figure = f"{key} {NAMES[key]}: {ours:.3e}, published {theirs:.3e}"
                results.add(figure, f"{ratio:.2f} x", "1/1.3 to 1.3", "", note.strip())
                advance(1)
            kept[f"{tier} ids"] = np.array([task_id for task_id, _ in sampler.found])
            kept[f"{tier} actions"] = np.array([action for _, action in sampler.found], np.float64)
            np.savez_compressed(arguments.found, **kept)  # type: ignore[arg-type]
    results.add("templates within a factor of 1.3", f"{within} of {len(NAMES)}", "45", "")
    results.finish("phyre-chances")


if __name__ == "__main__":
    main()
