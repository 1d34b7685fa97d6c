"""Run specifications: which agent attempts which tasks, with which settings and seed; their logs' headers and names."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from tumble import __version__
from tumble.errors import TumbleError
from tumble.runs.agent_registry import AgentRegistry, settings_of
from tumble.runs.header import RunHeader, agent_label
from tumble.runs.log import SUFFIX, LogError

S = TypeVar("S", bound="RunSpec")

AGENT_DIGEST = "agent_sha256"


class RunSpecError(TumbleError):
    """A run specification with a wrong field."""


@dataclass(frozen=True)
class RunSpec(ABC):
    """What decides a run's result; a benchmark adds fields of its own, all of which JSON can hold."""

    benchmark: ClassVar[str]
    """The benchmark's name, as in `tumble NAME evaluate`."""
    registry: ClassVar[AgentRegistry[Any]]
    """The benchmark's agents."""
    no_effect: ClassVar[Mapping[str, Any]] = {}
    """Fields that never change a result, and their value in the log's name."""

    agent: str
    """A built-in name, or FILE.py:CLASS."""
    settings: dict[str, Any] = field(default_factory=dict, kw_only=True)
    """Of the agent; those that are not given have the agent's defaults."""
    limit: int | None = field(default=None, kw_only=True)
    """Attempt only a given number of tasks; how they are counted is the benchmark's choice."""
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in self.settings.items()}
        object.__setattr__(self, "settings", given)  # JSON has no tuples
        for name in ("attempts", "limit"):
            value = getattr(self, name, None)
            if value is not None and value < 1:
                raise RunSpecError(f"{name} must be 1 or more, not {value}")

    @classmethod
    @abstractmethod
    def physics_id(cls) -> str:
        """The id of the physics that runs depend on."""

    @abstractmethod
    def task_ids(self) -> Sequence[str]:
        """The tasks that are attempted."""

    def name_words(self) -> Sequence[object]:
        """Words in the log's name, after the benchmark's and the agent's."""
        return ()

    @property
    def title(self) -> str:
        """What the run is called while it is made."""
        given = [f"{name} {value}" for name, value in self.settings.items()]
        return ", ".join([agent_label(self.agent), *given, *map(str, self.name_words()), f"seed {self.seed}"])

    def task_digests(self) -> dict[str, str | None]:
        """SHA-256 of tasks, questions or data that may change under the same name."""
        return {}

    def digests(self) -> dict[str, str | None]:
        """SHA-256 of all that may change under the same name: a user's agent file, and `task_digests`."""
        file = self.registry.file_of(self.agent)
        return {AGENT_DIGEST: sha256(file.read_bytes()).hexdigest() if file else None, **self.task_digests()}

    def identity(self) -> dict[str, Any]:
        """What tells this run's log from others': all fields that can change a result, digests and physics."""
        identity = {**asdict(replace(self, **self.no_effect)), **self.digests(), "physics": self.physics_id()}
        if identity[AGENT_DIGEST]:
            identity["agent"] = Path(self.agent).name  # the same file elsewhere is the same agent
        return identity

    def file_name(self) -> str:
        """The log's name: readable words, and a digest that differs between different runs."""
        digest = sha256(json.dumps(self.identity(), sort_keys=True, default=str).encode()).hexdigest()[:8]
        words = [self.benchmark, Path(self.agent.partition(":")[0]).stem, *self.name_words()]
        return f"{'-'.join(map(str, words))}-{digest}{SUFFIX}"

    def make_agent(self) -> Any:
        """The agent with its settings, and with the seed if it takes one."""
        seeded = {"seed": self.seed} if "seed" in settings_of(self.registry.class_of(self.agent)) else {}
        return self.registry.make(self.agent, **{**seeded, **self.settings})

    def details(self, agent: Any) -> dict[str, Any]:
        """What else the header records."""
        return {}

    def header(self) -> RunHeader:
        """The header of the run's log."""
        agent = self.make_agent()
        known = [name for name in settings_of(type(agent)) if hasattr(agent, name)]
        return RunHeader(
            benchmark=self.benchmark,
            spec=_json_value(asdict(self)),
            agent_settings=_json_value({name: getattr(agent, name) for name in known}),
            digests=self.digests(),
            task_count=len(self.task_ids()),
            physics=self.physics_id(),
            tumble_version=__version__,
            details=_json_value(self.details(agent)),
        )

    @classmethod
    def from_header(cls: type[S], header: RunHeader) -> S:
        """The specification of a log."""
        if header.benchmark != cls.benchmark:
            raise LogError(f"not a run of {cls.benchmark} but of {header.benchmark!r}")
        known = {one.name for one in fields(cls)}
        if header.spec.keys() != known:
            different = ", ".join(sorted(header.spec.keys() ^ known))
            raise LogError(f"its header has other fields than a run of {cls.benchmark}: {different}")
        return cls(**header.spec)


def _json_value(value: dict[str, Any]) -> dict[str, Any]:
    """A value as it will be read back from JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(value, default=str))
    return plain
