"""Collected shots as tensors on a device, in groups of scenes with about the same number of objects."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.phyq.models.ranker.collect import VARIANT, WON, Collected
from tumble.phyq.models.ranker.features import SceneFeatures, ShotFeatures, scene_features, shot_features
from tumble.phyq.models.ranker.flights import outlines_of
from tumble.phyq.models.ranker.kinds import KindTables
from tumble.phyq.models.ranker.scenes import MAX_OBJECTS, PIG_KINDS

WIDTHS = (10, 14, 18, 24, 32, 40, MAX_OBJECTS)
"""Objects that the scenes of a group have room for."""


@dataclass(frozen=True)
class Group:
    """Scenes of one width, and their shots, ordered by scene, with winning shots first."""

    scenes: SceneFeatures
    weights: Tensor
    """float [scenes]: sums of the weights up to each scene; all templates weigh the same."""
    starts: Tensor
    """long [scenes]: the first shot of each scene."""
    counts: Tensor
    """long [scenes]: its shots."""
    wins: Tensor
    """long [scenes]: its winning shots."""
    shots: ShotFeatures
    won: Tensor
    """int8 [shots], as in Collected."""
    fates: Tensor
    moves: Tensor

    def draw(self, scenes: int, shots: int, winning: int) -> tuple[Tensor, Tensor]:
        """Random scenes [scenes] and shots [scenes, shots] of them, where possible `winning` of them winning ones."""
        device = self.weights.device
        drawn = torch.rand(scenes, device=device) * self.weights[-1]
        rows = torch.searchsorted(self.weights, drawn).clamp(max=len(self.weights) - 1)
        starts, counts, wins = self.starts[rows, None], self.counts[rows, None], self.wins[rows, None]
        share = torch.rand(scenes, shots, device=device)
        anywhere = (share * counts).long().clamp(max=counts - 1)
        won = (share * wins).long()
        use_wins = (torch.arange(shots, device=device) < winning) & (wins > 0)
        return rows, starts + torch.where(use_wins, won, anywhere)

    def scene_rows(self, rows: Tensor) -> SceneFeatures:
        """The features of some scenes."""
        own = self.scenes
        return SceneFeatures(
            own.objects[rows], own.pairs[rows], own.exists[rows], own.is_pig[rows], own.is_mortal[rows]
        )


def groups_of(
    collected: Collected,
    tables: KindTables,
    legs: int,
    device: torch.device,
    without: Collection[str] = (),
    variants: bool = True,
) -> list[Group]:
    """All scenes with a pig, but those of templates to do `without`, and their shots, in groups of similar width.

    `variants` says whether scenes of variants of tasks are used.
    """
    scenes = collected.scenes
    objects = (scenes.kinds >= 0).sum(axis=1)
    usable = np.isin(scenes.kinds, PIG_KINDS).any(axis=1)
    usable &= ~np.isin(np.char.rstrip(collected.templates, VARIANT), list(without))
    usable &= variants | ~np.char.endswith(collected.templates, VARIANT)
    usable &= np.bincount(collected.scene_of, minlength=len(scenes)) > 0
    weight = _weights(collected.templates, usable)
    order = np.lexsort((-(collected.won == WON).astype(int), collected.scene_of))
    bounds = np.searchsorted(collected.scene_of[order], np.arange(len(scenes) + 1))
    groups = []
    for low, width in zip((0, *WIDTHS), WIDTHS, strict=False):
        rows = np.flatnonzero(usable & (objects > low) & (objects <= width))
        if len(rows):
            shots = np.concatenate([order[bounds[row] : bounds[row + 1]] for row in rows.tolist()])
            groups.append(_group(collected, rows, shots, weight[rows], width, tables, legs, device))
    return groups


def _weights(templates: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """float [scenes]: one over the number of usable scenes of the template."""
    _, of, counts = np.unique(np.where(usable, templates, ""), return_inverse=True, return_counts=True)
    return np.asarray(np.where(usable, 1.0 / counts[of], 0.0))


def _group(
    collected: Collected,
    rows: np.ndarray,
    shots: np.ndarray,
    weight: np.ndarray,
    width: int,
    tables: KindTables,
    legs: int,
    device: torch.device,
) -> Group:
    scenes = collected.scenes.take(rows)
    # objects that exist come first
    columns = np.argsort(scenes.kinds < 0, axis=1, kind="stable")[:, :width]
    local = np.searchsorted(rows, collected.scene_of[shots])

    def tensor(values: np.ndarray, dtype: torch.dtype | None = None) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(device, dtype)

    def of_objects(values: np.ndarray) -> np.ndarray:
        index = columns.reshape(*columns.shape, *[1] * (values.ndim - 2))
        return np.take_along_axis(values, index, axis=1)

    kinds = tensor(of_objects(scenes.kinds), torch.long)
    poses, sizes = tensor(of_objects(scenes.poses)), tensor(of_objects(scenes.sizes))
    outlines = outlines_of(kinds, poses, sizes, tables)
    scene_of = tensor(local, torch.long)
    counts = np.bincount(local, minlength=len(rows))
    own_columns = columns[local]
    return Group(
        scenes=scene_features(kinds, outlines, tensor(of_objects(scenes.lives)), tables),
        weights=tensor(np.cumsum(weight), torch.float32),
        starts=tensor(np.cumsum(counts) - counts, torch.long),
        counts=tensor(counts, torch.long),
        wins=tensor(np.bincount(local, collected.won[shots] == WON, len(rows)), torch.long),
        shots=shot_features(
            tensor(collected.shots[shots]),
            scene_of,
            poses,
            outlines,
            tensor(scenes.birds, torch.long),
            tensor(scenes.birds_left, torch.long),
            tensor(scenes.rests),
            tables,
            legs,
        ),
        won=tensor(collected.won[shots]),
        fates=tensor(np.take_along_axis(collected.fates[shots], own_columns, axis=1)),
        moves=tensor(np.take_along_axis(collected.moves[shots], own_columns[..., None], axis=1)),
    )
