"""Agents with settings that make a difference, and what they are called in a report."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tumble.runs.log import Row

OTHER_LOOKS = ("#8c564b", "#e377c2", "#bcbd22", "#5254a3", "#637939")
"""Colours of agents that are none of ours."""


@dataclass(frozen=True)
class Variant:
    """An agent with settings that make a difference."""

    agent: str
    settings: str
    """As JSON."""
    source: str | None
    """A digest of the agent's file, for one of somebody's own."""

    @property
    def values(self) -> dict[str, Any]:
        return dict(json.loads(self.settings))


def variant_of(agent: str, header: Row, incidental: Collection[str]) -> Variant:
    """The variant of a run; `incidental` are settings in which runs of the same agent may differ."""
    settings = {name: value for name, value in header["settings"].items() if name not in incidental}
    source = header.get("agent_sha256")
    return Variant(agent, json.dumps(settings, sort_keys=True), source[:8] if source else None)


def in_order(variants: Sequence[Variant], known: Sequence[str]) -> list[Variant]:
    """Known agents in their order, then others by name; each by its settings, numbers in their order."""
    return sorted(
        variants,
        key=lambda one: (
            known.index(one.agent) if one.agent in known else len(known),
            one.agent,
            [_sortable(value) for value in one.values.values()],
        ),
    )


def _sortable(value: object) -> tuple[int, float, str]:
    """Numbers in their order, then everything else."""
    is_number = isinstance(value, int | float)
    return (0, float(value), "") if is_number else (1, 0.0, str(value))  # type: ignore[arg-type]


def differing_words(variant: Variant, all_of_agent: Sequence[Variant]) -> list[str]:
    """The settings in which the variants of an agent differ, in words."""
    words = [
        shown(setting, value)
        for setting, value in variant.values.items()
        if any(other.values.get(setting) != value for other in all_of_agent)
    ]
    if len({other.source for other in all_of_agent}) > 1:
        words.append(f"file {variant.source}")
    return words


def ran(variant: Variant, headers: Sequence[Row], incidental: Collection[str] = (), also: str = "") -> str:
    """With which settings a variant ran, in how many runs, and in which incidental settings these differ."""
    words = ", ".join(shown(name, value) for name, value in variant.values.items()) or "no settings"
    versions = ", ".join(sorted({str(header.get("version")) for header in headers}))
    varied = ""
    for name in incidental:
        values = sorted({str(header["settings"].get(name)) for header in headers})
        if name in headers[0]["settings"] and len(values) > 1:
            varied += f"; {name} {', '.join(values)}"
    return f"{words}{also}. {len(headers)} run{'s' * (len(headers) != 1)} with Tumble {versions}{varied}."


def shown(setting: str, value: object) -> str:
    """A setting in words."""
    if isinstance(value, bool):
        return setting if value else f"not {setting}"
    if isinstance(value, int):
        return f"{setting} {value:,}"
    if isinstance(value, list):
        return f"{setting} {'x'.join(map(str, value))}"
    return f"{setting} {value:g}" if isinstance(value, float) else f"{setting} {value}"
