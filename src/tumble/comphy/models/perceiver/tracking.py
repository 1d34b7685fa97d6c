"""Detections and tracks: bodies in each frame from the network's output, linked over frames by place and looks."""

from dataclasses import dataclass, field, fields

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, ObjectWorld
from tumble.comphy.models.data.geometry import fold_table
from tumble.comphy.models.perceiver.network import CELL, COLUMNS, HEIGHT, WIDTH, DenseOutput, PerceiverNetwork
from tumble.comphy.models.perceiver.targets import view_angles
from tumble.comphy.observation.camera import CAMERA

MOST_DETECTIONS = 8
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


def joined_detections(parts: list[Detections]) -> Detections:
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
    scores, at = torch.where(heat == highest, heat, 0.0).flatten(1).topk(MOST_DETECTIONS)
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
    for step in range(1, MOST_DETECTIONS):  # compares each detection with the one `step` places before it
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


def assign(costs: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (row, column) of least total cost [row, column]; each row and column is used once, as far as there are.

    Shortest augmenting paths, one row after the other.

    >>> assign(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]))
    [(0, 1), (1, 0)]
    """
    if costs.shape[0] > costs.shape[1]:
        return sorted((row, column) for column, row in assign(costs.T))
    table = np.asarray(costs, float)
    rows, columns = table.shape
    row_prices, column_prices = np.zeros(rows), np.zeros(columns)
    row_of = np.full(columns, -1)
    for start in range(rows):
        distances = np.full(columns, np.inf)
        before = np.full(columns, -1)
        done = np.zeros(columns, bool)
        row, column, length = start, -1, 0.0
        while True:
            lengths = length + table[row] - row_prices[row] - column_prices
            shorter = ~done & (lengths < distances)
            distances[shorter] = lengths[shorter]
            before[shorter] = column
            column = int(np.where(done, np.inf, distances).argmin())
            length = float(distances[column])
            if row_of[column] < 0:
                break
            done[column] = True
            row = int(row_of[column])
        row_prices[start] += length
        for other in np.flatnonzero(done):
            change = length - distances[other]
            row_prices[row_of[other]] += change
            column_prices[other] -= change
        while column >= 0:
            earlier = int(before[column])
            row_of[column] = row_of[earlier] if earlier >= 0 else start
            column = earlier
    return sorted((int(row), column) for column, row in enumerate(row_of) if row >= 0)


LONGEST_GAP = 8
"""Frames without a detection after which a track ends; looks join its parts later."""
REACH, REACH_PER_FRAME = 14.0, 4.0
"""Largest distance of a body from its expected place, in pixels, and what each missed frame adds to it."""
POSITION_SCALE = 6.0
"""Pixels from the expected place that cost 1."""
LEAST_ALIKE = 1e-3
"""Probability that two detections look the same, at least: a wrong look does not exclude a link."""
MOST_COST = 8.5
FORBIDDEN = 1e6


@dataclass(eq=False)
class Track:
    """Detections of one body in one video, without a long gap."""

    video: int
    detections: list[int] = field(default_factory=list)
    """Indices in the video's detections, by frame."""
    frames: list[int] = field(default_factory=list)
    looks: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """[48]: the sum of the detections' log probabilities."""
    first: np.ndarray = field(default_factory=lambda: np.zeros(2))
    last: np.ndarray = field(default_factory=lambda: np.zeros(2))
    """Centres at both ends, in pixels."""
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(2))
    """Pixels per frame, at the end."""

    def __len__(self) -> int:
        return len(self.frames)

    def add(self, detection: int, frame: int, centre: np.ndarray, looks: np.ndarray) -> None:
        """Continues the track."""
        if self.frames:
            step = (centre - self.last) / (frame - self.frames[-1])
            self.velocity = step if len(self) == 1 else 0.5 * (self.velocity + step)
            self.looks = self.looks + looks
        else:
            self.first, self.looks = centre, looks.copy()
        self.detections.append(detection)
        self.frames.append(frame)
        self.last = centre

    def expected(self, frame: int) -> np.ndarray:
        """Where the body should be in a later frame."""
        return np.asarray(self.last + self.velocity * (frame - self.frames[-1]))


def link_tracks(found: Detections, video: int = 0) -> list[Track]:
    """The tracks of a video."""
    looks = np.maximum(found.looks, np.log(LEAST_ALIKE)).astype(float)
    shares = np.exp(found.looks.astype(float))
    finished: list[Track] = []
    active: list[Track] = []
    starts = np.flatnonzero(np.diff(found.frames, prepend=-1))
    for first, end in zip(starts, np.append(starts, len(found))[1:], strict=True):
        frame, here = int(found.frames[first]), np.arange(first, end)
        finished += [track for track in active if frame - track.frames[-1] > LONGEST_GAP]
        active = [track for track in active if frame - track.frames[-1] <= LONGEST_GAP]
        linked = set()
        if active:
            costs = _link_costs(active, frame, found.centres[here], shares[here])
            for row, column in assign(costs):
                if costs[row, column] <= MOST_COST:
                    at = int(here[column])
                    active[row].add(at, frame, found.centres[at], looks[at])
                    linked.add(at)
        for at in map(int, here):
            if at not in linked:
                track = Track(video)
                track.add(at, frame, found.centres[at], looks[at])
                active.append(track)
    return finished + active


def _link_costs(tracks: list[Track], frame: int, centres: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """[track, detection]: how little a detection continues a track."""
    expected = np.array([track.expected(frame) for track in tracks])
    gaps = np.array([frame - track.frames[-1] for track in tracks])
    apart = np.linalg.norm(centres - expected[:, None], axis=-1)
    means = np.array([track.looks / len(track) for track in tracks])
    own = np.exp(means - means.max(axis=1, keepdims=True))
    alike = np.maximum(own / own.sum(axis=1, keepdims=True) @ shares.T, LEAST_ALIKE)
    costs = apart / POSITION_SCALE - np.log(alike)
    costs[apart > (REACH + REACH_PER_FRAME * (gaps - 1))[:, None]] = FORBIDDEN
    return np.asarray(costs)
