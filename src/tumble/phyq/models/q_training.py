"""The training of a learner's networks: rounds in which all play together and each is updated; its page.

Every network depends on its own tasks, settings and seed only. A training that was stopped, at any moment, resumes
each network from its checkpoint and ends with the same weights, if it was given a number of rounds; with minutes
instead, the number of rounds depends on the machine. The page shows win rate and loss of the networks, round by
round.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tumble.learning.harness import Budget, Training, run_steps, save_all
from tumble.learning.page import plot_curves
from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.tasks import Task, cached_task
from tumble.phyq.models.learner import Learner, Part, network_path, play_round, recall_episodes
from tumble.phyq.models.outcome_file import FirstShots
from tumble.phyq.models.q_networks import QConfig
from tumble.phyq.models.q_updates import NetworkStack, OutcomeTargets, Shots, outcome_losses, shot_losses
from tumble.phyq.models.shot_outcomes import ShotOutcomes
from tumble.phyq.simulation.simulator import physics_id
from tumble.progress import duration
from tumble.report.document import Document
from tumble.report.page import write

STATES_TOGETHER = 256
"""States of each network whose values are computed together when it plays."""


@dataclass
class _Group:
    """Learners that are updated together: as many tasks each, and at the same round."""

    learners: list[Learner]
    stack: NetworkStack

    def keep_states(self) -> None:
        """Gives the learners what their networks have learned."""
        for learner, state in zip(self.learners, self.stack.states(), strict=True):
            learner.network_state = state


@dataclass
class Speed:
    """What playing took: shots into the replays, those of them that were simulated, and seconds, all included."""

    shots: int = 0
    simulated: int = 0
    seconds: float = 0.0
    updates: int = 0
    """Of all networks together."""
    update_seconds: float = 0.0


class QTraining:
    """Trains one network for each part and writes its checkpoint to FOLDER/NAME-LABEL.pt."""

    def __init__(
        self,
        name: str,
        config: QConfig,
        parts: Sequence[Part],
        folder: Path,
        device: torch.device,
        seed: int = 0,
        rounds: int | None = None,
        minutes: float | None = None,
        threads: int = 0,
        known: FirstShots | None = None,
        task_of: Callable[[str], Task] = cached_task,
        stacked: bool | None = None,
        outcomes: ShotOutcomes | None = None,
    ) -> None:
        """`known` are outcomes of first shots from a file; `outcomes` those of another training, which had these tasks.

        `stacked` says whether to update networks together that can be; by default on a GPU, where it is faster.
        """
        if rounds is not None and minutes is not None:
            raise TrainingError("give a number of rounds or of minutes, not both")
        if any(value is not None and value <= 0 for value in (rounds, minutes)):
            raise TrainingError("the number of rounds or minutes must be above 0")
        self.name, self.config, self.folder, self.device, self.seed = name, config, folder, device, seed
        self.rounds, self.minutes = rounds, minutes
        self.speed = Speed()
        self._stacked = config.stacked and (device.type == "cuda" if stacked is None else stacked)
        if outcomes is None:
            ids = dict.fromkeys(task_id for part in parts for task_id in part.split.train)
            tasks = [task_of(task_id) for task_id in ids]
            outcomes = ShotOutcomes(tasks, config.observation, device, config.platforms, threads, known)
        self.outcomes = outcomes
        self.learners = [self._learner(part) for part in parts]
        self._groups: list[_Group] = []

    def _learner(self, part: Part) -> Learner:
        learner = Learner(self.name, part.label, part.split.train, self.config, self.device)
        learner.starts = self.outcomes.starts(part.split.train)
        learner.several_birds = bool((self.outcomes.birds[learner.starts] > 1).any())
        rounds = None if self.minutes is not None else self.rounds or self.config.round_count(len(learner.task_ids))
        data = sha256(" ".join([physics_id(), *learner.task_ids]).encode()).hexdigest()
        path = network_path(self.folder, self.name, part)
        learner.open(path, Budget(rounds, self.minutes), self.seed, data)
        return learner

    def run(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Trains all networks that are not finished; ends early after a round in which `stop` is true."""
        unfinished = [learner for learner in self.learners if not learner.progress.finished]
        for learner in unfinished:
            learner.begin(self.device)
        recall_episodes(unfinished, self.outcomes)
        self._groups = self._grouped(unfinished)
        run_steps(self.learners, self._round, self.name, stop, self._save)

    def _round(self, active: Sequence[Training]) -> list[dict[str, float]]:
        """Plays a round of learners that are at the same one, and updates their networks."""
        self._groups = [kept for group in self._groups if (kept := self._without_finished(group)) is not None]
        groups = [group for group in self._groups if group.learners[0] in active]
        rates = self._play(groups)
        losses = [loss for group in groups for loss in self._update(group)]
        learners = [learner for group in groups for learner in group.learners]
        found = {
            id(learner): {"win rate": rate, "loss": loss}
            for learner, rate, loss in zip(learners, rates, losses, strict=True)
        }
        return [found[id(learner)] for learner in active]

    def _without_finished(self, group: _Group) -> _Group | None:
        kept = [learner for learner in group.learners if not learner.progress.finished]
        if len(kept) == len(group.learners):
            return group
        group.keep_states()
        return self._group(kept) if kept else None

    def _save(self, learners: Sequence[Training]) -> None:
        for group in self._groups:
            if any(learner in learners for learner in group.learners):
                group.keep_states()
        save_all(learners)

    def _grouped(self, learners: Sequence[Learner]) -> list[_Group]:
        by_kind: dict[object, list[Learner]] = {}
        for learner in learners:
            kind = (learner.progress.step, len(learner.task_ids), learner.several_birds)
            by_kind.setdefault(kind if self._stacked else learner.label, []).append(learner)
        return [self._group(group) for group in by_kind.values()]

    def _group(self, learners: list[Learner]) -> _Group:
        return _Group(learners, NetworkStack(self.config, [learner.network_state for learner in learners], self.device))

    def _play(self, groups: Sequence[_Group]) -> list[float]:
        """Plays a round; returns the share of episodes won by each learner."""
        begin, simulated = time.monotonic(), self.outcomes.simulated
        learners = [learner for group in groups for learner in group.learners]
        place = [(group, k) for group in groups for k in range(len(group.learners))]
        before = sum(len(learner.replay) for learner in learners)
        epsilons = [self.config.epsilon(learner.share) for learner in learners]

        def choose(number: int, states: np.ndarray) -> np.ndarray:
            group, k = place[number]
            return self._best_angles(group.stack, k, states)

        rates = play_round(learners, self.outcomes, self.config, epsilons, choose)
        self.speed.shots += sum(len(learner.replay) for learner in learners) - before
        self.speed.simulated += self.outcomes.simulated - simulated
        self.speed.seconds += time.monotonic() - begin
        return rates

    def _best_angles(self, stack: NetworkStack, k: int, states: np.ndarray) -> np.ndarray:
        """int [n]: the best angles of network k of a stack in states [n]."""
        unique, row_of = np.unique(states, return_inverse=True)
        rows = torch.from_numpy(unique).to(self.device)
        best = [
            stack.values_of(k, self.outcomes.pictures.floats(part)).argmax(-1)
            for part in torch.split(rows, STATES_TOGETHER)
        ]
        return np.asarray(torch.cat(best).cpu().numpy()[row_of])

    def _update(self, group: _Group) -> list[float]:
        """Updates the networks of a group for a round; returns their mean losses."""
        begin = time.monotonic()
        config, stack = self.config, group.stack
        count = config.update_count(group.learners[0].progress.step, len(group.learners[0].task_ids))
        stack.copy_target()
        step_losses = (
            self._shot_batches(group, count) if config.learn_from == "shots" else self._state_batches(group, count)
        )
        total = torch.zeros(len(group.learners), device=self.device)
        start, rounds = group.learners[0].share, group.learners[0].budget.steps
        for step in range(count):
            progress = start + (step / count / rounds if rounds else 0.0)
            total += stack.update(partial(step_losses, step), self._learning_rate(progress))
        found: list[float] = (total / count).tolist()
        self.speed.updates += count * len(group.learners)
        self.speed.update_seconds += time.monotonic() - begin
        return found

    def _learning_rate(self, progress: float) -> float:
        share = 0.5 * (1.0 + math.cos(math.pi * min(progress, 1.0))) if self.config.cosine else 1.0
        return self.config.learning_rate * share

    def _shot_batches(self, group: _Group, count: int) -> Callable[[int], Tensor]:
        """The losses of each step on shots from the replays, which are drawn for all steps at once."""
        config = self.config
        drawn = []
        for learner in group.learners:
            assert learner.replay.shots is not None
            rows = learner.replay.draw(count * config.batch, self._generator(learner))
            drawn.append(learner.replay.shots[rows.view(count, config.batch)])
        columns = ([one.states, one.angles, one.rewards, one.next_states] for one in drawn)
        shots = Shots(*(torch.stack(column, dim=1) for column in zip(*columns, strict=True)))
        later = any(learner.replay.has_later_shots for learner in group.learners)

        def losses(step: int) -> Tensor:
            batch = Shots(shots.states[step], shots.angles[step], shots.rewards[step], shots.next_states[step])
            return shot_losses(group.stack, self.outcomes.pictures, batch, config.gamma, config.double, later)

        return losses

    def _state_batches(self, group: _Group, count: int) -> Callable[[int], Tensor]:
        """The losses of each step on states with all outcomes that are known."""
        targets = OutcomeTargets.of(
            group.stack, self.outcomes, [one.replay.states() for one in group.learners], self.config
        )
        generators = [self._generator(learner) for learner in group.learners]
        rows = targets.draw(count, self.config.batch, generators)
        shifts = self._shifts(count, generators)

        def losses(step: int) -> Tensor:
            states, wanted, known = targets.batch(rows[step])
            seen = self.outcomes.pictures.floats(states, None if shifts is None else shifts[step])
            values = group.stack.values(seen, training=True)
            return outcome_losses(values, wanted, known)

        return losses

    def _shifts(self, count: int, generators: Sequence[torch.Generator]) -> Tensor | None:
        """int [count, K, batch, 2]: cells by which observations are moved."""
        most, shape = self.config.shift, (count, self.config.batch, 2)
        if not most:
            return None
        drawn = [torch.randint(-most, most + 1, shape, generator=one, device=self.device) for one in generators]
        return torch.stack(drawn, dim=1)

    def _generator(self, learner: Learner) -> torch.Generator:
        generator = torch.Generator(self.device)
        generator.manual_seed(learner.seed("batches"))
        return generator


def write_training_page(path: Path, training: QTraining) -> None:
    """Writes the page."""
    document = Document(f"Training of {training.name}")
    learners, speed = training.learners, training.speed
    finished = sum(learner.progress.finished for learner in learners)
    document.text(f"{finished} of {len(learners)} networks are finished.")
    if speed.seconds > 0.0:
        document.text(
            f"Into replay: {speed.shots:,} shots, of which {speed.simulated:,} were simulated and the others known, in "
            f"{duration(speed.seconds)}. Updates: {speed.updates:,} in {duration(speed.update_seconds)}."
        )
    for name, words in (("win rate", "Share of a round's episodes that were won"), ("loss", "Mean loss of a round")):
        curves = {learner.label: learner.progress.curve.get(name, []) for learner in learners}
        figure = plot_curves(curves, "round", name, mean=True)
        document.figure(figure, f"{words}, for each network (grey) and on average (black).")
    rows = [
        [one.label, str(one.progress.step), f"{one.updates:,}", _last_value(one, "win rate"), _last_value(one, "loss")]
        for one in learners
    ]
    document.table("Networks", ["network", "rounds", "updates", "win rate", "loss"], rows)
    settings = [[name, str(value)] for name, value in vars(training.config).items()]
    document.table("Settings", ["setting", "value"], [["seed", str(training.seed)], *settings])
    write(document, path)


def _last_value(learner: Learner, name: str) -> str:
    points = learner.progress.curve.get(name, [])
    return f"{points[-1][1]:.3f}" if points else "none"
