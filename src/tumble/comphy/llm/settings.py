"""Which questions are posed to a model, and how the videos are shown to it."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tumble.comphy.catalogue.task import Given
from tumble.comphy.catalogue.world import REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.dataset.layout import Split
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.observation.renderer import Size
from tumble.errors import TumbleError
from tumble.llm.puzzle import Mode, options_text, read_options, selection_problem

PICTURE_SETTINGS = ("frames", "reference_frames", "width")
"""That change nothing without pictures."""

VIDEOS = "videos"
"""In the options of a run: the size of the videos whose frames were shown; the dataset decides it."""


class PuzzleSettingsError(TumbleError):
    """A selection with an unknown name or a value that is not allowed."""


class PuzzleSettings(BaseModel):
    """A selection of questions, and a mode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: str
    """The folder of a dataset."""
    split: Split = "test"
    sets: int | None = Field(None, ge=1)
    """The most sets, spread over families as by the limit of a run specification; all their questions are asked."""
    limit: int | None = Field(None, ge=1)
    """The most questions, spread over their kinds and, within a kind, over templates."""
    mode: Mode = "text"
    frames: int = Field(16, ge=2, le=SHOWN_FRAMES)
    """Pictures of the target."""
    reference_frames: int = Field(4, ge=2, le=REFERENCE_FRAMES)
    """Pictures of each reference."""
    width: int = Field(240, ge=24, le=960)
    """Of each picture, in pixels."""
    every: int = Field(5, ge=1, le=REFERENCE_FRAMES - 1)
    """Of tracks as text, every how many frames a row is given; there are 25 frames per second."""

    @property
    def has_text(self) -> bool:
        """Whether tracks are given as text."""
        return self.mode != "picture"

    @property
    def has_pictures(self) -> bool:
        """Whether frames are given as pictures."""
        return self.mode != "text"

    @property
    def given(self) -> Given:
        """The most that a model is given, as in run logs."""
        return "tracks" if self.has_text else "videos"

    @property
    def options(self) -> str:
        """How videos are shown where that is not as by default, for the settings of a run.

        >>> PuzzleSettings(data="data", mode="picture", frames=8, every=2).options
        'frames 8'
        """
        names = [*(["every"] if self.has_text else []), *(PICTURE_SETTINGS if self.has_pictures else [])]
        defaults = type(self).model_fields
        own = ((name, getattr(self, name)) for name in names)
        return options_text({name: value for name, value in own if value != defaults[name].default})

    @property
    def size(self) -> Size:
        """Width and height of each picture."""
        return self.width, round(self.width * 2 / 3)


def read_settings(selection: Mapping[str, Any]) -> PuzzleSettings:
    """The settings of a selection.

    >>> read_settings({"data": "data", "frames": 1})
    Traceback (most recent call last):
    tumble.comphy.llm.settings.PuzzleSettingsError: frames: Input should be greater than or equal to 2
    """
    if "data" not in selection:
        raise PuzzleSettingsError("data: name the folder of a dataset, as `tumble comphy generate` makes it")
    try:
        return PuzzleSettings.model_validate(dict(selection))
    except ValidationError as error:
        raise PuzzleSettingsError(selection_problem(error, PuzzleSettings)) from None


def selection_of(spec: ComPhyRunSpec) -> dict[str, Any]:
    """The selection of the questions of a run specification, with the mode and the options of its settings."""
    shown = {"mode": spec.settings.get("mode", "text"), **read_options(spec.settings.get("options", ""))}
    shown.pop(VIDEOS, None)
    return {"data": spec.folder, "split": spec.split, "sets": spec.limit, **shown}
