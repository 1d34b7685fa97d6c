"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

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


def examples(benchmark: str, *commands: str) -> str:
    """The examples for the end of a command's help."""
    heading = "Examples:" if len(commands) > 1 else "Example:"
    return "\n\n".join([heading, *(f"tumble {benchmark} {command}" for command in commands)])
