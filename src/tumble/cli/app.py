"""The `tumble` command: the commands of all installed benchmarks, and those that are common to them."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from tumble import __version__
from tumble.benchmark import installed
from tumble.cli import leaderboard, runs, study
from tumble.cli.options import AllowHost, NoOpen, TrustedProxy, takes_limits, web_options
from tumble.cli.runs import Data
from tumble.errors import TumbleError
from tumble.output import BAD_INPUT, print_error, print_line
from tumble.web.options import Limits


def build() -> typer.Typer:
    """The app, with a group of commands for each installed benchmark."""
    app = typer.Typer(name="tumble", no_args_is_help=True, add_completion=False)
    app.callback()(tumble)
    benchmarks, problems = installed()
    for benchmark in benchmarks.values():
        app.add_typer(benchmark.commands(), name=benchmark.name, help=f"{benchmark.title}: {benchmark.summary}")
    for problem in problems:
        print_error(problem)
    app.add_typer(runs.app, name="runs", help="Run logs: list, show, resume, verify.")
    app.add_typer(study.app, name="study", help="Studies with people: new, invite, serve, export, report.")
    app.add_typer(leaderboard.app, name="leaderboard", help="A page of results, replayed from run logs.")
    app.command(
        "report", epilog="Example: tumble report runs -o report.html --csv tables --latex paper --figures figures"
    )(runs.report_command)
    app.command("demo")(demo_command)
    app.command("warmup", epilog="Example: tumble warmup --device cuda")(warmup_command)
    app.command("play", epilog="Example: tumble play --runs runs")(play_command)
    return app


def _print_version(requested: bool) -> None:
    if requested:
        print_line(f"tumble {__version__}")
        raise typer.Exit


def tumble(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Measure physical reasoning: benchmarks on one fast, deterministic engine."""


def _writable_folder(path: Path) -> Path:
    """Creates the folder if it is missing; raises BadParameter if it can't be created or written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        existing = next(parent for parent in (path, *path.parents) if os.path.lexists(parent))
        raise typer.BadParameter(f"{existing} is not a folder; choose a new or existing one.") from None
    except OSError as error:
        raise typer.BadParameter(f"cannot create the folder {path}: {error.strerror}.") from None
    if not os.access(path, os.W_OK):
        raise typer.BadParameter(f"the folder {path} cannot be written to.")
    return path


def demo_command(
    out: Annotated[Path, typer.Option(callback=_writable_folder, help="The output folder; created if missing.")] = Path(
        "demo"
    ),
) -> None:
    """Run a small part of every benchmark, and write a page of results that is updated as parts finish."""
    from tumble.cli.evaluate import run_demo

    run_demo(out)
    print_line(f"The demo's files are in {out}:")
    for path in sorted(out.iterdir()):
        print_line(f"  {path}")


def warmup_command(
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default all that this machine has.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that compile at a time; by default one per core.")
    ] = None,
) -> None:
    """Compile all kernels beforehand, so that no later command waits for it."""
    from tumble.cli.warmup import warm_up

    warm_up(device, workers)


@takes_limits(Limits)
def play_command(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for all of this machine.")] = "127.0.0.1",
    runs: Annotated[Path | None, typer.Option(metavar="DIR", help="Run logs to show beside one's attempts.")] = None,
    data: Data = [],  # noqa: B006 (never changed)
    allow_host: AllowHost = None,
    trusted_proxy: TrustedProxy = None,
    no_open: NoOpen = False,
    **limits: float,
) -> None:
    """Solve the tasks of all benchmarks on a page in the browser."""
    from tumble.cli.serve import play

    play(web_options(limits, host, port, allow_host, trusted_proxy, runs), not no_open, data)


app = build()


def main() -> None:
    """Runs the command line."""
    try:
        app()
    except TumbleError as error:  # of modules that are imported before a command reports its errors
        print_error(str(error))
        sys.exit(BAD_INPUT)
