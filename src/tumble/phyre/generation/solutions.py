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
MAX_CODE = 16**DIGITS - 1


def rounded(actions: np.ndarray) -> np.ndarray:
    """Actions rounded to the precision of the file."""
    return np.asarray(np.rint(np.asarray(actions) * MAX_CODE) / MAX_CODE)


@cache
def solutions() -> dict[str, np.ndarray]:
    """An action [numbers] that solves the task stably, by task id; a few tasks may have none."""
    lines = resources.files("tumble.phyre").joinpath("data", FILE).read_text(encoding="ascii").splitlines()
    return {task_id: _action(line) for task_id, line in zip(task_ids(), lines, strict=True) if line != "-"}


def solution(task_id: str) -> np.ndarray | None:
    """The stored solution of a task, or None.

    >>> solution("00000:000").round(3).tolist()
    [0.827, 0.641, 0.854]
    """
    return solutions().get(task_id)


def write(path: Path, actions: Mapping[str, np.ndarray]) -> None:
    """Writes the file: a line for each published task in order, "-" for tasks without a solution."""
    lines = [_line(actions[task_id]) if task_id in actions else "-" for task_id in task_ids()]
    with whole_file(path) as partial:
        partial.write_text("\n".join(lines) + "\n", encoding="ascii")


def _line(action: np.ndarray) -> str:
    return "".join(f"{round(float(number) * MAX_CODE):0{DIGITS}x}" for number in action)


def _action(line: str) -> np.ndarray:
    numbers = [int(line[k : k + DIGITS], 16) for k in range(0, len(line), DIGITS)]
    return np.asarray(np.array(numbers) / MAX_CODE)
