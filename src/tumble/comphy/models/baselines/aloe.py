"""ALOE: a transformer over a summary token, the words, and the objects that slot attention finds in the videos.

Slots are first trained alone, to reconstruct frames, then together with the transformer. A token holds one slot in a
few successive frames, since slots follow objects here; the published model has a token for each slot of each frame.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.models.baselines.baseline import BaselineConfig, BaselineNetwork, BaselineTraining
from tumble.comphy.models.baselines.frame_encoder import TableRemoval, Videos
from tumble.comphy.models.baselines.heads import Heads, Scores
from tumble.comphy.models.baselines.slots import PLACE_WIDTH, SlotDecoder, SlotEncoder, Slots, reconstruction_loss
from tumble.comphy.models.baselines.word_encoder import is_word
from tumble.comphy.tasks.constants import REFERENCE_COUNT
from tumble.learning.errors import TrainingError


@dataclass(frozen=True)
class AloeConfig(BaselineConfig):
    """Settings of ALOE."""

    slots: int = 6
    """Of a frame; sets have up to 5 bodies."""
    slot_width: int = 48
    slot_channels: int = 64
    """Of the feature maps that slots attend to."""
    slot_share: float = 0.1
    """Of the training, in which slots are trained alone."""
    drawn_frames: int = 4
    """Of each video, reconstructed in a step."""
    slot_weight: float = 1.0
    """Of the reconstruction after that."""
    token_frames: int = 5
    """Successive frames of a slot in a token; it divides both numbers of frames."""
    width: int = 192
    """Of tokens."""
    layers: int = 6
    heads: int = 6
    longest_text: int = 64
    """Positions of words that are told apart; words beyond share the last."""
    masked_slots: float = 0.1
    """Share of object tokens that are hidden in training."""
    noise: float = 0.03
    dropout: float = 0.1
    weight_decay: float = 0.05


class ObjectTokens(nn.Module):
    """Slots to tokens."""

    def __init__(self, config: AloeConfig) -> None:
        super().__init__()
        self.token_frames, self.masked = config.token_frames, config.masked_slots
        for count in (config.frames, config.reference_frames):
            if count % config.token_frames:
                raise TrainingError(f"token_frames {config.token_frames} does not divide the {count} frames of a video")
        self.project = nn.Sequential(
            nn.Linear(config.token_frames * (config.slot_width + PLACE_WIDTH), 2 * config.width),
            nn.ReLU(),
            nn.Linear(2 * config.width, config.width),
        )
        self.time = nn.Parameter(0.1 * torch.randn(config.frames // config.token_frames, config.width))
        reference_tokens = config.reference_frames // config.token_frames
        self.reference_time = nn.Parameter(0.1 * torch.randn(reference_tokens, config.width))
        self.reference = nn.Parameter(0.1 * torch.randn(REFERENCE_COUNT, config.width))
        self.tag = nn.Parameter(0.1 * torch.randn(config.slots, config.width))
        self.hidden = nn.Parameter(torch.zeros(config.width))

    def target(self, slots: Slots) -> Tensor:
        """Slots of targets to [set, token, width]."""
        return self._hide(self._tokens(slots) + self.time[:, None]).flatten(1, 2)

    def references(self, slots: Slots, count: int) -> Tensor:
        """Slots of references [set * reference, ...] to [set, token, width]."""
        tokens = self._tokens(slots) + self.reference_time[:, None]
        tokens = tokens.view(-1, count, *tokens.shape[1:])
        return self._hide(tokens + self.reference[:count, None, None]).flatten(1, 3)

    def _tokens(self, slots: Slots) -> Tensor:
        """[video, time, slot, width]; a random tag of the slot says which tokens belong together."""
        values = torch.cat([slots.values, 2.0 * slots.places], dim=-1)
        grouped = values.view(len(values), -1, self.token_frames, *values.shape[2:]).transpose(2, 3).flatten(3)
        order = torch.randperm(len(self.tag), device=values.device) if self.training else slice(None)
        return self.project(grouped) + self.tag[order]  # type: ignore[no-any-return]

    def _hide(self, tokens: Tensor) -> Tensor:
        if not self.training:
            return tokens
        hidden = torch.rand(tokens.shape[:-1], device=tokens.device) < self.masked
        return torch.where(hidden[..., None], self.hidden.to(tokens.dtype), tokens)


class Layer(nn.Module):
    """Attention between all tokens and a network for each, both normalised before."""

    def __init__(self, config: AloeConfig) -> None:
        super().__init__()
        width, self.heads, self.rate = config.width, config.heads, config.dropout
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.inputs = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.each = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, tokens: Tensor, present: Tensor) -> Tensor:
        """Tokens [text, token, width]; present bool [text, 1, 1, token]."""
        parts = self.inputs(self.norms[0](tokens)).unflatten(-1, (3, self.heads, -1)).movedim(1, 3)
        query, key, value = parts.unbind(dim=1)
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=present)
        tokens = tokens + self.dropout(self.output(found.transpose(1, 2).flatten(2)))
        return tokens + self.dropout(self.each(self.norms[1](tokens)))  # type: ignore[no-any-return]


class Aloe(BaselineNetwork):
    """The network."""

    def __init__(self, config: AloeConfig, words: int, answers: int) -> None:
        super().__init__(TableRemoval(config.picture_height, config.picture_width))
        self.slots = SlotEncoder(config.slots, config.slot_width, config.slot_channels)
        self.decoder = SlotDecoder(config.slot_width, config.slot_channels)
        self.objects = ObjectTokens(config)
        self.embedding = nn.Embedding(words, config.width, padding_idx=0)
        self.position = nn.Parameter(0.1 * torch.randn(config.longest_text, config.width))
        self.summary = nn.Parameter(0.1 * torch.randn(config.width))
        self.layers = nn.ModuleList([Layer(config) for _ in range(config.layers)])
        self.norm = nn.LayerNorm(config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.heads = Heads(config.width, config.width, answers, words, config.dropout)

    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        return self.answer(*self.find_objects(videos), words)

    def find_objects(self, videos: Videos) -> tuple[Slots, Slots | None]:
        """The slots of the targets, and those of the references [set * reference, ...]."""
        references = None if videos.references is None else self.slots(videos.references.flatten(0, 1))
        return self.slots(videos.target), references

    def answer(self, target: Slots, references: Slots | None, words: Tensor) -> Scores:
        """Scores of texts [set, text, position] about sets with these slots."""
        sets, texts, length = words.shape
        objects = self.objects.target(target)
        if references is not None:
            objects = torch.cat([objects, self.objects.references(references, len(references.values) // sets)], dim=1)
        objects = objects[:, None].expand(-1, texts, -1, -1).flatten(0, 1)
        place = torch.arange(length, device=words.device).clamp(max=len(self.position) - 1)
        text = (self.embedding(words) + self.position[place]).flatten(0, 1)
        tokens = torch.cat([self.summary.expand(len(text), 1, -1), objects.to(text.dtype), text], dim=1)
        present = is_word(words).flatten(0, 1)
        always = torch.ones(len(text), 1 + objects.shape[1], dtype=torch.bool, device=words.device)
        present = torch.cat([always, present], dim=1)[:, None, None]
        tokens = self.dropout(tokens)
        for layer in self.layers:
            tokens = layer(tokens, present)
        scores: Scores = self.heads(self.norm(tokens[:, 0]).view(sets, texts, -1))
        return scores


class AloeTraining(BaselineTraining):
    """Trains ALOE, with or without references: slots alone, then all."""

    config_class = AloeConfig
    network_class = Aloe
    base_name = "aloe"
    config: AloeConfig
    network: Aloe

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        config = self.config
        alone = progress < config.slot_share
        batch = self.draw_batch()
        target, references = self.network.find_objects(batch.videos)
        drawn = reconstruction_loss(self.network.decoder, target, batch.videos.target, config.drawn_frames)
        if references is not None:
            assert batch.videos.references is not None
            frames = batch.videos.references.flatten(0, 1)
            drawn = drawn + reconstruction_loss(self.network.decoder, references, frames, config.drawn_frames // 4)
        if alone:
            return {"slots": drawn}
        scores = self.network.answer(target, references, batch.words)
        return {"slots": config.slot_weight * drawn, **self.answer_losses(scores, batch, progress)}
