"""Runs in reports: variants of agents, groups of comparable runs, and the sections that all reports have.

Variants are agents with certain settings. Runs of one variant form a series, series under the same conditions a
group. A report has an introduction, a section for each group, and settings; that of a benchmark without a report of
its own is a table for each group.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from tumble.output import plural
from tumble.report.document import Document
from tumble.report.figures import Style
from tumble.runs.evaluate import Result, given_up_text
from tumble.runs.header import RunHeader
from tumble.runs.spec import AGENT_DIGEST

LARGEST_SORTED = 1e300
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
    left_out = {*incidental, *header.participant.settings_without_effect}
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
    is_number = isinstance(value, int | float) and abs(value) < LARGEST_SORTED  # which NaN is not
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
    given = headers[0].participant.further_settings(given)
    settings = ", ".join(setting_text(name, value) for name, value in given.items()) or "no settings"
    versions = ", ".join(sorted({header.tumble_version for header in headers}))
    seeds = ", ".join(map(str, sorted({header.spec["seed"] for header in headers})))
    varied = ""
    for name in incidental:
        values = sorted({str(header.agent_settings.get(name)) for header in headers})
        if name != "seed" and name in headers[0].agent_settings and len(values) > 1:
            varied += f"; {name} {', '.join(values)}"
    return (
        f"{settings}. {plural(len(headers), 'run')} with Tumble {versions}; seed {seeds}{varied}.{_use_text(headers)}"
    )


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


R = TypeVar("R", bound=Result)
C = TypeVar("C", bound="Conditions")
S = TypeVar("S", bound="Series[Any]")

OTHER_COLOURS = ("#8c564b", "#e377c2", "#bcbd22", "#5254a3", "#637939")
"""Colours of user-defined agents."""
DASHES = ("solid", "dashed", "dotted", "dashdot")
"""Line styles of the variants of one agent."""


@dataclass(frozen=True)
class Conditions(ABC):
    """What runs must have in common to be compared; subclasses add fields of the run specification or header."""

    physics: str

    @classmethod
    def of(cls: type[C], result: Result) -> C:
        """The conditions of a run."""
        header = result.header
        available = {**header.details, **header.spec, **header.digests, "task_count": header.task_count}
        available["physics"] = header.physics
        values: dict[str, Any] = {condition.name: available[condition.name] for condition in fields(cls)}
        hashable: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        return cls(**hashable)

    @property
    @abstractmethod
    def as_published(self) -> bool:
        """Whether the paper's results are for the same tasks and attempts."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The heading of their section."""

    @property
    def description(self) -> str:
        """A sentence that describes the conditions."""
        return f"Physics {self.physics}."


@dataclass
class Series(Generic[R]):
    """The runs of one variant under the same conditions; repeats are averaged."""

    variant: Variant
    label: str = ""
    style: Style = field(default_factory=lambda: Style("#000000"))
    results: list[R] = field(default_factory=list)
    """Finished runs."""
    unfinished: list[R] = field(default_factory=list)

    @property
    def runs(self) -> list[R]:
        """All runs, finished ones first."""
        return [*self.results, *self.unfinished]

    @property
    def given(self) -> str:
        """What the participant was given, in words."""
        return ", or ".join(dict.fromkeys(run.agent_was_given for run in self.runs))


def given_note(series: Iterable[Series[Any]]) -> str:
    """What each participant of a table was given, for tables whose columns they are."""
    return f"Given: {'. '.join(f'{one.label}: {one.given}' for one in series)}."


@dataclass
class Group(Generic[C, S]):
    """All runs under the same conditions."""

    conditions: C
    series: list[S]

    @property
    def finished(self) -> list[S]:
        """The series with finished runs."""
        return [series for series in self.series if series.results]


def group_results(
    results: Iterable[R],
    conditions_class: type[C],
    series_class: type[S],
    colours: Mapping[str, str],
    physics: str,
    incidental: Collection[str],
    label: Callable[[Variant, list[str]], str] = lambda variant, settings: ", ".join([variant.agent, *settings]),
) -> list[Group[C, S]]:
    """Groups results by conditions, and within by variant: known agents (those with colours) first, in their order.

    Groups under the paper's conditions come first, then those with the current physics. `incidental` are settings in
    which runs of one variant may differ; `label` returns a label for a variant and the settings in which it differs.
    """
    by_conditions: dict[C, dict[Variant, S]] = {}
    for result in results:
        by_variant = by_conditions.setdefault(conditions_class.of(result), {})
        variant = variant_of(result.agent, result.header, incidental)
        series = by_variant.setdefault(variant, series_class(variant))
        (series.results if result.finished else series.unfinished).append(result)
    groups = [
        Group(conditions, _label_and_style(list(by_variant.values()), colours, label))
        for conditions, by_variant in by_conditions.items()
    ]

    def rank(group: Group[C, S]) -> tuple[bool, bool, str]:
        return not group.conditions.as_published, group.conditions.physics != physics, str(group.conditions)

    return sorted(groups, key=rank)


def _label_and_style(
    all_series: list[S], colours: Mapping[str, str], label: Callable[[Variant, list[str]], str]
) -> list[S]:
    """Sorts series by agent, and sets labels, colours (by agent) and dashes (by variant)."""
    order = sort_variants([series.variant for series in all_series], list(colours))
    ordered = sorted(all_series, key=lambda series: order.index(series.variant))
    agents = dict.fromkeys(series.variant.agent for series in ordered)
    others = [agent for agent in agents if agent not in colours]
    for agent in agents:
        of_agent = [series for series in ordered if series.variant.agent == agent]
        colour = colours.get(agent) or OTHER_COLOURS[others.index(agent) % len(OTHER_COLOURS)]
        for number, series in enumerate(of_agent):
            differing = differing_settings(series.variant, [other.variant for other in of_agent])
            series.label = label(series.variant, differing)
            series.style = Style(colour, DASHES[number % len(DASHES)])
    return ordered


Columns = Mapping[str, Callable[[Any], str]]
"""Columns of a table of runs: heading, and how the cell follows from the result."""


def add_sections(
    document: Document,
    introduction: str,
    results: Sequence[Result],
    groups: Sequence[Group[Any, Any]],
    add_figures: Callable[[Document, Any, int], int],
    max_animated: int = 0,
    run_columns: Columns | None = None,
    incidental: Collection[str] = (),
) -> None:
    """Adds a report of groups of runs.

    `add_figures` adds the benchmark's tables and figures for a group with finished runs, with at most the remaining
    number of animations, and returns how many it used.
    """
    document.text(introduction)
    document.text(_describe_runs(results, groups))
    for group in groups:
        document.heading(group.conditions.title)
        document.text(group.conditions.description)
        _add_unfinished(document, group, run_columns or {})
        _add_given_up(document, group)
        if group.finished:
            max_animated -= add_figures(document, group, max_animated)
        _add_settings(document, group, incidental)


def _describe_runs(results: Sequence[Result], groups: Sequence[Group[Any, Any]]) -> str:
    """The number of runs in a report, of unfinished ones, and of groups."""
    unfinished = sum(not result.finished for result in results)
    text = f"Made from {plural(len(results), 'run')}"
    text += f", {unfinished} of them unfinished and excluded from all means." if unfinished else "."
    if len(groups) > 1:
        text += (
            f" They were made under {len(groups)} different conditions (tasks, attempts allowed, physics), which can't "
            "be compared: each has its own section."
        )
    return text


def _add_unfinished(document: Document, group: Group[Any, Any], columns: Columns) -> None:
    rows = [
        [series.label, *(text_of(run) for text_of in columns.values()), run.tasks, run.path.name]
        for series in group.series
        for run in series.unfinished
    ]
    if rows:
        document.table("Unfinished runs", ["agent", *columns, "tasks finished", "file"], rows)


def _add_settings(document: Document, group: Group[Any, Any], incidental: Collection[str]) -> None:
    """Adds the settings of all agents and the number of their runs."""
    document.heading("Settings", 3)
    for series in group.series:
        summary = settings_summary(series.variant, [run.header for run in series.runs], incidental)
        document.text(f"{series.label}: {summary}")


def _add_given_up(document: Document, group: Group[Any, Any]) -> None:
    """Adds how many tasks each agent gave up, if any."""
    for series in group.series:
        reasons = [reason for run in series.runs for reason in run.given_up.values()]
        if reasons:
            tasks = sum(run.tasks_done for run in series.runs)
            document.text(f"{series.label}: {given_up_text(reasons, tasks)}.")


def add_summary(
    document: Document, results: Sequence[Result], conditions: Callable[[Result], Hashable], introduction: str
) -> None:
    """Adds a table of agents and their results for each group of runs that can be compared."""
    document.text(introduction)
    groups: dict[Hashable, list[Result]] = {}
    for result in results:
        groups.setdefault(conditions(result), []).append(result)
    for number, group in enumerate(groups.values(), start=1):
        header = group[0].header
        document.heading("Runs" if len(groups) == 1 else f"Runs that can be compared, group {number}")
        document.text(f"{header.task_count:,} tasks; physics {header.physics}.")
        rows = [
            [
                ", ".join([run.agent, *(setting_text(*setting) for setting in run.header.further_settings.items())]),
                str(run.header.spec["seed"]),
                run.tasks,
                run.agent_was_given,
                run.summary,
            ]
            for run in sorted(group, key=lambda run: (run.agent, run.header.spec["seed"]))
        ]
        document.table("Results", ["agent", "seed", "tasks", "given", "result"], rows)
