"""Every template builds its published tasks, body by body."""

from pathlib import Path

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre import Task
from tumble.phyre.templates import NAMES, published, template
from tumble.scene import Body, Circle

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def official(shared_data: Path) -> dict[str, Task]:
    return phyre.official.load(shared_data / "phyre" / "official_tasks.json.xz")


def _numbers(body: Body) -> np.ndarray:
    """Where a body is and what its shapes are made of."""
    outline: list[float] = []
    for shape in body.shapes:
        points = [shape.centre] if isinstance(shape, Circle) else shape.vertices
        outline += [len(points), shape.radius if isinstance(shape, Circle) else 0.0, *np.ravel(points)]
    return np.array([*body.position, body.angle, *outline])


@pytest.mark.parametrize("key", NAMES)
def test_published_tasks_are_built_body_by_body(key: str, official: dict[str, Task]) -> None:
    assert [f"{key}:{number:03d}" for number in published()[key]] == sorted(
        task_id for task_id in official if task_id.startswith(key)
    )
    for number in published()[key]:
        ours = template(key).task(number)
        theirs = official[ours.id]
        assert (ours.tier, ours.body, ours.other) == (theirs.tier, theirs.body, theirs.other)
        assert len(ours.scene.bodies) == len(theirs.scene.bodies), ours.id
        for k, (body, expected) in enumerate(zip(ours.scene.bodies, theirs.scene.bodies, strict=True)):
            where = f"{ours.id}, body {k} ({body.name})"
            assert (body.dynamic, body.role) == (expected.dynamic, expected.role), where
            assert np.allclose(_numbers(body), _numbers(expected), rtol=0.0, atol=TOLERANCE), where
