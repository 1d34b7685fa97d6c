"""The answers of ComPhy's models to many sets, over processes: every part that is finished is kept in a file.

A part is some sets answered by one variant of a model. Its file is named after everything that the answers depend on:
questions, settings and checkpoints. So a benchmark that was stopped resumes where it
was, and a new checkpoint is scored anew.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from tumble.comphy import agents
from tumble.comphy.agents import Agent
from tumble.comphy.catalogue.task import GIVEN, QuestionSet, Task, Use
from tumble.comphy.catalogue.world import PLAIN, WORLDS
from tumble.comphy.evaluation.answer_key import (
    cached_key,
    questions_digest,
    render_sets,
    tasks_with_videos,
    training_tasks,
    true_target,
)
from tumble.comphy.evaluation.metrics import ConceptCounts, Mark, correct_properties, count_concepts, mark
from tumble.comphy.evaluation.run_spec import TRAIN
from tumble.errors import TumbleError
from tumble.jobs import executors
from tumble.jobs.job import Job, ProgressCallback
from tumble.progress import bar
from tumble.runs.header import agent_label
from tumble.scene.files import whole_file

SETS_PER_PART = 4
SHIPPED = Path(agents.__file__).resolve().parent.parent / "data" / "checkpoints"
WEIGHTS_OF = {"see-and-simulate": "perceiver"}
"""Models whose checkpoint is that of another training."""


@dataclass(frozen=True)
class Variant:
    """A model with settings."""

    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The model, with its settings if there are any."""
        return " ".join([self.model, *(f"{name}={value}" for name, value in self.settings.items())])


@dataclass(frozen=True)
class Source:
    """Where sets come from."""

    data: Path
    split: str
    videos: Path | None
    """The folder of rendered videos; None if the dataset has its own."""
    train: Path | None
    """The dataset that models that learn in the run are trained on."""
    checkpoints: Path
    """A folder with NAME.pt of trained models; those that it lacks come with the package."""
    device: str
    threads: int
    """Of PyTorch, in each process."""


@dataclass(frozen=True)
class SetResult:
    """What a model answered about a set, and how it did."""

    marks: tuple[Mark, ...]
    properties: str
    """Which hidden properties are right: both, masses, charges, neither; empty if it infers none."""
    given: str
    trained: str
    concepts: str
    """As text (`ConceptCounts`)."""
    seconds: float
    failure: str = ""
    """Why it gave no answer."""


def answers_of(
    variants: Sequence[Variant], sets: Sequence[QuestionSet], source: Source, cache: Path, workers: int | None
) -> dict[str, list[SetResult]]:
    """The results of each variant on each set, by label."""
    files: dict[str, list[Path]] = {variant.label: [] for variant in variants}
    jobs = []
    parts = [sets[first : first + SETS_PER_PART] for first in range(0, len(sets), SETS_PER_PART)]
    learning = [variant for variant in variants if agents.class_of(variant.model).learns]
    others = [variant for variant in variants if variant not in learning]
    # Models that come trained answer a part together: what the perceiver finds in its videos is found once.
    for some, part in [*((others, part) for part in parts), *(([variant], sets) for variant in learning)]:
        missing = []
        for variant in some:
            path = cache / f"{agent_label(variant.model)}-{part_digest(variant, part, source)}.json"
            files[variant.label].append(path)
            if not path.exists():
                missing.append((variant, path))
        if missing:
            jobs.append(Job(f"sets from {part[0].index:05d}", answer_part, (missing, part, source)))
    if source.videos is not None and jobs:
        render_sets(
            source.data,
            sorted({of_set.index for job in jobs for of_set in job.arguments[1]}),
            source.videos,
            device=source.device,
        )
    with bar("Answering", sum(len(job.arguments[1]) for job in jobs)) as advance:
        for outcome in executors.make_executor("local", workers).run(jobs):
            if outcome.error:
                raise SystemExit(f"{outcome.job.name}: {outcome.error}\n{outcome.trace}")
            advance(len(outcome.job.arguments[1]))
    return {label: [result for path in paths for result in _read(path)] for label, paths in files.items()}


def part_digest(variant: Variant, part: Sequence[QuestionSet], source: Source) -> str:
    """Names everything that the answers of a part depend on."""
    kind = agents.class_of(variant.model)
    train = questions_digest(cached_key(str(source.train), TRAIN).sets) if kind.learns and source.train else ""
    own = [variant.model, dict(variant.settings), questions_digest(part), train, weights_digest(variant.model, source)]
    return sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()[:24]


@cache
def weights_digest(model: str, source: Source) -> str:
    """SHA-256 of all checkpoints that a model may read."""
    names = [WEIGHTS_OF.get(model, model), "perceiver", "parser"]
    worlds = ["", *(f"-{world}" for world in WORLDS if world != PLAIN.name)]
    places = [SHIPPED / f"{name}{world}.pt" for world in worlds for name in names]
    files = [*places, *map(Path, own_weights(model, source).values())]
    return sha256(b"".join(sha256(file.read_bytes()).digest() for file in files if file.exists())).hexdigest()


def own_weights(model: str, source: Source) -> dict[str, str]:
    """The settings of a model that name checkpoints of the source's folder."""
    files = {
        "checkpoint": source.checkpoints / f"{WEIGHTS_OF.get(model, model)}.pt",
        "perceiver": source.checkpoints / "perceiver.pt",
        "parser_checkpoint": source.checkpoints / "parser.pt",
    }
    known = agents.settings_of(agents.class_of(model))
    return {name: str(file.resolve()) for name, file in files.items() if name in known and file.exists()}


def answer_part(
    variants: Sequence[tuple[Variant, Path]], part: Sequence[QuestionSet], source: Source, report: ProgressCallback
) -> None:
    """Has models answer the questions about some sets, set by set, and writes the results of each model."""
    ready = [ready_agent(variant.model, json.dumps(dict(variant.settings)), source) for variant, _ in variants]
    tasks = [tasks_with_videos(source.data, part, source.videos, agent.uses_truth) for agent, _ in ready]
    results: list[list[SetResult]] = [[] for _ in variants]
    for number, questions in enumerate(part):
        for (agent, trained), own_tasks, own in zip(ready, tasks, results, strict=True):
            own.append(answer_set(agent, trained, questions, own_tasks[number], source.data))
        report(number + 1, len(part))
    for (_, path), own in zip(variants, results, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as partial:
            partial.write_text(json.dumps([asdict(result) for result in own]))


@cache
def ready_agent(model: str, settings: str, source: Source) -> tuple[Agent, str]:
    """The agent of this process, trained if it has to be, and the most that its training used."""
    agent = make_agent(Variant(model, json.loads(settings)), source)
    if not agent.learns:
        return agent, agent.trained_with
    if source.train is None:
        raise TumbleError(f"{model} has to be trained: give a dataset with a train split (--train)")
    use = Use()
    agent.train(training_tasks(source.train, cached_key(str(source.train), TRAIN).sets, agent.uses_truth, use))
    return agent, use.most


def make_agent(variant: Variant, source: Source) -> Agent:
    """An agent, on the device if it has a setting for that."""
    torch.set_num_threads(source.threads)
    device = {"device": source.device} if "device" in agents.settings_of(agents.class_of(variant.model)) else {}
    return agents.make(variant.model, **{**device, **own_weights(variant.model, source), **variant.settings})


def answer_set(agent: Agent, trained: str, questions: QuestionSet, task: Task, root: Path) -> SetResult:
    """The answers about one set; an error of the model leaves the set unanswered, which counts as wrong."""
    begin = perf_counter()
    failure, found, explanation = "", None, None
    try:
        answers = agent.answer(task)
        seconds = perf_counter() - begin
        found, explanation = agent.infer_bodies(task), agent.explain(task)
    except TumbleError as error:
        answers, seconds, failure = {}, perf_counter() - begin, str(error)
    given, truth = task.use.most, true_target(root, questions.index)
    properties, concepts = "", ConceptCounts()
    if truth is not None:
        perception = explanation.perception if explanation else None
        properties = correct_properties(found, truth, perception) if found is not None else ""
        concepts = count_concepts(explanation, truth) if explanation is not None else concepts
    marks = tuple(mark(questions, answers))
    return SetResult(marks, properties, given, trained, str(concepts), seconds, failure)


def most_given(names: Sequence[str]) -> str:
    """The most of what was given; empty if there is nothing."""
    return max((name for name in names if name), key=[*GIVEN].index, default="")


def _read(path: Path) -> Iterator[SetResult]:
    for entry in json.loads(path.read_text()):
        marks = tuple(
            Mark(**{**one, "answers": tuple(one["answers"]), "correct": tuple(one["correct"])})
            for one in entry.pop("marks")
        )
        yield SetResult(marks, **entry)
