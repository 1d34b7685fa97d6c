"""The folder of a generated dataset: its settings, the checksums of its files, and their verification.

`dataset.json` holds the settings, which decide everything in the folder. `SHA256SUMS` is in the format of
`sha256sum`, which can check it too; readers check every file before they first read it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import tumble
from tumble.bounded import BoundError, read_text
from tumble.checks import whole_number
from tumble.comphy.catalogue.video_set import FAMILIES, Family
from tumble.comphy.catalogue.world import PLAIN, WORLDS, named_world
from tumble.comphy.dataset.json_files import DataError, Fault, Record, abbreviate, read_json, write_json
from tumble.comphy.dataset.layout import SPLITS, Layout, PlannedSet, Split, plan_sets, planned_set
from tumble.comphy.observation.renderer import ANALYTIC, RENDERERS
from tumble.comphy.questions.ask import SPLIT_OPTIONS, OptionSettings
from tumble.errors import TumbleError
from tumble.progress import bar
from tumble.scene.files import whole_file

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_TEMPORARY = re.compile(r"\.[0-9a-f]{32}(\..*)?")
_CHUNK = 1 << 20

MISSING, DAMAGED = "missing", "damaged: its checksum differs"
UNLISTED = "it has no checksum"


def file_digest(path: Path) -> str:
    """The SHA-256 of a file."""
    result = sha256()
    if not path.is_file():
        raise DataError(f"{path}: this is not a file")
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            result.update(chunk)
    return result.hexdigest()


def digests(root: Path, paths: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of files, by path relative to the folder."""
    return {path.relative_to(root).as_posix(): file_digest(path) for path in paths}


def write_sums(path: Path, sums: Mapping[str, str]) -> None:
    """Writes checksums, sorted by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_text(_sums_text(sums), encoding="utf-8")


def _sums_text(sums: Mapping[str, str]) -> str:
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def read_sums(path: Path, is_growing: bool = False) -> dict[str, str]:
    """The checksums in a file, by name; of a file that is appended to, the last line may be incomplete."""
    sums = {}
    try:
        text = read_text(path)
    except BoundError as error:
        raise DataError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: this is not text") from None
    if is_growing:
        text = text[: text.rfind("\n") + 1]
    for number, line in enumerate(text.splitlines(), 1):
        parts = _LINE.fullmatch(line)
        if not parts:
            raise DataError(f"{path}: line {number} must be a checksum, two spaces and a name")
        sums[parts[2]] = parts[1]
    return sums


class GrowingSums:
    """A file of checksums that is appended to while sets are generated; kills may leave an incomplete last line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None

    def append(self, sums: Mapping[str, str]) -> None:
        """Adds the checksums of a finished set."""
        if self._stream is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._path.open("ab", buffering=0)
            self._stream.truncate(self._path.read_bytes().rfind(b"\n") + 1)
        text = memoryview(_sums_text(sums).encode())
        while text:  # a write without a buffer may write a part, as where the disk is almost full
            text = text[self._stream.write(text) :]

    def close(self) -> None:
        """Closes the file."""
        if self._stream is not None:
            self._stream.close()


def part_sums(folder: Path) -> dict[str, str]:
    """The checksums of an unfinished dataset, whose intermediate files are in a folder."""
    sums: dict[str, str] = {}
    for path in sorted(folder.glob("*.sha256")):
        if not is_temporary(path):
            sums.update(read_sums(path, is_growing=True))
    return sums


class CheckedFiles:
    """The files of a dataset: each is checked before it is first read, and again when it has changed on disk."""

    def __init__(self, root: Path, sums: Mapping[str, str] | None) -> None:
        """`sums` is None where there are no checksums, as for the published files: then nothing is checked."""
        self._root, self._sums = root, sums
        self._checked: dict[str, tuple[int, int]] = {}
        """Size and time of the last change of each file that was checked."""

    def names_in(self, folder: str) -> list[str]:
        """The files of a folder that have checksums."""
        return [name for name in self._sums or () if name.startswith(f"{folder}/")]

    def has_sum(self, path: Path) -> bool:
        """Whether a file has a checksum."""
        return self._sums is not None and path.relative_to(self._root).as_posix() in self._sums

    def check(self, path: Path) -> Path:
        """The path of a file, after its checksum was checked; a DataError if it is missing or damaged."""
        if self._sums is None:
            return path
        name = path.relative_to(self._root).as_posix()
        expected = self._sums.get(name)
        if not path.exists():
            if expected is not None:
                raise DataError(f"{path}: {MISSING}")
            return path  # the reader reports it
        if expected is None:
            raise DataError(f"{path}: {UNLISTED}; generate the dataset again to finish it")
        try:
            status = path.stat()
            version = status.st_size, status.st_mtime_ns
            if self._checked.get(name) == version:
                return path
            if file_digest(path) != expected:
                raise DataError(f"{path}: {DAMAGED}")
        except OSError as error:
            raise DataError(f"{path}: {error.strerror}") from None
        self._checked[name] = version
        return path


def is_temporary(path: Path) -> bool:
    """Whether a file is the partial file of a process that was killed while writing."""
    return bool(_TEMPORARY.fullmatch(path.name))


FORMAT = "tumble-comphy-2"
PHYSICS = "physics"
"""The field of `dataset.json` with the physics id."""
MIN_SIDE, MAX_SIDE = 16, 4096
MIN_OPTIONS, MAX_OPTIONS = 2, 4
MAX_SETS = 1_000_000


class SettingsError(TumbleError):
    """Impossible settings, or settings that differ from those of the folder."""


@dataclass(frozen=True)
class Settings:
    """What to generate."""

    sets: int
    seed: int
    size: tuple[int, int] | None
    """Width and height of the videos; None for no videos."""
    split: Split | None = None
    """All sets in one split, instead of the published proportions."""
    family: Family | None = None
    """All sets of one family, instead of the published proportions."""
    renderer: str = ANALYTIC
    """Of the videos."""
    options: int | None = None
    """Options of every question that can have that many; None for the numbers of the world, as published."""
    world: str = PLAIN.name
    """Of all sets."""

    def __post_init__(self) -> None:
        whole_number("sets", self.sets, 1, MAX_SETS, SettingsError)
        whole_number("seed", self.seed, error=SettingsError)
        if self.options is not None:
            whole_number("options", self.options, MIN_OPTIONS, MAX_OPTIONS, SettingsError)
        if self.size is not None:
            for name, side in zip(("width", "height"), self.size, strict=True):
                if side % 2 or not MIN_SIDE <= side <= MAX_SIDE:
                    raise SettingsError(f"{name} must be an even number from {MIN_SIDE} to {MAX_SIDE}, not {side}")
        renderers = ("renderer", self.renderer, tuple(RENDERERS))
        worlds = ("world", self.world, tuple(WORLDS))
        for name, value, known in (("split", self.split, SPLITS), ("family", self.family, FAMILIES), renderers, worlds):
            if value is not None and value not in known:
                raise SettingsError(f"no {name} {value!r}; there are {', '.join(known)}")

    def option_settings(self, split: Split) -> OptionSettings:
        """The numbers of options of a split's questions."""
        world = named_world(self.world)
        published = replace(SPLIT_OPTIONS[split], one_correct=world.one_correct)
        options = world.options if self.options is None else self.options
        if options is None:
            return published
        return replace(published, counterfactual=options, predictive={options: 1.0})

    def planned_set(self, index: int) -> PlannedSet:
        """The split and family of a set."""
        return planned_set(index, self.split, self.family)

    def planned_sets(self) -> Iterator[PlannedSet]:
        """The split and family of each set."""
        return plan_sets(self.sets, self.split, self.family)


def settings_document(settings: Settings, physics_id: str) -> dict[str, Any]:
    """The content of `dataset.json`."""
    size = None if settings.size is None else list(settings.size)
    versions = {"format": FORMAT, "tumble": tumble.__version__, PHYSICS: physics_id}
    document = {**versions, **asdict(settings), "size": size}
    if settings.world == PLAIN.name:  # files of the plain world don't name it
        del document["world"]
    return document


def prepare_folder(root: Path, settings: Settings, physics_id: str) -> None:
    """Writes the settings into an empty folder, or checks that a folder was started with the same ones."""
    layout = Layout(root)
    if not layout.settings.exists():
        entries = root.iterdir() if root.exists() else ()
        entry = next((path for path in entries if not is_temporary(path)), None)  # that of a kill may be there
        if entry is not None:
            raise SettingsError(f"{root} holds {entry.name} but no {layout.settings.name}; choose an empty folder")
        write_settings(root, settings, physics_id)
    check_folder(root, settings, physics_id)


def write_settings(root: Path, settings: Settings, physics_id: str) -> None:
    """Writes the settings of a folder, in the place of others."""
    write_json(Layout(root).settings, settings_document(settings, physics_id))


def check_folder(root: Path, settings: Settings, physics_id: str) -> None:
    """Refuses a folder that was started with other settings, another physics or another version."""
    layout = Layout(root)
    wanted = settings_document(settings, physics_id)
    present = Record(read_json(layout.settings), str(layout.settings)).value
    for name in [*wanted, *present]:
        if present.get(name) != wanted.get(name):
            found = f"{name} {abbreviate(present.get(name))}, not {abbreviate(wanted.get(name))}"
            advice = "extend the dataset to add sets" if name == "sets" else "use the same settings to resume"
            raise SettingsError(f"{root} was started with {found}; {advice}, or choose another folder")


def read_settings(root: Path) -> Settings:
    """The settings of a folder."""
    path = Layout(root).settings
    record = Record(read_json(path), str(path))
    if record.text("format") != FORMAT:
        raise DataError(f"{path}: format must be {FORMAT!r}, not {abbreviate(record.get('format'))}")
    size = record.get("size")
    try:
        return Settings(
            sets=record.integer("sets"),
            seed=record.integer("seed"),
            size=None if size is None else _size(size),
            split=record.get("split"),
            family=record.get("family"),
            renderer=record.text("renderer"),
            options=None if record.get("options") is None else record.integer("options"),
            world=record.text("world") if "world" in record else PLAIN.name,
        )
    except SettingsError as error:
        raise DataError(f"{path}: {error}") from None


def _size(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2 or not all(type(side) is int for side in value):
        raise SettingsError(f"size must be a width and a height, not {abbreviate(value)}")
    return value[0], value[1]


def read_physics_id(root: Path) -> str:
    """The physics id of a folder."""
    path = Layout(root).settings
    return Record(read_json(path), str(path)).text(PHYSICS)


UNEXPECTED = "unexpected"
NOT_GENERATED, UNFINISHED = "not generated yet", "not finished yet"
LEFT_OVER = "partial file of a process that was killed"


def verify(root: Path) -> list[Fault]:
    """Everything that is wrong with a dataset, finished or not; an empty list if nothing is."""
    layout = Layout(root)
    try:
        settings = read_settings(root)
        finished = layout.sums.exists()
        sums = read_sums(layout.sums) if finished else part_sums(layout.parts)
    except (DataError, OSError) as error:
        return [Fault(str(root), str(error))]
    faults = [*_wrong_files(root, sums), *_unlisted(layout, settings, sums, finished)]
    return [*faults, *_unexpected(layout, settings, sums, finished)]


def _wrong_files(root: Path, sums: Mapping[str, str]) -> Iterator[Fault]:
    with bar("Verifying", len(sums)) as advance:
        for name, expected in sums.items():
            path = root / name
            if not path.is_file():
                yield Fault(name, MISSING)
            elif file_digest(path) != expected:
                yield Fault(name, DAMAGED)
            advance(1)


def _unlisted(layout: Layout, settings: Settings, sums: Mapping[str, str], finished: bool) -> Iterator[Fault]:
    """Files that should have a checksum and have none."""
    for planned in settings.planned_sets():
        names = [_name(layout, path) for path in layout.files_of(planned.index, settings.size is not None)]
        unlisted = [name for name in names if name not in sums]
        if finished:
            yield from (Fault(name, UNLISTED) for name in unlisted)
        elif unlisted:
            started = any((layout.root / name).exists() for name in names)
            yield Fault(f"set {planned.index:05d}", UNFINISHED if started else NOT_GENERATED)
    for name in (_name(layout, path) for path in layout.question_files()):
        if not finished:
            yield Fault(name, UNFINISHED if name in sums else NOT_GENERATED)
        elif name not in sums:
            yield Fault(name, UNLISTED)


def _unexpected(layout: Layout, settings: Settings, sums: Mapping[str, str], finished: bool) -> Iterator[Fault]:
    """Files that are not part of the dataset."""
    known = {*sums, _name(layout, layout.sums), _name(layout, layout.settings)}
    if not finished:
        for planned in settings.planned_sets():
            known.update(_name(layout, path) for path in layout.files_of(planned.index, settings.size is not None))
        known.update(_name(layout, path) for path in layout.question_files())
    for path in sorted(layout.root.rglob("*")):
        name = _name(layout, path)
        if path.is_dir() or name in known:
            continue
        if is_temporary(path):
            yield Fault(name, LEFT_OVER)
        elif finished or layout.parts not in path.parents:
            yield Fault(name, UNEXPECTED)


def _name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix()
