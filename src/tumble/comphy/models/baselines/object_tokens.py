"""Objects in frames as the tokens of a transformer."""

import torch
from torch import Tensor, nn

from tumble.comphy.models.baselines.frame_encoder import Videos
from tumble.comphy.models.baselines.frozen_features import GRID_FEATURES, PLACE_WAVES, place_waves
from tumble.comphy.models.baselines.slots import EMPTY_CELLS, PLACE_WIDTH
from tumble.comphy.models.baselines.transformer import TransformerLayer
from tumble.comphy.tasks.constants import REFERENCE_COUNT
from tumble.learning.errors import TrainingError

EMPTY_WEIGHT = 0.02
"""Of an empty slot in the attention, before learned scores."""


class ObjectTokens(nn.Module):
    """Slots of frames to tokens, related to each other, then joined over a few successive frames."""

    def __init__(
        self,
        frames: int,
        reference_frames: int,
        token_frames: int,
        slots: int,
        slot_width: int,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
        masked: float,
    ) -> None:
        super().__init__()
        for count in (frames, reference_frames):
            if count % token_frames:
                raise TrainingError(f"token_frames {token_frames} does not divide the {count} frames of a video")
        self.token_frames, self.masked = token_frames, masked
        inputs = PLACE_WAVES + 4 + PLACE_WIDTH - 2 + GRID_FEATURES + slot_width
        self.project = nn.Sequential(nn.Linear(inputs, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))
        self.time = nn.Parameter(0.1 * torch.randn(frames, width))
        self.reference_time = nn.Parameter(0.1 * torch.randn(REFERENCE_COUNT, reference_frames, width))
        self.tag = nn.Parameter(0.1 * torch.randn(slots, width))
        self.hidden = nn.Parameter(torch.zeros(width))
        self.layers = nn.ModuleList([TransformerLayer(width, heads, dropout) for _ in range(layers)])
        self.join = nn.Linear(token_frames * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, objects: Videos) -> Tensor:
        """Packed slots [set, frame, slot, channel], and of references, to [set, token, width]."""
        parts = [self._tokens(objects.target[:, None], self.time)]
        bias = [_bias(objects.target).flatten(1)]
        if objects.references is not None:
            parts.append(self._tokens(objects.references, self.reference_time[: objects.references.shape[1]]))
            bias.append(_bias(objects.references).flatten(1))
        sizes = [part.shape[1:-1] for part in parts]
        tokens = self.dropout(torch.cat([part.flatten(1, 3) for part in parts], dim=1))
        mask = torch.cat(bias, dim=1)[:, None, None]
        for layer in self.layers:
            tokens = layer(tokens, mask)
        by_part = tokens.split([size.numel() for size in sizes], dim=1)
        return torch.cat([self._joined(part, size) for part, size in zip(by_part, sizes, strict=True)], dim=1)

    def _tokens(self, slots: Tensor, times: Tensor) -> Tensor:
        """[set, video, frame, slot, channel] to [..., width]; a random tag says which tokens are of the same slot."""
        places, rest = slots[..., :2], slots[..., 2:]
        tokens = self.project(torch.cat([place_waves(places), 10.0 * slot_motion(slots), rest], dim=-1))
        sets, videos, _, count, _ = slots.shape
        order = torch.arange(count, device=slots.device).expand(sets, videos, -1)
        if self.training:
            order = torch.rand(sets, videos, count, device=slots.device).argsort(dim=-1)
            hidden = torch.rand(tokens.shape[:-1], device=slots.device) < self.masked
            tokens = torch.where(hidden[..., None], self.hidden.to(tokens.dtype), tokens)
        return tokens + times[..., None, :] + self.tag[order][:, :, None]  # type: ignore[no-any-return]

    def _joined(self, tokens: Tensor, size: torch.Size) -> Tensor:
        """[set, video * frame * slot, width] to [set, token, width]."""
        by_time = tokens.reshape(len(tokens), -1, self.token_frames, size[2], tokens.shape[-1])
        joined: Tensor = self.join(by_time.transpose(2, 3).flatten(3))
        return joined.flatten(1, 2)


def slot_motion(slots: Tensor) -> Tensor:
    """[..., frame, slot, 4]: from the place in the frame before, and to that in the next; 0 where a slot is empty."""
    places, holds = slots[..., :2], _holds(slots)
    both = (holds[..., 1:, :] & holds[..., :-1, :])[..., None]
    change = torch.where(both, places[..., 1:, :, :] - places[..., :-1, :, :], 0.0)
    none = torch.zeros_like(places[..., :1, :, :])
    return torch.cat([torch.cat([none, change], dim=-3), torch.cat([change, none], dim=-3)], dim=-1)


def _holds(slots: Tensor) -> Tensor:
    """bool [..., slot]: whether a slot is not empty."""
    return slots[..., 2].expm1() > EMPTY_CELLS


def _bias(slots: Tensor) -> Tensor:
    return torch.log(EMPTY_WEIGHT + _holds(slots).float())
