"""CNN-LSTM: frame features averaged over time and the last state of an LSTM over the words, to two linear layers."""

from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.models.baselines.baseline import BaselineConfig, BaselineNetwork, BaselineTraining, Heads, Scores
from tumble.comphy.models.baselines.frames import FrameVectors, TableRemoval, Videos
from tumble.comphy.models.baselines.text import WordEncoder


@dataclass(frozen=True)
class CnnLstmConfig(BaselineConfig):
    """Settings of CNN-LSTM."""

    channels: int = 128
    """Of the feature maps."""
    width: int = 256
    """Of frame vectors, of the LSTM and of the layer before the outputs."""
    word_width: int = 128
    dropout: float = 0.3


class CnnLstm(BaselineNetwork):
    """The network."""

    def __init__(self, config: CnnLstmConfig, words: int, answers: int) -> None:
        super().__init__(TableRemoval(config.picture_height, config.picture_width))
        self.frames = FrameVectors(config.channels, config.width, config.dropout)
        self.text = WordEncoder(words, config.word_width, config.width, config.dropout)
        inputs = config.width * (3 if config.references else 2)
        self.heads = Heads(inputs, config.width, answers, words, config.dropout)

    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        _, text = self.text(words, lengths)
        parts = [self.frames(videos.target).mean(dim=1)]
        if videos.references is not None:
            parts.append(self.frames(videos.references).mean(dim=(1, 2)))
        seen = torch.cat(parts, dim=-1)[:, None].expand(-1, words.shape[1], -1)
        scores: Scores = self.heads(torch.cat([seen, text], dim=-1))
        return scores


class CnnLstmTraining(BaselineTraining):
    """Trains CNN-LSTM, with or without references."""

    config_class = CnnLstmConfig
    network_class = CnnLstm
    base_name = "cnn-lstm"
