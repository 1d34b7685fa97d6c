"""Tracks of many sets as tensors on a device: places, boxes, presence and shapes; and their filters.

The filters fill short gaps by interpolation, smooth lightly, and give velocities.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.world import (
    FRAMES_PER_SECOND,
    PLAIN,
    REFERENCE_COUNT,
    REFERENCE_FRAMES,
    SHOWN_FRAMES,
    ObjectWorld,
    world_of,
)
from tumble.comphy.models.data.geometry import (
    FORM_POOL,
    PICTURE_SIZE,
    POINTS,
    has_heading,
    heights_of,
    in_picture,
    outline_points,
    project_boxes,
    project_outlines,
    to_picture,
    to_table,
)
from tumble.comphy.models.data.packed_sets import ABSENT, POSITION_SCALE, YAW_SCALE, PackedSets
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception

LONGEST_GAP = 12
"""Frames without a detection that are filled; a body that is away for longer has left."""
SMOOTHING_WEIGHTS = (0.25, 0.5, 0.25)
"""Of the frame before, the frame itself and the frame after, in smoothing."""
QUARTER_TURN = math.pi / 2
"""Yaws of cubes are the same modulo a quarter turn."""


def fill_gaps(seen: Tensor, places: Tensor, yaws: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Presence, places and yaws with gaps of up to LONGEST_GAP frames filled by interpolation.

    seen is bool [..., frame, body], places [..., frame, body, 2], yaws [..., frame, body]; the frames before the first
    detection and after the last one stay absent. Places and yaws are 0 where a body is absent.
    """
    before, after = _neighbours(seen)
    inside = (before >= 0) & (after < seen.shape[-2]) & (after - before - 1 <= LONGEST_GAP)
    present = seen | inside
    first, second = before.clamp(min=0), after.clamp(max=seen.shape[-2] - 1)
    frames = torch.arange(seen.shape[-2], device=seen.device)[:, None]
    share = (frames - first) / (second - first).clamp(min=1)
    old, new = _values_at(places, first), _values_at(places, second)
    moved = old + share[..., None] * (new - old)
    one, other = yaws.gather(-2, first), yaws.gather(-2, second)
    turn = torch.remainder(other - one + QUARTER_TURN / 2, QUARTER_TURN) - QUARTER_TURN / 2
    headings = one + share * turn
    places = torch.where(seen[..., None], places, moved) * present[..., None]
    return present, places, torch.where(seen, yaws, headings) * present


def filled_boxes(boxes: Tensor, present: Tensor) -> Tensor:
    """Boxes [..., frame, body, 4], interpolated where a body is present without one."""
    known = boxes[..., 2] >= 0.0
    before, after = _neighbours(known)
    inside = present & ~known & (before >= 0) & (after < known.shape[-2])
    first, second = before.clamp(min=0), after.clamp(max=known.shape[-2] - 1)
    frames = torch.arange(known.shape[-2], device=known.device)[:, None]
    share = ((frames - first) / (second - first).clamp(min=1))[..., None]
    old, new = _values_at(boxes, first), _values_at(boxes, second)
    return torch.where(inside[..., None], old + share * (new - old), boxes)


def smoothed_places(present: Tensor, places: Tensor, passes: int = 1) -> Tensor:
    """Places [..., frame, body, 2], averaged with those of the frames before and after while a body is present.

    At the ends of a track, where one neighbour is missing, they stay as they are: an average would be biased.
    """
    both = present.clone()
    both[..., 1:, :] &= present[..., :-1, :]
    both[..., :-1, :] &= present[..., 1:, :]
    both[..., 0, :] = both[..., -1, :] = False
    for _ in range(passes):
        mean = (
            SMOOTHING_WEIGHTS[0] * places.roll(1, -3)
            + SMOOTHING_WEIGHTS[1] * places
            + SMOOTHING_WEIGHTS[2] * places.roll(-1, -3)
        )
        places = torch.where(both[..., None], mean, places)
    return places


def slopes_per_second(values: Tensor, present: Tensor, reach: int) -> Tensor:
    """[..., frame, body, channel]: change per second, as the slopes of `local_lines`."""
    return local_lines(values, present, reach)[0]


def local_lines(values: Tensor, present: Tensor, reach: int) -> tuple[Tensor, Tensor]:
    """Slopes of lines fitted around each frame, and the root mean squares of what they leave.

    Lines are fitted by least squares to values [..., frame, body, channel] in the frames within `reach` in which a body
    is present, bool [..., frame, body]. Slopes [..., frame, body, channel] are per second, and 0 where a body is not
    present in at least two of the frames; what is left [..., frame, body] is over all channels.
    """
    weight = present.to(values.dtype)[..., None]
    sums = [torch.zeros_like(weight) for _ in range(3)]
    totals = [torch.zeros_like(values) for _ in range(3)]
    frames = values.shape[-3]
    around = values * weight
    for offset in range(-min(reach, frames - 1), min(reach, frames - 1) + 1):
        near, moved = _shifted(weight, offset, frames), _shifted(around, offset, frames)
        away = (moved - values) * near  # relative to the frame itself, for precision
        for power, total in enumerate(sums):
            total += near * float(offset) ** power
        totals[0] += away
        totals[1] += away * float(offset)
        totals[2] += away**2
    count = sums[0].clamp(min=1.0)
    spread = sums[0] * sums[2] - sums[1] ** 2
    slope = (sums[0] * totals[1] - sums[1] * totals[0]) / spread.clamp(min=1e-6) * (spread > 0.5)
    left = totals[2] / count - (totals[0] / count) ** 2 - slope**2 * spread / count**2
    rest = left.clamp(min=0.0).mean(-1).sqrt()
    return slope * weight * FRAMES_PER_SECOND, rest


def _shifted(values: Tensor, offset: int, frames: int) -> Tensor:
    """Values [..., frame, body, channel] some frames later; 0 beyond the ends."""
    result = torch.zeros_like(values)
    if offset >= 0:
        result[..., : frames - offset, :, :] = values[..., offset:, :, :]
    else:
        result[..., -offset:, :, :] = values[..., :offset, :, :]
    return result


def _neighbours(seen: Tensor) -> tuple[Tensor, Tensor]:
    """int [..., frame, body]: the last frame up to each one in which a body is seen (-1), and the next one (frames)."""
    count = seen.shape[-2]
    frames = torch.arange(count, device=seen.device)[:, None]
    before = torch.where(seen, frames, torch.full_like(frames, -1)).cummax(-2).values
    after = torch.where(seen, frames, torch.full_like(frames, count)).flip(-2).cummin(-2).values.flip(-2)
    return before, after


def _values_at(values: Tensor, frames: Tensor) -> Tensor:
    """Values [..., frame, body, channel] at frames [..., frame, body]."""
    return values.gather(-3, frames[..., None].expand(*frames.shape, values.shape[-1]))


ROWS_AT_ONCE = 500
"""Sets whose boxes are projected at once."""


@dataclass(frozen=True, eq=False)
class VideoTensors:
    """Tracks in videos; [video] stands for any leading dimensions."""

    places: Tensor
    """float [video, frame, body, 2]: x and y of centres on the table; 0 where a body is not present."""
    yaws: Tensor
    """float [video, frame, body]: headings in radians of shapes of which they can be seen; else 0."""
    boxes: Tensor
    """float [video, frame, body, 4]: normalised boxes of all that is visible; -1 where nothing is."""
    present: Tensor
    """bool [video, frame, body]: whether the centre is in the picture and, if it was detected, found."""

    def __getitem__(self, rows: Tensor | slice | int) -> "VideoTensors":
        return VideoTensors(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, eq=False)
class TrackTensors:
    """Tracks of many sets; bodies are in the set's order in all videos."""

    shapes: Tensor
    """float [set, body, shape]: one-hot in the order of the world; zeros for a body that a set does not have."""
    target: VideoTensors
    """[set, 125, body, …]."""
    references: VideoTensors
    """[set, 4, 50, body, …]."""

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, rows: Tensor | slice) -> "TrackTensors":
        """Some of the sets."""
        return TrackTensors(self.shapes[rows], self.target[rows], self.references[rows])

    @property
    def exists(self) -> Tensor:
        """bool [set, body]: whether a set has a body."""
        return self.shapes.any(-1)

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.shapes.device

    @classmethod
    def from_packed(cls, sets: PackedSets, device: torch.device) -> "TrackTensors":
        """The exact tracks of packed sets while bodies are in view."""
        attributes = torch.from_numpy(sets.attributes.copy()).to(device)
        shapes = torch.zeros(*attributes.shape[:2], len(sets.world.shapes), device=device)
        known = attributes[..., 2] != ABSENT
        shapes.scatter_(2, attributes[..., 2:].clamp(min=0).long(), known[..., None].float())
        target = torch.from_numpy(sets.target.copy()).to(device)
        references = torch.from_numpy(_in_set_order(sets)).to(device)
        members = torch.from_numpy(_membership(sets)).to(device)
        everywhere = known[:, None, :]
        points = _outlines(sets, device)
        return cls(
            shapes,
            _exact(target, shapes[:, None], everywhere.expand(target.shape[:-1]), points[:, None]),
            _exact(
                references,
                shapes[:, None, None],
                members[:, :, None].expand(references.shape[:-1]),
                points[:, None, None],
            ),
        )

    @classmethod
    def from_perceptions(cls, perceptions: Sequence[Perception], device: torch.device) -> "TrackTensors":
        """Perceived tracks, with short gaps filled and lightly smoothed."""
        count, bodies = len(perceptions), max(len(one.appearances) for one in perceptions)
        world = world_of_looks(perceptions)
        shapes = torch.zeros(count, bodies, len(world.shapes))
        for row, one in enumerate(perceptions):
            for k, appearance in enumerate(one.appearances):
                shapes[row, k, world.shapes.index(appearance.shape)] = 1.0
        videos = [[one.target, *one.references[:REFERENCE_COUNT]] for one in perceptions]
        targets = _perceived([row[:1] for row in videos], 1, SHOWN_FRAMES, shapes)
        references = _perceived([row[1:] for row in videos], REFERENCE_COUNT, REFERENCE_FRAMES, shapes)
        one_target = VideoTensors(*(getattr(targets, field.name)[:, 0] for field in fields(targets)))
        return cls(shapes, one_target, references).to(device)

    def to(self, device: torch.device) -> "TrackTensors":
        """The same on a device."""
        moved = [
            VideoTensors(*(getattr(video, field.name).to(device) for field in fields(video)))
            for video in (self.target, self.references)
        ]
        return TrackTensors(self.shapes.to(device), *moved)

    def turned(self, angles: Tensor, mirrored: Tensor) -> "TrackTensors":
        """The sets turned on the table by angles [set], and mirrored before that where mirrored [set] is true.

        The laws of motion do not change by that. Boxes and presence stay as they are.
        """
        return replace(
            self,
            target=_turned(self.target, angles, mirrored, 2),
            references=_turned(self.references, angles, mirrored, 3),
        )


def joined_videos(one: VideoTensors, other: VideoTensors) -> VideoTensors:
    """The videos of both, one after the other."""
    return VideoTensors(*(torch.cat([getattr(one, field.name), getattr(other, field.name)]) for field in fields(one)))


def with_noise(
    tracks: TrackTensors, least: float = 0.3, most: float = 1.0, dropped: float = 0.02, yaw_error: float = 0.05
) -> TrackTensors:
    """Tracks as a perceiver may give them: centres with an error in pixels, frames without a detection, smoothed.

    Each set has its own standard error between `least` and `most` pixels of a picture 240 wide; yaws have an error in
    radians; a share of the frames is dropped and filled again.
    """
    errors = least + (most - least) * torch.rand(len(tracks), device=tracks.device)
    return replace(
        tracks,
        target=_noisy(tracks.target, tracks.shapes[:, None], errors[:, None, None], dropped, yaw_error),
        references=_noisy(
            tracks.references, tracks.shapes[:, None, None], errors[:, None, None, None], dropped, yaw_error
        ),
    )


def _noisy(video: VideoTensors, shapes: Tensor, errors: Tensor, dropped: float, yaw_error: float) -> VideoTensors:
    heights = heights_of(shapes).expand(video.present.shape)
    size = torch.tensor(PICTURE_SIZE, device=errors.device)
    shifts = errors[..., None] * torch.randn_like(video.places) / size
    places = to_table(to_picture(video.places, heights) + shifts, heights)
    yaws = video.yaws + yaw_error * torch.randn_like(video.yaws) * has_heading(shapes)
    kept = video.present & (torch.rand(video.present.shape, device=errors.device) >= dropped)
    found, places, yaws = fill_gaps(kept, places, yaws)
    shown = video.boxes[..., :1] >= 0.0
    box_errors = torch.cat([shifts, 0.5 * errors[..., None] * torch.randn_like(shifts) / size], -1)
    boxes = torch.where(shown, video.boxes + box_errors, video.boxes)
    return VideoTensors(smoothed_places(found, places), yaws, boxes, found)


def world_of_looks(perceptions: Sequence[Perception]) -> ObjectWorld:
    """The world of the first body that was perceived; the plain one if there is none."""
    shapes = (look.shape for one in perceptions for look in one.appearances)
    return world_of(next(shapes, PLAIN.shapes[0]))


def _outlines(sets: PackedSets, device: torch.device) -> Tensor:
    """float [set, body, POINTS, 3]: extreme points of objects; [set, body, 0, 3] in the plain world."""
    size = sets.attributes.shape[:2]
    if sets.forms is None:
        return torch.zeros(*size, 0, 3, device=device)
    points = np.zeros((*size, POINTS, 3), np.float32)
    for row, k in np.argwhere(sets.attributes[..., 2] != ABSENT).tolist():
        shape = sets.world.shapes[sets.attributes[row, k, 2]]
        points[row, k] = outline_points(shape, int(sets.forms[row, k]) % FORM_POOL)
    return torch.from_numpy(points).to(device)


def _exact(poses: Tensor, shapes: Tensor, exists: Tensor, points: Tensor) -> VideoTensors:
    """Tracks from packed poses [set, …, frame, body, 3]."""
    every = poses, shapes, exists, points
    parts = [_exact_rows(*(part[k : k + ROWS_AT_ONCE] for part in every)) for k in _starts(poses)]
    return VideoTensors(*(torch.cat([getattr(part, field.name) for part in parts]) for field in fields(VideoTensors)))


def _starts(rows: Tensor) -> range:
    return range(0, len(rows), ROWS_AT_ONCE)


def _exact_rows(poses: Tensor, shapes: Tensor, exists: Tensor, points: Tensor) -> VideoTensors:
    places = poses[..., :2].float() / POSITION_SCALE
    yaws = poses[..., 2].float() / float(YAW_SCALE)
    shapes = shapes.expand(*exists.shape, -1) * exists[..., None]
    present = in_picture(to_picture(places, heights_of(shapes))) & exists
    return VideoTensors(
        places * present[..., None],
        yaws * (has_heading(shapes) > 0.0) * present,
        project_outlines(places, yaws, points, exists) if points.shape[-2] else project_boxes(places, yaws, shapes),
        present,
    )


def _in_set_order(sets: PackedSets) -> np.ndarray:
    """int16 [set, reference, frame, body, 3]: poses in references with bodies in the set's order."""
    members = sets.members.astype(np.int64)
    result = np.zeros((*sets.references.shape[:3], sets.attributes.shape[1], 3), np.int16)
    for column in range(members.shape[2]):
        rows, numbers = np.nonzero(members[..., column] != ABSENT)
        result[rows, numbers, :, members[rows, numbers, column]] = sets.references[rows, numbers, :, column]
    return result


def _membership(sets: PackedSets) -> np.ndarray:
    """bool [set, reference, body]: which bodies are in a reference."""
    bodies = np.arange(sets.attributes.shape[1])
    return np.asarray((sets.members[..., None] == bodies).any(axis=2))


def _perceived(videos: list[list[PerceivedVideo]], most: int, frames: int, shapes: Tensor) -> VideoTensors:
    """[set, video, frame, body, …] from the perceived videos of each set."""
    size = len(videos), most, frames, shapes.shape[1]
    seen, boxes = np.zeros(size, bool), np.full((*size, 4), -1.0, np.float32)
    points, yaws = np.zeros((*size, 2), np.float32), np.zeros(size, np.float32)
    for row, found in enumerate(videos):
        for number, video in enumerate(found):
            columns, length = list(video.members), min(video.frames, frames)
            seen[row, number, :length, columns] = video.seen[:length].T
            boxes[row, number, :length, columns] = video.boxes[:length].swapaxes(0, 1)
            points[row, number, :length, columns] = np.nan_to_num(video.centres[:length]).swapaxes(0, 1)
            yaws[row, number, :length, columns] = np.nan_to_num(video.yaws[:length]).T
    heights = heights_of(shapes)[:, None, None].expand(size)
    centres = torch.from_numpy(points)
    present, places, headings = fill_gaps(
        torch.from_numpy(seen) & in_picture(centres), to_table(centres, heights), torch.from_numpy(yaws)
    )
    return VideoTensors(
        smoothed_places(present, places), headings, filled_boxes(torch.from_numpy(boxes), present), present
    )


def _turned(video: VideoTensors, angles: Tensor, mirrored: Tensor, middle: int) -> VideoTensors:
    shape = (-1, *([1] * middle))
    cosine, sine = angles.cos().view(shape), angles.sin().view(shape)
    sign = 1.0 - 2.0 * mirrored.float().view(shape)
    x, y = video.places[..., 0], sign * video.places[..., 1]
    places = torch.stack([cosine * x - sine * y, sine * x + cosine * y], -1)
    return replace(video, places=places, yaws=sign * video.yaws + angles.view(shape))
