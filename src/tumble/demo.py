"""The demo: what the engine does, as an animation and a table of speeds in a folder."""

import csv
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

if TYPE_CHECKING:
    from tumble.scene import Scene

COLUMNS = 3
GAP = 8.0
WALLS = 4
SECONDS = 6.0
FPS = 20
BATCHES = (1, 10, 100, 1000)


def run(out: Path) -> None:
    """Write the demo's files into the existing folder `out`."""
    # Loaded only here, so that `tumble --help` does not wait for Warp.
    from tumble import engine
    from tumble.scene import save_animation
    from tumble.scene.samples import SAMPLES

    console = Console()
    console.print("Rolling out six scenes (the first time, this compiles the physics) …")
    scenes = [sample() for sample in SAMPLES.values()]
    steps = round(SECONDS * 60)
    rollouts = engine.rollout(engine.each(scenes), options=engine.Options(stride=60 // FPS, max_steps=steps))
    console.print("Drawing them …")
    panel, poses = side_by_side(scenes, rollouts.poses)
    save_animation(out / "samples.gif", panel, poses, fps=FPS, size=(round(panel.height), round(panel.width)))
    rows = measure_speed()
    with (out / "speed.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("worlds", "threads", "rollouts per second"), *rows])
    table = Table(
        "worlds",
        "threads",
        "rollouts/s",
        title=f"A ball dropped on a slope, 1000 steps each ({engine.physics_id()})",
    )
    for row in rows:
        table.add_row(*map(str, row))
    console.print(table)


def side_by_side(scenes: "list[Scene]", poses: np.ndarray) -> "tuple[Scene, np.ndarray]":
    """One scene that shows all, without their walls, and its poses [frames, bodies, 3]; for drawing only."""
    from tumble.scene import Body, Scene, box

    side = scenes[0].width + GAP
    lines = -(-len(scenes) // COLUMNS)
    width, height = COLUMNS * side + GAP, lines * side + GAP
    bodies: list[Body] = []
    motion: list[np.ndarray] = []
    for k, scene in enumerate(scenes):
        corner = np.array([GAP + side * (k % COLUMNS), GAP + side * (lines - 1 - k // COLUMNS), 0.0])
        shown = scene.bodies[WALLS:]
        bodies += [replace(body, name="") for body in shown]
        motion.append(poses[k, :, WALLS : len(scene.bodies)] + corner)
    frames = poses.shape[1]
    for k in range(COLUMNS + 1):
        bodies.append(Body((box(GAP, height),), position=(GAP / 2 + k * side, height / 2)))
    for k in range(lines + 1):
        bodies.append(Body((box(width, GAP),), position=(width / 2, GAP / 2 + k * side)))
    fixed = np.array([(*body.position, body.angle) for body in bodies[-(COLUMNS + lines + 2) :]])
    motion.append(np.broadcast_to(fixed, (frames, *fixed.shape)))
    return Scene(tuple(bodies), width=width, height=height), np.concatenate(motion, axis=1)


def measure_speed() -> list[tuple[int, int, int]]:
    """Rollouts per second of variants of the ramp scene, by batch size and number of threads."""
    from tumble import engine
    from tumble.engine.machine import usable_cores
    from tumble.scene import Body, Circle
    from tumble.scene.samples import ramp

    scene, rng = ramp(), np.random.default_rng(0)
    ball = Body((Circle(8.0),), dynamic=True, density=0.25, restitution=0.2)
    rows = []
    with Progress(transient=True) as progress:
        bar = progress.add_task("Measuring speed", total=2 * sum(BATCHES))
        for count in BATCHES:
            poses = np.zeros((count, 1, 3))
            poses[:, 0, :2] = rng.uniform((20.0, 110.0), (236.0, 240.0), (count, 2))
            worlds = engine.variants(scene, kinds=[ball], poses=poses)
            for threads in sorted({1, usable_cores()}):
                start = time.perf_counter()
                engine.rollout(worlds, options=engine.Options(threads=threads))
                rows.append((count, threads, round(count / (time.perf_counter() - start))))
                progress.advance(bar, count)
    return rows
