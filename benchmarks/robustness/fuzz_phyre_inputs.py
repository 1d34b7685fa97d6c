"""PHYRE: task files in all formats, tasks that are simulated, odd actions, sweep stores and DQN checkpoints."""

import json
import lzma
import struct
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_kind import Files, Finding, Kind, Tally, expect, judge
from mutation import mutated_bytes, mutated_json, odd_value
from names import named_value

from tumble.errors import TumbleError
from tumble.phyre import Simulator
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.tasks_by_id import task
from tumble.phyre.simulation.sweep_files import SweepStore, create_store, open_store
from tumble.scene import Circle

SAMPLES = ("00000:000", "00002:001", "00007:003", "00013:042", "00101:002", "00110:005", "00124:001")
"""Published tasks of both tiers with balls, bars and jars."""


def published_record(sample: Task) -> dict[str, Any]:
    """A task as the published JSON has it."""
    bodies = [
        {
            "x": body.position[0],
            "y": body.position[1],
            "angle": body.angle,
            "dynamic": body.dynamic,
            "color": {"object": 2, "subject": 3}.get(body.role, 5),
            "shapes": [
                {"radius": shape.radius}
                if isinstance(shape, Circle)
                else {"vertices": [list(v) for v in shape.vertices]}
                for shape in body.shapes
            ],
        }
        for body in sample.scene.bodies
    ]
    goal = {"body": sample.body, "other": sample.other, "relation": "touching"}
    return {"tier": sample.tier, "goal": goal, "bodies": bodies}


def thrift(samples: list[Task]) -> bytes:
    """Tasks as the original binary file has them: Thrift's binary protocol."""
    return _struct({1: (15, _list(12, [_task_struct(sample) for sample in samples]))})


def _struct(fields: dict[int, tuple[int, bytes]]) -> bytes:
    return b"".join(struct.pack(">bh", kind, number) + raw for number, (kind, raw) in fields.items()) + b"\0"


def _list(kind: int, items: list[bytes]) -> bytes:
    return struct.pack(">bi", kind, len(items)) + b"".join(items)


def _double(value: float) -> tuple[int, bytes]:
    return 4, struct.pack(">d", value)


def _int(value: int) -> tuple[int, bytes]:
    return 8, struct.pack(">i", value)


def _text(value: str) -> tuple[int, bytes]:
    return 11, struct.pack(">i", len(value.encode())) + value.encode()


def _vector(x: float, y: float) -> bytes:
    return _struct({1: _double(x), 2: _double(y)})


def _task_struct(sample: Task) -> bytes:
    bodies = []
    for body in sample.scene.bodies:
        shapes = [
            _struct({2: (12, _struct({1: _double(shape.radius)}))})
            if isinstance(shape, Circle)
            else _struct({1: (12, _struct({1: (15, _list(12, [_vector(*v) for v in shape.vertices]))}))})
            for shape in body.shapes
        ]
        fields = {
            1: (12, _vector(*body.position)),
            2: _int(2 if body.dynamic else 1),
            3: _double(body.angle),
            4: (15, _list(12, shapes)),
            5: _int({"object": 2, "subject": 3}.get(body.role, 5)),
        }
        bodies.append(_struct(fields))
    scene = _struct({1: (15, _list(12, bodies)), 3: _int(256), 4: _int(256)})
    tier = "BALL" if sample.tier == "B" else "TWO_BALLS"
    fields = {
        1: _text(sample.id),
        2: (12, scene),
        3: _int(sample.body),
        4: _int(sample.other),
        5: (15, _list(8, [struct.pack(">i", 6)])),
        9: _text(tier),
    }
    return _struct(fields)


class TaskFiles(Kind):
    """Task files: read, and where they are accepted written and read again."""

    batch = 500
    file = "tasks.json"

    def prepare(self, folder: Path) -> None:
        self.tasks = [task(name) for name in SAMPLES]

    def use(self, folder: Path) -> None:
        tasks = task_files.load(folder / self.file)
        task_files.save(folder / "copy.json", tasks)
        copy = task_files.load(folder / "copy.json")
        task_files.save(folder / "second.json", copy)
        expect(task_files.load(folder / "second.json") == copy, "it is read back differently")
        expect(list(copy) == list(tasks), "it is read back with other ids")


class OwnTasks(TaskFiles):
    """Our JSON."""

    name, share = "phyre-own-json", 80

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        task_files.save(folder / "tasks.json", self.tasks)
        self.records = json.loads((folder / "tasks.json").read_text())

    def make(self, rng: Random) -> Files:
        records = rng.sample(self.records, rng.choice((1, 1, 2)))
        return {self.file: mutated_json(rng, records[0] if rng.random() < 0.3 else records)}


class PublishedTasks(TaskFiles):
    """The published JSON, sometimes compressed."""

    name, share = "phyre-published-json", 80

    def make(self, rng: Random) -> Files:
        samples = rng.sample(self.tasks, rng.choice((1, 1, 2)))
        text = mutated_json(rng, {sample.id: published_record(sample) for sample in samples})
        if rng.random() < 0.1:
            text = lzma.compress(text, preset=0)
            text = mutated_bytes(rng, text) if rng.random() < 0.7 else text
        return {self.file: text}


class BinaryTasks(TaskFiles):
    """The original binary file."""

    name, share = "phyre-binary", 90
    file = "tasks.bin"

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.files = [thrift([sample]) for sample in self.tasks]

    def make(self, rng: Random) -> Files:
        data = rng.choice(self.files)
        return {self.file: data[:1] + mutated_bytes(rng, data[1:])}


class SimulatedTasks(Kind):
    """Tasks whose bodies were changed, and odd actions, simulated together."""

    name, share = "phyre-attempts", 40
    batch = 250

    def prepare(self, folder: Path) -> None:
        self.samples = [published_record(task(name)) for name in SAMPLES]

    def make(self, rng: Random) -> Files:
        record = json.loads(json.dumps(rng.choice(self.samples)))
        for body in rng.sample(record["bodies"], rng.randrange(1, 4)):
            name = rng.choice(("x", "y", "angle", "dynamic", "shapes"))
            if name == "dynamic":
                body[name] = not body[name]
            elif name == "shapes":
                body[name] = rng.choice(rng.choice(self.samples)["bodies"])["shapes"]
            else:
                body[name] += rng.choice((rng.uniform(-100.0, 100.0), rng.uniform(-1e6, 1e6)))
        numbers = 3 if record["tier"] == "B" else 6
        action = [rng.choice((rng.random(), rng.random(), 0.0, 1.0, 0.5, 1e-300)) for _ in range(numbers)]
        return {"tasks.json": json.dumps({"mine:000": record}).encode(), "action.json": json.dumps(action).encode()}

    def check(self, seed: int, first: int, count: int, folder: Path) -> Tally:
        tally = Tally()
        tasks: dict[str, list[tuple[int, Task, list[float]]]] = {"B": [], "2B": []}
        for number in range(first, first + count):
            files = self.make(Random(f"{seed}/{self.name}/{number}"))
            content, action = files["tasks.json"], files["action.json"]
            assert isinstance(content, bytes)
            assert isinstance(action, bytes)
            (folder / "tasks.json").write_bytes(content)
            read: list[Task] = []
            refused = Tally()
            judge(
                self.name,
                number,
                lambda read=read: read.extend(task_files.load(folder / "tasks.json").values()),
                refused,
            )
            refused.accepted = 0
            tally.add(refused)
            for own in read:
                named = Task(f"mine:{number}", own.tier, own.scene, own.body, own.other)
                tasks[own.tier].append((number, named, json.loads(action)))
        for tier, attempts in tasks.items():
            self._simulate(tier, attempts, tally)
        return tally

    def _simulate(self, tier: str, attempts: list[tuple[int, Task, list[float]]], tally: Tally) -> None:
        if not attempts:
            return
        try:
            simulator = Simulator([own for _, own, _ in attempts], tier, threads=1)
            actions = [action for _, _, action in attempts]
            results = simulator.attempts([own.id for _, own, _ in attempts], actions, want=("states",))
        except TumbleError as error:
            if len(attempts) > 1:
                half = len(attempts) // 2
                self._simulate(tier, attempts[:half], tally)
                self._simulate(tier, attempts[half:], tally)
            else:
                judge(self.name, attempts[0][0], lambda error=error: _raise(error), tally)
            return
        for (number, _, _), result in zip(attempts, results, strict=True):
            finite = result.states is None or bool(np.isfinite(result.states).all())
            if result.status not in (-1, 0, 1) or not finite:
                tally.findings.append(Finding(self.name, number, f"status {result.status}, finite states: {finite}"))
            else:
                tally.accepted += 1


def _raise(error: Exception) -> None:
    raise error


class OddActions(Kind):
    """Odd arrays of actions for one task."""

    name, share = "phyre-actions", 40
    reads_files = False

    def prepare(self, folder: Path) -> None:
        self.simulators = {
            tier: Simulator([task(name)], tier, threads=1) for tier, name in (("B", "00000:000"), ("2B", "00101:002"))
        }

    def make(self, rng: Random) -> Files:
        tier = rng.choice(("B", "2B"))
        width = {"B": 3, "2B": 6}[tier] + (rng.random() < 0.1)
        rows: Any = [[rng.random() for _ in range(width)] for _ in range(rng.randrange(4))]
        for _ in range(rng.choice((0, 1, 1, 2))):
            if rows and rows[0] and rng.random() < 0.8:
                rows[rng.randrange(len(rows))][rng.randrange(width)] = odd_value(rng)
            else:
                rows = rng.choice((odd_value(rng), [rows], rows[:1], rows[0] if rows else rows))
                break
        return {"actions.json": json.dumps([tier, rows]).encode()}

    def named(self, rng: Random, files: Files) -> Files:
        content = files["actions.json"]
        assert isinstance(content, bytes)
        tier, rows = json.loads(content)
        return {"actions.json": json.dumps([tier, named_value(rng, [rows, None])]).encode()}

    def use(self, folder: Path) -> None:
        tier, actions = json.loads((folder / "actions.json").read_bytes())
        simulator = self.simulators[tier]
        count = len(actions) if isinstance(actions, list) else 1
        status = simulator.pairs([simulator.tasks[0].id] * count, actions)
        expect(status.shape == (count,) and bool(np.isin(status, (-1, 0, 1)).all()), "wrong statuses")


def sample_store(folder: Path) -> SweepStore:
    """A small store whose statuses are random."""
    tasks = [task(f"00000:{k:03d}") for k in range(6)]
    store = create_store(folder, tasks, "B", np.random.default_rng(1).random((10, 3)), tasks_per_shard=2)
    store.fill(_NoPhysics(tasks), progress=lambda _: None)
    return store


class SweepStores(Kind):
    """The files of a sweep store, mutated; half of the descriptions are sealed again, so that more is read."""

    name, share = "phyre-stores", 40

    def prepare(self, folder: Path) -> None:
        self.store = sample_store(folder / "store")
        self.files = {path.name: path.read_bytes() for path in (folder / "store").iterdir()}
        self.statuses, self.actions = self.store.statuses(), self.store.actions

    def make(self, rng: Random) -> Files:
        files: Files = dict(self.files)
        name = rng.choice(sorted(self.files))
        if name == "store.json":
            files[name] = mutated_json(rng, json.loads(self.files[name]))
            if rng.random() < 0.5:
                files[name] = _sealed(files[name])
        else:
            files[name] = mutated_bytes(rng, self.files[name])
        if rng.random() < 0.03:
            del files[rng.choice(sorted(self.files))]
        return files

    def named(self, rng: Random, files: Files) -> Files:
        record = named_value(rng, json.loads(self.files["store.json"]))
        return {**self.files, "store.json": _sealed(json.dumps(record).encode())}

    def use(self, folder: Path) -> None:
        store = open_store(folder)
        store.counts()
        same = np.array_equal(store.actions, self.actions) and np.array_equal(store.statuses(), self.statuses)
        expect(same or store.contents != self.store.contents, "a change went unnoticed")
        expect(bool(np.isfinite(store.actions).all()), "actions are not finite")


class _NoPhysics:
    """Statuses that need no simulation."""

    def __init__(self, tasks: list[Task]) -> None:
        self.tasks = tasks

    def sweep(self, actions: Any, task_ids: Any = None, progress: Any = None) -> np.ndarray:
        return np.random.default_rng(2).integers(-1, 2, (len(task_ids), len(actions)), np.int8)


def _sealed(text: Any) -> bytes:
    """A description of a store with the seal that fits its fields, if it is an object."""
    try:
        record = json.loads(text)
        fields = {name: value for name, value in record.items() if name not in ("format", "version", "seal")}
        return json.dumps({**record, "seal": sha256(json.dumps(fields).encode()).hexdigest()}).encode()
    except (ValueError, AttributeError, RecursionError):
        return bytes(text)


class Checkpoints(Kind):
    """A DQN's checkpoint, mutated; a third gets a fitting digest, so that more is read."""

    name, share, needs = "dqn-checkpoints", 10, ("torch",)

    def prepare(self, folder: Path) -> None:
        import torch

        from tumble.phyre.models.training import CHECKPOINT_FORMAT, save_checkpoint

        network = {"layer.weight": torch.arange(12.0).reshape(3, 4), "layer.bias": torch.zeros(3)}
        content = {"settings": {"updates": 2, "hidden": [8]}, "training": {"tier": "B"}, "step": 2, "network": network}
        save_checkpoint(folder / "sample.pt", content)
        self.data = (folder / "sample.pt").read_bytes()
        self.content = {"format": CHECKPOINT_FORMAT, **content}

    def make(self, rng: Random) -> Files:
        from tumble.learning.harness import DIGEST_TRAILER_BYTES, checkpoint_bytes

        if rng.random() < 0.33:
            inner = self.data[:-DIGEST_TRAILER_BYTES]
            return {"net.pt": checkpoint_bytes(mutated_bytes(rng, inner))}
        return {"net.pt": mutated_bytes(rng, self.data)}

    def named(self, rng: Random, files: Files) -> Files:
        import torch

        from tumble.learning.harness import checkpoint_bytes

        stream = BytesIO()
        own = {name: named_value(rng, self.content[name]) for name in ("settings", "training") if rng.random() < 0.7}
        torch.save({**self.content, **own}, stream)
        return {"net.pt": checkpoint_bytes(stream.getvalue())}

    def use(self, folder: Path) -> None:
        from tumble.phyre.models.training import CHECKPOINT_FORMAT, checkpoint_settings, load_checkpoint

        content = load_checkpoint(folder / "net.pt")
        checkpoint_settings(folder / "net.pt")
        expect(content["format"] == CHECKPOINT_FORMAT, "another format")


KINDS: tuple[Kind, ...] = (
    OwnTasks(),
    PublishedTasks(),
    BinaryTasks(),
    SimulatedTasks(),
    OddActions(),
    SweepStores(),
    Checkpoints(),
)
