"""Which tasks a model is asked, how they are shown, and how often it may attempt each."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tumble.errors import TumbleError
from tumble.llm.puzzle import Mode, read_options, selection_problem
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, TIERS
from tumble.phyre.catalogue.tasks_by_id import SETTINGS, setting_named, template_of
from tumble.phyre.catalogue.tasks_by_id import task as task_by_id
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.llm.answer import Grid
from tumble.runs.spec import spread_over_groups

TIER_NAMES = {"ball": "B", "2-balls": "2B"}
"""Tiers as they are typed, beside B and 2B."""
AGENT = "llm"
"""Of run specifications that select tasks."""
MODEL_ATTEMPTS = 10
"""At each task, by default."""


class SettingsError(TumbleError):
    """A selection of tasks, or a way to show them, that does not exist."""


class Settings(BaseModel):
    """The tasks of a split of a fold, or those of `ids`; `limit` is spread over the templates of either."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tier: str | None = None
    """"ball" or "2-balls"; by default that of the setting or of the ids, or else "ball"."""
    setting: str | None = None
    """As in run specifications; by default that of the tier whose test tasks are of all templates."""
    fold: int = 0
    split: str = "test"
    ids: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    mode: Mode = "text"
    attempts: int = Field(default=MODEL_ATTEMPTS, ge=1, le=MAX_ATTEMPTS)
    grid: str | None = None
    """"5x5x5": the answer is one of 5 columns, 5 rows and 5 radius levels; None: any position and radius."""

    @property
    def answer_grid(self) -> Grid | None:
        return None if self.grid is None else Grid.parse(self.grid)


def read_settings(selection: Mapping[str, Any]) -> Settings:
    """The settings of a table of values, with tier and setting filled in; a SettingsError says what is wrong."""
    try:
        given = Settings.model_validate(dict(selection))
    except ValidationError as error:
        raise SettingsError(selection_problem(error, Settings)) from None
    if len(set(given.ids)) < len(given.ids):
        raise SettingsError("ids: each task once")
    if given.ids and given.setting is not None:
        raise SettingsError("give a setting, or ids")
    tier = _tier(given)
    setting = given.setting or next(
        name for name, one in SETTINGS.items() if one.tier == tier and not one.across_templates
    )
    settings = given.model_copy(update={"tier": tier, "setting": setting})
    _ = settings.answer_grid  # raises for a grid that can't be read
    run_spec(settings)  # raises for a fold or a split that does not exist
    return settings


def selected_ids(settings: Settings) -> list[str]:
    """The ids of the tasks, at most `limit` of them."""
    if settings.ids:
        return spread_over_groups(list(settings.ids), settings.limit, template_of)
    return run_spec(settings).task_ids()


def run_spec(settings: Settings, model: Mapping[str, Any] | None = None) -> PhyreRunSpec:
    """The run specification of the tasks of a fold; `model` has the settings of the language model."""
    assert settings.setting is not None
    return PhyreRunSpec(
        AGENT,
        settings.setting,
        settings.fold,
        settings.split,
        attempts=settings.attempts,
        limit=settings.limit,
        settings=dict(model or {}),
    )


def selection_of(spec: PhyreRunSpec) -> dict[str, Any]:
    """The selection of the tasks of a run specification, with the mode and the options of its settings."""
    if spec.tasks is not None:
        raise SettingsError(f"language models attempt the tasks of folds, not those of a file ({spec.tasks})")
    shown = {"mode": spec.settings.get("mode", "text"), **read_options(spec.settings.get("options", ""))}
    fields = ("setting", "fold", "split", "limit", "attempts")
    return {**{name: getattr(spec, name) for name in fields}, **shown}


def _tier(given: Settings) -> str:
    """The tier that the settings mean, "B" or "2B"; all that they say of it must agree."""
    named = {}
    if given.tier is not None:
        named["tier"] = TIER_NAMES.get(given.tier, given.tier)
        if named["tier"] not in TIERS:
            raise SettingsError(f"no tier {given.tier!r}; there are {', '.join(TIER_NAMES)}")
    if given.setting is not None:
        named["setting"] = setting_named(given.setting).tier
    for task_id in given.ids:
        named[f"task {task_id}"] = task_by_id(task_id).tier
    first = next(iter(named), None)
    wrong = next((name for name, tier in named.items() if tier != named[first or name]), None)
    if wrong is not None:
        raise SettingsError(f"{wrong} is of tier {named[wrong]}, {first} of tier {named[first or wrong]}")
    return named[first] if first else TIER_NAMES["ball"]
