"""Tracks: for each object of a video its looks, and its place in every frame.

Peaks of successive frames are linked where looks and places agree, so that a track shows one body.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.world import HALF_HEIGHTS
from tumble.comphy.observation.camera import CAMERA

SEEN = 0.3
"""Score of a peak from which it counts as a body."""
ALIKE, NEAR = 6.0, 15.0
"""Weights of the similarity of looks and of the squared distance, to find which peaks show the same body."""
SAME = 1.0
"""Smallest sum of these from which a peak continues a track."""
KEPT = 0.8
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
        here, these, real = places[:, frame], looks[:, frame], scores[:, frame] > SEEN
        alike = functional.normalize(kept, dim=-1) @ functional.normalize(these, dim=-1).transpose(1, 2)
        apart = (place + velocity)[:, :, None] - here[:, None]
        affinity = ALIKE * alike - NEAR * apart.square().sum(dim=-1)
        affinity = affinity.masked_fill(~(begun[:, :, None] & real[:, None]), -torch.inf)
        match = _greedy(affinity, SAME)
        match = _with_new(match, begun, real)
        found = (match >= 0)[..., None]
        index = match.clamp(min=0)[..., None]
        now, new = here.gather(1, index.expand(-1, -1, 2)), these.gather(1, index.expand(-1, -1, channels))
        old = begun[..., None]
        velocity = torch.where(found & old, 0.5 * velocity + 0.5 * (now - place), velocity * 0.5)
        place = torch.where(found, now, place)
        kept = torch.where(found, torch.where(old, KEPT * kept + (1.0 - KEPT) * new, new), kept)
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


def on_table(places: Tensor) -> Tensor:
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
