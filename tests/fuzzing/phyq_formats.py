"""Phy-Q's formats: levels, episodes, shots, pass rates, level sets, outcomes of first shots, messages of the game."""

import asyncio
import json
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from bomb_files import MOST, npy, repeated, zipped
from formats import Bombs, Files, Format, Simulated, expect, raw
from mutation import mutated_bytes, odd_value

from tumble.errors import TumbleError
from tumble.phyq.catalogue import level_json, science_birds_xml
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.cli.evaluate import read_rates
from tumble.phyq.generation.level_set import solutions_in
from tumble.phyq.models.outcome_file import FirstShots, read_first_shots, write_first_shots
from tumble.phyq.server.wire import ARGUMENTS, Code, read_request
from tumble.phyq.simulation.shots import Shot, table_of
from tumble.phyq.simulation.simulator import Simulator

STATUSES = ("won", "lost", "cap", "open")
LEVEL_SET = {
    "format": 1,
    "seed": 7,
    "physics": "x",
    "levels": {"level-000": {"draw": 2, "sha256": "0", "solution": "level-000 0 33.5 41.25,1,640"}},
}


def _check_level(level: Level, folder: Path) -> None:
    """The level must be read back equal from both formats."""
    for files, name in ((level_json, "copy.json"), (science_birds_xml, "copy.xml")):
        files.save(level, folder / name)
        expect(files.load(folder / name) == level, f"{name} is read back differently")


def _bases() -> list[Level]:
    return [design.base for design in templates().values()]


def _largest_level(file: str, text: Callable[[Level], str]) -> Callable[[Path], dict[str, bytes]]:
    return lambda _: {file: text(max(_bases(), key=lambda level: len(level.pieces))).encode()}


def _changed_xml(rng: Random, samples: Sequence[Files]) -> Files:
    text = raw(rng.choice(samples), "level.xml").decode()
    pick = rng.random()
    if pick < 0.4:
        parts = text.split('"')
        value = odd_value(rng)
        parts[rng.randrange(1, len(parts), 2)] = value if isinstance(value, str) else json.dumps(value)
        return {"level.xml": '"'.join(parts).encode("utf-8", "surrogatepass")}
    if pick < 0.402:
        return {"level.xml": b"<Level>" * 100_000}
    return {"level.xml": mutated_bytes(rng, text.encode("utf-16" if pick < 0.5 else "utf-8"))}


def _episode(rng: Random, samples: Sequence[Files]) -> Files:
    """A level whose pieces were moved, and random shots."""
    level = json.loads(raw(rng.choice(samples), "level.json"))
    level["birds"] = [rng.choice(("red", "yellow", "blue", "white", "black")) for _ in range(rng.choice((1, 1, 2)))]
    pieces = [piece for name in ("pigs", "blocks", "platforms", "tnts") for piece in level.get(name, [])]
    for piece in rng.sample(pieces, rng.randrange(1, 1 + min(4, len(pieces)))):
        name = rng.choice(("x", "y", "rotation"))
        piece[name] = piece.get(name, 0.0) + rng.choice((rng.uniform(-2.0, 2.0), rng.uniform(-90.0, 90.0)))
    shots = [
        {
            "angle": rng.choice((rng.uniform(-180.0, 180.0), rng.uniform(-20.0, 75.0))),
            "stretch": rng.choice((1.0, rng.uniform(0.001, 1.0))),
            **rng.choice(({}, {"tap_ms": rng.uniform(0.0, 60000.0)}, {"tap_share": rng.random()})),
            **rng.choice(({}, {}, {"delay": rng.uniform(0.0, 10.0)})),
        }
        for _ in level["birds"][: rng.choice((1, 2))]
    ]
    return {"level.json": json.dumps(level).encode(), "shots.json": json.dumps(shots).encode()}


def _read_episode(folder: Path) -> tuple[Level, list[Shot]]:
    shots = json.loads((folder / "shots.json").read_bytes())
    return level_json.load(folder / "level.json"), [Shot(**shot) for shot in shots]


def _played(numbered: list[tuple[int, tuple[Level, list[Shot]]]]) -> Iterator[tuple[int, str]]:
    simulator = Simulator([level for _, (level, _) in numbered], threads=1)
    played = simulator.play(np.arange(len(numbered)), [shots for _, (_, shots) in numbered], want=("states",))
    assert played.states is not None
    for k, (number, _) in enumerate(numbered):
        present = played.states.present[k].astype(bool)  # bodies that are gone have NaN; a present one must not
        finite = np.isfinite(played.states.poses[k][: len(present)][present]).all()
        good = str(played.status[k]) in STATUSES and finite
        yield number, "" if good else f"status {played.status[k]}, or NaN in a pose"


def _odd_shots(rng: Random, _: Sequence[Files]) -> Files:
    """Odd values for a shot and a table of shots."""
    fields: dict[str, Any] = {"angle": rng.uniform(-200.0, 200.0)}
    for name in ("stretch", "tap_ms", "tap_share", "delay"):
        if rng.random() < 0.3:
            fields[name] = rng.choice((odd_value(rng), rng.random()))
    if rng.random() < 0.4:
        fields["angle"] = odd_value(rng)
    tables: dict[str, Any] = {}
    rows = rng.randrange(4)
    for name in ("angles", "stretches", "tap_ms", "tap_shares", "delays", "counts"):
        if name == "angles" or rng.random() < 0.3:
            values: Any = [rng.choice((rng.uniform(-10.0, 10.0), odd_value(rng))) for _ in range(rows)]
            tables[name] = rng.choice((values, values, [[value] for value in values], odd_value(rng)))
    return {"shot.json": json.dumps([fields, tables]).encode()}


def _use_shots(path: Path) -> None:
    fields, tables = json.loads(path.read_bytes())
    refused: TumbleError | None = None
    try:
        Shot(**fields)
    except TumbleError as error:
        refused = error
    table = table_of(tables.pop("angles"), tables.pop("stretches", 1.0), **tables)
    expect(bool(np.isfinite(table.pulls).all()), "pulls are not finite")
    if refused is not None:
        raise refused


def _level_set_bombs(_: dict[str, bytes]) -> Bombs:
    line = LEVEL_SET["levels"]["level-000"]  # type: ignore[index]
    long = f"level-000 0 33.5 {' '.join(['41.25,1,640'] * 80_000)}"
    levels = {"level-000": {**line, "solution": long}}
    yield "shots", {"set.json": json.dumps({**LEVEL_SET, "levels": levels}).encode()}


def _first_shots(folder: Path, tasks: int) -> dict[str, bytes]:
    draws, width = np.random.default_rng(1), len(DISCRETE_ANGLES)
    rows = {f"3.1:{k:03d}": ("0" * 16, draws.integers(-1, 2, width).astype(np.int8)) for k in range(tasks)}
    write_first_shots(folder / "first.npz", FirstShots(rows))
    return {"first.npz": (folder / "first.npz").read_bytes()}


def _check_first_shots(shots: FirstShots, _: Path) -> None:
    for _, values in shots.rows.values():
        expect(values.shape == (len(DISCRETE_ANGLES),) and set(values.tolist()) <= {-1, 0, 1}, "wrong outcomes")


def _first_shot_bombs(_: dict[str, bytes]) -> Bombs:
    for tasks in (100_000, 1_000_000):
        texts, bits = npy([tasks], "<U9", bytes(36 * tasks)), npy([tasks, 16], "|u1", bytes(16 * tasks))
        members = {"ids.npy": texts, "digests.npy": texts, "known.npy": bits, "won.npy": bits}
        members["physics.npy"] = npy([], "<U1", b"a\0\0\0")
        yield f"{tasks:,} tasks", {"first.npz": zipped(members)}


def _messages(rng: Random, _: Sequence[Files]) -> Files:
    parts = []
    for _ in range(rng.randrange(1, 6)):
        code = rng.choice(list(Code))
        parts.append(bytes([code]) + rng.randbytes(4 * len(ARGUMENTS.get(code, "")) if rng.random() < 0.8 else 3))
    whole = b"".join(parts)
    return {"messages": mutated_bytes(rng, whole) if rng.random() < 0.5 else whole}


def _read_messages(path: Path) -> None:
    content, at = path.read_bytes(), 0

    async def read(size: int) -> bytes:
        nonlocal at
        at += size
        if at > len(content):
            raise asyncio.IncompleteReadError(b"", size)
        return content[at - size : at]

    async def all_requests() -> None:
        while at < len(content):
            await read_request(read)

    try:
        all_requests().send(None)  # it never waits
    except (StopIteration, asyncio.IncompleteReadError):
        return
    raise AssertionError("it waits")


def _message_bombs(_: dict[str, bytes]) -> Bombs:
    for trick, content in (
        ("states", b"\x0c" * MOST),
        ("sequences", repeated(b"", b"\x21\xff" + b"\x1f" * 25 * 255, b"")),
        ("a long list", b"\x42" + bytes(8) + b"\xff\xff\xff\xff" + bytes(900_000)),
        ("long lists", repeated(b"", b"\x43" + struct.pack(">I", 1 << 16) + bytes(1 << 16), b"")),
    ):
        yield trick, {"messages": content}


def _json_samples(_: Path) -> list[Files]:
    return [{"level.json": level_json.to_json(level).encode()} for level in _bases()]


FORMATS: tuple[Format, ...] = (
    Format(
        "phyq-json",
        "level.json",
        level_json.load,
        _json_samples,
        _check_level,
        share=80,
        largest=_largest_level("level.json", level_json.to_json),
    ),
    Format(
        "phyq-xml",
        "level.xml",
        science_birds_xml.load,
        lambda _: [{"level.xml": science_birds_xml.to_xml(level).encode()} for level in _bases()],
        _check_level,
        make=_changed_xml,
        share=90,
        largest=_largest_level("level.xml", science_birds_xml.to_xml),
    ),
    Simulated("phyq-episodes", "", _read_episode, _json_samples, make=_episode, share=12, together=_played),
    Format("phyq-shots", "shot.json", _use_shots, lambda _: (), make=_odd_shots, reads_files=False, share=40),
    Format(
        "phyq-rates",
        "rates.json",
        read_rates,
        lambda _: [{"rates.json": b'{"3": 0.25, "4": 0.5}'}],
        share=8,
        largest=lambda _: {"rates.json": b'{"3": 0.25}'},
        bombs=lambda _: iter(
            [("tasks", {"rates.json": b"{" + b",".join(b'"3.1:%d":0.5' % k for k in range(50_000)) + b"}"})]
        ),
    ),
    Format(
        "phyq-level-sets",
        "set.json",
        lambda path: solutions_in(path.parent),
        lambda _: [{"set.json": json.dumps(LEVEL_SET).encode()}],
        share=8,
        largest=lambda _: {"set.json": json.dumps(LEVEL_SET).encode()},
        bombs=_level_set_bombs,
    ),
    Format(
        "phyq-first-shots",
        "first.npz",
        read_first_shots,
        lambda folder: [dict(_first_shots(folder, 3))],
        _check_first_shots,
        share=8,
        largest=lambda folder: _first_shots(folder, 7500),
        bombs=_first_shot_bombs,
    ),
    Format(
        "phyq-messages",
        "messages",
        _read_messages,
        lambda _: (),
        make=_messages,
        reads_files=False,
        share=12,
        largest=lambda _: {"messages": b"\x0c" * 500_000},
        bombs=_message_bombs,
    ),
)
