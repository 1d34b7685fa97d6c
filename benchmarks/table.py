"""Results as a table on the screen and a CSV beside it, with the machine named."""

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
    """The processor in words, as well as the system tells it."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return (found.group(1) if found else platform.processor() or "unknown processor").strip()


def machine(device: str = "") -> str:
    """The machine in words."""
    words = [platform.machine(), cpu_name(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}"]
    return ", ".join([*words, *([device] if device else [])])


class Results:
    """Rows of (figure, value, must, goal, note) that are shown and saved."""

    def __init__(self, title: str, device: str = "") -> None:
        self.title, self.machine = title, machine(device)
        self.rows: list[tuple[str, ...]] = []

    def add(self, figure: str, value: str, must: str = "", goal: str = "", note: str = "") -> None:
        """Adds a row and shows it at once: measuring takes a while."""
        self.rows.append((figure, value, must, goal, note))
        Console().print(f"[bold]{figure}[/]: {value}" + (f"  ({note})" if note else ""), highlight=False)

    def finish(self, name: str) -> None:
        """Shows the whole table and writes it to results/NAME-ARCHITECTURE.csv."""
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
