"""Replays the shots that the original's agents made in our world, under several rules of damage.

    python benchmarks/fidelity/phyq_calibration.py --shots SHOTS.csv.xz --published REPORT.md --levels FOLDER

The shots were made in the tasks of commit a390b72 (physics phyq-1), whose levels are exported with
`tumble phyq export --all --tasks 100 --format json -o FOLDER` at that commit. For each rule the program plays the shots
of Datalab and PigShooter, and random shots at test tasks, and prints how far the blocks destroyed and pigs killed in
an attempt are from the published numbers. Scenario 2 is left out: its published scores are not understood.
"""

import argparse
import csv
import json
import lzma
import math
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

AGENTS = ("datalab", "pigshooter")
RANDOM_SHOTS = 20
"""Random shots at every second test task."""


@dataclass(frozen=True)
class Variant:
    """A rule of damage."""

    name: str
    colliders: int = 2
    """Colliders of a bird: a hit counts once for each."""
    outline: str = "flat base"
    """The shape of birds: circle, octagon or flat base."""
    second_density: float = 1.0
    """Density of the second collider, which is added to the bird's mass."""
    dead_time: float = 0.04
    """Seconds for which what dies stays."""
    scale: float = 1.0
    """Size of the outline, in sizes of the circle."""


VARIANTS = (
    Variant("physics phyq-1: circle, one collider", 1, "circle", 0.0, 0.0),
    Variant("two colliders", 2, "circle", 0.0, 0.0),
    Variant("two colliders, dead 0.02 s", 2, "circle", 0.0, 0.02),
    Variant("two colliders, dead 0.04 s", 2, "circle", 0.0, 0.04),
    Variant("two colliders, dead 0.06 s", 2, "circle", 0.0, 0.06),
    Variant("two colliders, dead 0.5 s (as in the designer project)", 2, "circle", 0.0, 0.5),
    Variant("two colliders, dead 0.04 s, the second has mass", 2, "circle", 1.0, 0.04),
    Variant("octagon, dead 0.04 s", 2, "octagon", 0.0, 0.04),
    Variant("octagon, dead 0.04 s, the second has mass", 2, "octagon", 1.0, 0.04),
    Variant("flat base, dead 0.04 s, half the mass", 2, "flat base", 0.5, 0.04),
    Variant("flat base, dead 0.02 s, the second has mass", 2, "flat base", 1.0, 0.02),
    Variant("flat base, dead 0.04 s, the second has mass (physics phyq-2)"),
    Variant("flat base, dead 0.06 s, the second has mass", 2, "flat base", 1.0, 0.06),
    Variant("flat base of 1.25 times the size, dead 0.04 s, the second has mass", scale=1.25),
)


def set_dead_time(variant: Variant) -> None:
    """Changes a constant of the rule; must come before the rule is imported."""
    from tumble.phyq.catalogue import physics

    physics.DEAD_TIME = variant.dead_time


def set_birds(variant: Variant) -> None:
    """Changes the outlines, masses and colliders of birds."""
    from tumble.phyq.catalogue import physics
    from tumble.phyq.simulation import world
    from tumble.scene import Polygon

    birds = {}
    for colour, bird in physics.BIRDS.items():
        (x, y), radius = bird.circle.centre, bird.circle.radius
        area = math.pi * radius**2
        shape = bird.piece.shape if variant.outline == "flat base" else bird.circle
        if variant.outline == "octagon":
            turns = [math.pi * (k + 0.5) / 4.0 for k in range(8)]
            wide = radius / math.cos(math.pi / 8.0)
            shape = Polygon(tuple((x + wide * math.cos(turn), y + wide * math.sin(turn)) for turn in turns))
        if isinstance(shape, Polygon):
            corners = ((x + variant.scale * (a - x), y + variant.scale * (b - y)) for a, b in shape.vertices)
            shape = Polygon(tuple(corners))
        mass = bird.piece.mass - area + variant.second_density * area * variant.scale**2
        piece = replace(bird.piece, shape=shape, mass=mass, colliders=variant.colliders)
        birds[colour] = replace(bird, piece=piece)
    world.BIRDS = birds


def published(report: Path) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Published passes, blocks destroyed and pigs killed in an attempt, by agent and template."""
    found = {}
    for line in report.read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| (\d+\.\d) \| (.*) \|", line)
        if row:
            there = [float(cell.split("/")[1]) for cell in row[2].split("|")]
            found["datalab", row[1]] = (there[0], there[1], there[2])
            found["pigshooter", row[1]] = (there[3], there[4], there[5])
    return found


def replayed(shots: Path, levels: Path) -> dict[tuple[str, str], np.ndarray]:
    """The same in our world."""
    from tumble.phyq.catalogue import level_json
    from tumble.phyq.simulation.shots import Shot
    from tumble.phyq.simulation.simulator import Simulator

    with lzma.open(shots, "rt", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["result"] in ("won", "lost")]
    ids = sorted({row["task"] for row in rows})
    simulator = Simulator([level_json.load(levels / f"{task_id.replace(':', '-')}.json") for task_id in ids])
    sequences = [
        [Shot(angle, min(1.0, pull), tap_ms=tap if tap and tap > 0 else None) for angle, pull, tap in made]
        for made in (json.loads(row["shots"]) for row in rows)
    ]
    episodes = simulator.play([ids.index(row["task"]) for row in rows], sequences)
    by_template = defaultdict(list)
    for k, row in enumerate(rows):
        world = episodes.worlds[episodes.level_of[k]]
        blocks = int((episodes.died[k][world.of_role("block")] > 0).sum())
        pigs = len(world.level.pigs) - int(episodes.pigs_left[k])
        by_template[row["agent"], row["task"].partition(":")[0]].append((float(episodes.won[k]), blocks, pigs))
    return {key: np.mean(values, axis=0) for key, values in by_template.items()}


def random_rates(levels: Path) -> dict[int, float]:
    """The share of random shots that win test tasks, by scenario."""
    from tumble.phyq.catalogue import level_json
    from tumble.phyq.catalogue.tasks import broad
    from tumble.phyq.catalogue.templates import SCENARIOS
    from tumble.phyq.catalogue.trajectory import REST_POINT
    from tumble.phyq.simulation.shots import Shot, shot_from
    from tumble.phyq.simulation.simulator import Simulator

    draws = np.random.default_rng(0)

    def random_shot(bird: str) -> Shot:
        x, y = draws.integers(-200, -9), draws.integers(-200, 201)
        tap = None if bird == "red" else float(draws.integers(50, 81)) / 100.0
        return replace(shot_from((REST_POINT[0] + x, REST_POINT[1] + y)), tap_share=tap)

    rates = {}
    for scenario in SCENARIOS:
        chosen = [level_json.load(levels / f"{name.replace(':', '-')}.json") for name in broad(scenario).test[::2]]
        sequences = [[random_shot(bird) for bird in level.birds] for level in chosen for _ in range(RANDOM_SHOTS)]
        episodes = Simulator(chosen).play(np.repeat(np.arange(len(chosen)), RANDOM_SHOTS), sequences)
        rates[scenario] = float(episodes.won.mean())
    return rates


def measure(variant: Variant, shots: Path, report: Path, levels: Path) -> dict[str, str]:
    """The figures of a variant, as text by name."""
    from tumble.phyq.evaluation.metrics import published_broad

    set_dead_time(variant)
    set_birds(variant)
    there, here = published(report), replayed(shots, levels)
    figures = {}
    for agent in AGENTS:
        keys = [key for key in there if key[0] == agent and key in here and not key[1].startswith("2.")]
        away = np.array([here[key] for key in keys]) - np.array([there[key] for key in keys])
        rates = np.array([(here[key][0], there[key][0]) for key in keys]).T
        root = np.sqrt((away**2).mean(axis=0))
        figures[agent] = (
            f"blocks {away[:, 1].mean():+.2f}, rms {root[1]:.2f}; pigs {away[:, 2].mean():+.2f}, rms {root[2]:.2f}; "
            f"correlation of passes {np.corrcoef(rates)[0, 1]:.2f}"
        )
    known, own = published_broad("Random"), random_rates(levels)
    differences: Mapping[int, float] = {k: 100.0 * (own[k] - known[k]) for k in own}
    figures["random"] = (
        f"mean distance of scenarios {np.abs(list(differences.values())).mean():.2f} points: "
        + " ".join(f"{k}:{100.0 * own[k]:.1f}" for k in own)
    )
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("shots", "published", "levels"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--variant", type=int, help="print the figures of this variant as JSON")
    parser.add_argument("--workers", type=int, default=1, help="variants that are measured at the same time")
    given = parser.parse_args()
    places = (given.shots, given.published, given.levels)
    if given.variant is not None:
        print(json.dumps(measure(VARIANTS[given.variant], *places)))
        return
    from table import Results

    results = Results("Rules of damage on the shots of the original's agents")
    commands = [[sys.executable, __file__, *sys.argv[1:], "--variant", str(number)] for number in range(len(VARIANTS))]
    with ThreadPoolExecutor(given.workers) as pool:  # of processes, since the rule is compiled with its constants
        answers = pool.map(partial(subprocess.run, check=True, capture_output=True, text=True), commands)
        for variant, answer in zip(VARIANTS, answers, strict=True):
            for witness, figure in json.loads(answer.stdout).items():
                note = json.dumps(asdict(variant)) if witness == "random" else ""
                results.add(f"{variant.name}; {witness}", figure, note=note)
    results.finish("phyq-calibration")


if __name__ == "__main__":
    main()
