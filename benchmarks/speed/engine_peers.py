"""The engine beside others on the same scenes: PHYRE tasks with placed balls, each stepped equally often (`peers/`).

    pip install -r benchmarks/speed/peers/requirements.txt
    python benchmarks/speed/engine_peers.py [--device cuda]

Every step is taken, by all: ours neither ends worlds in which all bodies sleep nor shares their past, except in the
column "as usual", which is of more actions a task. Of others only stepping is timed, of ours the whole call, building
worlds included. On a CPU times are those of all cores together. Engines that are not installed are left out and named.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from peers.peer import ADAPTERS, INSTALL, Peer, Stepped, find_peer
from published import Case, Published, cases_of
from table import Results, arguments, clock, say

from tumble import engine
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.attempt import ball_at
from tumble.scene import Body, Circle, Scene

STEPS = 1000
REPEATS = 5
MOST_SECONDS = 20.0
"""After which an engine is not measured again."""
CPU_PER_TASK, GPU_PER_TASK = 8, 160
USUAL_TIMES = 12
"""How many times more actions a task has in the column "as usual"; other engines are too slow for as many."""
EARLY_STEPS = 30
"""Steps after which bodies of all engines must still be at almost the same places."""
COLUMNS = (
    "engine",
    "ours over it",
    "ours as usual over it",
    "ours/s",
    "its rollouts/s",
    "worlds",
    "tasks",
    "px apart after 30 steps",
    "us per step of an empty world",
    "not the same",
)


def main() -> None:
    device = arguments(__doc__, device="cpu").device
    data, per_task = Published(), CPU_PER_TASK if device == "cpu" else GPU_PER_TASK
    cases, more = cases_of(data, "B", per_task), cases_of(data, "B", USUAL_TIMES * per_task)
    scenes = [scene_of(data, case) for case in cases]
    where = "one core" if device == "cpu" else device
    title = f"PHYRE-B, {STEPS:,} steps of every world, {where}, medians of up to {REPEATS}"
    results = Results(title, device, COLUMNS)
    for adapter in ADAPTERS:
        peer = find_peer(adapter)
        if peer is None:
            results.add_row(adapter.removesuffix("_peer"), *[""] * (len(COLUMNS) - 2), f"not installed: {INSTALL}")
        elif device.partition(":")[0] in peer.devices:
            chosen = [k for k, scene in enumerate(scenes) if peer.can_build(scene)]
            tasks = {cases[k][0] for k in chosen}
            usual, _ = data.worlds([case for case in more if case[0] in tasks])
            own_cases, own_scenes = [cases[k] for k in chosen], [scenes[k] for k in chosen]
            results.add_row(*compared(data, own_cases, own_scenes, usual, peer, device))
        else:
            continue
        say(": ".join((results.rows[-1][0], results.rows[-1][1] or results.rows[-1][-1])))
    results.finish("speed-peers")


def scene_of(data: Published, case: Case) -> Scene:
    """The scene of a task with the balls of an action."""
    task_id, action = case
    scene = data.tasks[task_id].scene
    balls = placed_balls(np.array([action]))[0]
    return replace(scene, bodies=(*scene.bodies, *(ball_at(*map(float, ball)) for ball in balls)))


def compared(
    data: Published,
    cases: Sequence[Case],
    scenes: Sequence[Scene],
    usual_worlds: engine.Worlds,
    peer: Peer,
    device: str,
) -> tuple[str, ...]:
    """A row of the table; times of ours and of the other engine are measured one after the other."""
    worlds, _ = data.worlds(cases)
    times = len(usual_worlds) / len(worlds)
    every_step = engine.Options(max_steps=STEPS, stride=STEPS, threads=1, device=device)
    as_usual = engine.Options(max_steps=STEPS, threads=1, device=device)

    now = clock(device)

    def seconds(some: engine.Worlds, options: engine.Options) -> float:
        start = now()
        engine.rollout(some, engine.RUN_TO_END, options)
        return now() - start

    for some, options in ((worlds, every_step), (usual_worlds, as_usual)):
        seconds(some, options)  # compiles
    apart = _apart(worlds, scenes, peer.roll_out(scenes, EARLY_STEPS, device), device)
    theirs: list[float] = []
    ours: list[float] = []
    usual: list[float] = []
    while len(theirs) < REPEATS and sum(theirs) < MOST_SECONDS:
        theirs.append(peer.roll_out(scenes, STEPS, device).seconds)
        ours.append(seconds(worlds, every_step))
        usual.append(seconds(usual_worlds, as_usual) / times)
    empty = replace(scenes[0], bodies=(Body((Circle(1.0),)),))
    return (
        peer.title,
        _ratio(theirs, ours),
        _ratio(theirs, usual),
        f"{len(cases) / np.median(ours):,.0f}",
        f"{len(cases) / np.median(theirs):,.1f}",
        f"{len(cases):,}",
        str(len({task_id for task_id, _ in cases})),
        f"{apart:.2f}",
        f"{1e6 * peer.roll_out([empty], STEPS, device).seconds / STEPS:.2f}" if peer.one_by_one else "",
        peer.differences,
    )


def _ratio(slower: Sequence[float], faster: Sequence[float]) -> str:
    return f"{np.median(np.divide(slower, faster)):.1f} x"


def _apart(worlds: engine.Worlds, scenes: Sequence[Scene], theirs: Stepped, device: str) -> float:
    """The median over worlds of the largest distance of a body from where ours is, in pixels."""
    options = engine.Options(max_steps=EARLY_STEPS, stride=EARLY_STEPS, device=device)
    ours = engine.rollout(worlds, engine.RUN_TO_END, options).poses[:, -1, :, :2]
    largest = [
        np.linalg.norm(own[: len(scene.bodies)] - their[:, :2], axis=1).max()
        for own, their, scene in zip(ours, theirs.poses, scenes, strict=True)
    ]
    return float(np.median(largest))


if __name__ == "__main__":
    main()
