"""PHYRE: tasks, scenes, sessions, sweeps, pools, checkpoints and brief logs: honest ones, and bombs."""

import json
import struct
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import bomb_files as files
import numpy as np
from bomb_files import Content, copies, json_texts, packed, xz
from reader import Reader


@cache
def _published() -> list[Any]:
    from tumble.phyre.catalogue.tasks_by_id import published_tasks

    return [*published_tasks("B").values(), *published_tasks("2B").values()]


def _read_tasks(path: Path) -> None:
    from tumble.phyre.catalogue import task_files

    task_files.load(path)


def _honest_tasks(file: str, kind: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        from tumble.phyre.catalogue import task_files

        task_files.save(folder / file, _published(), kind)
        return (folder / file).read_bytes()

    return make


def _task_texts(size: int) -> Iterator[tuple[str, bytes]]:
    """Tasks as JSON: many tasks, bodies, shapes and corners, in both formats."""
    circle, ring = {"radius": 1}, [[round(float(x), 3), round(float(y), 3)] for x, y in _ring(16)]
    body = {"x": 1, "y": 1, "angle": 0, "dynamic": True, "shapes": [circle]}
    task = {"tier": "B", "goal": {"body": 0, "other": 1}, "bodies": [body, body]}
    yield "published tasks", _tasks(task, size)
    yield "bodies", copies({"a:0": task}, "a:0", "bodies", size=size)
    yield "circles", copies({"a:0": task}, "a:0", "bodies", 0, "shapes", size=size)
    polygon = {**body, "shapes": [{"vertices": ring}]}
    yield "polygons", copies({"a:0": {**task, "bodies": [polygon, polygon]}}, "a:0", "bodies", 0, "shapes", size=size)
    yield "other polygons", _other_polygons(task, body, size)
    yield (
        "corners",
        copies({"a:0": {**task, "bodies": [polygon, body]}}, "a:0", "bodies", 0, "shapes", 0, "vertices", size=size),
    )
    area = {**task, "goal": {"body": 0, "other": 1, "relation": "inside", "area": [[0, 0], [1, 1]]}}
    yield "an area", copies({"a:0": area}, "a:0", "goal", "area", size=size)
    inside = {**task, "goal": {"body": 0, "other": 1, "relation": "inside"}, "bodies": [body, polygon]}
    yield "the hull of many polygons", copies({"a:0": inside}, "a:0", "bodies", 1, "shapes", size=size)
    yield (
        "relations",
        copies(
            {"a:0": {**task, "goal": {"body": 0, "other": 1, "relation": ["touching"]}}},
            "a:0",
            "goal",
            "relation",
            size=size,
        ),
    )
    scene = {"version": 1, "bodies": [{"shapes": [{"type": "circle", "radius": 1}], "dynamic": True}] * 2}
    own = {"id": "a:0", "tier": "B", "goal": {"body": 0, "other": 1}, "scene": scene}
    yield "own tasks", copies([[own]], 0, size=size)[1:-1]
    yield "own bodies", copies([own], 0, "scene", "bodies", size=size)
    named = {
        **own,
        "goal": {"body": "x", "other": "y"},
        "scene": {**scene, "bodies": [{**scene["bodies"][0], "name": "b"}]},
    }
    yield "names of bodies", copies([named], 0, "scene", "bodies", size=size)


def _ring(corners: int) -> np.ndarray:
    turns = np.arange(corners) * 2.0 * np.pi / corners
    return np.stack([np.cos(turns), np.sin(turns)], axis=1) * 9.0


def _tasks(task: dict[str, Any], size: int) -> bytes:
    text = json.dumps(task)
    return ("{" + ",".join(f'"a:{k}":{text}' for k in range(size // (len(text) + 12))) + "}").encode()


def _other_polygons(task: dict[str, Any], body: dict[str, Any], size: int) -> bytes:
    """Tasks with polygons of which each is another one, 5,000 again and again: more than are remembered."""
    others = [
        json.dumps(
            {**body, "shapes": [{"vertices": [[float(x) + k / 1024, float(y)] for x, y in np.round(_ring(16), 2)]}]}
        )
        for k in range(5000)
    ]
    head, tail = json.dumps({**task, "bodies": "@"}).split('"@"')
    room = size // len(others[0])
    return f'{{"a:0":{head}[{",".join(others[k % 5000] for k in range(room))}]{tail}}}'.encode()


def _plain_tasks() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    yield from _task_texts(files.MOST)
    yield from (own for own in files.thrift_structs((900_000,)))


def _packed_tasks() -> Iterator[tuple[str, Content]]:
    yield from packed(xz, lambda size: chain(json_texts(size), _task_texts(size)))
    yield "spaces", xz(b"[" + b" " * 1_000_000_000)


def _packed_binary() -> Iterator[tuple[str, Content]]:
    for name, content in files.thrift_structs((1_000_000, 3_000_000, 30_000_000)):
        yield name, xz(content)
    yield "zeros", xz(b"\x0f" + bytes(1_000_000_000))
    yield "many streams", xz(b"{}") * 15_000
    yield "a large dictionary", b"]" + b"\xff" * 12 + bytes(20)
    from tumble.phyre.catalogue import task_binary

    some = task_binary.write_binary(_published()[:1000])
    body = some[8:-1]  # without the list's head and the struct's end
    for times in (5, 8, 12, 16):
        yield f"{times},000 tasks", xz(b"\x0f\0\1\x0c" + struct.pack(">i", 1000 * times) + body * times + b"\0")


def _read_scene(path: Path) -> None:
    from tumble.scene import load

    load(path)


def _honest_scene(folder: Path) -> bytes:
    from tumble.scene import save
    from tumble.scene.samples import SAMPLES

    del folder
    path = Path(__file__).parent / ".scene.json"
    scenes = [make() for make in SAMPLES.values()]
    save(max(scenes, key=lambda scene: len(scene.bodies)), path)
    raw = path.read_bytes()
    path.unlink()
    return raw


def _scene_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    ring = [[float(x), float(y)] for x, y in _ring(16)]
    body = {"shapes": [{"type": "circle", "radius": 1}]}
    scene = {"version": 1, "bodies": [body]}
    yield "bodies", copies(scene, "bodies")
    yield "shapes", copies(scene, "bodies", 0, "shapes")
    polygon = {"shapes": [{"type": "polygon", "vertices": ring}]}
    yield "polygons", copies({**scene, "bodies": [polygon]}, "bodies", 0, "shapes")
    yield "corners", copies({**scene, "bodies": [polygon]}, "bodies", 0, "shapes", 0, "vertices")
    yield "names", copies({**scene, "bodies": [{**body, "name": "a"}]}, "bodies")


def _read_session(path: Path) -> None:
    from tumble.phyre.simulation.session import read_session, task_from_record

    task_from_record(read_session(path.read_text()).task)


def _honest_session(folder: Path) -> bytes:
    del folder
    step = {"step": 3, "interventions": [{"kind": "remove", "body": 3}]}
    return json.dumps(
        {
            "physics": "x",
            "task": "00000:000",
            "action": [0.1] * 3,
            "max_steps": 1000,
            "history": [step] * 1000,
            "step": 3,
            "digest": "x",
        }
    ).encode()


def _session_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    sample = json.loads(_honest_session(Path()))
    yield "history", copies(sample, "history")
    yield "interventions", copies(sample, "history", 0, "interventions")
    yield "action", copies(sample, "action")
    for name, text in _task_texts(files.MOST - 5000):
        if name.startswith("own"):
            yield f"task: {name}", json.dumps({**sample, "history": [], "task": json.loads(text)[0]}).encode()


def _read_points(path: Path) -> None:
    from tumble.phyre.cli.simulate import parse_input

    parse_input([], [], path)


def _point_bombs() -> Iterator[tuple[str, Content]]:
    yield "one point", files.repeated(b"", b"1 1\n", b"")
    yield "a line", b"".join(b"%d 1\n" % k for k in range(100_000))
    yield "a chequerboard", b"".join(b"%d %d\n" % (2 * (k % 300), 2 * (k // 300)) for k in range(65_000))
    yield "a comb", b"".join(b"%d %d\n" % (k % 256, k // 256 * 2 + (k % 2)) for k in range(60_000))
    yield "a square", b"".join(b"%d %d\n" % (k % 256, k // 256) for k in range(65_536))
    yield "far away", b"".join(b"%d 999999999\n" % (k * 9999) for k in range(50_000))
    yield "spaces", b"1 " * 400_000
    yield "a long line", b"1" * files.MOST
    yield "empty lines", b"\n" * files.MOST


def _store_record() -> tuple[np.ndarray, dict[str, Any]]:
    import tempfile

    from fuzz_phyre_inputs import sample_store

    with tempfile.TemporaryDirectory() as folder:
        store = sample_store(Path(folder))
        return store.actions, json.loads((Path(folder) / "store.json").read_text())


def _read_store(path: Path) -> None:
    from tumble.phyre.simulation.sweep_files import open_store

    store = open_store(path)
    store.missing()
    store.verify()


def _honest_store(folder: Path) -> Content:
    from tumble.phyre.catalogue.task import TIERS
    from tumble.phyre.catalogue.tasks_by_id import published_tasks
    from tumble.phyre.simulation.actions import action_set
    from tumble.phyre.simulation.sweep_files import create_store

    create_store(folder / "made", published_tasks("B").values(), "B", action_set(TIERS["B"], 10_000))
    return {path.name: path.read_bytes() for path in (folder / "made").iterdir()}


def _store_bombs() -> Iterator[tuple[str, Content]]:
    yield from files.store_files(*_store_record())


def _package(path: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        import tumble

        del folder
        return (Path(tumble.__file__).parent / path).read_bytes()

    return make


def _read_solved(path: Path) -> None:
    from tumble.phyre.simulation.shipped_sweeps import read_solved

    read_solved(path)


def _solved_bombs() -> Iterator[tuple[str, Content]]:
    from hashlib import sha256

    head = json.loads(_package("phyre/data/sweeps/B.solved")(Path()).partition(b"\n")[0])

    def file(content: bytes, tasks: int = 2500) -> bytes:
        raw = xz(content)
        own = {**head, "tasks": tasks, "sha256": sha256(raw).hexdigest()}
        return json.dumps(own).encode() + b"\n" + raw

    for millions in (1, 7, 20, 60, 300):
        gaps = millions * 1_000_000
        yield f"{millions} million gaps", file(struct.pack("<i", gaps) + bytes(4 * 2499) + bytes(3 * gaps))
    yield "counts", file(b"\xff\xff\xff\x7f" * 2500)


def _read_pool(path: Path) -> None:
    from tumble.phyre.generation import training_pool

    training_pool.read.cache_clear()
    training_pool.read(str(path))


def _pool_bombs() -> Iterator[tuple[str, Content]]:
    yield from files.arrays(("tasks", "mutations", "tasks_random", "tasks_varied", "physics", "generator"))


def _read_checkpoint(path: Path) -> None:
    from tumble.phyre.models.training import load_checkpoint

    load_checkpoint(path)


def _checkpoint_bombs() -> Iterator[tuple[str, Content]]:
    import torch

    from tumble.learning.harness import checkpoint_bytes
    from tumble.phyre.models.training import CHECKPOINT_FORMAT

    content = {"format": CHECKPOINT_FORMAT, "settings": {"hidden": [8]}, "step": 1, "network": {"a": torch.zeros(9)}}
    yield from files.checkpoints(checkpoint_bytes, content)


def _read_brief(path: Path) -> None:
    from tumble.phyre.evaluation.brief_log import read

    read(path)


def _honest_brief(folder: Path) -> bytes:
    del folder
    results = Path(__file__).resolve().parents[1] / "results"
    return max((path.read_bytes() for path in results.glob("phyre-*/*.txt")), key=len)


def _brief_bombs() -> Iterator[tuple[str, Content]]:
    sound = _honest_brief(Path()).splitlines()
    for name, text in json_texts(900_000):
        yield name, text + b"\n1 1 1\n"
    yield (
        "long settings",
        json.dumps({**json.loads(sound[0]), "settings": {f"a{k}": k for k in range(50_000)}}).encode()
        + b"\n"
        + sound[1]
        + b"\n",
    )
    yield "many words", sound[0] + b"\n" + b"1 " * 400_000 + b"\n"
    yield "long words", sound[0] + b"\n" + b"9" * 900_000 + b"\n"
    yield (
        "many runs",
        b"\n".join(sound[:2]) + b"\n"
        if len(sound[1]) > 400_000
        else b"\n".join(sound[:2] * (900_000 // len(b"".join(sound[:2])))) + b"\n",
    )
    yield "empty lines", b"\n" * 900_000


def _read_analyses(path: Path) -> None:
    from tumble.phyre.generation.task_analysis import _read_analyses as _read

    _read(path)


READERS = (
    Reader("phyre-tasks", "tasks.json", _read_tasks, _honest_tasks("tasks.json", "published"), _plain_tasks),
    Reader("phyre-tasks-xz", "tasks.json.xz", _read_tasks, _honest_tasks("tasks.json.xz", "published"), _packed_tasks),
    Reader("phyre-binary-xz", "tasks.bin.xz", _read_tasks, _honest_tasks("tasks.bin.xz", "binary"), _packed_binary),
    Reader("scenes", "scene.json", _read_scene, _honest_scene, _scene_bombs),
    Reader("sessions", "session.json", _read_session, _honest_session, _session_bombs),
    Reader(
        "points",
        "points.txt",
        _read_points,
        lambda folder: b"".join(b"%d %d\n" % (k % 256, k // 256) for k in range(65_536)),
        _point_bombs,
    ),
    Reader("sweep-stores", "", _read_store, _honest_store, _store_bombs),
    Reader("solving-actions", "B.solved", _read_solved, _package("phyre/data/sweeps/B.solved"), _solved_bombs),
    Reader("training-pools", "B.npz", _read_pool, _package("phyre/data/training/2B-dense.npz"), _pool_bombs),
    Reader(
        "checkpoints",
        "dqn.pt",
        _read_checkpoint,
        _package("phyre/data/checkpoints/dqn-two_balls_within_template-0.pt"),
        _checkpoint_bombs,
        ("torch",),
    ),
    Reader("brief-logs", "runs.txt", _read_brief, _honest_brief, _brief_bombs),
)
