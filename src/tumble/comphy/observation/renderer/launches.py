"""All launches that render a batch of frames, and the device memory that these need."""

from typing import Any, NamedTuple

import warp as wp

from tumble.comphy.observation.renderer.body_row import MAX_BODIES
from tumble.comphy.observation.renderer.context import PictureContext, RenderContext
from tumble.comphy.observation.renderer.edges import antialias_edges, find_edges
from tumble.comphy.observation.renderer.tiles import SPANS, TILE, find_spans, mark_tiles, tile_counts
from tumble.comphy.observation.renderer.trace import trace
from tumble.comphy.observation.renderer.warp_module import BLOCK
from tumble.engine.host.compiling import Compiling
from tumble.engine.host.machine import Machine

COMPILING = Compiling("the renderer", (2, 10), (5, 20))
EDGE_THREADS = 1 << 17
"""Threads of a GPU that antialias edges: about as many as a batch of frames has edges."""


class Layers(NamedTuple):
    """The pictures of a batch of frames on a device."""

    rgb: Any
    """vec3ub [frame, height, width]."""
    mask: Any
    """uint8 [frame, height, width]."""
    depth: Any
    """float32 [frame, height, width]; [0, height, width] if it is not needed."""


def load_kernels(machine: Machine) -> None:
    """Compiles the kernels, or loads them from the cache."""
    machine.load(trace, compiling=COMPILING, block_dim=BLOCK)


def empty_layers(frames: int, context: PictureContext, with_depth: bool, device: Any, pinned: bool = False) -> Layers:
    """Memory for pictures, on a device or pinned on the host."""
    shape = context.size[1], context.size[0]

    def empty(frames: int, dtype: Any) -> Any:
        return wp.empty((frames, *shape), dtype=dtype, device=device, pinned=pinned)

    return Layers(empty(frames, wp.vec3ub), empty(frames, wp.uint8), empty(frames if with_depth else 0, wp.float32))


def layers_part(layers: Layers, part: slice) -> Layers:
    """Some of the frames."""
    return Layers(layers.rgb[part], layers.mask[part], layers.depth[part] if len(layers.depth) else layers.depth)


class Scratch:
    """Device memory for what is computed on the way, for batches of up to `frames` frames."""

    def __init__(self, context: PictureContext, frames: int) -> None:
        device, (width, height) = context.device, context.size
        self.spans = wp.empty((frames, MAX_BODIES, SPANS), dtype=wp.vec4i, device=device)
        self.tiles = wp.empty((frames, *tile_counts(context.size)), dtype=int, device=device)
        self.edges = wp.empty(frames * width * height, dtype=int, device=device)
        self.edge_count = wp.empty(1, dtype=int, device=device)


def draw(context: RenderContext, scratch: Scratch, bodies: Any, layers: Layers, stream: Any = None) -> None:
    """Renders bodies BodyRow [frame, body] of at least one frame into layers, all on the device."""
    frames = len(bodies)
    rows, columns = tile_counts(context.size)
    lanes, threads = (1, 1) if context.device.is_cpu else (TILE * TILE, EDGE_THREADS)
    tiles, edges = scratch.tiles[:frames], (scratch.edges, scratch.edge_count)

    def launch(kernel: Any, shape: tuple[int, ...], inputs: list[Any]) -> None:
        wp.launch(kernel, dim=shape, inputs=inputs, device=context.device, stream=stream, block_dim=BLOCK)

    mark(context, scratch, bodies, stream)
    scene = [context.view, bodies, tiles, context.lamp, context.srgb]
    table = [context.table_rgb, context.table_depth]
    launch(trace, (frames, rows, columns, lanes), [*scene, *table, lanes, *layers])
    launch(find_edges, (frames, rows, columns, lanes), [tiles, lanes, layers.rgb, layers.mask, *edges])
    launch(antialias_edges, (threads,), [*scene, *edges, threads, layers.rgb])


def mark(context: RenderContext, scratch: Scratch, bodies: Any, stream: Any = None) -> None:
    """Marks the bodies that matter in each tile, and clears the edges of the last batch."""
    frames, width = bodies.shape
    spans, tiles = scratch.spans[:frames, :width], scratch.tiles[:frames]
    launch = {"device": context.device, "stream": stream, "block_dim": BLOCK}
    wp.launch(find_spans, dim=(frames, width), inputs=[context.view, bodies, spans, scratch.edge_count], **launch)
    wp.launch(mark_tiles, dim=tiles.shape, inputs=[spans, tiles], **launch)
