"""The settings of a generated dataset: everything that decides its content, stored in the folder as `dataset.json`."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import tumble
from tumble.checks import whole_number
from tumble.comphy.dataset.checksums import is_temporary
from tumble.comphy.dataset.json_files import DataError, Record, abbreviate, read_json, write_json
from tumble.comphy.dataset.layout import SPLITS, Layout, PlannedSet, Split, plan_sets, planned_set
from tumble.comphy.observation.renderer import ANALYTIC, RENDERERS
from tumble.comphy.questions.ask import SPLIT_OPTIONS, OptionSettings
from tumble.comphy.tasks.video_set import FAMILIES, Family
from tumble.comphy.tasks.world import PLAIN, WORLDS, named_world
from tumble.errors import TumbleError

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
