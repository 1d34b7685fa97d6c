"""Animations of a won and a lost episode of each scenario."""

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
LONGEST = 12.0
"""Seconds of an episode that are shown."""
ACROSS = 3
"""Pictures in a row."""


def add_animations(document: Document, group: Group, most: int) -> int:
    """A won and a lost episode of each of some scenarios, by the agent that passed most; how many scenarios."""
    able = [one for one in group.finished if group.conditions.physics == simulator.physics_id()]
    if not able or most < 1:
        return 0
    best = max(able, key=lambda one: one.mean)
    chosen = _chosen(best.results[0], most)
    if not chosen:
        return 0
    document.heading("Episodes", 3)
    document.text(f"{best.label}: of each scenario an attempt that passed and one that failed, replayed from the log.")
    document.pictures(_pictures(chosen), ACROSS)
    return len({_scenario(row) for row in chosen})


def _scenario(row: Row) -> int:
    return int(str(row["task"]).partition(".")[0])


def _chosen(result: PhyQResult, most: int) -> list[Row]:
    rows: dict[int, dict[bool, Row]] = {}
    for row in read(result.path).rows():
        if row["action"]:
            rows.setdefault(_scenario(row), {}).setdefault(row["status"] == WON, row)
    return [row for scenario in sorted(rows)[:most] for _, row in sorted(rows[scenario].items(), reverse=True)]


def _beginning(motion: episode_views.Motion) -> episode_views.Motion:
    shown = motion.seconds <= LONGEST
    return replace(motion, seconds=motion.seconds[shown], poses=motion.poses[shown])


def _pictures(rows: list[Row]) -> list[Picture]:
    levels = [cached_task(row["task"]).level for row in rows]
    played = simulator.play(levels, [shots_of(row["action"]) for row in rows], want=("trajectory",), stride=STRIDE)
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(rows):
            path = Path(folder) / f"{number}.gif"
            save_motion(path, _beginning(episode_views.motion(played, number)), WIDTH)
            outcome = "passed" if row["status"] == WON else "failed"
            name = SCENARIOS[_scenario(row)]
            pictures.append(Picture(data_uri(path.read_bytes(), "gif"), f"{row['task']} {name}: {outcome}"))
    return pictures
