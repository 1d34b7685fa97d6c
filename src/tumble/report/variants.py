"""Variants of agents, which differ in settings, and their labels in reports."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tumble.runs.header import RunHeader, further_settings
from tumble.runs.language_model import LANGUAGE_MODEL, WITHOUT_EFFECT
from tumble.runs.run_spec import AGENT_DIGEST

LARGE = 1e300
"""Numbers above are sorted as text."""
LONGEST_SETTING = 120
"""Characters of a setting that are shown."""


@dataclass(frozen=True)
class Variant:
    """An agent with certain settings."""

    agent: str
    settings: str
    """As JSON."""
    source: str | None
    """A digest of the agent's file, for a user's agent."""

    @property
    def values(self) -> dict[str, Any]:
        return dict(json.loads(self.settings))


def variant_of(agent: str, header: RunHeader, incidental: Collection[str]) -> Variant:
    """The variant of a run, without `incidental` settings, in which runs of one variant may differ."""
    left_out = {*incidental, *(WITHOUT_EFFECT if header.agent == LANGUAGE_MODEL else ())}
    settings = {name: value for name, value in header.agent_settings.items() if name not in left_out}
    source = header.digests.get(AGENT_DIGEST)
    return Variant(agent, json.dumps(settings, sort_keys=True), source[:8] if source else None)


def sort_variants(variants: Sequence[Variant], known: Sequence[str]) -> list[Variant]:
    """Known agents in their order, then others by name; variants of one agent by their settings."""
    return sorted(
        variants,
        key=lambda variant: (
            known.index(variant.agent) if variant.agent in known else len(known),
            variant.agent,
            [_sort_key(value) for value in variant.values.values()],
        ),
    )


def _sort_key(value: object) -> tuple[int, float, str]:
    """Sorts numbers by value, then everything else as text."""
    is_number = isinstance(value, int | float) and abs(value) < LARGE  # which NaN is not
    return (0, float(value), "") if is_number else (1, 0.0, str(value))  # type: ignore[arg-type]


def differing_settings(variant: Variant, all_of_agent: Sequence[Variant]) -> list[str]:
    """The settings in which a variant differs from others of its agent, as texts."""
    texts = [
        setting_text(setting, value)
        for setting, value in variant.values.items()
        if any(other.values.get(setting) != value for other in all_of_agent)
    ]
    if len({other.source for other in all_of_agent}) > 1:
        texts.append(f"file {variant.source}")
    return texts


def settings_summary(variant: Variant, headers: Sequence[RunHeader], incidental: Collection[str] = ()) -> str:
    """The settings of a variant, the number of its runs, and the incidental settings in which they differ."""
    given = {name: value for name, value in variant.values.items() if value not in (None, "")}
    if headers[0].agent == LANGUAGE_MODEL:
        given = further_settings(LANGUAGE_MODEL, given)
    settings = ", ".join(setting_text(name, value) for name, value in given.items()) or "no settings"
    versions = ", ".join(sorted({header.tumble_version for header in headers}))
    seeds = ", ".join(map(str, sorted({header.spec["seed"] for header in headers})))
    varied = ""
    for name in incidental:
        values = sorted({str(header.agent_settings.get(name)) for header in headers})
        if name != "seed" and name in headers[0].agent_settings and len(values) > 1:
            varied += f"; {name} {', '.join(values)}"
    runs = f"{len(headers)} run{'s' * (len(headers) != 1)}"
    return f"{settings}. {runs} with Tumble {versions}; seed {seeds}{varied}.{_use_text(headers)}"


def _use_text(headers: Sequence[RunHeader]) -> str:
    """What a language model was asked and how its answers were, over all runs; empty for other agents."""
    totals: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for header in headers:
        totals.update(header.details.get("usage") or {})
        kinds.update(header.details.get("answers") or {})
    if not totals:
        return ""
    tokens = f"{totals['input_tokens']:,} tokens in, {totals['output_tokens']:,} out"
    answers = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items(), key=lambda one: -one[1]))
    return f" {totals['requests']:,} requests, {tokens}; answers: {answers or 'none'}."


def setting_text(setting: str, value: object) -> str:
    """A setting as text, as in: ranked 1,000; cut where it is long."""
    text = _whole_text(setting, value)
    return text if len(text) <= LONGEST_SETTING else f"{text[: LONGEST_SETTING - 1]}…"


def _whole_text(setting: str, value: object) -> str:
    if isinstance(value, bool):
        return setting if value else f"not {setting}"
    if isinstance(value, int):
        return f"{setting} {value:,}"
    if isinstance(value, list):
        return f"{setting} {'x'.join(map(str, value))}"
    return f"{setting} {value:g}" if isinstance(value, float) else f"{setting} {value}"
