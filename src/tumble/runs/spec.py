"""Run specifications: which agent attempts which tasks, with which settings and seed.

Headers and names of logs follow from them. Also where the tasks and data of run logs are looked for, and which tasks
a run with a limit attempts. A log never says where anything is: it has the digest of its tasks, and a file or folder
with that digest is looked for in the folder of the log and in those given on the command line (`--data DIR`).
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tumble import __version__
from tumble.errors import TumbleError
from tumble.output import PLACES, public
from tumble.runs.header import RunHeader, agent_label
from tumble.runs.log import SUFFIX, LogError
from tumble.runs.participant import NOT_AGENTS, AgentRegistry, ColumnType, Participant, participant_class, settings_of
from tumble.scene.files import whole_file

DIGITS_IN_NAMES = 16
"""Of a digest in the name of a file."""
MOST_FOLDERS_WITHIN = 100
"""Folders within a folder that are looked at."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_named_folders: list[Path] = []


def name_folders(places: Iterable[Path]) -> None:
    """Adds folders, given on the command line, in which tasks and data are looked for."""
    for place in places:
        if not place.is_dir():
            raise LogError(f"{place}: there is no such folder")
        if place not in _named_folders:
            _named_folders.append(place)


def search_folders(header: RunHeader) -> list[Path]:
    """The folders in which the tasks and data of a log are looked for."""
    own = [] if header.folder is None else [header.folder]
    return list(dict.fromkeys([*own, *_named_folders]))


def header_digest(header: RunHeader, name: str) -> str:
    """A digest of a header; a LogError if it is none."""
    digest = header.digests.get(name)
    if digest is None or not _SHA256.fullmatch(digest):
        raise LogError(f"its header has no digest {name}")
    return digest


def task_file_name(kind: str, digest: str) -> str:
    """The name of a file of tasks beside a log, as in tasks-3c06f30db40fc86c.json."""
    return f"{kind}-{digest[:DIGITS_IN_NAMES]}.json"


def task_file_of(header: RunHeader, kind: str, digest_name: str) -> Path:
    """The file with the tasks of a log; a LogError if none of the folders has it."""
    name = task_file_name(kind, header_digest(header, digest_name))
    folders = search_folders(header)
    found = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if found is None:
        where = ", ".join(map(str, folders)) or "any folder that was named"
        raise LogError(f"the tasks of this run, {name}, are not in {where}; name their folder with --data DIR")
    return found


def possible_data_folders(header: RunHeader) -> Iterator[Path]:
    """Folders that may be the dataset of a log: those in which it is looked for, then the folders directly in these."""
    for folder in search_folders(header):
        within = sorted(place for place in folder.iterdir() if place.is_dir()) if folder.is_dir() else []
        yield from (folder, *within[:MOST_FOLDERS_WITHIN])


S = TypeVar("S", bound="RunSpec")

AGENT_DIGEST = "agent_sha256"

LARGEST_NUMBER = 2**63 - 1
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
    source: RunHeader | None = field(default=None, kw_only=True, compare=False, repr=False)
    """The header of the log that it was read from: then it names no code to run, and no file to open. Tasks and data
    are found by their digests, in folders that a person named."""

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
        settings = self.participant.further_settings(self.settings)
        named = [f"{name} {value}" for name, value in public(settings).items()]
        return [agent_label(self.agent, self.settings), *named]

    def plain(self) -> dict[str, Any]:
        """Its fields by name, as a log's header has them."""
        return {name: value for name, value in asdict(replace(self, source=None)).items() if name != "source"}

    def places(self) -> tuple[str, ...]:
        """The fields that name files or folders, which are labels in a log: digests say what was in them."""
        return ()

    def task_digests(self) -> dict[str, str | None]:
        """SHA-256 of tasks, questions or data whose contents may change under the same name."""
        return {}

    def task_file(self) -> tuple[str, str] | None:
        """The name and content of a file of tasks that readers of the log need; None if the package has the tasks."""
        return None

    def data_folders(self) -> tuple[Path, ...]:
        """Folders of data that whoever made the specification named; none of a log's specification."""
        return ()

    def write_tasks(self, folder: Path) -> None:
        """Writes the `task_file` beside the log, if it is not there; logs find their data in `data_folders` as well."""
        name_folders(self.data_folders())
        file = self.task_file()
        if file is not None and not (folder / file[0]).exists():
            with whole_file(folder / file[0]) as partial:
                partial.write_text(file[1], encoding="utf-8")

    def digests(self) -> dict[str, str | None]:
        """SHA-256 of a user's agent file, and `task_digests`."""
        file = self.registry.file_of(self.agent) if self.source is None else None
        return {AGENT_DIGEST: sha256(file.read_bytes()).hexdigest() if file else None, **self.task_digests()}

    def identity(self) -> dict[str, Any]:
        """What distinguishes the run's log from others: all fields that can change a result, digests and physics."""
        identity = {**replace(self, **self.no_effect).plain(), **self.digests(), "physics": self.physics()}
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

    @property
    def participant(self) -> type[Participant]:
        """The class of who makes the attempts."""
        return participant_class(self.agent)

    def columns(self) -> Mapping[str, ColumnType]:
        """The types of what the rows of its log have besides task, attempt and status."""
        return {**self.own_columns(), **self.participant.columns}

    @abstractmethod
    def own_columns(self) -> Mapping[str, ColumnType]:
        """Those of `columns` that all logs of the benchmark have."""

    def make_agent(self) -> Any:
        """Creates the agent with its settings, and with the seed if it takes one; not for people and models."""
        self.check_harmless()
        return self.registry.make(self.agent, **self._seeded_settings(self.registry.class_of(self.agent)))

    def make_participant(self) -> Participant:
        """Creates the agent, or a description of the person or the language model."""
        if self.agent not in NOT_AGENTS:
            agent: Participant = self.make_agent()
            return agent
        self.check_harmless()
        return self.registry.make_participant(self.agent, **self._seeded_settings(self.participant))

    def _seeded_settings(self, kind: type[Any]) -> dict[str, Any]:
        takes_seed = self.participant.takes_seed and "seed" in settings_of(kind)
        return {**({"seed": self.seed} if takes_seed else {}), **self.settings}

    def check_harmless(self) -> None:
        """Raises RunSpecError if the agent of a log's specification would run code, or open what the log names."""
        if self.source is None:
            return
        if self.agent not in self.registry.built_in and self.agent not in NOT_AGENTS:
            raise RunSpecError(f"{self.agent} is a program, which only runs when it is named: --agent FILE.py:CLASS")
        self._check_settings(())

    def _check_settings(self, given_again: Collection[str]) -> None:
        for name, value in self.settings.items():
            if name not in given_again and names_place(name, value):
                raise RunSpecError(f"its setting {name} names a file or an address; give it again: --set {name}=VALUE")

    def resumed(self: S, agent: str | None, settings: Mapping[str, Any]) -> S:
        """This specification of a log as one that can be run, with the agent's file and settings that a person named.

        Settings that the run does not have are for other runs.
        """
        own = {name: value for name, value in settings.items() if name in self.settings}
        changes = {"settings": {**self.settings, **own}, **self.located(), "source": None}
        if not self.agent.partition(":")[0].endswith(".py"):
            self._check_settings(own)
            return replace(self, **changes)
        if agent is None or Path(agent).name != self.agent:
            raise RunSpecError(f"its agent is a program, which only runs when it is named: --agent FOLDER/{self.agent}")
        self._check_settings(own)
        return replace(self, **changes, agent=agent)

    def located(self) -> dict[str, Any]:
        """Of a log's specification: the fields that name files or folders, as they were found by their digests."""
        return {}

    def details(self, agent: Any) -> dict[str, Any]:
        """Further information for the header."""
        return {}

    def header(self) -> RunHeader:
        """The header of the run's log."""
        return self.header_with(self.make_participant())

    def header_with(self, agent: Any) -> RunHeader:
        """The header of the log of a run by an agent that has been created from this specification."""
        names = [name for name in settings_of(type(agent)) if hasattr(agent, name)]
        return RunHeader(
            benchmark=self.benchmark,
            spec=self.header_fields(),
            agent_settings=public(_json_value({name: getattr(agent, name) for name in names})),
            given=agent.given(),
            columns=dict(self.columns()),
            digests=self.digests(),
            task_count=len(self.task_ids()),
            physics=self.physics(),
            tumble_version=__version__,
            details=_json_value(self.details(agent)),
        )

    def header_fields(self) -> dict[str, Any]:
        """The fields as a header has them: files and folders by their names alone, addresses without logins."""
        fields: dict[str, Any] = public(_json_value(self.plain()))
        return fields

    @classmethod
    def from_header(cls: type[S], header: RunHeader) -> S:
        """The specification of a log."""
        if header.benchmark != cls.benchmark:
            raise LogError(f"a run of {header.benchmark!r}, not of {cls.benchmark!r}")
        known = {own_field.name for own_field in fields(cls)} - {"source"}
        if header.spec.keys() != known:
            different = ", ".join(sorted(header.spec.keys() ^ known))
            raise LogError(f"the fields of its header differ from those of {cls.benchmark} runs: {different}")
        _check_field_types(cls, header.spec)
        unopened = {name: value for name, value in cls.no_effect.items() if name in PLACES}
        spec = cls(**{**header.spec, **unopened}, source=header)
        if header.columns != spec.columns():
            raise LogError(f"its columns are {', '.join(header.columns)}, not {', '.join(spec.columns())}")
        return spec


_LOCAL_MODEL = re.compile(r"\w+/([/~.]|[A-Za-z]:[\\/])|[/~.]")


def names_place(name: str, value: object) -> bool:
    """Whether a setting of a log may name a file, a folder or an address that an agent would open.

    >>> names_place("checkpoint", "last"), names_place("fusion", "last"), names_place("x", ["a/b"])
    (True, False, True)
    """
    parts = value if isinstance(value, list | tuple) else [value]
    texts = [part for part in parts if isinstance(part, str) and part]
    if name == "model":  # PROVIDER/NAME, also with more parts, or PROVIDER/ and a folder
        return any("://" in text or _LOCAL_MODEL.match(text) for text in texts)
    return (any(word in PLACES for word in name.split("_")) and bool(texts)) or any(map(_looks_like_place, texts))


def _looks_like_place(text: str) -> bool:
    return "/" in text or "\\" in text or bool(re.search(r"\.[A-Za-z]\w{0,7}$", text)) or Path(text).exists()


def _check_field_types(kind: type[RunSpec], values: Mapping[str, Any]) -> None:
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
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise LogError(f"its header is damaged: spec.{name}: a number with {len(str(abs(value)))} digits")


def _json_value(value: dict[str, Any]) -> dict[str, Any]:
    """The value as it is read back from JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(value, default=str))
    return plain


T = TypeVar("T")


def spread_over_groups(items: Sequence[T], limit: int | None, group_of: Callable[[T], Hashable]) -> list[T]:
    """At most `limit` items, spread over their groups, in their order; all of them if there is no limit.

    First one item of each group is taken, in the order in which the groups appear, then a second one of each, and so
    on. A limit of n covers min(n, groups) groups, with counts that differ by at most 1 until groups are used up.

    >>> spread_over_groups(["a1", "a2", "a3", "b1", "b2", "c1"], 4, lambda name: name[0])
    ['a1', 'a2', 'b1', 'c1']
    """
    if limit is None:
        return list(items)
    seen: dict[Hashable, int] = {}
    groups: dict[Hashable, int] = {}
    ranks = []
    for k, item in enumerate(items):
        group = group_of(item)
        round_number = seen[group] = seen.get(group, -1) + 1
        ranks.append((round_number, groups.setdefault(group, len(groups)), k))
    return [items[k] for k in sorted(k for *_, k in sorted(ranks)[:limit])]
