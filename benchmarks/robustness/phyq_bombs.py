"""Phy-Q: levels, rates, outcomes and messages: honest ones, and bombs."""

import asyncio
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import bomb_files as files
import numpy as np
from bomb_files import Content, copies, json_texts
from reader import Reader


def _read_level(path: Path) -> None:
    from tumble.phyq.catalogue.level_files import load_level

    load_level(path)


def _honest_level(kind: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        from tumble.phyq.catalogue.level_files import FORMATS
        from tumble.phyq.catalogue.templates import templates

        del folder
        level = max((design.base for design in templates().values()), key=lambda level: len(level.pieces))
        text: str = FORMATS[".json"].to_json(level) if kind == ".json" else FORMATS[".xml"].to_xml(level)
        return text.encode()

    return make


def _level_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    level = {"version": 1, "birds": ["red"], "pigs": [{"size": "small", "x": 1, "y": 1}], "blocks": [], "tnts": []}
    yield "pigs", copies(level, "pigs")
    yield "birds", copies(level, "birds")


def _read_rates(path: Path) -> None:
    from tumble.phyq.cli.evaluate import read_rates

    read_rates(path)


def _rate_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    yield "tasks", b"{" + b",".join(b'"3.1:%d":0.5' % k for k in range(50_000)) + b"}"


def _read_level_set(path: Path) -> None:
    from tumble.phyq.generation.level_set import _records

    _records(path)


def _level_set_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    line = {"draw": 1, "sha256": "", "solution": "level-000 0 33.5 41.25,1,640"}
    yield "levels", json.dumps({"levels": {f"level-{k}": line for k in range(9000)}}).encode()
    shots = " ".join(["41.25,1,640"] * 80_000)
    yield "shots", json.dumps({"levels": {"level-000": {**line, "solution": f"level-000 0 33.5 {shots}"}}}).encode()


def _read_shots(path: Path) -> None:
    from tumble.phyq.models.ranker.collect import read_shots

    read_shots(path)


def _read_first_shots(path: Path) -> None:
    from tumble.phyq.models.outcome_file import read_first_shots

    read_first_shots(path)


def _honest_first_shots(folder: Path) -> bytes:
    from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
    from tumble.phyq.models.outcome_file import FirstShots, write_first_shots

    draws = np.random.default_rng(1)
    rows = {
        f"3.1:{k:03d}": ("0" * 16, draws.integers(-1, 2, len(DISCRETE_ANGLES)).astype(np.int8)) for k in range(7500)
    }
    write_first_shots(folder / "first.npz", FirstShots(rows))
    return (folder / "first.npz").read_bytes()


def _first_shot_bombs() -> Iterator[tuple[str, Content]]:
    yield from files.arrays(("physics", "ids", "digests", "known", "won"))
    for sets in (100_000, 1_000_000):
        members = {
            "ids": files.npy([sets], "<U9", bytes(36 * sets)),
            "digests": files.npy([sets], "<U9", bytes(36 * sets)),
        }
        bits = files.npy([sets, 16], "|u1", bytes(16 * sets))
        yield (
            f"{sets:,} tasks",
            files.zipped(
                {
                    **{f"{name}.npy": raw for name, raw in members.items()},
                    "known.npy": bits,
                    "won.npy": bits,
                    "physics.npy": files.npy([], "<U1", b"a\0\0\0"),
                }
            ),
        )


def _read_messages(path: Path) -> None:
    from tumble.phyq.server.wire import read_request

    raw, at = path.read_bytes(), 0

    async def read(size: int) -> bytes:
        nonlocal at
        at += size
        if at > len(raw):
            raise asyncio.IncompleteReadError(b"", size)
        return raw[at - size : at]

    async def all_requests() -> None:
        while True:
            await read_request(read)

    try:
        asyncio.run(all_requests())
    except asyncio.IncompleteReadError:
        return


def _message_bombs() -> Iterator[tuple[str, Content]]:
    yield "states", b"\x0c" * files.MOST
    yield "sequences", files.repeated(b"", b"\x21\xff" + b"\x1f" * 25 * 255, b"")
    yield "a long list", b"\x42" + bytes(8) + b"\xff\xff\xff\xff" + bytes(900_000)
    yield "long lists", files.repeated(b"", b"\x43" + struct.pack(">I", 1 << 16) + bytes(1 << 16), b"")


READERS = (
    Reader("levels-json", "level.json", _read_level, _honest_level(".json"), _level_bombs),
    Reader("levels-xml", "level.xml", _read_level, _honest_level(".xml"), files.xml_texts),
    Reader("pass-rates", "rates.json", _read_rates, lambda folder: b'{"3": 0.25}', _rate_bombs),
    Reader("level-sets", "set.json", _read_level_set, lambda folder: b'{"levels": {}}', _level_set_bombs),
    Reader("first-shots", "first.npz", _read_first_shots, _honest_first_shots, _first_shot_bombs),
    Reader("server-messages", "messages", _read_messages, lambda folder: b"\x0c" * 500_000, _message_bombs),
)
