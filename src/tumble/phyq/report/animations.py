"""Animations of a passed and a failed episode of each scenario."""

import tempfile
from dataclasses import replace
from pathlib import Path

from tumble.phyq.evaluation.log_rows import WON, shots_of
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.observation.animation import save_motion
from tumble.phyq.report.groups import Group
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.tasks.catalogue import cached_task
from tumble.phyq.tasks.templates import SCENARIOS
from tumble.report import Document, Picture
from tumble.report.data_uri import data_uri
from tumble.runs.log import Row, read

WIDTH = 300
STRIDE = 8
MAX_SECONDS = 12.0
COLUMNS = 3


def add_animations(document: Document, group: Group, max_scenarios: int) -> int:
    """Adds a passed and a failed episode of each of some scenarios, by the agent with the highest pass rate.

    Returns the number of scenarios.
    """
    if not group.finished or group.conditions.physics != simulator.physics_id() or max_scenarios < 1:
        return 0
    best = max(group.finished, key=lambda series: series.mean)
    selected = _select_rows(best.results[0], max_scenarios)
    if not selected:
        return 0
    document.heading("Episodes", 3)
    document.text(f"{best.label}: for each scenario an attempt that passed and one that failed, replayed from the log.")
    document.pictures(_pictures(selected), COLUMNS)
    return len({_scenario(row) for row in selected})


def _scenario(row: Row) -> int:
    return int(str(row["task"]).partition(".")[0])


def _select_rows(result: PhyQResult, max_scenarios: int) -> list[Row]:
    rows: dict[int, dict[bool, Row]] = {}
    for row in read(result.path).rows():
        if row["action"]:
            rows.setdefault(_scenario(row), {}).setdefault(row["status"] == WON, row)
    return [row for scenario in sorted(rows)[:max_scenarios] for _, row in sorted(rows[scenario].items(), reverse=True)]


def _shortened(motion: episode_views.Motion) -> episode_views.Motion:
    kept = motion.seconds <= MAX_SECONDS
    return replace(motion, seconds=motion.seconds[kept], poses=motion.poses[kept])


def _pictures(rows: list[Row]) -> list[Picture]:
    levels = [cached_task(row["task"]).level for row in rows]
    played = simulator.play(levels, [shots_of(row["action"]) for row in rows], want=("trajectory",), stride=STRIDE)
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(rows):
            path = Path(folder) / f"{number}.gif"
            save_motion(path, _shortened(episode_views.motion(played, number)), WIDTH)
            outcome = "passed" if row["status"] == WON else "failed"
            name = SCENARIOS[_scenario(row)]
            pictures.append(Picture(data_uri(path.read_bytes(), "gif"), f"{row['task']} {name}: {outcome}"))
    return pictures
