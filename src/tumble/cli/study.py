"""The arguments and options of `tumble study`.

The implementation is in tumble.cli.study_files, which is imported when a command runs.
"""

from pathlib import Path
from typing import Annotated

import typer

from tumble.cli.options import AllowHost, NoOpen, TrustedProxy, takes_limits, web_options
from tumble.web.options import StudyLimits

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble study new pilot.toml")

StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="The file of a study (.toml).")]


@app.command("new", epilog="Example: tumble study new pilot.toml")
def new_command(
    file: Annotated[Path, typer.Argument(help="The file to write (.toml).")],
    benchmark: Annotated[str | None, typer.Option(help="By default the first that has studies.")] = None,
) -> None:
    """Write an example of a study, to be changed: tasks, attempts, order, practice, consent text, questions."""
    from tumble.cli.study_files import new

    new(file, benchmark)


@app.command("invite", epilog="Example: tumble study invite pilot.toml --count 20")
def invite_command(
    study: StudyArgument, count: Annotated[int, typer.Option(min=1, max=10_000, help="Of codes.")] = 1
) -> None:
    """Print codes of new participants, to hand out; each is used by one of them."""
    from tumble.cli.study_files import invite

    invite(study, count)


@app.command("serve", epilog="Example: tumble study serve pilot.toml --host 0.0.0.0")
@takes_limits(StudyLimits)
def serve_command(
    study: StudyArgument,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for all of this machine.")] = "127.0.0.1",
    allow_host: AllowHost = None,
    trusted_proxy: TrustedProxy = None,
    anyone: Annotated[bool, typer.Option("--anyone", help="Also let people take part who have no code.")] = False,
    admin_token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file with the token of the administrator's page; by default a new one."),
    ] = None,
    no_open: NoOpen = False,
    **limits: float,
) -> None:
    """Serve the pages of a study: participants enter by link or code, and the administrator's page shows progress."""
    from tumble.cli.serve import ServeOptions, serve_study

    chosen = ServeOptions(anyone, admin_token_file, not no_open)
    serve_study(study, chosen, web_options(limits, host, port, allow_host, trusted_proxy))


@app.command("export", epilog="Example: tumble study export pilot.toml -o runs")
def export_command(
    study: StudyArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for run logs; created if missing.")],
) -> None:
    """Write a run log for each participant, by the agent `people`, for `tumble report` and `tumble runs`."""
    from tumble.cli.study_files import export

    export(study, out)


@app.command("report", epilog="Example: tumble study report pilot.toml -o pilot.html")
def report_command(
    study: StudyArgument,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write a page (.html) too.")] = None,
) -> None:
    """Show progress and quality: unfinished participants, very fast attempts, repeated identical actions."""
    from tumble.cli.study_files import report

    report(study, out)
