"""MAC: reasoning steps that attend to words (control), then to what the videos show (read), and remember (write).

The published knowledge base is the feature map of a picture. Here it has an entry for each object that the perceiver's
frozen features show, over the whole video, and one for each pair of objects.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tumble.comphy.models.baselines.baseline import BaselineConfig, GivenText, Heads, Scores
from tumble.comphy.models.baselines.frames import Videos
from tumble.comphy.models.baselines.frozen_features import PEAK_LOOKS, PEAKS, PeakTracks
from tumble.comphy.models.baselines.scene_tokens import SceneTokens, TrackNetwork, TrackTraining
from tumble.comphy.models.baselines.text import WordEncoder, is_word
from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH


@dataclass(frozen=True)
class MacConfig(BaselineConfig):
    """Settings of MAC."""

    frames: int = 32
    reference_frames: int = 12
    knowledge_layers: int = 2
    """Of attention between objects and pairs, before a question is asked."""
    width: int = 192
    """Of control, memory and knowledge."""
    steps: int = 6
    """Of reasoning."""
    heads: int = 4
    """Of attention; half of those that read knowledge take a mean, the others a sum, which can count."""
    word_width: int = 96
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    dropout: float = 0.1
    noise: float = 0.1
    sets: int = 256
    factual_texts: int = 4
    option_texts: int = 6
    masked_texts: int = 0

    @property
    def size(self) -> tuple[int, int]:
        return WIDTH, HEIGHT


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

    def attend_knowledge(self, control: Tensor, memory: Tensor, keys: Tensor, values: Tensor, bias: Tensor) -> Tensor:
        """What is read [set, text, width] from entries [set, head, entry, width]: by the words and by the memory."""
        query = self.query(control) + self.query_by_memory(control) * self.query_memory(memory)
        query = query.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        logits = (query @ keys.transpose(-1, -2)).float() * query.shape[-1] ** -0.5 + bias[:, None, None]
        mean, total = logits.chunk(2, dim=1)
        weights = torch.cat([mean.softmax(dim=-1), torch.sigmoid(total - 1.0)], dim=1)
        return self.read((weights.to(values.dtype) @ values).transpose(1, 2).flatten(2))  # type: ignore[no-any-return]

    def remember(self, memory: Tensor, read: Tensor, control: Tensor) -> Tensor:
        """The next memory [set, text, width]; a gate decides how much of it is new."""
        new = self.write(torch.cat([memory, read, control], dim=-1))
        kept = torch.sigmoid(self.gate(control) - 1.0)
        return self.norm(kept * memory + (1.0 - kept) * (self.dropout(new) + memory))  # type: ignore[no-any-return]


class Mac(TrackNetwork):
    """The network."""

    def __init__(self, config: MacConfig, words: int, answers: int) -> None:
        super().__init__(PeakTracks(config.world))
        self.steps, self.head_count = config.steps, config.heads
        self.scene = SceneTokens(
            PEAK_LOOKS,
            words,
            config.word_width,
            config.counts,
            PEAKS,
            config.width,
            config.knowledge_layers,
            config.heads,
            config.dropout,
        )
        self.text = WordEncoder(words, config.word_width, config.width, config.dropout, both_directions=True)
        self.directly = nn.Linear(config.word_width, config.width)
        self.keys_and_values = nn.Linear(config.width, 2 * config.width)
        self.cell = MacCell(config)
        self.first_control = nn.Parameter(torch.zeros(config.width))
        self.first_memory = nn.Parameter(torch.randn(config.width))
        self.given_text = GivenText(config.width)
        self.heads = Heads(3 * config.width, config.width, answers, words, config.dropout)

    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        return self.answer(videos, words, lengths)

    def answer(self, tracks: Videos, words: Tensor, lengths: Tensor) -> Scores:
        states, text = self.text(words, lengths)
        states = states + self.directly(self.text.embedding(words))
        entries, bias = self.scene(tracks, self.text.embedding.weight)
        both = self.keys_and_values(entries).unflatten(-1, (2, self.head_count, -1))
        keys, values = both.movedim(1, -2).unbind(dim=1)
        control = self.first_control.expand_as(text)
        memory = self.first_memory.expand_as(text)
        for step in range(self.steps):
            control = self.cell.attend_words(step, control, text, states, is_word(words))
            read = self.cell.attend_knowledge(control, memory, keys, values, bias)
            memory = self.cell.remember(memory, read, control)
        scores: Scores = self.heads(self.given_text(memory, text))
        return scores


class MacTraining(TrackTraining):
    """Trains MAC, with or without references."""

    config_class = MacConfig
    network_class = Mac
    base_name = "mac"
