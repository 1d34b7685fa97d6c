"""Random changes of bytes, texts and JSON values; the same random numbers give the same change."""

import json
import re
from random import Random
from typing import Any

DEPTH = 100_000
"""Brackets of a text that is nested too deeply for a recursive reader."""

ODD_NUMBERS: tuple[Any, ...] = (
    0,
    -0.0,
    -1,
    1,
    2,
    0.5,
    255,
    256,
    65536,
    -(2**31),
    2**31 - 1,
    2**31,
    2**32,
    2**63 - 1,
    2**63,
    2**64,
    10**30,
    10**400,
    1e-320,
    1e-7,
    1e-6,
    1e9,
    1.0000001e9,
    1e38,
    3.5e38,
    1e300,
    -1e300,
    float("nan"),
    float("inf"),
    float("-inf"),
)
ODD_TEXTS = (
    "",
    " ",
    "\n",
    "\0",
    "a\nb",
    "\ud800",
    "\ufeff",
    "é",
    "🟥",
    "\u202e",
    "٣",
    "NaN",
    "null",
    "../..",
    "/dev/null",
    "%s%n",
    "x" * 5000,
    "-1",
    "1e999",
)
ODD_BYTES = (
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"9" * 5000,
    b'"',
    b"{",
    b"]",
    b"null",
    b"\\ud800",
    b"<",
    b"&",
)
_NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")


def odd_value(rng: Random) -> Any:
    """A value that a reader may not expect."""
    pick = rng.random()
    if pick < 0.45:
        return rng.choice(ODD_NUMBERS)
    if pick < 0.65:
        return rng.choice(ODD_TEXTS)
    if pick < 0.75:
        return rng.choice((None, True, False))
    if pick < 0.85:
        return rng.choice(([], {}, [[]], [None], {"": None}, [0.0] * 40, {"type": "circle"}))
    if pick < 0.97:
        return rng.uniform(-300.0, 300.0)
    return nested(rng.choice((3, 30, 300)))


def nested(depth: int) -> Any:
    """A list in a list in a list …"""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def mutated_value(rng: Random, value: Any) -> Any:
    """A copy of a JSON value in which one thing, at any depth, has been changed."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        pick = rng.random()
        if pick < 0.75:
            return {**value, name: mutated_value(rng, value[name])}
        if pick < 0.83:
            return {key: item for key, item in value.items() if key != name}
        if pick < 0.90:
            return {
                rng.choice((*ODD_TEXTS[:8], name + "s")) if key == name else key: item for key, item in value.items()
            }
        if pick < 0.95:
            return {**value, rng.choice(("extra", "", *value)): odd_value(rng)}
        return {**value, name: value[rng.choice(list(value))]}
    if isinstance(value, list | tuple) and value and rng.random() < 0.9:
        items, k = list(value), rng.randrange(len(value))
        pick = rng.random()
        if pick < 0.75:
            items[k] = mutated_value(rng, items[k])
        elif pick < 0.83:
            del items[k]
        elif pick < 0.90:
            items.insert(k, items[rng.randrange(len(items))])
        elif pick < 0.95:
            items.insert(k, odd_value(rng))
        else:
            items[k:] = []
        return items
    if isinstance(value, bool) or value is None:
        return odd_value(rng)
    if isinstance(value, int | float) and rng.random() < 0.6:
        return _other_number(rng, value)
    if isinstance(value, str) and value and rng.random() < 0.6:
        return mutated_text(rng, value)
    return rng.choice((value, [value], {"value": value})) if rng.random() < 0.1 else odd_value(rng)


def _other_number(rng: Random, value: float) -> Any:
    try:
        return rng.choice((value + 1, -value, value * 1.001, value * 1e6, value / 1e6, int(value), str(value)))
    except (OverflowError, ValueError):  # a huge, infinite or undefined number
        return rng.choice((-value, str(value)))


def mutated_text(rng: Random, text: str) -> str:
    """A copy of a text with one change."""
    k, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    pick = rng.random()
    if pick < 0.25:
        return text[:k] + text[end:]
    if pick < 0.45:
        return text[:k] + rng.choice(ODD_TEXTS) + text[k:]
    if pick < 0.65:
        return text[:end] + text[k:end] + text[end:]
    if pick < 0.85:
        return text[:k] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + text[k + 1 :]
    return rng.choice((text.upper(), text[::-1], text.title(), text.replace(" ", "\t")))


def mutated_bytes(rng: Random, data: bytes, changes: int | None = None) -> bytes:
    """A copy of bytes with a few changes."""
    for _ in range(changes if changes is not None else 1 + int(rng.expovariate(0.7))):
        data = _changed(rng, data)
    return data


def _changed(rng: Random, data: bytes) -> bytes:
    if not data:
        return rng.choice(ODD_BYTES)
    k = rng.randrange(len(data))
    end = min(len(data), k + 1 + int(rng.expovariate(0.05)))
    pick = rng.random()
    if pick < 0.35:
        return data[:k] + bytes([data[k] ^ 1 << rng.randrange(8)]) + data[k + 1 :]
    if pick < 0.45:
        return data[:k] + rng.randbytes(1) + data[k + 1 :]
    if pick < 0.55:
        return data[:k] + data[end:]
    if pick < 0.65:
        return data[:end] + data[k:end] + data[end:]
    if pick < 0.75:
        return data[:k] + rng.choice(ODD_BYTES) + data[k:]
    if pick < 0.80:
        return data[:k]
    if pick < 0.95:
        number = _NUMBER.search(data, k)
        if number:
            text = json.dumps(rng.choice(ODD_NUMBERS)).encode()
            return data[: number.start()] + text + data[number.end() :]
    return data[:k] + rng.randbytes(end - k) + data[end:]


def mutated_json(rng: Random, value: Any) -> bytes:
    """The text of a JSON value after a few changes of its fields, of its bytes, or of both."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        value = mutated_value(rng, value)
    text = as_json(rng, value)
    pick = rng.random()
    if pick < 0.25:
        return mutated_bytes(rng, text)
    if pick < 0.252:
        return deep_text(rng, text)
    return text


def as_json(rng: Random, value: Any) -> bytes:
    """The text of a value, in one of several styles; surrogates are kept as escapes."""
    style: dict[str, Any] = rng.choice(({}, {}, {"separators": (",", ":")}, {"indent": 1}))
    return json.dumps(value, **style).encode()


def deep_text(rng: Random, text: bytes) -> bytes:
    """A text with far too many brackets, alone or in place of a value."""
    brackets = rng.choice((b"[" * DEPTH, b'{"a":' * DEPTH, b"[" * DEPTH + b"]" * DEPTH))
    place = text.find(b":", rng.randrange(len(text) or 1))
    return brackets if place < 0 or rng.random() < 0.5 else text[: place + 1] + brackets + text[place + 1 :]
