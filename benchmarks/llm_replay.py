"""Logs of inspect_ai become run logs, in which every attempt replays to the same status.

    python benchmarks/llm_replay.py [--benchmark phyre] [--limit 100] [--sets 50] [--add]

For each benchmark a scripted model (scripted_model.py) answers with stored solutions, with the actions of the agent
`random`, and with answers of which half are malformed, hostile or empty. Each log is imported as by `tumble runs
import-inspect`, compared with the inspect log attempt by attempt, and replayed as by `tumble runs verify`.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import comphy_script
import phyq_script
import phyre_script
from inspect_ai.log import EvalLog
from scripted_model import Script, evaluate, malformed, metrics
from table import Results

from tumble.benchmark import benchmark as benchmark_named
from tumble.comphy.generation.generate import generate
from tumble.inspect_tasks.import_log import import_log
from tumble.inspect_tasks.scorer import counted_records
from tumble.inspect_tasks.solver import puzzle_set
from tumble.phyre.catalogue.task import TIERS
from tumble.progress import bar
from tumble.runs.log import Log, read

BENCHMARKS = ("phyre", "phyq", "comphy")
SPLIT = "test"
SEED = 0
KINDS = ("valid", "repaired", "malformed", "refused", "empty")


def groups(benchmark: str, limit: int, sets: int, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of groups of puzzles, and their selections."""
    if benchmark == "phyre":
        for tier in TIERS:
            yield f"PHYRE-{tier}", {"tier": tier, "limit": limit}
    elif benchmark == "phyq":
        yield "Phy-Q", {"limit": limit}
    else:
        generate(folder / "data", sets=sets, seed=7, video=False, split=SPLIT)
        yield "ComPhy", {"data": str(folder / "data")}


def scripts(benchmark: str, selection: Mapping[str, Any], folder: Path) -> dict[str, Script]:
    """Solutions, random answers, and answers of which half can't be read."""
    if benchmark == "phyre":
        right, random = phyre_script.solutions, phyre_script.random_actions(SEED)
    elif benchmark == "phyq":
        puzzles = puzzle_set("phyq", selection)
        attempts = puzzles.puzzle(puzzles.ids[0]).attempts
        rows = phyq_script.random_rows(puzzles.ids, attempts, SEED, folder / "agent", lambda _: None)
        right, random = phyq_script.solutions, phyq_script.shots_as_answers(rows)
    else:
        right = comphy_script.true_answers(selection["data"], SPLIT)
        random = comphy_script.random_answers(selection["data"], SPLIT, SEED)
    return {"solutions": right, "random": random, "half malformed": malformed(random, SEED)}


def differing(log: EvalLog, run: Log) -> int:
    """Attempts that were counted in the inspect log and have another status in the run log, or are not there."""
    wrong = 0
    for sample in log.samples or ():
        statuses = [record["status"] for record in counted_records(sample.store["turns"])]
        rows = [row["status"] for row in run.tasks.get(sample.metadata["task"], ())]
        wrong += sum(one != other for one, other in zip(statuses, rows, strict=False))
        wrong += max(0, len(statuses) - len(rows))
    return wrong


def measure(
    results: Results, benchmark: str, label: str, selection: Mapping[str, Any], name: str, script: Script, folder: Path
) -> None:
    with bar(f"{label}, {name}", len(puzzle_set(benchmark, selection).ids)) as advance:
        log = evaluate(benchmark, selection, script, folder / "logs", advance)
    (path,) = import_log(Path(log.location), folder / "runs")
    run = read(path)
    attempts = sum(1 for _ in run.rows())
    with bar(f"Replaying {label}, {name}", attempts) as advance:
        difference = benchmark_named(benchmark).replay(run, advance)
    counted = sum(len(counted_records(sample.store["turns"])) for sample in log.samples or ())
    compared = ""  # a set of ComPhy is one task of a run log: its questions are compared by the replay alone
    if benchmark != "comphy":
        compared = f", {differing(log, run)} with another status in the run log"
    own = metrics(log)
    kinds = ", ".join(f"{kind} {own[kind]:.0%}" for kind in KINDS if own[kind])
    value = f"{attempts:,} replayed, {f'first difference: {difference}' if difference else '0 differ'}"
    note = f"{counted:,} attempts in the inspect log{compared}; answers: {kinds}"
    results.add(f"{label}, {name}", value, "0 differ", note=note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", action="append", choices=BENCHMARKS)
    parser.add_argument("--limit", type=int, default=100, help="tasks of each tier, or levels")
    parser.add_argument("--sets", type=int, default=50, help="of the dataset of ComPhy")
    parser.add_argument("--add", action="store_true", help="keep rows of earlier results that are not measured now")
    parser.add_argument("--name", default="llm-replay", help="of the file of results")
    options = parser.parse_args()
    results = Results("From logs of inspect_ai to run logs that replay")
    for benchmark in options.benchmark or BENCHMARKS:
        with tempfile.TemporaryDirectory(prefix="llm-replay-") as temporary:
            folder = Path(temporary)
            for label, selection in groups(benchmark, options.limit, options.sets, folder):
                for name, script in scripts(benchmark, selection, folder).items():
                    measure(results, benchmark, label, selection, name, script, folder)
    if options.add:
        results.keep_others(options.name)
    results.finish(options.name)


if __name__ == "__main__":
    main()
