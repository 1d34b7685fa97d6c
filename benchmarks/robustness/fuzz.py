"""Reads random and mutated inputs of all kinds: no crash, no endless loop, no NaN, and errors in one line.

    python benchmarks/robustness/fuzz.py --count 1000000 --workers 2          the figure of docs/figures.md
    python benchmarks/robustness/fuzz.py --kinds phyq-xml,worlds --count 5000
    python benchmarks/robustness/fuzz.py --kinds phyq-xml --only 1234         one input again, with its traceback

An input is refused with a TumbleError of one line, or accepted, and then its use must give finite, valid results.
Everything else is a finding, whose files are saved below --save. A seed and a number make the same input again.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from fuzz_kind import Kind, Tally, chosen, write
from fuzz_kinds import KINDS
from fuzz_workers import Batch, check_all, source_path
from rich.console import Console
from table import Results

SAVED = 3
"""Inputs that are saved of findings with the same problem."""
REPORT_SECONDS = 20.0


def batches_of(kinds: list[Kind], count: int, least: int) -> list[Batch]:
    """The inputs of all kinds in batches, the kinds in turn; each kind has its share, and at least `least` inputs."""
    total = sum(kind.share for kind in kinds)
    counts = {kind.name: max(least, round(count * kind.share / total)) for kind in kinds}
    rest = {kind.name: 0 for kind in kinds}
    batches = []
    while any(rest[kind.name] < counts[kind.name] for kind in kinds):
        kind = min(kinds, key=lambda kind: rest[kind.name] / counts[kind.name])
        first = rest[kind.name]
        size = min(kind.batch, counts[kind.name] - first)
        batches.append(Batch(kind, first, size))
        rest[kind.name] += size
    return batches


def save(kind: Kind, tally: Tally, seed: int, folder: Path, saved: Counter[str]) -> None:
    """Prints new findings and saves their inputs."""
    for finding in tally.findings:
        key = f"{finding.kind} {finding.group}"
        saved[key] += 1
        if saved[key] > SAVED:
            continue
        Console().print(f"FOUND {finding}", highlight=False, markup=False)
        target = folder / f"{finding.kind}-{finding.number}"
        target.mkdir(parents=True, exist_ok=True)
        (target / "finding.txt").write_text(f"{finding}\n\n{finding.detail}", encoding="utf-8")
        if saved[key] == 1:
            with tempfile.TemporaryDirectory() as samples:
                kind.prepare(Path(samples))
                write(target, kind.input(seed, finding.number))


def once(kind: Kind, seed: int, number: int) -> None:
    """Checks one input in this process and prints what is found."""
    with tempfile.TemporaryDirectory() as samples, tempfile.TemporaryDirectory() as folder:
        kind.prepare(Path(samples))
        tally = kind.check(seed, number, 1, Path(folder))
        for finding in tally.findings:
            print(finding, finding.detail, sep="\n")
        print(f"refused {tally.refused}, accepted {tally.accepted}, findings {len(tally.findings)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="inputs of all kinds together")
    parser.add_argument("--least", type=int, default=1, help="inputs of each kind at least")
    parser.add_argument("--kinds", default="", help=", ".join(kind.name for kind in KINDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=120.0, help="stop after this time")
    parser.add_argument("--save", type=Path, default=Path("fuzz-findings"), help="folder for the inputs of findings")
    parser.add_argument("--only", type=int, help="check the input of this number of one kind, in this process")
    parser.add_argument("--no-csv", action="store_true", help="do not write benchmarks/results/fuzz-*.csv")
    options = parser.parse_args()
    source_path()
    wanted = chosen(KINDS, options.kinds)
    if options.only is not None:
        once(wanted[0], options.seed, options.only)
        return
    kinds = [kind for kind in wanted if not kind.missing()]
    tallies = {kind.name: Tally() for kind in kinds}
    seconds: Counter[str] = Counter()
    saved: Counter[str] = Counter()
    start = last = time.monotonic()

    def done(batch: Batch, tally: Tally, taken: float) -> None:
        nonlocal last
        tallies[batch.kind.name].add(tally)
        seconds[batch.kind.name] += taken
        save(batch.kind, tally, options.seed, options.save, saved)
        if time.monotonic() - last > REPORT_SECONDS:
            last = time.monotonic()
            inputs = sum(own.inputs for own in tallies.values())
            print(f"{inputs:,} inputs, {inputs / (last - start):.0f}/s, {sum(saved.values())} findings", flush=True)

    batches = batches_of(kinds, options.count, options.least)
    check_all(batches, options.seed, options.workers, options.minutes, done)
    report(wanted, tallies, seconds, time.monotonic() - start, options)


def report(
    kinds: list[Kind], tallies: dict[str, Tally], seconds: Counter[str], taken: float, options: argparse.Namespace
) -> None:
    """Prints a row for each kind, and writes them to a file."""
    results = Results(f"Fuzzed inputs, seed {options.seed}")
    total = Tally()
    for kind in kinds:
        if kind.missing():
            results.add(kind.name, "skipped", "", "", f"{kind.missing()} is not installed")
            continue
        own = tallies[kind.name]
        total.add(own)
        rate = own.inputs / max(seconds[kind.name], 1e-9)
        note = f"{own.refused:,} refused, {own.accepted:,} accepted, {len(own.findings)} findings; {rate:,.0f}/s"
        results.add(kind.name, f"{own.inputs:,}", "", "", note)
    duration = f"{taken / 60.0:.0f} minutes, {options.workers} workers"
    note = f"{total.refused:,} refused, {total.accepted:,} accepted; {duration}"
    results.add("inputs of all kinds", f"{total.inputs:,}", "1,000,000", "", note)
    results.add("crashes, hangs, NaN and other findings", f"{len(total.findings)}", "0", "", "")
    if not options.no_csv:
        results.finish("fuzz")


if __name__ == "__main__":
    main()
