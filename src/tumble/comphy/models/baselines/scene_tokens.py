"""Objects and pairs of objects as tokens, and the training of networks that see them: MAC and ALOE.

A token stands for one object in the whole target, or for two: what it does over time, or what the two do together.
How two objects move relative to each other is described by numbers that do not depend on where and in which direction
they do it. Motion in the references is added to the objects and pairs of the target that look the same. Words that
texts of a set use are guessed from the looks of its objects; this needs no label, and teaches early which objects
"red" and "cube" may mean.
"""

from abc import abstractmethod
from itertools import combinations

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.catalogue.world import REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.models.baselines.baseline import BaselineNetwork, BaselineTraining, Batch, Scores
from tumble.comphy.models.baselines.frames import FrameCounts, Videos
from tumble.comphy.models.baselines.frozen_features import Tracks, places_on_table


class TransformerLayer(nn.Module):
    """Attention between all tokens and a network for each, both normalised before."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.inputs = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.each = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Tokens [text, token, width]; mask [text, 1, 1, token]: which are present, or a bias of the attention."""
        parts = self.inputs(self.norms[0](tokens)).unflatten(-1, (3, self.heads, -1)).movedim(1, 3)
        query, key, value = parts.unbind(dim=1)
        mask = mask.to(query.dtype) if mask.is_floating_point() else mask
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        tokens = tokens + self.dropout(self.output(found.transpose(1, 2).flatten(2)))
        return tokens + self.dropout(self.each(self.norms[1](tokens)))  # type: ignore[no-any-return]


EMPTY_WEIGHT = 0.01
"""Of a token without an object in the attention, before learned scores."""
OWN_CHANNELS = 11
"""Numbers per frame of an object."""
PAIR_CHANNELS = 13
"""Numbers per frame of a pair."""
CONTACT_DISTANCE = 0.45
"""Distance of the centres of two bodies that touch, about, in units of the simulation."""
SHARPNESS = 12.0
"""Of the similarity of looks that decides which object of the target one of a reference is."""
SPEED_SCALE = 30.0
"""Velocities, in units per frame of the video, are multiplied by this, so that their spread is about 1."""

RARE_LOGIT = -3.0
"""Logit of a word that describes an object, at first."""


class OverTime(nn.Module):
    """Convolutions over time, the maximum of their results, and all of them through a linear layer."""

    def __init__(self, inputs: int, frames: int, hidden: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(inputs, hidden, 3, padding=1), nn.ReLU(), nn.Conv1d(hidden, hidden, 3, padding=1), nn.ReLU()
        )
        self.linear = nn.Linear(hidden * (frames + 2), width)

    def forward(self, values: Tensor) -> Tensor:
        """[..., frame, channel] to [..., width]."""
        hidden = self.layers(values.flatten(0, -3).transpose(1, 2))
        summary = torch.cat([hidden.flatten(1), hidden.amax(dim=-1), hidden.mean(dim=-1)], dim=-1)
        return self.linear(summary).view(*values.shape[:-2], -1)  # type: ignore[no-any-return]


class VideoEncoder(nn.Module):
    """Tracks of videos to vectors of objects and of ordered pairs."""

    def __init__(self, frames: int, video_frames: int, hidden: int, width: int) -> None:
        """`frames`: those of a track, out of `video_frames`."""
        super().__init__()
        self.interval = video_frames / frames
        self.own = OverTime(OWN_CHANNELS, frames, hidden, width)
        self.pair = OverTime(PAIR_CHANNELS, frames, hidden, width)

    def forward(self, tracks: Tracks) -> tuple[Tensor, Tensor]:
        """[..., track, width], and [..., track, other track, width]: 0 where there is no object."""
        exists = tracks.exists
        both = exists[..., :, None] * exists[..., None, :]
        own, pair = motion_of(tracks, self.interval)
        return self.own(own) * exists[..., None], self.pair(pair) * both[..., None]


def motion_of(tracks: Tracks, interval: float) -> tuple[Tensor, Tensor]:
    """[..., track, frame, OWN_CHANNELS] and [..., track, other, frame, PAIR_CHANNELS]: numbers about motion."""
    seen, table = tracks.seen[..., None], places_on_table(tracks.places)
    speed = SPEED_SCALE / interval
    velocity, turn = _change_of_places(table, tracks.seen, speed)
    in_picture, _ = _change_of_places(tracks.places, tracks.seen, speed)
    own = torch.cat([seen, seen * tracks.places, seen * table, velocity, in_picture, turn], dim=-1)
    offset = table.unsqueeze(-4) - table.unsqueeze(-3)
    distance = offset.norm(dim=-1, keepdim=True)
    direction = offset / (distance + 0.05)
    both = seen.unsqueeze(-4) * seen.unsqueeze(-3)

    def along(values: Tensor) -> list[Tensor]:
        mine, other = values.unsqueeze(-3), values.unsqueeze(-4)
        return [(part * direction).sum(dim=-1, keepdim=True).expand_as(distance) for part in (mine, -other)]

    relative = velocity.unsqueeze(-4) - velocity.unsqueeze(-3)
    turning = turn.unsqueeze(-4) - turn.unsqueeze(-3)
    near = [torch.sigmoid((CONTACT_DISTANCE + reach - distance) / 0.04) for reach in (0.0, 0.1)]
    parts = [
        torch.ones_like(distance),
        distance,
        *near,
        (-distance / 0.5).exp(),
        *along(velocity),
        *along(turn),
        relative.norm(dim=-1, keepdim=True),
        turning.norm(dim=-1, keepdim=True),
        turn.norm(dim=-1, keepdim=True).unsqueeze(-3).expand_as(distance),
        turn.norm(dim=-1, keepdim=True).unsqueeze(-4).expand_as(distance),
    ]
    return own, both * torch.cat(parts, dim=-1)


def _change_of_places(places: Tensor, seen: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    """Velocities [..., frame, 2] of places, and how they change; 0 next to frames in which an object is not seen."""
    step = (places[..., 1:, :] - places[..., :-1, :]) * scale * (seen[..., 1:] * seen[..., :-1])[..., None]
    none = torch.zeros_like(step[..., :1, :])
    before, after = torch.cat([none, step], dim=-2), torch.cat([step, none], dim=-2)
    around = functional.pad(seen, (1, 1))
    known = (around[..., 2:] * around[..., :-2])[..., None]
    return 0.5 * (before + after), (after - before) * known


class SceneTokens(nn.Module):
    """Tracks of the videos of sets to tokens of objects and pairs, which then attend to each other."""

    def __init__(
        self,
        looks: int,
        words: int,
        word_width: int,
        counts: FrameCounts,
        tracks: int,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
    ) -> None:
        """`looks`: numbers about an object's looks; `words` and `word_width`: of an embedding; `tracks`: of a video."""
        super().__init__()
        self.counts = counts
        self.looks = nn.Sequential(nn.Linear(looks, width), nn.ReLU(), nn.Linear(width, width))
        self.described = nn.Linear(looks, words)
        nn.init.constant_(self.described.bias, RARE_LOGIT)
        self.anyway = nn.Parameter(torch.full((words,), RARE_LOGIT))
        self.from_words = nn.Linear(word_width, width)
        self.target = VideoEncoder(counts.target, SHOWN_FRAMES, width // 4, width)
        self.references = (
            VideoEncoder(counts.reference, REFERENCE_FRAMES, width // 4, width) if counts.reference else None
        )
        self.of_pair = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
        self.of_others = nn.Linear(width, width)
        self.pair_looks = nn.Linear(width, width)
        self.kind = nn.Parameter(0.1 * torch.randn(2, width))
        self.layers = nn.ModuleList([TransformerLayer(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pairs", torch.tensor(list(combinations(range(tracks), 2))).T, persistent=False)

    pairs: Tensor

    def word_loss(self, videos: Videos, used: Tensor) -> Tensor:
        """The error of guessing which words texts use [set, word]: those that describe an object, or any others."""
        target = Tracks.unpacked(videos.target, self.counts.target)
        each = functional.softplus(self.described(target.looks).float()) * target.exists[..., None]
        total = each.sum(dim=1) + functional.softplus(self.anyway)
        return (used * -torch.log(-torch.expm1(-total - 1e-4)) + (1.0 - used) * total).mean()

    def forward(self, videos: Videos, embedding: Tensor) -> tuple[Tensor, Tensor]:
        """float [set, token, width]: objects, then pairs; float [set, token]: a bias of the attention to each.

        Videos are packed tracks, [set, track, ...] and [set, reference, track, ...]. Objects are described by words,
        whose embedding [word, word width] is that of texts.
        """
        target = Tracks.unpacked(videos.target, self.counts.target)
        own, pair = self.target(target)
        if self.references is not None and videos.references is not None:
            shown = Tracks.unpacked(videos.references, self.counts.reference)
            own_shown, pair_shown = self.references(shown)
            same = same_looks(shown, target).to(own_shown.dtype)
            own = own + torch.einsum("srai,sraw->siw", same, own_shown)
            pair = pair + torch.einsum("srai,srbj,srabw->sijw", same, same, pair_shown)
        words = torch.sigmoid(self.described(target.looks)) @ embedding.to(target.looks.dtype)
        looks = self.looks(target.looks) + self.from_words(words)
        one, other = self.pairs
        ordered = self.of_pair(torch.relu(pair))
        objects = looks + own + self.of_others(torch.relu(ordered).amax(dim=2)) + self.kind[0]
        of_both = self.pair_looks(looks[:, one] + looks[:, other])
        couples = ordered[:, one, other] + ordered[:, other, one] + of_both + self.kind[1]
        exists = torch.cat([target.exists, target.exists[:, one] * target.exists[:, other]], dim=1)
        bias = torch.log(EMPTY_WEIGHT + exists)
        tokens = self.dropout(torch.cat([objects, couples], dim=1))
        for layer in self.layers:
            tokens = layer(tokens, bias[:, None, None])
        return self.norm(tokens), bias


@torch.no_grad()
def same_looks(shown: Tracks, target: Tracks) -> Tensor:
    """float [set, reference, track, target track]: how likely tracks of references show the objects of the target."""
    mean = target.looks.sum(dim=1, keepdim=True) / target.exists.sum(dim=1).clamp(min=1.0)[:, None, None]
    own = functional.normalize(target.looks - mean, dim=-1)
    looks = functional.normalize(shown.looks - mean[:, None], dim=-1)
    alike = torch.einsum("srac,sic->srai", looks, own)
    likely = (SHARPNESS * alike).masked_fill(target.exists[:, None, None] == 0, -1e4).softmax(dim=-1)
    return likely * (shown.exists * target.exists.amax(dim=1)[:, None, None])[..., None]


PLACE_NOISE = 0.003
"""Standard deviation of the noise of places in tracks, as augmentation; a picture is 2 wide."""


class TrackNetwork(BaselineNetwork):
    """A network over tokens of objects and pairs."""

    scene: SceneTokens

    @abstractmethod
    def answer(self, tracks: Videos, words: Tensor, lengths: Tensor) -> Scores:
        """Scores of texts about sets with these packed tracks."""


class TrackTraining(BaselineTraining):
    """The training of such a network."""

    network: TrackNetwork

    def draw_videos(self, versions: Tensor, rows: Tensor, mirrored: bool) -> Videos:
        """Packed tracks of sets in some versions, with noise, mirrored or not."""
        config, pictures = self.config, self.bank.pictures(versions, rows)

        def change(packed: Tensor, frames: int) -> Tensor:
            return Tracks.unpacked(packed, frames).changed(mirrored, config.noise, PLACE_NOISE).packed

        references = None if pictures.references is None else change(pictures.references, config.reference_frames)
        return Videos(change(pictures.target, config.frames), references)

    def losses(self, step: int, progress: float) -> dict[str, Tensor]:
        batch = self.draw_batch()
        scores = self.network.answer(batch.videos, batch.words, batch.lengths)
        return self.answer_losses(scores, batch, progress)

    def answer_losses(self, scores: Scores, batch: Batch, progress: float) -> dict[str, Tensor]:
        """The losses of the scores of a batch, and that of the words which its sets use."""
        losses = super().answer_losses(scores, batch, progress)
        return {**losses, "used words": self.network.scene.word_loss(batch.videos, batch.used_words)}
