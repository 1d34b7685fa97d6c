"""Benchmark results as a table on the screen and a CSV file, with the machine they were measured on."""

import csv
import os
import platform
import re
from pathlib import Path

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / "results"
COLUMNS = ("figure", "value", "must", "goal", "note")


def cpu_name() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return (found.group(1) if found else platform.processor() or "unknown processor").strip()


def machine(device: str = "") -> str:
    """A description of the machine."""
    parts = [platform.machine(), cpu_name(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}"]
    return ", ".join([*parts, *([device] if device else [])])


class Results:
    """Rows of (figure, value, must, goal, note), printed and saved."""

    def __init__(self, title: str, device: str = "") -> None:
        self.title, self.machine = title, machine(device)
        self.rows: list[tuple[str, ...]] = []

    def add(self, figure: str, value: str, must: str = "", goal: str = "", note: str = "") -> None:
        """Adds a row and prints it at once, since measuring takes long."""
        self.rows.append((figure, value, must, goal, note))
        Console().print(f"[bold]{figure}[/]: {value}" + (f"  ({note})" if note else ""), highlight=False)

    def finish(self, name: str) -> None:
        """Prints the whole table and writes it to results/NAME-ARCHITECTURE.csv."""
        table = Table(*COLUMNS, title=f"{self.title}\n{self.machine}")
        for row in self.rows:
            table.add_row(*row)
        Console().print(table)
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{name}-{platform.machine()}.csv"
        partial = path.with_suffix(".partial")
        with partial.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow((*COLUMNS, "machine"))
            writer.writerows((*row, self.machine) for row in self.rows)
        partial.replace(path)
        Console().print(f"written to {path}", highlight=False)
