"""One stable solution for each published task, found by `benchmarks/phyre_solutions.py`."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from tumble.phyre.tasks.catalogue import task_ids
from tumble.scene.files import whole_file

FILE = "solutions.txt"
DIGITS = 4
"""Hexadecimal digits for each number of an action."""
LARGEST = 16**DIGITS - 1


def rounded(actions: np.ndarray) -> np.ndarray:
    """Actions as the file keeps them."""
    return np.asarray(np.rint(np.asarray(actions) * LARGEST) / LARGEST)


@cache
def solutions() -> dict[str, np.ndarray]:
    """An action that solves the task stably, by task id; a few tasks may have none."""
    lines = resources.files("tumble.phyre").joinpath("data", FILE).read_text(encoding="ascii").splitlines()
    return {task_id: _action(line) for task_id, line in zip(task_ids(), lines, strict=True) if line != "-"}


def solution(task_id: str) -> np.ndarray | None:
    """The stored solution of a task, if there is one."""
    return solutions().get(task_id)


def write(path: Path, found: Mapping[str, np.ndarray]) -> None:
    """Writes the file: a line for each published task in order, "-" where no solution is known."""
    lines = [_line(found[task_id]) if task_id in found else "-" for task_id in task_ids()]
    with whole_file(path) as partial:
        partial.write_text("\n".join(lines) + "\n", encoding="ascii")


def _line(action: np.ndarray) -> str:
    return "".join(f"{round(float(number) * LARGEST):0{DIGITS}x}" for number in action)


def _action(line: str) -> np.ndarray:
    numbers = [int(line[k : k + DIGITS], 16) for k in range(0, len(line), DIGITS)]
    return np.asarray(np.array(numbers) / LARGEST)
