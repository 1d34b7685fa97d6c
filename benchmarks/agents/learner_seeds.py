"""One seed of a Phy-Q learner: its networks trained and tested, and the result kept in a file.

FOLDER/SEED/NAME-SETTING.json has the pass rates of all test tasks, the speed of training and the machine. A seed whose
file is there is not trained again, even if its networks are gone: those of all scenarios take hundreds of megabytes.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.evaluation import metrics
from tumble.phyq.models.learner import Part, load_trained, network_path, play_greedily
from tumble.phyq.models.outcome_file import FirstShots, read_first_shots, write_first_shots
from tumble.phyq.models.q_networks import QConfig
from tumble.phyq.models.q_training import QTraining, Speed, write_training_page
from tumble.phyq.models.shot_outcomes import ShotOutcomes
from tumble.runs.header import machine
from tumble.scene.files import whole_file


@dataclass(frozen=True)
class Budget:
    """Rounds of each network, or minutes of all networks together; None for the preset's rounds."""

    rounds: int | None = None
    minutes: float | None = None


@dataclass(frozen=True)
class SeedResult:
    """What training and testing one seed gave."""

    rates: dict[str, float]
    """By test task: 1 if the first attempt won."""
    minutes: float
    """Of training."""
    speed: Speed
    transfer: list[list[str]]
    """Rows of (learner, trained on, tested on, pass rate in per cent), if they were asked for."""
    machine: str


class Shared:
    """Outcomes of shots, which learners with the same observation share; those of first shots also in a file."""

    def __init__(self, path: Path | None, device: torch.device) -> None:
        self.path, self.device = path, device
        self.known = read_first_shots(path) if path is not None and path.exists() else FirstShots({})
        self._made: list[tuple[tuple[str, bool], set[str], ShotOutcomes]] = []

    def outcomes(self, config: QConfig, ids: Sequence[str]) -> ShotOutcomes:
        """Outcomes that include these tasks: those of an earlier call if they do."""
        seen = (config.observation, config.platforms)
        for other, tasks, outcomes in self._made:
            if other == seen and tasks.issuperset(ids):
                return outcomes
        different = list(dict.fromkeys(ids))
        made = ShotOutcomes(
            [cached_task(task_id) for task_id in different],
            config.observation,
            self.device,
            config.platforms,
            known=self.known,
        )
        self._made.append((seen, set(different), made))
        return made

    def keep(self) -> None:
        """Adds what has been simulated to the file."""
        for _, _, outcomes in self._made:
            self.known = self.known.joined(outcomes.first_shots())
        if self.path is not None:
            write_first_shots(self.path, self.known)


def seed_result(
    name: str,
    config: QConfig,
    parts: Sequence[Part],
    folder: Path,
    seed: int,
    shared: Shared,
    budget: Budget,
    with_transfer: bool = False,
) -> SeedResult:
    """Trains and tests one seed, unless its file is in the folder."""
    path = folder / f"{name}-{parts[0].setting}.json"
    if path.exists():
        content = json.loads(path.read_text())
        return SeedResult(**{**content, "speed": Speed(**content["speed"])})
    speed, minutes = _trained(name, config, parts, folder, seed, shared, budget)
    rates = _test_rates(name, config, parts, folder, shared)
    transfer = _transfer_rows(name, config, parts, folder, shared) if with_transfer else []
    result = SeedResult(rates, minutes, speed, transfer, machine(shared.device.type))
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(asdict(result)))
    return result


def _trained(
    name: str, config: QConfig, parts: Sequence[Part], folder: Path, seed: int, shared: Shared, budget: Budget
) -> tuple[Speed, float]:
    """Trains what is not trained yet; returns the speed and the minutes that it took."""
    begin = time.monotonic()
    ids = [task_id for part in parts for task_id in part.split.train]
    outcomes = shared.outcomes(config, ids)
    training = QTraining(
        name, config, parts, folder, shared.device, seed, budget.rounds, budget.minutes, outcomes=outcomes
    )
    training.run()
    write_training_page(folder / f"{name}-{parts[0].setting}.html", training)
    shared.keep()
    return training.speed, (time.monotonic() - begin) / 60.0


def _test_rates(name: str, config: QConfig, parts: Sequence[Part], folder: Path, shared: Shared) -> dict[str, float]:
    """The pass rates of test tasks, each attempted once."""
    ids = [task_id for part in parts for task_id in part.split.test]
    outcomes = shared.outcomes(config, ids)
    by_task: dict[str, float] = {}
    for part in parts:  # one network at a time is in memory; the shots of one part are played together
        network = load_trained(network_path(folder, name, part), name, shared.device)
        won = play_greedily([network], [outcomes.starts(part.split.test)], outcomes)[0]
        by_task.update(zip(part.split.test, won.astype(float).tolist(), strict=True))
    return by_task


def _transfer_rows(name: str, config: QConfig, parts: Sequence[Part], folder: Path, shared: Shared) -> list[list[str]]:
    """What the network of each part does in the test tasks of all parts."""
    ids = [task_id for part in parts for task_id in part.split.test]
    outcomes = shared.outcomes(config, ids)
    networks = [load_trained(network_path(folder, name, part), name, shared.device) for part in parts]
    won = play_greedily(networks, [outcomes.starts(ids)] * len(parts), outcomes)
    rows = []
    for part, own in zip(parts, won, strict=True):
        rates = metrics.by_template(dict(zip(ids, own.astype(float).tolist(), strict=True)))
        rows += [[name, part.key, str(key), f"{100.0 * rate:.1f}"] for key, rate in metrics.by_scenario(rates).items()]
    return rows
