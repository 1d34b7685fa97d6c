"""Task files as published: JSON, plain or packed with xz."""

import json
import lzma
from pathlib import Path
from typing import Any

from tumble.phyre.tasks import MATERIAL, UNITS_PER_METRE, Task
from tumble.scene import Body, Circle, Polygon, Scene, Shape

ROLES = {1: "placed", 2: "object", 3: "subject", 4: "subject"}
"""Roles of bodies by the index of their colour; other colours have none."""


class TaskFileError(ValueError):
    """A file that holds no tasks, or damaged ones."""


def load(path: str | Path) -> dict[str, Task]:
    """All tasks of a file, by id."""
    try:
        raw = Path(path).read_bytes()
        text = lzma.decompress(raw).decode() if raw[:6] == b"\xfd7zXZ\x00" else raw.decode()
        content = json.loads(text)
    except (lzma.LZMAError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise TaskFileError(f"{path}: neither JSON nor JSON packed with xz ({error})") from None
    if not isinstance(content, dict) or not content:
        raise TaskFileError(f"{path}: expected an object with a task for each id")
    return {task_id: _task(path, task_id, fields) for task_id, fields in content.items()}


def _task(path: str | Path, task_id: str, fields: Any) -> Task:
    try:
        if fields["goal"].get("relation", "touching") != "touching":
            raise ValueError("the only relation is touching")
        scene = Scene(tuple(_body(body) for body in fields["bodies"]), units_per_metre=UNITS_PER_METRE)
        return Task(task_id, fields["tier"], scene, int(fields["goal"]["body"]), int(fields["goal"]["other"]))
    except KeyError as error:
        raise TaskFileError(f"{path}: task {task_id}: {error} is missing") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise TaskFileError(f"{path}: task {task_id}: {error}") from None


def _body(fields: dict[str, Any]) -> Body:
    return Body(
        shapes=tuple(_shape(shape) for shape in fields["shapes"]),
        position=(fields["x"], fields["y"]),
        angle=fields["angle"],
        dynamic=fields["dynamic"],
        role=ROLES.get(fields["color"], ""),
        **MATERIAL,
    )


def _shape(fields: dict[str, Any]) -> Shape:
    if "radius" in fields:
        return Circle(fields["radius"])
    return Polygon(tuple((x, y) for x, y in fields["vertices"]))
