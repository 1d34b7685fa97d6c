"""The training of the perceiver, on frames that are rendered as it goes.

Rendering takes longer than a step of training, so every chunk of rendered frames is used in several steps, each time
with other augmentation: changes that make pictures like decoded videos. The batch of a step consists of the chunks
with the numbers step - lag, so it depends on the seed and the step only. Threads prepare chunks ahead; a GPU then
renders them without copies to the host.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.world import PLAIN, named_world
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.pictures import Pictures, Placed
from tumble.comphy.models.perceiver.network import (
    CELL,
    HEIGHT,
    WIDTH,
    BodyOutput,
    DenseOutput,
    PerceiverNetwork,
    channels_last,
    nearest_cells,
)
from tumble.comphy.models.perceiver.targets import BodyPlaces, FrameSampler, Targets, body_places, make_targets
from tumble.learning.harness import LossTraining, Optimisation
from tumble.learning.networks import full_precision

RENDERED_SIZE = (WIDTH, HEIGHT)
CHUNKS_AHEAD, CHUNK_THREADS = 8, 3
"""Chunks that are made ahead, and threads that prepare them for a GPU."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rendered frames on the device."""

    rgb: Tensor
    """uint8 [frame, HEIGHT, WIDTH, 3]."""
    labels: Tensor
    """uint8 [frame, HEIGHT, WIDTH]."""
    places: BodyPlaces

    def keep_for(self, stream: torch.cuda.Stream) -> None:
        """Keeps its memory until the work that a stream now has is done."""
        for tensor in (self.rgb, self.labels, *(getattr(self.places, field.name) for field in fields(self.places))):
            tensor.record_stream(stream)


class Batches:
    """Batches by step."""

    def __init__(self, sampler: FrameSampler, size: int, lags: Sequence[int], device: torch.device) -> None:
        """`size` frames in a batch, in equal parts from the chunks `lags` before a step."""
        self.sampler, self.lags, self.device = sampler, tuple(lags), device
        self.pictures = Pictures(sampler.sets.world, RENDERED_SIZE, device, sampler.stages, torch.get_num_threads())
        self.frames = max(size // len(self.lags), 1)
        self._chunks: dict[int, Future[Chunk]] = {}
        self._on_device = device.type == "cuda"
        self._pool = ThreadPoolExecutor(CHUNK_THREADS) if self._on_device else None
        self._renderer = ThreadPoolExecutor(1) if self._on_device else None
        self._stream = torch.cuda.Stream(device) if self._on_device else None  # type: ignore[no-untyped-call]

    def batch(self, step: int) -> tuple[Tensor, Targets]:
        """Pictures uint8 [frame, HEIGHT, WIDTH, 3] of a step, and their targets."""
        numbers = sorted(step - lag for lag in self.lags)
        self._chunks = {number: chunk for number, chunk in self._chunks.items() if number >= numbers[0]}
        # All chunks between are used by later steps; without threads they are made when they are.
        for number in range(numbers[0], step + 1 + CHUNKS_AHEAD) if self._on_device else numbers:
            if number not in self._chunks:
                self._chunks[number] = self._start(number)
        chunks = [self._chunks[number].result() for number in numbers]
        if self._on_device:
            for chunk in chunks:
                chunk.keep_for(torch.cuda.current_stream(self.device))
        names = [field.name for field in fields(BodyPlaces)]
        places = BodyPlaces(*(torch.cat([getattr(chunk.places, name) for chunk in chunks]) for name in names))
        rgb, labels = torch.cat([chunk.rgb for chunk in chunks]), torch.cat([chunk.labels for chunk in chunks])
        return rgb, make_targets(places, labels)

    def _start(self, number: int) -> "Future[Chunk]":
        """Starts to make a chunk: on a GPU by threads, one of which launches kernels in a stream of its own."""
        if self._pool is None or self._renderer is None:
            future: Future[Chunk] = Future()
            placed = self.sampler.sample(number, self.frames)
            rendered = self.pictures.render(placed)
            future.set_result(
                Chunk(rendered.rgb, rendered.mask, body_places(placed, self.sampler.sets.world, self.device))
            )
            return future
        return self._renderer.submit(self._render, self._pool.submit(self._prepare, number))

    def _prepare(self, number: int) -> Placed:
        return self.sampler.sample(number, self.frames)

    def _render(self, prepared: "Future[Placed]") -> Chunk:
        assert self._stream is not None
        placed = prepared.result()
        with torch.cuda.stream(self._stream):
            rendered = self.pictures.render(placed)
            places = body_places(placed, self.sampler.sets.world, self._stream.device)
            self._stream.synchronize()
        return Chunk(rendered.rgb, rendered.mask, places)


BLOCK = 8
"""Pixels along each side of the blocks that are quantised."""
UNCHANGED_SHARE = 0.15
"""Share of pictures that stay as they are."""
LARGEST_STEP = 14.0
"""Of the quantisation of brightness, of 255; H.264 at crf 18 has about 5 to 9."""
LARGEST_NOISE, LARGEST_GAIN, LARGEST_SHIFT = 2.5 / 255.0, 0.06, 0.03
BLURRED_SHARE = 0.25
"""Share of pictures that are blurred a little."""
# Rows: brightness, blue and red difference of RGB from 0 to 1 (ITU-R BT.601).
TO_YUV = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))
FROM_YUV = np.linalg.inv(np.array(TO_YUV)).tolist()


def augmented_pictures(pictures: Tensor) -> Tensor:
    """Changed pictures [frame, 3, height, width], values from 0 to 1, drawn with PyTorch's generator of the device."""
    count, device = len(pictures), pictures.device

    def draw(low: float, high: float, channels: int = 1) -> Tensor:
        return low + (high - low) * torch.rand((count, channels, 1, 1), device=device)

    changed = pictures * draw(1 - LARGEST_GAIN, 1 + LARGEST_GAIN) * draw(0.98, 1.02, 3)
    changed = changed + draw(-LARGEST_SHIFT, LARGEST_SHIFT)
    changed = torch.where(draw(0.0, 1.0) < BLURRED_SHARE, _blurred(changed, draw(0.0, 0.5)), changed)
    changed = compressed_pictures(changed.clamp(0.0, 1.0), draw(0.0, LARGEST_STEP) / 255.0)
    changed = changed + torch.randn_like(changed) * draw(0.0, LARGEST_NOISE)
    return torch.where(draw(0.0, 1.0) < UNCHANGED_SHARE, pictures, changed.clamp(0.0, 1.0))


def compressed_pictures(pictures: Tensor, steps: Tensor) -> Tensor:
    """Pictures as a video codec leaves them: colours at half the resolution, cosine coefficients in whole steps.

    `steps` are [frame, 1, 1, 1], of brightness; colours have steps one and a half times as large.
    """
    yuv = _mixed(pictures, TO_YUV)
    light = _quantised(yuv[:, :1], steps)
    colours = _quantised(functional.avg_pool2d(yuv[:, 1:], 2), 1.5 * steps)
    colours = functional.interpolate(colours, scale_factor=2, mode="bilinear", align_corners=False)
    return _mixed(torch.cat([light, colours], dim=1), FROM_YUV).clamp(0.0, 1.0)


def _mixed(pictures: Tensor, matrix: Sequence[Sequence[float]]) -> Tensor:
    """Pictures with other channels, each a row of the matrix."""
    channels = pictures.unbind(dim=1)
    return torch.stack([red * channels[0] + green * channels[1] + blue * channels[2] for red, green, blue in matrix], 1)


def _quantised(values: Tensor, steps: Tensor) -> Tensor:
    """Values [frame, channel, height, width] whose cosine coefficients in blocks are whole numbers of steps."""
    frames, channels, height, width = values.shape
    padded = functional.pad(values, (0, -width % BLOCK, 0, -height % BLOCK), mode="replicate")
    cosines = cosine_matrix(values.device)
    rows, columns = padded.shape[2] // BLOCK, padded.shape[3] // BLOCK
    blocks = padded.reshape(frames, channels, rows, BLOCK, columns, BLOCK).transpose(3, 4)
    steps = steps[..., None, None].clamp(min=1e-4)
    coefficients = torch.round(cosines @ blocks @ cosines.T / steps) * steps
    result = (cosines.T @ coefficients @ cosines).transpose(3, 4).reshape(frames, channels, *padded.shape[2:])
    return result[..., :height, :width]


def cosine_matrix(device: torch.device) -> Tensor:
    """[BLOCK, BLOCK]: the orthonormal discrete cosine transform."""
    k = torch.arange(BLOCK, device=device, dtype=torch.float32)
    matrix = torch.cos(math.pi / BLOCK * (k + 0.5) * k[:, None]) * math.sqrt(2.0 / BLOCK)
    matrix[0] /= math.sqrt(2.0)
    return matrix


def _blurred(pictures: Tensor, weights: Tensor) -> Tensor:
    """Pictures mixed with the mean of 3 x 3 pixels, by weights [frame, 1, 1, 1]."""
    around = functional.avg_pool2d(functional.pad(pictures, (1, 1, 1, 1), mode="replicate"), 3, 1)
    return pictures + weights * (around - pictures)


NEAR_MISS = 4.0
"""Exponent by which heat near a centre is forgiven."""
LOG_ERROR_RANGE = (-4.0, 4.0)
SMALLEST_ERROR = 0.05
"""Pixels by which errors are softened: nearly exact centres must not decide the likelihood."""
SUBPIXEL = 0.25
"""Pixels below which the loss of a distance is quadratic."""


def heat_loss(heat: Tensor, targets: Targets) -> Tensor:
    """Focal loss of a heat map, per body: 1 is wanted at centres, less is forgiven around them."""
    logits, wanted = heat.float(), targets.heat
    share = torch.sigmoid(logits)
    is_centre = wanted == 1.0
    found = -functional.logsigmoid(logits) * (1.0 - share) ** 2
    wrong = -functional.logsigmoid(-logits) * share**2 * (1.0 - wanted) ** NEAR_MISS
    loss = torch.where(is_centre, found, wrong * ~targets.ignored)
    return loss.sum() / is_centre.sum().clamp(min=1)


def mask_losses(output: DenseOutput, targets: Targets) -> dict[str, Tensor]:
    """Losses of the foreground, and of the vectors to the centres of bodies, in cells."""
    shows = targets.labels > 0
    foreground = functional.binary_cross_entropy_with_logits(output.foreground.float(), shows.float())
    # The middle of a cell is a corner of four pixels; the label of one of them stands for the cell.
    labels = targets.labels[:, CELL // 2 :: CELL, CELL // 2 :: CELL].long()
    at = (labels - 1).clamp(min=0).flatten(1)
    centres = targets.places.centres.gather(1, at[..., None].expand(-1, -1, 2)).reshape(*labels.shape, 2)
    rows, columns = (torch.arange(size, device=labels.device) + 0.5 for size in labels.shape[1:])
    middles = torch.stack(torch.meshgrid(columns, rows, indexing="xy"), dim=-1)
    errors = output.to_centre.float().permute(0, 2, 3, 1) - (centres - middles)
    inside = labels > 0
    distance = functional.smooth_l1_loss(errors, torch.zeros_like(errors), reduction="none", beta=0.25).sum(dim=-1)
    return {"foreground": foreground, "to centre": (distance * inside).sum() / inside.sum().clamp(min=1)}


def body_losses(
    output: BodyOutput, targets: Targets, frames: Tensor, bodies: Tensor, cells: Tensor
) -> dict[str, Tensor]:
    """Losses of what is said of some bodies, in pixels, from cells [body, 2] at or near theirs.

    All are means over the wanted ones of the given bodies, that is, of `bodies` in `frames`.
    """
    weights = targets.wanted[frames, bodies].float()
    count = weights.sum().clamp(min=1)
    middles = cells + 0.5
    places = targets.places

    def mean(values: Tensor, among: Tensor | None = None) -> Tensor:
        if among is None:
            return (values * weights).sum() / count
        return (values * weights * among).sum() / (weights * among).sum().clamp(min=1)

    errors = CELL * (output.offset - (places.centres[frames, bodies] - middles))
    sides = middles.repeat(1, 2)
    box_errors = CELL * (output.box - (targets.boxes[frames, bodies] - sides))
    turned = places.has_yaw[frames, bodies].float()
    looks = places.looks[frames, bodies].clamp(min=0)
    losses = {
        "centre": mean(_distance(errors)),
        "error": mean(_error_likelihood(output.log_error, errors.detach())),
        "box": mean(_distance(box_errors)),
        "yaw": mean((output.yaw - places.yaws[frames, bodies]).square().sum(dim=-1), turned),
    }
    for k, (name, logits) in enumerate(
        {"color": output.color, "material": output.material, "shape": output.shape}.items()
    ):
        losses[name] = mean(functional.cross_entropy(logits, looks[:, k], reduction="none"))
    return losses


def _distance(errors: Tensor) -> Tensor:
    """[body]: the sum of smoothed absolute errors [body, coordinate]."""
    return functional.smooth_l1_loss(errors, torch.zeros_like(errors), reduction="none", beta=SUBPIXEL).sum(dim=-1)


def _error_likelihood(log_error: Tensor, errors: Tensor) -> Tensor:
    """[body]: negative log likelihood of errors [body, 2] as of a normal distribution with this standard deviation."""
    log_error = log_error.clamp(*LOG_ERROR_RANGE)
    variance = torch.exp(2.0 * log_error)
    return log_error + 0.25 * (errors.square() + SMALLEST_ERROR**2).sum(dim=-1) / variance


NAME = "perceiver"


@dataclass(frozen=True)
class PerceiverConfig:
    """Settings of the perceiver and its training."""

    stem: int = 16
    """Channels at stride 2."""
    widths: tuple[int, ...] = (32, 48, 80, 96)
    """Channels at strides 4, 8, 16 and 32."""
    features: int = 48
    """Channels of the last features, at stride 4."""
    hidden: int = 192
    """Units of the layers that describe a body."""
    batch: int = 256
    """Frames in a step."""
    lags: tuple[int, ...] = (0, 3, 7, 12)
    """Steps, counted from the one for which a frame was rendered, in which the frame is used."""
    random_places: float = 0.3
    """Share of frames with bodies placed at random near each other, instead of those of a set."""
    random_looks: float = 0.5
    """Share of the frames of sets in which bodies get other looks."""
    jitter: int = 1
    """Cells by which the cell that describes a body may be off, as a detected one may be."""
    learning_rate: float = 2e-3
    weight_decay: float = 1e-4
    heat_weight: float = 1.0
    foreground_weight: float = 2.0
    to_centre_weight: float = 0.3
    centre_weight: float = 0.5
    error_weight: float = 0.2
    box_weight: float = 0.1
    yaw_weight: float = 1.5
    color_weight: float = 0.5
    material_weight: float = 0.5
    shape_weight: float = 0.5
    world: str = PLAIN.name
    """Of the sets."""
    stages: int = 240
    """Different stages of pictures, in a world that has stages."""

    def weights(self) -> dict[str, float]:
        """The weights of the losses, by their names."""
        return {
            "heat": self.heat_weight,
            "foreground": self.foreground_weight,
            "to centre": self.to_centre_weight,
            "centre": self.centre_weight,
            "error": self.error_weight,
            "box": self.box_weight,
            "yaw": self.yaw_weight,
            "color": self.color_weight,
            "material": self.material_weight,
            "shape": self.shape_weight,
        }

    def network(self) -> PerceiverNetwork:
        """An untrained network."""
        return PerceiverNetwork(self.stem, tuple(self.widths), self.features, self.hidden, named_world(self.world))


class PerceiverTraining(LossTraining):
    """Trains the perceiver."""

    name = NAME
    config_class = PerceiverConfig

    def __init__(self, config: PerceiverConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config, self.device = config, device
        torch.manual_seed(seed)
        self.network: PerceiverNetwork = channels_last(config.network().to(device))
        self.optimisation = Optimisation(config.learning_rate, config.weight_decay, clip=5.0, bfloat16=True)
        sampler = FrameSampler(sets, seed, config.random_places, config.random_looks, config.stages)
        self.batches = Batches(sampler, config.batch, config.lags, device)

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        """The weighted losses of a batch."""
        with full_precision(self.device):
            rgb, targets = self.batches.batch(step)
            pictures = augmented_pictures(rgb.permute(0, 3, 1, 2).float() / 255.0)
        output = self.network(pictures)
        frames, bodies, cells = self._described(targets)
        described = self.network.bodies(output.features, frames, cells)
        with full_precision(self.device):
            losses = {
                "heat": heat_loss(output.heat, targets),
                **mask_losses(output, targets),
                **body_losses(described, targets, frames, bodies, cells),
            }
        return {name: weight * losses[name] for name, weight in self.config.weights().items()}

    def _described(self, targets: Targets) -> tuple[Tensor, Tensor, Tensor]:
        """Frames, bodies and cells at which bodies are described: all bodies twice, at their cell and near it."""
        count, most = targets.wanted.shape
        frames = torch.arange(count, device=self.device).repeat_interleave(most)
        bodies = torch.arange(most, device=self.device).repeat(count)
        exact = targets.cells.flatten(0, 1)
        jitter = self.config.jitter
        near = exact + torch.randint(-jitter, jitter + 1, exact.shape, device=self.device)
        return frames.repeat(2), bodies.repeat(2), torch.cat([exact, nearest_cells(near)])
