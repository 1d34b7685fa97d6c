"""HCRN: relation units over the frames of clips, then over the clips of a video, each given motion, then the question.

A relation unit takes some vectors and a condition. For every size k from 2 on it draws a few subsets of k vectors, puts
the mean of each subset and the condition through a network, and averages the results of that size.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tumble.comphy.models.baselines.baseline import BaselineConfig, BaselineNetwork, BaselineTraining, Heads, Scores
from tumble.comphy.models.baselines.frames import FrameVectors, TableRemoval, Videos
from tumble.comphy.models.baselines.text import WordEncoder


@dataclass(frozen=True)
class HcrnConfig(BaselineConfig):
    """Settings of HCRN."""

    channels: int = 128
    """Of the feature maps."""
    width: int = 192
    """Of all vectors."""
    clips: int = 8
    """Into which the target is cut."""
    clip_frames: int = 4
    """Of each clip; neighbouring clips share a frame."""
    largest_in_clip: int = 4
    """Largest subset of a clip's frames, or of the results for them."""
    largest_in_video: int = 6
    """Largest subset of the clips."""
    subsets: int = 2
    """Of each size."""
    word_width: int = 128
    dropout: float = 0.2


class RelationUnit(nn.Module):
    """Relations between some vectors, given a condition."""

    def __init__(self, width: int, largest: int, subsets: int) -> None:
        super().__init__()
        self.largest, self.subsets = largest, subsets
        self.relate = nn.ModuleList([nn.Linear(width, width) for _ in range(2, largest + 1)])
        self.given = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(2, largest + 1)])

    def forward(self, vectors: Tensor, condition: Tensor) -> Tensor:
        """Vectors [..., vector, width] and a condition [..., width] to [..., size, width].

        In training subsets are random, else evenly spaced. Vectors are as many as the largest subset, or more.
        """
        results = []
        count = vectors.shape[-2]
        for number, (relate, given) in enumerate(zip(self.relate, self.given, strict=True)):
            size = number + 2
            chosen = self._subsets(count, size, vectors.device)
            related = relate(torch.einsum("kv,...vw->...kw", chosen.to(vectors.dtype), vectors))
            repeated = condition[..., None, :].expand_as(related)
            results.append(nn.functional.elu(given(torch.cat([related, repeated], dim=-1))).mean(dim=-2))
        return torch.stack(results, dim=-2)

    def _subsets(self, count: int, size: int, device: torch.device) -> Tensor:
        """float [subset, vector]: 1 / size for the vectors of each subset."""
        if self.training:
            places = torch.rand(self.subsets, count, device=device).argsort(dim=-1)[:, :size]
        else:
            spaced = torch.arange(size, device=device) * count // size
            places = (spaced + torch.arange(self.subsets, device=device)[:, None]) % count
        return torch.zeros(self.subsets, count, device=device).scatter(1, places, 1.0 / size)


class Hcrn(BaselineNetwork):
    """The network."""

    def __init__(self, config: HcrnConfig, words: int, answers: int) -> None:
        super().__init__(TableRemoval(config.picture_height, config.picture_width))
        width, subsets = config.width, config.subsets
        in_clip, in_video = config.largest_in_clip, config.largest_in_video
        self.config = config
        self.frames = FrameVectors(config.channels, width, config.dropout)
        self.text = WordEncoder(words, config.word_width, width, config.dropout, both_directions=True)
        self.motion = nn.Sequential(nn.Linear(width, width), nn.ELU())
        self.video_motion = nn.LSTM(width, width, batch_first=True)
        self.clip_by_motion = RelationUnit(width, in_clip, subsets)
        self.clip_by_text = RelationUnit(width, in_clip - 1, subsets)
        self.video_by_motion = RelationUnit(width, in_video, subsets)
        self.video_by_text = RelationUnit(width, in_video - 1, subsets)
        self.weigh = nn.Linear(width, 1)
        self.heads = Heads(2 * width, width, answers, words, config.dropout)

    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        config = self.config
        _, text = self.text(words, lengths)
        frames = self.frames(videos.target)
        first = torch.linspace(0, config.frames - config.clip_frames, config.clips, device=frames.device).long()
        clips = frames[:, first[:, None] + torch.arange(config.clip_frames, device=frames.device)]
        motion = self.motion(clips[:, :, 1:] - clips[:, :, :-1]).mean(dim=2)
        video_motion = self.video_motion(motion)[1][0][-1]
        # By text from here on: [set, text, ...].
        related = self.clip_by_motion(clips, motion)[:, None].expand(-1, words.shape[1], -1, -1, -1)
        related = self.clip_by_text(related, text[:, :, None].expand(-1, -1, config.clips, -1))
        by_clip = related.mean(dim=3)
        by_video = self.video_by_motion(by_clip, video_motion[:, None].expand_as(text))
        relations = self.video_by_text(by_video, text)
        weights = self.weigh(relations * text[:, :, None]).softmax(dim=2)
        scores: Scores = self.heads(torch.cat([(weights * relations).sum(dim=2), text], dim=-1))
        return scores


class HcrnTraining(BaselineTraining):
    """Trains HCRN."""

    config_class = HcrnConfig
    network_class = Hcrn
    base_name = "hcrn"
