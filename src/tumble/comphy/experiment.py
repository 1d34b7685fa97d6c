"""Experiments: which model answers the questions of which data; and their run logs."""

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble import __version__
from tumble.comphy import models
from tumble.comphy.answer_rows import rows_of, task_name
from tumble.comphy.bodies import Body
from tumble.comphy.key import Key, digest, named_split, read_key, to_ask, to_learn_from
from tumble.comphy.models.inference import same_charges
from tumble.comphy.models.model import Asked, Model
from tumble.comphy.questions.question import QuestionSet
from tumble.comphy.scoring import mark
from tumble.runs import experiments
from tumble.runs import log as run_log
from tumble.runs.experiments import ExperimentError, Told, agent_word, log_name, plain, with_tuples
from tumble.runs.log import Log
from tumble.runs.own_agents import asked as asking
from tumble.runs.own_agents import settings_of

BENCHMARK = "comphy"
TRAIN = "train"
"""The split that models learn from."""


@dataclass(frozen=True)
class Experiment:
    """What is in the header of a run log."""

    model: str
    """A name of `models.MODELS`, or FILE.py:CLASS."""
    data: str
    """The folder of the data."""
    split: str = "test"
    settings: dict[str, Any] = field(default_factory=dict)
    """Of the model."""
    limit: int | None = None
    """Only the first so many sets of the split."""
    seed: int = 0

    def __post_init__(self) -> None:
        named_split(self.split)
        if self.limit is not None and self.limit < 1:
            raise ExperimentError(f"limit must be 1 or more, not {self.limit}")
        object.__setattr__(self, "settings", with_tuples(self.settings))

    @property
    def title(self) -> str:
        """What it is called while it runs."""
        given = "".join(f", {name} {value}" for name, value in self.settings.items())
        return f"{models.SHELF.label(self.model)}{given}, {self.split} split of {self.data}, seed {self.seed}"

    def key(self) -> list[QuestionSet]:
        """The questions that are answered, with the right answers."""
        return list(known_key(self.data, self.split).sets[: self.limit])

    def make_model(self) -> Model:
        """The model with its settings, and with the seed if it takes one."""
        seeded = {"seed": self.seed} if "seed" in settings_of(models.class_of(self.model)) else {}
        return models.make(self.model, **{**seeded, **self.settings})

    def header(self) -> dict[str, Any]:
        """The header of its log."""
        model, key = self.make_model(), self.key()
        known = settings_of(type(model))
        return plain(
            {
                "benchmark": BENCHMARK,
                **asdict(self),
                **self._digests(),
                "settings": {name: getattr(model, name) for name in known if hasattr(model, name)},
                "given": self.settings,
                "task_count": len(key),
                "question_count": sum(len(own.questions) for own in key),
                "version": __version__,
            }
        )

    def file_name(self) -> str:
        """The name of its log: readable, and different for different experiments, models and data that changed."""
        identity = {**asdict(self), **self._digests(), "data": ""}  # the same data elsewhere is the same data
        return log_name(identity, BENCHMARK, agent_word(self.model), self.split)

    def _digests(self) -> dict[str, str | None]:
        """Of what may change under the same name: a model's file, what it learns from, and the questions."""
        own = models.SHELF.own_file(self.model)
        learns = models.class_of(self.model).learns
        return {
            "agent_sha256": sha256(own.read_bytes()).hexdigest() if own else None,
            "train_sha256": digest(known_key(self.data, TRAIN).sets) if learns else None,
            "questions_sha256": digest(self.key()),
        }


@lru_cache(maxsize=4)
def known_key(data: str, split: str) -> Key:
    """The key of a split, read once."""
    return read_key(Path(data), split)


def from_header(header: dict[str, Any]) -> Experiment:
    """The experiment of a log."""
    return experiments.from_header(Experiment, header, BENCHMARK, "ComPhy")


def run(experiment: Experiment, folder: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Runs an experiment, or goes on with it; models don't share their work among `threads`."""
    return _go_on(experiment, Path(folder) / experiment.file_name(), advance)


def resume(path: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Goes on with a run that ended early; refuses where what it hangs on has changed since."""
    log = run_log.read(path)
    if log.finished:
        return log
    check_unchanged(log)
    return _go_on(from_header(log.header), log.path, advance)


def check_unchanged(log: Log) -> None:
    """Refuses a log whose model's file or data are no longer the same."""
    for name, value in from_header(log.header)._digests().items():
        if log.header.get(name) != value:
            what = log.header["model"] if name == "agent_sha256" else f"the data in {log.header['data']}"
            raise ExperimentError(f"{log.path}: {what} has changed since this run began; begin a new run")


def _go_on(experiment: Experiment, path: Path, advance: Told) -> Log:
    return experiments.go_on(path, experiment.header, lambda log: _evaluate(experiment, log, advance), advance)


def _evaluate(experiment: Experiment, log: Log, advance: Told) -> None:
    model, key, root = experiment.make_model(), experiment.key(), Path(experiment.data)
    if model.learns:
        with asking(model, "training"):
            model.train(to_learn_from(root, known_key(experiment.data, TRAIN).sets))
    for done, (asked, own) in enumerate(zip(to_ask(root, key), key, strict=True), start=1):
        if task_name(own.index) not in log.tasks:
            with asking(model, f"answering set {own.index:05d}"):
                marks = mark(own, model.answer(asked))
                inferred = model.properties(asked)
            log.add_task(task_name(own.index), rows_of(marks, _found(inferred, asked)))
        advance(done, len(key))
    log.finish()


def _found(inferred: tuple[Body, ...] | None, asked: Asked) -> str:
    """Which hidden properties a model has right: masses, charges, both, neither; nothing where it infers none."""
    if inferred is None:
        return ""
    truth = asked.look().bodies
    masses = [body.mass for body in inferred] == [body.mass for body in truth]
    charges = same_charges(inferred, truth)
    return "both" if masses and charges else "masses" if masses else "charges" if charges else "neither"
