"""Training of a network on some data, for a number of steps or minutes; it resumes from its checkpoint.

With a number of steps, training that was killed resumes and ends with the same weights: each step draws its batch and
its random numbers from the seed and its own number. With minutes instead, the learning rate follows the clock, and
the number of steps depends on the machine; the checkpoint records it. A page shows the settings and the curve of
losses.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from tumble.learning.harness import Budget as Budget
from tumble.learning.harness import (
    Progress,
    half_precision,
    mixed_precision,
    read_checkpoint,
    run_steps,
    write_checkpoint,
)
from tumble.learning.settings import TrainingError
from tumble.progress import duration
from tumble.report.document import Document
from tumble.report.figures import plotted
from tumble.report.page import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LossCurve = Mapping[str, Sequence[tuple[int, float]]]
"""For each loss, (step, mean loss since the point before)."""


def write_loss_page(
    path: Path, name: str, curve: LossCurve, settings: Mapping[str, Any], steps: int, seconds: float
) -> None:
    """Writes the page."""
    document = Document(f"Training of {name}")
    document.text(f"{steps:,} steps in {duration(seconds)}.")
    document.figure(_plot_losses(curve), "Losses, each point the mean since the point before.")
    rows = [[key, str(value)] for key, value in {**settings, **settings.get("config", {})}.items() if key != "config"]
    document.table("Settings", ["setting", "value"], rows)
    write(document, path)


@plotted
def _plot_losses(curve: LossCurve) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    axes = figure.add_subplot()
    for name, points in curve.items():
        axes.plot([step for step, _ in points], [loss for _, loss in points], label=name, linewidth=1.2)
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
    if curve:
        axes.legend(frameon=False)
    return figure


FORMAT = "tumble-network-1"
PARTS: dict[str, type] = {"name": str, "config": dict, "network": dict, "step": int}
"""What every checkpoint holds."""
CHECKPOINT_SECONDS = 60.0
"""Between two checkpoints."""
CURVE_POINTS = 400
"""The largest number of points of a curve: each is the mean over as many steps as that takes."""


@dataclass(frozen=True)
class Optimisation:
    """How weights are updated."""

    learning_rate: float = 1e-3
    """At its highest; it rises during the warm-up and then falls to 0 along a half cosine."""
    weight_decay: float = 1e-4
    warm_up: float = 0.03
    """Share of the training."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    bfloat16: bool = False
    """Whether networks run in mixed precision on a GPU."""


class Training(ABC):
    """The training of one network on some data."""

    name: str
    """Of the model."""
    config: Any
    """A frozen dataclass, with all that the weights depend on besides data and seed."""
    network: nn.Module
    optimisation: Optimisation = Optimisation()

    @abstractmethod
    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        """The losses of a batch, of which the sum is minimised; `progress` is the share of the training that is done.

        The batch may depend on the step and the seed only. PyTorch's generators are seeded before each call.
        """

    def groups(self) -> list[dict[str, Any]]:
        """Parameters for the optimiser; a group's "scale" multiplies the learning rate."""
        return [{"params": [value for value in self.network.parameters() if value.requires_grad]}]

    def extra_state(self) -> dict[str, Any]:
        """What else a checkpoint holds, such as a vocabulary: plain values and tensors."""
        return {}


def train(
    training: Training,
    path: Path,
    budget: Budget,
    device: torch.device,
    seed: int = 0,
    data_digest: str = "",
    page: Path | None = None,
) -> Path:
    """Trains a network, or resumes its training from the checkpoint at `path`, and writes it there when it is done.

    `page` gets the curve of the losses. A checkpoint of other settings, another seed or other data is an error.
    """
    identity = {"config": asdict(training.config), "seed": seed, "data": data_digest, "budget": asdict(budget)}
    optimiser = torch.optim.AdamW(
        training.groups(), lr=training.optimisation.learning_rate, weight_decay=training.optimisation.weight_decay
    )
    progress = Progress(max_points=CURVE_POINTS)
    if path.exists():
        _resume(path, training, optimiser, progress, identity)

    def update(step: int) -> dict[str, Tensor]:
        return _update(training, optimiser, budget.share(progress), step, seed, device)

    if not progress.finished:
        save = partial(_save, path, training, optimiser, progress, identity)
        run_steps(progress, budget, update, save, CHECKPOINT_SECONDS, f"Training {training.name}")
    if page is not None:
        write_loss_page(page, training.name, progress.curve, identity, progress.step, progress.seconds)
    return path


def _update(
    training: Training, optimiser: torch.optim.Optimizer, progress: float, step: int, seed: int, device: torch.device
) -> dict[str, Tensor]:
    """One step of gradient descent; returns the losses."""
    torch.manual_seed(step_seed(seed, step))
    settings = training.optimisation
    rate = settings.learning_rate * _schedule(progress, settings.warm_up)
    for group in optimiser.param_groups:
        group["lr"] = rate * group.get("scale", 1.0)
    training.network.train()
    with mixed_precision(device) if settings.bfloat16 else torch.autocast(device.type, enabled=False):
        losses = dict(training.losses(step, progress))
    optimiser.zero_grad(set_to_none=True)
    total: Any = sum(losses.values())
    total.backward()
    nn.utils.clip_grad_norm_(training.network.parameters(), settings.clip)
    optimiser.step()
    return {name: loss.detach() for name, loss in losses.items()}


def step_seed(seed: int, step: int) -> int:
    """The seed of the random numbers of a step."""
    return int.from_bytes(sha256(f"{seed} {step}".encode()).digest()[:7], "big")


def _schedule(progress: float, warm_up: float) -> float:
    """The learning rate, relative to its highest."""
    if progress < warm_up:
        return (progress + 1e-3) / (warm_up + 1e-3)
    return 0.5 * (1.0 + math.cos(math.pi * min((progress - warm_up) / (1.0 - warm_up), 1.0)))


def _save(
    path: Path, training: Training, optimiser: torch.optim.Optimizer, progress: Progress, identity: Mapping[str, Any]
) -> None:
    content = {
        "format": FORMAT,
        "name": training.name,
        **identity,
        "network": training.network.state_dict(),
        "extra": training.extra_state(),
        "optimiser": optimiser.state_dict(),
        "step": progress.step,
        "seconds": progress.seconds,
        "finished": progress.finished,
        "curve": progress.curve,
        "interval": progress.interval,
    }
    write_checkpoint(path, content)


def _resume(
    path: Path, training: Training, optimiser: torch.optim.Optimizer, progress: Progress, identity: Mapping[str, Any]
) -> None:
    content = load_network(path, training.name)
    if "optimiser" not in content:
        raise TrainingError(f"{path}: exported weights, which can't be trained on; give another file")
    for name, value in identity.items():
        if content.get(name) != value:
            raise TrainingError(
                f"{path} was made with {name} {_shortened(content.get(name))}, and this is {_shortened(value)}; "
                "use another file, or delete it"
            )
    training.network.load_state_dict(content["network"])
    optimiser.load_state_dict(content["optimiser"])
    progress.restore(content, content["curve"])
    progress.finished, progress.interval = content["finished"], content["interval"]


def _shortened(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:200] + "…"


def load_network(path: str | Path, name: str) -> dict[str, Any]:
    """The content of a network's checkpoint, finished or not, or of its exported weights."""
    content = read_checkpoint(path, FORMAT, PARTS)
    if content["name"] != name:
        raise TrainingError(f"{path}: a checkpoint of {content['name']!r}, not of {name!r}")
    return content


def export_weights(path: str | Path, target: str | Path) -> None:
    """Writes the weights of a finished checkpoint in half precision, without what only training needs."""
    content = read_checkpoint(path, FORMAT, PARTS)
    if not content.get("finished"):
        raise TrainingError(f"{path}: training has not finished; finish it before exporting")
    kept = ("format", "name", "config", "seed", "data", "budget", "extra", "step", "seconds", "finished")
    weights = half_precision(content["network"])
    write_checkpoint(target, {**{name: content[name] for name in kept}, "network": weights})
