"""`tumble phyq evaluate`: what can be typed; what it does is in tumble.phyq.cli, loaded when it runs."""

from typing import Annotated

import typer

from tumble.cli.options import Device, Executor, Given, Runs, Seeds, Workers

EXAMPLES = (
    "Examples:",
    "tumble phyq evaluate --agent pig_shooter --runs runs",
    "tumble phyq evaluate --agent random --attempts 50 --runs runs",
    "tumble phyq evaluate --agent my_agent.py:MyAgent --setting tasks --only 3,6.4,6.5:017 --runs runs",
)


def evaluate_command(
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.py:CLASS",
            help="random, pig_shooter, datalab_style, eagles_wing_style, bambirds_style, or yours; or several.",
        ),
    ],
    runs: Runs,
    setting: Annotated[
        str,
        typer.Option(
            help="broad (test templates of the scenarios), local (test tasks of every template), or tasks (those of "
            "--only); several with commas."
        ),
    ] = "broad",
    only: Annotated[
        str, typer.Option(metavar="ID,ID…", help="Only these scenarios, templates or tasks, as in 3,6.4,6.5:017.")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many tasks of each template.")] = None,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each task; 50 as published for random.")] = 5,
    seed: Seeds = "0",
    given: Given = None,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Let agents attempt tasks; every attempt goes into a run log.

    All combinations of agents, settings, seeds and values run side by side. What is finished is not repeated, and what
    was stopped goes on where it was, when the same command is given again.
    """
    from tumble.phyq.cli.evaluating import evaluate

    evaluate(agent, setting, only, runs, limit, attempts, seed, given or [], device, workers, executor)


def register(app: typer.Typer) -> None:
    """Adds the command to `tumble phyq`."""
    app.command("evaluate", epilog="\n\n".join(EXAMPLES))(evaluate_command)
