"""Studies, answers of language models and logs of inspect_ai: honest ones, and bombs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import bomb_files as files
from bomb_files import Content, copies, json_texts
from reader import Reader


def _read_study(path: Path) -> None:
    from tumble.studies.study import read_study

    read_study(path)


STUDY = 'benchmark = "phyre"\ntitle = "x"\nattempts = 3\n[tasks]\nids = ["00000:000"]\n'


def _toml_bombs() -> Iterator[tuple[str, Content]]:
    yield from files.toml_texts(STUDY)


def _read_answer(path: Path) -> None:
    from tumble.llm.dialogue import read_json_object

    read_json_object(path.read_text())


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


def _inspect_log(path: Path, samples: int) -> bytes:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    from tumble.inspect_tasks.solver import puzzle_set

    selection = {"setting": "ball_cross_template", "limit": samples}
    puzzles = puzzle_set("phyre", selection)
    own = {"benchmark": "phyre", "selection": selection, "prompt_version": puzzles.prompt_version}
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="t", dataset=EvalDataset(), model="m/m", config=EvalConfig()
    )
    messages = [ChatMessageUser(content="x" * 3000), ChatMessageAssistant(content="x" * 3000)] * 3
    made = [
        EvalSample(
            id=task,
            epoch=1,
            input="",
            target="",
            messages=messages,
            metadata={**own, "task": task},
            store={"turns": [], "usage": {}},
        )
        for task in puzzles.ids[:samples]
    ]
    log = EvalLog(eval=spec, samples=made)
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
            yield f"metadata: {name}", _with_selection(small, text)
        whole = _inspect_log(Path(folder) / "a.eval", 1)
        members = _members(whole)
        sample = next(name for name in members if name.startswith("samples/"))
        for size in files.SIZES:
            for name, text in json_texts(size):
                own = {**members, sample: _with_selection(members[sample], text)}
                raw = files.zipped(own)
                if len(raw) < files.MOST:
                    yield f"packed metadata: {name}, {size / 1e6:.0f} MB", raw
        yield "many members", files.zipped({**members, **{f"samples/{k}_epoch_1.json": b"{}" for k in range(5000)}})


def _with_selection(log: bytes, text: bytes) -> bytes:
    """A log with another selection in the metadata of its first sample."""
    return re.sub(rb'"selection": ?\{[^}]*\}', lambda _: b'"selection": ' + text, log, count=1)


def _members(raw: bytes) -> dict[str, bytes]:
    from io import BytesIO
    from zipfile import ZipFile

    with ZipFile(BytesIO(raw)) as file:
        return {name: file.read(name) for name in file.namelist()}


def _json_only() -> Iterator[tuple[str, Content]]:
    yield from json_texts()


READERS = (
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
