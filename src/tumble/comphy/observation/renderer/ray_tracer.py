"""The built-in renderer: rays through every pixel that a body touches, on a CPU or a GPU, the same picture on both."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer import kernels
from tumble.comphy.observation.renderer.clips import Clip, clip_of, rows_of
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.rays import BodyRow
from tumble.comphy.observation.renderer.studio import Size, Studio, studio
from tumble.comphy.observation.renderer.tiles import TILE, Tile, tiles_of
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.motion import Motion
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options

FULL_SIZE: Size = (480, 320)
CPU_PIECE, GPU_PIECE = 4, 64
"""Frames in one launch."""
GPU_LANES = 4
"""Threads that feed a GPU: while one fetches its pictures, the others' are rendered."""
COMPILING = "tumble: compiling the renderer for {}, once; this takes about 15 seconds"


def render(
    bodies: tuple[Body, ...],
    motion: Motion,
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    frames: slice = slice(None),
    camera: Camera = CAMERA,
) -> Frames:
    """Renders a motion, or some of its frames."""
    return render_many([clip_of(bodies, motion, frames)], size, device, threads, camera)[0]


def render_many(
    clips: Sequence[Clip],
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    camera: Camera = CAMERA,
    progress: Callable[[int], None] = lambda frames: None,
) -> list[Frames]:
    """Renders clips of different bodies in one go; `threads` are a CPU's, 0 for all cores, and change no pixel."""
    machine = Machine(Options(device=device, threads=threads), GPU_LANES)
    machine.load(kernels.trace, message=COMPILING, block_dim=kernels.BLOCK)
    room = studio(str(machine.device), camera, size)
    rows = rows_of(clips)
    bodies = wp.array(rows, dtype=BodyRow, device=machine.device)
    shape = (len(rows), size[1], size[0])
    whole = Frames(np.empty((*shape, 3), np.uint8), np.empty(shape, np.uint8), np.empty(shape, np.float32))
    step = CPU_PIECE if machine.is_cpu else GPU_PIECE
    lanes = [Lane(machine, room, (min(step, len(rows)), *shape[1:])) for _ in range(machine.threads)]
    wp.synchronize_device(machine.device)

    def work(lane: int, first: int) -> None:
        piece = slice(first, min(first + step, len(rows)))
        lanes[lane].run(bodies[piece], *tiles_of(rows[piece], camera, size), _part(whole, piece))
        progress(piece.stop - first)

    machine.for_pieces(range(0, len(rows), step), work)
    ends = np.cumsum([clip.frames for clip in clips])
    return [_part(whole, slice(end - clip.frames, end)) for clip, end in zip(clips, ends, strict=True)]


def _part(frames: Frames, part: slice) -> Frames:
    return Frames(frames.rgb[part], frames.mask[part], frames.depth[part])


class Lane:
    """What one thread works with: memory for a piece, and on a GPU a stream of commands of its own."""

    def __init__(self, machine: Machine, room: Studio, shape: tuple[int, int, int]) -> None:
        self.device, self.is_cpu, self.room = machine.device, machine.is_cpu, room
        self.stream = None if self.is_cpu else wp.Stream(self.device)
        most = shape[0] * -(-shape[1] // TILE) * -(-shape[2] // TILE)
        self.tiles = wp.empty(most, dtype=Tile, device=self.device)
        self.edges = wp.empty((most, TILE * TILE), dtype=wp.uint8, device=self.device)
        self.own: tuple[Any, ...] = ()
        if not self.is_cpu:
            kinds = ((*shape, 3), wp.uint8), (shape, wp.uint8), (shape, wp.float32)
            self.own = tuple(wp.empty(shape, dtype=kind, device=self.device) for shape, kind in kinds)

    def run(self, bodies: Any, tiles: np.ndarray, showing: int, into: Frames) -> None:
        """Renders a piece; a CPU does so where the pictures are wanted, a GPU's are fetched."""
        wanted = [wp.array(layer, device="cpu", copy=False) for layer in (into.rgb, into.mask, into.depth)]
        rgb, mask, depth = wanted if self.is_cpu else [layer[: len(into.rgb)] for layer in self.own]
        room = self.room
        self._launch(kernels.lay_table, mask.shape[:2], [room.rgb, room.depth, rgb, mask, depth])
        if len(tiles):
            spots = self._upload(tiles)
            rays = [room.view, bodies, spots, room.lamp, room.tones]
            self._launch(kernels.trace, (len(tiles), TILE * TILE), [*rays, rgb, mask, depth])
            self._launch(kernels.mark_edges, (showing, TILE * TILE), [spots, rgb, mask, self.edges])
            self._launch(kernels.refine, (showing, TILE * TILE), [*rays, self.edges, rgb])
        if self.stream is not None:
            for target, source in zip(wanted, (rgb, mask, depth), strict=True):
                wp.copy(target, source, stream=self.stream)
            wp.synchronize_stream(self.stream)

    def _upload(self, tiles: np.ndarray) -> Any:
        wp.copy(self.tiles, wp.array(tiles, dtype=Tile, device="cpu"), count=len(tiles), stream=self.stream)
        return self.tiles

    def _launch(self, kernel: Any, shape: tuple[int, ...], inputs: list[Any]) -> None:
        block = kernels.BLOCK
        wp.launch(kernel, dim=shape, inputs=inputs, device=self.device, stream=self.stream, block_dim=block)
