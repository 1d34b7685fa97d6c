"""Agents for PHYRE-B that place the ball relative to the goal's bodies: the code of docs/guides/tutorial.md."""

from hashlib import sha256

import numpy as np

from tumble import phyre

BATCH = 20
"""Actions that are proposed together."""


def pushes(task):
    """Pairs of boxes (left, bottom, right, top): a body of the goal that can move, and the one that it must touch."""
    boxes = dict(zip(phyre.observe.objects(task.scene), phyre.observe.boxes(task.scene), strict=True))
    pairs = ((task.body, task.other), (task.other, task.body))
    return [(boxes[body], boxes[other]) for body, other in pairs if task.scene.bodies[body].dynamic]


def seeded(*parts):
    """A random generator that depends only on the parts, so that the same task and past give the same proposals."""
    digest = sha256("/".join(map(str, parts)).encode()).digest()
    return np.random.default_rng(np.frombuffer(digest, np.uint32))


def actions_of(balls):
    """The actions [n, 3] that place balls [n, (x, y, radius)]."""
    return phyre.actions.from_balls(balls[:, None]).clip(0.0, 1.0)


class Column(phyre.Agent):
    """Places balls above, below or beside a body of the goal, so that the two meet when they fall."""

    def __init__(self, seed=0):
        self.seed = seed

    def propose(self, task, past):
        rng = seeded(self.seed, task.id, len(past))
        balls = np.concatenate([self.candidates(push, rng) for push in pushes(task)])
        actions = actions_of(rng.permutation(balls))
        actions = actions[phyre.actions.valid(task.scene, actions)][:BATCH]
        if len(actions) < BATCH:  # no room in the column: anywhere
            anywhere = phyre.actions.sample_valid(task.scene, phyre.TIERS[task.tier], BATCH - len(actions), rng)
            actions = np.concatenate([actions, anywhere])
        return actions

    def candidates(self, push, rng, count=1000):
        """Random balls [count, (x, y, radius)] in pixels that reach into the body's column."""
        (left, _, right, _), _ = push
        radius = rng.uniform(2.0, 32.0, count)
        x = rng.uniform(left - radius, right + radius)
        y = rng.uniform(0.0, 255.0, count)
        return np.stack([x, y, radius], axis=1)


class FarSide(Column):
    """Prefers large balls, on the side of the body that is away from the other body: they push it towards that."""

    def candidates(self, push, rng, count=1000):
        balls = super().candidates(push, rng, count)
        balls = balls[rng.uniform(0.0, 32.0, count) < balls[:, 2]]
        (left, _, right, _), (other_left, _, other_right, _) = push
        middle = (left + right) / 2.0
        if other_left < middle < other_right:  # the other body is above or below: no side is better
            return balls
        return balls[(balls[:, 0] > middle) == (other_right < middle)]


ACROSS = (-1.5, -1.0, -0.7, -0.4, -0.15, 0.15, 0.4, 0.7, 1.0, 1.5, 2.5)
UP = (-80.0, -40.0, -15.0, -0.5, 0.5, 15.0, 40.0, 80.0)
SIZES = (6.0, 10.0, 15.0, 20.0, 26.0)
GRID = (len(ACROSS) + 1, len(UP) + 1, len(SIZES) + 1)


def cells(push, balls):
    """int [n]: the cell of a grid in which each ball lies, seen from the body that it may push.

    Across: 0 at the body's middle, 1 where the ball just misses the body on the side away from the other body.
    Up: pixels between ball and body if it is above (more than 0) or below (less than 0). And the ball's size.
    """
    (left, bottom, right, top), (other_left, _, other_right, _) = push
    x, y, radius = balls.T
    middle = (left + right) / 2.0
    away = -1.0 if middle < (other_left + other_right) / 2.0 else 1.0
    across = away * (x - middle) / ((right - left) / 2.0 + radius)
    above, below = np.maximum(y - radius - top, 0.0) + 1.0, np.maximum(bottom - y - radius, 0.0) + 1.0
    up = np.where(y > top, above, np.where(y < bottom, -below, 0.0))
    return np.ravel_multi_index((np.digitize(across, ACROSS), np.digitize(up, UP), np.digitize(radius, SIZES)), GRID)


class Relative(Column):
    """Learns from training tasks how often balls of each cell solve, and tries the most promising ones first."""

    def __init__(self, learned=1000, prior=50.0, seed=0):
        self.learned, self.prior, self.seed = learned, prior, seed

    def train(self, tasks, simulator):
        actions = phyre.actions.action_set(simulator.tier, self.learned)
        statuses = simulator.sweep(actions, [task.id for task in tasks])
        balls = phyre.actions.placed_balls(actions)[:, 0]
        tried, solved = np.zeros((2, np.prod(GRID)))
        for task, status in zip(tasks, statuses, strict=True):
            made = status != 0  # 0 is invalid
            for push in pushes(task):
                where = cells(push, balls[made])
                np.add.at(tried, where, 1.0)
                np.add.at(solved, where, status[made] == 1)
        mean = solved.sum() / tried.sum()
        self.chance = (solved + self.prior * mean) / (tried + self.prior)

    def scored(self, task):
        """Valid balls [n, (x, y, radius)], and the chance [n] that each solves the task."""
        rng = seeded(self.seed, task.id)
        anywhere = phyre.actions.placed_balls(phyre.actions.action_set(phyre.TIERS[task.tier], 1000))[:, 0]
        balls = np.concatenate([anywhere, *(self.candidates(push, rng) for push in pushes(task))])
        balls = balls[phyre.actions.valid(task.scene, actions_of(balls))]
        fails = np.prod([1.0 - self.chance[cells(push, balls)] for push in pushes(task)], axis=0)
        return balls, 1.0 - fails

    def propose(self, task, past):
        if past:
            return None  # the first proposal was long enough for all attempts
        balls, chance = self.scored(task)
        return actions_of(balls[np.argsort(-chance, kind="stable")])


class Varied(Relative):
    """Avoids balls that are similar to failed ones."""

    def __init__(self, reach=8.0, learned=1000, prior=50.0, seed=0):
        super().__init__(learned, prior, seed)
        self.reach = reach

    def propose(self, task, past):
        balls, chance = self.scored(task)
        for failed in past:
            chance = chance * self.difference(balls, phyre.actions.placed_balls(failed.action[None])[0, 0])
        chosen = []
        for _ in range(BATCH):
            chosen.append(balls[chance.argmax()])
            chance = chance * self.difference(balls, chosen[-1])
        return actions_of(np.array(chosen))

    def difference(self, balls, ball):
        """0 for the same ball, towards 1 for balls that differ by more than `reach` pixels in x, y or radius."""
        return 1.0 - np.exp(-0.5 * ((balls - ball) ** 2).sum(axis=1) / self.reach**2)
