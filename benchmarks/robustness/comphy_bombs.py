"""ComPhy: annotations, questions, masks, packed sets, videos and pictures: honest ones, and bombs."""

import json
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import bomb_files as files
import numpy as np
from bomb_files import Content, copies, gz, json_texts, packed, xz
from reader import Reader


@cache
def _set_files() -> dict[str, bytes]:
    import tempfile

    from fuzz_comphy_inputs import sample_set

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

    from fuzz_comphy_inputs import sample_questions

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
    from tumble.comphy.dataset.question_files import read_submission

    read_submission(path)


def _honest_submission(folder: Path) -> bytes:
    from fuzz_comphy_inputs import sample_questions

    from tumble.comphy.dataset.question_files import answers_of, write_submission

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
    from tumble.comphy.dataset.folder import Settings, settings_document

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
    files_of = _dataset(1_000_000)
    return {"dataset.json": files_of["dataset.json"], Layout(Path()).sums.name: files_of["checksums.sha256"]}


def _read_masks(path: Path) -> None:
    from tumble.comphy.observation.video import read_masks

    read_masks(path)


def _honest_masks(folder: Path) -> bytes:
    """Of a video of 1920 x 1280."""
    from tumble.comphy.observation.video import write_masks

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
    """300 sets with their questions, about as many as 1 MB holds where motion is not straight."""
    from fuzz_comphy_inputs import sample_questions, sample_set

    from tumble.comphy.models.data.packed_sets import pack_sets, write_packed

    sets = [(sample_set(k, 5), questions) for k, questions in enumerate(sample_questions(300))]
    write_packed(folder / "p.xz", pack_sets(sets))
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
    from tumble.comphy.dataset.load import read_picture_folder

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


READERS = (
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
)
