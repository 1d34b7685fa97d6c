"""Outcomes of first shots at tasks with one bird, in a small file that trainings share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from tumble.bounded import arrays, read_bytes
from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.level_json import to_json
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.simulation.simulator import physics_id
from tumble.scene.files import whole_file

NOT_KNOWN = -1
MOST_CONTENT, MOST_PER_BYTE = 1 << 24, 16
"""Bytes that the arrays of a file may take, and further ones for each of its bytes; bits take eight times that."""


@dataclass(frozen=True)
class FirstShots:
    """Outcomes int8 [angles] by task: 1 won, 0 failed, -1 not known; with a digest of each task's level."""

    rows: Mapping[str, tuple[str, np.ndarray]]

    @classmethod
    def of(cls, tasks: Sequence[Task], birds: np.ndarray, outcomes: np.ndarray) -> "FirstShots":
        """The known outcomes of those of the tasks [n] that have one bird, from outcomes [n, angles]."""
        single = np.flatnonzero((birds == 1) & (outcomes != NOT_KNOWN).any(axis=1))
        return cls({tasks[row].id: (_digest(tasks[row]), outcomes[row].astype(np.int8)) for row in single.tolist()})

    def outcomes(self, tasks: Sequence[Task], birds: np.ndarray) -> np.ndarray:
        """int8 [tasks, angles], NOT_KNOWN for tasks that are not here; a task that has changed is an error."""
        found = np.full((len(tasks), len(DISCRETE_ANGLES)), NOT_KNOWN, np.int8)
        for row, task in enumerate(tasks):
            if birds[row] == 1 and task.id in self.rows:
                digest, values = self.rows[task.id]
                if digest != _digest(task):
                    raise TrainingError(f"the outcomes of {task.id} are of another level with this id; make them again")
                found[row] = values
        return found

    def joined(self, other: "FirstShots") -> "FirstShots":
        """All that either knows."""
        rows = dict(self.rows)
        for task_id, (digest, values) in other.rows.items():
            mine = rows.get(task_id, (digest, values))[1]
            rows[task_id] = digest, np.where(values == NOT_KNOWN, mine, values)
        return FirstShots(rows)


def _digest(task: Task) -> str:
    return sha256(to_json(task.level).encode()).hexdigest()[:16]


def write_first_shots(path: Path, shots: FirstShots) -> None:
    """Writes the outcomes; two bits a shot."""
    ids = sorted(shots.rows)
    values = np.array([shots.rows[task_id][1] for task_id in ids], np.int8).reshape(len(ids), len(DISCRETE_ANGLES))
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(
            stream,
            physics=np.array(physics_id()),
            ids=np.array(ids, str),
            digests=np.array([shots.rows[task_id][0] for task_id in ids], str),
            known=np.packbits(values != NOT_KNOWN, axis=1),
            won=np.packbits(values == 1, axis=1),
        )


def read_first_shots(path: Path) -> FirstShots:
    """Reads the outcomes of a file; an error if they are of other physics."""
    try:
        raw = read_bytes(path)
        content = arrays(raw, MOST_CONTENT + MOST_PER_BYTE * len(raw))
        physics, ids, digests = str(content["physics"]), content["ids"].tolist(), content["digests"].tolist()
        known, won = (np.unpackbits(content[name], axis=1) for name in ("known", "won"))
        width = len(DISCRETE_ANGLES)
        rows = content["ids"].shape
        if len(rows) != 1 or content["digests"].shape != rows or not known.shape[:1] == won.shape[:1] == rows:
            raise ValueError("its arrays do not belong together")
        if known.ndim != 2 or won.ndim != 2 or min(known.shape[1], won.shape[1]) < width:
            raise ValueError("its arrays do not belong together")
    except OSError as problem:
        raise TrainingError(f"{path}: {problem.strerror or 'not a file of outcomes'}") from None
    except (ValueError, KeyError, TypeError) as problem:
        raise TrainingError(f"{path}: not a file of outcomes ({problem})") from None
    if physics != physics_id():
        raise TrainingError(f"{path}: outcomes of physics {physics}, and this is {physics_id()}; make them again")
    values = np.where(known[:, :width] == 1, won[:, :width].astype(np.int8), np.int8(NOT_KNOWN))
    return FirstShots(
        {task_id: (digest, values[k]) for k, (task_id, digest) in enumerate(zip(ids, digests, strict=True))}
    )
