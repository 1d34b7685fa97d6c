"""The readers that `bombs.py` measures: how each reads a file, its largest honest file, and what it is tried with."""

import asyncio
import json
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from robustness import bomb_files as files
from robustness.bomb_files import copies, gz, json_texts, packed, xz

Content = bytes | dict[str, bytes]
"""A file, or the files of a folder by name."""
REFUSALS = ("OSError", "FileNotFoundError", "IsADirectoryError")


@dataclass(frozen=True)
class Reader:
    """A reader of files that others wrote."""

    name: str
    file: str
    """The name of a file, which may decide how it is read."""
    read: Callable[[Path], object]
    honest: Callable[[Path], Content]
    """The largest file that anybody has a reason to give it, made in a folder."""
    bombs: Callable[[], Iterator[tuple[str, Content]]]
    needs: tuple[str, ...] = ()
    """Optional packages."""

    def missing(self) -> str:
        return next((name for name in self.needs if find_spec(name) is None), "")

    def load(self) -> None:
        """Imports what reading needs, and what is imported when it is first done."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / (self.file or "input")
            if self.file:
                path.write_bytes(b"[]")
            with suppress(Exception):  # refused: it has imported nearly everything
                self.read(path)

    def is_refusal(self, outcome: str) -> bool:
        """Whether an outcome is an error in one line that says what is wrong."""
        import tumble.errors

        name = outcome.partition(":")[0]
        known = {"TumbleError", *REFUSALS}
        waiting = [tumble.errors.TumbleError]
        while waiting:
            kind = waiting.pop()
            known.add(kind.__name__)
            waiting += kind.__subclasses__()
        return name in known


# Run logs


def _meta(tasks: int) -> dict[str, Any]:
    from fuzzing.run_logs import header

    from tumble.runs.log import FORMAT

    ids = [f"{k // 100:05d}:{k % 100:03d}" for k in range(tasks)]
    return {"format": FORMAT, "header": header().model_dump(mode="json"), "tasks": ids, "given_up": {}}


def _rows(tasks: int, numbers: int = 6) -> Iterator[dict[str, Any]]:
    """A hundred attempts at each task, of 10,000 actions."""
    draws = np.random.default_rng(1)
    actions = draws.random((10_000, numbers)).tolist()
    for task in _meta(tasks)["tasks"]:
        for k, action in enumerate(draws.integers(10_000, size=100)):
            yield {"task": task, "attempt": k + 1, "action": actions[action], "status": -1, "steps": int(action) % 1000}


def _read_log(path: Path) -> None:
    from tumble.runs.log import read

    read(path, brief=True)
    read(path)


def _honest_archive(folder: Path) -> bytes:
    """All 2,500 tasks of a tier, a hundred attempts at each."""
    from tumble.runs import archive

    archive.write(folder / "run.parquet", _meta(2500), _rows(2500))
    return (folder / "run.parquet").read_bytes()


def _honest_lines(folder: Path) -> bytes:
    from tumble.runs.lines import encode

    del folder
    meta = _meta(500)
    rows: list[dict[str, Any]] = [{"format": meta["format"], "header": meta["header"]}]
    for k, row in enumerate(_rows(500)):
        rows.append(row)
        if k % 100 == 99:
            rows.append({"task": row["task"], "done": 100, "index": k // 100, "given_up": ""})
    return encode([*rows, {"finished": 500}], "")[0]


def _line_bombs() -> Iterator[tuple[str, Content]]:
    from tumble.runs.lines import chained

    meta = _meta(1)
    head = json.dumps({"format": meta["format"], "header": meta["header"]}).encode()
    for name, text in json_texts(900_000):
        yield name, chained([head, b'{"a":' + text + b"}"], "")[0]
        yield f"header: {name}", chained([head[:-2] + b',"details":' + text + b"}}"], "")[0]
    small = b'{"task":"0","attempt":1,"action":[],"status":1,"steps":1}'
    yield "many rows", chained([head] + [small] * 11_000, "")[0]
    yield "many tasks", chained([head] + [b'{"task":"%x","done":0,"index":0}' % k for k in range(15_000)], "")[0]
    yield (
        "long actions",
        chained([head, b'{"task":"0","attempt":1,"action":[' + b"0," * 450_000 + b'0],"status":1,"steps":1}'], "")[0],
    )
    yield (
        "counts",
        chained(
            [head] + [b'{"task":"%x","done":0,"index":0,"counts":{"a":{"%x":1}}}' % (k, k) for k in range(11_000)], ""
        )[0],
    )


# PHYRE


@cache
def _published() -> list[Any]:
    from tumble.phyre.tasks.catalogue import published_tasks

    return [*published_tasks("B").values(), *published_tasks("2B").values()]


def _read_tasks(path: Path) -> None:
    from tumble.phyre.tasks.files import formats

    formats.load(path)


def _honest_tasks(file: str, kind: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        from tumble.phyre.tasks.files import formats

        formats.save(folder / file, _published(), kind)
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
    from tumble.phyre.tasks.files import published_binary

    some = published_binary.write(_published()[:1000])
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
    from tumble.phyre.simulation.sessions.saved import read_session, task_from

    task_from(read_session(path.read_text()).task)


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
    from tumble.phyre.cli.user_input import parse_input

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

    from fuzzing.phyre_inputs import sample_store

    with tempfile.TemporaryDirectory() as folder:
        store = sample_store(Path(folder))
        return store.actions, json.loads((Path(folder) / "store.json").read_text())


def _read_store(path: Path) -> None:
    from tumble.phyre.simulation.sweeps.store import open_store

    store = open_store(path)
    store.missing()
    store.verify()


def _honest_store(folder: Path) -> Content:
    from tumble.phyre.simulation.actions import action_set
    from tumble.phyre.simulation.sweeps.store import create
    from tumble.phyre.tasks.catalogue import published_tasks
    from tumble.phyre.tasks.tier import TIERS

    create(folder / "made", published_tasks("B").values(), "B", action_set(TIERS["B"], 10_000))
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
    from tumble.phyre.simulation.sweeps.solved_actions import read

    read(path)


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
    from tumble.phyre.agents import checkpoint

    checkpoint.load(path)


def _checkpoint_bombs() -> Iterator[tuple[str, Content]]:
    import torch

    from tumble.learning.checkpoint import with_digest
    from tumble.phyre.agents.checkpoint import FORMAT

    content = {"format": FORMAT, "settings": {"hidden": [8]}, "step": 1, "network": {"a": torch.zeros(9)}}
    yield from files.checkpoints(with_digest, content)


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
    from tumble.phyre.generation.analyse import _read

    _read(path)


# Phy-Q


def _read_level(path: Path) -> None:
    from tumble.phyq.tasks.files.formats import load_level

    load_level(path)


def _honest_level(kind: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        from tumble.phyq.tasks.files.formats import FORMATS
        from tumble.phyq.tasks.templates import templates

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
    from tumble.phyq.cli.score import read_rates

    read_rates(path)


def _rate_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    yield "tasks", b"{" + b",".join(b'"3.1:%d":0.5' % k for k in range(50_000)) + b"}"


def _read_level_set(path: Path) -> None:
    from tumble.phyq.generation.levels.level_set import _records

    _records(path)


def _level_set_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    line = {"draw": 1, "sha256": "", "solution": "level-000 0 33.5 41.25,1,640"}
    yield "levels", json.dumps({"levels": {f"level-{k}": line for k in range(9000)}}).encode()
    shots = " ".join(["41.25,1,640"] * 80_000)
    yield "shots", json.dumps({"levels": {"level-000": {**line, "solution": f"level-000 0 33.5 {shots}"}}}).encode()


def _read_shots(path: Path) -> None:
    from tumble.phyq.models.ranker.data_file import read_shots

    read_shots(path)


def _read_first_shots(path: Path) -> None:
    from tumble.phyq.models.outcome_file import read_first_shots

    read_first_shots(path)


def _honest_first_shots(folder: Path) -> bytes:
    from tumble.phyq.models.outcome_file import FirstShots, write_first_shots
    from tumble.phyq.tasks.trajectory import DISCRETE_ANGLES

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


# ComPhy


@cache
def _set_files() -> dict[str, bytes]:
    import tempfile

    from fuzzing.comphy_inputs import sample_set

    from tumble.comphy.dataset.annotations import write_set

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_set(folder, sample_set(3, 5))
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _read_set(path: Path) -> None:
    from tumble.comphy.dataset.annotations import read_set

    read_set(path, 3)


def _annotation_bombs() -> Iterator[tuple[str, Content]]:
    import gzip

    sound = _set_files()
    target = next(name for name in sound if name.startswith("target"))
    altered = next(name for name in sound if name.endswith(".gz"))
    room = 300_000
    for name, text in json_texts(room):
        yield name, {target: text}
        whole = json.loads(sound[target])
        yield (
            f"motion: {name}",
            {
                target: json.dumps({**whole, "motion_trajectory": "@"})
                .replace('"@"', "@")
                .encode()
                .replace(b"@", text[: len(text)])
            },
        )
    document = json.loads(sound[target])
    yield "frames", {**sound, target: copies(document, "motion_trajectory", size=700_000)}
    yield "bodies", {target: copies({**document, "motion_trajectory": []}, "object_property")}
    yield "collisions", {**sound, target: _with_collisions(document)}
    yield "undetermined pairs", {**sound, target: json.dumps({**document, "undetermined": [[0, 1]] * 60_000}).encode()}

    def texts(size: int) -> Iterator[tuple[str, bytes]]:
        yield from json_texts(size)
        yield "worlds", copies(json.loads(gzip.decompress(sound[altered])), "altered", size=size)

    small = {name: raw for name, raw in sound.items() if name != altered}
    for name, raw in packed(gz, texts):
        if len(raw) < 600_000:
            yield f"altered: {name}", {**small, altered: raw}


def _with_collisions(document: dict[str, Any]) -> bytes:
    name = "collision" if "collision" in document else "collisions"
    pairs = [{"object_idxs": [0, 1], "object_ids": [0, 1], "step": 11 * k, "time": k} for k in range(8000)]
    return json.dumps({**document, name: pairs}).encode()


def _read_questions(path: Path) -> None:
    from tumble.comphy.dataset.question_files import read_questions

    read_questions(path)


def _questions_of(sets: int) -> bytes:
    import tempfile

    from fuzzing.comphy_inputs import sample_questions

    from tumble.comphy.dataset.question_files import write_questions

    with tempfile.TemporaryDirectory() as folder:
        write_questions(Path(folder) / "q.json", sample_questions(min(sets, 40)))
        some = json.loads((Path(folder) / "q.json").read_bytes())
    return json.dumps(
        [
            numbered
            for k in range(sets // len(some) + 1)
            for numbered in [{**one, "scene_index": k * len(some) + j} for j, one in enumerate(some)]
        ]
    ).encode()


def _question_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    some = json.loads(_questions_of(2))
    yield "sets", copies([[{"scene_index": 0, "questions": []}]], 0)[1:-1]
    yield "questions", copies([{**some[0], "questions": some[0]["questions"][:1]}], 0, "questions")
    program = {**some[0]["questions"][0], "program": ["objects"]}
    yield "programs", copies([{**some[0], "questions": [program]}], 0, "questions", 0, "program")


def _read_submission(path: Path) -> None:
    from tumble.comphy.dataset.submission import read_submission

    read_submission(path)


def _honest_submission(folder: Path) -> bytes:
    from fuzzing.comphy_inputs import sample_questions

    from tumble.comphy.dataset.submission import answers_of, write_submission

    sets = sample_questions(40)
    write_submission(folder / "a.json", sets, answers_of(sets))
    some = json.loads((folder / "a.json").read_bytes())
    return json.dumps([{**some[k % 40], "scene_index": k} for k in range(2000)]).encode()


def _submission_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    choice = {"choice_id": 0, "answer": "wrong"}
    question = {"question_id": 0, "choices": [choice]}
    sample = [{"scene_index": 0, "questions": [question]}]
    yield "sets", copies([[{"scene_index": 0, "questions": []}]], 0)[1:-1]
    yield "questions", copies(sample, 0, "questions")
    yield "choices", copies(sample, 0, "questions", 0, "choices")


def _read_dataset(path: Path) -> None:
    from tumble.comphy.dataset.load import open_dataset

    open_dataset(path)


def _settings(sets: int) -> bytes:
    from tumble.comphy.dataset.settings import Settings, settings_document

    return json.dumps(settings_document(Settings(sets, 1, (480, 320)), "tumble-3d-1")).encode()


def _dataset(sets: int) -> dict[str, bytes]:
    from hashlib import sha256

    settings = _settings(sets)
    return {"dataset.json": settings, "checksums.sha256": f"{sha256(settings).hexdigest()}  dataset.json\n".encode()}


def _dataset_bombs() -> Iterator[tuple[str, Content]]:
    from tumble.comphy.dataset.layout import Layout

    sums = Layout(Path()).sums.name
    sound = _dataset(10)
    own = {"dataset.json": sound["dataset.json"], sums: sound["checksums.sha256"]}
    yield "the most sets", {"dataset.json": _settings(1_000_000), sums: _dataset(1_000_000)["checksums.sha256"]}
    yield "many checksums", {**own, sums: own[sums] + b"".join(b"%064x  a%d\n" % (k, k) for k in range(13_000))}
    yield "a long line", {**own, sums: b"0" * 900_000}
    yield "a long name", {**own, sums: b"0" * 64 + b"  " + b"a/" * 450_000}
    from hashlib import sha256

    for name, text in json_texts(900_000):
        yield name, {"dataset.json": text, sums: f"{sha256(text).hexdigest()}  dataset.json\n".encode()}


def _honest_dataset(folder: Path) -> Content:
    from tumble.comphy.dataset.layout import Layout

    del folder
    files_of = _dataset(12_000)
    return {"dataset.json": files_of["dataset.json"], Layout(Path()).sums.name: files_of["checksums.sha256"]}


def _read_masks(path: Path) -> None:
    from tumble.comphy.observation.masks import read_masks

    read_masks(path)


def _honest_masks(folder: Path) -> bytes:
    """Of a video of 1920 x 1280."""
    from tumble.comphy.observation.masks import write_masks

    masks = np.zeros((128, 1280, 1920), np.uint8)
    masks[:, 400:800, 300:900], masks[:, 500:900, 1000:1500] = 1, 2
    write_masks(folder / "m.npz", masks)
    return (folder / "m.npz").read_bytes()


def _mask_bombs() -> Iterator[tuple[str, Content]]:
    yield from files.arrays(("shape", "lengths", "labels"))

    def masks(shape: tuple[int, int, int], runs: int, length: int, kind: str = "<u4") -> bytes:
        size = np.dtype(kind).itemsize
        lengths = np.full(runs, length, kind).tobytes()
        return files.zipped(
            {
                "shape.npy": files.npy([3], "<i8", struct.pack("<3q", *shape)),
                "lengths.npy": files.npy([len(lengths) // size], kind, lengths),
                "labels.npy": files.npy([runs], "|u1", bytes(runs)),
            }
        )

    yield "one run", masks((150, 3000, 3000), 1, 150 * 9_000_000, "<u4")
    yield "one run of the most", masks((100, 2000, 2000), 1, 400_000_000)
    yield "short runs", masks((19_000, 1000, 1), 19_000_000, 1)
    yield "short runs of 8 bytes", masks((10_000, 1000, 1), 10_000_000, 1, "<i8")
    yield "more short runs", masks((100_000, 1000, 1), 100_000_000, 1)


def _read_boxes(path: Path) -> None:
    from tumble.comphy.dataset.tracks import read_boxes

    read_boxes(path)


def _read_packed(path: Path) -> None:
    from tumble.comphy.models.data.packed_sets import read_packed

    read_packed(path)


def _honest_packed(folder: Path) -> bytes:
    """300 sets with their questions, as many as 1 MB holds."""
    from fuzzing.comphy_inputs import sample_questions, sample_set

    from tumble.comphy.models.data.packed_sets import pack_sets, write_packed

    sets = [(sample_set(k, 5), questions) for k, questions in enumerate(sample_questions(20))]
    write_packed(folder / "p.xz", pack_sets(sets * 15))
    return (folder / "p.xz").read_bytes()


def _packed_bombs() -> Iterator[tuple[str, Content]]:
    shapes = {"index": ["int32", [0]], "target": ["int16", [0, 128, 5, 3]]}
    head = json.dumps({"format": "tumble-comphy-packed-1", "from_tracks": False, "arrays": shapes}).encode() + b"\n"
    yield from packed(xz, lambda size: ((f"questions: {name}", head + text) for name, text in json_texts(size)))
    yield from packed(xz, lambda size: ((f"header: {name}", text + b"\n[]") for name, text in json_texts(size)))
    for sets in (200, 1000, 20_000, 2_000_000):
        wide = {"index": ["int32", [sets]], "target": ["int16", [sets, 128, 5, 3]]}
        content = json.dumps({**json.loads(head), "arrays": wide}).encode() + b"\n"
        yield (
            f"motion of {sets:,} sets",
            xz(content + bytes(min(sets * 3844, 1_000_000_000)) + b"[]"),
        )
    yield (
        "arrays of objects",
        xz(json.dumps({**json.loads(head), "arrays": {"index": ["O", [4]]}}).encode() + b"\n" + bytes(32) + b"[]"),
    )
    yield (
        "large shapes",
        xz(json.dumps({**json.loads(head), "arrays": {"index": ["int8", [1 << 62, 4]]}}).encode() + b"\n[]"),
    )


def _read_video(path: Path) -> None:
    from tumble.comphy.observation.video import read_video

    read_video(path)


def _honest_video(folder: Path) -> bytes:
    """A target of 1280 x 854, whose size is that of three times the published ones; noise keeps it from being small."""
    from tumble.comphy.observation.video import write_video

    draws = np.random.default_rng(1)
    still = draws.integers(0, 30, (854, 1280, 3), np.uint8)
    frames = np.stack([np.roll(still, k, axis=1) for k in range(64)])
    write_video(folder / "v.mp4", np.concatenate([frames] * 2))
    return (folder / "v.mp4").read_bytes()


def _video_bombs() -> Iterator[tuple[str, Content]]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        yield from files.videos(Path(folder))


def _read_pictures(path: Path) -> None:
    from tumble.comphy.dataset.picture_folder import read_picture_folder

    read_picture_folder(path, (480, 320))


def _honest_pictures(folder: Path) -> Content:
    from io import BytesIO

    from PIL import Image

    del folder
    stream = BytesIO()
    draws = np.random.default_rng(1)
    Image.fromarray(draws.integers(0, 255, (1080, 1920, 3), np.uint8)).save(stream, "JPEG")
    return {f"frame_{k:05d}.jpg": stream.getvalue() for k in range(10)}


def _picture_bombs() -> Iterator[tuple[str, Content]]:
    for name, raw in files.pictures():
        yield name, {"frame_00000.png": raw}


# Studies and language models


def _read_study(path: Path) -> None:
    from tumble.studies.study import read_study

    read_study(path)


STUDY = 'benchmark = "phyre"\ntitle = "x"\nattempts = 3\n[tasks]\nids = ["00000:000"]\n'


def _toml_bombs() -> Iterator[tuple[str, Content]]:
    yield from files.toml_texts(STUDY)


def _read_answer(path: Path) -> None:
    from tumble.llm.answers import read_object

    read_object(path.read_text())


def _answer_bombs() -> Iterator[tuple[str, Content]]:
    yield from json_texts()
    yield "braces in braces", b"{ " * 500_000
    yield "objects in a row", b'{"x": 1} ' * 110_000
    yield "open texts", b'{"' * 500_000


def _read_inspect(path: Path) -> None:
    import tempfile

    from tumble.inspect_tasks.import_log import import_log

    with tempfile.TemporaryDirectory() as folder:
        import_log(path, Path(folder))


def _inspect_log(path: Path, samples: int, text: str = "x" * 3000, metadata: dict[str, Any] | None = None) -> bytes:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="t", dataset=EvalDataset(), model="m", config=EvalConfig()
    )
    messages = [ChatMessageUser(content=text), ChatMessageAssistant(content=text)] * 3
    own = metadata or {"benchmark": "phyre", "task": "00000:000", "selection": {}, "prompt_version": "x"}
    log = EvalLog(
        eval=spec,
        samples=[
            EvalSample(id=str(k), epoch=1, input="", target="", messages=messages, metadata=own, store={"turns": []})
            for k in range(samples)
        ],
    )
    write_eval_log(log, str(path))
    return path.read_bytes()


def _inspect_bombs() -> Iterator[tuple[str, Content]]:
    import tempfile

    for name, text in json_texts():
        yield name, text
    with tempfile.TemporaryDirectory() as folder:
        small = _inspect_log(Path(folder) / "a.json", 1)
        yield "samples", copies(json.loads(small), "samples")
        for name, text in json_texts(900_000):
            yield f"metadata: {name}", small.replace(b'"selection": {}', b'"selection": ' + text)
        whole = _inspect_log(Path(folder) / "a.eval", 1)
        members = _members(whole)
        sample = next(name for name in members if name.startswith("samples/"))
        for size in files.SIZES:
            for name, text in json_texts(size):
                own = {
                    **members,
                    sample: members[sample]
                    .replace(b'"selection": {}', b'"selection": ' + text)
                    .replace(b'"selection":{}', b'"selection":' + text),
                }
                raw = files.zipped(own)
                if len(raw) < files.MOST:
                    yield f"packed metadata: {name}, {size / 1e6:.0f} MB", raw
        yield "many members", files.zipped({**members, **{f"samples/{k}_epoch_1.json": b"{}" for k in range(5000)}})


def _members(raw: bytes) -> dict[str, bytes]:
    from io import BytesIO
    from zipfile import ZipFile

    with ZipFile(BytesIO(raw)) as file:
        return {name: file.read(name) for name in file.namelist()}


def _json_only() -> Iterator[tuple[str, Content]]:
    yield from json_texts()


READERS = (
    Reader(
        "run-archives", "run.parquet", _read_log, _honest_archive, lambda: files.run_archives(_meta(1)), ("pyarrow",)
    ),
    Reader("run-logs", "run.jsonl", _read_log, _honest_lines, _line_bombs),
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
    Reader("levels-json", "level.json", _read_level, _honest_level(".json"), _level_bombs),
    Reader("levels-xml", "level.xml", _read_level, _honest_level(".xml"), files.xml_texts),
    Reader("pass-rates", "rates.json", _read_rates, lambda folder: b'{"3": 0.25}', _rate_bombs),
    Reader("level-sets", "set.json", _read_level_set, lambda folder: b'{"levels": {}}', _level_set_bombs),
    Reader("first-shots", "first.npz", _read_first_shots, _honest_first_shots, _first_shot_bombs),
    Reader("server-messages", "messages", _read_messages, lambda folder: b"\x0c" * 1000, _message_bombs),
    Reader("annotations", "", _read_set, lambda folder: dict(_set_files()), _annotation_bombs),
    Reader("questions", "q.json", _read_questions, lambda folder: _questions_of(2000), _question_bombs),
    Reader("submissions", "a.json", _read_submission, _honest_submission, _submission_bombs),
    Reader("datasets", "", _read_dataset, _honest_dataset, _dataset_bombs),
    Reader("masks", "m.npz", _read_masks, _honest_masks, _mask_bombs),
    Reader(
        "boxes", "b.npy", _read_boxes, lambda folder: files.npy([150, 5, 4], "<f4", bytes(12_000)), files.single_arrays
    ),
    Reader("packed-sets", "p.xz", _read_packed, _honest_packed, _packed_bombs),
    Reader("videos", "v.mp4", _read_video, _honest_video, _video_bombs, ("av",)),
    Reader("pictures", "", _read_pictures, _honest_pictures, _picture_bombs),
    Reader("studies", "study.toml", _read_study, lambda folder: STUDY.encode(), _toml_bombs),
    Reader("model-answers", "answer.txt", _read_answer, lambda folder: b'{"x": 1}', _answer_bombs),
    Reader(
        "inspect-logs",
        "log.eval",
        _read_inspect,
        lambda folder: _inspect_log(folder / "i.eval", 200),
        _inspect_bombs,
        ("inspect_ai",),
    ),
)
