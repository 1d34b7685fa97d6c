"""Run logs as they may be shown or given away: without folders of a machine, secrets and participants' codes.

All that is made for others (boards, reports, pages, tables, copies of logs) is made from `public_log`; replaying and
resuming need the log as it is.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tumble.errors import visible
from tumble.output import public, public_text
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, LogError, write_finished

LONGEST = 300
"""Characters of a text of a header that are shown."""


def public_log(log: Log) -> Log:
    """The log as it may be shown: what `without_private` leaves, with characters that can't be seen as escapes."""
    cleaned = without_private(log)
    fields = {name: _shown(getattr(cleaned.header, name)) for name in RunHeader.model_fields}
    given_up = {task: _shown(reason) for task, reason in cleaned.given_up.items()}
    return replace(cleaned, header=cleaned.header.model_copy(update=fields), given_up=given_up)


def without_private(log: Log) -> Log:
    """The log without what is private; equal to the log where nothing is."""
    header = log.header
    texts = {name: public_text(getattr(header, name)) for name in ("physics", "tumble_version", "machine")}
    tables = {name: public(value) for name, value in header if isinstance(value, Mapping) and name != "digests"}
    given_up = {task: public_text(reason) for task, reason in log.given_up.items()}
    return replace(log, header=header.model_copy(update={**texts, **tables}), given_up=given_up)


def write_public(log: Log, path: Path) -> None:
    """Writes a finished log without what is private."""
    if not log.finished:
        raise LogError(f"{log.path}: it is not finished")
    write_finished(without_private(log), path)


def _shown(value: Any) -> Any:
    """A value, or the values within it, with texts that can be seen, and not too long."""
    if isinstance(value, str):
        text = visible(value[: LONGEST + 1])
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    if isinstance(value, Mapping):
        return {_shown(name): _shown(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_shown(part) for part in value)
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: _shown(part) for name, part in value})
    return value
