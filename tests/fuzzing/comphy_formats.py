"""ComPhy's formats: annotations, questions, submissions, settings, masks, tracks, packed sets, pictures, videos."""

import io
import json
import lzma
import struct
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from bomb_files import npy, zipped
from formats import Bombs, Files, Format, expect, expect_finite, files_in, raw
from mutation import mutated_text
from names import named_value

from tumble.comphy.catalogue.body import COLORS, DECIMALS, HEAVY, MATERIALS, SHAPES, Body, Collision, Motion
from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import Reference, VideoSet, alterations
from tumble.comphy.catalogue.world import REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.dataset import question_files
from tumble.comphy.dataset.annotations import read_set, write_set
from tumble.comphy.dataset.folder import Settings, read_physics_id, read_settings, settings_document
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import open_dataset, read_picture_folder
from tumble.comphy.dataset.tracks import normalise_boxes, project_boxes, read_boxes, write_boxes
from tumble.comphy.evaluation.metrics import by_family, by_kind, mark_all, missing_answers
from tumble.comphy.models.data.packed_sets import pack_sets, read_packed, write_packed
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.video import bounding_boxes, read_masks, read_video, write_masks, write_video
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.parser import parse_choice, parse_question
from tumble.comphy.questions.program import LITERALS, OPERATORS, ProgramError, Type, check_question
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.errors import TumbleError

LITERAL_TOKENS, OPERATOR_TOKENS = list(LITERALS), list(OPERATORS)
SIZE = (48, 32)
SUMS = Layout(Path()).sums.name


def sample_set(index: int, count: int = 3) -> VideoSet:
    """A set of bodies that slide along straight lines, without physics."""
    draws = np.random.default_rng(index)
    bodies = tuple(
        Body(COLORS[k], MATERIALS[k % 2], SHAPES[k % 3], mass=HEAVY if k == 0 else 1, charge=(0, 1, -1)[k % 3])
        for k in range(count)
    )

    def motion(members: int, frames: int) -> Motion:
        velocities = np.tile(draws.normal(0.0, 0.7, (members, 3)) * (1, 1, 0), (frames, 1, 1))
        starts = draws.uniform(-2.0, 2.0, (members, 3)) * (1, 1, 0) + (0, 0, 0.2)
        positions = np.round(starts + np.arange(frames)[:, None, None] / 25.0 * velocities, DECIMALS)
        turns = np.tile([1.0, 0.0, 0.0, 0.0], (frames, members, 1))
        collisions = tuple(Collision(int(step), 0, 1) for step in sorted(draws.integers(0, 10 * frames, 2)))
        seen, spins = CAMERA.sees(positions), np.zeros((frames, members, 3))
        return Motion(positions, turns, np.round(velocities, DECIMALS), spins, seen, collisions)

    target = motion(count, TARGET_FRAMES)
    pairs = [(k % count, (k + 1) % count) for k in range(REFERENCE_COUNT)]
    references = tuple(Reference(pair, motion(2, REFERENCE_FRAMES)) for pair in pairs)
    altered = {change: motion(count, SHOWN_FRAMES) for change in alterations(bodies)}
    return VideoSet(index, 1, "both", bodies, target, references, altered)


@cache
def sample_questions(sets: int) -> list[QuestionSet]:
    """Questions about some sets, with answers."""
    return ask_block({index: symbolic_scene(sample_set(index)) for index in range(sets)}, 1, SPLIT_OPTIONS["test"])


def _set_files(folder: Path, bodies: int) -> dict[str, bytes]:
    write_set(folder / "set", sample_set(3, bodies))
    return files_in(folder / "set")


def _check_set(stored: Any, folder: Path) -> None:
    videos = stored.videos
    Interpreter(symbolic_scene(videos)).execute(("objects", "null", "filter_moving", "count"))
    for motion in (videos.target, *(reference.motion for reference in videos.references)):
        for values in (motion.positions, motion.orientations, motion.velocities, motion.angular_velocities):
            expect_finite(values, "motions")
    expect_finite(project_boxes(videos.bodies, videos.target), "boxes")
    if sum(path.stat().st_size for path in folder.rglob("*.json")) % 5:  # writing takes long: a fifth is enough
        return
    write_set(folder / "copy", videos)
    again = read_set(folder / "copy", 3).videos
    expect(again.bodies == videos.bodies, "the bodies are read back differently")
    expect(np.array_equal(again.target.positions, videos.target.positions), "the motion is read back differently")


def _set_bombs(sample: dict[str, bytes]) -> Bombs:
    target = next(name for name in sample if name.startswith("target"))
    document = json.loads(sample[target])
    name = "collision" if "collision" in document else "collisions"
    pairs = [{"object_idxs": [0, 1], "object_ids": [0, 1], "step": 11 * k, "time": k} for k in range(8000)]
    for trick, changes in ((name, {name: pairs}), ("undetermined pairs", {"undetermined": [[0, 1]] * 60_000})):
        yield trick, {**sample, target: json.dumps({**document, **changes}).encode()}


def _questions(folder: Path, sets: int) -> dict[str, bytes]:
    """A file of questions, of which those about 40 sets come again and again."""
    question_files.write_questions(folder / "q.json", sample_questions(min(sets, 40)))
    some = json.loads((folder / "q.json").read_bytes())
    return {"q.json": json.dumps([{**some[k % len(some)], "scene_index": k} for k in range(sets)]).encode()}


def _check_questions(found: Any, folder: Path) -> None:
    sets, faults = found
    expect(not any("\n" in str(fault) for fault in faults), "a fault is not one line")
    for question in (question for questions in sets for question in questions.questions):
        try:
            check_question(question)
        except ProgramError:
            continue
    question_files.write_questions(folder / "copy.json", sets)
    expect(question_files.read_questions(folder / "copy.json")[0] == sets, "it is read back differently")


def _submission(folder: Path, sets: int) -> dict[str, bytes]:
    known = sample_questions(min(sets, 40))
    question_files.write_submission(folder / "a.json", known, question_files.answers_of(known))
    some = json.loads((folder / "a.json").read_bytes())
    return {"a.json": json.dumps([{**some[k % len(some)], "scene_index": k} for k in range(sets)]).encode()}


def _check_submission(answers: Any, folder: Path) -> None:
    sets = sample_questions(2)
    marks = mark_all(sets, answers)
    missing_answers(sets, answers)
    for tally in (*by_kind(marks).values(), *by_family(marks).values()):
        expect(0.0 <= tally.per_question <= 100.0, "a score is not from 0 to 100")
    question_files.write_submission(folder / "copy.json", sets, answers)


def _settings(sets: int, size: tuple[int, int] | None = SIZE, **how: Any) -> bytes:
    return json.dumps(settings_document(Settings(sets, 1, size, **how), "tumble-3d-1")).encode()


def _dataset(sets: int) -> dict[str, bytes]:
    settings = _settings(sets)
    return {"dataset.json": settings, SUMS: f"{sha256(settings).hexdigest()}  dataset.json\n".encode()}


def _with_sums(files: Files) -> Files:
    first, _, others = raw(files, SUMS).partition(b"\n")
    return {**files, SUMS: sha256(raw(files, "dataset.json")).hexdigest().encode() + first[64:] + b"\n" + others}


def _check_dataset(data: Any, _: Path) -> None:
    data.generated_sets()
    expect(not list(data.examples("test")) or bool(data.faults), "sets without files were read")
    expect(data.has_videos in (True, False), "no answer")


def _named_dataset(rng: Random, files: Files) -> Files:
    if rng.random() < 0.5:
        return {**files, "dataset.json": json.dumps(named_value(rng, json.loads(_settings(6)))).encode()}
    name = str(named_value(rng, "x")).encode()
    return {**files, SUMS: raw(files, SUMS) + b"0" * 64 + b"  " + name + b"\n"}


def _dataset_bombs(sample: dict[str, bytes]) -> Bombs:
    yield "the most sets", _dataset(1_000_000)
    for trick, lines in (
        ("many checksums", b"".join(b"%064x  a%d\n" % (k, k) for k in range(13_000))),
        ("a long line", b"0" * 900_000),
        ("a long name", b"0" * 64 + b"  " + b"a/" * 450_000),
    ):
        yield trick, {**sample, SUMS: sample[SUMS] + lines}


def _masks(folder: Path, frames: int, height: int, width: int) -> dict[str, bytes]:
    masks = np.zeros((frames, height, width), np.uint8)
    masks[:, height // 3 : height // 2, width // 6 : width // 2], masks[:, height // 2 :, width // 2 :] = 1, 2
    write_masks(folder / "masks.npz", masks)
    return {"masks.npz": (folder / "masks.npz").read_bytes()}


def _check_masks(masks: np.ndarray, _: Path) -> None:
    expect(masks.dtype == np.uint8 and masks.ndim == 3, "they are not masks")
    bounding_boxes(masks, 2)


def _mask_bombs(_: dict[str, bytes]) -> Bombs:
    for trick, shape, runs, length, kind in (
        ("one run", (150, 3000, 3000), 1, 150 * 9_000_000, "<u4"),
        ("one run of the most", (100, 2000, 2000), 1, 400_000_000, "<u4"),
        ("short runs", (19_000, 1000, 1), 19_000_000, 1, "<u4"),
        ("short runs of 8 bytes", (10_000, 1000, 1), 10_000_000, 1, "<i8"),
        ("more short runs", (100_000, 1000, 1), 100_000_000, 1, "<u4"),
    ):
        lengths = np.full(runs, length, kind).tobytes()
        members = {
            "shape.npy": npy([3], "<i8", struct.pack("<3q", *shape)),
            "labels.npy": npy([runs], "|u1", bytes(runs)),
        }
        yield trick, {"masks.npz": zipped({**members, "lengths.npy": npy([runs], kind, lengths)})}


def _boxes(folder: Path) -> dict[str, bytes]:
    masks = np.zeros((50, *SIZE[::-1]), np.uint8)
    masks[:, 5:9, 10:20], masks[10:, 20:30, 20:30] = 1, 2
    write_boxes(folder / "boxes.npy", bounding_boxes(masks, 2), SIZE)
    return {"boxes.npy": (folder / "boxes.npy").read_bytes()}


def _packed(folder: Path, sets: int, bodies: int) -> dict[str, bytes]:
    pairs = [(sample_set(k, bodies), questions) for k, questions in enumerate(sample_questions(sets))]
    write_packed(folder / "p.xz", pack_sets(pairs))
    return {"p.xz": (folder / "p.xz").read_bytes()}


def _check_packed(packed: Any, _: Path) -> None:
    for row in range(len(packed)):
        packed.bodies(row)
        for video in range(5):
            expect_finite(packed.poses(row, video), "poses")


def _named_packed(rng: Random, files: Files) -> Files:
    head, _, body = lzma.decompress(raw(files, "p.xz")).partition(b"\n")
    start = body.index(b'[{"index"')
    if rng.random() < 0.5:
        head = json.dumps(named_value(rng, json.loads(head))).encode()
    questions = json.dumps(named_value(rng, json.loads(body[start:]))).encode()
    return {"p.xz": lzma.compress(head + b"\n" + body[:start] + questions, preset=0)}


def _packed_bombs(_: dict[str, bytes]) -> Bombs:
    def file(arrays: dict[str, Any], content: bytes = b"") -> dict[str, bytes]:
        head = {"format": "tumble-comphy-packed-1", "from_tracks": False, "arrays": arrays}
        return {"p.xz": lzma.compress(json.dumps(head).encode() + b"\n" + content + b"[]", preset=0)}

    for sets in (200, 1000, 20_000, 2_000_000):
        arrays = {"index": ["int32", [sets]], "target": ["int16", [sets, 128, 5, 3]]}
        yield f"motion of {sets:,} sets", file(arrays, bytes(min(sets * 3844, 1_000_000_000)))
    yield "arrays of objects", file({"index": ["O", [4]]}, bytes(32))
    yield "large shapes", file({"index": ["int8", [1 << 62, 4]]})


def _picture(pixels: np.ndarray, kind: str) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind)
    return stream.getvalue()


def _picture_samples(_: Path) -> list[Files]:
    pixels = np.arange(48 * 32 * 3, dtype=np.uint8).reshape(32, 48, 3)
    names = ("frame_00000.png", "frame_00001.jpg", "2.jpeg", "notes.txt")
    kinds = [_picture(pixels, kind) for kind in ("PNG", "JPEG", "GIF", "BMP", "TIFF")]
    return [{name: kinds[k % 5], names[(k + 1) % 4]: kinds[0]} for k, name in enumerate(names * 2)]


def _largest_pictures(_: Path) -> dict[str, bytes]:
    pixels = np.random.default_rng(1).integers(0, 255, (1080, 1920, 3), np.uint8)
    return {f"frame_{k:05d}.jpg": _picture(pixels, "JPEG") for k in range(10)}


def _picture_bombs(_: dict[str, bytes]) -> Bombs:
    from PIL import Image

    for mode, side in (("1", 20_000), ("1", 12_000), ("L", 12_000), ("RGB", 12_000), ("RGB", 4000), ("RGBA", 4096)):
        for kind in ("PNG", "JPEG") if mode == "RGB" else ("PNG",):
            stream = io.BytesIO()
            Image.new(mode, (side, side)).save(stream, kind, compress_level=9, quality=1)
            yield f"{kind}, {mode} {side} x {side}", {"frame_00000.png": stream.getvalue()}


def _video(folder: Path, frames: np.ndarray) -> dict[str, bytes]:
    write_video(folder / "v.mp4", frames)
    return {"v.mp4": (folder / "v.mp4").read_bytes()}


def _largest_video(folder: Path) -> dict[str, bytes]:
    """A target of 1280 x 854, three times the published size; noise keeps it from being small."""
    still = np.random.default_rng(1).integers(0, 30, (854, 1280, 3), np.uint8)
    return _video(folder, np.concatenate([np.stack([np.roll(still, k, axis=1) for k in range(64)])] * 2))


def _lists(name: str) -> tuple[bytes, bytes]:
    """Files that a player of videos takes for lists of others."""
    playlist = f"#EXTM3U\n#EXTINF:1,\n{name}\n#EXT-X-ENDLIST\n"
    return playlist.encode(), f"ffconcat version 1.0\nfile '{name}'\n".encode()


def _video_bombs(_: dict[str, bytes]) -> Bombs:
    import av

    for side, frames in ((64, 60_000), (640, 3000), (2048, 250), (4096, 60)):
        stream = io.BytesIO()
        with av.open(stream, "w", format="mp4") as file:
            track = file.add_stream("libx264", rate=25, options={"preset": "ultrafast", "crf": "51"})
            track.width = track.height = side
            track.pix_fmt = "yuv420p"
            frame = av.VideoFrame.from_ndarray(np.zeros((side, side, 3), np.uint8), format="rgb24")
            for number in range(frames):
                frame.pts = number
                file.mux(track.encode(frame))
            file.mux(track.encode())
        yield f"{frames} frames of {side} x {side}", {"v.mp4": stream.getvalue()}
    for content in _lists("/etc/hostname"):
        yield "a list of files", {"v.mp4": content}


def _expect_frames(frames: np.ndarray, _: Path) -> None:
    expect(frames.ndim == 4 and frames.shape[3] == 3, "no pictures")


@cache
def _known_programs() -> tuple[tuple[str, ...], ...]:
    questions = [question for own in sample_questions(12) for question in own.questions]
    factual = [question.program for question in questions if question.kind == "factual"]
    return (*factual, *(choice.program + question.program for question in questions for choice in question.choices))


@cache
def _interpreter(number: int) -> Interpreter:
    return Interpreter(symbolic_scene(sample_set(*((1, 3), (2, 5), (4, 2))[number])))


def _program(rng: Random, _: Sequence[Files]) -> Files:
    program = _changed_program(rng) if rng.random() < 0.5 else _random_program(rng)
    return {"program.json": json.dumps([rng.randrange(3), program]).encode()}


def _changed_program(rng: Random) -> list[str]:
    program = list(rng.choice(_known_programs()))
    for _ in range(rng.randrange(4)):
        k, pick = rng.randrange(len(program)), rng.random()
        if pick < 0.3:
            program[k] = rng.choice(LITERAL_TOKENS if program[k] in LITERALS else OPERATOR_TOKENS)
        elif pick < 0.5:
            program[k : k + 1] = rng.choice(_known_programs())[: rng.randrange(1, 6)]
        elif pick < 0.7:
            program[k] = mutated_text(rng, program[k])
        elif pick < 0.85 and len(program) > 1:
            del program[k]
        else:
            program += rng.choice(_known_programs())[-rng.randrange(1, 4) :]
    return program


def _random_program(rng: Random) -> list[str]:
    """Tokens of which each accepts what the previous ones left on the stack."""
    stack: list[Type] = []
    program: list[str] = []
    for _ in range(rng.randrange(1, 25)):
        fitting = [
            (token, operator)
            for token in rng.sample(OPERATOR_TOKENS, 20)
            for operator in OPERATORS[token]
            if operator.accepts(stack[len(stack) - len(operator.argument_types) :])
        ]
        if not fitting or rng.random() < 0.25:
            token = rng.choice(LITERAL_TOKENS)
            stack.append(LITERALS[token])
        else:
            token, operator = rng.choice(fitting)
            del stack[len(stack) - len(operator.argument_types) :]
            stack.append(operator.result_type)
        program.append(token)
        if len(stack) == 1 and len(program) > 2 and rng.random() < 0.3:
            break
    return program


def _run_program(path: Path) -> None:
    scene, program = json.loads(path.read_bytes())
    interpreter, tokens = _interpreter(scene), tuple(program)
    answer = interpreter.execute(tokens)
    expect(isinstance(answer, str) and "nan" not in answer, f"the answer is {answer!r}")
    steps = interpreter.trace(tokens)
    expect(len(steps) == len(tokens) and all(isinstance(step.value, str) for step in steps), "a wrong trace")
    interpreter.subject(tokens)


def _texts(rng: Random, _: Sequence[Files]) -> Files:
    """The text of a question, and perhaps of an option, with other words or letters."""
    questions = [question for own in sample_questions(12) for question in own.questions]
    choices = [choice.text for question in questions for choice in question.choices]
    texts = [rng.choice(questions).text, *(rng.choice(choices) for _ in range(rng.randrange(2)))]
    k = rng.randrange(len(texts))
    pick = rng.random()
    if pick < 0.42:
        texts[k] = mutated_text(rng, texts[k])
    elif pick < 0.85:
        words = texts[k].split()
        for _ in range(rng.randrange(1, 3)):
            words[rng.randrange(len(words))] = rng.choice(rng.choice(questions).text.split())
        texts[k] = " ".join(words)
    return {"texts.json": json.dumps(texts).encode()}


def _answer_texts(path: Path) -> None:
    text, *choices = json.loads(path.read_bytes())
    parsed = parse_question(text, choices)
    if parsed.kind == "factual":
        expect(isinstance(_interpreter(0).execute(parsed.program), str), "no answer")
        return
    try:
        _interpreter(0).answers(parsed)
    except TumbleError:
        for choice in choices:
            parse_choice(choice)
        raise


def _read_settings(folder: Path) -> Settings:
    read_physics_id(folder)
    return read_settings(folder)


FORMATS: tuple[Format, ...] = (
    Format(
        "comphy-annotations",
        "",
        lambda folder: read_set(folder, 3),
        lambda folder: [dict(_set_files(folder, 2))],
        _check_set,
        share=8,
        largest=lambda folder: _set_files(folder, 5),
        bombs=_set_bombs,
    ),
    Format(
        "comphy-questions",
        "q.json",
        question_files.read_questions,
        lambda folder: [dict(_questions(folder, sets)) for sets in (1, 2)],
        _check_questions,
        share=50,
        largest=lambda folder: _questions(folder, 2000),
    ),
    Format(
        "comphy-submissions",
        "a.json",
        question_files.read_submission,
        lambda folder: [dict(_submission(folder, 2))],
        _check_submission,
        share=50,
        largest=lambda folder: _submission(folder, 2000),
    ),
    Format(
        "comphy-settings",
        "",
        _read_settings,
        lambda _: [
            {"dataset.json": _settings(6)},
            {"dataset.json": _settings(600, None, split="test", family="mass", options=3)},
        ],
        lambda own, _: expect(sum(1 for _ in own.planned_sets()) == own.sets, "not all sets are planned"),
        share=40,
    ),
    Format(
        "comphy-datasets",
        "",
        open_dataset,
        lambda _: [dict(_dataset(6))],
        _check_dataset,
        named=_named_dataset,
        reseal=_with_sums,
        share=15,
        largest=lambda _: _dataset(1_000_000),
        bombs=_dataset_bombs,
    ),
    Format(
        "comphy-masks",
        "masks.npz",
        read_masks,
        lambda folder: [dict(_masks(folder, 50, 32, 48))],
        _check_masks,
        share=20,
        largest=lambda folder: _masks(folder, 128, 1280, 1920),
        bombs=_mask_bombs,
    ),
    Format(
        "comphy-boxes",
        "boxes.npy",
        read_boxes,
        lambda folder: [dict(_boxes(folder))],
        lambda boxes, _: expect_finite(normalise_boxes(boxes, SIZE), "boxes"),
        largest=lambda _: {"boxes.npy": npy([150, 5, 4], "<f4", bytes(12_000))},
    ),
    Format(
        "comphy-packed",
        "p.xz",
        read_packed,
        lambda folder: [dict(_packed(folder, 2, 3))],
        _check_packed,
        named=_named_packed,
        share=8,
        largest=lambda folder: _packed(folder, 300, 5),
        bombs=_packed_bombs,
    ),
    Format(
        "comphy-pictures",
        "",
        lambda folder: read_picture_folder(folder, (24, 16)),
        _picture_samples,
        lambda frames, _: expect(frames.shape[1:] == (16, 24, 3), "pictures of another size"),
        share=8,
        largest=_largest_pictures,
        bombs=_picture_bombs,
    ),
    Format(
        "comphy-videos",
        "v.mp4",
        read_video,
        lambda folder: [dict(_video(folder, np.random.default_rng(1).integers(0, 255, (4, 32, 48, 3), np.uint8)))],
        _expect_frames,
        named=lambda rng, _: {"v.mp4": rng.choice(_lists(str(named_value(rng, "x"))))},
        needs=("av",),
        share=4,
        largest=_largest_video,
        bombs=_video_bombs,
    ),
    Format("comphy-programs", "program.json", _run_program, lambda _: (), make=_program, reads_files=False, share=120),
    Format("comphy-texts", "texts.json", _answer_texts, lambda _: (), make=_texts, reads_files=False, share=15),
)
