"""The `tumble` command."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tumble import __version__
from tumble.cli import demo, runs
from tumble.comphy.cli import commands as comphy
from tumble.phyq.cli import commands as phyq
from tumble.phyre.cli import commands as phyre

app = typer.Typer(name="tumble", no_args_is_help=True, add_completion=False)
app.add_typer(phyre.app, name="phyre", help="PHYRE: place balls so that two bodies come to touch.")
app.add_typer(phyq.app, name="phyq", help="Phy-Q: shoot birds so that all pigs die.")
app.add_typer(comphy.app, name="comphy", help="ComPhy: infer hidden mass and charge from videos, answer questions.")
app.add_typer(runs.app, name="runs", help="Run logs: list, show, resume, verify.")
app.command("report", epilog="Example: tumble report runs -o report.html")(runs.report_command)
console = Console(highlight=False, soft_wrap=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(f"tumble {__version__}")
        raise typer.Exit


@app.callback()
def tumble(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Measure physical reasoning: PHYRE, Phy-Q and ComPhy on one fast, deterministic engine."""


def _writable_folder(path: Path) -> Path:
    """Make the folder if it is missing; say what is wrong where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        in_the_way = next(place for place in (path, *path.parents) if os.path.lexists(place))
        raise typer.BadParameter(f"{in_the_way} is not a folder; name one, new or existing.") from None
    except OSError as error:
        raise typer.BadParameter(f"cannot make the folder {path}: {error.strerror}.") from None
    if not os.access(path, os.W_OK):
        raise typer.BadParameter(f"the folder {path} cannot be written to.")
    return path


@app.command("demo")
def show_demo(
    out: Annotated[
        Path, typer.Option(callback=_writable_folder, help="The folder for its files; made if missing.")
    ] = Path("demo"),
) -> None:
    """Let agents play PHYRE-B and Phy-Q, make sets of ComPhy, and write a report of it all, a page, into a folder."""
    demo.run(out)
    console.print(f"The demo's files are in {out}:", markup=False)
    for file in sorted(path for path in out.rglob("*") if path.is_file()):
        console.print(f"  {file}", markup=False)


def main() -> None:
    """Run the command line."""
    app()
