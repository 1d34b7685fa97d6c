"""Formats of the engine and of all benchmarks: scenes, studies, answers of language models, logs of inspect_ai."""

import json
import math
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from bomb_files import SIZES, json_texts, members_of, zipped
from formats import Bombs, Files, Format, Simulated, expect, expect_finite, raw
from hostile_answers import hostile_answer
from mutation import mutated_json, mutated_text
from names import named_value

from tumble import engine
from tumble.benchmark import benchmark
from tumble.errors import TumbleError
from tumble.llm.dialogue import read_json_object
from tumble.phyq.llm.puzzle_set import read_shots
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.llm.answer import read_action
from tumble.scene import Scene, from_json, initial_poses, load, save, to_json
from tumble.scene.samples import SAMPLES
from tumble.studies.study import read_study

STEPS, STRIDE = 120, 20
STUDY = b"""\
benchmark = "phyre"
title = "A study"
attempts = 3
practice = ["00000:007"]
order = "listed"
consent = "Yes?"
[tasks]
ids = ["00000:000", "00001:000"]
[[questions]]
id = "how"
text = "How was it?"
options = ["good", "bad"]
"""
ANSWERS = ('{"x": 51, "y": 102, "radius": 17}', '{"angle": 30, "power": 0.9, "tap": 1.5}', '{"answers": {"1": "red"}}')


def number(rng: Random, low: float, high: float) -> float:
    """A number of a usual size, or rarely of any size."""
    return rng.uniform(low, high) if rng.random() < 0.9 else rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-6.0, 9.0)


def size(rng: Random) -> float:
    """A positive number of a usual size, or rarely of any size."""
    return rng.uniform(0.05, 20.0) if rng.random() < 0.9 else 10.0 ** rng.uniform(-5.9, 8.9)


def random_scene(rng: Random) -> dict[str, Any]:
    """A scene as JSON: bodies of all shapes, which may overlap, fall, collide or fly apart."""
    scene: dict[str, Any] = {"version": 1, "bodies": [_body(rng) for _ in range(rng.randrange(1, 9))]}
    if rng.random() < 0.5:
        scene["units_per_metre"] = size(rng)
    if rng.random() < 0.3:
        scene["gravity"] = [number(rng, -20.0, 20.0), number(rng, -20.0, 20.0)]
    return scene


def _body(rng: Random) -> dict[str, Any]:
    body: dict[str, Any] = {
        "shapes": [_shape(rng) for _ in range(1 if rng.random() < 0.7 else rng.randrange(2, 5))],
        "position": [number(rng, -30.0, 30.0), number(rng, -30.0, 30.0)],
        "angle": number(rng, -4.0, 4.0),
        "dynamic": rng.random() < 0.7,
    }
    optional: dict[str, Any] = {
        "velocity": [number(rng, -50.0, 50.0), number(rng, -50.0, 50.0)],
        "angular_velocity": number(rng, -30.0, 30.0),
        "density": size(rng),
        "friction": abs(number(rng, 0.0, 2.0)),
        "restitution": abs(number(rng, 0.0, 1.5)),
        "gravity_scale": number(rng, -2.0, 2.0),
        "linear_damping": abs(number(rng, 0.0, 5.0)),
        "angular_damping": abs(number(rng, 0.0, 5.0)),
        "bullet": rng.random() < 0.5,
        "layer": rng.randrange(65536),
        "mask": rng.randrange(65536),
        "dormant": rng.random() < 0.2,
    }
    return {**body, **{name: value for name, value in optional.items() if rng.random() < 0.3}}


def _shape(rng: Random) -> dict[str, Any]:
    x, y = (number(rng, -3.0, 3.0), number(rng, -3.0, 3.0)) if rng.random() < 0.4 else (0.0, 0.0)
    if rng.random() < 0.4:
        return {"type": "circle", "radius": size(rng), "centre": [x, y]}
    wide, tall, turn = size(rng), size(rng), rng.uniform(0.0, math.tau)
    count = rng.choice((3, 4, 4, 4, 5, 8, 16))
    corners = [turn + math.tau * (k + rng.uniform(-0.3, 0.3)) / count for k in range(count)]
    return {"type": "polygon", "vertices": [[x + wide * math.cos(a), y + tall * math.sin(a)] for a in corners]}


def _scene_samples(_: Path) -> Sequence[Files]:
    texts = [to_json(make()).encode() for make in SAMPLES.values()]
    return [{"scene.json": text} for text in texts if len(json.loads(text)["bodies"]) < 30]


def _changed_scene(rng: Random, samples: Sequence[Files]) -> Files:
    sample = rng.random() < 0.3 and json.loads(raw(rng.choice(samples), "scene.json"))
    return {"scene.json": mutated_json(rng, sample or random_scene(rng))}


def _check_scene(scene: Scene, folder: Path) -> None:
    expect_finite(initial_poses(scene)[[not body.dormant for body in scene.bodies]], "poses")
    save(scene, folder / "copy.json")
    expect(load(folder / "copy.json") == scene, "it is read back differently")


def _largest_scene(_: Path) -> dict[str, bytes]:
    largest = max((make() for make in SAMPLES.values()), key=lambda scene: len(scene.bodies))
    return {"scene.json": to_json(largest).encode()}


def _rolled_out(numbered: list[tuple[int, Scene]]) -> Iterator[tuple[int, str]]:
    options = engine.Options(max_steps=STEPS, stride=STRIDE, velocities=True, events=True, threads=1)
    rollouts = engine.rollout(engine.each([scene for _, scene in numbered]), options=options)
    for world, (number_of_input, scene) in enumerate(numbered):
        present = np.array([not body.dormant for body in scene.bodies], bool)
        problem = ""
        if rollouts.verdicts[world] != 0 or rollouts.steps[world] != STEPS:
            problem = f"verdict {rollouts.verdicts[world]} after {rollouts.steps[world]} steps"
        for name in ("poses", "velocities"):
            values = getattr(rollouts, name)[world][:, : len(scene.bodies)][:, present]
            problem = problem if np.isfinite(values).all() else f"NaN or infinite {name}"
        events = rollouts.events[rollouts.events["world"] == world]
        for name in ("point", "normal", "approach_speed", "impulse"):
            problem = problem if np.isfinite(events[name]).all() else f"NaN or infinite {name} of a contact"
        yield number_of_input, problem


def _check_study(file: Any, folder: Path) -> None:
    tasks = benchmark(file.study.benchmark).study_tasks(file.study.tasks, file.study.attempts)
    file.study.check(tasks)
    for question in file.study.questions:
        question.check(question.options[0] if question.options else "x")


def _study_bombs(sample: dict[str, bytes]) -> Bombs:
    many = b"".join(b'[[questions]]\nid = "q%d"\ntext = "x"\n' % k for k in range(12_000))
    yield "questions", {"study.toml": STUDY + many}
    yield "task ids", {"study.toml": STUDY.replace(b"\nids = [", b"\nids = [" + b'"00000:000", ' * 35_000)}


def _answer(rng: Random, _: Sequence[Files]) -> Files:
    fenced = f"I think so.\n```json\n{rng.choice(ANSWERS)}\n```"
    text = hostile_answer(rng.randrange(1 << 30)) if rng.random() < 0.4 else mutated_text(rng, fenced)
    return {"answer.txt": text.encode("utf-8", "surrogatepass")}


def _named_answer(rng: Random, _: Files) -> Files:
    answer = {**json.loads(rng.choice(ANSWERS)), "file": "x", "answers": "x", "cell": "a1"}
    return {"answer.txt": json.dumps(named_value(rng, answer)).encode()}


def _check_answer(answer: Any, _: Path) -> None:
    """The answer means an action of PHYRE, or shots of Phy-Q."""
    try:
        read_action(answer, TIERS["B"], None)
    except TumbleError:
        read_shots(answer, 1, True)


def _answer_bombs(_: dict[str, bytes]) -> Bombs:
    for trick, text in json_texts():
        yield trick, {"answer.txt": text}
    for trick, text in (("braces", b"{ " * 500_000), ("objects", b'{"x": 1} ' * 110_000), ("texts", b'{"' * 500_000)):
        yield f"{trick} in a row", {"answer.txt": text}


def _inspect_log(folder: Path, file: str, samples: int, words: int) -> dict[str, bytes]:
    """A log of inspect_ai with some samples of dialogues of so many characters."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    from tumble.inspect_tasks.solver import puzzle_set

    selection = {"setting": "ball_cross_template", "limit": samples}
    puzzles = puzzle_set("phyre", selection)
    about = {"benchmark": "phyre", "selection": selection, "prompt_version": puzzles.prompt_version}
    place = {"task": "t", "dataset": EvalDataset(), "model": "mockllm/model", "config": EvalConfig()}
    messages = [ChatMessageUser(content="x" * words), ChatMessageAssistant(content="x" * words)] * 3
    made = [
        EvalSample(
            id=task,
            epoch=1,
            input="",
            target="",
            messages=messages if words else [],
            metadata={**about, "task": task},
            store={"turns": [], "usage": {}},
        )
        for task in puzzles.ids[:samples]
    ]
    spec = EvalSpec(created="2026-01-01T00:00:00+00:00", **place)  # type: ignore[arg-type]
    write_eval_log(EvalLog(eval=spec, samples=made), str(folder / file))
    return {file: (folder / file).read_bytes()}


def _import(path: Path) -> list[Path]:
    from tumble.inspect_tasks.import_log import import_log

    return import_log(path if path.exists() else path.with_suffix(".eval"), path.parent / "runs")


def _check_import(paths: list[Path], folder: Path) -> None:
    expect(all(path.parent == folder / "runs" for path in paths), "a log was written elsewhere")


def _inspect_bombs(sample: dict[str, bytes]) -> Bombs:
    def selecting(log: bytes, text: bytes) -> bytes:
        """A log with another selection in the metadata of its first sample."""
        return re.sub(rb'"selection": ?\{[^}]*\}', lambda _: b'"selection": ' + text, log, count=1)

    for trick, text in json_texts(900_000):
        yield f"metadata: {trick}", {"log.json": selecting(sample["log.json"], text)}
    with tempfile.TemporaryDirectory() as folder:
        members = members_of(_inspect_log(Path(folder), "log.eval", 1, 0)["log.eval"])
    name = next(name for name in members if name.startswith("samples/"))
    for size_of_text in SIZES:
        for trick, text in json_texts(size_of_text):
            yield f"packed: {trick}", {"log.eval": zipped({**members, name: selecting(members[name], text)})}
    more = {f"samples/{k}_epoch_1.json": b"{}" for k in range(5000)}
    yield "many members", {"log.eval": zipped({**members, **more})}


FORMATS: tuple[Format, ...] = (
    Format(
        "scenes",
        "scene.json",
        load,
        _scene_samples,
        _check_scene,
        make=_changed_scene,
        largest=_largest_scene,
        share=200,
    ),
    Simulated(
        "worlds",
        "",
        lambda folder: from_json((folder / "scene.json").read_text()),
        lambda _: (),
        make=lambda rng, _: {"scene.json": json.dumps(random_scene(rng)).encode()},
        share=120,
        together=_rolled_out,
    ),
    Format(
        "studies",
        "study.toml",
        read_study,
        lambda _: [{"study.toml": STUDY}],
        _check_study,
        largest=lambda _: {"study.toml": STUDY},
        bombs=_study_bombs,
        share=15,
    ),
    Format(
        "model-answers",
        "answer.txt",
        lambda path: read_json_object(path.read_bytes().decode("utf-8", "surrogatepass")),
        lambda _: [{"answer.txt": text.encode()} for text in ANSWERS],
        _check_answer,
        make=_answer,
        named=_named_answer,
        reads_files=False,
        largest=lambda _: {"answer.txt": ANSWERS[0].encode()},
        bombs=_answer_bombs,
        share=25,
    ),
    Format(
        "inspect-logs",
        "log.json",
        _import,
        lambda folder: [_inspect_log(folder, "log.json", 1, 0)],
        _check_import,
        largest=lambda folder: _inspect_log(folder, "log.eval", 200, 3000),
        bombs=_inspect_bombs,
        needs=("inspect_ai",),
        share=3,
    ),
)
