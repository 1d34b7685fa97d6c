"""PHYRE's formats: tasks, attempts, sessions, points, sweep stores, pools, brief logs, checkpoints, analyses."""

import json
import lzma
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from bomb_files import MOST, checkpoints, repeated, thrift_structs
from formats import Bombs, Files, Format, Simulated, expect, expect_finite, files_in, raw
from mutation import mutated_bytes, npz, odd_value
from names import named_value

import tumble
from tumble.engine import physics_id
from tumble.phyre import Simulator
from tumble.phyre.catalogue import task_binary, task_files, task_json
from tumble.phyre.catalogue.task import TIERS, Task, digest_of_tasks
from tumble.phyre.catalogue.tasks_by_id import published_tasks, task
from tumble.phyre.cli.simulate import parse_input
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import BriefResult
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.generation import task_analysis, training_pool
from tumble.phyre.generation.variations import generator_digest
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.session import read_session, task_from_record
from tumble.phyre.simulation.shipped_sweeps import SOLVED_FORMAT, _packed_gaps, read_solved
from tumble.phyre.simulation.sweep_files import SweepStore, create_store, open_store

SAMPLES = ("00000:000", "00002:001", "00007:003", "00013:042", "00101:002", "00110:005", "00124:001")
"""Published tasks of both tiers with balls, bars and jars."""
PACKAGE = Path(tumble.__file__).parent
RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
COUNTS = {"not_solved": 3, "invalid": 2, "unstable": 1, "stable": 1}
ANALYSIS = {
    "task": "00000:000",
    "tier": "B",
    "digest": "0",
    "batches": 1,
    "counts": COUNTS,
    "solution": [0.1, 0.2, 0.3],
}
ANALYSES = {"format": task_analysis.FORMAT, "physics": physics_id(), "analyses": [ANALYSIS]}


@cache
def all_tasks() -> tuple[Task, ...]:
    """All published tasks of both tiers."""
    return (*published_tasks("B").values(), *published_tasks("2B").values())


def saved(folder: Path, file: str, tasks: Sequence[Task], kind: str | None = None) -> dict[str, bytes]:
    """A file of tasks."""
    task_files.save(folder / file, tasks, *([kind] if kind else []))
    return {file: (folder / file).read_bytes()}


def _task_samples(folder: Path, file: str, kind: str | None) -> list[Files]:
    tasks = [task(name) for name in SAMPLES]
    return [dict(saved(folder, file, some, kind)) for some in (tasks[:1], tasks[4:5], tasks[:2], tasks[2:4], tasks[5:])]


def _check_tasks(tasks: dict[str, Task], folder: Path) -> None:
    task_files.save(folder / "copy.json", tasks)
    copy = task_files.load(folder / "copy.json")
    task_files.save(folder / "second.json", copy)
    expect(task_files.load(folder / "second.json") == copy, "it is read back differently")
    expect(list(copy) == list(tasks), "it is read back with other ids")


def _task_bombs(file: str, _: dict[str, bytes]) -> Bombs:
    """Polygons of which each is another one, 5,000 again and again: more than are remembered."""
    turns = np.arange(16) * np.pi / 8.0
    ring = np.round(9.0 * np.stack([np.cos(turns), np.sin(turns)], axis=1), 2)
    body = {"x": 1, "y": 1, "angle": 0, "dynamic": True}
    shapes = [[{"vertices": [[float(x) + k / 1024, float(y)] for x, y in ring]}] for k in range(5000)]
    others = [json.dumps({**body, "shapes": own}) for own in shapes]
    size = 30_000_000 if file.endswith(".xz") else MOST
    bodies = ",".join(others[k % 5000] for k in range(size // len(others[0])))
    text = f'{{"a:0": {{"tier": "B", "goal": {{"body": 0, "other": 1}}, "bodies": [{bodies}]}}}}'.encode()
    yield "other polygons", {file: lzma.compress(text, preset=0) if file.endswith(".xz") else text}
    for trick, content in () if file.endswith(".xz") else thrift_structs(900_000):
        yield trick, {file: content}


def _binary_bombs(_: dict[str, bytes]) -> Bombs:
    body = task_binary.write_binary(all_tasks()[:1000])[8:-1]  # without the list's head and the struct's end
    for times in (5, 8, 12, 16):
        content = b"\x0f\0\1\x0c" + struct.pack(">i", 1000 * times) + body * times + b"\0"
        yield f"{times},000 tasks", {"tasks.bin.xz": lzma.compress(content, preset=0)}


def task_format(name: str, file: str, kind: str | None, bombs: Callable[[dict[str, bytes]], Bombs]) -> Format:
    """A format of task files."""
    return Format(
        name,
        file,
        task_files.load,
        lambda folder: _task_samples(folder, file, kind),
        _check_tasks,
        share=60,
        largest=None if kind is None else lambda folder: saved(folder, file, all_tasks(), kind),
        bombs=bombs,
    )


def _changed_attempt(rng: Random, samples: Sequence[Files]) -> Files:
    """A task whose bodies were changed, and an odd action."""
    records = [json.loads(raw(sample, "tasks.json")) for sample in samples]
    (record,) = rng.choice(records).values()
    for body in rng.sample(record["bodies"], rng.randrange(1, 4)):
        changed = rng.choice(("x", "y", "angle", "dynamic", "shapes"))
        if changed == "dynamic":
            body[changed] = not body[changed]
        elif changed == "shapes":
            other = next(iter(rng.choice(records).values()))
            body[changed] = rng.choice(other["bodies"])["shapes"]
        else:
            body[changed] += rng.choice((rng.uniform(-100.0, 100.0), rng.uniform(-1e6, 1e6)))
    action = [rng.choice((rng.random(), rng.random(), 0.0, 1.0, 0.5, 1e-300)) for _ in range(3 * len(record["tier"]))]
    return {"tasks.json": json.dumps({"mine:000": record}).encode(), "action.json": json.dumps(action).encode()}


def _read_attempt(folder: Path) -> tuple[Task, list[float]]:
    (own,) = task_files.load(folder / "tasks.json").values()
    return own, json.loads((folder / "action.json").read_bytes())


def _attempted(numbered: list[tuple[int, tuple[Task, list[float]]]]) -> Iterator[tuple[int, str]]:
    for tier in TIERS:
        attempts = [(number, own, action) for number, (own, action) in numbered if own.tier == tier]
        if not attempts:
            continue
        tasks = [Task(f"mine:{number}", tier, own.scene, own.body, own.other) for number, own, _ in attempts]
        simulator = Simulator(tasks, tier, threads=1)
        actions = [action for *_, action in attempts]
        results = simulator.attempts([own.id for own in tasks], actions, want=("states",))
        for (number, *_), result in zip(attempts, results, strict=True):
            finite = result.states is None or bool(np.isfinite(result.states).all())
            good = result.status in (-1, 0, 1) and finite
            yield number, "" if good else f"status {result.status}, finite states: {finite}"


def _odd_actions(rng: Random, _: Sequence[Files]) -> Files:
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


def _named_actions(rng: Random, files: Files) -> Files:
    tier, rows = json.loads(raw(files, "actions.json"))
    return {"actions.json": json.dumps([tier, named_value(rng, [rows, None])]).encode()}


@cache
def _simulator(tier: str) -> Simulator:
    return Simulator([task({"B": "00000:000", "2B": "00101:002"}[tier])], tier, threads=1)


def _use_actions(path: Path) -> None:
    tier, actions = json.loads(path.read_bytes())
    count = len(actions) if isinstance(actions, list) else 1
    status = _simulator(tier).pairs([_simulator(tier).tasks[0].id] * count, actions)
    expect(status.shape == (count,) and bool(np.isin(status, (-1, 0, 1)).all()), "wrong statuses")


class _NoPhysics:
    """Statuses that need no simulation."""

    def __init__(self, tasks: list[Task]) -> None:
        self.tasks = tasks

    def sweep(self, actions: Any, task_ids: Any = None, progress: Any = None) -> np.ndarray:
        return np.random.default_rng(2).integers(-1, 2, (len(task_ids), len(actions)), np.int8)


def sample_store(folder: Path) -> SweepStore:
    """A small store whose statuses are random."""
    tasks = [task(f"00000:{k:03d}") for k in range(6)]
    store = create_store(folder, tasks, "B", np.random.default_rng(1).random((10, 3)), tasks_per_shard=2)
    store.fill(_NoPhysics(tasks), progress=lambda _: None)
    return store


def _store_samples(folder: Path) -> list[Files]:
    sample_store(folder / "store")
    return [dict(files_in(folder / "store"))]


def _sealed_store(files: Files) -> Files:
    record = json.loads(raw(files, "store.json"))
    fields = {name: value for name, value in record.items() if name not in ("format", "version", "seal")}
    seal = sha256(json.dumps(fields).encode()).hexdigest()
    return {**files, "store.json": json.dumps({**record, "seal": seal}).encode()}


def _read_store(folder: Path) -> SweepStore:
    store = open_store(folder)
    store.missing()
    store.verify()
    return store


def _check_store(store: SweepStore, _: Path) -> None:
    store.counts()
    known = np.random.default_rng(1).random((10, 3))
    whole = _NoPhysics([]).sweep(store.actions, range(2))
    same = np.array_equal(store.actions, known) and np.array_equal(store.statuses(), np.tile(whole, (3, 1)))
    expect(same or store.contents != _store_contents(), "a change went unnoticed")
    expect(bool(np.isfinite(store.actions).all()), "actions are not finite")


@cache
def _store_contents() -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return sample_store(Path(folder) / "store").contents


def _largest_store(folder: Path) -> dict[str, bytes]:
    create_store(folder / "made", published_tasks("B").values(), "B", action_set(TIERS["B"], 10_000))
    return files_in(folder / "made")


def _store_bombs(sample: dict[str, bytes]) -> Bombs:
    record, many = json.loads(sample["store.json"]), bytes(960_000)
    ids = [f"{k}" for k in range(100_000)]
    for trick, changes, own in (
        ("many tasks", {"tasks": ids}, {}),
        ("a task per shard", {"tasks": ids, "tasks_per_shard": 1}, {}),
        ("more actions than there are", {"actions": 1 << 31}, {}),
        ("many actions", {"actions": 40_000, "actions_sha256": sha256(many).hexdigest()}, {"actions.npy": many}),
    ):
        text = json.dumps({**record, **changes}).encode()
        yield trick, {"store.json": text, "actions.npy": sample["actions.npy"], **own}


def _session_samples(_: Path) -> list[Files]:
    whole = json.loads(task_json.write_own([task("00000:000")]))[0]
    base = {"physics": "x", "action": [0.1, 0.2, 0.3], "max_steps": 100, "step": 3, "digest": "x"}
    history = [{"step": 3, "interventions": [{"kind": "remove", "body": 3}]}]
    texts = [{**base, "task": own, "history": history} for own in ("00000:000", whole)]
    return [{"session.json": json.dumps(text).encode()} for text in texts]


def _largest_session(folder: Path) -> dict[str, bytes]:
    session = json.loads(raw(_session_samples(folder)[0], "session.json"))
    return {"session.json": json.dumps({**session, "history": session["history"] * 1000}).encode()}


def _read_session(path: Path) -> Task:
    return task_from_record(read_session(path.read_bytes().decode("utf-8", "surrogateescape")).task)


def _points(rng: Random, _: Sequence[Files]) -> Files:
    lines = [f"{rng.randrange(20)} {rng.randrange(20)}" for _ in range(rng.randrange(12))]
    return {"points.txt": mutated_bytes(rng, "\n".join(lines).encode())}


def _square(_: Path) -> dict[str, bytes]:
    return {"points.txt": b"".join(b"%d %d\n" % (k % 256, k // 256) for k in range(65_536))}


def _point_bombs(_: dict[str, bytes]) -> Bombs:
    for trick, text in (
        ("one point", repeated(b"", b"1 1\n", b"")),
        ("a line", b"".join(b"%d 1\n" % k for k in range(100_000))),
        ("a chequerboard", b"".join(b"%d %d\n" % (2 * (k % 300), 2 * (k // 300)) for k in range(65_000))),
        ("a comb", b"".join(b"%d %d\n" % (k % 256, k // 256 * 2 + (k % 2)) for k in range(60_000))),
        ("a square", _square(Path())["points.txt"]),
        ("far away", b"".join(b"%d 999999999\n" % (k * 9999) for k in range(50_000))),
        ("spaces", b"1 " * 400_000),
        ("a long line", b"1" * MOST),
        ("empty lines", b"\n" * MOST),
    ):
        yield trick, {"points.txt": text}


def _pool_samples(_: Path) -> list[Files]:
    counts = training_pool.Counts((8, 4, 4), (8, 4, 4), 2, 1)
    ids, packed = np.array([f"00000:{k:03d}" for k in range(2)]), np.full((2, 2), 0, np.uint8)
    arrays = {
        "physics": np.array(physics_id()),
        "generator": np.array(generator_digest()),
        "format": np.array(training_pool.FORMAT),
        "drawn": np.array(counts.drawn),
        "kept": np.array(counts.kept),
        "tasks": ids,
        "tasks_counts": np.array(counts.tasks),
        "tasks_random": packed,
        "tasks_varied": packed,
        "mutations": ids[:0],
        "mutations_counts": np.array(counts.mutations),
        "mutations_random": packed[:0],
        "mutations_varied": packed[:0],
    }
    return [{"pool.npz": npz(arrays)}]


def _read_pool(path: Path) -> Path:
    training_pool.read.cache_clear()
    training_pool.read(str(path))
    return path


def _check_pool(path: Path, _: Path) -> None:
    pool = training_pool.load(path, [task(f"00000:{k:03d}") for k in range(2)])
    expect_finite(pool.of_tasks.variations, "variations")
    expect(set(np.unique(pool.of_tasks.random)) <= {-1, 0, 1, 2}, "statuses that there are not")


def _solved_samples(_: Path) -> list[Files]:
    digest = digest_of_tasks(list(published_tasks("B").values()))
    head = {"format": SOLVED_FORMAT, "physics": physics_id(), "tier": "B", "tasks_sha256": digest}
    packed = _packed_gaps([np.array([k, k + 5, 90]) for k in range(4)])
    head |= {"tasks": 4, "actions": 100, "sha256": sha256(packed).hexdigest()}
    return [{"B.solved": json.dumps(head).encode() + b"\n" + packed}]


def _sealed_solved(files: Files) -> Files:
    head, _, body = raw(files, "B.solved").partition(b"\n")
    return {"B.solved": json.dumps({**json.loads(head), "sha256": sha256(body).hexdigest()}).encode() + b"\n" + body}


def _check_solved(content: Any, _: Path) -> None:
    _, actions, solving = content
    expect(all(not len(own) or 0 <= own.min() <= own.max() < actions for own in solving), "an action that there is not")


def _solved_bombs(sample: dict[str, bytes]) -> Bombs:
    head = json.loads(sample["B.solved"].partition(b"\n")[0]) | {"tasks": 2500}
    for millions in (0, 1, 7, 20, 60, 300):
        gaps = millions * 1_000_000
        content = struct.pack("<i", gaps) + bytes(4 * 2499) + bytes(3 * gaps) if gaps else b"\xff\xff\xff\x7f" * 2500
        file = json.dumps(head).encode() + b"\n" + lzma.compress(content, preset=0)
        yield f"{millions} million gaps", dict(_sealed_solved({"B.solved": file}))  # type: ignore[arg-type]


def _brief_samples(folder: Path) -> list[Files]:
    tasks = len(PhyreRunSpec("dqn", "ball_cross_template", 0, "validation", limit=3).task_ids())
    place = ("ball_cross_template", "dqn", "", "validation", 0, 3)
    solved_at = tuple((1, None, 7)[k % 3] for k in range(tasks))
    brief_log.write(folder / "a.txt", [BriefResult(*place, {"updates": 5}, "x", 1.0, 2.0, None, 1, "m", solved_at)])
    return [{"a.txt": (folder / "a.txt").read_bytes()}]


def _check_brief(results: list[BriefResult], folder: Path) -> None:
    for result in results:
        expect(0.0 <= result.auccess <= 100.0, "a score is not from 0 to 100")
        expect(0.0 <= result.success(100) <= 100.0, "a share is not from 0 to 100")
    brief_log.write(folder / "b.txt", results)
    expect(brief_log.read(folder / "b.txt") == results, "it is read back differently")


def _largest_brief(_: Path) -> dict[str, bytes]:
    return {"a.txt": max((path.read_bytes() for path in RESULTS.glob("phyre-*/*.txt")), key=len)}


def _checkpoint_content() -> dict[str, Any]:
    import torch

    from tumble.learning.checkpoint import FORMAT

    network = {"layer.weight": torch.arange(12.0).reshape(3, 4), "layer.bias": torch.zeros(3)}
    made = {"name": "dqn", "config": {"updates": 2}, "seed": 0, "data": "B", "budget": {"steps": 2}}
    progress = {"extra": {}, "step": 2, "seconds": 1.0, "finished": True}
    return {"format": FORMAT, **made, "network": network, **progress}


def _checkpoint_samples(folder: Path) -> list[Files]:
    from tumble.learning.checkpoint import write_checkpoint

    write_checkpoint(folder / "net.pt", _checkpoint_content())
    return [{"net.pt": (folder / "net.pt").read_bytes()}]


def _sealed_checkpoint(files: Files) -> Files:
    from tumble.learning.checkpoint import DIGEST_TRAILER_BYTES, checkpoint_bytes

    return {"net.pt": checkpoint_bytes(raw(files, "net.pt")[:-DIGEST_TRAILER_BYTES])}


def _named_checkpoint(rng: Random, _: Files) -> Files:
    import io

    import torch

    from tumble.learning.checkpoint import checkpoint_bytes

    content, stream = _checkpoint_content(), io.BytesIO()
    own = {name: named_value(rng, content[name]) for name in ("config", "budget") if rng.random() < 0.7}
    torch.save({**content, **own}, stream)
    return {"net.pt": checkpoint_bytes(stream.getvalue())}


def _read_checkpoint(path: Path) -> Any:
    from tumble.learning.checkpoint import load_network

    return load_network(path, "dqn")


def _check_checkpoint(content: Any, _: Path) -> None:
    from tumble.learning.checkpoint import FORMAT

    expect(content["format"] == FORMAT, "another format")


def _checkpoint_bombs(_: dict[str, bytes]) -> Bombs:
    from tumble.learning.checkpoint import checkpoint_bytes

    for trick, file in checkpoints(checkpoint_bytes, _checkpoint_content()):
        yield trick, {"net.pt": file}


def packaged(name: str, path: str) -> Callable[[Path], dict[str, bytes]]:
    """A file of the package, under another name."""
    return lambda _: {name: (PACKAGE / path).read_bytes()}


DQN = "phyre/data/checkpoints/dqn-two_balls_within_template-0.pt"
FORMATS: tuple[Format, ...] = (
    task_format("phyre-own-json", "tasks.json", None, lambda _: iter(())),
    task_format("phyre-tasks", "tasks.json", "published", partial(_task_bombs, "tasks.json")),
    task_format("phyre-tasks-xz", "tasks.json.xz", "published", partial(_task_bombs, "tasks.json.xz")),
    task_format("phyre-binary-xz", "tasks.bin.xz", "binary", _binary_bombs),
    Simulated(
        "phyre-attempts",
        "",
        _read_attempt,
        lambda folder: [dict(saved(folder, "tasks.json", [task(name)], "published")) for name in SAMPLES],
        make=_changed_attempt,
        share=40,
        together=_attempted,
    ),
    Format(
        "phyre-actions",
        "actions.json",
        _use_actions,
        lambda _: (),
        make=_odd_actions,
        named=_named_actions,
        reads_files=False,
        share=40,
    ),
    Format(
        "phyre-stores",
        "",
        _read_store,
        _store_samples,
        _check_store,
        reseal=_sealed_store,
        largest=_largest_store,
        bombs=_store_bombs,
        share=40,
    ),
    Format(
        "phyre-sessions",
        "session.json",
        _read_session,
        _session_samples,
        lambda own, _: expect(bool(own.id), "a task without an id"),
        largest=_largest_session,
        share=20,
    ),
    Format(
        "phyre-points",
        "points.txt",
        lambda path: parse_input([], [], path),
        lambda _: [{"points.txt": b"1 1\n1 2\n9 9\n"}],
        lambda found, folder: expect(
            len(found.bodies) < 100 or (folder / "points.txt").stat().st_size > 999, "too many bodies"
        ),
        make=_points,
        largest=_square,
        bombs=_point_bombs,
        share=8,
    ),
    Format(
        "phyre-pools",
        "pool.npz",
        _read_pool,
        _pool_samples,
        _check_pool,
        largest=packaged("pool.npz", "phyre/data/training/2B-dense.npz"),
        share=4,
    ),
    Format(
        "phyre-solving-actions",
        "B.solved",
        read_solved,
        _solved_samples,
        _check_solved,
        reseal=_sealed_solved,
        largest=packaged("B.solved", "phyre/data/sweeps/B.solved"),
        bombs=_solved_bombs,
        share=6,
    ),
    Format("brief-logs", "a.txt", brief_log.read, _brief_samples, _check_brief, largest=_largest_brief, share=12),
    Format(
        "dqn-checkpoints",
        "net.pt",
        _read_checkpoint,
        _checkpoint_samples,
        _check_checkpoint,
        named=_named_checkpoint,
        reseal=_sealed_checkpoint,
        largest=packaged("net.pt", DQN),
        bombs=_checkpoint_bombs,
        needs=("torch",),
    ),
    Format(
        "phyre-analyses",
        "a.json",
        task_analysis._read_analyses,
        lambda _: [{"a.json": json.dumps(ANALYSES).encode()}],
        share=8,
    ),
)
