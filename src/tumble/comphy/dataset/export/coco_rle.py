"""Masks in COCO's run-length form, as CLEVRER's detected objects have them.

Runs go down the columns, the first one of zeros. As a text every run after the third is written as its difference from
the run two before it, in groups of five bits from the lowest, with a sixth bit for "more follows" and 48 added.
"""

from typing import TypedDict

import numpy as np


class RleError(ValueError):
    """A text or mask that isn't in the form."""


class Rle(TypedDict):
    """One mask."""

    size: list[int]
    """Height and width."""
    counts: str


def encode(mask: np.ndarray) -> Rle:
    """Packs a bool [height, width] mask."""
    if mask.ndim != 2:
        raise RleError(f"a mask must be [height, width], not {list(mask.shape)}")
    flat = np.asarray(mask, bool).T.reshape(-1)
    changes = np.flatnonzero(np.diff(flat, prepend=False))
    runs = np.diff(changes, prepend=0, append=flat.size)
    return Rle(size=[int(side) for side in mask.shape], counts=_text([int(run) for run in runs]))


def decode(rle: Rle) -> np.ndarray:
    """Unpacks a bool [height, width] mask."""
    height, width = rle["size"]
    runs = _runs(rle["counts"])
    if min(runs, default=0) < 0 or sum(runs) != height * width:
        raise RleError(f"runs of {sum(runs)} pixels are no mask of {height} x {width}")
    flat = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return flat.reshape(width, height).T


def _text(runs: list[int]) -> str:
    letters = []
    for place, run in enumerate(runs):
        rest = run - runs[place - 2] if place > 2 else run
        more = True
        while more:
            group = rest & 31
            rest >>= 5
            more = rest != (-1 if group & 16 else 0)
            letters.append(chr(48 + group + (32 if more else 0)))
    return "".join(letters)


def _runs(text: str) -> list[int]:
    runs: list[int] = []
    value = shift = 0
    for letter in text:
        code = ord(letter) - 48
        if not 0 <= code < 64:
            raise RleError(f"{letter!r} is no letter of a run-length text")
        value |= (code & 31) << shift
        shift += 5
        if code & 32:
            continue
        if code & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    if shift:
        raise RleError("the text ends within a run")
    return runs
