"""ComPhy: annotations, questions, submissions, settings, masks and tracks; programs and texts of questions."""

import gzip
import json
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_kind import Files, Kind, expect, expect_finite
from mutation import ODD_NUMBERS, mutated_bytes, mutated_json, mutated_text

from tumble.comphy.catalogue.body import COLORS, DECIMALS, HEAVY, MATERIALS, SHAPES, Body, Collision, Motion
from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import Reference, VideoSet, alterations
from tumble.comphy.catalogue.world import REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.dataset.annotations import read_set, write_set
from tumble.comphy.dataset.folder import Settings, read_physics_id, read_settings, settings_document
from tumble.comphy.dataset.question_files import (
    answers_of,
    read_questions,
    read_submission,
    write_questions,
    write_submission,
)
from tumble.comphy.dataset.tracks import normalise_boxes, project_boxes, read_boxes, write_boxes
from tumble.comphy.evaluation.metrics import by_family, by_kind, mark_all, missing_answers
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.video import bounding_boxes, read_masks, write_masks
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.parser import parse_choice, parse_question
from tumble.comphy.questions.program import LITERALS, OPERATORS, ProgramError, Type, check_question
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.errors import TumbleError

LITERAL_TOKENS, OPERATOR_TOKENS = list(LITERALS), list(OPERATORS)
SIZE = (48, 32)


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
        orientations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, members, 1))
        collisions = tuple(Collision(int(step), 0, 1) for step in sorted(draws.integers(0, 10 * frames, 2)))
        spins = np.zeros((frames, members, 3))
        return Motion(
            positions, orientations, np.round(velocities, DECIMALS), spins, CAMERA.sees(positions), collisions
        )

    target = motion(count, TARGET_FRAMES)
    references = tuple(
        Reference((k % count, (k + 1) % count), motion(2, REFERENCE_FRAMES)) for k in range(REFERENCE_COUNT)
    )
    altered = {change: motion(count, SHOWN_FRAMES) for change in alterations(bodies)}
    return VideoSet(index, 1, "both", bodies, target, references, altered)


def sample_questions(sets: int) -> list[QuestionSet]:
    """Questions about some sets, with answers."""
    scenes = {index: symbolic_scene(sample_set(index)) for index in range(sets)}
    return ask_block(scenes, 1, SPLIT_OPTIONS["test"])


class Annotations(Kind):
    """One of the annotation files of a set, mutated: read, turned into events, written back."""

    name, share, batch = "comphy-annotations", 8, 50

    def prepare(self, folder: Path) -> None:
        write_set(folder, sample_set(3, 2))
        names = [path for path in folder.rglob("*") if path.is_file()]
        self.files: dict[str, bytes] = {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}
        self.values = {name: json.loads(_plain(name, data)) for name, data in self.files.items()}

    def make(self, rng: Random) -> Files:
        files: Files = dict(self.files)
        name = rng.choice(sorted(self.files))
        if name.endswith(".gz"):
            content = gzip.compress(mutated_json(rng, self.values[name]), 1, mtime=0)
            files[name] = mutated_bytes(rng, content) if rng.random() < 0.6 else content
        else:
            files[name] = mutated_json(rng, self.values[name])
        return files

    def use(self, folder: Path) -> None:
        stored = read_set(folder, 3)
        videos = stored.videos
        scene = symbolic_scene(videos)
        Interpreter(scene).execute(("objects", "null", "filter_moving", "count"))
        for motion in (videos.target, *(reference.motion for reference in videos.references)):
            for values in (motion.positions, motion.orientations, motion.velocities, motion.angular_velocities):
                expect_finite(values, "motions")
        expect_finite(project_boxes(videos.bodies, videos.target), "boxes")
        if sum(path.stat().st_size for path in folder.rglob("*.json")) % 5:  # writing takes long: a fifth is enough
            return
        copy = folder / "copy"
        write_set(copy, videos)
        again = read_set(copy, 3).videos
        expect(again.bodies == videos.bodies, "the bodies are read back differently")
        expect(np.array_equal(again.target.positions, videos.target.positions), "the motion is read back differently")


def _plain(name: str, data: bytes) -> bytes:
    return gzip.decompress(data) if name.endswith(".gz") else data


class QuestionFiles(Kind):
    """Question files: read, type-checked, written back."""

    name, share, batch = "comphy-questions", 50, 200

    def prepare(self, folder: Path) -> None:
        write_questions(folder / "test.json", sample_questions(4))
        self.value = json.loads((folder / "test.json").read_bytes())

    def make(self, rng: Random) -> Files:
        return {"test.json": mutated_json(rng, rng.sample(self.value, rng.choice((1, 2))))}

    def use(self, folder: Path) -> None:
        sets, faults = read_questions(folder / "test.json")
        for fault in faults:
            expect("\n" not in str(fault), "a fault is not one line")
        for questions in sets:
            for question in questions.questions:
                try:
                    check_question(question)
                except ProgramError:
                    continue
        write_questions(folder / "copy.json", sets)
        expect(read_questions(folder / "copy.json")[0] == sets, "it is read back differently")


class Submissions(Kind):
    """Submission files: read and scored."""

    name, share, batch = "comphy-submissions", 50, 200

    def prepare(self, folder: Path) -> None:
        self.sets = sample_questions(2)
        write_submission(folder / "answers.json", self.sets, answers_of(self.sets))
        self.value = json.loads((folder / "answers.json").read_bytes())

    def make(self, rng: Random) -> Files:
        return {"answers.json": mutated_json(rng, self.value)}

    def use(self, folder: Path) -> None:
        answers = read_submission(folder / "answers.json")
        marks = mark_all(self.sets, answers)
        missing_answers(self.sets, answers)
        for tally in (*by_kind(marks).values(), *by_family(marks).values()):
            expect(0.0 <= tally.per_question <= 100.0, "a score is not from 0 to 100")
        write_submission(folder / "copy.json", self.sets, answers)


class SettingsFiles(Kind):
    """The settings of a dataset: read, and the sets planned."""

    name, share, batch = "comphy-settings", 40, 500

    def prepare(self, folder: Path) -> None:
        self.values = [
            settings_document(Settings(6, 1, (48, 32)), "tumble-3d-1"),
            settings_document(Settings(600, 1, None, "test", "mass", options=3), "tumble-3d-1"),
        ]

    def make(self, rng: Random) -> Files:
        return {"dataset.json": mutated_json(rng, rng.choice(self.values))}

    def use(self, folder: Path) -> None:
        settings = read_settings(folder)
        expect(sum(1 for _ in settings.planned_sets()) == settings.sets, "not all sets are planned")
        read_physics_id(folder)


class MasksAndTracks(Kind):
    """Masks (.npz) and tracks (.npy): read and used."""

    name, share, batch = "comphy-arrays", 30, 200

    def prepare(self, folder: Path) -> None:
        masks = np.zeros((50, *SIZE[::-1]), np.uint8)
        masks[:, 5:9, 10:20], masks[10:, 20:30, 20:30] = 1, 2
        write_masks(folder / "masks.npz", masks)
        write_boxes(folder / "boxes.npy", bounding_boxes(masks, 2), SIZE)
        self.masks, self.boxes = ((folder / name).read_bytes() for name in ("masks.npz", "boxes.npy"))

    def make(self, rng: Random) -> Files:
        if rng.random() < 0.5:
            return {"boxes.npy": mutated_bytes(rng, self.boxes)}
        if rng.random() < 0.5:
            return {"masks.npz": mutated_bytes(rng, self.masks)}
        arrays: dict[str, Any] = {"shape": [50, 32, 48], "lengths": [50 * 32 * 48], "labels": [0]}
        name = rng.choice(list(arrays))
        number = rng.choice([value for value in ODD_NUMBERS if isinstance(value, float) or abs(value) < 2**63])
        arrays[name] = rng.choice((number, [number], [number, 1, 2], [[1, 2]], [], [50, 32, number]))
        stream = BytesIO()
        np.savez_compressed(stream, **{key: np.array(value) for key, value in arrays.items()})
        return {"masks.npz": stream.getvalue()}

    def use(self, folder: Path) -> None:
        if (folder / "boxes.npy").exists():
            expect_finite(normalise_boxes(read_boxes(folder / "boxes.npy"), SIZE), "boxes")
        else:
            masks = read_masks(folder / "masks.npz")
            expect(masks.dtype == np.uint8 and masks.ndim == 3, "they are not masks")
            bounding_boxes(masks, 2)


class Programs(Kind):
    """Programs of questions, mutated or made at random token by token: type-checked, run and traced."""

    name, share, batch = "comphy-programs", 120, 1000
    reads_files = False

    def prepare(self, folder: Path) -> None:
        questions = [question for own in sample_questions(12) for question in own.questions]
        self.programs = [list(question.program) for question in questions if question.kind == "factual"]
        self.programs += [
            list(choice.program + question.program) for question in questions for choice in question.choices
        ]
        self.interpreters = [Interpreter(symbolic_scene(sample_set(k, count))) for k, count in ((1, 3), (2, 5), (4, 2))]

    def make(self, rng: Random) -> Files:
        program = self._mutated(rng) if rng.random() < 0.5 else _random_program(rng)
        return {"program.json": json.dumps([rng.randrange(3), program]).encode()}

    def _mutated(self, rng: Random) -> list[str]:
        program = list(rng.choice(self.programs))
        for _ in range(rng.randrange(4)):
            k = rng.randrange(len(program))
            pick = rng.random()
            if pick < 0.3:
                program[k] = rng.choice(LITERAL_TOKENS if program[k] in LITERALS else OPERATOR_TOKENS)
            elif pick < 0.5:
                program[k : k + 1] = rng.choice(self.programs)[: rng.randrange(1, 6)]
            elif pick < 0.7:
                program[k] = mutated_text(rng, program[k])
            elif pick < 0.85 and len(program) > 1:
                del program[k]
            else:
                program += rng.choice(self.programs)[-rng.randrange(1, 4) :]
        return program

    def use(self, folder: Path) -> None:
        scene, program = json.loads((folder / "program.json").read_bytes())
        interpreter, tokens = self.interpreters[scene], tuple(program)
        answer = interpreter.execute(tokens)
        expect(isinstance(answer, str) and "nan" not in answer, f"the answer is {answer!r}")
        steps = interpreter.trace(tokens)
        expect(len(steps) == len(tokens) and all(isinstance(step.value, str) for step in steps), "a wrong trace")
        interpreter.subject(tokens)


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


class QuestionTexts(Kind):
    """Texts of questions and options, mutated: parsed, and answered where they are understood."""

    name, share, batch = "comphy-texts", 15, 50
    reads_files = False

    def prepare(self, folder: Path) -> None:
        questions = [question for own in sample_questions(12) for question in own.questions]
        self.questions = [question.text for question in questions]
        self.choices = [choice.text for question in questions for choice in question.choices]
        self.interpreter = Interpreter(symbolic_scene(sample_set(1)))

    def make(self, rng: Random) -> Files:
        texts = [rng.choice(self.questions), *(rng.choice(self.choices) for _ in range(rng.randrange(2)))]
        k = rng.randrange(len(texts))
        if rng.random() < 0.85:
            texts[k] = mutated_text(rng, texts[k]) if rng.random() < 0.5 else _reworded(rng, texts[k], self.questions)
        return {"texts.json": json.dumps(texts).encode()}

    def use(self, folder: Path) -> None:
        text, *choices = json.loads((folder / "texts.json").read_bytes())
        parsed = parse_question(text, choices)
        if parsed.kind == "factual":
            expect(isinstance(self.interpreter.execute(parsed.program), str), "no answer")
        else:
            try:
                self.interpreter.answers(parsed)
            except TumbleError:
                for choice in choices:
                    parse_choice(choice)
                raise


def _reworded(rng: Random, text: str, others: list[str]) -> str:
    """The text with some of its words exchanged for words of other texts."""
    words = text.split()
    for _ in range(rng.randrange(1, 3)):
        words[rng.randrange(len(words))] = rng.choice(rng.choice(others).split())
    return " ".join(words)


KINDS: tuple[Kind, ...] = (
    Annotations(),
    QuestionFiles(),
    Submissions(),
    SettingsFiles(),
    MasksAndTracks(),
    Programs(),
    QuestionTexts(),
)
