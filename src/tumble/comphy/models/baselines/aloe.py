"""ALOE: a transformer over a summary token, the words, and the objects that slot attention finds in the videos.

Slots are trained first, to reconstruct the perceiver's features of frames; then those of all frames are computed once,
and the transformer is trained on them. The published model has a token for each slot and frame. Here a slot, which
follows one object, has one token for the whole video, and so has each pair of slots; they attend to each other before
words join them, which all texts about a set share.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tumble.comphy.models.baselines.baseline import BaselineConfig, GivenText, Heads, Scores
from tumble.comphy.models.baselines.frames import FrameBank, Videos
from tumble.comphy.models.baselines.frozen_features import GridCells
from tumble.comphy.models.baselines.scene_tokens import SceneTokens, TrackNetwork, TrackTraining, TransformerLayer
from tumble.comphy.models.baselines.slots import SlotDecoder, SlotEncoder, reconstruction_loss
from tumble.comphy.models.baselines.text import WordEncoder, is_word
from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH
from tumble.learning.networks import full_precision

CHUNK = 128
"""Videos whose slots are computed together."""


@dataclass(frozen=True)
class AloeConfig(BaselineConfig):
    """Settings of ALOE."""

    frames: int = 32
    reference_frames: int = 12
    slots: int = 6
    """Of a frame; sets have up to 5 bodies."""
    slot_width: int = 48
    slot_hidden: int = 64
    """Units of the layers between cells and slots."""
    slot_share: float = 0.1
    """Of the training, in which slots are trained; they stay as they are after it."""
    slot_videos: int = 128
    """In a batch of that part."""
    slot_frames: int = 5
    """Successive frames of each of them."""
    drawn_frames: int = 2
    """Of each of them, reconstructed in a step."""
    width: int = 192
    """Of tokens."""
    object_layers: int = 2
    """Between objects and pairs alone."""
    layers: int = 4
    """Between objects, pairs and words."""
    heads: int = 4
    word_width: int = 96
    sets: int = 256
    factual_texts: int = 4
    option_texts: int = 8
    masked_texts: int = 0
    option_weight: float = 2.0
    learning_rate: float = 1e-3
    noise: float = 0.1
    dropout: float = 0.1
    weight_decay: float = 0.05

    @property
    def size(self) -> tuple[int, int]:
        return WIDTH, HEIGHT


class Aloe(TrackNetwork):
    """The network."""

    def __init__(self, config: AloeConfig, words: int, answers: int) -> None:
        super().__init__(GridCells(config.world))
        self.slots = SlotEncoder(config.slots, config.slot_width, config.slot_hidden)
        self.decoder = SlotDecoder(config.slot_width, config.slot_hidden)
        self.scene = SceneTokens(
            self.slots.looks,
            words,
            config.word_width,
            config.counts,
            config.slots,
            config.width,
            config.object_layers,
            config.heads,
            config.dropout,
        )
        self.text = WordEncoder(words, config.word_width, config.width, config.dropout, both_directions=True)
        self.directly = nn.Linear(config.word_width, config.width)
        self.summary = nn.Parameter(0.1 * torch.randn(config.width))
        self.layers = nn.ModuleList(
            [TransformerLayer(config.width, config.heads, config.dropout) for _ in range(config.layers)]
        )
        self.norm = nn.LayerNorm(config.width)
        self.given_text = GivenText(config.width)
        self.heads = Heads(3 * config.width, config.width, answers, words, config.dropout)

    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        references = videos.references
        if references is not None:
            found = self.find_objects(references.flatten(0, 1))
            references = found.view(*references.shape[:2], *found.shape[1:])
        return self.answer(Videos(self.find_objects(videos.target), references), words, lengths)

    def find_objects(self, grid: Tensor) -> Tensor:
        """Packed tracks of slots [video, slot, channel] of cells [video, frame, cell, channel]."""
        found: Tensor = self.slots(grid).tracks.packed
        return found

    def answer(self, tracks: Videos, words: Tensor, lengths: Tensor) -> Scores:
        """Scores of texts [set, text, position] about sets with these tracks."""
        sets, texts, _ = words.shape
        states, text = self.text(words, lengths)
        states = states + self.directly(self.text.embedding(words))
        tokens, bias = self.scene(tracks, self.text.embedding.weight)
        tokens = tokens[:, None].expand(-1, texts, -1, -1).to(states.dtype)
        tokens = torch.cat([(self.summary + text)[:, :, None], tokens, states], dim=2).flatten(0, 1)
        word_bias = torch.zeros(words.shape, device=words.device).masked_fill(~is_word(words), -1e4)
        biases = [torch.zeros_like(word_bias[..., :1]), bias[:, None].expand(-1, texts, -1), word_bias]
        mask = torch.cat(biases, dim=-1).flatten(0, 1)[:, None, None]
        for layer in self.layers:
            tokens = layer(tokens, mask)
        scores: Scores = self.heads(self.given_text(self.norm(tokens[:, 0]).view(sets, texts, -1), text))
        return scores


class AloeTraining(TrackTraining):
    """Trains ALOE, with or without references: slots, then the transformer."""

    config_class = AloeConfig
    network_class = Aloe
    base_name = "aloe"
    config: AloeConfig
    network: Aloe
    found: bool = False
    """Whether `bank` holds tracks of slots, no longer the cells in which they are found."""

    def losses(self, step: int, progress: float) -> dict[str, Tensor]:
        if progress < self.config.slot_share:
            return {"slots": self._slot_loss()}
        return super().losses(step, progress)

    def draw_videos(self, versions: Tensor, rows: Tensor, mirrored: bool) -> Videos:
        if not self.found:
            self.bank, self.found = self._find_objects(), True
        return super().draw_videos(versions, rows, mirrored)

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
        """The packed tracks of all videos."""

        def found(bank: Tensor) -> Tensor:
            videos = torch.split(bank.flatten(0, -4), CHUNK)
            parts = [self.network.find_objects(part.float()).half() for part in videos]
            with full_precision(self.device):  # a CPU's mixed precision refuses to concatenate halves
                tracks = torch.cat(parts)
            return tracks.view(*bank.shape[:-3], *tracks.shape[1:])

        references = self.bank.references
        return FrameBank(found(self.bank.target), None if references is None else found(references))
