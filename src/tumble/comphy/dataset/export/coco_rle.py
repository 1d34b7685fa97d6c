"""COCO's run-length encoding of masks, which CLEVRER uses for detected objects.

Runs go down the columns; the first is of zeros. In the text every run after the third is stored as its difference from
the run two before it, in groups of five bits starting with the lowest; a sixth bit says that more follow, and 48 is
added to make it printable.
"""

from typing import TypedDict

import numpy as np

from tumble.errors import TumbleError


class RleError(TumbleError):
    """A mask of the wrong shape, or a text that is not run-length encoded."""


class Rle(TypedDict):
    """One mask."""

    size: list[int]
    """Height and width."""
    counts: str


def encode(mask: np.ndarray) -> Rle:
    """Encodes a bool [height, width] mask.

    >>> encode(np.eye(3, dtype=bool))
    {'size': [3, 3], 'counts': '013000'}
    """
    if mask.ndim != 2:
        raise RleError(f"a mask must be [height, width], not {list(mask.shape)}")
    flat = np.asarray(mask, bool).T.reshape(-1)
    changes = np.flatnonzero(np.diff(flat, prepend=False))
    runs = np.diff(changes, prepend=0, append=flat.size)
    return Rle(size=[int(side) for side in mask.shape], counts=_text([int(run) for run in runs]))


def decode(rle: Rle) -> np.ndarray:
    """The bool [height, width] mask of an encoding."""
    height, width = rle["size"]
    runs = _runs(rle["counts"])
    if min(runs, default=0) < 0 or sum(runs) != height * width:
        raise RleError(f"runs of {sum(runs)} pixels do not fill a mask of {height} x {width}")
    flat = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return flat.reshape(width, height).T


def _text(runs: list[int]) -> str:
    letters = []
    for position, run in enumerate(runs):
        rest = run - runs[position - 2] if position > 2 else run
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
            raise RleError(f"{letter!r} is not a character of a run-length encoding")
        value |= (code & 31) << shift
        shift += 5
        if code & 32:
            continue
        if code & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    if shift:
        raise RleError("the encoding ends within a run")
    return runs
