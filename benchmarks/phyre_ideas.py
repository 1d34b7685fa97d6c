"""Ideas for better networks, judged on validation tasks: AUCCESS of DQN by fold, and Wilcoxon's test between ideas.

    python benchmarks/phyre_ideas.py train --store SWEEPS --out DIR --setting ball_cross_template --fold 0 --minutes 9
    python benchmarks/phyre_ideas.py table DIR

`train` trains a network for each idea on the training tasks of a fold and ranks the first 1,000 and 10,000 actions of
the set for each validation task; their outcomes come from a store of sweeps (folders B and 2B; by default the
package's, of 1,000 actions), so nothing but the training is simulated. It stops when the minutes are over, and skips
what DIR has. `table` compares all of DIR. The ideas of phyre-ideas-gpu-x86_64.csv are those of commit b654f37, which
had other training data.
"""

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from table import Results

from tumble import engine, phyre
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.evaluation.metrics import auccess, wilcoxon_p
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.shipped_sweeps import CachedSimulator, shipped_store
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.simulation.sweep_files import open_store
from tumble.runs.header import machine

BASE: dict[str, Any] = {"width": 0.5, "updates": 4000, "pooled": True}
IDEAS: dict[str, dict[str, Any]] = {
    "base": {},
    "seed 1": {"seed": 1},
    "mutated 2": {"mutated": 2},
    "mutated 4": {"mutated": 4},
    "mutated 4, seed 1": {"mutated": 4, "seed": 1},
    "mutated 4, drawn": {"mutated": 4, "fusion": "drawn", "updates": 3000},
    "mutated 4, wide": {"mutated": 4, "width": 1.0},
    "mutated 4, long": {"mutated": 4, "updates": 8000},
    "short": {"updates": 2000},
    "wide": {"width": 1.0},
    "drawn": {"fusion": "drawn", "updates": 3000},
    "all": {"fusion": "all", "updates": 2000},
    "own pool": {"pooled": False},
}
ENSEMBLES = {
    "2 base": ("base", "seed 1"),
    "2 mutated 4": ("mutated 4", "mutated 4, seed 1"),
    "2 mutated 4 and drawn": ("mutated 4", "mutated 4, seed 1", "mutated 4, drawn"),
    "2 mutated 4 and wide": ("mutated 4", "mutated 4, seed 1", "mutated 4, wide"),
}
"""Ideas whose scores are averaged."""
RANKED = (1000, 10_000)


def train(options: argparse.Namespace) -> None:
    end = time.monotonic() + 60.0 * options.minutes
    spec = PhyreRunSpec("dqn", options.setting, options.fold, "validation")
    tasks, tested = spec.training_tasks(), spec.tasks_to_attempt()
    store = open_store(options.store / spec.tier) if options.store else shipped_store(spec.tier)
    ranked = [count for count in RANKED if count <= len(store.actions)]
    whole = CachedSimulator(published_tasks(spec.tier).values(), spec.tier, store, options.device, options.threads)
    simulator = whole.restricted_to(tasks)
    statuses = whole.sweep(action_set(phyre.TIERS[spec.tier], ranked[-1]), [task.id for task in tested])
    scores: dict[str, np.ndarray] = {}
    for name in options.idea or IDEAS:
        path = file_of(options, name)
        if path.exists() or time.monotonic() > end:
            continue
        begin = time.monotonic()
        agent = Dqn(**{**BASE, **IDEAS[name]}, pool=options.pool, ranked=ranked[-1])
        agent.train(tasks, simulator)
        trained = time.monotonic()
        scores[name] = np.stack([all_scores(agent, task, row) for task, row in zip(tested, statuses, strict=True)])
        record = {"seconds": trained - begin, "of updates": agent.seconds, "ranking": time.monotonic() - trained}
        save(path, options, name, scores[name], statuses, record)
        for ensemble, parts in ENSEMBLES.items():
            if name == parts[-1] and all(part in scores for part in parts):
                mean = np.mean([scores[part] for part in parts], axis=0)
                save(file_of(options, ensemble), options, ensemble, mean, statuses, {})


def file_of(options: argparse.Namespace, name: str) -> Path:
    """The file of an idea's result."""
    found: Path = options.out / f"{options.setting}-{options.fold}-{name.replace(', ', '-').replace(' ', '_')}.json"
    return found


def all_scores(agent: Dqn, task: phyre.Task, statuses: np.ndarray) -> np.ndarray:
    """float [action]: the scores of actions on a task; minus infinity for invalid ones.

    A network without a scout would have to score all of them, so it gets the first ones only.
    """
    scores = np.full(len(statuses), -np.inf)
    valid = statuses != INVALID
    if not agent.network.has_scouts:
        valid[RANKED[0] :] = False
    scores[valid] = agent.scores(agent.encode(task), agent.actions[valid])
    return scores


def save(
    path: Path, options: argparse.Namespace, name: str, scores: np.ndarray, statuses: np.ndarray, record: dict[str, Any]
) -> None:
    """Writes AUCCESS by the number of ranked actions."""
    counts = [
        count for count in RANKED if count <= scores.shape[1] and np.isfinite(scores[:, count // 2 : count]).any()
    ]
    by_ranked = {count: 100.0 * auccess(solved_at(scores[:, :count], statuses[:, :count])) for count in counts}
    print(options.fold, name, by_ranked, record, flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    where = machine(torch.cuda.get_device_name() if torch.cuda.is_available() else "")
    content = {"setting": options.setting, "fold": options.fold, "idea": name, "auccess": by_ranked, "machine": where}
    path.write_text(json.dumps({**content, **record}), encoding="utf-8")


def solved_at(scores: np.ndarray, statuses: np.ndarray) -> list[int | None]:
    """The attempt that solves each task when actions are tried in the order of their scores [task, action]."""
    found: list[int | None] = []
    for row, status in zip(scores, statuses, strict=True):
        order = np.argsort(-row, kind="stable")[: int((status != INVALID).sum())]
        hits = np.flatnonzero(status[order] == SOLVED)
        found.append(int(hits[0]) + 1 if len(hits) and hits[0] < 100 else None)
    return found


def table(folder: Path) -> None:
    """Compares all ideas with the first, by setting and number of ranked actions."""
    found: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    machines = set()
    for path in sorted(folder.glob("*.json")):
        one = json.loads(path.read_text(encoding="utf-8"))
        machines.add(one["machine"])
        for ranked, value in one["auccess"].items():
            found[one["setting"], ranked, one["idea"]][one["fold"]] = value
    results = Results(f"Ideas for DQN on validation tasks, {engine.physics_id()}", measured_on="; ".join(machines))
    order = {name: place for place, name in enumerate([*IDEAS, *ENSEMBLES])}
    for (setting, ranked, idea), by_fold in sorted(
        found.items(),
        key=lambda item: (*item[0][:2], order.get(item[0][2], len(order))),  # former ideas come last
    ):
        base = found[setting, ranked, "base"]
        both = sorted(by_fold.keys() & base.keys())
        scores, base_scores = [by_fold[fold] for fold in both], [base[fold] for fold in both]
        each = ", ".join(f"{score:.1f}" for score in scores)
        note = f"folds {', '.join(map(str, both))}: {each}"
        if idea != "base" and len(both) > 1:
            note = f"base there {np.mean(base_scores):.1f}, p = {wilcoxon_p(scores, base_scores):.3f}; {note}"
        results.add(f"{idea}, {ranked} ranked, {setting}", f"{np.mean(scores):.1f}", note=note)
    results.finish("phyre-ideas-gpu")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("train")
    one.add_argument("--store", type=Path)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--setting", default="ball_cross_template")
    one.add_argument("--fold", type=int, default=0)
    one.add_argument("--minutes", type=float, default=60.0)
    one.add_argument("--device", default="cpu")
    one.add_argument("--threads", type=int, default=0)
    one.add_argument("--pool", default="", help="a file of benchmarks/phyre_pool.py")
    one.add_argument("--idea", action="append", choices=list(IDEAS))
    commands.add_parser("table").add_argument("folder", type=Path)
    options = parser.parse_args()
    if options.command == "train":
        train(options)
    else:
        table(options.folder)


if __name__ == "__main__":
    main()
