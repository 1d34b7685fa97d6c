"""The training of the perceiver, on frames that are rendered as it goes."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.catalogue.world import PLAIN, named_world
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.perceiver.augmentation import augment
from tumble.comphy.models.perceiver.batches import Batches
from tumble.comphy.models.perceiver.losses import body_losses, heat_loss, mask_losses
from tumble.comphy.models.perceiver.network import PerceiverNetwork, channels_last, nearest_cells
from tumble.comphy.models.perceiver.sampling import FrameSampler
from tumble.comphy.models.perceiver.targets import Targets
from tumble.learning.hardware import full_precision
from tumble.learning.trainer import Optimisation, Training

NAME = "perceiver"


@dataclass(frozen=True)
class PerceiverConfig:
    """Settings of the perceiver and its training."""

    stem: int = 16
    """Channels at stride 2."""
    widths: tuple[int, ...] = (32, 48, 80, 96)
    """Channels at strides 4, 8, 16 and 32."""
    features: int = 48
    """Channels of the last features, at stride 4."""
    hidden: int = 192
    """Units of the layers that describe a body."""
    batch: int = 256
    """Frames in a step."""
    lags: tuple[int, ...] = (0, 3, 7, 12)
    """Steps, counted from the one for which a frame was rendered, in which the frame is used."""
    random_places: float = 0.3
    """Share of frames with bodies placed at random near each other, instead of those of a set."""
    random_looks: float = 0.5
    """Share of the frames of sets in which bodies get other looks."""
    jitter: int = 1
    """Cells by which the cell that describes a body may be off, as a detected one may be."""
    learning_rate: float = 2e-3
    weight_decay: float = 1e-4
    heat_weight: float = 1.0
    foreground_weight: float = 2.0
    to_centre_weight: float = 0.3
    centre_weight: float = 0.5
    error_weight: float = 0.2
    box_weight: float = 0.1
    yaw_weight: float = 1.5
    color_weight: float = 0.5
    material_weight: float = 0.5
    shape_weight: float = 0.5
    world: str = PLAIN.name
    """Of the sets."""
    stages: int = 240
    """Different stages of pictures, in a world that has stages."""

    def weights(self) -> dict[str, float]:
        """The weights of the losses, by their names."""
        return {
            "heat": self.heat_weight,
            "foreground": self.foreground_weight,
            "to centre": self.to_centre_weight,
            "centre": self.centre_weight,
            "error": self.error_weight,
            "box": self.box_weight,
            "yaw": self.yaw_weight,
            "color": self.color_weight,
            "material": self.material_weight,
            "shape": self.shape_weight,
        }

    def network(self) -> PerceiverNetwork:
        """An untrained network."""
        return PerceiverNetwork(self.stem, tuple(self.widths), self.features, self.hidden, named_world(self.world))


class PerceiverTraining(Training):
    """Trains the perceiver."""

    name = NAME
    config_class = PerceiverConfig

    def __init__(self, config: PerceiverConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config, self.device = config, device
        torch.manual_seed(seed)
        self.network: PerceiverNetwork = channels_last(config.network().to(device))
        self.optimisation = Optimisation(config.learning_rate, config.weight_decay, clip=5.0, bfloat16=True)
        sampler = FrameSampler(sets, seed, config.random_places, config.random_looks, config.stages)
        self.batches = Batches(sampler, config.batch, config.lags, device)

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        """The weighted losses of a batch."""
        with full_precision(self.device):
            rgb, targets = self.batches.batch(step)
            pictures = augment(rgb.permute(0, 3, 1, 2).float() / 255.0)
        output = self.network(pictures)
        frames, bodies, cells = self._described(targets)
        described = self.network.bodies(output.features, frames, cells)
        with full_precision(self.device):
            losses = {
                "heat": heat_loss(output.heat, targets),
                **mask_losses(output, targets),
                **body_losses(described, targets, frames, bodies, cells),
            }
        return {name: weight * losses[name] for name, weight in self.config.weights().items()}

    def _described(self, targets: Targets) -> tuple[Tensor, Tensor, Tensor]:
        """Frames, bodies and cells at which bodies are described: all bodies twice, at their cell and near it."""
        count, most = targets.wanted.shape
        frames = torch.arange(count, device=self.device).repeat_interleave(most)
        bodies = torch.arange(most, device=self.device).repeat(count)
        exact = targets.cells.flatten(0, 1)
        jitter = self.config.jitter
        near = exact + torch.randint(-jitter, jitter + 1, exact.shape, device=self.device)
        return frames.repeat(2), bodies.repeat(2), torch.cat([exact, nearest_cells(near)])
