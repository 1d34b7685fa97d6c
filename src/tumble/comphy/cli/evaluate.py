"""`tumble comphy score --model`: has agents answer questions."""

from collections.abc import Sequence
from pathlib import Path

from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.cli.option_values import agents_with_settings, parse_numbers
from tumble.comphy.agents import REGISTRY
from tumble.comphy.benchmark import COMPHY
from tumble.comphy.cli.score import Scored, print_kinds
from tumble.comphy.evaluation.answer_key import cached_key
from tumble.comphy.evaluation.baseline import SHOWN
from tumble.comphy.evaluation.run_spec import TRAIN, ComPhyRunSpec
from tumble.output import print_error, reports_errors


@reports_errors
def score_models(
    data: Path,
    model: str,
    split: str,
    runs: Path,
    limit: int | None,
    seed: str,
    settings: Sequence[str],
    workers: int | None,
    executor: str,
) -> None:
    """Has agents answer the questions of a split, and `shown` too, and prints their results."""
    folder = str(data.resolve())
    specs = [
        ComPhyRunSpec(name, folder, split, settings=values, limit=limit, seed=one_seed)
        for name, values in agents_with_settings(REGISTRY, model, settings)
        for one_seed in parse_numbers(seed, "seed")
    ]
    if all(spec.agent != SHOWN for spec in specs):
        specs.append(ComPhyRunSpec(SHOWN, folder, split, limit=limit))
    learns = any(REGISTRY.class_of(spec.agent).learns for spec in specs)
    for used_split in (split, TRAIN) if learns else (split,):
        for fault in cached_key(folder, used_split).faults:
            print_error(f"skipped: {fault}")
    results = evaluate_specs(COMPHY, specs, runs, workers, executor, "cpu")
    if results:
        print_kinds([Scored.of(result) for result in results])
    exit_if_failed(results, len(specs))
