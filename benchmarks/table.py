"""Benchmark results as a table on the screen and a CSV file, with the machine they were measured on."""

import csv
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tumble.runs.header import machine

RESULTS = Path(__file__).resolve().parent / "results"
COLUMNS = ("figure", "value", "must", "goal", "note")


class Results:
    """Rows of (figure, value, must, goal, note), printed and saved; `measured_on` names another machine than this."""

    def __init__(self, title: str, device: str = "", measured_on: str = "") -> None:
        self.title, self.machine = title, measured_on or machine(device)
        self.rows: list[tuple[str, ...]] = []
        self._kept: list[tuple[str, ...]] = []

    def add(self, figure: str, value: str, must: str = "", goal: str = "", note: str = "") -> None:
        """Adds a row and prints it at once, since measuring takes long."""
        self.rows.append((figure, value, must, goal, note))
        Console().print(f"[bold]{figure}[/]: {value}" + (f"  ({note})" if note else ""), highlight=False)

    @property
    def all_rows(self) -> list[tuple[str, ...]]:
        """The rows that are written, those of an earlier run first."""
        return [*self._kept, *self.rows]

    def keep_others(self, name: str, without: Sequence[str] = ()) -> None:
        """Puts rows of an earlier run first, as far as this one has no row with their figure: parts were measured.

        They keep the machine that they were measured on. Rows `without` are left out, as they are of all others.
        """
        path = csv_path(name)
        if not path.exists():
            return
        with path.open(newline="", encoding="utf-8") as stream:
            earlier = [tuple(row) for row in csv.reader(stream)][1:]
        own = {*without, *(row[0] for row in self.rows)}
        self._kept = [row for row in earlier if row[0] not in own]

    def finish(self, name: str) -> None:
        """Prints the whole table and writes it to results/NAME-ARCHITECTURE.csv."""
        table = Table(*COLUMNS, title=f"{self.title}\n{self.machine}")
        for row in (*self._kept, *self.rows):
            table.add_row(*row[: len(COLUMNS)])
        Console().print(table)
        write_csv(name, COLUMNS, self.rows, self.machine, self._kept)


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
    Console().print(f"written to {path}", highlight=False)
