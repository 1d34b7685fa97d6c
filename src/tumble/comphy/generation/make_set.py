"""Generates a set, which depends on seed and index alone: draws initial states until the videos are informative."""

from tumble.checks import whole_number
from tumble.comphy.dataset.layout import planned_set
from tumble.comphy.generation.checks import missing_evidence
from tumble.comphy.generation.references import draw_references
from tumble.comphy.generation.targets import draw_targets
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.tasks.body import HEAVY, LIGHT, Body
from tumble.comphy.tasks.stage import draw_stage
from tumble.comphy.tasks.video_set import Family, VideoSet, named_family
from tumble.comphy.tasks.world import PLAIN, ObjectWorld, named_world
from tumble.draws import Draws

BODY_COUNTS = (3, 4, 4, 4, 5, 5, 5)
"""Numbers of bodies, all equally likely; three bodies have too few pairs for four options."""
FUTURE_PAIRS = (0, 0, 0, 1, 1, 1, 1, 2, 2)
"""Pairs that must collide after the shown frames, all equally likely."""
BATCHES_PER_DRAW, MAX_BATCHES = 12, 600
"""Batches of targets that are tried before other bodies are drawn, and for one set."""
DIFFERENT_SHAPES, DIFFERENT_MATERIALS = 4, 3
"""Of the many shapes and materials of the div world, a set has at most these numbers, so that some bodies are alike."""
TELLING_WORLDS = {"mass": 2, "charge": 3, "both": 3}
"""Counterfactual worlds that must be telling."""


class NoSetError(RuntimeError):
    """No informative videos were found; happens only if there is a bug in the drawing of initial states."""


def make_set(index: int, family: Family | None = None, seed: int = 1, world: str = PLAIN.name) -> VideoSet:
    """Generates a set of a family, by default that of its index; the same one whatever was generated before."""
    kind = named_world(world)
    index, seed = whole_number("index", index, at_least=0), whole_number("seed", seed)
    family = planned_set(index).family if family is None else named_family(family)
    name = f"comphy {seed} {family} {index}" if kind is PLAIN else f"comphy {kind.name} {seed} {family} {index}"
    draws = Draws(name)
    future_pairs = draws.one_of(FUTURE_PAIRS)
    for batch in range(MAX_BATCHES):
        if batch % BATCHES_PER_DRAW == 0:
            bodies = draw_bodies(draws, family, kind)
        for target in draw_targets(draws, bodies, future_pairs, TELLING_WORLDS[family]):
            references = draw_references(draws, bodies, target.motion)
            if references and missing_evidence(bodies, target.motion, references) is None:
                made = index, seed, family, bodies, target.motion, references, target.altered, target.undetermined
                return VideoSet(*made, draw_stage(Draws(f"{name} stage")) if kind.has_stages else None)
    raise NoSetError(
        f"set {index} ({family}, seed {seed}, {kind.name}): no informative videos in {MAX_BATCHES} batches"
    )


def draw_bodies(draws: Draws, family: Family, world: ObjectWorld = PLAIN) -> tuple[Body, ...]:
    """Three to five bodies of different appearance: one heavy, or two charged, or both."""
    count = draws.one_of(BODY_COUNTS)
    shapes, materials = world.shapes, world.materials
    if world is not PLAIN:
        shapes, materials = _some(draws, shapes, DIFFERENT_SHAPES), _some(draws, materials, DIFFERENT_MATERIALS)
    appearances: list[tuple[str, str, str]] = []
    while len(appearances) < count:
        drawn = draws.one_of(world.colors), draws.one_of(materials), draws.one_of(shapes)
        if drawn not in appearances:
            appearances.append(drawn)
    masses, charges = [LIGHT] * count, [0] * count
    if family != "charge":
        masses[draws.one_of(range(count))] = HEAVY
    if family != "mass":
        one, other = draws.one_of(pairs_of(count))
        charges[one], charges[other] = draws.one_of((-1, 1)), draws.one_of((-1, 1))
    forms = [0 if world.forms == 1 else draws.one_of(range(world.forms)) for _ in range(count)]
    properties = zip(appearances, masses, charges, forms, strict=True)
    return tuple(Body(*appearance, mass, charge, form) for appearance, mass, charge, form in properties)


def _some(draws: Draws, words: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Some of the words, at random."""
    left = list(words)
    return tuple(left.pop(draws.one_of(range(len(left)))) for _ in range(count))
