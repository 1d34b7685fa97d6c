"""The looks of objects as flat arrays, which the kernels of `batch_kernel.py` read; a look is stored once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tumble.phyq.catalogue.level import shape_corners
from tumble.phyq.observation.camera import SLING_BOX, grass_layers, sling_layers
from tumble.phyq.observation.objects import COLOUR_INDEX, GameObject, Layer, layers
from tumble.phyq.observation.symbolic import CHANNELS, channel_of
from tumble.scene import Vec

NO_SPRITE = -1
# ints of a sprite
FIRST_LAYER, LAYER_COUNT, FIRST_POINT, POINT_COUNT, FIRST_CORNER, CORNER_COUNT, CHANNEL = range(7)
# ints of a layer
LAYER_POINT, LAYER_POINTS, LAYER_COLOUR = range(3)  # its first point, counted from the sprite's; their number; colour


@dataclass(frozen=True)
class Sprite:
    """What an object looks like in its own coordinates."""

    layers: tuple[Layer, ...]
    corners: np.ndarray
    """float [n, 2]: the outline of its collider."""
    channel: int
    """Its channel in the symbolic tensor; NO_SPRITE for none."""
    centre: Vec = (0.0, 0.0)
    """Its position, where that is not its origin."""

    @property
    def size(self) -> np.ndarray:
        """float [2]: width and height of the collider."""
        return np.asarray(np.ptp(self.corners, axis=0))


@lru_cache(maxsize=8192)
def object_sprite(kind: str, name: str, material: str, size: Vec) -> Sprite:
    """The sprite of an object; those of platforms differ by their `size`."""
    obj = GameObject(kind, name, material, size=size)  # type: ignore[arg-type]  # kinds come from other objects
    return Sprite(tuple(layers(obj)), shape_corners(obj.shape), CHANNELS.index(channel_of(obj)))


@lru_cache(maxsize=64)
def sling_sprite(slingshot: Vec) -> Sprite:
    """The sprite of the slingshot, in world coordinates: its pose is (0, 0, 0)."""
    left, bottom, right, top = SLING_BOX
    corners = np.array([(left, bottom), (right, top)]) + slingshot
    x, y = corners.mean(axis=0).tolist()
    return Sprite(tuple(sling_layers(slingshot)), corners, CHANNELS.index("slingshot"), (x, y))


def grass_sprite() -> Sprite:
    """The sprite of the grass, in world coordinates likewise."""
    return Sprite(tuple(grass_layers()), np.zeros((0, 2)), NO_SPRITE)


class SpriteTable:
    """Sprites by number; the first is the grass, and more can be added at any time."""

    def __init__(self) -> None:
        self._number_of: dict[object, int] = {}
        self._sprites: list[tuple[int, ...]] = []
        self._layers: list[tuple[int, ...]] = []
        self._radii: list[float] = []
        self._points: list[np.ndarray] = []
        self._corners: list[np.ndarray] = []
        self._sizes: list[np.ndarray] = []
        self._centres: list[np.ndarray] = []
        self._point_count = self._corner_count = 0
        self.grass = self._add("grass", grass_sprite())

    def __len__(self) -> int:
        return len(self._sprites)

    def of_object(self, obj: GameObject) -> int:
        """The number of an object's sprite."""
        key = (obj.kind, obj.name, obj.material, obj.size)
        return self._number_of[key] if key in self._number_of else self._add(key, object_sprite(*key))

    def of_sling(self, slingshot: Vec) -> int:
        """The number of the slingshot's sprite."""
        key = ("slingshot", slingshot)
        return self._number_of[key] if key in self._number_of else self._add(key, sling_sprite(slingshot))

    def of_objects(self, objects: Iterable[GameObject]) -> list[int]:
        """The numbers of the sprites of objects."""
        return [self.of_object(obj) for obj in objects]

    def _add(self, key: object, sprite: Sprite) -> int:
        number = self._number_of[key] = len(self._sprites)
        counts = [len(layer.points) for layer in sprite.layers]
        points = sum(counts)
        first = (self._point_count, points, self._corner_count, len(sprite.corners), sprite.channel)
        self._sprites.append((len(self._layers), len(counts), *first))
        begin = 0
        for layer, count in zip(sprite.layers, counts, strict=True):
            self._layers.append((begin, count, COLOUR_INDEX[layer.colour]))
            self._radii.append(layer.radius)
            begin += count
        self._points += [layer.points for layer in sprite.layers]
        self._corners.append(sprite.corners)
        self._sizes.append(sprite.size if len(sprite.corners) else np.zeros(2))
        self._centres.append(np.array([*sprite.centre, 0.0]))
        self._point_count += points
        self._corner_count += len(sprite.corners)
        return number

    def sprite_ints(self) -> np.ndarray:
        """int32 [sprites, 7]."""
        return np.array(self._sprites, np.int32)

    def layer_ints(self) -> np.ndarray:
        """int32 [layers, 3]."""
        return np.array(self._layers, np.int32)

    def radii(self) -> np.ndarray:
        """float [layers]: radii of circles in world units, 0 for polygons."""
        return np.array(self._radii)

    def points(self) -> np.ndarray:
        """float [points, 2]: the points of all layers."""
        return np.concatenate(self._points)

    def corners(self) -> np.ndarray:
        """float [corners, 2]: the outlines of all colliders."""
        return np.concatenate(self._corners)

    def sizes(self) -> np.ndarray:
        """float [sprites, 2]: widths and heights of colliders."""
        return np.array(self._sizes)

    def centres(self) -> np.ndarray:
        """float [sprites, (x, y, 0)]: positions in the sprites' own coordinates."""
        return np.array(self._centres)

    def channels(self) -> np.ndarray:
        """int [sprites]: channels in the symbolic tensor."""
        return self.sprite_ints()[:, CHANNEL]
