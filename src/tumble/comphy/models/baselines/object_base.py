"""The knowledge base of MAC from the perceiver's features: the cells with a body's centre, related to each other."""

import torch
from torch import Tensor, nn

from tumble.comphy.models.baselines.frame_encoder import Videos
from tumble.comphy.models.baselines.frozen_features import PEAK_CHANNELS, PEAK_PLACE, PLACE_WAVES, place_waves
from tumble.comphy.models.baselines.transformer import TransformerLayer
from tumble.comphy.tasks.constants import REFERENCE_COUNT

EMPTY_WEIGHT = 0.01
"""Of a cell without any object in the attention, before learned scores, relative to one with an object."""
ALIKE, NEAR = 8.0, 20.0
"""Weights of the looks and of the distance of two cells in successive frames, to find which show the same body."""


class ObjectBase(nn.Module):
    """Cells of all frames, each with its motion; layers of attention relate them before any question is asked."""

    def __init__(self, frames: int, reference_frames: int, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        inputs = PEAK_CHANNELS - 2 + PLACE_WAVES + 4
        self.project = nn.Sequential(nn.Linear(inputs, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))
        self.time = nn.Parameter(0.1 * torch.randn(frames, width))
        self.reference_time = nn.Parameter(0.1 * torch.randn(REFERENCE_COUNT, reference_frames, width))
        self.layers = nn.ModuleList([TransformerLayer(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, videos: Videos) -> tuple[Tensor, Tensor]:
        """float [set, cell, width]: the cells of all frames; float [set, cell]: a bias of the attention to each."""
        cells = self._cells(videos.target, self.time).flatten(1, 2)
        presence = videos.target[..., 0].flatten(1)
        if videos.references is not None:
            times = self.reference_time[: videos.references.shape[1]]
            cells = torch.cat([cells, self._cells(videos.references, times).flatten(1, 3)], dim=1)
            presence = torch.cat([presence, videos.references[..., 0].flatten(1)], dim=1)
        bias = torch.log(EMPTY_WEIGHT + presence)
        cells = self.dropout(cells)
        for layer in self.layers:
            cells = layer(cells, bias[:, None, None])
        return self.norm(cells), bias

    def _cells(self, peaks: Tensor, times: Tensor) -> Tensor:
        """[..., frame, cell, channel] to [..., frame, cell, width]."""
        presence, places, looks = torch.split(peaks, [1, 2, PEAK_CHANNELS - PEAK_PLACE], dim=-1)
        inputs = torch.cat([presence, place_waves(places), looks, 10.0 * motion(peaks)], dim=-1)
        return self.project(inputs) + times[..., None, :]  # type: ignore[no-any-return]


def motion(peaks: Tensor) -> Tensor:
    """[..., frame, cell, 4]: from the most similar cell of the frame before, and to that of the next frame."""
    before = torch.cat([peaks[..., :1, :, :], peaks[..., :-1, :, :]], dim=-3)
    after = torch.cat([peaks[..., 1:, :, :], peaks[..., -1:, :, :]], dim=-3)
    return torch.cat([-_to_similar(peaks, before), _to_similar(peaks, after)], dim=-1)


@torch.no_grad()
def _to_similar(peaks: Tensor, others: Tensor) -> Tensor:
    """[..., cell, 2]: from each cell of frames [..., cell, channel] to the most similar one of other frames."""
    places, other_places = peaks[..., 1:PEAK_PLACE].float(), others[..., 1:PEAK_PLACE].float()
    looks, other_looks = peaks[..., PEAK_PLACE:], others[..., PEAK_PLACE:]
    alike = torch.einsum("...ic,...jc->...ij", looks, other_looks).float() / looks.shape[-1]
    apart = (places[..., :, None, :] - other_places[..., None, :, :]).square().sum(dim=-1)
    presence = torch.log(EMPTY_WEIGHT + others[..., None, :, 0].float())
    best = (ALIKE * alike - NEAR * apart + presence).argmax(dim=-1)
    return (other_places.gather(-2, best[..., None].expand_as(places)) - places).clamp(-0.5, 0.5)
