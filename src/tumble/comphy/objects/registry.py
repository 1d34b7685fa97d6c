"""The categories of objects by name."""

from functools import lru_cache
from importlib import import_module

from tumble.comphy.objects.shape import ObjectShape, assemble
from tumble.draws import Draws
from tumble.errors import TumbleError

CATEGORIES = (
    "mug",
    "pot",
    "chair",
    "table",
    "sofa",
    "lamp",
    "bottle",
    "teapot",
    "bucket",
    "bowl",
    "trophy",
    "hourglass",
    "cone",
)
"""Their files in `categories` have the same names."""


class ObjectError(TumbleError):
    """There is no such category."""


@lru_cache(maxsize=256)
def build(category: str, seed: int | str) -> ObjectShape:
    """An object of a category; the seed decides its proportions, and gives the same bits on every machine.

    >>> mug = build("mug", 7)
    >>> mug.mesh.roles, len(mug.mesh.faces), len(mug.parts)
    (('body', 'handle'), 788, 5)
    """
    if category not in CATEGORIES:
        raise ObjectError(f"no category {category!r}; there are {', '.join(CATEGORIES)}")
    module = import_module(f"tumble.comphy.objects.categories.{category}")
    return assemble(category, module.design(Draws(f"{category} {seed}")))
