"""Experiments: which model answers the questions of which data; and their run logs."""

from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from tumble import __version__
from tumble.comphy import agents
from tumble.comphy.agents.agent import Agent
from tumble.comphy.dataset.layout import named_split
from tumble.comphy.evaluation.answer_key import digest, known_key
from tumble.comphy.tasks.question import QuestionSet
from tumble.runs import run_spec
from tumble.runs.agent_registry import settings_of
from tumble.runs.log import Log
from tumble.runs.run_spec import ExperimentError, agent_word, log_name, plain, with_tuples

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
        return f"{agents.REGISTRY.label(self.model)}{given}, {self.split} split of {self.data}, seed {self.seed}"

    def key(self) -> list[QuestionSet]:
        """The questions that are answered, with the right answers."""
        return list(known_key(self.data, self.split).sets[: self.limit])

    def make_model(self) -> Agent:
        """The model with its settings, and with the seed if it takes one."""
        seeded = {"seed": self.seed} if "seed" in settings_of(agents.class_of(self.model)) else {}
        return agents.make(self.model, **{**seeded, **self.settings})

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
        own = agents.REGISTRY.own_file(self.model)
        learns = agents.class_of(self.model).learns
        return {
            "agent_sha256": sha256(own.read_bytes()).hexdigest() if own else None,
            "train_sha256": digest(known_key(self.data, TRAIN).sets) if learns else None,
            "questions_sha256": digest(self.key()),
        }


def from_header(header: dict[str, Any]) -> Experiment:
    """The experiment of a log."""
    return run_spec.from_header(Experiment, header, BENCHMARK, "ComPhy")


def check_unchanged(log: Log) -> None:
    """Refuses a log whose model's file or data are no longer the same."""
    for name, value in from_header(log.header)._digests().items():
        if log.header.get(name) != value:
            what = log.header["model"] if name == "agent_sha256" else f"the data in {log.header['data']}"
            raise ExperimentError(f"{log.path}: {what} has changed since this run began; begin a new run")
