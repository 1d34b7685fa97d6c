"""What a run with a language model chooses: tasks, how levels are shown, and the number of attempts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from tumble.errors import TumbleError
from tumble.llm.puzzle import Mode, options_text, read_options, selection_problem
from tumble.phyq.catalogue.tasks import named_tasks, splits_of
from tumble.phyq.evaluation.run_spec import ATTEMPTS, PhyQRunSpec

WIDTHS = (320, 2048)


def _as_names(value: object) -> object:
    """A list of names, also from the text or the number that a command line makes of "3,6.4" or "6.4"."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        return [name.strip() for name in value.split(",") if name.strip()]
    if isinstance(value, list | tuple):
        return [str(one) if isinstance(one, int | float) and not isinstance(one, bool) else one for one in value]
    return value


Names = Annotated[tuple[str, ...], BeforeValidator(_as_names)]


class SettingsError(TumbleError):
    """A selection of puzzles that is not valid."""


class Settings(BaseModel):
    """The selection of a set of puzzles, as in `{"setting": "broad", "only": ["6"], "limit": 50, "mode": "both"}`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    setting: Literal["broad", "local", "tasks"] = "broad"
    """Test tasks of the broad or the local setting; or all tasks named by `only`."""
    only: Names = ()
    """Scenarios, templates or tasks ("3", "6.4", "6.4:017", "6.4:080-099"); of broad and local, test tasks only."""
    ids: Names = ()
    """Tasks by id, instead of a setting."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """The most tasks in all; they are spread over scenarios, and over the templates of each."""
    mode: Mode = "text"
    attempts: Annotated[int, Field(ge=1, le=100)] = ATTEMPTS
    """At each task; people had as many."""
    picture_width: Annotated[int, Field(ge=WIDTHS[0], le=WIDTHS[1])] = 1024
    """Of the picture of a level, in pixels."""

    @model_validator(mode="after")
    def _selects_once(self) -> "Settings":
        if self.ids and (self.only or "setting" in self.model_fields_set):
            raise ValueError("ids are whole task ids and stand alone; leave out setting and only")
        if self.setting == "tasks" and not self.only:
            raise ValueError("the setting tasks needs only: scenarios, templates or tasks, as in 3, 6.4 or 6.4:017")
        return self

    @property
    def shows_text(self) -> bool:
        """Whether levels are described in words."""
        return self.mode != "picture"

    @property
    def shows_pictures(self) -> bool:
        """Whether levels are shown as pictures."""
        return self.mode != "text"

    @property
    def options(self) -> str:
        """How levels are shown where that is not as by default, for the settings of a run.

        >>> Settings(mode="picture", picture_width=640).options
        'picture_width 640'
        """
        default = type(self).model_fields["picture_width"].default
        changed = self.shows_pictures and self.picture_width != default
        return options_text({"picture_width": self.picture_width}) if changed else ""

    def task_ids(self) -> list[str]:
        """The ids of the tasks."""
        if self.ids:
            return spread(named_tasks(self.ids), self.limit)
        return spread([task_id for part in splits_of(self.setting, self.only) for task_id in part.test], self.limit)


def spread(task_ids: Sequence[str], limit: int | None) -> list[str]:
    """A number of tasks in their order: the first of the first template of each scenario, then of the second, …

    >>> spread(["3.1:000", "3.1:001", "3.2:000", "4.1:000", "4.1:001"], 2)
    ['3.1:000', '4.1:000']
    """
    of_template: Counter[str] = Counter()
    of_scenario: dict[str, list[str]] = {}
    turns: dict[str, tuple[int, int]] = {}
    for task_id in task_ids:
        template = task_id.partition(":")[0]
        own = of_scenario.setdefault(template.partition(".")[0], [])
        if template not in own:
            own.append(template)
        turns[task_id] = of_template[template], own.index(template)
        of_template[template] += 1
    chosen = set(sorted(task_ids, key=turns.__getitem__)[:limit])
    return [task_id for task_id in task_ids if task_id in chosen]


def settings_of(selection: Mapping[str, Any]) -> Settings:
    """The settings of a selection; a SettingsError says what is wrong."""
    try:
        return Settings.model_validate(dict(selection))
    except ValidationError as error:
        raise SettingsError(selection_problem(error, Settings)) from None


def selection_of(spec: PhyQRunSpec) -> dict[str, Any]:
    """The selection of the tasks of a run specification, with the mode and the options of its settings."""
    if spec.setting == "levels":
        raise SettingsError("language models attempt tasks, not levels of files: select a setting or tasks")
    only = spec.only if spec.limit is None else spec.task_ids()
    shown = {"mode": spec.settings.get("mode", "text"), **read_options(spec.settings.get("options", ""))}
    return {"setting": spec.setting, "only": list(only), "attempts": spec.attempts, **shown}
