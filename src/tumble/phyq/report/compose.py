"""Phy-Q's report: the paper's figures 4, 5 and 24 made from run logs, with published results and animations.

Animations show a passed and a failed episode of each scenario.
"""

from collections.abc import Iterable
from dataclasses import replace

from tumble.output import plural
from tumble.phyq.catalogue.level_files import is_level_id
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation.replay import has_unchanged_tasks
from tumble.phyq.evaluation.result import PhyQResult, result_of
from tumble.phyq.observation.animation import animated_svg
from tumble.phyq.report import people, scores, training
from tumble.phyq.report.groups import INCIDENTAL, Group, group_results
from tumble.phyq.report.scores import add_levels
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.attempt import WON, shots_of
from tumble.phyq.simulation.episodes import Episodes
from tumble.report import Document, Picture
from tumble.report.grouping import add_sections
from tumble.report.page import svg_uri
from tumble.runs.log import Log, Row, read

STRIDE = 8
MAX_SECONDS = 45.0
COLUMNS = 3
MAX_COMPARED = 10
"""Failed attempts of each scenario of which the one that left the fewest pigs is shown."""


def add_animations(document: Document, group: Group, max_scenarios: int) -> int:
    """Adds a passed and a failed episode of each of some scenarios, by the agent with the highest pass rate.

    Returns the number of scenarios.
    """
    if not group.finished or group.conditions.physics != simulator.physics_id() or max_scenarios < 1:
        return 0
    best = max(group.finished, key=lambda series: series.mean)
    run = best.results[0]
    if not has_unchanged_tasks(run):
        document.text("The tasks have changed since the run, or their files are gone: no episodes are shown.")
        return 0
    selected = _select_rows(run, max_scenarios)
    if not selected:
        return 0
    group_name = "level" if run.setting == "levels" else "scenario"
    document.heading("Episodes", 3)
    document.text(
        f"{best.label}: for each {group_name} an attempt that passed, and of the first {MAX_COMPARED} that failed the "
        "one that left the fewest pigs; replayed from the log. The bar at the lower edge shows how much of the time "
        "has passed. The goal is always that all pigs die."
    )
    document.pictures(_pictures(run, selected), COLUMNS)
    return len({_scenario(row) for row in selected})


def _scenario(row: Row) -> int | str:
    """The scenario of a task; the id of a level."""
    task_id = str(row["task"])
    return task_id if is_level_id(task_id) else int(task_id.partition(".")[0])


def _select_rows(result: PhyQResult, max_scenarios: int) -> list[Row]:
    """By scenario: the first passed attempt, and the best of the first failed ones."""
    passed: dict[int | str, Row] = {}
    failed: dict[int | str, list[Row]] = {}
    for row in read(result.path).rows():
        if row["action"] and row["status"] == WON:
            passed.setdefault(_scenario(row), row)
        elif row["action"] and len(failed.setdefault(_scenario(row), [])) < MAX_COMPARED:
            failed[_scenario(row)].append(row)
    scenarios = sorted(passed.keys() | failed.keys(), key=lambda one: (str(type(one)), one))[:max_scenarios]
    compared = [row for scenario in scenarios for row in failed.get(scenario, [])]
    if compared:
        left = _played(result, compared).pigs_left
        order = sorted(range(len(compared)), key=lambda k: int(left[k]))
        best = {_scenario(compared[k]): compared[k] for k in reversed(order)}
    else:
        best = {}
    found = (rows.get(scenario) for scenario in scenarios for rows in (passed, best))
    return [row for row in found if row is not None]


def _played(result: PhyQResult, rows: list[Row], want: tuple[str, ...] = ()) -> Episodes:
    levels = [result.spec.task(row["task"]).level for row in rows]
    return simulator.play(levels, [shots_of(row["action"]) for row in rows], want=want, stride=STRIDE)


def _shortened(motion: episode_views.Motion) -> episode_views.Motion:
    kept = motion.seconds <= MAX_SECONDS
    return replace(motion, seconds=motion.seconds[kept], poses=motion.poses[kept])


def _pictures(result: PhyQResult, rows: list[Row]) -> list[Picture]:
    played = _played(result, rows, ("trajectory",))
    pictures = []
    for number, row in enumerate(rows):
        motion = episode_views.motion(played, number)
        pictures.append(Picture(svg_uri(animated_svg(_shortened(motion))), _caption(row, played, number)))
    return pictures


def _caption(row: Row, played: Episodes, number: int) -> str:
    pigs = int(played.pigs_left[number])
    left = f", {plural(pigs, 'pig')} left" if row["status"] != WON else ""
    outcome = "passed" if row["status"] == WON else "failed"
    seconds = f"after {played.seconds[number]:.1f} s and {plural(int(played.shots_used[number]), 'shot')}"
    scenario = _scenario(row)
    name = f" {SCENARIOS[scenario]}" if isinstance(scenario, int) else ""
    return f"{row['task']}{name}, attempt {row['attempt']}: {outcome} {seconds}{left}."


INTRODUCTION = (
    "In a Phy-Q task an agent shoots birds with a slingshot so that all pigs die. There are 15 scenarios, each with a "
    "physical rule that solves its tasks, and 75 templates of tasks. The pass rate of a task is the share of attempts "
    "that pass; it is averaged over a template's tasks, then over a scenario's templates. The Phy-Q score compares the "
    "rates in scenarios 3 to 15 with those of humans, who have 100; random shots have 0."
)


def add_report(document: Document, logs: Iterable[Log], max_animated: int) -> None:
    """Adds the report of run logs, with animations for at most a number of scenarios."""
    results = [result_of(log) for log in logs]
    groups = group_results(result for result in results if not result.spec.trains_differently)
    add_sections(document, INTRODUCTION, results, groups, _add_figures, max_animated, incidental=INCIDENTAL)
    people.add_local_and_broad(document, groups)
    training.add_training(document, results)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    if group.conditions.setting == "levels":
        add_levels(document, group)
        return add_animations(document, group, max_animated)
    scores.add_scenarios(document, group)
    scores.add_phy_q(document, group)
    people.add_own_people(document, group)
    people.add_attempts(document, group)
    scores.add_protocols(document, group)
    scores.add_templates(document, group)
    return add_animations(document, group, max_animated)
