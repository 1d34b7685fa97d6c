"""Rollouts per second by the number of worlds in one call, from a thousand to a million."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from peers.peer import clock
from published import Published, one_of_each
from rich.console import Console
from rich.table import Table
from table import write_csv

from tumble import engine
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.attempt import build_ball_worlds, goal_rule

SIZES = tuple(2**k for k in range(10, 21, 2))
MOST_SECONDS = 60.0
"""A size that is expected to take longer is left out, with all after it."""
REPEATS = 3
COLUMNS = ("tier", "worlds", "seconds", "rollouts/s", "us of a core or GPU per rollout", "speed relative to the best")


def measure_scaling(data: Published, name: str, device: str, measured_on: str) -> None:
    """Measures both tiers, prints a table and writes it to results/NAME-ARCHITECTURE.csv."""
    rows = [row for tier in ("B", "2B") for row in _tier(data, tier, device)]
    table = Table(*COLUMNS, title=f"Rollouts of one call, {device}")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    write_csv(name, COLUMNS, rows, measured_on)


def worlds_of(data: Published, tier: str, count: int) -> tuple[engine.Worlds, engine.Rule]:
    """Worlds with random valid actions on one task of each template, as even as can be, and their rule."""
    tasks = [data.tasks[task_id] for task_id in one_of_each(data, tier)]
    of = np.sort(np.arange(count) % len(tasks))
    rng = np.random.default_rng(2)
    actions = [data.random_valid(task.id, int(np.sum(of == k)), rng) for k, task in enumerate(tasks)]
    balls = placed_balls(np.concatenate(actions))
    return build_ball_worlds(tuple(task.scene for task in tasks), of, balls), goal_rule(tasks, of)


def _tier(data: Published, tier: str, device: str) -> list[tuple[str, ...]]:
    measured = list(_sizes(data, tier, device))
    best = min(each for _, _, each in measured)
    return [
        (tier, f"{count:,}", f"{seconds:.2f}", f"{count / seconds:,.0f}", f"{1e6 * each:.1f}", f"{best / each:.2f}")
        for count, seconds, each in measured
    ]


def _sizes(data: Published, tier: str, device: str) -> Iterator[tuple[int, float, float]]:
    """Worlds, the seconds of their rollouts, and those of a core or of the GPU for each; the best of several calls."""
    options, busy = engine.Options(device=device), clock(device)
    rate = np.inf
    for count in SIZES:
        if count / rate > MOST_SECONDS:
            Console().print(f"{tier}, {count:,} worlds: left out, as they would take {count / rate:,.0f} s")
            return
        worlds, rule = worlds_of(data, tier, count)
        if rate == np.inf:
            engine.rollout(worlds, rule, options)  # compiles
        seconds = each = np.inf
        for _ in range(REPEATS):
            start, used = time.perf_counter(), busy()
            engine.rollout(worlds, rule, options)
            seconds, each = min(seconds, time.perf_counter() - start), min(each, (busy() - used) / count)
            if seconds > MOST_SECONDS / REPEATS / 4:
                break
        rate = count / seconds
        Console().print(f"{tier}, {count:,} worlds: {rate:,.0f} rollouts/s")
        yield count, seconds, each
