"""ALOE: a transformer over a summary token, the words, and the objects that slot attention finds in the videos.

Slots are trained first, to reconstruct the perceiver's features of frames; then those of all frames are computed once,
and the transformer is trained on them. Objects have a token in each frame; in the first layers these attend to each
other, which all texts about a set share, and then those of a slot in a few successive frames become one token, for the
layers with words. The published model has words and the slots of each frame in all layers.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tumble.comphy.models.baselines.baseline import BaselineConfig, BaselineNetwork, BaselineTraining
from tumble.comphy.models.baselines.frame_bank import FrameBank
from tumble.comphy.models.baselines.frame_encoder import Videos
from tumble.comphy.models.baselines.frozen_features import GridCells
from tumble.comphy.models.baselines.heads import Heads, Scores
from tumble.comphy.models.baselines.object_tokens import ObjectTokens
from tumble.comphy.models.baselines.slots import SlotDecoder, SlotEncoder, reconstruction_loss
from tumble.comphy.models.baselines.transformer import TransformerLayer
from tumble.comphy.models.baselines.word_encoder import is_word
from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH

CHUNK = 128
"""Videos whose slots are computed together."""


@dataclass(frozen=True)
class AloeConfig(BaselineConfig):
    """Settings of ALOE."""

    slots: int = 6
    """Of a frame; sets have up to 5 bodies."""
    slot_width: int = 48
    slot_hidden: int = 64
    """Units of the layers between cells and slots."""
    slot_share: float = 0.2
    """Of the training, in which slots are trained; they stay as they are after it."""
    slot_videos: int = 128
    """In a batch of that part."""
    slot_frames: int = 5
    """Successive frames of each of them."""
    drawn_frames: int = 2
    """Of each of them, reconstructed in a step."""
    token_frames: int = 5
    """Successive frames of a slot in a token beside words; it divides both numbers of frames."""
    width: int = 128
    """Of tokens."""
    object_layers: int = 4
    """Between objects alone."""
    layers: int = 4
    """Between objects and words."""
    heads: int = 4
    longest_text: int = 64
    """Positions of words that are told apart; words beyond share the last."""
    masked_slots: float = 0.1
    """Share of object tokens that are hidden in training."""
    sets: int = 128
    factual_texts: int = 3
    option_texts: int = 8
    masked_texts: int = 3
    option_weight: float = 2.0
    learning_rate: float = 7e-4
    noise: float = 0.03
    dropout: float = 0.1
    weight_decay: float = 0.05

    @property
    def size(self) -> tuple[int, int]:
        return WIDTH, HEIGHT


class Aloe(BaselineNetwork):
    """The network."""

    def __init__(self, config: AloeConfig, words: int, answers: int) -> None:
        super().__init__(GridCells())
        self.slots = SlotEncoder(config.slots, config.slot_width, config.slot_hidden)
        self.decoder = SlotDecoder(config.slot_width, config.slot_hidden)
        self.objects = ObjectTokens(
            config.frames,
            config.reference_frames,
            config.token_frames,
            config.slots,
            config.slot_width,
            config.width,
            config.object_layers,
            config.heads,
            config.dropout,
            config.masked_slots,
        )
        self.embedding = nn.Embedding(words, config.width, padding_idx=0)
        self.position = nn.Parameter(0.1 * torch.randn(config.longest_text, config.width))
        self.summary = nn.Parameter(0.1 * torch.randn(config.width))
        self.layers = nn.ModuleList(
            [TransformerLayer(config.width, config.heads, config.dropout) for _ in range(config.layers)]
        )
        self.norm = nn.LayerNorm(config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.heads = Heads(config.width, config.width, answers, words, config.dropout)

    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        references = None if videos.references is None else self.find_objects(videos.references.flatten(0, 1))
        if references is not None and videos.references is not None:
            references = references.view(*videos.references.shape[:2], *references.shape[1:])
        return self.answer(Videos(self.find_objects(videos.target), references), words)

    def find_objects(self, grid: Tensor) -> Tensor:
        """Packed slots [video, frame, slot, channel] of cells [video, frame, cell, channel]."""
        found: Tensor = self.slots(grid).packed
        return found

    def answer(self, objects: Videos, words: Tensor) -> Scores:
        """Scores of texts [set, text, position] about sets with these slots."""
        sets, texts, length = words.shape
        tokens = self.objects(objects)[:, None].expand(-1, texts, -1, -1).flatten(0, 1)
        place = torch.arange(length, device=words.device).clamp(max=len(self.position) - 1)
        text = self.dropout((self.embedding(words) + self.position[place]).flatten(0, 1))
        present = is_word(words).flatten(0, 1)
        always = torch.ones(len(text), 1 + tokens.shape[1], dtype=torch.bool, device=words.device)
        present = torch.cat([always, present], dim=1)[:, None, None]
        tokens = torch.cat([self.summary.expand(len(text), 1, -1), tokens.to(text.dtype), text], dim=1)
        for layer in self.layers:
            tokens = layer(tokens, present)
        scores: Scores = self.heads(self.norm(tokens[:, 0]).view(sets, texts, -1))
        return scores


class AloeTraining(BaselineTraining):
    """Trains ALOE, with or without references: slots, then the transformer."""

    config_class = AloeConfig
    network_class = Aloe
    base_name = "aloe"
    config: AloeConfig
    network: Aloe
    found: bool = False
    """Whether `bank` holds packed slots, no longer the cells in which they are found."""

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        if progress < self.config.slot_share:
            return {"slots": self._slot_loss()}
        batch = self.draw_batch()
        return self.answer_losses(self.network.answer(batch.videos, batch.words), batch, progress)

    def draw_videos(self, versions: Tensor, rows: Tensor, mirrored: bool) -> Videos:
        """Packed slots of sets in some versions, with augmentation."""
        if not self.found:
            self.bank, self.found = self._find_objects(), True
        pictures = self.bank.pictures(versions, rows)
        return self.moved(Videos(pictures.target, pictures.references), 0, mirrored)

    def _slot_loss(self) -> Tensor:
        """The error of reconstruction of a few successive frames of some videos, targets and references alike."""
        config, bank, device = self.config, self.bank, self.device
        versions, rows = self.draw_rows(config.slot_videos)
        videos, count = bank.target, config.frames
        at: tuple[Tensor, ...] = versions, rows
        if bank.references is not None and bool(torch.rand(()) < 0.5):
            videos, count = bank.references, config.reference_frames
            at = *at, torch.randint(videos.shape[2], rows.shape, device=device)
        length = min(config.slot_frames, count)
        first = torch.randint(count - length + 1, rows.shape, device=device)
        frames = first[:, None] + torch.arange(length, device=device)
        grid = videos[(*(index[:, None] for index in at), frames)].float()
        return reconstruction_loss(self.network.decoder, self.network.slots(grid), grid, config.drawn_frames)

    @torch.no_grad()
    def _find_objects(self) -> FrameBank:
        """The packed slots of all frames."""

        def found(bank: Tensor) -> Tensor:
            videos = bank.flatten(0, -4)
            parts = [self.network.find_objects(part.float()).half() for part in torch.split(videos, CHUNK)]
            return torch.cat(parts).view(*bank.shape[:-2], self.config.slots, -1)

        references = self.bank.references
        return FrameBank(found(self.bank.target), None if references is None else found(references))
