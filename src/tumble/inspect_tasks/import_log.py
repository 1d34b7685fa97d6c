"""Run logs from logs of inspect_ai: a run for each benchmark, selection, tools and epoch, to be replayed."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from tumble.benchmark import benchmark
from tumble.bounded import BoundError, check_json, check_members, json_memory, read_bytes
from tumble.errors import TumbleError
from tumble.inspect_tasks.scorer import counted_records
from tumble.inspect_tasks.solver import TOOL_CALLS, TOOLS_KEY, TURNS, USAGE, puzzle_set, tools_of
from tumble.runs.log import TaskUpdate, open_log, remove_other_form

MODEL_SETTINGS = ("temperature", "top_p", "max_tokens", "reasoning_effort", "seed")
"""Of inspect_ai's configuration: those that are settings of the run, where they were given."""
MOST_CONTENT, MOST_PER_BYTE = 1 << 24, 16
"""Bytes that a log may unpack to, and further ones for each of its bytes."""
MEMORY_PER_CONTENT = 4
"""The memory of its values, by the bytes that it may unpack to."""
ZSTANDARD = 93
"""How zip files name Zstandard, which inspect_ai lets Python read."""
OWN = {"benchmark": str, "task": str, "selection": dict, "prompt_version": str}
"""What the metadata of our samples has."""


class ImportLogError(TumbleError):
    """A file that is no log of our tasks."""


def import_log(path: Path, folder: Path, skip: Callable[[str], None] | None = None) -> list[Path]:
    """Writes the run logs of a log of inspect_ai, each whole or not at all; returns their paths.

    Logs of an earlier import are replaced. Where samples are missing or failed, the run log is unfinished. The seed
    of a run is the number of its epoch, from 0. `skip` is told which samples can't be written as a run log and why;
    without it, that is an error.
    """
    log = _read(path)
    groups: dict[tuple[str, str, str, int], list[EvalSample]] = {}
    for sample in log.samples or []:
        if not all(isinstance(sample.metadata.get(name), kind) for name, kind in OWN.items()):
            raise ImportLogError(f"{path}: sample {sample.id} is not of a task of Tumble")
        if sample.error is None and TURNS in sample.store:
            _check_turns(path, sample)
            selection = json.dumps(sample.metadata["selection"], sort_keys=True)
            tools = tools_of(sample.metadata).options
            groups.setdefault((sample.metadata["benchmark"], selection, tools, sample.epoch), []).append(sample)
    if not groups:
        raise ImportLogError(f"{path}: no sample is finished")
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{uuid4().hex}"
    try:
        temporary.mkdir()
        written = []
        for (name, _, _, epoch), samples in sorted(groups.items(), key=lambda one: one[0]):
            try:
                written.append(_write(log, samples, folder, temporary))
            except TumbleError as error:
                if skip is None:
                    raise
                skip(f"{benchmark(name).title}, epoch {epoch}, {len(samples)} samples: {error}")
        return written
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _read(path: Path) -> EvalLog:
    if not path.is_file():
        raise ImportLogError(f"{path}: there is no such file")
    try:
        _check_size(read_bytes(path))
        return read_eval_log(str(path.resolve()))  # a name like s3://… would be looked for elsewhere
    except Exception as error:  # of whatever the file holds
        raise ImportLogError(f"{path}: not a log of inspect_ai: {error}") from None


def _check_size(raw: bytes) -> None:
    """Raises a BoundError for a log that unpacks to too much, or whose values are too many or too deep."""
    most = MOST_CONTENT + MOST_PER_BYTE * len(raw)
    if not raw.startswith(b"PK"):
        check_json(raw, MEMORY_PER_CONTENT * most)
        return
    memory = 0
    with ZipFile(BytesIO(raw)) as file:
        check_members(file.infolist(), most, (ZIP_STORED, ZIP_DEFLATED, ZSTANDARD))
        for info in file.infolist():
            size, info.file_size = info.file_size, info.file_size + 1
            content = file.read(info)
            if len(content) > size:
                raise BoundError(f"{info.filename[:60]} unpacks to more than it says")
            check_json(content, MEMORY_PER_CONTENT * most)
            memory += json_memory(content)
    if memory > MEMORY_PER_CONTENT * most:
        raise BoundError(f"its values would take {memory >> 20} MiB of memory")


def _write(log: EvalLog, samples: Sequence[EvalSample], folder: Path, temporary: Path) -> Path:
    """Writes the samples of a benchmark, selection, tools and epoch."""
    metadata = samples[0].metadata
    puzzles = puzzle_set(metadata["benchmark"], metadata["selection"])
    if metadata["prompt_version"] != puzzles.prompt_version:
        raise ImportLogError(
            f"the prompts were of version {metadata['prompt_version']}, now they are of {puzzles.prompt_version}: "
            "import the log with the version of Tumble that made it"
        )
    config = log.eval.model_generate_config.model_dump()
    config.update({name: value for name, value in log.plan.config.model_dump().items() if value is not None})
    settings = {name: config[name] for name in MODEL_SETTINGS if config.get(name) is not None}
    if log.eval.model_base_url:
        settings["base_url"] = log.eval.model_base_url
    if log.eval.task_args.get("schema"):
        settings["schema"] = True
    spec = replace(puzzles.spec(log.eval.model, settings), seed=samples[0].epoch - 1)
    if tools := tools_of(metadata).options:
        options = ", ".join(text for text in (spec.settings.get("options"), tools) if text)
        spec = replace(spec, settings={**spec.settings, "options": options})
    header = spec.header()
    details = {**header.details, **_details(log, samples)}
    index = {task_id: number for number, task_id in enumerate(spec.task_ids())}
    rows = puzzles.task_rows({sample.metadata["task"]: counted_records(sample.store[TURNS]) for sample in samples})
    unknown = next((task_id for task_id in rows if task_id not in index), None)
    if unknown is not None:
        raise ImportLogError(f"task {unknown} is not among the {len(index)} tasks of the run {spec.title}")
    spec.write_tasks(folder)
    with open_log(temporary / spec.file_name(), header.model_copy(update={"details": details})) as written:
        for task_id in sorted(rows, key=index.__getitem__):
            written.append([TaskUpdate(task_id, rows[task_id], index[task_id], True)])
        if len(rows) == len(index):
            written.finish()
    target = folder / written.path.name
    written.path.replace(target)
    remove_other_form(target)  # of an earlier import
    return target


def _details(log: EvalLog, samples: Sequence[EvalSample]) -> dict[str, Any]:
    """What a run log says about the model besides its attempts."""
    usage: dict[str, int] = {}
    kinds: dict[str, int] = {}
    calls: dict[str, int] = {}
    for sample in samples:
        for stored, total in ((USAGE, usage), (TOOL_CALLS, calls)):
            for name, number in _mapping(sample.store.get(stored)).items():
                total[name] = total.get(name, 0) + number
        for turn in sample.store[TURNS]:
            kinds[turn["kind"]] = kinds.get(turn["kind"], 0) + 1
    costs = [
        used.total_cost for sample in samples for used in sample.model_usage.values() if used.total_cost is not None
    ]
    tools = {TOOLS_KEY: tools_of(samples[0].metadata).chosen, TOOL_CALLS: calls} if calls else {}
    return {
        "model": log.eval.model,
        "prompt_version": samples[0].metadata["prompt_version"],
        "usage": usage,
        "answers": kinds,
        **tools,
        "cost_dollars": sum(costs) if costs else None,
        "inspect_run": log.eval.run_id,
        "inspect_created": str(log.eval.created),
    }


def _check_turns(path: Path, sample: EvalSample) -> None:
    """Raises an ImportLogError unless the turns of a sample are records with what is read of them."""
    turns = sample.store[TURNS]
    wanted = {"kind": str, "counts": bool}
    if not isinstance(turns, list) or not all(
        isinstance(turn, dict)
        and all(type(turn.get(name)) is kind for name, kind in wanted.items())
        and (not turn["counts"] or isinstance(turn.get("record"), dict))
        for turn in turns
    ):
        raise ImportLogError(f"{path}: sample {str(sample.id)[:80]!r} has damaged turns")


def _mapping(value: Any) -> Mapping[str, int]:
    return value if isinstance(value, Mapping) else {}
