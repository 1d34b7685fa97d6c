"""Features of frames from the perceiver's frozen network, and tracks of objects linked from them.

The published baselines take features from a network that was trained to classify photographs; no such weights can be
had here. The perceiver was trained with labels (masks, places and looks of bodies in rendered frames), and knows
nothing of questions, motion or properties. Frames are encoded once, before training. Peaks of successive frames are
linked where looks and places agree, so that a track shows one body.
"""

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.catalogue.world import HALF_HEIGHTS, PLAIN
from tumble.comphy.models.baselines.frames import CONTRAST, BatchPictures, Videos
from tumble.comphy.models.perceiver.network import CELL, COLUMNS, HEIGHT, ROWS, WIDTH, DenseOutput
from tumble.comphy.models.perceiver.training import NAME, PerceiverConfig
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.observation.camera import CAMERA
from tumble.learning.checkpoint import load_network
from tumble.learning.settings import TrainingError

SEEN_SCORE = 0.3
"""Score of a peak from which it counts as a body."""
LOOK_WEIGHT, DISTANCE_WEIGHT = 6.0, 15.0
"""Weights of the similarity of looks and of the squared distance, to find which peaks show the same body."""
LEAST_AFFINITY = 1.0
"""Smallest sum of these from which a peak continues a track."""
KEPT_LOOKS = 0.8
"""Share of the looks of a track that stays when it is continued."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Tracks of videos."""

    looks: Tensor
    """float [..., track, channel]."""
    seen: Tensor
    """float [..., track, frame]: 1 where the object is seen, 0 elsewhere."""
    places: Tensor
    """float [..., track, frame, 2]: x from -1 to 1, and y in the same scale; where it was last, if it is not seen."""

    @property
    def packed(self) -> Tensor:
        """float [..., track, channel + 3 * frame]: all in one; looks come last."""
        return torch.cat([self.seen, self.places.flatten(-2), self.looks], dim=-1)

    @classmethod
    def unpacked(cls, packed: Tensor, frames: int) -> "Tracks":
        """Tracks from `packed`."""
        seen, places, looks = packed.float().tensor_split([frames, 3 * frames], dim=-1)
        return cls(looks, seen, places.reshape(*places.shape[:-1], frames, 2))

    @property
    def exists(self) -> Tensor:
        """float [..., track]: 1 for tracks that are seen in any frame."""
        return self.seen.amax(dim=-1)

    def changed(self, mirrored: bool, looks_noise: float, place_noise: float) -> "Tracks":
        """Tracks with noise, and mirrored, as augmentation."""
        sign = torch.tensor([-1.0 if mirrored else 1.0, 1.0], device=self.places.device)
        places = self.places * sign + place_noise * torch.randn_like(self.places)
        return Tracks(self.looks + looks_noise * torch.randn_like(self.looks), self.seen, places)


def mean_looks(looks: Tensor, seen: Tensor) -> Tensor:
    """float [..., track, channel]: normalised means of looks [..., frame, track, channel] where `seen` [..., frame]."""
    weights = seen.transpose(-1, -2)[..., None].float()
    mean = (looks * weights).sum(dim=-3) / weights.sum(dim=-3).clamp(min=1.0)
    return functional.layer_norm(mean, mean.shape[-1:]) * (weights.amax(dim=-3) > 0)


def last_places(places: Tensor, seen: Tensor) -> Tensor:
    """Places [..., track, frame, 2], with the last seen ones, or the first ones before, where not `seen`."""
    frames = torch.arange(places.shape[-2], device=places.device)
    last = torch.where(seen > 0, frames, -1).cummax(dim=-1).values
    first = (seen > 0).int().argmax(dim=-1, keepdim=True)
    chosen = torch.where(last < 0, first, last)
    return places.gather(-2, chosen[..., None].expand_as(places))


@torch.no_grad()
def link_peaks(scores: Tensor, places: Tensor, looks: Tensor, tracks: int) -> Tracks:
    """Tracks from peaks: scores [video, frame, peak], places [..., 2] and normalised looks [..., channel]."""
    videos, frames, _, channels = looks.shape
    place = places.new_zeros(videos, tracks, 2)
    velocity, kept = torch.zeros_like(place), looks.new_zeros(videos, tracks, channels)
    begun = torch.zeros(videos, tracks, dtype=torch.bool, device=scores.device)
    chosen = []
    for frame in range(frames):
        here, these, real = places[:, frame], looks[:, frame], scores[:, frame] > SEEN_SCORE
        alike = functional.normalize(kept, dim=-1) @ functional.normalize(these, dim=-1).transpose(1, 2)
        apart = (place + velocity)[:, :, None] - here[:, None]
        affinity = LOOK_WEIGHT * alike - DISTANCE_WEIGHT * apart.square().sum(dim=-1)
        affinity = affinity.masked_fill(~(begun[:, :, None] & real[:, None]), -torch.inf)
        match = _greedy(affinity, LEAST_AFFINITY)
        match = _with_new(match, begun, real)
        found = (match >= 0)[..., None]
        index = match.clamp(min=0)[..., None]
        now, new = here.gather(1, index.expand(-1, -1, 2)), these.gather(1, index.expand(-1, -1, channels))
        old = begun[..., None]
        velocity = torch.where(found & old, 0.5 * velocity + 0.5 * (now - place), velocity * 0.5)
        place = torch.where(found, now, place)
        kept = torch.where(found, torch.where(old, KEPT_LOOKS * kept + (1.0 - KEPT_LOOKS) * new, new), kept)
        begun = begun | found[..., 0]
        chosen.append(match)
    matches = torch.stack(chosen, dim=1)
    seen, index = (matches >= 0).float(), matches.clamp(min=0)[..., None]
    by_track = places.gather(2, index.expand(-1, -1, -1, 2)).transpose(1, 2)
    mean = mean_looks(looks.gather(2, index.expand(-1, -1, -1, channels)), seen.transpose(1, 2))
    return Tracks(mean, seen.transpose(1, 2), last_places(by_track, seen.transpose(1, 2)))


def _greedy(affinity: Tensor, least: float) -> Tensor:
    """int64 [video, track]: the peak of each track, or -1; the highest affinity [video, track, peak] goes first."""
    videos, tracks, peaks = affinity.shape
    match = torch.full((videos, tracks), -1, device=affinity.device)
    for _ in range(min(tracks, peaks)):
        best, place = affinity.flatten(1).max(dim=1, keepdim=True)
        track, peak = place // peaks, place % peaks
        good = best > least
        match = match.scatter(1, track, torch.where(good, peak, match.gather(1, track)))
        taken = torch.arange(tracks, device=match.device)[:, None] == track[..., None]
        taken = taken | (torch.arange(peaks, device=match.device) == peak[..., None])
        affinity = affinity.masked_fill(taken & good[..., None], -torch.inf)
    return match


def _with_new(match: Tensor, begun: Tensor, real: Tensor) -> Tensor:
    """`match`, with tracks that have not begun put on the peaks that are real and have no track."""
    peaks = torch.arange(real.shape[1], device=match.device)
    free = real & ~(match[..., None] == peaks).any(dim=1)
    rank_of_peak = free.long().cumsum(dim=1) - 1
    rank_of_track = (~begun).long().cumsum(dim=1) - 1
    fits = (rank_of_track[..., None] == rank_of_peak[:, None]) & ~begun[..., None] & free[:, None]
    return torch.where(fits.any(dim=-1), fits.int().argmax(dim=-1), match)


def places_on_table(places: Tensor) -> Tensor:
    """float [..., 2]: across and away from the camera, in units of the simulation, of places in the picture."""
    scale = 0.5 * CAMERA.sensor_width / CAMERA.focal_length
    _, up, forward = CAMERA.axes
    sine, cosine = float(up[2]), -float(forward[2])
    rise = -scale * places[..., 1]
    down = (cosine - rise * sine).clamp(min=0.15)
    reach = (CAMERA.position[2] - HALF_HEIGHTS["cube"]) / down
    return torch.stack([reach * scale * places[..., 0], reach * (sine + rise * cosine) - CAMERA_REACH], dim=-1)


CAMERA_REACH = float((CAMERA.position[0] ** 2 + CAMERA.position[1] ** 2) ** 0.5)
"""Distance of the table's centre from the point below the camera."""


FRAMES_AT_ONCE = {"cpu": 16, "cuda": 512}
"""Frames that are encoded together."""
PEAKS = 6
"""Cells of a frame with the highest scores of a body's centre; sets have up to 5 bodies."""
PEAK_LOOKS = PerceiverConfig().hidden
"""Numbers about what is seen at a peak."""
GRID = 20, 30
"""Rows and columns of cells of 8 x 8 pixels."""
GRID_LOOKS = 6
"""The first channels of a cell: the share that bodies cover, the centre of the body there, and the mean colour of what
covers it."""
GRID_FEATURES = PerceiverConfig().features
GRID_CHANNELS = GRID_LOOKS + GRID_FEATURES


class FrozenFeatures(nn.Module):
    """The perceiver's network, and some cells of a frame as its features."""

    cells: int
    """Of a frame."""

    def __init__(self, world: str = PLAIN.name) -> None:
        """`world`: that of the sets, and of the perceiver."""
        super().__init__()
        self.world = world
        self.perceiver = PerceiverConfig(world=world).network().fused()

    def load(self, checkpoint: str | Path = "") -> None:
        """Takes the weights of a perceiver's checkpoint, or of the one that comes with the package."""
        path = checkpoint_path(NAME, checkpoint)
        content = load_network(path, NAME)
        config, usual = PerceiverConfig(**content["config"]), PerceiverConfig()
        if _sizes(config) != _sizes(usual):
            raise TrainingError(f"{path}: a perceiver of sizes {_sizes(config)}; the baselines need {_sizes(usual)}")
        if config.world != self.world:
            raise TrainingError(
                f"{path}: a perceiver of the {config.world} world, but the sets are of the {self.world} world; "
                "train one on them, and give it by perceiver=FILE"
            )
        network = config.network()
        network.load_state_dict(content["network"])
        self.perceiver.load_state_dict(network.fused().state_dict())

    def forward(self, pictures: BatchPictures) -> Videos:
        """The features of pictures of HEIGHT x WIDTH pixels."""
        references = None
        if pictures.references is not None:
            encoded = self.encode(pictures.references.flatten(0, 1)).float()
            references = encoded.view(*pictures.references.shape[:2], *encoded.shape[1:])
        return Videos(self.encode(pictures.target).float(), references)

    def encode(self, videos: Tensor) -> Tensor:
        """uint8 [video, frame, HEIGHT, WIDTH, 3] to float16 [video, frame, cell, channel]."""
        return self._cells(videos.flatten(0, 1)).view(*videos.shape[:2], self.cells, -1)

    @torch.no_grad()
    def _cells(self, frames: Tensor) -> Tensor:
        """uint8 [frame, HEIGHT, WIDTH, 3] to float16 [frame, cell, channel]."""
        self.perceiver.eval()
        on_gpu = frames.device.type == "cuda"
        parts = []
        with torch.autocast(frames.device.type, torch.float16, enabled=on_gpu):
            for part in torch.split(frames, FRAMES_AT_ONCE[frames.device.type]):
                pictures = part.permute(0, 3, 1, 2).float() / 255.0
                parts.append(self.chosen_cells(pictures, self.perceiver(pictures)).clamp(-1e4, 1e4).half())
        return torch.cat(parts)

    @abstractmethod
    def chosen_cells(self, pictures: Tensor, output: DenseOutput) -> Tensor:
        """[frame, cell, channel] of pictures [frame, 3, HEIGHT, WIDTH]."""


class PeakTracks(FrozenFeatures):
    """The cells where a body's centre is most likely, linked over frames: place, and what the network knows there."""

    cells = PEAKS

    def encode(self, videos: Tensor) -> Tensor:
        """uint8 [video, frame, HEIGHT, WIDTH, 3] to float16 [video, track, channel]: packed tracks."""
        scores, places, looks = super().encode(videos).float().tensor_split([1, 3], dim=-1)
        return link_peaks(scores[..., 0], places, looks, PEAKS).packed.half()

    def chosen_cells(self, pictures: Tensor, output: DenseOutput) -> Tensor:
        heat = output.heat.float()
        highest = functional.max_pool2d(heat[:, None], 3, 1, 1)[:, 0]
        logits, places = heat.masked_fill(heat < highest, -20.0).flatten(1).topk(PEAKS, dim=1)
        cells = torch.stack([places % COLUMNS, places // COLUMNS], dim=-1)
        frames = torch.arange(len(heat), device=heat.device)[:, None].expand_as(places)
        vectors = self.perceiver.body_vectors(output.features, frames.flatten(), cells.flatten(0, 1))
        offset = self.perceiver.described(vectors).offset.view(*places.shape, 2)
        centres = (cells + 0.5 + offset.clamp(-3.0, 3.0)) * CELL * 2.0 / WIDTH
        centres = centres - torch.tensor([1.0, HEIGHT / WIDTH], device=heat.device)
        normed = functional.layer_norm(vectors, vectors.shape[-1:]).view(*places.shape, -1)
        return torch.cat([logits.sigmoid()[..., None], centres, normed], dim=-1)


class GridCells(FrozenFeatures):
    """All cells of a coarse grid: how much of them bodies cover, the colour there, and the features."""

    cells = GRID[0] * GRID[1]

    def chosen_cells(self, pictures: Tensor, output: DenseOutput) -> Tensor:
        size = HEIGHT // GRID[0]
        covered = output.foreground.float().sigmoid()[:, None]
        share = functional.avg_pool2d(covered, size)
        colors = functional.avg_pool2d(covered * pictures, size) / (share + 1e-3)
        weight = functional.avg_pool2d(covered, CELL) + 1e-3
        assert weight.shape[-2:] == (ROWS, COLUMNS)
        features = functional.layer_norm(output.features.float().movedim(1, -1), (GRID_FEATURES,)).movedim(-1, 1)
        features = _pooled(features, weight)
        shown = share > 0.02
        centers = _pooled(_centers(output.to_centre.float()), weight)
        looks = torch.cat([share, centers * shown, (colors - 0.5) * CONTRAST * shown], dim=1)
        return torch.cat([looks, features], dim=1).flatten(2).transpose(1, 2)


def _pooled(values: Tensor, weight: Tensor) -> Tensor:
    """Weighted means over the cells of the grid, of values [frame, channel, ROWS, COLUMNS]."""
    total = functional.interpolate(weight * values, GRID, mode="area")
    return total / functional.interpolate(weight, GRID, mode="area")


def _centers(to_centre: Tensor) -> Tensor:
    """float [frame, 2, ROWS, COLUMNS]: the centre of the body in each cell; x is from -1 to 1, y has the same scale."""
    rows, columns = (torch.arange(count, device=to_centre.device) + 0.5 for count in (ROWS, COLUMNS))
    middles = torch.stack([columns.repeat(ROWS, 1), rows[:, None].expand(-1, COLUMNS)])
    border = torch.tensor([1.0, HEIGHT / WIDTH], device=to_centre.device)[:, None, None]
    return (middles + to_centre) * CELL * 2.0 / WIDTH - border


def _sizes(config: PerceiverConfig) -> tuple[tuple[int, ...], ...]:
    return (config.stem,), tuple(config.widths), (config.features,), (config.hidden,)
