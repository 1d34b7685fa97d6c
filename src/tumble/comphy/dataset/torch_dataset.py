"""A dataset for PyTorch: an item for each set, and batches of them.

    dataset = TorchSets(open_dataset("data"), "train")
    loader = DataLoader(dataset, batch_size=8, collate_fn=collate, num_workers=2)

A set with a faulty video is an item `Fault`; `collate` leaves it out and names it in the batch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tumble.comphy.dataset.annotations import PROPERTIES
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import Split, Which
from tumble.comphy.dataset.load import Data, Example
from tumble.comphy.dataset.tracks import ABSENT
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.tasks.constants import REFERENCE_FRAMES, REFERENCES, SHOWN_FRAMES

Item = dict[str, Any]
UNKNOWN = -9
"""Stands for a mass or charge that the files don't tell."""
PADDED = {"tracks": (1, -1), "reference_tracks": (2, -1), "attributes": (0, -1), "properties": (0, UNKNOWN)}
"""What has a row for each body, along which axis, and what fills it up: a batch is as wide as its widest set."""


class TorchSets:
    """A map-style dataset of sets; see `item_of` for what is in an item."""

    def __init__(
        self,
        data: Data,
        split: Split | None = None,
        frames: int = 32,
        reference_frames: int = 10,
        with_frames: bool = True,
        with_masks: bool = True,
    ) -> None:
        """So many frames, evenly spaced, are taken of the target and of each reference; tracks always have all."""
        _torch()
        self.data, self.indices = data, data.indices(split)
        self.counts = frames, reference_frames
        self.with_frames, self.with_masks = with_frames, with_masks

    @property
    def faults(self) -> list[Fault]:
        """What was found wrong so far in this process; batches name what their workers found."""
        return self.data.faults

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, place: int) -> Item | Fault:
        index = self.indices[place]
        try:
            return item_of(self.data.example(index), self.counts, self.with_frames, self.with_masks)
        except DataError as error:
            fault = Fault(f"set {index:05d}", str(error))
            if fault not in self.faults:
                self.faults.append(fault)
            return fault


def item_of(example: Example, counts: tuple[int, int], with_frames: bool, with_masks: bool) -> Item:
    """A set as tensors; bodies are always in the order of the target.

    tracks            float32 [125, body, 4], -1 where a body isn't seen
    reference_tracks  float32 [4, 50, body, 4]
    attributes        int64 [body, 3]: places in COLORS, MATERIALS and SHAPES
    properties        int64 [body, 2]: mass and charge, or UNKNOWN
    frames            uint8 [frame, 3, height, width]
    reference_frames  uint8 [4, frame, 3, height, width]
    masks             uint8 [frame, height, width]: 0 for the table, k + 1 for body k
    reference_masks   uint8 [4, frame, height, width]
    questions         tuple of `Question`s, with text, program, answer and choices
    """
    torch = _torch()
    bodies = example.videos.bodies
    if not example.videos.references:
        raise DataError(f"set {example.index:05d}: the annotations of its references are not there")
    hidden = [[UNKNOWN] * 2 if PROPERTIES in example.stored.missing else [body.mass, body.charge] for body in bodies]
    looks = [[COLORS.index(own.color), MATERIALS.index(own.material), SHAPES.index(own.shape)] for own in bodies]
    arrays: dict[str, np.ndarray] = {
        "tracks": _tracks(example, "target"),
        "reference_tracks": np.stack([_tracks(example, k) for k in range(REFERENCES)]),
        "attributes": np.array(looks, np.int64),
        "properties": np.array(hidden, np.int64),
    }
    few, fewer = counts
    if with_frames:
        arrays["frames"] = _pictures(example.frames(), few)
        arrays["reference_frames"] = np.stack([_pictures(example.frames(k), fewer) for k in range(REFERENCES)])
    if with_masks:
        arrays["masks"] = _spaced(example.masks(), few)
        arrays["reference_masks"] = np.stack([_spaced(_renumbered(example, k), fewer) for k in range(REFERENCES)])
    tensors = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
    return {"index": example.index, "split": example.split, "questions": example.questions.questions, **tensors}


def collate(items: Sequence[Item | Fault]) -> Item:
    """A batch: tensors stacked, the rest in lists; faulty sets are left out and listed under "faults"."""
    torch = _torch()
    good = [item for item in items if not isinstance(item, Fault)]
    batch: Item = {"faults": [item for item in items if isinstance(item, Fault)]}
    for name in good[0] if good else ():
        values = [item[name] for item in good]
        if name in PADDED:
            values = _padded(values, *PADDED[name])
        batch[name] = torch.stack(values) if isinstance(values[0], torch.Tensor) else values
    return batch


def _tracks(example: Example, which: Which) -> np.ndarray:
    """A video's tracks for all bodies of the set, as long as they should be."""
    found = example.tracks(which)
    frames = SHOWN_FRAMES if which == "target" else REFERENCE_FRAMES
    whole = np.full((frames, len(example.videos.bodies), 4), ABSENT, np.float32)
    if found.shape[1] != len(example.members(which)):
        raise DataError(f"set {example.index:05d}, {which}: there are {found.shape[1]} tracks for other bodies")
    whole[: len(found), list(example.members(which))] = found[:frames]
    return whole


def _renumbered(example: Example, which: int) -> np.ndarray:
    """A reference's masks with the target's numbers."""
    numbers = np.array([0, *(member + 1 for member in example.members(which))], np.uint8)
    return np.asarray(numbers[example.masks(which)])


def _pictures(frames: np.ndarray, count: int) -> np.ndarray:
    return _spaced(frames, count).transpose(0, 3, 1, 2)


def _spaced(frames: np.ndarray, count: int) -> np.ndarray:
    """So many frames, evenly spaced from the first to the last."""
    return np.asarray(frames[np.linspace(0, len(frames) - 1, count).round().astype(int)])


def _padded(values: list[Any], axis: int, filler: int) -> list[Any]:
    torch = _torch()
    width = max(value.shape[axis] for value in values)
    found = []
    for value in values:
        shape = list(value.shape)
        shape[axis] = width - shape[axis]
        found.append(torch.cat([value, torch.full(shape, filler, dtype=value.dtype)], dim=axis))
    return found


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise DataError('this needs PyTorch: pip install "tumble[agents]"') from None
    return torch
