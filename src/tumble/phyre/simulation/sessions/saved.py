"""Sessions as JSON: what is needed to simulate one again, and a digest to tell that it is the same."""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tumble.bounded import BoundError, check_json
from tumble.phyre.simulation.attempt import SimulationError
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.errors import TemplateError
from tumble.phyre.tasks.files import own_json
from tumble.phyre.tasks.task import Task

MOST_MEMORY = 1 << 24
"""Bytes that the values of a session may take."""


class SavedEntry(BaseModel):
    """Interventions that were made together, and after which step."""

    model_config = ConfigDict(extra="forbid")

    step: int = Field(ge=0)
    interventions: list[dict[str, Any]]


class SavedSession(BaseModel):
    """A session as it is written."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    physics: str
    task: str | dict[str, Any]
    """The id of a task of the templates, or a user-defined task."""
    action: list[float] | None
    max_steps: int = Field(ge=1)
    history: list[SavedEntry]
    step: int = Field(ge=0)
    digest: str


def read_session(text: str) -> SavedSession:
    """The session of a JSON text; raises a SimulationError that names the field that is wrong."""
    try:
        check_json(text.encode("utf-8", "surrogatepass"), MOST_MEMORY)
        _check_names(text)
        return SavedSession.model_validate_json(text)
    except BoundError as error:
        raise SimulationError(f"this is no saved session: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "JSON text"
        raise SimulationError(f"this is no saved session: {field}: {first['msg']}") from None


def _check_names(text: str) -> None:
    """Raises a BoundError for fields that a session does not have, of which Pydantic would list every one."""
    try:
        record = json.loads(text)
    except ValueError:
        return  # Pydantic says why
    history = record.get("history") if isinstance(record, dict) else ()
    for part in (record, *(history if isinstance(history, list) else ())):
        if isinstance(part, dict) and len(part) > len(SavedSession.model_fields):
            raise BoundError(f"{len(part)} fields in an object; there are {', '.join(SavedSession.model_fields)}")


def task_record(task: Task) -> str | dict[str, Any]:
    """A task as its id, or whole where no template makes it."""
    try:
        if catalogue.task(task.id) == task:
            return task.id
    except TemplateError:
        pass
    record: dict[str, Any] = json.loads(own_json.write([task]))[0]
    return record


def task_from(record: str | dict[str, Any]) -> Task:
    """The task of a record."""
    if isinstance(record, str):
        return catalogue.task(record)
    return next(iter(own_json.read([record]).values()))
