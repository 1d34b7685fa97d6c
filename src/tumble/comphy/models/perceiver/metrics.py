"""How well the perceiver sees: detections, identities, centres, headings, looks and masks against the truth."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from tumble.comphy.catalogue.body import world_of_bodies
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.dataset.layout import VIDEOS
from tumble.comphy.dataset.load import Example
from tumble.comphy.models.data.geometry import FOLDS
from tumble.comphy.models.data.packed_sets import look_of
from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.models.perceiver.targets import look_counts
from tumble.comphy.models.perceiver.tracking import Detections, assign
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.video import bounding_boxes

LEAST_PIXELS = 25
"""Visible pixels from which a body counts; with fewer it is neither wanted nor wrong."""
BORDER = 20.0
"""Pixels from a border within which centres are also counted by themselves."""
LEVELS = (0.5, 0.75)
SIZE = np.array([WIDTH, HEIGHT], float)


@dataclass(frozen=True, eq=False)
class TrueVideo:
    """What is to be seen in a video, at 240 x 160."""

    looks: np.ndarray
    """int64 [body]: index of each body's look."""
    pixels: np.ndarray
    """int64 [frame, body]: how many are visible."""
    boxes: np.ndarray
    """float [frame, body, 4]: left, top, right, bottom in pixels; NaN if none is visible."""
    centres: np.ndarray
    """float64 [frame, body, 2]: in pixels."""
    yaws: np.ndarray
    """float64 [frame, body]."""
    masks: np.ndarray
    """uint8 [frame, HEIGHT, WIDTH]."""
    world: ObjectWorld = PLAIN

    @property
    def counts(self) -> np.ndarray:
        """bool [frame, body]: bodies to be found."""
        return np.asarray(self.pixels >= LEAST_PIXELS)


def true_videos(example: Example) -> list[TrueVideo]:
    """The truth of all videos of a set of a dataset, the target first."""
    result = []
    for key in VIDEOS:
        masks = example.masks(key)
        masks = masks[:, :: masks.shape[1] // HEIGHT, :: masks.shape[2] // WIDTH]
        bodies = [example.videos.bodies[k] for k in example.members(key)]
        motion = example.videos.target if key == "target" else example.videos.references[key].motion
        part = slice(len(masks))
        world = world_of_bodies(example.videos.bodies)
        codes = [look_of(body.appearance, world) for body in bodies]
        pixels = np.stack([(masks == k + 1).sum(axis=(1, 2)) for k in range(len(bodies))], axis=1)
        turned = motion.orientations[part]
        result.append(
            TrueVideo(
                np.asarray(np.ravel_multi_index(tuple(np.array(codes).T), look_counts(world))),
                pixels,
                bounding_boxes(masks, len(bodies)).astype(float),
                CAMERA.project(motion.positions[part])[..., :2] * SIZE,
                2.0 * np.arctan2(turned[..., 3], turned[..., 0]),
                masks,
                world,
            )
        )
    return result


@dataclass
class Scores:
    """Figures summed over sets."""

    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    values: dict[str, list[np.ndarray]] = field(default_factory=lambda: defaultdict(list))

    def share(self, name: str, of: str) -> float:
        """Per cent."""
        return 100.0 * self.counts[name] / max(self.counts[of], 1)

    def all(self, name: str) -> np.ndarray:
        """All values of a name, one after the other."""
        found = self.values.get(name)
        return np.concatenate(found) if found else np.zeros(0)

    def add_set(self, perception: Perception, truths: list[TrueVideo]) -> None:
        """Adds a set: what was found after tracking."""
        looks = _look_codes(perception, truths[0].world)
        shown = {int(look) for true in truths for look in true.looks[true.counts.any(axis=0)]}
        self.counts["bodies"] += len(shown)
        self.counts["bodies with the right look"] += len(shown & set(looks.tolist()))
        self.counts["bodies found"] += len(looks)
        self.counts["sets"] += 1
        self.counts["sets with all bodies right"] += shown == set(looks.tolist())
        for video, true in zip((perception.target, *perception.references), truths, strict=True):
            self._add_video(video, true, looks[list(video.members)])

    def add_detections(self, found: list[Detections], truths: list[TrueVideo]) -> None:
        """Adds the looks of single detections."""
        for detections, true in zip(found, truths, strict=True):
            counts = look_counts(true.world)
            best = np.stack(np.unravel_index(detections.looks.argmax(axis=1), counts), axis=1)
            wanted = np.stack(np.unravel_index(true.looks, counts), axis=1)
            for frame in range(len(true.pixels)):
                here = np.flatnonzero(detections.frames == frame)
                for row, body, level in _matches(detections.boxes[here], true.boxes[frame]):
                    if level >= LEVELS[0] and true.counts[frame, body]:
                        right = best[here[row]] == wanted[body]
                        self.counts["detections"] += 1
                        self.counts["detections with the right look"] += bool(right.all())
                        for name, is_right in zip(("colour", "material", "shape"), right, strict=True):
                            self.counts[f"detections with the right {name}"] += bool(is_right)

    def add_masks(self, masks: np.ndarray, video: PerceivedVideo, looks: np.ndarray, true: TrueVideo) -> None:
        """Adds the masks of a video, of bodies that have the right look; `looks` are those of the video's columns."""
        for k, look in enumerate(true.looks):
            columns = np.flatnonzero(looks == look)
            if len(columns):
                frames = true.counts[:, k] & video.seen[:, columns[0]]
                own, wanted = masks[frames] == columns[0] + 1, true.masks[frames] == k + 1
                union = (own | wanted).sum(axis=(1, 2))
                self.values["mask IoU"].append((own & wanted).sum(axis=(1, 2)) / np.maximum(union, 1))

    def _add_video(self, video: PerceivedVideo, true: TrueVideo, looks: np.ndarray) -> None:
        low, size = video.boxes[..., :2] - video.boxes[..., 2:] / 2, video.boxes[..., 2:]
        boxes = np.concatenate([low * SIZE, (low + size) * SIZE], axis=-1)
        centres = video.centres * SIZE
        before: dict[int, int] = {}
        self.counts["frames"] += len(true.pixels)
        for frame in range(len(true.pixels)):
            columns = np.flatnonzero(video.seen[frame])
            self.counts["wanted"] += int(true.counts[frame].sum())
            self.counts["found"] += len(columns)
            matched = set()
            for row, body, level in _matches(boxes[frame, columns], true.boxes[frame]):
                column = int(columns[row])
                if not true.counts[frame, body]:
                    if level > 0.1:
                        self.counts["found"] -= 1  # neither right nor wrong
                    continue
                for limit in LEVELS:
                    self.counts[f"right at {limit}"] += level >= limit
                if level < LEVELS[0]:
                    continue
                matched.add(column)
                self.counts["matched"] += 1
                self.counts["matched with the right look"] += int(looks[column] == true.looks[body])
                self.counts["identity switches"] += before.get(body, column) != column
                before[body] = column
                self._add_match(video, true, frame, column, body, centres[frame, column] - true.centres[frame, body])

    def _add_match(
        self, video: PerceivedVideo, true: TrueVideo, frame: int, column: int, body: int, error: np.ndarray
    ) -> None:
        self.values["error"].append(error[None])
        self.values["estimated error"].append(video.errors[frame, column, None])
        distances = _border_distances(true.centres[frame, body])
        if distances.min() < BORDER:
            outward = np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]])[distances.argmin()]
            self.values["border error"].append(error[None])
            self.values["outward error"].append((error @ outward)[None])
        folds = FOLDS[true.world.shapes[true.looks[body] % len(true.world.shapes)]]
        if folds and np.isfinite(video.yaws[frame, column]):
            turn = 2.0 * np.pi / folds
            off = (video.yaws[frame, column] - true.yaws[frame, body] + turn / 2) % turn - turn / 2
            self.values["yaw error"].append(np.degrees(off)[None])


def _look_codes(perception: Perception, world: ObjectWorld) -> np.ndarray:
    """int64 [body]: looks as indices; -1 for words that are not of this world."""
    known = {*world.materials, *world.shapes}
    codes = [
        int(np.ravel_multi_index(look_of(look, world), look_counts(world))) if {*look[1:]} <= known else -1
        for look in perception.appearances
    ]
    return np.array(codes, np.int64)


def look_codes(perception: Perception, video: PerceivedVideo, world: ObjectWorld = PLAIN) -> np.ndarray:
    """int64 [body]: the looks of the bodies of a video, as indices."""
    return _look_codes(perception, world)[list(video.members)]


def _border_distances(centre: np.ndarray) -> np.ndarray:
    """Pixels inside the left, top, right and bottom border."""
    return np.concatenate([centre, SIZE - centre])


def overlaps(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """[row, column]: intersection over union of boxes [row, 4] and [column, 4]; 0 with a box of NaN.

    >>> overlaps(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[0.0, 0.0, 2.0, 1.0]])).tolist()
    [[0.5]]
    """
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    shared = np.clip(high - low, 0.0, None).prod(axis=-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(axis=-1) for boxes in (first, second)]
    union = areas[0][:, None] + areas[1][None] - shared
    return np.asarray(np.nan_to_num(shared / np.where(union > 0, union, 1.0), nan=0.0))


def _matches(boxes: np.ndarray, truth: np.ndarray) -> list[tuple[int, int, float]]:
    """Rows of boxes and of the truth that overlap most, and how much."""
    if not len(boxes) or not len(truth):
        return []
    levels = overlaps(boxes, truth)
    return [(row, body, float(levels[row, body])) for row, body in assign(-levels) if levels[row, body] > 0.0]
