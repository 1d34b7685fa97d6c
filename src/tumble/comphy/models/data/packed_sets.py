"""Packed sets: the motion of many sets in a few arrays, with their questions; about 3 kB a set on disk.

Motion is x, y and yaw as int16. Pictures are rendered from it as training goes and are never written to disk. Sets of
the div world also have the forms of bodies and their stages.
"""

import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import cached_property
from hashlib import sha256
from math import prod
from pathlib import Path

import numpy as np

from tumble.bounded import decompressed, json_value, read_bytes
from tumble.comphy.catalogue.body import Body, Motion, world_of_bodies, yaw_quaternions
from tumble.comphy.catalogue.task import Choice, Question, QuestionSet
from tumble.comphy.catalogue.video_set import Stage, VideoSet
from tumble.comphy.catalogue.world import (
    OBJECT_POINT,
    PLAIN,
    RADIUS,
    REFERENCE_COUNT,
    REFERENCE_FRAMES,
    SHOWN_FRAMES,
    ObjectWorld,
    named_world,
)
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer import Clip
from tumble.scene.files import whole_file

FORMAT = "tumble-comphy-packed-1"
POSITION_SCALE = 2000.0
"""Steps of a position per unit: bodies may be up to 16 units from the origin."""
YAW_SCALE = 32767.0 / np.pi
ABSENT = -1
"""Stands for a body that a set or a reference does not have."""
HEIGHT = RADIUS
"""Of the points that stand for bodies, above the table: the same for all shapes."""
assert HEIGHT == OBJECT_POINT
MOST_CONTENT, MOST_PER_BYTE = 1 << 24, 24
"""Bytes that a file may unpack to, and further ones for each of its bytes; sets unpack to 12 times their size."""
MOST_MEMORY, MEMORY_PER_BYTE = 1 << 24, 30
"""Bytes that its questions and stages may take, likewise."""
_ARRAYS = ("index", "attributes", "mass", "charge", "members", "target", "references")
_DIV_ARRAYS = (*_ARRAYS, "forms")
_KINDS = ("int8", "int16", "int32")


@dataclass(frozen=True, eq=False)
class PackedSets:
    """Many sets."""

    index: np.ndarray
    """int32 [set]."""
    attributes: np.ndarray
    """int8 [set, body, 3]: indices of the world's colours, materials and shapes; ABSENT."""
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
    world: ObjectWorld = PLAIN
    forms: np.ndarray | None = None
    """int16 [set, body]: which variations of their shapes bodies are; None in the plain world."""
    stages: tuple[Stage, ...] = ()
    """Of each set; none in the plain world."""

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all arrays and questions."""
        text = sha256(_question_text(self.questions))
        for name in self._arrays:
            text.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        if self.world is not PLAIN:
            text.update(repr((self.world.name, self.stages)).encode())
        return text.hexdigest()

    @property
    def _arrays(self) -> tuple[str, ...]:
        return _ARRAYS if self.forms is None else _DIV_ARRAYS

    def part(self, rows: slice | np.ndarray) -> "PackedSets":
        """Some of the sets."""
        numbers = np.arange(len(self))[rows]
        arrays = {name: getattr(self, name)[numbers] for name in self._arrays}
        stages = tuple(self.stages[k] for k in numbers) if self.stages else ()
        return replace(self, **arrays, questions=tuple(self.questions[k] for k in numbers), stages=stages)

    def bodies(self, row: int) -> tuple[Body, ...]:
        """The bodies of a set."""
        count = int((self.attributes[row, :, 0] != ABSENT).sum())
        world = self.world
        forms = np.zeros(count, int) if self.forms is None else self.forms[row]
        return tuple(
            Body(world.colors[color], world.materials[material], world.shapes[shape], int(mass), int(charge), int(form))
            for (color, material, shape), mass, charge, form in zip(
                self.attributes[row, :count].tolist(), self.mass[row], self.charge[row], forms, strict=False
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
        """Some frames of a video of the plain world, to be rendered."""
        members = self.video_members(row, video)
        poses = self.poses(row, video)[frames]
        bodies = self.bodies(row)
        positions = positions_of(poses)
        return Clip(tuple(bodies[k] for k in members), positions, yaw_quaternions(poses[..., 2]))


def positions_of(poses: np.ndarray) -> np.ndarray:
    """float64 [..., body, 3]: the centres of bodies on the table, from poses [..., body, 3]."""
    return np.concatenate([poses[..., :2], np.full((*poses.shape[:-1], 1), HEIGHT)], axis=-1)


def in_view(poses: np.ndarray) -> np.ndarray:
    """bool [..., body]: whether the camera sees the centre of each body."""
    return CAMERA.sees(positions_of(poses))


def pack_sets(sets: Sequence[tuple[VideoSet, QuestionSet]], from_tracks: bool = False) -> PackedSets:
    """Packs sets and their questions; references that a set does not have are without members."""
    if not sets:
        raise DataError("there are no sets to pack")
    width = max(len(videos.bodies) for videos, _ in sets)
    world = world_of_bodies([body for videos, _ in sets for body in videos.bodies])
    stages = tuple(videos.stage for videos, _ in sets if videos.stage is not None)
    if len(stages) != (len(sets) if world.has_stages else 0):
        raise DataError(f"{len(stages)} of {len(sets)} sets of the {world.name} world have a stage")
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
        world,
        None if world is PLAIN else np.zeros((count, width), np.int16),
        stages,
    )
    for row, (videos, _) in enumerate(sets):
        for k, body in enumerate(videos.bodies):
            packed.attributes[row, k] = look_of(body.appearance, world)
            if packed.forms is not None:
                packed.forms[row, k] = body.form
            packed.mass[row, k], packed.charge[row, k] = body.mass, body.charge
        packed.target[row, :, : len(videos.bodies)] = _packed_motion(videos.target, SHOWN_FRAMES)
        for number, reference in enumerate(videos.references):
            packed.members[row, number, : len(reference.members)] = reference.members
            motion = _packed_motion(reference.motion, REFERENCE_FRAMES)
            packed.references[row, number, :, : len(reference.members)] = motion
    return packed


def look_of(appearance: tuple[str, str, str], world: ObjectWorld) -> tuple[int, int, int]:
    """The indices of a colour, a material and a shape in a world."""
    color, material, shape = appearance
    return world.colors.index(color), world.materials.index(material), world.shapes.index(shape)


def _packed_motion(motion: Motion, frames: int) -> np.ndarray:
    """int16 [frame, body, 3]; a body that is farther away than fits stays at the limit, far out of view."""
    real, up = motion.orientations[:frames, :, 0], motion.orientations[:frames, :, 3]
    yaw = 2.0 * np.arctan2(up, real)
    yaw = (yaw + np.pi) % (2.0 * np.pi) - np.pi
    values = np.concatenate([motion.positions[:frames, :, :2] * POSITION_SCALE, yaw[..., None] * YAW_SCALE], axis=-1)
    return np.asarray(np.clip(np.rint(values), -32767, 32767), np.int16)


def write_packed(path: str | Path, packed: PackedSets) -> None:
    """Writes packed sets: differences between frames, compressed."""
    arrays = {name: getattr(packed, name) for name in packed._arrays}
    arrays["target"], arrays["references"] = _differences(packed.target, 1), _differences(packed.references, 2)
    shapes = {name: [str(a.dtype), list(a.shape)] for name, a in arrays.items()}
    header: dict[str, object] = {"format": FORMAT, "from_tracks": packed.from_tracks, "arrays": shapes}
    if packed.world is not PLAIN:
        header |= {"world": packed.world.name, "stages": [astuple(stage) for stage in packed.stages]}
    text = _question_text(packed.questions)
    content = b"".join(
        [json.dumps(header).encode(), b"\n", *(np.ascontiguousarray(a).tobytes() for a in arrays.values()), text]
    )
    with whole_file(path) as partial:
        partial.write_bytes(lzma.compress(content, preset=4))


def read_packed(path: str | Path) -> PackedSets:
    """Reads packed sets."""
    try:
        packed = read_bytes(path)
        content = decompressed(packed, MOST_CONTENT + MOST_PER_BYTE * len(packed))
        most = MOST_MEMORY + MEMORY_PER_BYTE * len(packed)
        start = content.index(b"\n") + 1
        header = json_value(content[:start], most)
        if header["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        arrays, at = {}, start
        for name, (kind, shape) in header["arrays"].items():
            if kind not in _KINDS or not all(type(side) is int and side >= 0 for side in shape):
                raise ValueError(f"{name} is of {kind} {shape}")
            end = at + np.dtype(kind).itemsize * prod(shape)
            arrays[name] = np.frombuffer(content[at:end], kind).reshape(shape)
            at = end
        questions = tuple(_question_set(entry) for entry in json_value(content[at:], most))
        world = named_world(header.get("world", PLAIN.name))
        stages = tuple(Stage(*stage) for stage in header.get("stages", ()))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except Exception as error:  # a damaged file can raise almost anything
        raise DataError(f"{path}: damaged, or not a file of packed sets ({error})") from None
    _check_arrays(path, arrays, len(questions))
    arrays["target"] = np.cumsum(arrays["target"], axis=1, dtype=np.int16)
    arrays["references"] = np.cumsum(arrays["references"], axis=2, dtype=np.int16)
    from_tracks = bool(header.get("from_tracks", False))
    return PackedSets(**arrays, questions=questions, from_tracks=from_tracks, world=world, stages=stages)


def _check_arrays(path: str | Path, arrays: dict[str, np.ndarray], count: int) -> None:
    """Raises a DataError unless the arrays are those of a number of sets."""
    names = _DIV_ARRAYS if "forms" in arrays else _ARRAYS
    shapes = {name: values.shape for name, values in arrays.items()}
    if set(arrays) != set(names) or any(shape[:1] != (count,) for shape in shapes.values()):
        raise DataError(f"{path}: damaged: its arrays are not those of {count} sets")
    width, most = shapes["attributes"][1:2], shapes["members"][2:3]
    expected = {
        "index": (count,),
        "attributes": (count, *width, 3),
        **dict.fromkeys(("mass", "charge", "forms"), (count, *width)),
        "members": (count, REFERENCE_COUNT, *most),
        "target": (count, SHOWN_FRAMES, *width, 3),
        "references": (count, REFERENCE_COUNT, REFERENCE_FRAMES, *most, 3),
    }
    wrong = next((name for name in names if shapes[name] != expected[name]), None)
    if wrong is not None:
        raise DataError(f"{path}: damaged: {wrong} has the shape {shapes[wrong]}, not {expected[wrong]}")


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
