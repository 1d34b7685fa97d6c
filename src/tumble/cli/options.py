"""Options that several commands share."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

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
