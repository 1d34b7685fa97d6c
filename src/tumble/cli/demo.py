"""The demo: a small part of every benchmark, and one page that is updated as parts finish."""

import time
from collections.abc import Sequence
from pathlib import Path

from tumble.benchmark import Benchmark, benchmarks
from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.output import print_line, reports_errors
from tumble.report import page
from tumble.report.document import Document, join_documents
from tumble.runs.log import Log, read
from tumble.runs.run_spec import RunSpec

TITLE = "Tumble: a demo of every benchmark"


@reports_errors
def run_demo(out: Path, workers: int | None = None) -> None:
    """Writes the demo's files into the existing folder `out`."""
    target, start = out / "index.html", time.monotonic()
    print_line("The first time, the physics is compiled.")
    parts: list[Document] = []
    for benchmark in benchmarks().values():
        part = Document(benchmark.title)
        for _ in benchmark.add_demo(part, out / benchmark.name, workers):
            page.write(join_documents([*parts, part], TITLE), target, refresh=True)
            print_line(f"{benchmark.title}: see {target} ({time.monotonic() - start:.0f} s)")
        parts += [part] if part.parts else []
    page.write(join_documents(parts, TITLE), target)
    print_line(f"Finished after {time.monotonic() - start:.0f} s. Open {target}")


def make_runs(benchmark: Benchmark, specs: Sequence[RunSpec], folder: Path, workers: int | None) -> list[Log]:
    """Makes runs in a folder; their logs, with as many attempts as a report needs."""
    results = evaluate_specs(benchmark, specs, folder, workers, "local", "cpu")
    exit_if_failed(results, len(specs))
    return [read(result.path, brief=not benchmark.needs_all_attempts) for result in results]
