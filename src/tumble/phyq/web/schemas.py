"""What the browser sends."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tumble.phyq.simulation.shots import LONGEST_WAIT, SHORTEST_PULL, Shot
from tumble.phyq.tasks.constants import STRETCH_LIMIT
from tumble.phyq.web.own_levels import MOST_BIRDS, MOST_CHARACTERS
from tumble.phyq.web.task_data import TASK_ID

TaskId = Annotated[str, Field(pattern=f"^{TASK_ID}$")]
LevelText = Annotated[str, Field(max_length=MOST_CHARACTERS)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ShotRequest(_Request):
    """A shot, with the limits of `Shot`."""

    angle: Annotated[float, Field(ge=-180.0, le=180.0, allow_inf_nan=False)]
    stretch: Annotated[float, Field(ge=SHORTEST_PULL, le=STRETCH_LIMIT, allow_inf_nan=False)] = 1.0
    tap_ms: Annotated[float, Field(ge=0.0, le=1000.0 * LONGEST_WAIT, allow_inf_nan=False)] | None = None
    delay: Annotated[float, Field(ge=0.0, le=LONGEST_WAIT, allow_inf_nan=False)] | None = None

    def shot(self) -> Shot:
        """The shot as agents make it."""
        return Shot(self.angle, self.stretch, tap_ms=self.tap_ms, delay=self.delay)


class AttemptRequest(_Request):
    """The shots of an attempt at a task or an own level so far; motion is wanted from one of them on."""

    task: TaskId | None = None
    level: LevelText | None = None
    shots: Annotated[list[ShotRequest], Field(min_length=1, max_length=MOST_BIRDS)]
    from_shot: Annotated[int, Field(ge=0, lt=MOST_BIRDS)] = 0

    @model_validator(mode="after")
    def _is_whole(self) -> "AttemptRequest":
        if (self.task is None) == (self.level is None):
            raise ValueError("give a task or a level")
        if self.from_shot >= len(self.shots):
            raise ValueError(f"there is no shot {self.from_shot} among {len(self.shots)}")
        return self


class LevelRequest(_Request):
    """The text of a level file."""

    text: LevelText


class EditedLevelRequest(_Request):
    """A level that a person makes, as the text of its file."""

    level: LevelText


class SweepRequest(EditedLevelRequest):
    """Random shots at such a level, from a number of the list on."""

    first: Annotated[int, Field(ge=0, lt=1_000_000)]
