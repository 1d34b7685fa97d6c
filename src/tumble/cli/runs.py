"""The arguments and options of `tumble runs` and `tumble report`.

The implementation is in tumble.cli.logs, which is imported when a command runs.
"""

from pathlib import Path
from typing import Annotated

import typer

from tumble.cli.options import Executor, Workers

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble runs list runs")

Places = Annotated[list[Path], typer.Argument(metavar="DIR|FILE…", help="Run logs, or folders of them.")]
Data = Annotated[
    list[Path],
    typer.Option(
        "--data",
        metavar="DIR",
        help="A folder with data sets or tasks of the runs, which are found there by their digests; beside their logs "
        "they are found anyway. Can be given several times.",
    ),
]


@app.command("list", epilog="Example: tumble runs list runs")
def list_command(places: Places) -> None:
    """List run logs: agent, tasks, progress and score."""
    from tumble.cli.logs import list_logs

    list_logs(places)


@app.command("show", epilog="Example: tumble runs show runs/LOG.jsonl.gz")
def show_command(file: Annotated[Path, typer.Argument(help="A run log.")]) -> None:
    """Show a run log: its header, scores, and some attempts."""
    from tumble.cli.logs import show

    show(file)


@app.command("resume", epilog="Example: tumble runs resume runs --agent my_agent.py:MyAgent")
def resume_command(
    places: Places,
    data: Data = [],  # noqa: B006 (never changed)
    agent: Annotated[
        str | None, typer.Option(metavar="FILE.py:CLASS", help="The file of the runs' agent: a log runs no code.")
    ] = None,
    settings: Annotated[
        list[str],
        typer.Option("--set", metavar="NAME=VALUE", help="A setting that names a file or an address, once more."),
    ] = [],  # noqa: B006
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Resume unfinished runs, in parallel. Repeating the command that started them does the same."""
    from tumble.cli.logs import resume

    resume(places, data, agent, settings, workers, executor)


@app.command("verify", epilog="Example: tumble runs verify runs")
def verify_command(places: Places, data: Data = []) -> None:  # noqa: B006 (never changed)
    """Replay all attempts of run logs; stops at the first difference, with exit code 1."""
    from tumble.cli.logs import verify

    verify(places, data)


@app.command("import-inspect", epilog="Example: tumble runs import-inspect logs/LOG.eval -o runs")
def import_inspect_command(
    file: Annotated[Path, typer.Argument(metavar="LOG", help="A log of inspect_ai, of a task of Tumble.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for run logs.")] = Path("runs"),
) -> None:
    """Turn a language model's log of inspect_ai into run logs, which can be reported and verified like all others."""
    from tumble.cli.logs import import_inspect

    import_inspect(file, out)


def report_command(
    places: Places,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The page to write (.html).")] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every table as a CSV file, with all digits.")
    ] = None,
    latex: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every table for LaTeX, and every figure as PDF.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every figure as a PDF and an SVG file.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the tables in the terminal.")] = False,
    gifs: Annotated[
        int, typer.Option(min=0, help="Animate a solved and a failed attempt at up to N templates or scenarios.")
    ] = 25,
) -> None:
    """Make tables and figures from run logs: one HTML page that needs no other file, CSV, LaTeX, PDF, SVG, or text."""
    from tumble.cli.logs import ReportTargets, report

    report(places, ReportTargets(out, csv, latex, figures, text), gifs)
