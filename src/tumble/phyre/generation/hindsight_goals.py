"""Goals of mutations, chosen by what happens: pairs of bodies that some random actions bring together, but not many.

A goal drawn at random is rarely reached, least of all with two balls. So actions are rolled out in a mutated scene that
has no goal yet, and a goal is chosen among the pairs of bodies that came to touch for long enough. The task's own goal
may be harder: where no random action reaches it, actions that solve the task may.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np

from tumble import engine
from tumble.phyre.generation.mutation import CHANCE_OF_NEW_GOAL, MARK, MutatedScene
from tumble.phyre.simulation.actions import action_set, placed_balls, within_scene
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.simulator import BATCH_SIZE
from tumble.phyre.simulation.touching_pairs import PAIRS, Pair, held_steps
from tumble.phyre.tasks.random_numbers import generator_for
from tumble.phyre.tasks.task import HOLD_STEPS, Task
from tumble.phyre.tasks.tier import TIERS

MAX_SHARE = 0.3
"""The largest share of random actions that may reach a goal."""
GOALS = 2
"""Of a scene, at most."""


def mutations_with_goals(
    scenes: Sequence[MutatedScene],
    actions: int,
    kept: int,
    options: engine.Options,
    solvable: Callable[[list[Task]], np.ndarray],
) -> list[Task]:
    """Up to `kept` mutations of each task, with goals that some of the first `actions` random actions reach.

    The task's own goal need not be reached by these: `solvable` is asked, bool [task], about mutations that have it.
    Those of a task come in the order of their use to training: one of each scene, then a second of each. `scenes` has
    the scenes of a task in a row.
    """
    candidates = _not_reached_alone(scenes, [candidate_goals(scene) for scene in scenes], options)
    shares = _shares(scenes, candidates, actions, options)
    eligible = [
        [pair for pair, share in zip(pairs, row, strict=False) if 0.0 < share <= MAX_SHARE]
        for pairs, row in zip(candidates, shares, strict=True)
    ]
    harder = [
        row
        for row, pairs in enumerate(candidates)
        if pairs and pairs[0] == _own_goal(scenes[row]) and shares[row, 0] == 0.0
    ]
    own = [scenes[row].with_goal(*candidates[row][0]) for row in harder]
    for row, is_solvable in zip(harder, solvable(own), strict=True):
        if is_solvable:
            eligible[row].insert(0, candidates[row][0])
    found = []
    for _, rows in groupby(range(len(scenes)), key=lambda row: scenes[row].origin.id):
        found += choose([(scenes[row], eligible[row]) for row in rows])[:kept]
    return found


def candidate_goals(scene: MutatedScene) -> list[Pair]:
    """All pairs of bodies of which the first can move, in random order; first the task's own goal, if it is there."""
    task, rng = scene.origin, _generator(scene, "pairs")
    moving = {k for k in scene.bodies if task.scene.bodies[k].dynamic}
    pairs = []
    for a, b in ((a, b) for a in scene.bodies for b in scene.bodies if a < b):
        if a in moving and b in moving:
            pairs.append((a, b) if rng.random() < 0.5 else (b, a))
        elif a in moving or b in moving:
            pairs.append((a, b) if a in moving else (b, a))
    own = _own_goal(scene)
    shuffled = [pairs[k] for k in rng.permutation(len(pairs)).tolist()]
    others = [pair for pair in shuffled if set(pair) != set(own)]
    return [own, *others] if len(others) < len(pairs) else others


def choose(eligible: Sequence[tuple[MutatedScene, Sequence[Pair]]]) -> list[Task]:
    """Mutations of a task with up to GOALS of the eligible goals of each scene: first one of each, then a second.

    Some have the task's own goal; else it is a goal that was chosen least often before.
    """
    used: Counter[Pair] = Counter()
    used_first: Counter[int] = Counter()
    generators = [_generator(scene, "goals") for scene, _ in eligible]
    taken: list[list[Pair]] = [[] for _ in eligible]
    found = []
    for turn in range(GOALS):
        for (scene, pairs), rng, before in zip(eligible, generators, taken, strict=True):
            left = [pair for pair in pairs if pair not in before]
            if not left:
                continue
            own = _own_goal(scene)
            ties = dict(zip(left, rng.random(len(left)).tolist(), strict=True))
            same_first = {first for first, _ in before}
            pair = min(left, key=lambda p: (p[0] in same_first, used[p], used_first[p[0]], ties[p]))
            if turn == 0 and own in left and rng.random() >= CHANCE_OF_NEW_GOAL:
                pair = own
            before.append(pair)
            used[pair] += 1
            used_first[pair[0]] += 1
            found.append(scene.with_goal(*pair))
    return found


def _not_reached_alone(
    scenes: Sequence[MutatedScene], candidates: Sequence[Sequence[Pair]], options: engine.Options
) -> list[list[Pair]]:
    """Of each scene's pairs, up to PAIRS that are not reached without an action."""
    blocks = [
        (row, pairs[first : first + PAIRS])
        for row, pairs in enumerate(candidates)
        for first in range(0, len(pairs), PAIRS)
    ]
    left: list[list[Pair]] = [[] for _ in scenes]
    for first in range(0, len(blocks), BATCH_SIZE):
        batch = blocks[first : first + BATCH_SIZE]
        worlds = [scenes[row] for row, _ in batch]
        balls = np.zeros((len(batch), TIERS[worlds[0].origin.tier].balls, 3))
        held = _held(worlds, [pairs for _, pairs in batch], np.arange(len(batch)), balls, options)
        for (row, pairs), steps in zip(batch, held, strict=True):
            left[row] += [pair for pair, count in zip(pairs, steps, strict=False) if count < HOLD_STEPS]
    return [pairs[:PAIRS] for pairs in left]


def _shares(
    scenes: Sequence[MutatedScene], candidates: Sequence[Sequence[Pair]], actions: int, options: engine.Options
) -> np.ndarray:
    """float [scene, PAIRS]: the share of valid random actions that reach each candidate."""
    shares = np.zeros((len(scenes), PAIRS))
    rows = [row for row, pairs in enumerate(candidates) if pairs]
    for batch in _batches(rows, max(1, BATCH_SIZE // actions)):
        some = [scenes[row] for row in batch]
        table = action_set(TIERS[some[0].origin.tier], actions)
        scene_of, number = (one.ravel() for one in np.indices((len(some), actions)))
        balls, inside = placed_balls(table), within_scene(table)
        valid = inside[number]
        obstacles = Obstacles([one.scene for one in some], options.device)
        valid[valid] = obstacles.clear(scene_of[valid], balls[number[valid]])
        scene_of, number = scene_of[valid], number[valid]
        held = _held(some, [candidates[row] for row in batch], scene_of, balls[number], options)
        world, pair = np.nonzero(held >= HOLD_STEPS)
        reached = np.bincount(PAIRS * scene_of[world] + pair, minlength=PAIRS * len(some)).reshape(-1, PAIRS)
        shares[batch] = reached / np.maximum(np.bincount(scene_of, minlength=len(some)), 1)[:, None]
    return shares


def _held(
    scenes: Sequence[MutatedScene],
    pairs: Sequence[Sequence[Pair]],
    scene_of: np.ndarray,
    balls: np.ndarray,
    options: engine.Options,
) -> np.ndarray:
    """`held_steps` of pairs that are named by the bodies of their tasks."""
    own = [[(one.index(a), one.index(b)) for a, b in some] for one, some in zip(scenes, pairs, strict=True)]
    return held_steps([one.scene for one in scenes], own, scene_of, balls, options)


def _own_goal(scene: MutatedScene) -> Pair:
    return scene.origin.body, scene.origin.other


def _batches(rows: Sequence[int], size: int) -> Iterator[list[int]]:
    for first in range(0, len(rows), size):
        yield list(rows[first : first + size])


def _generator(scene: MutatedScene, what: str) -> np.random.Generator:
    text = f"{scene.origin.id}{MARK}{scene.number}/{what}"
    return generator_for(text)
