"""The ground truth that clients read: the symbolic state as JSON text."""

import json
from collections.abc import Iterable

import numpy as np

from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.view import View
from tumble.phyq.tasks.level import Level

PADDING = b" " * 5
"""Clients drop the last five characters; as spaces they are also valid for those that do not."""


def ground_truth(view: View, noise: np.random.Generator | None = None) -> bytes:
    """The text of a view, with the labels of the original's development mode, and its padding.

    Eggs have no label that clients know, and are left out.
    """
    objects = tuple(obj for obj in view.objects if obj.kind != "egg")
    state = View(objects, view.slingshot).symbolic(labels=True, noise=noise)
    return json.dumps(state, separators=(",", ":")).encode("ascii") + PADDING


def without_spent_birds(view: View, level: Level, fired: int) -> View:
    """The view with unfired birds only.

    Clients take the highest bird, or the one nearest to the top of the slingshot, for the next one to be shot.
    """
    first = len(level.pieces)
    unfired = range(first + fired, first + len(level.birds))
    return View(tuple(_kept(view.objects, unfired)), view.slingshot)


def _kept(objects: Iterable[GameObject], unfired: range) -> Iterable[GameObject]:
    return (obj for obj in objects if obj.kind not in ("bird", "egg") or obj.number in unfired)
