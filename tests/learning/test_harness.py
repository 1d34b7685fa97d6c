"""The harness: training resumes to the same weights after any step, stops in time, and refuses other checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn

from tumble.learning import harness
from tumble.learning.checkpoint import export_weights, load_network
from tumble.learning.harness import (
    Budget,
    LossTraining,
    Optimisation,
    Progress,
    Training,
    TrainingOptions,
    run_steps,
    train,
)
from tumble.learning.page import write_training_page
from tumble.learning.settings import PausedError, TrainingError

CPU = torch.device("cpu")


@dataclass(frozen=True)
class Config:
    """Of the test's network."""

    width: int = 4


class Line(LossTraining):
    """Learns y = 2 x with a network that has dropout, so that random numbers matter."""

    name = "line"
    optimisation = Optimisation(learning_rate=0.05)

    def __init__(self, stop_at: int = -1, width: int = 4) -> None:
        torch.manual_seed(0)
        self.config = Config(width)
        self.network = nn.Sequential(nn.Linear(1, width), nn.Dropout(0.2), nn.Linear(width, 1))
        self.stop_at = stop_at

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        if step == self.stop_at:
            raise KeyboardInterrupt
        x = torch.randn(32, 1)
        return {"squared error": (self.network(x) - 2.0 * x).square().mean()}


def weights(path: Path) -> list[float]:
    return [float(value) for tensor in load_network(path, "line")["network"].values() for value in tensor.flatten()]


@pytest.mark.parametrize("points", [4, 400])
def test_killed_training_resumes_to_the_same_weights_and_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: int
) -> None:
    monkeypatch.setattr(harness, "CURVE_POINTS", points)
    whole, resumed = tmp_path / "whole.pt", tmp_path / "resumed.pt"
    train(Line(), whole, Budget(steps=40), CPU)
    monkeypatch.setattr(harness, "CHECKPOINT_SECONDS", 0.0)
    for step in (5, 25):
        with pytest.raises(KeyboardInterrupt):
            train(Line(stop_at=step), resumed, Budget(steps=40), CPU)
        assert load_network(resumed, "line")["step"] == step
    train(Line(), resumed, Budget(steps=40), CPU)
    assert weights(resumed) == weights(whole)
    assert weights(resumed) != [0.0] * len(weights(resumed))
    curve, other = (load_network(path, "line")["curve"]["squared error"] for path in (whole, resumed))
    assert curve == other
    assert len(curve) == (3 if points == 4 else 40)


def test_loss_falls_and_the_page_shows_it(tmp_path: Path) -> None:
    training = Line()
    train(training, tmp_path / "line.pt", Budget(steps=200), CPU)
    curve = load_network(tmp_path / "line.pt", "line")["curve"]["squared error"]
    assert curve[-1][1] < 0.3 * curve[0][1]
    write_training_page(tmp_path / "line.html", training)
    page = (tmp_path / "line.html").read_text()
    assert "200 steps" in page
    assert "width" in page


def test_minutes_end_training(tmp_path: Path) -> None:
    train(Line(), tmp_path / "line.pt", Budget(minutes=0.01), CPU)
    content = load_network(tmp_path / "line.pt", "line")
    assert content["finished"]
    assert 0.6 <= content["seconds"] < 5.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("seed", "seed 0, and this is 1"),
        ("width", "width 4, and this is 5"),
        ("budget", "budget steps 2, and this is 3"),
        ("data", "data a, and this is b"),
    ],
)
def test_a_checkpoint_of_another_training_is_rejected(tmp_path: Path, change: str, message: str) -> None:
    path = tmp_path / "line.pt"
    train(Line(), path, Budget(steps=2), CPU, data="a")
    with pytest.raises(TrainingError, match=f"was made with {message}; use another file"):
        train(
            Line(width=5 if change == "width" else 4),
            path,
            Budget(steps=3 if change == "budget" else 2),
            CPU,
            seed=1 if change == "seed" else 0,
            data="b" if change == "data" else "a",
        )


def test_a_finished_checkpoint_or_exported_weights_are_only_loaded(tmp_path: Path) -> None:
    path, small = tmp_path / "line.pt", tmp_path / "small.pt"
    train(Line(), path, Budget(steps=5), CPU)
    export_weights(path, small)
    assert load_network(small, "line")["network"]["0.weight"].dtype == torch.float16
    assert small.stat().st_size < path.stat().st_size
    for file in (path, small):
        before, training = file.read_bytes(), Line(stop_at=0)
        train(training, file, Budget(steps=5), CPU)
        assert file.read_bytes() == before
        assert torch.allclose(training.network[0].weight, load_network(path, "line")["network"]["0.weight"], atol=1e-3)


def test_unfinished_training_is_not_exported(tmp_path: Path) -> None:
    path = tmp_path / "line.pt"
    train(Line(), path, Budget(steps=5), CPU, stop=lambda: True)
    with pytest.raises(TrainingError, match="training has not finished"):
        export_weights(path, tmp_path / "small.pt")


def test_another_models_checkpoint_is_named(tmp_path: Path) -> None:
    train(Line(), tmp_path / "line.pt", Budget(steps=1), CPU)
    with pytest.raises(TrainingError, match="a checkpoint of 'line', not of 'circle'"):
        load_network(tmp_path / "line.pt", "circle")


@pytest.mark.parametrize("arguments", [{}, {"steps": 0}, {"minutes": -1.0}, {"steps": 1, "minutes": 1.0}])
def test_bad_budgets_are_rejected(arguments: dict[str, float]) -> None:
    with pytest.raises(TrainingError, match="either a number of steps or a number of minutes"):
        Budget(**arguments)  # type: ignore[arg-type]


def test_an_agent_pauses_when_its_minutes_are_over_and_resumes(tmp_path: Path) -> None:
    options = TrainingOptions("cpu", str(tmp_path / "line.pt"), minutes=1e-9)
    for step in (1, 2):
        with pytest.raises(PausedError, match=f"after 1e-09 minutes at step {step} of 3; the same call resumes from"):
            options.train_network(Line(), 3, 0, "", 0.0)
    options.train_network(Line(), 3, 0, "", 0.0)  # the last step ends training even when the time is over
    train(Line(), tmp_path / "whole.pt", Budget(steps=3), CPU)
    assert weights(tmp_path / "line.pt") == weights(tmp_path / "whole.pt")


def test_points_are_means_and_become_fewer_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "CURVE_POINTS", 4)
    progress = Progress()
    for number in range(8):
        progress.add({"number": torch.tensor(number + 1.0)})
    assert progress.interval == 4
    assert progress.curve["number"] == [(4, 2.5), (8, 6.5)]


class Counter(Line):
    """A network that is finished early, after a number of steps."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most, self.saved = most, 0
        self.open(None, Budget(steps=5))

    def is_early_done(self) -> bool:
        return self.progress.step >= self.most

    def save(self) -> None:
        self.saved += 1


def test_several_networks_are_trained_in_step_until_each_is_finished() -> None:
    counters = [Counter(2), Counter(9)]
    counters[1].progress.step = 1
    seen: list[list[Any]] = []

    def step(active: Sequence[Training]) -> list[dict[str, float]]:
        seen.append([counters.index(one) for one in active])  # type: ignore[arg-type]
        return [{"value": 1.0} for _ in active]

    run_steps(counters, step, "counters")
    assert seen == [[0], [0, 1], [1], [1], [1]]
    assert [one.progress.step for one in counters] == [2, 5]
    assert [one.saved for one in counters] == [1, 1]
