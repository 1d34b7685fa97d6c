"""PHYRE's report: the tables and figures of the paper's section 4 and appendices, and animations of some attempts.

Figures of the paper's analyses show the number of ranked actions (figure 4) and the strength of online learning
(figure 5). Each is added only if there are runs that differ in it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tumble import engine
from tumble.phyre.catalogue import tasks_by_id
from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.tasks_by_id import template_of
from tumble.phyre.catalogue.templates import NAMES
from tumble.phyre.evaluation.replay import nearest_misses, nearest_moment
from tumble.phyre.evaluation.result import PhyreResult, result_of
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.words import describe_goal
from tumble.phyre.report import scores
from tumble.phyre.report.groups import INCIDENTAL, Group, Series, group_results
from tumble.phyre.report.scores import add_template_table, folds_text, setting_name
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.report import Document, Picture
from tumble.report.estimates import over_folds
from tumble.report.figures import Line, Style, lines
from tumble.report.grouping import add_sections
from tumble.report.page import svg_uri
from tumble.runs.log import Log, Row, read
from tumble.scene.svg import animated_svg

COLUMNS = 4
FPS = 10
MAX_SECONDS = 12.0
PAUSE_SECONDS = 1.0
"""For which the last frame is shown before the animation repeats."""


def picture_of(attempt: Attempt, caption: str) -> Picture:
    """An attempt with trajectories as an animation, which ends when all bodies are at rest."""
    assert attempt.scene is not None
    assert attempt.trajectories is not None
    poses = attempt.trajectories
    moving = np.flatnonzero((poses != poses[-1]).any(axis=(1, 2)))
    end = min(int(moving[-1]) + 2 if len(moving) else 1, int(MAX_SECONDS * STEPS_PER_SECOND))
    stride = STEPS_PER_SECOND // FPS
    frames = np.concatenate([poses[:end:stride], poses[end - 1 : end]])
    return Picture(svg_uri(animated_svg(attempt.scene, frames, FPS, PAUSE_SECONDS)), caption)


def add_animations(document: Document, group: Group, max_templates: int) -> int:
    """Adds a solved and a failed attempt at each of some templates, by the best agent that is not an oracle.

    Returns the number of templates.
    """
    series = _best(group)
    if series is None or max_templates < 1:
        return 0
    result = max(series.results, key=lambda run: len({*map(template_of, run.solved_at)}))
    pictures = _pictures(result, max_templates)
    if not pictures:
        return 0
    document.heading("Attempts", 3)
    document.text(
        f"{series.label} on {setting_name(result.setting)}, fold {result.fold}: for each template one attempt that "
        "solved a task, and of a failed task the attempt that came nearest to the goal; replayed from the log. The red "
        "ball was placed by the agent. The bar at the lower edge shows how much of the time has passed."
    )
    document.pictures(pictures, COLUMNS)
    return len({template_of(picture.caption) for picture in pictures})


def _best(group: Group) -> Series | None:
    """The series with the highest mean AUCCESS over all of its runs, oracles excluded."""
    agents = [series for series in group.series if series.results and not series.is_oracle]

    def mean(series: Series) -> float:
        scores = [result.auccess for result in series.results]
        return sum(scores) / len(scores)

    return max(agents, key=mean, default=None)


def _pictures(result: PhyreResult, max_templates: int) -> list[Picture]:
    if result.header.physics != engine.physics_id():
        return []
    by_template: dict[str, dict[str, list[Row]]] = {}
    for task_id, rows in read(result.path).tasks.items():
        by_template.setdefault(template_of(task_id), {})[task_id] = rows
    shown = list(by_template.values())[:max_templates]
    solved = [next((row for rows in tasks.values() for row in rows if _solved(row)), None) for tasks in shown]
    failed_at = [_failed_task(tasks) for tasks in shown]
    needed = {row["task"] for row in solved if row is not None} | {*filter(None, failed_at)}
    tasks = _tasks(result, needed)
    if not tasks:
        return []
    simulator = Simulator(tasks, tasks[0].tier)
    attempts_at = {task: by_template[template_of(task)][task] for task in failed_at if task is not None}
    misses = nearest_misses(simulator, attempts_at)
    pairs = zip(solved, (misses.get(task) if task else None for task in failed_at), strict=True)
    selected = [row for pair in pairs for row in pair if row is not None]
    actions = [row["action"] for row in selected]
    attempts = simulator.attempts([row["task"] for row in selected], actions, want=["trajectories"])
    return [
        _picture(simulator.task(row["task"]), row, attempt) for row, attempt in zip(selected, attempts, strict=True)
    ]


def _solved(row: Row) -> bool:
    return bool(row["status"] >= SOLVED)


def _failed_task(tasks: Mapping[str, Sequence[Row]]) -> str | None:
    """The first task of a template that was not solved, else the first with a failed attempt."""
    failed = [task for task, rows in tasks.items() if any(row["status"] == NOT_SOLVED for row in rows)]
    return next((task for task in failed if not any(map(_solved, tasks[task]))), failed[0] if failed else None)


def _picture(task: Task, row: Row, attempt: Attempt) -> Picture:
    assert attempt.trajectories is not None
    name = NAMES.get(template_of(task.id), "")
    if _solved(row):
        outcome = f"solved after {attempt.steps / STEPS_PER_SECOND:.1f} s"
    elif not task.only_touching:
        outcome = "not solved"
    else:
        outcome = f"not solved; {nearest_moment(task, attempt.trajectories).text}"
    goal = describe_goal(task)
    caption = f"{task.id} {name}, attempt {row['attempt']}: {outcome}. Goal: {goal}.".replace(" ,", ",")
    return picture_of(attempt, caption)


def _tasks(result: PhyreResult, task_ids: set[str]) -> Sequence[Task]:
    """Tasks of a run; empty if their file does not exist any more."""
    if result.spec.tasks is None:
        return [tasks_by_id.task(task_id) for task_id in sorted(task_ids)]
    try:
        tasks = result.spec.user_tasks()
    except (OSError, ValueError):
        return []
    return [tasks[task_id] for task_id in sorted(task_ids)] if task_ids <= tasks.keys() else []


STRENGTHS = {
    "mem-o": ("mem", "weight"),
    "dqn-o": ("dqn", "updates_online"),
    "explorer-o": ("explorer", "updates_online"),
}
"""By online agent: its offline counterpart, and the setting for how strongly it learns from a test task."""
Family = Sequence[tuple[float, Series]]
"""Series that differ in one setting only, with its value or position on the x axis."""


def add_ranked(document: Document, group: Group) -> None:
    """Figure 4."""
    panels: dict[str, list[Line]] = {}
    for setting in group.settings:
        families = [family for family in _families(group, "ranked", setting) if len(family) > 1]
        independent = [one for one in group.of_agent("rand") if one.variant.values.get("ranked") == 0]
        panels |= _panel(setting, families, independent)
    if panels:
        document.heading("Number of ranked actions", 3)
        plot = lines(panels, "actions ranked", "AUCCESS")
        document.figure(plot, "AUCCESS by size of the action set; mean of the folds and standard deviation.")


def add_strength(document: Document, group: Group) -> None:
    """Figure 5."""
    for agent, (offline, name) in STRENGTHS.items():
        panels: dict[str, list[Line]] = {}
        values: list[float] = []
        families: dict[str, Family] = {}
        for setting in group.settings:
            family = max(
                (own for own in _families(group, name, setting) if own[0][1].variant.agent == agent),
                key=len,
                default=[],
            )
            if len(family) > 1:
                counterparts = (one for one in group.of_agent(offline) if _is_offline(one, family[0][1], setting))
                base = next(counterparts, None)
                families[setting] = ([(0.0, base)] if base else []) + [pair for pair in family if pair[0] != 0]
                values += [value for value, _ in families[setting] if value not in values]
        values.sort()
        for setting, family in families.items():
            panels |= _panel(setting, [[(values.index(value), series) for value, series in family]])
        if panels:
            document.heading(f"Strength of online learning: {agent.upper()}", 3)
            labels = [f"{value:g}" if value else "offline" for value in values]
            plot = lines(panels, name.replace("_", " "), "AUCCESS", labels)
            caption = f"AUCCESS of {agent.upper()} by the weight of a test task in its learning ({name})."
            document.figure(plot, caption)


def _families(group: Group, name: str, setting: str) -> list[Family]:
    """Series that differ only in one setting, sorted by its value."""
    by_other_settings: dict[tuple[str, str | None, str], list[tuple[float, Series]]] = {}
    for series in group.series:
        values = series.variant.values
        value = values.pop(name, None)
        if isinstance(value, int | float) and series.folds(setting) and not (name == "ranked" and value == 0):
            key = (series.variant.agent, series.variant.source, json.dumps(values, sort_keys=True))
            by_other_settings.setdefault(key, []).append((float(value), series))
    return [sorted(family, key=lambda pair: float(pair[0])) for family in by_other_settings.values()]


def _is_offline(series: Series, online: Series, setting: str) -> bool:
    """Whether a series is the offline counterpart of an online one: equal in all settings that it has."""
    values = online.variant.values
    return bool(series.folds(setting)) and all(values.get(name) == own for name, own in series.variant.values.items())


def _panel(setting: str, families: Sequence[Family], independent: Sequence[Series] = ()) -> dict[str, list[Line]]:
    """A line for each family, over the folds that all of them have, under a title; nothing without such folds.

    `independent` draws rank nothing: they are horizontal lines.
    """
    folds_of_each = [set(series.folds(setting)) for family in families for _, series in family]
    folds = sorted(set.intersection(*folds_of_each)) if folds_of_each else []
    if not folds:
        return {}
    panel = [_family_line(family, setting, folds) for family in families]
    for series in independent:
        if set(folds) <= set(series.folds(setting)):
            level = float(np.mean([series.auccess(setting)[fold] for fold in folds]))
            panel.append(Line("RAND, independent draws", Style(series.style.colour, "dotted"), [0], [level]))
    return {f"{setting_name(setting)}, {folds_text(folds)}": panel}


def _family_line(family: Family, setting: str, folds: Sequence[int]) -> Line:
    scores = [[series.auccess(setting)[fold] for fold in folds] for _, series in family]
    estimates = [over_folds(of_series) for of_series in scores]
    low, high = zip(*(estimate.band for estimate in estimates), strict=True)
    x, y = [float(x) for x, _ in family], [estimate.value for estimate in estimates]
    last = family[-1][1]
    band = (low, high) if len(folds) > 1 else None
    return Line(last.variant.agent.upper(), Style(last.style.colour), x, y, band)


INTRODUCTION = (
    "In a PHYRE task an agent places one ball (tier B) or two (2B), then physics runs; the task is solved when two "
    "bodies touch for three seconds. The benchmark allows 100 attempts at each task. AUCCESS is the share of tasks "
    "solved, averaged over the number of attempts with weights that make early ones count most; 100 would be every "
    "task at the first attempt. Across templates, agents are tested on templates that they have not trained on; "
    "within templates, on other tasks of the same templates. Repeated runs of an agent on a fold, with other seeds or "
    "action sets, are averaged."
)
RUN_COLUMNS = {"setting": lambda run: scores.setting_name(run.setting), "fold": lambda run: str(run.fold)}


def add_report(document: Document, logs: Iterable[Log], max_animated: int) -> None:
    """Adds the report of run logs, with animations for at most a number of templates."""
    results = [result_of(log) for log in logs]
    groups = group_results(results)
    add_sections(document, INTRODUCTION, results, groups, _add_figures, max_animated, RUN_COLUMNS, INCIDENTAL)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    scores.add_curves(document, group)
    scores.add_tables(document, group)
    scores.add_folds(document, group)
    scores.add_tests(document, group)
    add_ranked(document, group)
    add_strength(document, group)
    add_template_table(document, group)
    return add_animations(document, group, max_animated)
