"""The tables of benchmarks/phyre_folds.py, from brief logs only: CSV, and Markdown for docs/reference."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results

from tumble import engine
from tumble.phyre import agents
from tumble.phyre.agents.recipes import NETWORK_AGENTS, recommended
from tumble.phyre.catalogue.tasks_by_id import FOLDS
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import BriefResult
from tumble.phyre.evaluation.metrics import wilcoxon_p
from tumble.phyre.evaluation.published_results import AUCCESS, AUCCESS_BY_FOLD, SUCCESS_AT_10
from tumble.phyre.evaluation.published_results import NAMES as PUBLISHED_NAMES

PUBLISHED_AGENT = {"dqn": "dqn", "dqn-o": "dqn-o", "explorer": "dqn", "explorer-o": "dqn-o"}
"""The published agent that an agent is compared with."""
NAMES = {
    "dqn": "DQN (ensemble, pool)",
    "dqn-o": "DQN-O (ensemble, pool)",
    "explorer": "explorer",
    "explorer-o": "explorer-o",
}
"""Not the paper's DQN: an ensemble with symmetric scores, trained on a pool with stored solutions."""
GIVEN = {
    "dqn": "picture; status; simulated actions, mutations (across), stored solutions",
    "dqn-o": "the same; also status at earlier test tasks",
    "explorer": "picture, shapes and states of all bodies; states, contacts, distances; as DQN (ensemble, pool)",
    "explorer-o": "the same; also at earlier test tasks",
    "published": "picture; status; simulated actions",
}
"""What an agent sees of tasks, what of its attempts, and what it was trained with (docs/reference/phyre-results.md)."""
OFFLINE = {"dqn-o": "dqn", "explorer-o": "explorer"}
"""The agent whose attempts an online agent makes where it learns nothing."""
COLUMNS = {
    "ball_cross_template": "B across",
    "ball_within_template": "B within",
    "two_balls_cross_template": "2B across",
    "two_balls_within_template": "2B within",
}
MUST_AND_GOAL = {
    ("ball_within_template", "dqn"): ("78", ""),
    ("ball_cross_template", "dqn"): ("37", ""),
    ("two_balls_within_template", "dqn"): ("67", ""),
    ("two_balls_cross_template", "dqn"): ("23", ""),
    ("ball_within_template", "explorer"): ("83", "88"),
    ("ball_cross_template", "explorer"): ("42.5", "55"),
    ("two_balls_within_template", "explorer"): ("77", "82"),
    ("two_balls_cross_template", "explorer"): ("31", "40"),
    ("ball_cross_template", "explorer-o"): ("59", "70"),
    ("two_balls_cross_template", "explorer-o"): ("44", "55"),
}
"""Required AUCCESS, mean of ten folds."""
RECIPE = "recipe"


@dataclass(frozen=True)
class Series:
    """An agent's runs with the same settings, by fold."""

    setting: str
    agent: str
    variant: str
    split: str
    runs: dict[int, BriefResult]

    @property
    def folds(self) -> list[int]:
        return sorted(self.runs)

    @property
    def auccess(self) -> list[float]:
        """In percent, in the order of folds."""
        return [self.runs[fold].auccess for fold in self.folds]

    def success(self, attempts: int) -> list[float]:
        return [self.runs[fold].success(attempts) for fold in self.folds]

    @property
    def parallel(self) -> int:
        """The most jobs that shared the machine."""
        return max(run.parallel for run in self.runs.values())


def series_of(results: Iterable[BriefResult]) -> list[Series]:
    """Series of complete runs, those of limited tasks or of other physics left out; sorted."""
    found: dict[tuple[str, str, str, str], dict[int, BriefResult]] = {}
    for one in results:
        if one.limit is None and one.physics == engine.physics_id():
            found.setdefault((one.setting, one.agent, one.variant, one.split), {})[one.fold] = one
    return [Series(*key, runs) for key, runs in sorted(found.items())]


def mean_and_deviation(values: Sequence[float]) -> str:
    """As in 36.8 ± 9.7; the deviation is that of a sample, as in the paper."""
    deviation = f" ± {np.std(values, ddof=1):.1f}" if len(values) > 1 else ""
    return f"{np.mean(values):.1f}{deviation}"


def machines(results: Iterable[BriefResult]) -> str:
    """The machine that most runs were made on."""
    names = [one.machine for one in results]
    return max(set(names), key=names.count) if names else ""


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))


def make(folder: Path) -> None:
    """Writes the tables of a folder of brief logs."""
    results = brief_log.read_folder(folder)
    every = series_of(results)
    if not every:
        raise SystemExit(f"{folder}: no complete runs with physics {engine.physics_id()}")
    machine = machines(results)
    table = Results(f"Networks on all folds, {engine.physics_id()}", measured_on=machine)
    for series in every:
        add_mean(table, series)
    add_times(table, every)
    for series in every:
        for fold in series.folds:
            published = published_on(series, [fold])
            note = f"published {published[0]}" if published else ""
            table.add(f"{label(series)}, fold {fold}", f"{series.runs[fold].auccess:.1f}", note=note)
    table.finish("phyre-folds-gpu" if "NVIDIA" in machine else "phyre-folds")
    path = folder / "tables.md"
    looks = test_runs([*brief_log.read_earlier(folder), *results])
    path.write_text(tables_in_markdown(every) + looks, encoding="utf-8")
    print(f"written to {path}")


def label(series: Series) -> str:
    """The name of a series in the table."""
    words = ["AUCCESS", series.agent, series.setting]
    words += [series.variant] if series.variant != RECIPE else []
    return ", ".join(words + ([series.split] if series.split != "test" else []))


def published_on(series: Series, folds: Sequence[int]) -> list[float]:
    """The published figures of the same folds; none on validation tasks."""
    scores = AUCCESS_BY_FOLD[series.setting][PUBLISHED_AGENT[series.agent]]
    return [scores[fold] for fold in folds] if series.split == "test" else []


def add_mean(table: Results, series: Series) -> None:
    """The row of an agent in a setting."""
    official = series.split == "test"
    must, goal = MUST_AND_GOAL.get((series.setting, series.agent), ("", "")) if official else ("", "")
    notes = [f"{len(series.folds)} folds", f"{mean_and_deviation(series.success(10))} % within 10 attempts"]
    notes += [comparison(series), times_before(series)] if official else []
    notes += [f"network and agent: {one}" for one in sorted({str(run.settings) for run in series.runs.values()})]
    ranking = [run.ranking_ms for run in series.runs.values() if run.ranking_ms]
    notes += [f"a ranking takes {np.median(ranking):.1f} ms"] if ranking else []
    table.add(label(series), mean_and_deviation(series.auccess), must, goal, "; ".join(notes))


def times_before(series: Series) -> str:
    """How often the agent was run on the same test folds before."""
    before = sorted({run.earlier_runs for run in series.runs.values()})
    times = " to ".join(str(count) for count in dict.fromkeys((before[0], before[-1])))
    return f"runs of the agent on these folds before: {times}"


def comparison(series: Series) -> str:
    """A series beside the published figures of the same folds."""
    published = published_on(series, series.folds)
    above = sum(own > other for own, other in zip(series.auccess, published, strict=True))
    name = PUBLISHED_NAMES[PUBLISHED_AGENT[series.agent]]
    p = wilcoxon_p(series.auccess, published)
    return (
        f"published {name} {mean_and_deviation(published)} on these folds; above it on {above} of {len(published)}; "
        f"Wilcoxon's signed-rank test, one-sided, p = {p:.4f}"
    )


def add_times(table: Results, every: Sequence[Series]) -> None:
    """How long training takes."""
    for variant, split, setting in sorted({(one.variant, one.split, one.setting) for one in every}):
        group = [one for one in every if (one.variant, one.split, one.setting) == (variant, split, setting)]
        suffix = "".join(f", {word}" for word, usual in ((variant, RECIPE), (split, "test")) if word != usual)
        training = {fold: run.training_seconds for one in group for fold, run in one.runs.items()}
        note = f"{max(one.parallel for one in group)} jobs in parallel"
        table.add(f"training a network, {setting}{suffix}", f"{np.mean(list(training.values())):.0f} s", note=note)


def tables_in_markdown(every: Sequence[Series]) -> str:
    """The means of all settings, success within 10 attempts, and a table by fold for each setting."""
    official = {(one.setting, one.agent): one for one in every if (one.variant, one.split) == (RECIPE, "test")}
    parts = ["AUCCESS, mean of the test folds ± standard deviation:", means(official, attempts=None)]
    parts += ["Success within 10 attempts, %:", means(official, attempts=10)]
    for setting, column in COLUMNS.items():
        columns = [one for agent in NETWORK_AGENTS if (one := official.get((setting, agent)))]
        if columns:
            parts += [f"{column} templates, AUCCESS by fold (published):", by_fold(columns)]
    return "\n\n".join(parts) + "\n"


def test_runs(results: Sequence[BriefResult]) -> str:
    """Every run on test folds, in order, with the settings that are not those of the run before it."""
    groups: dict[tuple[str, str], dict[tuple[str, int | None], list[BriefResult]]] = {}
    for one in sorted(results, key=lambda one: (one.earlier_runs, one.fold)):
        if one.split == "test" and one.physics == engine.physics_id():
            settings = json.dumps(one.settings, sort_keys=True), one.limit
            groups.setdefault((one.setting, one.agent), {}).setdefault(settings, []).append(one)
    rows = []
    for (setting, agent), by_settings in sorted(groups.items()):
        before: dict[str, Any] = {}
        for number, runs in enumerate(sorted(by_settings.values(), key=_order), 1):
            folds = sorted({run.fold for run in runs})
            which = "all" if len(folds) == FOLDS else ", ".join(map(str, folds))
            which += "" if runs[0].limit is None else f"; {runs[0].limit} of the tasks"
            score = mean_and_deviation([run.auccess for run in runs])
            frozen = runs[-1].frozen[:8] or "no"
            rows.append([COLUMNS[setting], NAMES[agent], str(number), which, score, changed(before, runs[0]), frozen])
            before = runs[0].settings
    header = [
        "",
        "agent",
        "run",
        "folds",
        "AUCCESS",
        "settings; from the second on, those that changed",
        "frozen before",
    ]
    return f"\nEvery run on test folds, in order:\n\n{markdown(header, rows)}\n"


def _order(runs: Sequence[BriefResult]) -> float:
    return float(np.mean([run.earlier_runs for run in runs]))


def changed(before: dict[str, Any], run: BriefResult) -> str:
    """The settings of a run that are not those of another one; a dash for those that it has no more."""
    names = sorted(name for name in {*before, *run.settings} if before.get(name) != run.settings.get(name))
    return ", ".join(f"{name} {run.settings.get(name, '-')}" for name in names)


def means(official: dict[tuple[str, str], Series], attempts: int | None) -> str:
    """A row for each agent and, below it, the published figures; a column for each setting."""
    published = AUCCESS if attempts is None else SUCCESS_AT_10
    rows = []
    for agent in NETWORK_AGENTS:
        cells = [NAMES[agent], GIVEN[agent]]
        for setting in COLUMNS:
            one = official.get((setting, agent))
            values = (one.auccess if attempts is None else one.success(attempts)) if one else []
            folds = "" if len(values) == FOLDS else f" ({len(values)} folds)"
            cells.append(mean_and_deviation(values) + folds if values else as_offline(agent, setting))
        rows.append(cells)
        if agent in ("dqn", "dqn-o"):
            figures = [published[setting].get(agent) for setting in COLUMNS]
            name = f"{PUBLISHED_NAMES[agent]} as published"
            rows.append(
                [name, GIVEN["published"], *(f"{pair[0]} ± {pair[1]}" if pair else "as DQN" for pair in figures)]
            )
    return markdown(["", "given", *COLUMNS.values()], rows)


def as_offline(agent: str, setting: str) -> str:
    """What stands in the place of an online agent's figures if it learns nothing in a setting."""
    if agent not in OFFLINE or agents.make(agent, **recommended(setting, agent)).learns_online:
        return ""
    return f"as {NAMES[OFFLINE[agent]]}"


def by_fold(columns: Sequence[Series]) -> str:
    """A row for each fold, the mean, and the comparison with the published agent."""
    rows = []
    for fold in range(FOLDS):
        cells = [
            f"{one.runs[fold].auccess:.1f} ({published_on(one, [fold])[0]:.1f})" if fold in one.runs else ""
            for one in columns
        ]
        rows.append([str(fold), *cells])
    published = [mean_and_deviation(published_on(one, one.folds)) for one in columns]
    pairs = zip(columns, published, strict=True)
    rows.append(["mean", *(f"{mean_and_deviation(one.auccess)} ({other})" for one, other in pairs)])
    tests = (wilcoxon_p(one.auccess, published_on(one, one.folds)) for one in columns)
    rows.append(["p, better than published", *(f"{p:.3f}" for p in tests)])
    return markdown(["fold", *(NAMES[one.agent] for one in columns)], rows)
