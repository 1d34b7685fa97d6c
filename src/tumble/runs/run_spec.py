"""Run specifications: which agent attempts which tasks, with which settings and seed; their logs' headers and names."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tumble import __version__
from tumble.errors import TumbleError
from tumble.output import public
from tumble.runs.agent_registry import AgentRegistry, settings_of
from tumble.runs.header import RunHeader, agent_label, further_settings
from tumble.runs.language_model import LANGUAGE_MODEL
from tumble.runs.log import SUFFIX, LogError

S = TypeVar("S", bound="RunSpec")

AGENT_DIGEST = "agent_sha256"
ADDED_LATER = "added_later"
"""In the metadata of a field that logs of earlier versions do not have."""


def added_later(default: Any) -> Any:
    """A field that logs of earlier versions do not have."""
    return field(default=default, kw_only=True, metadata={ADDED_LATER: True})


LARGEST = 2**63 - 1
"""Of the numbers of a log's specification."""
MOST_ATTEMPTS = 10_000
"""At a task: curves have a point for each."""


class RunSpecError(TumbleError):
    """A run specification with a wrong field."""


@dataclass(frozen=True)
class RunSpec(ABC):
    """All that determines a run's result; benchmarks add fields, whose values must be JSON-compatible."""

    benchmark: ClassVar[str]
    """The benchmark's name, as in `tumble NAME evaluate`."""
    registry: ClassVar[AgentRegistry[Any]]
    """The benchmark's agents."""
    no_effect: ClassVar[Mapping[str, Any]] = {}
    """Fields that never change a result, with the value that they have in the digest of the log's name."""

    agent: str
    """A built-in name, or FILE.py:CLASS."""
    settings: dict[str, Any] = field(default_factory=dict, kw_only=True)
    """Of the agent; others have their defaults."""
    limit: int | None = field(default=None, kw_only=True)
    """The maximum number of tasks; the benchmark defines how they are counted and chosen (see `task_limit`)."""
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        settings = {name: tuple(value) if isinstance(value, list) else value for name, value in self.settings.items()}
        object.__setattr__(self, "settings", settings)  # JSON has no tuples
        for name in ("attempts", "limit"):
            value = getattr(self, name, None)
            if value is not None and value < 1:
                raise RunSpecError(f"{name} must be 1 or more, not {value}")
            if value is not None and name == "attempts" and value > MOST_ATTEMPTS:
                raise RunSpecError(f"{name} must be {MOST_ATTEMPTS:,} or less, not {value:,}")

    @classmethod
    @abstractmethod
    def physics_id(cls) -> str:
        """The id of the physics that runs depend on."""

    @classmethod
    def all_physics(cls) -> tuple[str, ...]:
        """The ids of all current physics of the benchmark."""
        return (cls.physics_id(),)

    def physics(self) -> str:
        """The id of the physics that this run depends on, which may differ between the tasks of a benchmark."""
        return self.physics_id()

    @abstractmethod
    def task_ids(self) -> Sequence[str]:
        """The ids of the tasks to attempt."""

    def name_parts(self) -> Sequence[object]:
        """Further parts of the log's name, after the benchmark and the agent."""
        return ()

    @property
    def title(self) -> str:
        """The run's name in messages."""
        return ", ".join([*self.agent_words, *map(str, self.name_parts()), f"seed {self.seed}"])

    @property
    def agent_words(self) -> list[str]:
        """The agent's name and settings in messages; files without their folders."""
        settings = further_settings(self.agent, self.settings)
        named = [f"{name} {value}" for name, value in public(settings).items()]
        return [agent_label(self.agent, self.settings), *named]

    def places(self) -> tuple[str, ...]:
        """The fields that name files or folders, which are labels in a log: digests say what was in them."""
        return ()

    def task_digests(self) -> dict[str, str | None]:
        """SHA-256 of tasks, questions or data whose contents may change under the same name."""
        return {}

    def digests(self) -> dict[str, str | None]:
        """SHA-256 of a user's agent file, and `task_digests`."""
        file = self.registry.file_of(self.agent)
        return {AGENT_DIGEST: sha256(file.read_bytes()).hexdigest() if file else None, **self.task_digests()}

    def identity(self) -> dict[str, Any]:
        """What distinguishes the run's log from others: all fields that can change a result, digests and physics."""
        identity = {**asdict(replace(self, **self.no_effect)), **self.digests(), "physics": self.physics()}
        if identity[AGENT_DIGEST]:
            identity["agent"] = Path(self.agent).name  # the same file in another folder is the same agent
        return identity

    @property
    def file_part(self) -> str:
        """The agent's part of the log's name."""
        return Path(self.agent.partition(":")[0]).stem

    def file_name(self) -> str:
        """The log's name: readable parts, and a digest of `identity`."""
        digest = sha256(json.dumps(self.identity(), sort_keys=True, default=str).encode()).hexdigest()[:8]
        parts = [self.benchmark, self.file_part, *self.name_parts()]
        return f"{'-'.join(map(str, parts))}-{digest}{SUFFIX}"

    def make_agent(self) -> Any:
        """Creates the agent with its settings, and with the seed if it takes one.

        The seed of a language model is the provider's: it is only given as a setting.
        """
        takes_seed = self.agent != LANGUAGE_MODEL and "seed" in settings_of(self.registry.class_of(self.agent))
        seeded = {"seed": self.seed} if takes_seed else {}
        return self.registry.make(self.agent, **{**seeded, **self.settings})

    def details(self, agent: Any) -> dict[str, Any]:
        """Further information for the header."""
        return {}

    def header(self) -> RunHeader:
        """The header of the run's log."""
        return self.header_with(self.make_agent())

    def header_with(self, agent: Any) -> RunHeader:
        """The header of the log of a run by an agent that has been created from this specification."""
        names = [name for name in settings_of(type(agent)) if hasattr(agent, name)]
        return RunHeader(
            benchmark=self.benchmark,
            spec=_json_value(asdict(self)),
            agent_settings=_json_value({name: getattr(agent, name) for name in names}),
            digests=self.digests(),
            task_count=len(self.task_ids()),
            physics=self.physics(),
            tumble_version=__version__,
            details=_json_value(self.details(agent)),
        )

    @classmethod
    def from_header(cls: type[S], header: RunHeader) -> S:
        """The specification of a log; fields that were `added_later` may be missing, and have their defaults then."""
        if header.benchmark != cls.benchmark:
            raise LogError(f"a run of {header.benchmark!r}, not of {cls.benchmark!r}")
        given, known = header.spec.keys(), {own_field.name for own_field in fields(cls)}
        required = {own_field.name for own_field in fields(cls) if ADDED_LATER not in own_field.metadata}
        if not required <= given <= known:
            different = ", ".join(sorted((given - known) | (required - given)))
            raise LogError(f"the fields of its header differ from those of {cls.benchmark} runs: {different}")
        _check_types(cls, header.spec)
        return cls(**header.spec)


def _check_types(kind: type[RunSpec], values: Mapping[str, Any]) -> None:
    """Raises LogError for a value that is not of its field's type: a log may say anything."""
    hints = get_type_hints(kind)
    for name, value in values.items():
        given = tuple(value) if isinstance(value, list) else value  # JSON has no tuples
        try:
            TypeAdapter(hints[name], config=ConfigDict(strict=True)).validate_python(given)
        except ValidationError as error:
            raise LogError(f"its header is damaged: spec.{name}: {error.errors()[0]['msg']}") from None
        except UnicodeError:
            raise LogError(f"its header is damaged: spec.{name}: a text without an encoding") from None
        if isinstance(value, int) and abs(value) > LARGEST:
            raise LogError(f"its header is damaged: spec.{name}: a number with {len(str(abs(value)))} digits")


def _json_value(value: dict[str, Any]) -> dict[str, Any]:
    """The value as it is read back from JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(value, default=str))
    return plain
