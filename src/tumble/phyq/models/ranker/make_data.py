"""Makes the ranker's training data: shots on tasks of training templates and on variants of these tasks.

The data is made in parts that are kept until all are done. A variant is a training level whose pieces are mirrored,
moved, exchanged or left out. Variants are made of levels of training templates only. Their solutions are not known,
and many have none; what shots do in them is still the physics that the test levels have.
"""

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble.jobs.executors import make_executor
from tumble.jobs.job import Job
from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.level import Block, Level, LevelError, Piece, Pig, Platform, bounding_box, outline
from tumble.phyq.catalogue.physics import BIRD_COLOURS, GROUND_Y, HALF_WIDTH, MATERIAL_NAMES, PIG_SIZES, PIGS, shape_box
from tumble.phyq.catalogue.tasks import broad_templates
from tumble.phyq.catalogue.template import is_valid
from tumble.phyq.catalogue.templates import SCENARIOS, template
from tumble.phyq.models.ranker.collect import VARIANT, Plan, collect, joined_shots, read_shots, write_shots
from tumble.phyq.simulation.simulator import physics_id

VARIANT_TRIES = 20
"""Attempts to make a valid variant of a level."""
MIRRORED, SHIFTED, OTHER_BIRD = 0.3, 0.5, 0.1
"""Shares of the variants that are mirrored, shifted as a whole, and shot at with another bird."""
PIG_MOVED, PIG_RESIZED = 0.6, 0.1
"""Chance of each pig to be placed elsewhere, and to get another size."""
BLOCK_LEFT_OUT, BLOCK_EXCHANGED = 0.1, 0.1
"""Chance of each block to be left out, and to get another material."""
PLATFORM_MOVED = 0.1
"""Chance of each platform to be moved."""
SHIFT, PLATFORM_SHIFT = 2.0, 0.5
"""Largest shifts of a level and of a platform, along x and y."""
CLEARANCE = 0.015
"""Between a pig and what it is placed on."""
LEFTMOST = -7.0
"""Mirrored levels are moved to the right of this."""


def level_variant(level: Level, rng: np.random.Generator) -> Level | None:
    """A random variant of a level, or None if none of TRIES is valid."""
    for _ in range(VARIANT_TRIES):
        with suppress(LevelError):  # a piece was moved out of the world
            made = _changed_level(level, rng)
            if is_valid(made):
                return made
    return None


def _changed_level(level: Level, rng: np.random.Generator) -> Level:
    if rng.random() < MIRRORED:
        level = mirrored_level(level)
    if rng.random() < SHIFTED:
        level = level.shifted(*rng.uniform(-SHIFT, SHIFT, 2).tolist())
    platforms = tuple(_moved_platform(one, rng) if rng.random() < PLATFORM_MOVED else one for one in level.platforms)
    kept = [block for block in level.blocks if rng.random() >= BLOCK_LEFT_OUT]
    blocks = tuple(
        replace(block, material=str(rng.choice(MATERIAL_NAMES))) if rng.random() < BLOCK_EXCHANGED else block
        for block in kept
    )
    pigs = tuple(
        replace(pig, size=str(rng.choice(PIG_SIZES))) if rng.random() < PIG_RESIZED else pig for pig in level.pigs
    )
    level = replace(level, platforms=platforms, blocks=blocks, pigs=pigs)
    pigs = tuple(_placed_on(level, pig, rng) if rng.random() < PIG_MOVED else pig for pig in level.pigs)
    birds = level.birds
    if rng.random() < OTHER_BIRD:
        birds = (str(rng.choice(BIRD_COLOURS)), *birds[1:])
    return replace(level, pigs=pigs, birds=birds)


def mirrored_level(level: Level) -> Level:
    """The level with left and right exchanged about the middle of its pieces."""
    boxes = [bounding_box(outline(piece)) for piece in level.pieces]
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    total = left + right + max(0.0, 2.0 * (LEFTMOST - left))

    def x(piece: Piece) -> float:
        return round(total - piece.x, 5)

    def turned(piece: Piece) -> float:
        # the mirror image of a right-angled triangle is the triangle turned by 90 degrees
        turn = 90.0 if isinstance(piece, Block) and piece.shape == "triangle" else 0.0
        return round((turn - piece.rotation) % 360.0, 5)

    return replace(
        level,
        pigs=tuple(replace(pig, x=x(pig), rotation=turned(pig)) for pig in level.pigs),
        blocks=tuple(replace(block, x=x(block), rotation=turned(block)) for block in level.blocks),
        platforms=tuple(replace(one, x=x(one), rotation=turned(one)) for one in level.platforms),
        tnts=tuple(replace(tnt, x=x(tnt), rotation=turned(tnt)) for tnt in level.tnts),
    )


def _moved_platform(platform: Platform, rng: np.random.Generator) -> Platform:
    x, y = rng.uniform(-PLATFORM_SHIFT, PLATFORM_SHIFT, 2).round(4).tolist()
    return replace(platform, x=platform.x + x, y=platform.y + y)


def _placed_on(level: Level, pig: Pig, rng: np.random.Generator) -> Pig:
    """The pig on top of a random platform or block, or on the ground near the pieces."""
    pieces: tuple[Piece, ...] = (*level.platforms, *level.blocks)
    boxes = [bounding_box(outline(piece)) for piece in pieces]
    number = int(rng.integers(len(boxes) + 1))
    if number == len(boxes):
        left = min((box.left for box in boxes), default=-5.0)
        right = max((box.right for box in boxes), default=5.0)
        x, top = rng.uniform(max(left - 1.0, LEFTMOST), min(right + 1.0, HALF_WIDTH - 1.0)), GROUND_Y
    else:
        box = boxes[number]
        x, top = rng.uniform(box.left, box.right), box.top
    depth = -shape_box(PIGS[pig.size].shape)[1]
    return replace(pig, x=round(float(x), 5), y=round(top + depth + CLEARANCE, 5), rotation=0.0)


LEVELS_PER_PART = {"cpu": 20, "cuda": 1000}
"""Levels whose shots are played together, by device: large calls are faster on a GPU."""


@dataclass(frozen=True)
class DataPlan:
    """Which levels are played, and how often."""

    tasks: int = 100
    """Tasks of each training template, from number 0 on."""
    variants: int = 1
    """Variants of each task."""
    without: tuple[str, ...] = ()
    """Training templates that are left out, to test on them."""
    shots: Plan = field(default_factory=Plan)
    seed: int = 0

    def templates(self) -> list[str]:
        """The training templates."""
        known = [key for scenario in SCENARIOS for key in broad_templates(scenario)[0]]
        wrong = next((key for key in self.without if key not in known), None)
        if wrong is not None:
            raise TrainingError(f"{wrong!r} is no training template of the broad setting; they are {', '.join(known)}")
        return [key for key in known if key not in self.without]


def make_data(
    plan: DataPlan,
    out: Path,
    device: str = "cpu",
    threads: int = 0,
    workers: int | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> int:
    """Plays shots on the levels of a plan, writes them to a file and returns their number; resumes where it stopped.

    `advance` is called with numbers of levels whose shots were played. Finished parts are kept beside the file until
    all are done; results depend on the plan and the size of the parts, which is that of the device.
    """
    size = LEVELS_PER_PART[device.partition(":")[0]]
    identity = sha256(f"{asdict(plan)} {size} {physics_id()}".encode()).hexdigest()[:12]
    folder = out.with_name(f"{out.name}.parts-{identity}")
    folder.mkdir(parents=True, exist_ok=True)
    levels = all_levels(plan, workers)
    paths = []
    for number, begin in enumerate(range(0, len(levels), size)):
        part = levels[begin : begin + size]
        path = folder / f"{number:04d}.npz"
        if not path.exists():
            seed = plan.seed * 1_000_003 + number
            found = collect([level for _, level in part], [key for key, _ in part], plan.shots, seed, device, threads)
            write_shots(path, found)
        paths.append(path)
        advance(len(part))
    everything = joined_shots([read_shots(path).collected for path in paths])
    write_shots(out, everything)
    shutil.rmtree(folder)
    return len(everything)


def level_count(plan: DataPlan) -> int:
    """The number of levels of a plan, if all variants can be made."""
    return len(plan.templates()) * plan.tasks * (1 + plan.variants)


def all_levels(plan: DataPlan, workers: int | None = None) -> list[tuple[str, Level]]:
    """Templates and levels: the tasks of all templates by number, with variants, whose templates end with VARIANT.

    Processes share the work.
    """
    keys = plan.templates()
    jobs = [Job(key, _levels_of, (key, plan.tasks, plan.variants, plan.seed)) for key in keys]
    made: dict[str, list[list[Level]]] = {}
    for outcome in make_executor("local", workers).run(jobs):
        if outcome.error:
            raise TrainingError(f"template {outcome.job.name}: {outcome.error}")
        made[outcome.job.name] = outcome.value
    return [
        (key + VARIANT if place else key, level)
        for number in range(plan.tasks)
        for key in keys
        for place, level in enumerate(made[key][number])
    ]


def _levels_of(key: str, tasks: int, variants: int, seed: int, progress: Any) -> list[list[Level]]:
    """For each task of a template its level and variants of it."""
    rng = np.random.default_rng([seed, *key.encode()])
    return [_with_variants(template(key).level(number), variants, rng) for number in range(tasks)]


def _with_variants(level: Level, count: int, rng: np.random.Generator) -> list[Level]:
    made = [level_variant(level, rng) for _ in range(count)]
    return [level, *(one for one in made if one is not None)]
