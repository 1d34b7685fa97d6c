"""Observations of many levels, drawn in one call on a CPU or a GPU."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import warp as wp

from tumble.phyq.observation import batch_kernel as kernels
from tumble.phyq.observation.camera import (
    COLUMNS,
    PIXELS_PER_UNIT,
    ROWS,
    SCREENSHOT_PALETTE,
    grass_layers,
    scenery_background,
    to_pixels,
)
from tumble.phyq.observation.drawing import SEEN_ROWS, SMOOTHNESS
from tumble.phyq.observation.objects import COLOUR_INDEX, GameObject, poses_of
from tumble.phyq.observation.sprites import NO_SPRITE, POINT_COUNT, SpriteTable
from tumble.phyq.observation.symbolic import CELL, TENSOR_SHAPE
from tumble.scene import Vec

STRIPS = -(-SEEN_ROWS // CELL)
"""Rows of cells in which objects are drawn; below there is only earth."""
CPU_PICTURES, GPU_PICTURES = 8, 512
"""Pictures that are drawn at a time: each takes 2 MB while it is drawn."""
SMALL_SHAPE = (ROWS // CELL, COLUMNS // CELL, 3)


@dataclass(frozen=True)
class Scenes:
    """What is seen in n pictures, from back to front: sprites int32 [n, k], NO_SPRITE where there is none, and poses.

    Poses are float [n, k, (x, y, radians)], NaN where an object is absent.
    """

    sprites: np.ndarray
    poses: np.ndarray

    def __len__(self) -> int:
        return len(self.sprites)


def drawing_order(objects: Sequence[GameObject]) -> tuple[list[int], list[int]]:
    """The indices of objects behind the slingshot and in front of it, each from back to front."""
    behind = [k for k, one in enumerate(objects) if one.kind == "platform"]
    return behind, [k for k, one in enumerate(objects) if one.kind != "platform"]


def scene_of(table: SpriteTable, objects: Sequence[GameObject], slingshot: Vec) -> Scenes:
    """One picture of the objects where they are."""
    behind, front = drawing_order(objects)
    numbers, poses = table.of_objects(objects), poses_of(objects)
    sprites = [*(numbers[k] for k in behind), table.of_sling(slingshot), *(numbers[k] for k in front)]
    placed = np.concatenate([poses[behind], np.zeros((1, 3)), poses[front]])
    return Scenes(np.array([sprites], np.int32), placed[None])


class BatchPainter:
    """Draws scenes whose sprites are of a table, on a GPU or on a number of CPU threads."""

    def __init__(self, table: SpriteTable, device: str = "cpu", threads: int = 1) -> None:
        self.table = table
        self._device = wp.get_device(device)
        self._threads = threads if self._device.is_cpu else 1
        self._uploaded: dict[str, Any] = {}
        self._uploaded_sprites = 0

    def tensors(self, scenes: Scenes) -> Any:
        """Symbolic tensors as a Warp array: uint8 [n, 120, 160, 12] (see `tensor.state_tensor`)."""
        return self._filled(kernels.fill_cells, wp.uint8, TENSOR_SHAPE, scenes)

    def planes(self, scenes: Scenes) -> Any:
        """Symbolic tensors as a Warp array: float32 [n, 12, 120, 160]."""
        return self._filled(kernels.fill_planes, wp.float32, (TENSOR_SHAPE[2], *TENSOR_SHAPE[:2]), scenes)

    def pictures(self, scenes: Scenes) -> Any:
        """Screenshots as a Warp array: uint8 [n, 480, 640, 3]."""
        return self._painted(kernels.mix_pixels, _background_pixels(), scenes)

    def small_pictures(self, scenes: Scenes) -> Any:
        """Screenshots with sides of a quarter, uint8 [n, 120, 160, 3]: the mean colours of CELL x CELL pixels."""
        return self._painted(kernels.mix_cells, _background_cells(), scenes)

    def _filled(self, kernel: Any, dtype: type, shape: tuple[int, ...], scenes: Scenes) -> Any:
        sprites, poses = self._placed(scenes)
        tensors = wp.zeros((len(scenes), *shape), dtype=dtype, device=self._device)
        table = self._table()
        inputs = [sprites, poses, table["sprite_ints"], table["corners"]]
        self._launch(kernel, scenes.sprites.shape, inputs, [tensors])
        return tensors

    def _painted(self, mix: Any, background: np.ndarray, scenes: Scenes) -> Any:
        """Pictures over a background [rows, columns, 3], drawn in chunks."""
        table = self._table()
        result = self._copies(background, len(scenes))
        chunk = CPU_PICTURES if self._device.is_cpu else GPU_PICTURES
        firsts = iter(range(0, len(scenes), chunk))  # each thread takes the next chunk when it is done with one

        def draw(_: int) -> None:
            room = min(chunk, len(scenes))
            fine = wp.empty((room, STRIPS * kernels.SIDE, COLUMNS * SMOOTHNESS), dtype=wp.uint8, device=self._device)
            touched = wp.empty((room, STRIPS, COLUMNS // CELL), dtype=wp.uint8, device=self._device)
            for first in firsts:
                last = min(first + chunk, len(scenes))
                part = Scenes(scenes.sprites[first:last], scenes.poses[first:last])
                self._paint(self._with_grass(part), table, fine, touched)
                cells = (last - first, STRIPS, COLUMNS // CELL)
                self._launch(mix, cells, [fine, touched, table["palette"]], [result[first:last]])

        threads = min(self._threads, -(-len(scenes) // chunk))
        if threads <= 1:
            draw(0)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(draw, range(threads)))
        return result

    def _copies(self, background: np.ndarray, count: int) -> Any:
        """A Warp array [count, rows, columns, 3] of the same picture."""
        result = wp.empty((count, *background.shape), dtype=wp.uint8, device=self._device)
        if count:
            wp.copy(result[:1], self._array(background[None], wp.uint8))
        filled = 1
        while filled < count:
            more = min(filled, count - filled)
            wp.copy(result[filled : filled + more], result[:more])
            filled += more
        return result

    def _paint(self, scenes: Scenes, table: dict[str, Any], fine: Any, touched: Any) -> None:
        sprites, poses = self._placed(scenes)
        numbers = sprites.numpy()
        counts = np.where(numbers < 0, 0, table["point_counts"][numbers])
        total = int(counts.sum())
        first_point = self._array((np.cumsum(counts).reshape(counts.shape) - counts).astype(np.int32), wp.int32)
        points = wp.empty((1, max(1, total)), dtype=wp.vec2, device=self._device)
        bounds = wp.empty(counts.shape, dtype=wp.vec2, device=self._device)
        looks = [table["sprite_ints"], table["layer_ints"], table["radii"]]
        inputs = [sprites, poses, first_point, *looks, table["points"]]
        self._launch(kernels.place_points, counts.shape, inputs, [points, bounds])
        inputs = [sprites, first_point, bounds, *looks, points, table["background"]]
        self._launch(kernels.paint_strips, (len(scenes), STRIPS), inputs, [fine, touched])

    def _with_grass(self, scenes: Scenes) -> Scenes:
        """The scenes with the grass in front of everything."""
        sprites = np.pad(scenes.sprites, ((0, 0), (0, 1)), constant_values=self.table.grass)
        return Scenes(sprites, np.pad(scenes.poses, ((0, 0), (0, 1), (0, 0))))

    def _placed(self, scenes: Scenes) -> tuple[Any, Any]:
        """Sprites int32 [n, k] and poses [n, k, (x, y, cosine, sine)] on the device; sines in NumPy, as Warp's differ
        between machines."""
        seen = np.isfinite(scenes.poses).all(axis=-1)
        poses = np.where(seen[..., None], scenes.poses, 0.0)
        turns = poses[..., 2]
        rows = np.stack([poses[..., 0], poses[..., 1], np.cos(turns), np.sin(turns)], axis=-1)
        return self._array(np.where(seen, scenes.sprites, NO_SPRITE).astype(np.int32), wp.int32), self._array(
            rows, wp.vec4d
        )

    def _table(self) -> dict[str, Any]:
        """The sprite table on the device, uploaded again when it has grown."""
        if self._uploaded_sprites != len(self.table):
            table = self.table
            radii = (table.radii() * (SMOOTHNESS * PIXELS_PER_UNIT)).astype(np.float32)
            self._uploaded = {
                "point_counts": table.sprite_ints()[:, POINT_COUNT],
                "sprite_ints": self._array(table.sprite_ints(), wp.int32),
                "layer_ints": self._array(table.layer_ints(), wp.int32),
                "radii": self._array(radii, wp.float32),
                "points": self._array(table.points(), wp.vec2d),
                "corners": self._array(table.corners(), wp.vec2d),
                "background": self._array(_fine_background(), wp.uint8),
                "palette": self._array(SCREENSHOT_PALETTE.astype(np.int32), wp.vec3i),
            }
            self._uploaded_sprites = len(table)
        return self._uploaded

    def _array(self, values: np.ndarray, dtype: type) -> Any:
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device=self._device, copy=not self._device.is_cpu)

    def _launch(self, kernel: Any, dim: tuple[int, ...], inputs: list[Any], outputs: list[Any]) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, outputs=outputs, device=self._device)


def screenshot_of(objects: Sequence[GameObject], slingshot: Vec) -> np.ndarray:
    """A screenshot of some objects: uint8 [480, 640, 3]."""
    painter = BatchPainter(SpriteTable())
    return np.asarray(painter.pictures(scene_of(painter.table, objects, slingshot)).numpy()[0])


@cache
def _fine_background() -> np.ndarray:
    """Colour indices uint8 [rows, columns] of the subpixels of a picture without objects, grass included."""
    indices = scenery_background(SMOOTHNESS)[: STRIPS * kernels.SIDE].copy()
    for layer in grass_layers():
        rows = (to_pixels(layer.points)[:, 1] * SMOOTHNESS - 0.5).astype(np.float32)
        indices[int(np.ceil(rows.min())) : int(np.floor(rows.max())) + 1] = COLOUR_INDEX[layer.colour]
    return np.asarray(indices)


@cache
def _background_pixels() -> np.ndarray:
    """uint8 [480, 640, 3]: a picture without objects."""
    indices = scenery_background(SMOOTHNESS).copy()
    indices[: STRIPS * kernels.SIDE] = _fine_background()
    samples = SMOOTHNESS**2
    colours = SCREENSHOT_PALETTE.astype(np.int64)[indices].reshape(ROWS, SMOOTHNESS, COLUMNS, SMOOTHNESS, 3)
    return np.asarray((colours.sum(axis=(1, 3)) + samples // 2) // samples, np.uint8)


@cache
def _background_cells() -> np.ndarray:
    """uint8 [120, 160, 3]: a small picture without objects."""
    cells = _background_pixels().reshape(ROWS // CELL, CELL, COLUMNS // CELL, CELL, 3)
    return np.asarray(cells.mean(axis=(1, 3)).round(), np.uint8)
