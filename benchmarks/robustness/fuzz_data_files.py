"""Further files: pools, sweeps, brief logs, analyses, outcomes, level sets, packed sets, pictures, videos."""

import json
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_comphy_inputs import sample_questions, sample_set
from fuzz_kind import Files, Kind, expect, expect_finite
from mutation import ODD_NUMBERS, mutated_bytes, mutated_json, mutated_text
from names import named_value

from tumble.comphy.dataset.folder import Settings, settings_document
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import open_dataset, read_picture_folder
from tumble.comphy.models.data.packed_sets import pack_sets, read_packed, write_packed
from tumble.comphy.observation.video import read_video, write_video
from tumble.engine import physics_id
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.cli.evaluate import read_rates
from tumble.phyq.generation.level_set import solutions_in
from tumble.phyq.models.outcome_file import FirstShots, read_first_shots, write_first_shots
from tumble.phyre.catalogue.task import digest_of_tasks
from tumble.phyre.catalogue.tasks_by_id import task
from tumble.phyre.evaluation.brief_log import BriefResult, read, write
from tumble.phyre.generation import task_analysis, training_pool
from tumble.phyre.generation.training_pool import Counts
from tumble.phyre.generation.variations import generator_digest
from tumble.phyre.simulation.shipped_sweeps import SOLVED_FORMAT, _packed_gaps, read_solved


def mutated_arrays(rng: Random, arrays: dict[str, np.ndarray]) -> bytes:
    """An .npz file of arrays of which one has other values, another shape or another type, or is missing."""
    own: dict[str, Any] = dict(arrays)
    name = rng.choice(sorted(own))
    values, pick = own[name], rng.random()
    if pick < 0.1:
        del own[name]
    elif pick < 0.3:
        own[name] = values[..., None] if rng.random() < 0.5 or not values.ndim or not len(values) else values[0]
    elif pick < 0.5 and values.ndim:
        own[name] = rng.choice((values[:-1], np.concatenate([values, values]), values[:0], values.T))
    elif pick < 0.7:
        own[name] = np.array(
            rng.choice([number for number in ODD_NUMBERS if isinstance(number, float) or abs(number) < 2**62])
        )
    elif values.dtype.kind == "U":
        own[name] = np.array([mutated_text(rng, str(text)) for text in values.reshape(-1)]).reshape(values.shape)
    elif values.size:
        flat = np.array(values).reshape(-1)
        flat[rng.randrange(len(flat))] = rng.choice((0, 1, 127)) if flat.dtype != bool else True
        own[name] = flat.reshape(values.shape)
    stream = BytesIO()
    np.savez_compressed(stream, **own)
    return stream.getvalue()


class Pools(Kind):
    """Training pools (.npz): read, and taken for training."""

    name, share, batch = "phyre-pools", 4, 50

    def prepare(self, folder: Path) -> None:
        self.tasks = [task(f"00000:{k:03d}") for k in range(2)]
        counts = Counts((8, 4, 4), (8, 4, 4), 2, 1)
        ids = np.array([own.id for own in self.tasks])
        packed = np.full((2, 2), 0, np.uint8)
        self.arrays = {
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

    def sound(self, rng: Random) -> Files:
        texts = {name: values for name, values in self.arrays.items() if values.dtype.kind == "U" and values.size}
        name = rng.choice(sorted(texts))
        other = named_value(rng, texts[name].reshape(-1).tolist())
        stream = BytesIO()
        np.savez_compressed(stream, **{**self.arrays, name: np.array(other).reshape(texts[name].shape)})
        return {"pool.npz": stream.getvalue()}

    def named(self, rng: Random, files: Files) -> Files:
        return files

    def make(self, rng: Random) -> Files:
        raw = mutated_arrays(rng, self.arrays)
        return {"pool.npz": mutated_bytes(rng, raw) if rng.random() < 0.3 else raw}

    def use(self, folder: Path) -> None:
        training_pool.read.cache_clear()
        pool = training_pool.load(folder / "pool.npz", self.tasks)
        expect_finite(pool.of_tasks.variations, "variations")
        expect(set(np.unique(pool.of_tasks.random)) <= {-1, 0, 1, 2}, "statuses that there are not")


class SolvingActions(Kind):
    """Files of the actions that solve tasks."""

    name, share, batch = "phyre-solving-actions", 6, 50

    def prepare(self, folder: Path) -> None:
        from tumble.phyre.catalogue.tasks_by_id import published_tasks

        tasks = list(published_tasks("B").values())
        solving = [np.array([k, k + 5, 90]) for k in range(4)]
        self.packed = _packed_gaps(solving)
        self.header = {
            "format": SOLVED_FORMAT,
            "physics": physics_id(),
            "tier": "B",
            "tasks_sha256": digest_of_tasks(tasks),
            "tasks": 4,
            "actions": 100,
        }

    def make(self, rng: Random) -> Files:
        packed = mutated_bytes(rng, self.packed) if rng.random() < 0.5 else self.packed
        head = {**self.header, "sha256": sha256(packed).hexdigest()}
        text = mutated_json(rng, head).replace(b"\n", b" ") if rng.random() < 0.6 else json.dumps(head).encode()
        return {"B.solved": text + b"\n" + packed}

    def named(self, rng: Random, files: Files) -> Files:
        head = named_value(rng, {**self.header, "sha256": sha256(self.packed).hexdigest()})
        return {"B.solved": json.dumps(head).encode() + b"\n" + self.packed}

    def use(self, folder: Path) -> None:
        _, actions, solving = read_solved(folder / "B.solved")
        for own in solving:
            expect(not len(own) or 0 <= own.min() <= own.max() < actions, "an action that there is not")


class BriefLogs(Kind):
    """Brief logs: read, scored and written again."""

    name, share, batch = "brief-logs", 12, 200

    def prepare(self, folder: Path) -> None:
        from tumble.phyre.evaluation.run_spec import PhyreRunSpec

        tasks = len(PhyreRunSpec("dqn", "ball_cross_template", 0, "validation", limit=3).task_ids())
        solved_at = tuple((1, None, 7)[k % 3] for k in range(tasks))
        result = BriefResult(
            "ball_cross_template", "dqn", "", "validation", 0, 3, {"updates": 5}, "x", 1.0, 2.0, None, 1, "m", solved_at
        )
        write(folder / "a.txt", [result])
        self.header, self.words = (folder / "a.txt").read_text().splitlines()

    def make(self, rng: Random) -> Files:
        header, words = self.header.encode(), self.words.encode()
        if rng.random() < 0.7:
            header = mutated_json(rng, json.loads(header)).replace(b"\n", b" ")
        else:
            words = mutated_bytes(rng, words)
        return {"a.txt": header + b"\n" + words + b"\n"}

    def named(self, rng: Random, files: Files) -> Files:
        header = json.dumps(named_value(rng, json.loads(self.header)))
        return {"a.txt": f"{header}\n{self.words}\n".encode()}

    def use(self, folder: Path) -> None:
        results = read(folder / "a.txt")
        for result in results:
            expect(0.0 <= result.auccess <= 100.0, "a score is not from 0 to 100")
            expect(0.0 <= result.success(100) <= 100.0, "a share is not from 0 to 100")
        write(folder / "b.txt", results)
        expect(read(folder / "b.txt") == results, "it is read back differently")


class JsonFiles(Kind):
    """Small JSON files of which programs resume, or that they compute with: one reader each."""

    batch = 300

    def __init__(self, name: str, file: str, sample: object, read: Callable[[Path], object], share: int = 8) -> None:
        self.name, self.file, self.sample, self.reader, self.share = name, file, sample, read, share

    def sound(self, rng: Random) -> Files:
        return {self.file: json.dumps(self.sample).encode()}

    def make(self, rng: Random) -> Files:
        return {self.file: mutated_json(rng, self.sample)}

    def use(self, folder: Path) -> None:
        self.reader(folder / self.file)


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
LEVEL_SET = {
    "format": 1,
    "seed": 7,
    "physics": "x",
    "levels": {"level-000": {"draw": 2, "sha256": "0", "solution": "level-000 0 33.5 41.25,1,640"}},
}


def _solutions_beside(path: Path) -> object:
    return solutions_in(path.parent)


class Outcomes(Kind):
    """Outcomes of first shots (.npz)."""

    name, share, batch = "phyq-first-shots", 8, 100

    def prepare(self, folder: Path) -> None:
        width = len(DISCRETE_ANGLES)
        rows = {f"3.1:{k:03d}": ("0" * 16, np.arange(width, dtype=np.int8) % 3 - 1) for k in range(3)}
        write_first_shots(folder / "first.npz", FirstShots(rows))
        self.data = (folder / "first.npz").read_bytes()
        with np.load(folder / "first.npz") as file:
            self.arrays = {name: file[name] for name in file.files}

    def make(self, rng: Random) -> Files:
        return {"first.npz": mutated_bytes(rng, self.data) if rng.random() < 0.3 else mutated_arrays(rng, self.arrays)}

    def use(self, folder: Path) -> None:
        for _, values in read_first_shots(folder / "first.npz").rows.values():
            expect(values.shape == (len(DISCRETE_ANGLES),) and set(values.tolist()) <= {-1, 0, 1}, "wrong outcomes")


class PackedFiles(Kind):
    """Packed sets: read, and their bodies and poses taken."""

    name, share, batch = "comphy-packed", 8, 50

    def prepare(self, folder: Path) -> None:
        import lzma

        sets = [(sample_set(k, 3), questions) for k, questions in enumerate(sample_questions(2))]
        write_packed(folder / "p.xz", pack_sets(sets))
        content = lzma.decompress((folder / "p.xz").read_bytes())
        self.head, _, self.body = content.partition(b"\n")

    def sound(self, rng: Random) -> Files:
        return {"p.xz": self.head + b"\n" + self.body}

    def make(self, rng: Random) -> Files:
        import lzma

        head, body = self.head, self.body
        if rng.random() < 0.5:
            head = mutated_json(rng, json.loads(head)).replace(b"\n", b" ")
        else:
            body = mutated_bytes(rng, body)
        packed = lzma.compress(head + b"\n" + body, preset=0)
        return {"p.xz": mutated_bytes(rng, packed) if rng.random() < 0.2 else packed}

    def named(self, rng: Random, files: Files) -> Files:
        import lzma

        start = self.body.index(b'[{"index"')
        head = json.dumps(named_value(rng, json.loads(self.head))).encode() if rng.random() < 0.5 else self.head
        questions = json.dumps(named_value(rng, json.loads(self.body[start:]))).encode()
        return {"p.xz": lzma.compress(head + b"\n" + self.body[:start] + questions, preset=0)}

    def use(self, folder: Path) -> None:
        packed = read_packed(folder / "p.xz")
        for row in range(len(packed)):
            packed.bodies(row)
            for video in range(5):
                expect_finite(packed.poses(row, video), "poses")


class Datasets(Kind):
    """Folders of generated datasets: opened; their settings and checksums are mutated."""

    name, share, batch = "comphy-datasets", 15, 200

    def prepare(self, folder: Path) -> None:
        self.settings = settings_document(Settings(6, 1, (48, 32)), "tumble-3d-1")
        self.sums = Layout(folder).sums.name

    def _files(self, settings: bytes, sums: bytes = b"") -> Files:
        return {"dataset.json": settings, self.sums: f"{sha256(settings).hexdigest()}  dataset.json\n".encode() + sums}

    def sound(self, rng: Random) -> Files:
        return self._files(json.dumps(self.settings).encode())

    def make(self, rng: Random) -> Files:
        if rng.random() < 0.5:
            return self._files(mutated_json(rng, self.settings))
        own = self._files(json.dumps(self.settings).encode(), b"0" * 64 + b"  target_annotation/x/00001.json\n")
        sums = own[self.sums]
        assert isinstance(sums, bytes)
        return {**own, self.sums: mutated_bytes(rng, sums)}

    def named(self, rng: Random, files: Files) -> Files:
        if rng.random() < 0.5:
            return self._files(json.dumps(named_value(rng, self.settings)).encode())
        name = str(named_value(rng, "x")).encode()
        return self._files(json.dumps(self.settings).encode(), b"0" * 64 + b"  " + name + b"\n")

    def use(self, folder: Path) -> None:
        data = open_dataset(folder)
        data.generated_sets()
        expect(not list(data.examples("test")) or bool(data.faults), "sets without files were read")
        expect(data.has_videos in (True, False), "no answer")


class Pictures(Kind):
    """Folders of pictures."""

    name, share, batch = "comphy-pictures", 8, 100

    def prepare(self, folder: Path) -> None:
        from PIL import Image

        picture = Image.fromarray(np.arange(48 * 32 * 3, dtype=np.uint8).reshape(32, 48, 3))
        self.data = []
        for kind in ("PNG", "JPEG", "GIF", "BMP", "TIFF"):
            stream = BytesIO()
            picture.save(stream, kind)
            self.data.append(stream.getvalue())

    def make(self, rng: Random) -> Files:
        names = ("frame_00000.png", "frame_00001.jpg", "2.jpeg", "notes.txt")
        return {name: mutated_bytes(rng, rng.choice(self.data)) for name in rng.sample(names, rng.choice((1, 2)))}

    def use(self, folder: Path) -> None:
        frames = read_picture_folder(folder, (24, 16))
        expect(frames.shape[1:] == (16, 24, 3), "pictures of another size")


class Videos(Kind):
    """Videos (MP4)."""

    name, share, batch, needs = "comphy-videos", 4, 50, ("av",)

    def prepare(self, folder: Path) -> None:
        frames = np.random.default_rng(1).integers(0, 255, (4, 32, 48, 3), np.uint8)
        write_video(folder / "v.mp4", frames)
        self.data = (folder / "v.mp4").read_bytes()

    def make(self, rng: Random) -> Files:
        return {"v.mp4": mutated_bytes(rng, self.data)}

    def named(self, rng: Random, files: Files) -> Files:
        name = str(named_value(rng, "x"))
        lists = (f"#EXTM3U\n#EXTINF:1,\n{name}\n#EXT-X-ENDLIST\n", f"ffconcat version 1.0\nfile '{name}'\n")
        return {"v.mp4": rng.choice(lists).encode()}

    def use(self, folder: Path) -> None:
        frames = read_video(folder / "v.mp4")
        expect(frames.ndim == 4 and frames.shape[3] == 3, "no pictures")


KINDS: tuple[Kind, ...] = (
    Pools(),
    SolvingActions(),
    BriefLogs(),
    JsonFiles("phyre-analyses", "a.json", ANALYSES, task_analysis._read_analyses),
    JsonFiles("phyq-rates", "rates.json", {"3": 0.25, "4": 0.5}, read_rates),
    JsonFiles("phyq-level-sets", "set.json", LEVEL_SET, _solutions_beside),
    Outcomes(),
    PackedFiles(),
    Datasets(),
    Pictures(),
    Videos(),
)
