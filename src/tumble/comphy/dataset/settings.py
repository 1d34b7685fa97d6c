"""How a dataset was made: all that decides its content, kept in the folder as `dataset.json`."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import tumble
from tumble.comphy.dataset.json_files import DataError, Record, read_json, short, write_json
from tumble.comphy.dataset.layout import SPLITS, Layout, PlannedSet, Split, plan
from tumble.comphy.observation.renderer import ANALYTIC, RENDERERS
from tumble.comphy.questions.ask import SPLIT_OPTIONS, Options
from tumble.comphy.tasks.video_set import FAMILIES, Family

FORMAT = "tumble-comphy-1"
LARGEST_SIDE = 4096
FEWEST_OPTIONS, MOST_OPTIONS = 2, 4


class SettingsError(ValueError):
    """Settings that can't be, or that are not those of a folder."""


@dataclass(frozen=True)
class Settings:
    """What to make."""

    sets: int
    seed: int
    size: tuple[int, int] | None
    """Width and height of the videos; None for no videos."""
    split: Split | None = None
    """All sets in one split, instead of the published ranges."""
    family: Family | None = None
    """All sets of one family, instead of the published ranges."""
    renderer: str = ANALYTIC
    """Of the videos."""
    options: int | None = None
    """Every question that can have so many options has them; None for the published numbers, which differ by split."""

    def __post_init__(self) -> None:
        if self.sets < 1:
            raise SettingsError(f"sets must be 1 or more, not {self.sets}")
        if self.options is not None and not FEWEST_OPTIONS <= self.options <= MOST_OPTIONS:
            raise SettingsError(f"options must be from {FEWEST_OPTIONS} to {MOST_OPTIONS}, not {self.options}")
        if self.size is not None:
            for name, side in zip(("width", "height"), self.size, strict=True):
                if side % 2 or not 16 <= side <= LARGEST_SIDE:
                    raise SettingsError(f"{name} must be an even number from 16 to {LARGEST_SIDE}, not {side}")
        renderers = ("renderer", self.renderer, tuple(RENDERERS))
        for name, value, known in (("split", self.split, SPLITS), ("family", self.family, FAMILIES), renderers):
            if value is not None and value not in known:
                raise SettingsError(f"no {name} {value!r}; there are {', '.join(known)}")

    def options_of(self, split: Split) -> Options:
        """How many options questions of a split have."""
        published = SPLIT_OPTIONS[split]
        if self.options is None:
            return published
        return replace(published, counterfactual=self.options, predictive={self.options: 1.0})

    def rows(self) -> list[PlannedSet]:
        """What each set is to be."""
        return plan(self.sets, self.split, self.family)


def document(settings: Settings, versions: dict[str, str]) -> dict[str, Any]:
    """The content of `dataset.json`."""
    size = None if settings.size is None else list(settings.size)
    return {"format": FORMAT, "tumble": tumble.__version__, **versions, **asdict(settings), "size": size}


def settle(root: Path, settings: Settings, versions: dict[str, str]) -> None:
    """Makes the folder one with these settings, or refuses if it is another's."""
    layout = Layout(root)
    wanted = document(settings, versions)
    if not layout.settings.exists():
        stranger = next(root.iterdir(), None) if root.exists() else None
        if stranger is not None:
            raise SettingsError(f"{root} holds {stranger.name} but no {layout.settings.name}; choose an empty folder")
        write_json(layout.settings, wanted)
    present = Record(read_json(layout.settings), str(layout.settings)).value
    for name in [*wanted, *present]:
        if present.get(name) != wanted.get(name):
            raise SettingsError(
                f"{root} was begun with {name} {short(present.get(name))}, not {short(wanted.get(name))}; "
                "go on with that, or choose another folder"
            )


def read_settings(root: Path) -> Settings:
    """The settings of a folder."""
    path = Layout(root).settings
    record = Record(read_json(path), str(path))
    if record.text("format") != FORMAT:
        raise DataError(f"{path}: format must be {FORMAT!r}, not {short(record.get('format'))}")
    size = record.get("size")
    try:
        return Settings(
            sets=record.whole("sets"),
            seed=record.whole("seed"),
            size=None if size is None else (int(size[0]), int(size[1])),
            split=record.get("split"),
            family=record.get("family"),
            renderer=record.text("renderer"),
            options=record.get("options"),
        )
    except (SettingsError, TypeError, ValueError, IndexError) as error:
        raise DataError(f"{path}: {error}") from None
