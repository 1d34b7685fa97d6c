"""How a Phy-Q template departs from the published one, in words: changed pieces, ranges, direct shots."""

import math
from collections.abc import Iterator
from dataclasses import replace

from tumble.phyq.catalogue.level import Block, Level, Piece, Pig, Platform
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import Anchor, Offset, Sampler, Variation

GROUPS = {"pigs": Pig, "blocks": Block, "platforms": Platform}
"""Fields of a level that a change can alter, and the kinds of piece in them."""
SETTLED = 0.07
"""Pieces that come to rest move by less, in world units."""


def departures(design: Template) -> Iterator[tuple[str, str]]:
    """Every departure of a template: what it is and why, and the pieces before and after it."""
    level = design.published
    for change in design.changes:
        settled = settled_by(level, change)
        yield change.why, "; ".join(changed_pieces(level, change)) if settled is None else f"by at most {settled}"
        level = change.apply(level)
    if design.variation_change:
        yield design.variation_change, range_text(design.variation)
    if design.direct_shots_may_win:
        yield f"Direct shots may win. {design.direct_shots_may_win}", ""


def kinds(design: Template) -> str:
    """The kinds of departure in a word each: level, range, direct, and the cap on fixed angles."""
    words = {
        "level": bool(design.changes),
        "range": bool(design.variation_change),
        "direct": bool(design.direct_shots_may_win),
    }
    own_cap = [] if design.fixed_angle_cap is None else [f"cap {percent(design.fixed_angle_cap)}"]
    return ", ".join([word for word, departs in words.items() if departs] + own_cap)


def settled_by(level: Level, change: Change) -> float | None:
    """How far pieces move in a change that only lets them come to rest: at most `SETTLED`; else None."""
    farthest = 0.0
    for field in GROUPS:
        for number, after in getattr(change, field).items():
            before: Piece = getattr(level, field)[number]
            if after is None or replace(after, x=before.x, y=before.y, rotation=before.rotation) != before:
                return None
            farthest = max(farthest, math.hypot(after.x - before.x, after.y - before.y))
    return None if change.added or farthest > SETTLED else math.ceil(round(100.0 * farthest, 6)) / 100.0


def changed_pieces(level: Level, change: Change) -> Iterator[str]:
    """What a change does to each piece of a level, with the numbers of pieces in that level."""
    for field, kind in GROUPS.items():
        pieces: tuple[Piece, ...] = getattr(level, field)
        for number, piece in sorted(getattr(change, field).items()):
            name = f"{kind.word} {number} ({what(pieces[number])})"
            yield f"{name} removed" if piece is None else f"{name}: {difference(pieces[number], piece)}"
        kept = len(getattr(change.apply(level), field)) - sum(isinstance(piece, kind) for piece in change.added)
        for number, piece in enumerate((piece for piece in change.added if isinstance(piece, kind)), kept):
            turned = f", turned by {_text(piece.rotation)}°" if piece.rotation else ""
            place = f"({_text(piece.x)}, {_text(piece.y)})"
            yield f"{kind.word} {number} ({what(piece)}) added at {place}{turned}"


def difference(before: Piece, after: Piece) -> str:
    """The properties that differ, as in: x 3.1→3.2, material stone→ice."""
    old, new = _properties(before), _properties(after)
    different = [f"{name} {old[name]}→{text}" for name, text in new.items() if old[name] != text]
    return ", ".join(different) or "by less than 0.001"


def what(piece: Piece) -> str:
    """The kind of a piece: its size, its material and shape, or its width and height."""
    if isinstance(piece, Platform):
        return " x ".join(map(_text, piece.size))
    if isinstance(piece, Block):
        return f"{piece.material} {piece.shape}"
    return piece.size if isinstance(piece, Pig) else piece.word


def range_text(variation: Variation | None) -> str:
    """What a variation draws, as in: pig 0 at InBox(x -5 to 9.4, y -2.4 to 1), platform 2 further by x 0 to 1."""
    if variation is None:
        return "not varied"
    sampler = variation.sampler
    texts = [f"{_name(variation.anchor)} at {type(sampler).__name__}({', '.join(_ranges(sampler))})"]
    for offset in variation.offsets:
        ranges = [text for text, span in zip(_ranges(offset), (offset.x, offset.y), strict=True) if any(span)]
        texts.append(f"{', '.join(map(_name, offset.pieces))} further by {', '.join(ranges)}")
    return "; ".join(texts)


def _name(anchor: Anchor) -> str:
    if anchor.kind == "point":
        return f"point ({', '.join(map(_text, anchor.at))})"
    return f"{anchor.kind} {anchor.index}"


def _ranges(drawn: Sampler | Offset) -> list[str]:
    """The fields of a sampler or an offset with their numbers, without pieces and empty fields."""
    fields = {name: value for name, value in vars(drawn).items() if value != "" and name != "pieces"}
    return [f"{name} {_range(value)}" for name, value in fields.items()]


def _range(value: tuple[float, float] | float | str) -> str:
    if isinstance(value, str):
        return value
    return " to ".join(map(_text, value if isinstance(value, tuple) else (value,)))


def percent(share: float) -> str:
    """A share from 0 to 1 in per cent."""
    return f"{100.0 * share:.0f} %"


def _properties(piece: Piece) -> dict[str, str]:
    texts = {name: value for name, value in vars(piece).items() if isinstance(value, str)}
    numbers = {"x": piece.x, "y": piece.y, "angle": piece.rotation % 360.0}
    if isinstance(piece, Platform):
        numbers["width"], numbers["height"] = piece.size
    return {**texts, **{name: _text(number) for name, number in numbers.items()}}


def _text(number: float) -> str:
    return f"{round(number, 3) + 0.0:g}"
