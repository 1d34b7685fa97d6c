"""Scenes as arrays: the kinds, poses and lives of all objects but birds, before a shot."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.catalogue.physics import BIRD_COLOURS, BLOCKS, PIG_SIZES
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.simulation.world import LevelWorld
from tumble.scene import Vec

MAX_OBJECTS = 64
"""Objects of a scene, without birds."""
NONE = -1
"""The kind after the last object."""
KINDS: tuple[tuple[str, str, str], ...] = (
    ("platform", "", ""),
    ("tnt", "", ""),
    *(("pig", size, "") for size in PIG_SIZES),
    *(("block", shape, material) for shape, material in BLOCKS),
)
"""Kind, name and material of objects."""
KIND_INDEX = {kind: number for number, kind in enumerate(KINDS)}
PIG_KINDS = tuple(KIND_INDEX["pig", size, ""] for size in PIG_SIZES)
PLATFORM = KIND_INDEX["platform", "", ""]


class SceneError(TumbleError):
    """A scene that the ranker has no room for."""


@dataclass(frozen=True)
class Scenes:
    """Scenes, one row for each; objects after the last have the kind NONE."""

    kinds: np.ndarray
    """int8 [scenes, objects]: indices in KINDS."""
    poses: np.ndarray
    """float32 [scenes, objects, (x, y, radians)]."""
    sizes: np.ndarray
    """float32 [scenes, objects, 2]: width and height of platforms; 0 for others."""
    lives: np.ndarray
    """float32 [scenes, objects]: shares of lives that are left."""
    birds: np.ndarray
    """int8 [scenes]: the colour of the bird on the slingshot, as an index in BIRD_COLOURS."""
    birds_left: np.ndarray
    """int8 [scenes]: birds with that on the slingshot."""
    rests: np.ndarray
    """float32 [scenes, 2]: rest points of birds."""

    def __len__(self) -> int:
        return len(self.kinds)

    def take(self, rows: np.ndarray) -> "Scenes":
        """The given scenes."""
        return Scenes(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def joined_scenes(parts: Sequence[Scenes]) -> Scenes:
    """Scenes one after the other, with room for the objects of all."""
    width = max(part.kinds.shape[1] for part in parts)
    wide = [widened(part, width) for part in parts]
    return Scenes(**{f.name: np.concatenate([getattr(part, f.name) for part in wide]) for f in fields(Scenes)})


def widened(scenes: Scenes, width: int) -> Scenes:
    """Scenes with room for `width` objects."""
    more = width - scenes.kinds.shape[1]
    pads = {"kinds": NONE, "poses": 0.0, "sizes": 0.0, "lives": 0.0}
    arrays = {f.name: getattr(scenes, f.name) for f in fields(Scenes)}
    for name, value in pads.items():
        shape = [(0, 0), (0, more)] + [(0, 0)] * (arrays[name].ndim - 2)
        arrays[name] = np.pad(arrays[name], shape, constant_values=value)
    return Scenes(**arrays)


def scene_of_objects(objects: Sequence[GameObject], birds: Sequence[str], rest: Vec) -> Scenes:
    """The scene of the objects that an agent sees, with the colours of the birds that are left: one row."""
    seen = [obj for obj in objects if obj.kind not in ("bird", "egg")]
    _check_count(len(seen))
    kinds = [KIND_INDEX[obj.kind, obj.name if obj.kind in ("pig", "block") else "", obj.material] for obj in seen]
    poses = np.array([(obj.x, obj.y, np.radians(obj.rotation)) for obj in seen], np.float32).reshape(1, -1, 3)
    return Scenes(
        np.array([kinds], np.int8).reshape(1, -1),
        poses,
        np.array([[obj.size for obj in seen]], np.float32).reshape(1, -1, 2),
        np.array([[obj.life for obj in seen]], np.float32).reshape(1, -1),
        np.array([BIRD_COLOURS.index(birds[0])], np.int8),
        np.array([len(birds)], np.int8),
        np.array([rest], np.float32),
    )


def scenes_of_world(world: LevelWorld, poses: np.ndarray, lives: np.ndarray, shots: int) -> Scenes:
    """Scenes of a level after `shots` shots, for poses float [n, bodies, 3] and lives float [n, bodies].

    Objects are the level's platforms, blocks, pigs and TNT; those whose pose is NaN are gone and have the kind NONE.
    """
    objects = slice(1, world.first_bird)
    members, level = world.members[objects], world.level
    _check_count(len(members))
    kinds = np.array([KIND_INDEX[_kind_of(world, k)] for k in range(1, world.first_bird)], np.int8)
    sizes = [level.platforms[m.number].size if m.role == "platform" else (0.0, 0.0) for m in members]
    full = np.array([member.life for member in members])
    mortal = np.isfinite(full)
    shares = np.where(mortal, np.clip(lives[:, objects] / np.where(mortal, full, 1.0), 0.0, 1.0), 1.0)
    there = np.isfinite(poses[:, objects, 0])
    count = len(poses)
    return Scenes(
        np.where(there, kinds, NONE).astype(np.int8),
        np.nan_to_num(poses[:, objects]).astype(np.float32),
        np.broadcast_to(np.array(sizes, np.float32).reshape(-1, 2), (count, len(members), 2)).copy(),
        np.where(there, shares, 0.0).astype(np.float32),
        np.full(count, BIRD_COLOURS.index(level.birds[shots]), np.int8),
        np.full(count, len(level.birds) - shots, np.int8),
        np.broadcast_to(np.array(level.rest_point, np.float32), (count, 2)).copy(),
    )


def _kind_of(world: LevelWorld, body: int) -> tuple[str, str, str]:
    member, level = world.members[body], world.level
    if member.role == "pig":
        return "pig", level.pigs[member.number].size, ""
    if member.role == "block":
        block = level.blocks[member.number]
        return "block", block.shape, block.material
    return member.role, "", ""


def _check_count(count: int) -> None:
    if count > MAX_OBJECTS:
        raise SceneError(f"the shot ranker has room for {MAX_OBJECTS} objects, and this level has {count}")
