"""MAC: reasoning steps that attend to words (control), then to places of the videos (read), and remember (write).

The knowledge base is made from the perceiver's features of cells with a body, which stay as they are, or, with features
"own", from the feature map of every frame by a network that is trained too; in that, cells which show only the empty
table, which are most of them, have little weight from the start.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.models.baselines.baseline import BaselineConfig, BaselineNetwork, BaselineTraining
from tumble.comphy.models.baselines.frame_encoder import STRIDE, FrameEncoder, TableRemoval, Videos, object_presence
from tumble.comphy.models.baselines.frozen_features import PeakCells
from tumble.comphy.models.baselines.heads import Heads, Scores
from tumble.comphy.models.baselines.object_base import EMPTY_WEIGHT, ObjectBase
from tumble.comphy.models.baselines.word_encoder import WordEncoder, is_word
from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH
from tumble.comphy.tasks.constants import REFERENCE_COUNT
from tumble.learning.errors import TrainingError


@dataclass(frozen=True)
class MacConfig(BaselineConfig):
    """Settings of MAC."""

    features: str = "perceiver"
    """Of frames: "perceiver" (frozen) or "own" (a residual network, trained along with the rest)."""
    channels: int = 128
    """Of own feature maps."""
    knowledge_layers: int = 3
    """Of attention between the cells with perceiver's features."""
    width: int = 256
    """Of control, memory and knowledge."""
    steps: int = 8
    """Of reasoning."""
    heads: int = 4
    """Places of the videos that a step can attend to at once, about."""
    word_width: int = 128
    learning_rate: float = 7e-4
    weight_decay: float = 0.05
    sets: int = 96
    factual_texts: int = 4
    option_texts: int = 4
    masked_texts: int = 3

    @property
    def size(self) -> tuple[int, int]:
        return (WIDTH, HEIGHT) if self.features == "perceiver" else super().size


class KnowledgeBase(nn.Module):
    """Videos to cells: what is seen at each place and time."""

    def __init__(self, config: MacConfig) -> None:
        super().__init__()
        height, width = config.picture_height // STRIDE, config.picture_width // STRIDE
        self.encoder = FrameEncoder(config.channels)
        self.over_time = nn.Conv1d(config.channels, config.channels, 5, padding=2)
        self.project = nn.Linear(config.channels, config.width)
        self.place = nn.Parameter(0.1 * torch.randn(height * width, config.width))
        self.time = nn.Parameter(0.1 * torch.randn(config.frames, config.width))
        self.reference_time = nn.Parameter(0.1 * torch.randn(REFERENCE_COUNT, config.reference_frames, config.width))
        self.norm = nn.LayerNorm(config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, videos: Videos) -> tuple[Tensor, Tensor]:
        """float [set, cell, width]: the cells of all frames; float [set, cell]: a bias of the attention to each."""
        cells = self._cells(videos.target, self.time).flatten(1, 2)
        presence = object_presence(videos.target, STRIDE).flatten(1)
        if videos.references is not None:
            times = self.reference_time[: videos.references.shape[1]]
            cells = torch.cat([cells, self._cells(videos.references, times).flatten(1, 3)], dim=1)
            presence = torch.cat([presence, object_presence(videos.references, STRIDE).flatten(1)], dim=1)
        return self.dropout(cells), torch.log(EMPTY_WEIGHT + presence)

    def _cells(self, frames: Tensor, times: Tensor) -> Tensor:
        """[..., frame, 3, height, width] to [..., frame, place, width]."""
        features = self.encoder(frames).flatten(-2)
        by_place = features.movedim(-1, -3).transpose(-1, -2)
        over_time = self.over_time(by_place.flatten(0, -3)).view_as(by_place)
        features = features + torch.relu(over_time).transpose(-1, -2).movedim(-3, -1)
        return self.norm(self.project(features.transpose(-1, -2)) + self.place + times[..., None, :])  # type: ignore[no-any-return]


def _object_base(config: MacConfig) -> ObjectBase:
    return ObjectBase(
        config.frames, config.reference_frames, config.width, config.knowledge_layers, config.heads, config.dropout
    )


class MacCell(nn.Module):
    """One step of reasoning; all steps share its weights but for the first layer of the control."""

    def __init__(self, config: MacConfig) -> None:
        super().__init__()
        width, self.heads = config.width, config.heads
        self.for_step = nn.ModuleList([nn.Linear(width, width) for _ in range(config.steps)])
        self.control = nn.Linear(2 * width, width)
        self.word_score = nn.Linear(width, 1)
        self.query_by_memory = nn.Linear(width, width)
        self.query_memory = nn.Linear(width, width)
        self.query = nn.Linear(width, width)
        self.read = nn.Linear(width, width)
        self.write = nn.Sequential(nn.Linear(3 * width, width), nn.ELU(), nn.Linear(width, width))
        self.gate = nn.Linear(width, 1)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(config.dropout)

    def attend_words(self, step: int, control: Tensor, text: Tensor, states: Tensor, present: Tensor) -> Tensor:
        """The next control [set, text, width]: the words that this step is about."""
        guide = self.control(torch.cat([control, torch.tanh(self.for_step[step](text))], dim=-1))
        logits = self.word_score(guide[..., None, :] * states).squeeze(-1)
        weights = logits.float().masked_fill(~present, -1e9).softmax(dim=-1)
        return torch.einsum("stp,stpw->stw", weights.to(states.dtype), states)

    def attend_cells(self, control: Tensor, memory: Tensor, keys: Tensor, values: Tensor, bias: Tensor) -> Tensor:
        """What is read [set, text, width] from cells [set, head, cell, width]: by the words and by the memory."""
        query = self.query(control) + self.query_by_memory(control) * self.query_memory(memory)
        query = query.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        found = functional.scaled_dot_product_attention(query.to(keys.dtype), keys, values, attn_mask=bias)
        return self.read(found.transpose(1, 2).flatten(2))  # type: ignore[no-any-return]

    def remember(self, memory: Tensor, read: Tensor, control: Tensor) -> Tensor:
        """The next memory [set, text, width]; a gate decides how much of it is new."""
        new = self.write(torch.cat([memory, read, control], dim=-1))
        kept = torch.sigmoid(self.gate(control) - 1.0)
        return self.norm(kept * memory + (1.0 - kept) * (self.dropout(new) + memory))  # type: ignore[no-any-return]


class Mac(BaselineNetwork):
    """The network."""

    def __init__(self, config: MacConfig, words: int, answers: int) -> None:
        if config.features not in ("perceiver", "own"):
            raise TrainingError(f"no features {config.features!r} for MAC; there are 'perceiver' and 'own'")
        own = config.features == "own"
        super().__init__(TableRemoval(config.picture_height, config.picture_width) if own else PeakCells())
        self.steps, self.head_count = config.steps, config.heads
        self.knowledge: nn.Module = KnowledgeBase(config) if own else _object_base(config)
        self.text = WordEncoder(words, config.word_width, config.width, config.dropout, both_directions=True)
        self.keys_and_values = nn.Linear(config.width, 2 * config.width)
        self.cell = MacCell(config)
        self.first_control = nn.Parameter(torch.zeros(config.width))
        self.first_memory = nn.Parameter(torch.randn(config.width))
        self.heads = Heads(2 * config.width, config.width, answers, words, config.dropout)

    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        states, text = self.text(words, lengths)
        cells, bias = self.knowledge(videos)
        both = self.keys_and_values(cells).unflatten(-1, (2, self.head_count, -1))
        keys, values = both.movedim(1, -2).unbind(dim=1)
        bias = bias[:, None, None].to(keys.dtype).expand(-1, self.head_count, words.shape[1], -1)
        control = self.first_control.expand_as(text)
        memory = self.first_memory.expand_as(text)
        for step in range(self.steps):
            control = self.cell.attend_words(step, control, text, states, is_word(words))
            read = self.cell.attend_cells(control, memory, keys, values, bias)
            memory = self.cell.remember(memory, read, control)
        scores: Scores = self.heads(torch.cat([memory, text], dim=-1))
        return scores


class MacTraining(BaselineTraining):
    """Trains MAC, with or without references."""

    config_class = MacConfig
    network_class = Mac
    base_name = "mac"
