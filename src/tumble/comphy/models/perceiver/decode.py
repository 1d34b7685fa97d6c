"""Detections: from the network's output to centres, boxes, headings and looks of the bodies in each frame."""

from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, ObjectWorld
from tumble.comphy.models.data.shape_geometry import fold_table
from tumble.comphy.models.perceiver.network import CELL, COLUMNS, HEIGHT, WIDTH, DenseOutput, PerceiverNetwork
from tumble.comphy.models.perceiver.targets import view_angles
from tumble.comphy.observation.camera import CAMERA

MOST = 8
"""Detections in a frame."""
LEAST_SCORE = 0.3
NEVER_CLOSER = 5.0
"""Pixels between the centres of two bodies: bodies that touch are at least 8 apart in the picture."""
SAME_LOOKS_APART = 14.0
"""Pixels below which two detections that look the same are one body."""
SMALLEST_ERROR = 0.05
"""Pixels."""


@dataclass(frozen=True, eq=False)
class Detections:
    """Bodies found in frames, by frame and then by falling score."""

    frames: np.ndarray
    """int64 [detection]."""
    scores: np.ndarray
    """float32 [detection], from 0 to 1."""
    centres: np.ndarray
    """float64 [detection, 2]: x and y in pixels of the network's picture."""
    errors: np.ndarray
    """float64 [detection]: standard error of a centre's coordinates in pixels."""
    boxes: np.ndarray
    """float64 [detection, 4]: left, top, right and bottom of the visible part in pixels."""
    yaws: np.ndarray
    """float64 [detection]: heading modulo a full turn divided by `detected_folds`."""
    looks: np.ndarray
    """float32 [detection, look]: log probability of each colour, material and shape."""

    def __len__(self) -> int:
        return len(self.frames)

    def part(self, chosen: np.ndarray) -> "Detections":
        """Some of the detections."""
        return Detections(*(getattr(self, field.name)[chosen] for field in fields(self)))


def joined(parts: list[Detections]) -> Detections:
    """Detections of several batches, one after the other."""
    return Detections(*(np.concatenate([getattr(one, field.name) for one in parts]) for field in fields(Detections)))


def detect(network: PerceiverNetwork, output: DenseOutput, first_frame: int = 0) -> Detections:
    """The bodies in the pictures of a batch, whose frames are numbered from `first_frame`, without duplicates."""
    frames, cells, scores = _peaks(output.heat)
    bodies = network.bodies(output.features, frames, cells)
    middles = cells + 0.5
    limits = torch.tensor([WIDTH, HEIGHT, WIDTH, HEIGHT], device=cells.device)
    boxes = torch.minimum(CELL * (middles.repeat(1, 2) + bodies.box).clamp(min=0), limits)
    looks = [logits.log_softmax(dim=1) for logits in (bodies.color, bodies.material, bodies.shape)]
    joint = (looks[0][:, :, None, None] + looks[1][:, None, :, None] + looks[2][:, None, None, :]).flatten(1)
    angles = torch.atan2(bodies.yaw[:, 1], bodies.yaw[:, 0])
    columns = [frames[:, None], scores[:, None], CELL * (middles + bodies.offset), bodies.log_error.exp()[:, None]]
    values = torch.cat([*columns, boxes, angles[:, None], joint], dim=1).double().cpu().numpy()
    centres = values[:, 2:4]
    places = CAMERA.places(centres / (WIDTH, HEIGHT), CUBE_HALF_SIZE)
    folds = detected_folds(values[:, 10:], network.world)
    found = Detections(
        frames=values[:, 0].astype(np.int64) + first_frame,
        scores=values[:, 1].astype(np.float32),
        centres=centres,
        errors=np.maximum(values[:, 4], SMALLEST_ERROR),
        boxes=values[:, 5:9],
        yaws=np.mod(values[:, 9] / folds + view_angles(places), 2.0 * np.pi / folds),
        looks=values[:, 10:].astype(np.float32),
    )
    return without_duplicates(found)


def detected_folds(looks: np.ndarray, world: ObjectWorld) -> np.ndarray:
    """int [detection]: FOLDS of the likeliest shapes of looks [detection, look]; the largest ones for round shapes."""
    folds = fold_table(world)
    own = folds[looks.argmax(axis=1) % len(world.shapes)]
    return np.asarray(np.where(own > 0, own, folds.max()))


def _peaks(heat: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Frames [peak], cells [peak, 2] (column and row) and scores [peak] of the highest local maxima."""
    heat = heat.float().sigmoid()
    highest = functional.max_pool2d(heat[:, None], 3, 1, 1)[:, 0]
    scores, at = torch.where(heat == highest, heat, 0.0).flatten(1).topk(MOST)
    frames, numbers = torch.nonzero(scores >= LEAST_SCORE, as_tuple=True)
    flat = at[frames, numbers]
    cells = torch.stack([flat % COLUMNS, torch.div(flat, COLUMNS, rounding_mode="floor")], dim=1)
    return frames, cells, scores[frames, numbers]


def without_duplicates(found: Detections) -> Detections:
    """Detections without those that show the same body as one of higher score."""
    order = np.lexsort((-found.scores, found.frames))
    found = found.part(order)
    kept = np.ones(len(found), bool)
    best = found.looks.argmax(axis=1)
    for step in range(1, MOST):  # compares each detection with the one `step` places before it
        first, second = np.arange(len(found) - step), np.arange(step, len(found))
        apart = np.linalg.norm(found.centres[first] - found.centres[second], axis=1)
        near = (apart < NEVER_CLOSER) | ((apart < SAME_LOOKS_APART) & (best[first] == best[second]))
        kept[second[near & (found.frames[first] == found.frames[second])]] = False
    return found.part(kept)


def mask_labels(output: DenseOutput, centres: np.ndarray) -> np.ndarray:
    """uint8 [frame, HEIGHT, WIDTH]: k + 1 where body k is visible, 0 elsewhere.

    Each pixel of the foreground belongs to the body whose centre is nearest to where its cell says that the centre is.
    Centres are [frame, body, 2] in pixels, NaN for bodies that are not seen.
    """
    if not centres.shape[1]:
        return np.zeros(tuple(output.foreground.shape), np.uint8)
    device = output.heat.device
    rows, columns = output.to_centre.shape[-2:]
    middles = torch.stack(
        torch.meshgrid(torch.arange(columns, device=device), torch.arange(rows, device=device), indexing="xy")
    )
    votes = CELL * (middles + 0.5 + output.to_centre.float())  # [frame, 2, row, column]
    known = torch.from_numpy(np.where(np.isnan(centres), 1e6, centres)).to(device, torch.float32)
    distances = (votes[:, None] - known[..., None, None]).square().sum(dim=2)  # [frame, body, row, column]
    nearest, labels = distances.min(dim=1)
    labels = torch.where(nearest < 1e9, labels + 1, 0)
    labels = labels.repeat_interleave(CELL, dim=1).repeat_interleave(CELL, dim=2)
    result: np.ndarray = torch.where(output.foreground > 0, labels, 0).to(torch.uint8).cpu().numpy()
    return result
