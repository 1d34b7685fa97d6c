"""A dataset for PyTorch: an item for each set, and batches of items.

    dataset = TorchDataset(open_dataset("data"), "train")
    loader = DataLoader(dataset, batch_size=8, collate_fn=collate, num_workers=2)

The item of a set that can't be read is a `Fault`; `collate` skips it and lists it in the batch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tumble.comphy.catalogue.body import world_of_bodies
from tumble.comphy.catalogue.world import REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.dataset.annotations import PROPERTIES
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import Split, VideoKey
from tumble.comphy.dataset.load import Dataset, Example
from tumble.comphy.dataset.tracks import ABSENT

Item = dict[str, Any]
UNKNOWN = -9
"""Stands for a mass or charge that the files don't have."""
PADDED = {"tracks": (1, -1), "reference_tracks": (2, -1), "attributes": (0, -1), "properties": (0, UNKNOWN)}
"""Tensors with an axis for bodies: that axis, and the value with which it is padded to the largest set of a batch."""


class TorchDataset:
    """A map-style dataset of sets; `make_item` documents its items."""

    def __init__(
        self,
        data: Dataset,
        split: Split | None = None,
        frames: int = 32,
        reference_frames: int = 10,
        with_frames: bool = True,
        with_masks: bool = True,
    ) -> None:
        """Takes that many evenly spaced frames of the target and of each reference; tracks have all frames."""
        _torch()
        self.data, self.indices = data, data.indices(split)
        self.counts = frames, reference_frames
        self.with_frames, self.with_masks = with_frames, with_masks

    @property
    def faults(self) -> list[Fault]:
        """What this process has found wrong; batches list what their workers found."""
        return self.data.faults

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, position: int) -> Item | Fault:
        index = self.indices[position]
        try:
            return make_item(self.data.example(index), self.counts, self.with_frames, self.with_masks)
        except DataError as error:
            fault = Fault(f"set {index:05d}", str(error))
            if fault not in self.faults:
                self.faults.append(fault)
            return fault


def make_item(example: Example, counts: tuple[int, int], with_frames: bool, with_masks: bool) -> Item:
    """A set as tensors, with bodies in the order of the target.

    tracks            float32 [125, body, 4]: normalised boxes, -1 where a body is invisible
    reference_tracks  float32 [reference, 50, body, 4]
    attributes        int64 [body, 3]: indices in the colors, materials and shapes of its world
    properties        int64 [body, 2]: mass and charge, or UNKNOWN
    frames            uint8 [frame, 3, height, width]
    reference_frames  uint8 [reference, frame, 3, height, width]
    masks             uint8 [frame, height, width]: 0 for the table, k + 1 for body k
    reference_masks   uint8 [reference, frame, height, width]
    questions         tuple of `Question`s, with text, program, answer and choices
    """
    torch = _torch()
    bodies, references = example.videos.bodies, range(len(example.videos.references))
    if not references:
        raise DataError(f"set {example.index:05d}: it has no annotations of references")
    hidden = [[UNKNOWN] * 2 if PROPERTIES in example.stored.missing else [body.mass, body.charge] for body in bodies]
    world = world_of_bodies(bodies)
    attributes = [
        [world.colors.index(body.color), world.materials.index(body.material), world.shapes.index(body.shape)]
        for body in bodies
    ]
    arrays: dict[str, np.ndarray] = {
        "tracks": _tracks(example, "target"),
        "reference_tracks": np.stack([_tracks(example, k) for k in references]),
        "attributes": np.array(attributes, np.int64),
        "properties": np.array(hidden, np.int64),
    }
    frames, reference_frames = counts
    if with_frames:
        arrays["frames"] = _pictures(example.frames(), frames)
        pictures = [_pictures(example.frames(k), reference_frames) for k in references]
        arrays["reference_frames"] = np.stack(pictures)
    if with_masks:
        arrays["masks"] = _evenly_spaced(example.masks(), frames)
        masks = [_evenly_spaced(_target_masks(example, k), reference_frames) for k in references]
        arrays["reference_masks"] = np.stack(masks)
    tensors = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
    return {"index": example.index, "split": example.split, "questions": example.questions.questions, **tensors}


def collate(items: Sequence[Item | Fault]) -> Item:
    """A batch: stacked tensors, and lists of the rest; faulty sets are skipped and listed under "faults"."""
    torch = _torch()
    valid = [item for item in items if not isinstance(item, Fault)]
    batch: Item = {"faults": [item for item in items if isinstance(item, Fault)]}
    for name in valid[0] if valid else ():
        values = [item[name] for item in valid]
        if name in PADDED:
            values = _padded(values, *PADDED[name])
        batch[name] = torch.stack(values) if isinstance(values[0], torch.Tensor) else values
    return batch


def _tracks(example: Example, video: VideoKey) -> np.ndarray:
    """[frame, body, 4]: a video's tracks for all bodies of the set, padded or cut to the number of frames."""
    tracks, members = example.tracks(video), example.members(video)
    if tracks.shape[1] != len(members):
        raise DataError(
            f"set {example.index:05d}, {video}: there are tracks of {tracks.shape[1]} bodies, not of {len(members)}"
        )
    frames = SHOWN_FRAMES if video == "target" else REFERENCE_FRAMES
    padded = np.full((frames, len(example.videos.bodies), 4), ABSENT, np.float32)
    padded[: len(tracks), list(members)] = tracks[:frames]
    return padded


def _target_masks(example: Example, reference: int) -> np.ndarray:
    """A reference's masks with the labels of the target."""
    labels = np.array([0, *(member + 1 for member in example.members(reference))], np.uint8)
    return np.asarray(labels[example.masks(reference)])


def _pictures(frames: np.ndarray, count: int) -> np.ndarray:
    """[frame, height, width, 3] to [count, 3, height, width]."""
    return _evenly_spaced(frames, count).transpose(0, 3, 1, 2)


def _evenly_spaced(frames: np.ndarray, count: int) -> np.ndarray:
    """A number of frames, evenly spaced from the first to the last."""
    return np.asarray(frames[np.linspace(0, len(frames) - 1, count).round().astype(int)])


def _padded(values: list[Any], axis: int, filler: int) -> list[Any]:
    torch = _torch()
    width = max(value.shape[axis] for value in values)
    padded = []
    for value in values:
        shape = list(value.shape)
        shape[axis] = width - shape[axis]
        padded.append(torch.cat([value, torch.full(shape, filler, dtype=value.dtype)], dim=axis))
    return padded


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise DataError('this needs PyTorch: pip install "tumble[agents]"') from None
    return torch
