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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from tumble.learning.harness import deterministic
from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.tasks import Task, cached_task
from tumble.phyq.models.learner import (
    Learner,
    Part,
    load_learner,
    play_round,
    recall_episodes,
    save_learner,
    training_identity,
    untrained_network,
)
from tumble.phyq.models.outcome_file import FirstShots
from tumble.phyq.models.q_networks import QConfig
from tumble.phyq.models.q_updates import NetworkStack, OutcomeTargets, Replay, Shots, outcome_losses, shot_losses
from tumble.phyq.models.shot_outcomes import ShotOutcomes
from tumble.progress import bar_with_note, duration
from tumble.report.document import Document
from tumble.report.figures import plotted
from tumble.report.page import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CHECKPOINT_SECONDS = 120.0
"""Between two times at which checkpoints are written; a symbolic D-DDQN's takes 120 MB until it is finished."""
STATES_TOGETHER = 256
"""States of each network whose values are computed together when it plays."""


@dataclass
class _Group:
    """Learners that are updated together: as many tasks each, and at the same round."""

    learners: list[Learner]
    stack: NetworkStack


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

    def _learner(self, part: Part) -> Learner:
        starts = self.outcomes.starts(part.split.train)
        several = bool((self.outcomes.birds[starts] > 1).any())
        replay = Replay(self.config.memory, self.device)
        path = self.folder / f"{self.name}-{part.label}.pt"
        state = untrained_network(self.config, self.seed, part.label)
        learner = Learner(self.name, part.label, path, part.split.train, starts, several, replay, state)
        if path.exists():
            load_learner(learner, self._identity(learner))
        return learner

    def _identity(self, learner: Learner) -> dict[str, Any]:
        budget = {"rounds": self._rounds(learner), "minutes": self.minutes}
        return training_identity(self.config, self.seed, budget, learner.task_ids)

    def _rounds(self, learner: Learner) -> int | None:
        if self.minutes is not None:
            return None
        return self.rounds or self.config.round_count(len(learner.task_ids))

    def _progress(self, learner: Learner) -> float:
        """The share of a learner's training that is done."""
        rounds = self._rounds(learner)
        return learner.round / rounds if rounds else learner.seconds / (60.0 * (self.minutes or 1.0))

    def run(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Trains all networks that are not finished; ends early after a round in which `stop` is true."""
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = [learner for learner in self.learners if not learner.finished]
        recall_episodes(unfinished, self.outcomes)
        groups = self._groups(unfinished)
        last_saved = time.monotonic()
        with deterministic(), bar_with_note(f"Training {self.name}", *self._totals()) as show:
            while groups:
                begin = time.monotonic()
                current = min(group.learners[0].round for group in groups)
                active = [group for group in groups if group.learners[0].round == current]
                rates = self._play(active)
                losses = [loss for group in active for loss in self._update(group)]
                self._note(active, rates, losses, time.monotonic() - begin)
                save_all = time.monotonic() - last_saved > CHECKPOINT_SECONDS
                groups = [kept for group in groups if (kept := self._saved(group, save_all)) is not None]
                last_saved = time.monotonic() if save_all else last_saved
                show(self._totals()[1], f"win rate {np.mean(rates):.2f}, loss {np.mean(losses):.4f}")
                if stop():
                    break

    def _groups(self, learners: Sequence[Learner]) -> list[_Group]:
        by_kind: dict[object, list[Learner]] = {}
        for learner in learners:
            kind = (learner.round, len(learner.task_ids), learner.several_birds)
            by_kind.setdefault(kind if self._stacked else learner.label, []).append(learner)
        return [self._group(group) for group in by_kind.values()]

    def _group(self, learners: list[Learner]) -> _Group:
        return _Group(learners, NetworkStack(self.config, [learner.state for learner in learners], self.device))

    def _play(self, groups: Sequence[_Group]) -> list[float]:
        """Plays a round; returns the share of episodes won by each learner."""
        begin, simulated = time.monotonic(), self.outcomes.simulated
        learners = [learner for group in groups for learner in group.learners]
        place = [(group, k) for group in groups for k in range(len(group.learners))]
        before = sum(len(learner.replay) for learner in learners)
        epsilons = [self.config.epsilon(self._progress(learner)) for learner in learners]

        def choose(number: int, states: np.ndarray) -> np.ndarray:
            group, k = place[number]
            return self._best_angles(group.stack, k, states)

        rates = play_round(learners, self.outcomes, self.config, epsilons, choose, self.seed)
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
        count = config.update_count(group.learners[0].round, len(group.learners[0].task_ids))
        stack.copy_target()
        step_losses = (
            self._shot_batches(group, count) if config.learn_from == "shots" else self._state_batches(group, count)
        )
        total = torch.zeros(len(group.learners), device=self.device)
        start = self._progress(group.learners[0])
        rounds = self._rounds(group.learners[0])
        for step in range(count):
            progress = start + (step / count / rounds if rounds else 0.0)
            total += stack.update(partial(step_losses, step), self._learning_rate(progress))
        for learner in group.learners:
            learner.updates += count
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
        generator.manual_seed(learner.seed(self.seed, "batches"))
        return generator

    def _note(self, groups: Sequence[_Group], rates: list[float], losses: list[float], seconds: float) -> None:
        """Adds a round to the curves; a learner is finished after its last round, or when it wins nearly always."""
        learners = [learner for group in groups for learner in group.learners]
        for learner, rate, loss in zip(learners, rates, losses, strict=True):
            learner.round += 1
            learner.seconds += seconds
            learner.curve.setdefault("win rate", []).append((learner.round, rate))
            learner.curve.setdefault("loss", []).append((learner.round, loss))
            early = learner.round > 1 and rate > self.config.stop_rate
            learner.finished = early or self._progress(learner) >= 1.0

    def _saved(self, group: _Group, all_of_them: bool) -> _Group | None:
        """Writes the checkpoints that are due; returns the group without the learners that are finished."""
        kept = [learner for learner in group.learners if not learner.finished]
        if all_of_them or len(kept) < len(group.learners):
            for learner, state in zip(group.learners, group.stack.states(), strict=True):
                learner.state = state
                if all_of_them or learner.finished:
                    save_learner(learner, self._identity(learner))
        if len(kept) == len(group.learners):
            return group
        return self._group(kept) if kept else None

    def _totals(self) -> tuple[int, int]:
        """Rounds of all learners, or seconds: in all, and done."""
        if self.minutes is not None:
            total = round(60.0 * self.minutes)
            least = min((learner.seconds for learner in self.learners if not learner.finished), default=total)
            return total, round(min(total, least))
        total = sum(self._rounds(learner) or 0 for learner in self.learners)
        return total, sum((self._rounds(one) or 0) if one.finished else one.round for one in self.learners)


def write_training_page(path: Path, training: QTraining) -> None:
    """Writes the page."""
    document = Document(f"Training of {training.name}")
    learners, speed = training.learners, training.speed
    finished = sum(learner.finished for learner in learners)
    document.text(f"{finished} of {len(learners)} networks are finished.")
    if speed.seconds > 0.0:
        document.text(
            f"Into replay: {speed.shots:,} shots, of which {speed.simulated:,} were simulated and the others known, in "
            f"{duration(speed.seconds)}. Updates: {speed.updates:,} in {duration(speed.update_seconds)}."
        )
    for name, words in (("win rate", "Share of a round's episodes that were won"), ("loss", "Mean loss of a round")):
        document.figure(_curve_plot(learners, name), f"{words}, for each network (grey) and on average (black).")
    rows = [
        [one.label, str(one.round), f"{one.updates:,}", _last_value(one, "win rate"), _last_value(one, "loss")]
        for one in learners
    ]
    document.table("Networks", ["network", "rounds", "updates", "win rate", "loss"], rows)
    settings = [[name, str(value)] for name, value in vars(training.config).items()]
    document.table("Settings", ["setting", "value"], [["seed", str(training.seed)], *settings])
    write(document, path)


def _last_value(learner: Learner, name: str) -> str:
    points = learner.curve.get(name, [])
    return f"{points[-1][1]:.3f}" if points else "none"


@plotted
def _curve_plot(learners: Sequence[Learner], name: str) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.0), layout="constrained")
    axes = figure.add_subplot()
    by_round: dict[int, list[float]] = {}
    for learner in learners:
        points = learner.curve.get(name, [])
        axes.plot([at for at, _ in points], [value for _, value in points], color="0.8", linewidth=0.8)
        for at, value in points:
            by_round.setdefault(at, []).append(value)
    means = [(at, sum(values) / len(values)) for at, values in sorted(by_round.items())]
    axes.plot([at for at, _ in means], [mean for _, mean in means], color="black", linewidth=1.5)
    axes.set_xlabel("round")
    axes.set_ylabel(name)
    axes.grid(alpha=0.3)
    return figure
