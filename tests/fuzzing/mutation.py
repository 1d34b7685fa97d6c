"""Random changes of bytes, texts, JSON values and files; the same random numbers give the same change."""

import gzip
import io
import json
import lzma
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

DEPTH = 100_000
"""Brackets of a text that is nested too deeply for a recursive reader."""
# fmt: off
ODD_NUMBERS: tuple[Any, ...] = (
    0, -0.0, -1, 1, 2, 0.5, 255, 256, 65536, -(2**31), 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**30,
    10**400, 1e-320, 1e-7, 1e-6, 1e9, 1.0000001e9, 1e38, 3.5e38, 1e300, -1e300, float("nan"), float("inf"),
    float("-inf"),
)
ODD_TEXTS = (
    "", " ", "\n", "\0", "a\nb", "\ud800", "\ufeff", "é", "🟥", "\u202e", "٣", "NaN", "null", "../..", "/dev/null",
    "%s%n", "x" * 5000, "-1", "1e999",
)
ODD_BYTES = (
    b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"NaN", b"-Infinity", b"1e999", b"9" * 5000,
    b'"', b"{", b"]", b"null", b"\\ud800", b"<", b"&",
)
# fmt: on
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
    return rng.uniform(-300.0, 300.0) if pick < 0.97 else nested(rng.choice((3, 30, 300)))


def nested(depth: int) -> Any:
    """A list in a list in a list …"""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def mutated_value(rng: Random, value: Any) -> Any:
    """A copy of a JSON value in which one thing, at any depth, has been changed."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        return _mutated_table(rng, value)
    if isinstance(value, list | tuple) and value and rng.random() < 0.9:
        return _mutated_list(rng, list(value))
    if isinstance(value, bool) or value is None:
        return odd_value(rng)
    if isinstance(value, int | float) and rng.random() < 0.6:
        return _other_number(rng, value)
    if isinstance(value, str) and value and rng.random() < 0.6:
        return mutated_text(rng, value)
    return rng.choice((value, [value], {"value": value})) if rng.random() < 0.1 else odd_value(rng)


def _mutated_table(rng: Random, value: dict[str, Any]) -> dict[str, Any]:
    name, pick = rng.choice(list(value)), rng.random()
    if pick < 0.75:
        return {**value, name: mutated_value(rng, value[name])}
    if pick < 0.83:
        return {key: item for key, item in value.items() if key != name}
    if pick < 0.90:
        other = rng.choice((*ODD_TEXTS[:8], name + "s"))
        return {other if key == name else key: item for key, item in value.items()}
    if pick < 0.95:
        return {**value, rng.choice(("extra", "", *value)): odd_value(rng)}
    return {**value, name: value[rng.choice(list(value))]}


def _mutated_list(rng: Random, items: list[Any]) -> list[Any]:
    k, pick = rng.randrange(len(items)), rng.random()
    if pick < 0.75:
        items[k] = mutated_value(rng, items[k])
    elif pick < 0.83:
        del items[k]
    elif pick < 0.95:
        items.insert(k, items[rng.randrange(len(items))] if pick < 0.90 else odd_value(rng))
    else:
        items[k:] = []
    return items


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


def mutated_bytes(rng: Random, data: bytes) -> bytes:
    """A copy of bytes with a few changes."""
    for _ in range(1 + int(rng.expovariate(0.7))):
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
    if pick < 0.95 and (number := _NUMBER.search(data, k)):
        return data[: number.start()] + json.dumps(rng.choice(ODD_NUMBERS)).encode() + data[number.end() :]
    return data[:k] + rng.randbytes(end - k) + data[end:]


def mutated_json(rng: Random, value: Any) -> bytes:
    """The text of a JSON value after a few changes of its fields, of its bytes, or of both."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        value = mutated_value(rng, value)
    style: dict[str, Any] = rng.choice(({}, {}, {"separators": (",", ":")}, {"indent": 1}))
    text, pick = json.dumps(value, **style).encode(), rng.random()  # surrogates are kept as escapes
    if pick < 0.25:
        return mutated_bytes(rng, text)
    return _deep_text(rng, text) if pick < 0.252 else text


def _deep_text(rng: Random, text: bytes) -> bytes:
    """A text with far too many brackets, alone or in place of a value."""
    brackets = rng.choice((b"[" * DEPTH, b'{"a":' * DEPTH, b"[" * DEPTH + b"]" * DEPTH))
    place = text.find(b":", rng.randrange(len(text) or 1))
    return brackets if place < 0 or rng.random() < 0.5 else text[: place + 1] + brackets + text[place + 1 :]


def mutated_arrays(rng: Random, raw: bytes) -> bytes:
    """An .npz file of which one array has other values, another shape or another type, or is missing."""
    arrays = arrays_of(raw)
    name = rng.choice(sorted(arrays))
    values, pick = arrays[name], rng.random()
    if pick < 0.1:
        del arrays[name]
    elif pick < 0.3:
        arrays[name] = values[..., None] if rng.random() < 0.5 or not values.ndim or not len(values) else values[0]
    elif pick < 0.5 and values.ndim:
        arrays[name] = rng.choice((values[:-1], np.concatenate([values, values]), values[:0], values.T))
    elif pick < 0.7:
        small = [number for number in ODD_NUMBERS if isinstance(number, float) or abs(number) < 2**62]
        arrays[name] = np.array(rng.choice((rng.choice(small), [rng.choice(small)] * 3)))
    elif values.dtype.kind == "U":
        arrays[name] = np.array([mutated_text(rng, str(text)) for text in values.reshape(-1)]).reshape(values.shape)
    elif values.size:
        flat = np.array(values).reshape(-1)
        flat[rng.randrange(len(flat))] = rng.choice((0, 1, 127)) if flat.dtype != bool else True
        arrays[name] = flat.reshape(values.shape)
    return npz(arrays)


def arrays_of(raw: bytes) -> dict[str, np.ndarray]:
    """The arrays of an .npz file."""
    with np.load(io.BytesIO(raw)) as file:
        return {name: file[name] for name in file.files}


def npz(arrays: dict[str, np.ndarray]) -> bytes:
    """An .npz file."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def unpacked(name: str, raw: bytes) -> tuple[str, bytes, Callable[[bytes], bytes]]:
    """A file without the packing that its name tells: its name, its content, and what packs content again."""
    if name.endswith(".gz"):
        return name[:-3], gzip.decompress(raw), lambda content: gzip.compress(content, 1, mtime=0)
    if name.endswith(".xz"):
        return name[:-3], lzma.decompress(raw), lambda content: lzma.compress(content, preset=0)
    return name, raw, lambda content: content


def mutated_file(rng: Random, name: str, raw: bytes) -> bytes:
    """A copy of a file, changed by what it is, which its name tells, or in its bytes."""
    inner_name, content, pack = unpacked(name, raw)
    if inner_name != name and rng.random() < 0.2:
        return mutated_bytes(rng, raw)
    return pack(_mutated_content(rng, inner_name, content))


def _mutated_content(rng: Random, name: str, content: bytes) -> bytes:
    if name.endswith(".json"):
        return mutated_json(rng, json.loads(content))
    if name.endswith(".npz"):
        return mutated_arrays(rng, content) if rng.random() < 0.7 else mutated_bytes(rng, content)
    if content[:1] == b"{" and b"\n" in content:
        return _mutated_lines(rng, content)
    if content.isascii() and name.endswith((".toml", ".xml", ".txt")) and rng.random() < 0.4:
        return mutated_text(rng, content.decode()).encode("utf-8", "surrogatepass")
    return mutated_bytes(rng, content)


def _mutated_lines(rng: Random, content: bytes) -> bytes:
    """Lines, of which the first and perhaps all are JSON, with some of them changed, doubled, moved or left out."""
    head, _, body = content.partition(b"\n")
    if body[:1] != b"{":
        if rng.random() < 0.6:
            return mutated_json(rng, json.loads(head)).replace(b"\n", b" ") + b"\n" + body
        return head + b"\n" + mutated_bytes(rng, body)
    lines = content.splitlines()
    for _ in range(rng.choice((0, 1, 1, 2))):
        k, pick = rng.randrange(len(lines)), rng.random()
        try:
            value = json.loads(lines[k])
        except (ValueError, RecursionError):
            continue
        if pick < 0.7:
            lines[k] = mutated_json(rng, value).replace(b"\n", b" ")
        elif pick < 0.8:
            lines.insert(k, rng.choice(lines))
        elif pick < 0.9 and len(lines) > 1:
            del lines[k]
        else:
            rng.shuffle(lines)
    text = b"\n".join(lines) + b"\n"
    return mutated_bytes(rng, text) if rng.random() < 0.3 else text
