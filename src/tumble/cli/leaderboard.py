"""The arguments and options of `tumble leaderboard`."""

from pathlib import Path
from typing import Annotated

import typer

from tumble.cli.runs import Data, Places
from tumble.output import BAD_INPUT, plural, print_error, print_line, reports_errors

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble leaderboard build runs -o site")
app.callback()(lambda: None)


@app.command("build", epilog="Example: tumble leaderboard build runs -o site --copy-logs")
@reports_errors
def build_command(
    places: Places,
    site: Annotated[Path, typer.Option("--out", "-o", help="The folder of the site; an earlier one is replaced.")],
    rerun: Annotated[
        bool, typer.Option(help="Also run quick built-in agents again; they must choose the same actions.")
    ] = True,
    copy_logs: Annotated[bool, typer.Option("--copy-logs", help="Put the listed logs into the site.")] = False,
    data: Data = [],  # noqa: B006 (never changed)
) -> None:
    """Make a static page of run logs, each of which is replayed bit for bit; others are refused, with exit code 1."""
    from tumble.leaderboard.build import PAGE_FILE, build_site
    from tumble.leaderboard.check import NOT_RUN_AGAIN
    from tumble.runs.spec import name_folders

    name_folders(data)
    built = build_site(places, site, rerun, copy_logs)
    print_line(f"{plural(len(built.entries), 'run')} replayed and listed in {site / PAGE_FILE}.")
    unproved = sum(not entry.repeated for entry in built.entries)
    if unproved:
        print_line(f"{unproved:,} of them: {NOT_RUN_AGAIN}.")
    for refusal in built.refusals:
        print_error(f"refused: {refusal.text}")
    if built.refusals:
        raise typer.Exit(BAD_INPUT)
