"""Whether the explorer beats DQN, and how DQN's variants compare: from run logs on validation tasks.

    python benchmarks/phyre_explorer.py RUNS

RUNS holds logs of `dqn` and `explorer` on the validation tasks of several folds, and of variants of `dqn` on those of
fold 0, as benchmarks/phyre_folds.py makes them with --split validation.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from table import Results

from tumble import engine
from tumble.phyre.evaluation.metrics import wilcoxon_p
from tumble.phyre.evaluation.result import PhyreResult, result_of
from tumble.runs import log as run_log

BASELINE = {"fusion": "last", "hidden": [512], "balanced": True}


def variant(result: PhyreResult) -> str:
    """The settings in which a DQN differs from the paper's; empty for the paper's."""
    settings = result.header.agent_settings
    return ", ".join(f"{name} {settings[name]}" for name, value in BASELINE.items() if settings[name] != value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    logs, problems = run_log.logs_in([parser.parse_args().runs])
    for problem in problems:
        print(problem)
    scores: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    variants: dict[str, dict[str, float]] = defaultdict(dict)
    for result in (result_of(log) for log in logs if log.finished and log.header.spec["split"] == "validation"):
        if not variant(result):
            scores[result.setting, result.agent][result.fold] = result.auccess
        if result.agent == "dqn" and not result.fold:
            variants[result.setting][variant(result)] = result.auccess
    results = Results(f"DQN and the explorer on validation tasks, {engine.physics_id()}")
    pairs = []
    for setting in sorted({setting for setting, _ in scores}):
        dqn, explorer = scores[setting, "dqn"], scores[setting, "explorer"]
        folds = sorted(dqn.keys() & explorer.keys())
        explorer_scores, dqn_scores = [explorer[fold] for fold in folds], [dqn[fold] for fold in folds]
        pairs += list(zip(explorer_scores, dqn_scores, strict=True))
        each = "; ".join(f"fold {fold} {dqn[fold]:.1f}, {explorer[fold]:.1f}" for fold in folds)
        results.add(
            f"DQN, explorer, {setting}", f"{np.mean(dqn_scores):.1f}, {np.mean(explorer_scores):.1f}", note=each
        )
        results.add(
            f"explorer beats DQN, {setting}, Wilcoxon, one-sided", f"p = {wilcoxon_p(explorer_scores, dqn_scores):.4f}"
        )
    explorer_scores, dqn_scores = zip(*pairs, strict=True)
    results.add(
        "explorer beats DQN, all settings, Wilcoxon, one-sided", f"p = {wilcoxon_p(explorer_scores, dqn_scores):.4f}"
    )
    for setting, scores_of in variants.items():
        for name, score in sorted(scores_of.items()):
            results.add(f"AUCCESS, DQN, {name or 'as in the paper'}, {setting}, fold 0", f"{score:.1f}")
    results.finish("phyre-explorer")


if __name__ == "__main__":
    main()
