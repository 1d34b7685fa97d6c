"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

Workers = Annotated[
    int | None, typer.Option(min=1, help="Runs side by side, each in a process of its own; by default one per core.")
]
Executor = Annotated[str, typer.Option(help="local, or ray for a Ray cluster (RAY_ADDRESS).")]
Device = Annotated[str, typer.Option(help="Where the physics runs: cpu or cuda. It never changes a result.")]
Runs = Annotated[Path, typer.Option(help="The folder for run logs; made if missing.")]
Seeds = Annotated[str, typer.Option(help="For what draws; several as in 0,3,7 or 0-9.")]
Given = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting; one that is given twice runs with either value."),
]
