"""What people, agents and models send: sessions, studies, points, messages of the game's protocol, answers, logs."""

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

from fuzz_kind import Files, Kind, expect
from hostile_answers import hostile_answer
from mutation import mutated_bytes, mutated_json, mutated_text
from names import named_value

from tumble.errors import TumbleError
from tumble.llm.dialogue import read_json_object
from tumble.phyq.llm.answer import read_shots
from tumble.phyq.server.wire import ARGUMENTS, Code, read_request
from tumble.phyre.catalogue import task_json
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.catalogue.tasks_by_id import task
from tumble.phyre.cli.simulate import parse_input
from tumble.phyre.llm.answer import read_action
from tumble.phyre.simulation.session import read_session, task_from_record
from tumble.studies.study import read_study

STUDY = """\
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


class Sessions(Kind):
    """Saved sessions, with tasks by their ids and whole."""

    name, share, batch = "phyre-sessions", 20, 300

    def prepare(self, folder: Path) -> None:
        whole = json.loads(task_json.write_own([task("00000:000")]))[0]
        base = {"physics": "x", "action": [0.1, 0.2, 0.3], "max_steps": 100, "step": 3, "digest": "x"}
        history = [{"step": 3, "interventions": [{"kind": "remove", "body": 3}]}]
        self.samples = [{**base, "task": own, "history": history} for own in ("00000:000", whole)]

    def sound(self, rng: Random) -> Files:
        return {"session.json": json.dumps(rng.choice(self.samples)).encode()}

    def make(self, rng: Random) -> Files:
        return {"session.json": mutated_json(rng, rng.choice(self.samples))}

    def use(self, folder: Path) -> None:
        text = (folder / "session.json").read_bytes().decode("utf-8", "surrogateescape")
        expect(bool(task_from_record(read_session(text).task).id), "a task without an id")


class Studies(Kind):
    """Files of studies, and their tasks."""

    name, share, batch = "studies", 15, 200

    def sound(self, rng: Random) -> Files:
        return {"study.toml": STUDY.encode()}

    def make(self, rng: Random) -> Files:
        text = mutated_text(rng, STUDY) if rng.random() < 0.5 else STUDY
        raw = text.encode("utf-8", "surrogatepass")
        return {"study.toml": mutated_bytes(rng, raw) if rng.random() < 0.6 else raw}

    def use(self, folder: Path) -> None:
        from tumble.benchmark import benchmark

        file = read_study(folder / "study.toml")
        tasks = benchmark(file.study.benchmark).study_tasks(file.study.tasks, file.study.attempts)
        file.study.check(tasks)
        for question in file.study.questions:
            question.check(question.options[0] if question.options else "x")


class Points(Kind):
    """Files of points."""

    name, share, batch = "phyre-points", 8, 200

    def make(self, rng: Random) -> Files:
        lines = [f"{rng.randrange(20)} {rng.randrange(20)}" for _ in range(rng.randrange(12))]
        return {"points.txt": mutated_bytes(rng, "\n".join(lines).encode())}

    def use(self, folder: Path) -> None:
        expect(len(parse_input([], [], folder / "points.txt").bodies) < 100, "too many bodies")


class Messages(Kind):
    """Messages of the game's protocol, valid ones and bytes."""

    name, share, batch = "phyq-messages", 12, 500
    reads_files = False

    def make(self, rng: Random) -> Files:
        parts = []
        for _ in range(rng.randrange(1, 6)):
            code = rng.choice(list(Code))
            parts.append(bytes([code]) + rng.randbytes(4 * len(ARGUMENTS.get(code, "")) if rng.random() < 0.8 else 3))
        raw = b"".join(parts)
        return {"messages": mutated_bytes(rng, raw) if rng.random() < 0.5 else raw}

    def use(self, folder: Path) -> None:
        raw, at = (folder / "messages").read_bytes(), 0

        async def read(size: int) -> bytes:
            nonlocal at
            at += size
            if at > len(raw):
                raise asyncio.IncompleteReadError(b"", size)
            return raw[at - size : at]

        try:
            while at < len(raw):
                _finished(read_request(read))
        except asyncio.IncompleteReadError:
            return


def _finished(work: Any) -> None:
    """Runs a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration:
        return
    raise AssertionError("it waits")


class Answers(Kind):
    """Answers of language models: the object in them, and the actions that it means in PHYRE and Phy-Q."""

    name, share, batch = "model-answers", 25, 500
    reads_files = False
    samples = (
        '{"x": 51, "y": 102, "radius": 17}',
        '{"angle": 30, "power": 0.9, "tap": 1.5}',
        '{"answers": {"1": "red"}}',
    )

    def sound(self, rng: Random) -> Files:
        return {"answer.txt": rng.choice(self.samples).encode()}

    def make(self, rng: Random) -> Files:
        if rng.random() < 0.4:
            text = hostile_answer(rng.randrange(1 << 30))
        else:
            text = mutated_text(rng, f"I think so.\n```json\n{rng.choice(self.samples)}\n```")
        return {"answer.txt": text.encode("utf-8", "surrogatepass")}

    def named(self, rng: Random, files: Files) -> Files:
        answer = {**json.loads(rng.choice(self.samples)), "file": "x", "answers": "x", "cell": "a1"}
        return {"answer.txt": json.dumps(named_value(rng, answer)).encode()}

    def use(self, folder: Path) -> None:
        answer = read_json_object((folder / "answer.txt").read_bytes().decode("utf-8", "surrogatepass"))
        problems = []
        for use in (
            lambda: read_action(answer, TIERS["B"], None),
            lambda: read_shots(answer, 1, True),
        ):
            try:
                use()
            except TumbleError as error:
                problems.append(error)
        if len(problems) == 2:
            raise problems[0]


class InspectLogs(Kind):
    """Logs of inspect_ai as JSON: imported."""

    name, share, batch, needs = "inspect-logs", 3, 20, ("inspect_ai",)

    def prepare(self, folder: Path) -> None:
        from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log

        from tumble.inspect_tasks.solver import puzzle_set

        selection = {"setting": "ball_cross_template", "limit": 1}
        puzzles = puzzle_set("phyre", selection)
        metadata = {
            "benchmark": "phyre",
            "task": puzzles.ids[0],
            "selection": selection,
            "prompt_version": puzzles.prompt_version,
        }
        spec = EvalSpec(
            created="2026-01-01T00:00:00+00:00",
            task="t",
            dataset=EvalDataset(),
            model="mockllm/model",
            config=EvalConfig(),
        )
        sample = EvalSample(id="a", epoch=1, input="", target="", metadata=metadata, store={"turns": [], "usage": {}})
        write_eval_log(EvalLog(eval=spec, samples=[sample]), str(folder / "log.json"))
        self.sample = json.loads((folder / "log.json").read_bytes())

    def sound(self, rng: Random) -> Files:
        return {"log.json": json.dumps(self.sample).encode()}

    def make(self, rng: Random) -> Files:
        return {"log.json": mutated_json(rng, self.sample)}

    def use(self, folder: Path) -> None:
        from tumble.inspect_tasks.import_log import import_log

        for path in import_log(folder / "log.json", folder / "runs"):
            expect(path.parent == folder / "runs", "a log was written elsewhere")


KINDS: tuple[Kind, ...] = (Sessions(), Studies(), Points(), Messages(), Answers(), InspectLogs())
