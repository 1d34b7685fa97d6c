"""Phy-Q: level files in both formats, levels that are played, and odd shots."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_kind import Files, Finding, Kind, Tally, expect, judge
from mutation import mutated_bytes, mutated_json, mutated_text, odd_value

from tumble.errors import TumbleError
from tumble.phyq.catalogue import level_json, science_birds_xml
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.simulation.shots import Shot, table_of
from tumble.phyq.simulation.simulator import Simulator

STATUSES = ("won", "lost", "cap", "open")


class OwnLevels(Kind):
    """Levels as JSON: read, and written in both formats."""

    name, share, batch = "phyq-json", 80, 500

    def prepare(self, folder: Path) -> None:
        self.samples = [json.loads(level_json.to_json(design.base)) for design in templates().values()]

    def make(self, rng: Random) -> Files:
        return {"level.json": mutated_json(rng, rng.choice(self.samples))}

    def use(self, folder: Path) -> None:
        check_level(level_json.load(folder / "level.json"), folder)


class XmlLevels(Kind):
    """Levels in the XML of Science Birds: read, and written in both formats."""

    name, share, batch = "phyq-xml", 90, 500

    def prepare(self, folder: Path) -> None:
        self.samples = [science_birds_xml.to_xml(design.base) for design in templates().values()]

    def make(self, rng: Random) -> Files:
        text = rng.choice(self.samples)
        pick = rng.random()
        if pick < 0.4:
            return {"level.xml": _changed_attribute(rng, text).encode("utf-8", "surrogatepass")}
        if pick < 0.402:
            return {"level.xml": b"<Level>" * 100_000}
        if pick < 0.45:
            return {"level.xml": mutated_bytes(rng, text.encode("utf-16"))}
        if pick < 0.5:
            return {"level.xml": mutated_text(rng, text).encode("utf-8", "surrogatepass")}
        return {"level.xml": mutated_bytes(rng, text.encode())}

    def use(self, folder: Path) -> None:
        check_level(science_birds_xml.load(folder / "level.xml"), folder)


def check_level(level: Level, folder: Path) -> None:
    """The level must be read back equal from both formats."""
    for files, name in ((level_json, "copy.json"), (science_birds_xml, "copy.xml")):
        files.save(level, folder / name)
        expect(files.load(folder / name) == level, f"{name} is read back differently")


def _changed_attribute(rng: Random, text: str) -> str:
    parts = text.split('"')
    k = rng.randrange(1, len(parts), 2)
    value = odd_value(rng)
    parts[k] = value if isinstance(value, str) else json.dumps(value)
    return '"'.join(parts)


class PlayedLevels(Kind):
    """Levels whose pieces were moved, played together with random shots."""

    name, share, batch = "phyq-episodes", 12, 40

    def prepare(self, folder: Path) -> None:
        self.samples = [json.loads(level_json.to_json(design.base)) for design in templates().values()]

    def make(self, rng: Random) -> Files:
        level = json.loads(json.dumps(rng.choice(self.samples)))
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

    def check(self, seed: int, first: int, count: int, folder: Path) -> Tally:
        tally = Tally()
        episodes: list[tuple[int, Level, list[Shot]]] = []
        for number in range(first, first + count):
            files = self.make(Random(f"{seed}/{self.name}/{number}"))
            refused = Tally()
            judge(self.name, number, lambda n=number, f=files: episodes.append((n, *_episode(f))), refused)
            refused.accepted = 0
            tally.add(refused)
        self._play(episodes, tally)
        return tally

    def _play(self, episodes: list[tuple[int, Level, list[Shot]]], tally: Tally) -> None:
        if not episodes:
            return
        try:
            simulator = Simulator([level for _, level, _ in episodes], threads=1)
            played = simulator.play(np.arange(len(episodes)), [shots for _, _, shots in episodes], want=("states",))
        except TumbleError as error:
            if len(episodes) > 1:
                half = len(episodes) // 2
                self._play(episodes[:half], tally)
                self._play(episodes[half:], tally)
            else:
                judge(self.name, episodes[0][0], lambda error=error: _raise(error), tally)
            return
        assert played.states is not None
        for k, (number, _, _) in enumerate(episodes):
            # Bodies that are gone have NaN; a present one must not.
            present = played.states.present[k].astype(bool)
            poses = played.states.poses[k][: len(present)][present]
            if str(played.status[k]) not in STATUSES or not np.isfinite(poses).all():
                tally.findings.append(Finding(self.name, number, f"status {played.status[k]}, or NaN in a pose"))
            else:
                tally.accepted += 1


def _episode(files: Files) -> tuple[Level, list[Shot]]:
    level, shots = files["level.json"], files["shots.json"]
    assert isinstance(level, bytes)
    assert isinstance(shots, bytes)
    return level_json.from_json(level.decode()), [Shot(**shot) for shot in json.loads(shots)]


def _raise(error: Exception) -> None:
    raise error


class OddShots(Kind):
    """Odd values for shots and tables of shots."""

    name, share, batch = "phyq-shots", 40, 1000
    reads_files = False

    def make(self, rng: Random) -> Files:
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

    def use(self, folder: Path) -> None:
        fields, tables = json.loads((folder / "shot.json").read_bytes())
        shot: TumbleError | None = None
        try:
            Shot(**fields)
        except TumbleError as error:
            shot = error
        angles = tables.pop("angles")
        table = table_of(angles, tables.pop("stretches", 1.0), **tables)
        expect(bool(np.isfinite(table.pulls).all()), "pulls are not finite")
        if shot is not None:
            raise shot


KINDS: tuple[Kind, ...] = (OwnLevels(), XmlLevels(), PlayedLevels(), OddShots())
