"""CPL's training: masses and charges from labels, and dynamics from exact tracks with labels."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.cpl.network import CplNetwork
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors, joined_videos, with_noise
from tumble.comphy.models.graph.losses import busy_frames, property_losses, video_window, window_loss
from tumble.comphy.models.graph.states import properties_of
from tumble.learning.trainer import Optimisation, Training


@dataclass(frozen=True)
class CplConfig:
    """All that CPL's weights depend on besides data and seed."""

    property_blind: bool = False
    """Whether the dynamics network does without masses and charges (CPL-DPI)."""
    property_hidden: int = 256
    """Width of the property network's perceptrons."""
    property_channels: int = 96
    """Channels of its convolutions over frames."""
    dropout: float = 0.1
    """In the property network."""
    dynamics_hidden: int = 128
    """Width of the dynamics network's perceptrons."""
    batch: int = 96
    """Sets for the property network in a step."""
    windows: int = 384
    """Parts of videos for the dynamics network in a step."""
    steps: int = 8
    """Frames that are predicted in such a part at first."""
    last_steps: int = 16
    """Frames that are predicted in the second half of the training."""
    busy_share: float = 0.6
    """Share of the parts that begin where two bodies are near each other."""
    target_share: float = 0.6
    """Share of the parts that are from targets."""
    reference_share: float = 0.8
    """Share of the references that the property network gets in a step."""
    least_error: float = 0.2
    """Of the standard errors of centres, in pixels: the property network is trained on noisy tracks."""
    most_error: float = 1.0
    """The largest of them."""
    dynamics_weight: float = 0.5
    """Of the dynamics network's loss."""
    learning_rate: float = 1e-3
    """At its highest."""
    world: str = PLAIN.name
    """Of the sets."""

    def network(self) -> CplNetwork:
        """The untrained network."""
        return CplNetwork(
            self.property_hidden,
            self.property_channels,
            self.dropout,
            self.dynamics_hidden,
            self.property_blind,
            self.world,
        )


class CplTraining(Training):
    """Trains both networks together."""

    config_class = CplConfig

    network: CplNetwork

    def __init__(self, config: CplConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config = config
        self.name = "cpl-dpi" if config.property_blind else "cpl"
        self.optimisation = Optimisation(learning_rate=config.learning_rate)
        torch.manual_seed(seed)
        self.network = config.network().to(device)
        self.device = device
        self.tracks = TrackTensors.from_packed(sets, device)
        masses, charges = (torch.from_numpy(values.copy()).to(device) for values in (sets.mass, sets.charge))
        self.properties = properties_of(masses, charges)
        references = self.tracks.references
        self.references = VideoTensors(
            references.places.flatten(0, 1),
            references.yaws.flatten(0, 1),
            references.boxes.flatten(0, 1),
            references.present.flatten(0, 1),
        )
        self.reference_count = references.present.shape[1]
        shapes = self.tracks.shapes
        self.busy = busy_frames(self.tracks.target, shapes)
        self.busy_references = busy_frames(self.references, shapes.repeat_interleave(self.reference_count, 0))

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        found = self._property_losses()
        steps = self.config.steps if progress < 0.5 else self.config.last_steps
        found["dynamics"] = self.config.dynamics_weight * self._dynamics_loss(steps)
        return found

    def _property_losses(self) -> dict[str, Tensor]:
        config = self.config
        rows = torch.randint(len(self.tracks), (config.batch,), device=self.device)
        angles = 2.0 * torch.pi * torch.rand(config.batch, device=self.device)
        mirrored = torch.rand(config.batch, device=self.device) < 0.5
        tracks = with_noise(self.tracks[rows], config.least_error, config.most_error).turned(angles, mirrored)
        used = torch.rand(config.batch, 1 + self.reference_count, device=self.device) < config.reference_share
        used[:, 0] = True
        logits = self.network.properties(tracks, used)
        return property_losses(logits, self.properties[rows], tracks.exists)

    def _dynamics_loss(self, steps: int) -> Tensor:
        """The loss on parts of targets and references, predicted together to keep the number of GPU operations low."""
        targets = round(self.config.windows * self.config.target_share)
        rows, frames = self._starts(self.tracks.target, self.busy, targets, steps)
        own = video_window(self.tracks.target, rows, frames, steps)
        others, frames = self._starts(self.references, self.busy_references, self.config.windows - targets, steps)
        part = joined_videos(own, video_window(self.references, others, frames, steps))
        sets = torch.cat([rows, torch.div(others, self.reference_count, rounding_mode="floor")])
        return window_loss(self.network.dynamics, part, self.tracks.shapes[sets], self.properties[sets], steps)

    def _starts(self, video: VideoTensors, busy: Tensor, count: int, steps: int) -> tuple[Tensor, Tensor]:
        """Videos [window] and their first frames [window]: some shortly before two bodies are near, others anywhere."""
        length = video.present.shape[1]
        rows = torch.randint(len(video.present), (count,), device=self.device)
        frames = torch.randint(1, length - steps, (count,), device=self.device)
        if len(busy):
            chosen = busy[torch.randint(len(busy), (count,), device=self.device)]
            early = torch.randint(0, steps // 2 + 1, (count,), device=self.device)
            near = (chosen[:, 1] - early).clamp(1, length - steps - 1)
            take = torch.rand(count, device=self.device) < self.config.busy_share
            rows, frames = torch.where(take, chosen[:, 0], rows), torch.where(take, near, frames)
        return rows, frames
