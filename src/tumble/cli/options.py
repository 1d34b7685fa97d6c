"""Options that several commands share, and how their text is parsed: lists, numbers, agents and their settings."""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from functools import wraps
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from tumble.errors import TumbleError
from tumble.runs.participant import AgentRegistry, settings_of
from tumble.web.options import HELP, Limits, WebOptions

Workers = Annotated[
    int | None, typer.Option(min=1, help="Runs made in parallel, each in its own process; by default one per core.")
]
Executor = Annotated[str, typer.Option(help="local, or ray for a Ray cluster (RAY_ADDRESS).")]
Device = Annotated[str, typer.Option(help="Where the physics runs: cpu or cuda. It never changes a result.")]
Runs = Annotated[Path, typer.Option(help="The folder for run logs; created if missing.")]
Seeds = Annotated[str, typer.Option(help="Random seeds; several as in 0,3,7 or 0-9.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the agent; if repeated, each value is run."),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A name by which people reach it, as that of a proxy; may be repeated."),
]
TrustedProxy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ADDRESS",
        help="A proxy, or a network as 10.0.0.0/8, that says whose requests it passes on; may be repeated.",
    ),
]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")]
SMALLEST_RATE = 0.001


def takes_limits(limits: type[Limits]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command, which takes them by name (`**limits`), an option for each limit of a server."""

    def giving(command: Callable[..., None]) -> Callable[..., None]:
        own = [one for one in inspect.signature(command).parameters.values() if one.kind is not one.VAR_KEYWORD]
        options = [*own, *map(_limit_option, fields(limits))]

        @wraps(command)
        def taking(*arguments: Any, **named: Any) -> None:
            command(*arguments, **named)

        taking.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        taking.__annotations__ = {one.name: one.annotation for one in options}
        return taking

    return giving


def _limit_option(limit: "Field[Any]") -> inspect.Parameter:
    kind = type(limit.default)
    least = 1 if kind is int else SMALLEST_RATE
    option = typer.Option(min=least, help=limit.metadata[HELP], rich_help_panel="Limits")
    annotation: Any = Annotated[kind, option]
    return inspect.Parameter(limit.name, inspect.Parameter.KEYWORD_ONLY, default=limit.default, annotation=annotation)


def web_options(
    limits: Mapping[str, Any],
    host: str,
    port: int,
    allowed_hosts: Sequence[str] | None,
    trusted_proxies: Sequence[str] | None,
    runs: Path | None = None,
) -> WebOptions:
    """What a server is told by the options of its command."""
    names, proxies = tuple(allowed_hosts or ()), tuple(trusted_proxies or ())
    return WebOptions(**limits, host=host, port=port, runs=runs, allowed_hosts=names, trusted_proxies=proxies)


def examples(benchmark: str, *commands: str) -> str:
    """The examples for the end of a command's help."""
    heading = "Examples:" if len(commands) > 1 else "Example:"
    return "\n\n".join([heading, *(f"tumble {benchmark} {command}" for command in commands)])


class OptionError(TumbleError):
    """An option whose text can't be parsed."""


def split_list(text: str) -> list[str]:
    """The items of a comma-separated list, without duplicates."""
    items = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not items:
        raise OptionError(f"an empty list: {text!r}")
    return items


def parse_numbers(text: str, name: str, largest: int | None = None) -> list[int]:
    """The numbers of a list such as 0 or 0,3,7 or 0-9."""
    numbers: list[int] = []
    for part in split_list(text):
        first, mark, last = part.partition("-")
        if not first.isdigit() or (mark and not last.isdigit()):
            raise OptionError(f"{name} must be a number, or several as in 0,3,7 or 0-9, not {text!r}")
        numbers += range(int(first), int(last if mark else first) + 1)
    if not numbers or (largest is not None and max(numbers) > largest):
        raise OptionError(f"no {name} {text}; there are 0 to {largest}")
    return list(dict.fromkeys(numbers))


def agents_with_settings(
    registry: AgentRegistry[Any], agents: str, settings: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every agent of a list with every combination of the values (NAME=VALUE) of its settings."""
    names = [_agent_name(name) for name in split_list(agents)]
    values = _parse_settings(settings)
    allowed = {name: settings_of(registry.participant_class(name)) for name in names}
    for setting in values:
        if not any(setting in settings for settings in allowed.values()):
            known = "; ".join(f"{name} has {', '.join(settings) or 'none'}" for name, settings in allowed.items())
            raise OptionError(f"no setting {setting!r}: {known}")
    for name in names:
        used = {setting: value for setting, value in values.items() if setting in allowed[name]}
        yield from ((name, dict(zip(used, combination, strict=True))) for combination in product(*used.values()))


def single_settings(settings: Sequence[str]) -> dict[str, Any]:
    """The values of settings NAME=VALUE of which each has one value."""
    values = _parse_settings(settings)
    for name, given in values.items():
        if len(given) != 1:
            raise OptionError(f"setting {name!r} has {len(given)} values; here it takes one")
    return {name: given[0] for name, given in values.items()}


def _agent_name(agent: str) -> str:
    """The agent's name; files get their absolute path, so that a run can be resumed from another folder."""
    path, mark, kind = agent.rpartition(":")
    return f"{Path(path).resolve()}:{kind}" if mark and path.endswith(".py") else agent


def _parse_settings(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Values by setting, as in ranked=1000; a value that is not a Python literal is text."""
    values: dict[str, list[Any]] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name.strip().isidentifier():
            raise OptionError(f"--set takes NAME=VALUE, as in ranked=1000, not {text!r}")
        literal = value.strip()
        try:
            parsed = ast.literal_eval(literal.capitalize() if literal in ("true", "false") else literal)
        except (ValueError, SyntaxError):
            parsed = literal
        values.setdefault(name.strip(), []).append(parsed)
    return values
