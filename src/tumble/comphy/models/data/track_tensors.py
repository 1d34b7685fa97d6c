"""Tracks of many sets as tensors on a device: places on the table, boxes, presence and shapes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.world import PLAIN, REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES, ObjectWorld, world_of
from tumble.comphy.models.data.outline_points import FORM_POOL, POINTS, outline_points
from tumble.comphy.models.data.packed_sets import ABSENT, POSITION_SCALE, YAW_SCALE, PackedSets
from tumble.comphy.models.data.shape_geometry import has_heading, heights_of
from tumble.comphy.models.data.table_camera import (
    PICTURE,
    in_picture,
    project_boxes,
    project_outlines,
    to_picture,
    to_table,
)
from tumble.comphy.models.data.track_filters import fill_gaps, filled, smoothed
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception

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
    size = torch.tensor(PICTURE, device=errors.device)
    shifts = errors[..., None] * torch.randn_like(video.places) / size
    places = to_table(to_picture(video.places, heights) + shifts, heights)
    yaws = video.yaws + yaw_error * torch.randn_like(video.yaws) * has_heading(shapes)
    kept = video.present & (torch.rand(video.present.shape, device=errors.device) >= dropped)
    found, places, yaws = fill_gaps(kept, places, yaws)
    shown = video.boxes[..., :1] >= 0.0
    box_errors = torch.cat([shifts, 0.5 * errors[..., None] * torch.randn_like(shifts) / size], -1)
    boxes = torch.where(shown, video.boxes + box_errors, video.boxes)
    return VideoTensors(smoothed(found, places), yaws, boxes, found)


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
    return VideoTensors(smoothed(present, places), headings, filled(torch.from_numpy(boxes), present), present)


def _turned(video: VideoTensors, angles: Tensor, mirrored: Tensor, middle: int) -> VideoTensors:
    shape = (-1, *([1] * middle))
    cosine, sine = angles.cos().view(shape), angles.sin().view(shape)
    sign = 1.0 - 2.0 * mirrored.float().view(shape)
    x, y = video.places[..., 0], sign * video.places[..., 1]
    places = torch.stack([cosine * x - sine * y, sine * x + cosine * y], -1)
    return replace(video, places=places, yaws=sign * video.yaws + angles.view(shape))
