"""Scenes as tokens for a network with attention: one for each shape of a body that can be seen."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from tumble.phyre.agents import AgentError
from tumble.phyre.observation.view import objects
from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Circle, Shape

SIZE = 256.0
"""Pixels along each side of a scene."""
MAX_TOKENS = 64
FEATURES = 11
"""Centre x and y, half of the axis x and y, half of the thickness, all of these in scene widths; circle, dynamic,
goal's first body, goal's other body, placed ball; the number of its body, 0 for none."""
X, AXIS_X, AXIS_Y, BODY = 0, 2, 3, 10
UPRIGHT = 1e-5
"""The largest x of an axis that counts as upright; such an axis points up."""


def tokens_of(tasks: Sequence[Task], device: torch.device) -> Tensor:
    """float32 [tasks, MAX_TOKENS, FEATURES]: tokens of tasks at the start, padded with zeros."""
    table = np.zeros((len(tasks), MAX_TOKENS, FEATURES), np.float32)
    for row, task in zip(table, tasks, strict=True):
        rows = [
            _features(task.scene.bodies[k], shape, k)
            for k in objects(task.scene)
            for shape in task.scene.bodies[k].shapes
        ]
        if len(rows) > MAX_TOKENS:
            raise AgentError(f"task {task.id} has {len(rows)} shapes; a network of objects takes up to {MAX_TOKENS}")
        row[: len(rows)] = rows
    return torch.from_numpy(table).to(device)


def ball_tokens(balls: Tensor) -> Tensor:
    """float32 [n, balls, FEATURES] of placed balls [n, balls, (x, y, radius)] in pixels; their bodies are -1 and -2."""
    n, count, _ = balls.shape
    tokens = balls.new_zeros(n, count, FEATURES)
    tokens[..., :2], tokens[..., 4] = balls[..., :2] / SIZE, balls[..., 2] / SIZE
    tokens[..., 5], tokens[..., 6], tokens[..., 9] = 1.0, 1.0, 1.0
    tokens[..., BODY] = -1.0 - torch.arange(count, device=balls.device)
    return tokens


def mirrored_tokens(tokens: Tensor) -> Tensor:
    """Tokens of the scenes mirrored left to right."""
    present = tokens[..., BODY] != 0.0
    turned = tokens.clone()
    turned[..., X] = torch.where(present, 1.0 - tokens[..., X], tokens[..., X])
    upright = tokens[..., AXIS_X].abs() < UPRIGHT
    turned[..., AXIS_Y] = torch.where(upright, tokens[..., AXIS_Y], -tokens[..., AXIS_Y])
    return turned


def _features(body: Body, shape: Shape, number: int) -> list[float]:
    """The token of a shape; the axis of a polygon is its longer extent, and points to the right."""
    c, s = np.cos(body.angle), np.sin(body.angle)
    rotation = np.array([[c, s], [-s, c]])
    if isinstance(shape, Circle):
        centre, axis, thickness = np.array(shape.centre), np.zeros(2), shape.radius
    else:
        corners = np.array(shape.vertices)
        centre = corners.mean(axis=0)
        _, _, axes = np.linalg.svd(corners - centre, full_matrices=False)
        half = [float(np.abs((corners - centre) @ one).max()) for one in axes]
        axis, thickness = half[0] * axes[0], half[1]
    centre, axis = centre @ rotation + body.position, axis @ rotation
    if axis[1] < 0.0 if abs(axis[0]) < UPRIGHT * SIZE else axis[0] < 0.0:
        axis = -axis
    flags = (isinstance(shape, Circle), body.dynamic, body.role == "object", body.role == "subject", False)
    return [*(centre / SIZE), *(axis / SIZE), thickness / SIZE, *map(float, flags), float(number)]
