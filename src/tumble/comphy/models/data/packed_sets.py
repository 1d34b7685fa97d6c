"""Packed sets: the motion of many sets in a few arrays, with their questions; about 3 kB a set on disk.

Motion is x, y and yaw as int16. Pictures are rendered from it as training goes and are never written to disk.
"""

import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer import Clip
from tumble.comphy.simulation.rotations import yaw_quaternions
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES, Body
from tumble.comphy.tasks.constants import HALF_HEIGHTS, REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.question import Choice, Question, QuestionSet
from tumble.comphy.tasks.video_set import VideoSet
from tumble.scene.files import whole_file

FORMAT = "tumble-comphy-packed-1"
POSITION_SCALE = 2000.0
"""Steps of a position per unit: bodies may be up to 16 units from the origin."""
YAW_SCALE = 32767.0 / np.pi
ABSENT = -1
"""Stands for a body that a set or a reference does not have."""
HEIGHTS = np.array([HALF_HEIGHTS[shape] for shape in SHAPES])
_ARRAYS = ("index", "attributes", "mass", "charge", "members", "target", "references")


@dataclass(frozen=True, eq=False)
class PackedSets:
    """Many sets."""

    index: np.ndarray
    """int32 [set]."""
    attributes: np.ndarray
    """int8 [set, body, 3]: indices in COLORS, MATERIALS and SHAPES; ABSENT."""
    mass: np.ndarray
    """int8 [set, body]."""
    charge: np.ndarray
    """int8 [set, body]."""
    members: np.ndarray
    """int8 [set, reference, member]: indices of bodies; ABSENT."""
    target: np.ndarray
    """int16 [set, shown frame, body, 3]: x, y and yaw."""
    references: np.ndarray
    """int16 [set, reference, frame, member, 3]."""
    questions: tuple[QuestionSet, ...]
    from_tracks: bool = False
    """Whether motion comes from boxes in files: it is approximate then, and pictures are not to be rendered from it."""

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all arrays and questions."""
        text = sha256(_question_text(self.questions))
        for name in _ARRAYS:
            text.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return text.hexdigest()

    def part(self, rows: slice | np.ndarray) -> "PackedSets":
        """Some of the sets."""
        numbers = np.arange(len(self))[rows]
        arrays = {name: getattr(self, name)[numbers] for name in _ARRAYS}
        return replace(self, **arrays, questions=tuple(self.questions[k] for k in numbers))

    def bodies(self, row: int) -> tuple[Body, ...]:
        """The bodies of a set."""
        count = int((self.attributes[row, :, 0] != ABSENT).sum())
        return tuple(
            Body(COLORS[color], MATERIALS[material], SHAPES[shape], int(mass), int(charge))
            for (color, material, shape), mass, charge in zip(
                self.attributes[row, :count].tolist(), self.mass[row], self.charge[row], strict=False
            )
        )

    def video_members(self, row: int, video: int) -> np.ndarray:
        """int [member]: the bodies of a video; video 0 is the target, 1 to 4 are the references."""
        if video == 0:
            return np.flatnonzero(self.attributes[row, :, 0] != ABSENT)
        members = self.members[row, video - 1]
        return np.asarray(members[members != ABSENT], np.int64)

    def poses(self, row: int, video: int) -> np.ndarray:
        """float64 [frame, member, 3]: x, y and yaw of the bodies of a video."""
        members = self.video_members(row, video)
        packed = self.target[row][:, members] if video == 0 else self.references[row, video - 1][:, : len(members)]
        return np.asarray(packed / np.array([POSITION_SCALE, POSITION_SCALE, YAW_SCALE]))

    def clip(self, row: int, video: int, frames: Sequence[int] | np.ndarray | slice = slice(None)) -> Clip:
        """Some frames of a video, to be rendered."""
        members = self.video_members(row, video)
        poses = self.poses(row, video)[frames]
        bodies = self.bodies(row)
        positions = positions_of(poses, self.attributes[row, members, 2])
        return Clip(tuple(bodies[k] for k in members), positions, yaw_quaternions(poses[..., 2]))


def positions_of(poses: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """float64 [..., body, 3]: the centres of bodies on the table, from poses [..., body, 3] and shapes [body]."""
    heights = np.broadcast_to(HEIGHTS[shapes], poses.shape[:-1])
    return np.concatenate([poses[..., :2], heights[..., None]], axis=-1)


def in_view(poses: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """bool [..., body]: whether the camera sees the centre of each body."""
    return CAMERA.sees(positions_of(poses, shapes))


def pack_sets(sets: Sequence[tuple[VideoSet, QuestionSet]], from_tracks: bool = False) -> PackedSets:
    """Packs sets and their questions; references that a set does not have are without members."""
    if not sets:
        raise DataError("there are no sets to pack")
    width = max(len(videos.bodies) for videos, _ in sets)
    most = max((len(one.members) for videos, _ in sets for one in videos.references), default=1)
    count = len(sets)
    packed = PackedSets(
        np.array([videos.index for videos, _ in sets], np.int32),
        np.full((count, width, 3), ABSENT, np.int8),
        np.ones((count, width), np.int8),
        np.zeros((count, width), np.int8),
        np.full((count, REFERENCE_COUNT, most), ABSENT, np.int8),
        np.zeros((count, SHOWN_FRAMES, width, 3), np.int16),
        np.zeros((count, REFERENCE_COUNT, REFERENCE_FRAMES, most, 3), np.int16),
        tuple(questions for _, questions in sets),
        from_tracks,
    )
    for row, (videos, _) in enumerate(sets):
        for k, body in enumerate(videos.bodies):
            looks = COLORS.index(body.color), MATERIALS.index(body.material), SHAPES.index(body.shape)
            packed.attributes[row, k] = looks
            packed.mass[row, k], packed.charge[row, k] = body.mass, body.charge
        packed.target[row, :, : len(videos.bodies)] = _packed_motion(videos.target, SHOWN_FRAMES)
        for number, reference in enumerate(videos.references):
            packed.members[row, number, : len(reference.members)] = reference.members
            motion = _packed_motion(reference.motion, REFERENCE_FRAMES)
            packed.references[row, number, :, : len(reference.members)] = motion
    return packed


def _packed_motion(motion: Motion, frames: int) -> np.ndarray:
    """int16 [frame, body, 3]; a body that is farther away than fits stays at the limit, far out of view."""
    real, up = motion.orientations[:frames, :, 0], motion.orientations[:frames, :, 3]
    yaw = 2.0 * np.arctan2(up, real)
    yaw = (yaw + np.pi) % (2.0 * np.pi) - np.pi
    values = np.concatenate([motion.positions[:frames, :, :2] * POSITION_SCALE, yaw[..., None] * YAW_SCALE], axis=-1)
    return np.asarray(np.clip(np.rint(values), -32767, 32767), np.int16)


def write_packed(path: str | Path, packed: PackedSets) -> None:
    """Writes packed sets: differences between frames, compressed."""
    arrays = {name: getattr(packed, name) for name in _ARRAYS}
    arrays["target"], arrays["references"] = _differences(packed.target, 1), _differences(packed.references, 2)
    shapes = {name: [str(a.dtype), list(a.shape)] for name, a in arrays.items()}
    header = {"format": FORMAT, "from_tracks": packed.from_tracks, "arrays": shapes}
    text = _question_text(packed.questions)
    content = b"".join(
        [json.dumps(header).encode(), b"\n", *(np.ascontiguousarray(arrays[name]).tobytes() for name in _ARRAYS), text]
    )
    with whole_file(path) as partial:
        partial.write_bytes(lzma.compress(content, preset=4))


def read_packed(path: str | Path) -> PackedSets:
    """Reads packed sets."""
    try:
        content = lzma.decompress(Path(path).read_bytes())
        head, _, body = content.partition(b"\n")
        header = json.loads(head)
        if header["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        arrays, at = {}, 0
        for name in _ARRAYS:
            kind, shape = header["arrays"][name]
            size = int(np.dtype(kind).itemsize * np.prod(shape))
            arrays[name] = np.frombuffer(body[at : at + size], kind).reshape(shape)
            at += size
        questions = tuple(_question_set(entry) for entry in json.loads(body[at:]))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except Exception as error:  # a damaged file can raise almost anything
        raise DataError(f"{path}: damaged, or not a file of packed sets ({error})") from None
    arrays["target"] = np.cumsum(arrays["target"], axis=1, dtype=np.int16)
    arrays["references"] = np.cumsum(arrays["references"], axis=2, dtype=np.int16)
    return PackedSets(**arrays, questions=questions, from_tracks=bool(header.get("from_tracks", False)))


def _differences(values: np.ndarray, axis: int) -> np.ndarray:
    """int16 differences along an axis, modulo 2 ** 16; the first value stays."""
    first = np.zeros_like(values.take([0], axis=axis))
    with np.errstate(over="ignore"):
        return np.diff(values, axis=axis, prepend=first)


def _question_text(questions: Sequence[QuestionSet]) -> bytes:
    return json.dumps([asdict(one) for one in questions], separators=(",", ":")).encode()


def _question_set(entry: dict[str, object]) -> QuestionSet:
    return QuestionSet(int(str(entry["index"])), tuple(_questions(entry["questions"])))


def _questions(entries: object) -> Iterator[Question]:
    assert isinstance(entries, list)
    for entry in entries:
        choices = tuple(Choice(**{**choice, "program": tuple(choice["program"])}) for choice in entry["choices"])
        yield Question(**{**entry, "program": tuple(entry["program"]), "choices": choices})
