"""One network of a learner: its part of the tasks, its checkpoint, the rounds that it plays, and once trained.

A part says what a network trains on and is tested on: the tasks of a scenario (broad) or of a template (local). All
learners' episodes are played together, shot by shot, and go into their replays. A trained network is loaded from
its checkpoint and gives Q values of states; it can play greedily.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tumble.learning.checkpoint import load_network
from tumble.learning.harness import Budget, Training, step_seed
from tumble.learning.settings import TrainingError, configured
from tumble.phyq.catalogue.tasks import Split, broad, first_training_tasks, local
from tumble.phyq.catalogue.template import TemplateError
from tumble.phyq.catalogue.templates import SCENARIOS, templates
from tumble.phyq.models.q_networks import QConfig
from tumble.phyq.models.q_updates import NetworkState, Replay
from tumble.phyq.models.registry import entry
from tumble.phyq.models.shot_outcomes import ANGLES, CONTINUES, WON, ShotOutcomes
from tumble.phyq.models.state_pictures import StatePictures
from tumble.phyq.observation.batch import BatchPainter, scene_of
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.sprites import SpriteTable
from tumble.scene import Vec


def untrained_network(config: QConfig, seed: int, label: str) -> NetworkState:
    """The weights of a network before training."""
    torch.manual_seed(step_seed(seed, int.from_bytes(sha256(label.encode()).digest()[:4], "big")))
    return {"network": config.network().state_dict(), "optimiser": None}


class Learner(Training):
    """The training of one network; a step is a round, which all learners play together."""

    def __init__(self, name: str, label: str, task_ids: Sequence[str], config: QConfig, device: torch.device) -> None:
        self.name, self.label, self.config = name, label, config
        self.task_ids = list(task_ids)
        self.starts: np.ndarray
        """int [tasks]: the states in which its tasks start."""
        self.several_birds = False
        self.replay = Replay(config.memory, device)
        self.episodes: list[np.ndarray] = []
        """int16 [episodes, 1 + birds] of each round: the number of the task, and the angles that were shot, or -1."""
        self.network_state: NetworkState = {"network": {}, "optimiser": None}
        """As in the checkpoint; while it trains, a `NetworkStack` holds what is newer."""

    @property
    def updates(self) -> int:
        """Updates of its network so far."""
        return sum(self.config.update_count(number, len(self.task_ids)) for number in range(self.progress.step))

    def seed(self, purpose: str) -> int:
        """The seed of its random numbers for a purpose in this round; other networks have others."""
        text = f"{self.identity['seed']} {self.label} {self.progress.step} {purpose}"
        return int.from_bytes(sha256(text.encode()).digest()[:7], "big")

    def open(self, path: Path | None, budget: Budget, seed: int = 0, data: str = "") -> None:
        self.network_state = untrained_network(self.config, seed, self.label)
        super().open(path, budget, seed, data)

    def start(self, device: torch.device, seed: int) -> None:
        """Nothing is prepared for one alone."""

    def step(self, number: int, share: float) -> Mapping[str, Tensor | float]:
        raise NotImplementedError("learners play and are updated together, by QTraining")

    def state(self) -> dict[str, Any]:
        episodes = [torch.from_numpy(rows) for rows in self.episodes]
        return {"optimiser": self.network_state["optimiser"], "episodes": episodes}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.network_state["optimiser"] = state["optimiser"]
        self.episodes = [rows.numpy() for rows in state["episodes"]]

    def extra(self) -> dict[str, Any]:
        return {"label": self.label}

    def weights(self) -> dict[str, Tensor]:
        weights: dict[str, Tensor] = self.network_state["network"]
        return weights

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        self.network_state["network"] = dict(weights)

    def is_early_done(self) -> bool:
        """Whether it wins nearly always."""
        return self.progress.step > 1 and self.progress.curve["win rate"][-1][1] > self.config.stop_rate


SETTINGS = ("broad", "local")
OWN_TASKS = "own"
"""The setting of a part with other training tasks."""


@dataclass(frozen=True)
class Part:
    """What one network trains on and is tested on."""

    setting: str
    """broad, local or OWN."""
    key: str
    """A scenario as in "3", or a template as in "6.4"; of own tasks a digest."""
    split: Split

    @property
    def label(self) -> str:
        """As in broad-03, local-6.4 and own-1f0a93c2."""
        return f"broad-{int(self.key):02d}" if self.setting == "broad" else f"{self.setting}-{self.key}"


def parts_of(setting: str, only: Sequence[str] = ()) -> list[Part]:
    """The parts of a setting, one for each network; `only` selects scenarios and templates.

    >>> [part.label for part in parts_of("local", ["6.4", "7.1"])]
    ['local-6.4', 'local-7.1']
    """
    if setting not in SETTINGS:
        raise TrainingError(f"no setting {setting!r} to train for; there are {', '.join(SETTINGS)}")
    for name in only:
        if name not in templates() and not (name.isdigit() and int(name) in SCENARIOS):
            raise TemplateError(f"{name!r} is not a scenario or a template, as in 3 or 6.4")
    if setting == "broad":
        wrong = next((name for name in only if "." in name), None)
        if wrong is not None:
            raise TrainingError(f"broad networks are of scenarios, as in 6, not of templates as {wrong}")
        keys = [str(number) for number in SCENARIOS if not only or str(number) in only]
        return [Part(setting, key, broad(int(key))) for key in keys]
    keys = [key for key in templates() if not only or key in only or key.partition(".")[0] in only]
    return [Part(setting, key, local(key)) for key in keys]


def part_of_training(task_ids: Sequence[str]) -> Part:
    """The part whose training tasks these are; if there is none, one of these tasks alone."""
    first = next(iter(task_ids), "").partition(":")[0]
    if first in templates():
        scenario = first.partition(".")[0]
        for part in (Part("local", first, local(first)), Part("broad", scenario, broad(int(scenario)))):
            if part.split.train == list(task_ids):
                return part
    digest = sha256(" ".join(task_ids).encode()).hexdigest()[:8]
    return Part(OWN_TASKS, digest, Split(list(task_ids), []))


def part_with_fewer_tasks(part: Part, most_templates: int | None, most_tasks: int | None) -> Part:
    """The part with the first training tasks of the first templates only; None for all of them."""
    train = first_training_tasks(part.split.train, most_templates, most_tasks)
    return replace(part, split=Split(train, part.split.test))


def part_of_task(setting: str, task_id: str) -> Part:
    """The part of a task's scenario (broad) or template (local).

    >>> part_of_task("broad", "6.4:017").label
    'broad-06'
    """
    key = task_id.partition(":")[0]
    if key not in templates():
        raise TrainingError(f"{task_id} is of no template; name a network for it, as in part=broad-03")
    return parts_of(setting, [key.partition(".")[0] if setting == "broad" else key])[0]


def part_of_label(label: str) -> Part:
    """The part of a label, as in broad-03 or local-6.4."""
    setting, _, key = label.partition("-")
    if not key:
        raise TrainingError(f"{label!r} is no network's label, as in broad-03 or local-6.4")
    parts = parts_of(setting, [key.lstrip("0")])
    if parts[0].label != label:
        raise TrainingError(f"{label!r} is no network's label; did you mean {parts[0].label}?")
    return parts[0]


Choose = Callable[[int, np.ndarray], np.ndarray]
"""The angles [n] that the network of a number prefers in states [n]."""


def play_round(
    learners: Sequence[Learner],
    outcomes: ShotOutcomes,
    config: QConfig,
    epsilons: Sequence[float],
    choose: Choose,
) -> list[float]:
    """Plays one round of each learner and adds it to `episodes` and `replay`; returns the share of episodes won."""
    draws = [np.random.default_rng(learner.seed("play")) for learner in learners]
    tasks = [_tasks_of_round(learner, config, own) for learner, own in zip(learners, draws, strict=True)]
    first = [_first_angles(learner, config, len(own)) for learner, own in zip(learners, tasks, strict=True)]
    sequences = [np.full((len(own), outcomes.shots.shape[1]), -1, np.int16) for own in tasks]
    states = [learner.starts[own] for learner, own in zip(learners, tasks, strict=True)]
    open_rows = [np.arange(len(own)) for own in tasks]
    for shot in range(outcomes.shots.shape[1]):
        angles = []
        for k, rows in enumerate(open_rows):
            sweep = first[k]
            epsilon = epsilons[k] if sweep is None else 1.0
            found = _chosen_angles(states[k], epsilon, draws[k], partial(choose, k))
            angles.append(sweep if sweep is not None and shot == 0 else found)
            sequences[k][rows, shot] = angles[k]
        open_rows, states = _play_next_shots(outcomes, open_rows, states, angles)
        if not any(map(len, open_rows)):
            break
    for learner, own, shots in zip(learners, tasks, sequences, strict=True):
        learner.episodes.append(np.concatenate([own[:, None].astype(np.int16), shots], axis=1))
    return [add_to_replay(learner, outcomes, learner.episodes[-1]) for learner in learners]


def recall_episodes(learners: Sequence[Learner], outcomes: ShotOutcomes) -> None:
    """Fills the replays with the episodes of checkpoints; what is not known is simulated again, all together."""
    begun = [learner for learner in learners if learner.episodes]
    if not begun:
        return
    played = [np.concatenate(learner.episodes) for learner in begun]
    states = [learner.starts[rows[:, 0]] for learner, rows in zip(begun, played, strict=True)]
    open_rows = [np.arange(len(rows)) for rows in played]
    for shot in range(outcomes.shots.shape[1]):
        angles = [rows[own, 1 + shot] for rows, own in zip(played, open_rows, strict=True)]
        open_rows, states = _play_next_shots(outcomes, open_rows, states, angles)
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


def _play_next_shots(
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


def _tasks_of_round(learner: Learner, config: QConfig, draws: np.random.Generator) -> np.ndarray:
    """int [episodes]: the numbers of the tasks of a round."""
    count = len(learner.task_ids)
    if learner.progress.step == 0:
        return np.repeat(np.arange(count), ANGLES if config.sweep else config.first_attempts)
    return np.repeat(draws.integers(count, size=config.players), config.attempts)


def _first_angles(learner: Learner, config: QConfig, count: int) -> np.ndarray | None:
    """The first angles of episodes in a sweep: all of them, for each task."""
    return np.tile(np.arange(ANGLES), count // ANGLES) if config.sweep and learner.progress.step == 0 else None


def _chosen_angles(
    states: np.ndarray, epsilon: float, draws: np.random.Generator, choose: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Random angles with a chance of epsilon, and else the preferred ones."""
    angles = draws.integers(ANGLES, size=len(states))
    greedy = draws.random(len(states)) >= epsilon
    if greedy.any():
        angles[greedy] = choose(states[greedy])
    return angles


STATES_TOGETHER = 256


@dataclass(frozen=True)
class TrainedNetwork:
    """A network in evaluation mode, and the settings it was made with."""

    config: QConfig
    network: nn.Module
    device: torch.device

    def values(self, observations: Tensor) -> Tensor:
        """Q values [n, 180] of observations [n, channels, 120, 160]."""
        with torch.no_grad():
            found: Tensor = self.network(observations).float()
        return found

    def values_of_objects(self, objects: Sequence[GameObject], slingshot: Vec) -> np.ndarray:
        """Q values [180] of the state in which these objects are seen."""
        platforms = self.config.platforms or self.config.observation == "image"
        seen = [one for one in objects if platforms or one.kind != "platform"]
        painter = BatchPainter(SpriteTable())
        pictures = StatePictures(self.config.observation, self.device)
        pictures.draw(painter, scene_of(painter.table, seen, slingshot))
        values = self.values(pictures.floats(torch.zeros(1, dtype=torch.long, device=self.device)))
        return np.asarray(values[0].cpu().numpy())


def network_path(folder: str | Path, name: str, part: Part) -> Path:
    """The checkpoint of a part's network."""
    return Path(folder) / f"{name}-{part.label}.pt"


def load_trained(path: Path, name: str, device: torch.device) -> TrainedNetwork:
    """Reads a network; training need not have finished."""
    if not path.exists():
        raise TrainingError(f"{path}: no such checkpoint; train it with tumble phyq train {name}")
    content = load_network(path, name)
    config: QConfig = configured(name, entry(name).load(), content["config"])
    return TrainedNetwork(config, restored_network(config, content["network"]).to(device), device)


def restored_network(config: QConfig, weights: Mapping[str, Any]) -> nn.Module:
    """The network with these weights, to be evaluated."""
    network = config.network()
    try:
        network.load_state_dict(weights)
    except RuntimeError as problem:
        raise TrainingError(f"weights that do not fit the network: {str(problem).splitlines()[0]}") from None
    return network.eval()


def play_greedily(
    networks: Sequence[TrainedNetwork], starts: Sequence[np.ndarray], outcomes: ShotOutcomes
) -> list[np.ndarray]:
    """For each network, which of its tasks bool [tasks] it wins by its best angles; all are played together."""
    won = [np.zeros(len(own), bool) for own in starts]
    rows, states = [np.arange(len(own)) for own in starts], list(starts)
    while any(map(len, rows)):
        angles = [_best_angles(network, own, outcomes) for network, own in zip(networks, states, strict=True)]
        found, following = outcomes.play(np.concatenate(states), np.concatenate(angles))
        ends = np.cumsum([0, *map(len, rows)])
        for k in range(len(networks)):
            part = slice(ends[k], ends[k + 1])
            won[k][rows[k][found[part] == WON]] = True
            goes_on = found[part] == CONTINUES
            rows[k], states[k] = rows[k][goes_on], following[part][goes_on]
    return won


def _best_angles(network: TrainedNetwork, states: np.ndarray, outcomes: ShotOutcomes) -> np.ndarray:
    rows = torch.from_numpy(np.asarray(states, np.int64)).to(network.device)
    best = [
        network.values(outcomes.pictures.floats(part)).argmax(-1)
        for part in torch.split(rows, STATES_TOGETHER)
        if len(part)
    ]
    return np.asarray(torch.cat(best).cpu().numpy()) if best else np.zeros(0, int)
