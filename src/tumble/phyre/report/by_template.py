"""What agents solve of each template, and animations of a solved and a failed attempt."""

from collections.abc import Sequence

from tumble import engine
from tumble.phyre import library, official
from tumble.phyre.report import motion
from tumble.phyre.report.groups import Group, Series
from tumble.phyre.report.scores import setting_name
from tumble.phyre.results import Result
from tumble.phyre.simulate import Simulator
from tumble.phyre.splits import template_of
from tumble.phyre.status import SOLVED
from tumble.phyre.tasks import Task
from tumble.phyre.templates import NAMES
from tumble.report import Document, Picture
from tumble.runs.log import Row, read

MOST_COLUMNS = 7
FEW, MANY = 10, 100
ACROSS = 6
"""Pictures in a row."""


def add_table(document: Document, group: Group) -> None:
    """The share of each template's tasks that agents solve, over all folds that tested it."""
    document.heading("Templates", 3)
    for setting in group.settings:
        shown = group.main_series(setting, MOST_COLUMNS)
        tested = [_tested(one, setting) for one in shown]
        templates = sorted({template for found in tested for template in found})
        rows = [[named(template), *(share(found.get(template)) for found in tested)] for template in templates]
        caption = f"Tasks solved within {FEW} and {MANY} attempts, %, {setting_name(setting)}"
        document.table(caption, ["template", *(one.label for one in shown)], rows)


def _tested(one: Series, setting: str) -> dict[str, list[int | None]]:
    found: dict[str, list[int | None]] = {}
    for fold in one.folds(setting):
        for result in one.results[setting, fold]:
            for task_id, at in result.solved_at.items():
                found.setdefault(template_of(task_id), []).append(at)
    return found


def share(solved_at: Sequence[int | None] | None) -> str:
    """The percentages solved within few and within many attempts."""
    if not solved_at:
        return ""
    few, many = (sum(at is not None and at <= most for at in solved_at) for most in (FEW, MANY))
    return f"{100 * few / len(solved_at):.0f} / {100 * many / len(solved_at):.0f}"


def named(template: str) -> str:
    """The id of a template, and its name if it is one of ours."""
    return f"{template} {NAMES.get(template, '')}".strip()


def add_animations(document: Document, group: Group, most: int) -> int:
    """A solved and a failed attempt at each of some templates, by the best agent that is none of the oracles.

    How many templates were drawn.
    """
    one = _best(group)
    if one is None or most < 1:
        return 0
    result = max((runs[0] for runs in one.results.values()), key=lambda run: len({*map(template_of, run.solved_at)}))
    pictures = _pictures(result, most)
    if not pictures:
        return 0
    document.heading("Attempts", 3)
    document.text(
        f"{one.label} on {setting_name(result.setting)}, fold {result.fold}: of each template one attempt that solved "
        "a task and one that failed, replayed from the log. The red ball is what the agent placed; the green body has "
        "to touch the blue or purple one for three seconds."
    )
    document.pictures(pictures, ACROSS)
    return len({template_of(picture.caption) for picture in pictures})


def _best(group: Group) -> Series | None:
    """By its mean over all that it has run."""
    able = [one for one in group.series if one.results and not one.is_oracle]

    def mean(one: Series) -> float:
        scores = [result.auccess for repeats in one.results.values() for result in repeats]
        return sum(scores) / len(scores)

    return max(able, key=mean, default=None)


def _pictures(result: Result, most: int) -> list[Picture]:
    if result.header["physics"] != engine.physics_id():
        return []
    log = read(result.path)
    chosen: list[Row] = []
    by_template: dict[str, list[list[Row]]] = {}
    for task_id, rows in log.tasks.items():
        by_template.setdefault(template_of(task_id), []).append(rows)
    for attempts in list(by_template.values())[:most]:
        flat = [row for rows in attempts for row in rows]
        solved = next((row for row in flat if row["status"] >= SOLVED), None)
        failed = next((row for row in flat if row["status"] < SOLVED), None)
        chosen += [row for row in (solved, failed) if row is not None]
    tasks = _tasks(result, {row["task"] for row in chosen})
    if not tasks:
        return []
    simulator = Simulator(tasks, tasks[0].tier)
    actions = [row["action"] for row in chosen]
    seen = simulator.attempts([row["task"] for row in chosen], actions, want=["trajectories"])
    return [Picture(motion.data_uri(attempt), _caption(row)) for row, attempt in zip(chosen, seen, strict=True)]


def _caption(row: Row) -> str:
    outcome = "solved" if row["status"] >= SOLVED else "not solved"
    name = NAMES.get(template_of(row["task"]), "")
    return f"{row['task']} {name}: {outcome} at attempt {row['attempt']}".replace("  ", " ")


def _tasks(result: Result, wanted: set[str]) -> Sequence[Task]:
    """The tasks of a run; none where a file of them is not there any more."""
    if result.header["tasks"] is None:
        return [library.task(task_id) for task_id in sorted(wanted)]
    try:
        known = official.load(result.header["tasks"])
    except (OSError, ValueError):
        return []
    return [known[task_id] for task_id in sorted(wanted)] if wanted <= known.keys() else []
