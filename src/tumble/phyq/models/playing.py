"""Rounds of play: all networks' episodes are played together, shot by shot, and go into their replays."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tumble.phyq.models.learner import Learner
from tumble.phyq.models.q_config import QConfig
from tumble.phyq.models.shot_outcomes import ANGLES, CONTINUES, WON, ShotOutcomes

Choose = Callable[[int, np.ndarray], np.ndarray]
"""The angles [n] that the network of a number prefers in states [n]."""


def play_round(
    learners: Sequence[Learner],
    outcomes: ShotOutcomes,
    config: QConfig,
    epsilons: Sequence[float],
    choose: Choose,
    seed: int,
) -> list[float]:
    """Plays one round of each learner and adds it to `episodes` and `replay`; returns the share of episodes won."""
    draws = [np.random.default_rng(learner.seed(seed, "play")) for learner in learners]
    tasks = [_tasks(learner, config, own) for learner, own in zip(learners, draws, strict=True)]
    first = [_first_angles(learner, config, len(own)) for learner, own in zip(learners, tasks, strict=True)]
    sequences = [np.full((len(own), outcomes.shots.shape[1]), -1, np.int16) for own in tasks]
    states = [learner.starts[own] for learner, own in zip(learners, tasks, strict=True)]
    open_rows = [np.arange(len(own)) for own in tasks]
    for shot in range(outcomes.shots.shape[1]):
        angles = []
        for k, rows in enumerate(open_rows):
            sweep = first[k]
            epsilon = epsilons[k] if sweep is None else 1.0
            found = _angles(states[k], epsilon, draws[k], partial(choose, k))
            angles.append(sweep if sweep is not None and shot == 0 else found)
            sequences[k][rows, shot] = angles[k]
        open_rows, states = _shoot(outcomes, open_rows, states, angles)
        if not any(map(len, open_rows)):
            break
    for learner, own, shots in zip(learners, tasks, sequences, strict=True):
        learner.episodes.append(np.concatenate([own[:, None].astype(np.int16), shots], axis=1))
    return [add_to_replay(learner, outcomes, learner.episodes[-1]) for learner in learners]


def recall(learners: Sequence[Learner], outcomes: ShotOutcomes) -> None:
    """Fills the replays with the episodes of checkpoints; what is not known is simulated again, all together."""
    begun = [learner for learner in learners if learner.episodes]
    if not begun:
        return
    played = [np.concatenate(learner.episodes) for learner in begun]
    states = [learner.starts[rows[:, 0]] for learner, rows in zip(begun, played, strict=True)]
    open_rows = [np.arange(len(rows)) for rows in played]
    for shot in range(outcomes.shots.shape[1]):
        angles = [rows[own, 1 + shot] for rows, own in zip(played, open_rows, strict=True)]
        open_rows, states = _shoot(outcomes, open_rows, states, angles)
    for learner in begun:
        for rows in learner.episodes:
            add_to_replay(learner, outcomes, rows)


def add_to_replay(learner: Learner, outcomes: ShotOutcomes, episodes: np.ndarray) -> float:
    """Adds the shots of episodes [n, 1 + birds], whose outcomes are known; returns the share that was won."""
    states, rows = learner.starts[episodes[:, 0]], np.arange(len(episodes))
    won = np.zeros(len(episodes), bool)
    for shot in range(episodes.shape[1] - 1):
        angles = episodes[rows, 1 + shot]
        found, following = outcomes.outcomes[states, angles], outcomes.next_states[states, angles]
        learner.replay.extend(states, angles, found, following)
        won[rows[found == WON]] = True
        goes_on = found == CONTINUES
        rows, states = rows[goes_on], following[goes_on]
        if not len(rows):
            break
    return float(won.mean()) if len(won) else 0.0


def _shoot(
    outcomes: ShotOutcomes, open_rows: list[np.ndarray], states: list[np.ndarray], angles: list[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Plays the next shots of all networks' episodes; returns those that continue, and the states in which they are."""
    ends = np.cumsum([0, *map(len, open_rows)])
    found, following = outcomes.play(np.concatenate(states), np.concatenate(angles).astype(int))
    rows, after = [], []
    for k, own in enumerate(open_rows):
        part = slice(ends[k], ends[k + 1])
        goes_on = found[part] == CONTINUES
        rows.append(own[goes_on])
        after.append(following[part][goes_on])
    return rows, after


def _tasks(learner: Learner, config: QConfig, draws: np.random.Generator) -> np.ndarray:
    """int [episodes]: the numbers of the tasks of a round."""
    count = len(learner.task_ids)
    if learner.round == 0:
        return np.repeat(np.arange(count), ANGLES if config.sweep else config.first_attempts)
    return np.repeat(draws.integers(count, size=config.players), config.attempts)


def _first_angles(learner: Learner, config: QConfig, count: int) -> np.ndarray | None:
    """The first angles of episodes in a sweep: all of them, for each task."""
    return np.tile(np.arange(ANGLES), count // ANGLES) if config.sweep and learner.round == 0 else None


def _angles(
    states: np.ndarray, epsilon: float, draws: np.random.Generator, choose: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Random angles with a chance of epsilon, and else the preferred ones."""
    angles = draws.integers(ANGLES, size=len(states))
    greedy = draws.random(len(states)) >= epsilon
    if greedy.any():
        angles[greedy] = choose(states[greedy])
    return angles
