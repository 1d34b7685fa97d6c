"""The training loop: resumes to the same weights, stops in time, rejects other checkpoints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn

from tumble.learning import trainer
from tumble.learning.checkpoint import export_weights, load_network
from tumble.learning.harness import Budget, Optimisation, Training, train
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")


@dataclass(frozen=True)
class Config:
    """Of the test's network."""

    width: int = 4


class Line(Training):
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


def test_killed_training_resumes_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, resumed = tmp_path / "whole.pt", tmp_path / "resumed.pt"
    train(Line(), whole, Budget(steps=40), CPU)
    monkeypatch.setattr(trainer, "CHECKPOINT_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        train(Line(stop_at=25), resumed, Budget(steps=40), CPU)
    assert load_network(resumed, "line")["step"] == 25
    train(Line(), resumed, Budget(steps=40), CPU)
    assert weights(resumed) == weights(whole)
    assert weights(resumed) != [0.0] * len(weights(resumed))


def test_loss_falls_and_the_page_shows_it(tmp_path: Path) -> None:
    page = tmp_path / "line.html"
    train(Line(), tmp_path / "line.pt", Budget(steps=200), CPU, page=page)
    curve = load_network(tmp_path / "line.pt", "line")["curve"]["squared error"]
    assert curve[-1][1] < 0.3 * curve[0][1]
    assert "squared error" in page.read_text()


def test_minutes_end_training(tmp_path: Path) -> None:
    train(Line(), tmp_path / "line.pt", Budget(minutes=0.01), CPU)
    content = load_network(tmp_path / "line.pt", "line")
    assert content["finished"]
    assert 0.6 <= content["seconds"] < 5.0


@pytest.mark.parametrize("change", ["seed", "width", "budget", "data"])
def test_checkpoint_of_other_settings_is_rejected(tmp_path: Path, change: str) -> None:
    path = tmp_path / "line.pt"
    train(Line(), path, Budget(steps=2), CPU, data_digest="a")
    with pytest.raises(TrainingError, match="was made with"):
        train(
            Line(width=5 if change == "width" else 4),
            path,
            Budget(steps=3 if change == "budget" else 2),
            CPU,
            seed=1 if change == "seed" else 0,
            data_digest="b" if change == "data" else "a",
        )


def test_finished_checkpoint_is_not_trained_again(tmp_path: Path) -> None:
    path = tmp_path / "line.pt"
    train(Line(), path, Budget(steps=5), CPU)
    before = path.read_bytes()
    train(Line(stop_at=0), path, Budget(steps=5), CPU)
    assert path.read_bytes() == before


def test_exported_weights_load_but_are_not_trained_on(tmp_path: Path) -> None:
    path, small = tmp_path / "line.pt", tmp_path / "small.pt"
    train(Line(), path, Budget(steps=5), CPU)
    export_weights(path, small)
    assert load_network(small, "line")["network"]["0.weight"].dtype == torch.float16
    assert small.stat().st_size < path.stat().st_size
    with pytest.raises(TrainingError, match="exported weights"):
        train(Line(), small, Budget(steps=5), CPU)


def test_another_models_checkpoint_is_named(tmp_path: Path) -> None:
    train(Line(), tmp_path / "line.pt", Budget(steps=1), CPU)
    with pytest.raises(TrainingError, match="a checkpoint of 'line', not of 'circle'"):
        load_network(tmp_path / "line.pt", "circle")


@pytest.mark.parametrize("arguments", [{}, {"steps": 0}, {"minutes": -1.0}, {"steps": 1, "minutes": 1.0}])
def test_bad_budgets_are_rejected(arguments: dict[str, float]) -> None:
    with pytest.raises(TrainingError, match="either a number of steps or a number of minutes"):
        Budget(**arguments)  # type: ignore[arg-type]
