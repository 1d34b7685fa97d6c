"""The frame of all programs here: arguments, a table with what must be reached, the machine, a file of results.

A program begins with `sys.path.append(str(Path(__file__).parents[1]))`, and so finds this module from its folder.
"""

import csv
import os
import platform
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tumble.runs.header import machine

RESULTS = Path(os.environ.get("BENCHMARK_RESULTS") or Path(__file__).resolve().parent / "results")
"""The folder of results; a try-out may name another one."""
COLUMNS = ("figure", "value", "must", "goal", "note")


def arguments(doc: str | None, **defaults: Any) -> Namespace:
    """The values of a program's options, which its docstring explains.

    An option is given by its default; by a type if there is none; by False if it is a flag; by a tuple if it takes
    several values.
    """
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        option = "--" + name.replace("_", "-")
        if default is False:
            parser.add_argument(option, action="store_true")
        elif isinstance(default, type):
            parser.add_argument(option, type=default)
        elif isinstance(default, tuple):
            parser.add_argument(option, nargs="+", type=type(default[0]) if default else str, default=default)
        else:
            parser.add_argument(option, type=type(default), default=default)
    return parser.parse_args()


class Results:
    """Rows of a table, printed and saved with the machine; `measured_on` names another machine than this."""

    def __init__(
        self, title: str, device: str = "cpu", columns: Sequence[str] = COLUMNS, measured_on: str = ""
    ) -> None:
        self.title, self.columns, self.on_gpu = title, columns, device != "cpu"
        self.machine = measured_on or machine(device_name(device))
        self.rows: list[tuple[str, ...]] = []
        self._kept: list[tuple[str, ...]] = []

    def add(self, figure: str, value: str, must: str = "", goal: str = "", note: str = "") -> None:
        """Adds a row and prints it at once, since measuring takes long."""
        self.add_row(figure, value, must, goal, note)
        say(f"[bold]{figure}[/]: {value}" + (f"  ({note})" if note else ""))

    def add_row(self, *cells: str) -> None:
        """Adds a row of a table with columns of its own."""
        self.rows.append(cells)

    @property
    def all_rows(self) -> list[tuple[str, ...]]:
        """The rows that are written, those of an earlier run first."""
        return [*self._kept, *self.rows]

    def keep_others(self, name: str, without: Sequence[str] = ()) -> None:
        """Puts rows of an earlier run first, as far as this one has no row with their figure: parts were measured.

        They keep the machine that they were measured on. Rows `without` are left out, as they are of all others.
        """
        path = csv_path(self._file(name))
        if not path.exists():
            return
        with path.open(newline="", encoding="utf-8") as stream:
            earlier = [tuple(row) for row in csv.reader(stream)][1:]
        renewed = {*without, *(row[0] for row in self.rows)}
        self._kept = [row for row in earlier if row[0] not in renewed]

    def finish(self, name: str) -> None:
        """Prints the whole table and writes it to results/NAME-ARCHITECTURE.csv, or NAME-gpu-… if it is of a GPU."""
        table = Table(*self.columns, title=f"{self.title}\n{self.machine}")
        for row in self.all_rows:
            table.add_row(*row[: len(self.columns)])
        Console().print(table)
        write_csv(self._file(name), self.columns, self.rows, self.machine, self._kept)

    def _file(self, name: str) -> str:
        return f"{name}-gpu" if self.on_gpu else name


def device_name(device: str) -> str:
    """The name of a GPU; empty for the CPU."""
    if device == "cpu":
        return ""
    import warp as wp

    return str(wp.get_device(device).name)


def csv_path(name: str, architecture: str = "") -> Path:
    """The file of results of a name on a kind of machine, by default this one's."""
    return RESULTS / f"{name}-{architecture or platform.machine()}.csv"


def write_csv(
    name: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    machine_name: str,
    kept: Iterable[Sequence[str]] = (),
) -> None:
    """Writes rows to results/NAME-ARCHITECTURE.csv, with the machine in the last column; kept rows have theirs."""
    RESULTS.mkdir(exist_ok=True)
    path = csv_path(name, machine_name.partition(",")[0])
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow((*columns, "machine"))
        writer.writerows(kept)
        writer.writerows((*row, machine_name) for row in rows)
    partial.replace(path)
    say(f"written to {path}")


def say(text: str) -> None:
    """Prints a line."""
    Console().print(text, highlight=False)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a call, and what it returned."""
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


def clock(device: str) -> Callable[[], float]:
    """What work is timed by: the time of all cores on a CPU, which other programs do not disturb much."""
    return time.process_time if device == "cpu" else time.perf_counter
