"""The commands of `tumble phyre`: what can be typed.

What they do is in tumble.phyre.cli, which is loaded when a command runs, so that help does not wait for Warp.
"""

from pathlib import Path
from typing import Annotated

import typer

from tumble.cli.options import Device, Executor, Runs, Seeds, Settings, Workers, examples

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble phyre show 00013:042")

TaskArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="An id as in 00013:042, a file (its first task), or FILE#ID.")
]
Picture = Annotated[Path | None, typer.Option(help="Write a picture of the start (.png).")]
Animation = Annotated[Path | None, typer.Option(help="Write an animation of what happens (.gif or .webp).")]
Size = Annotated[int, typer.Option(min=16, max=4096, help="Pixels along the longer side of pictures and animations.")]


@app.command("list", epilog=examples("phyre", "list --tier 2B", "list peg_chains"))
def list_command(
    template: Annotated[str | None, typer.Argument(help="The id or name of one to read about.")] = None,
    tier: Annotated[str | None, typer.Option(help="Only templates of this tier: B or 2B.")] = None,
) -> None:
    """List the 50 templates, or read about one and see its published tasks."""
    from tumble.phyre.cli.browse import describe_template, list_templates

    if template is None:
        list_templates(tier)
    else:
        describe_template(template)


@app.command("show", epilog=examples("phyre", "show 00013:042", "show 00003:098 --solution --gif solved.gif"))
def show_command(
    task: TaskArgument,
    png: Picture = None,
    gif: Animation = None,
    solution: Annotated[bool, typer.Option("--solution", help="Place the stored stable solution.")] = False,
    size: Size = 400,
) -> None:
    """Draw a task in the terminal and say what has to happen in it."""
    from tumble.phyre.cli.browse import show

    show(task, png, gif, solution, size)


@app.command(
    "simulate",
    epilog=examples("phyre", "simulate 00003:017 0.4 0.7 0.2 --gif out.gif", "simulate mine.json#mine:003 0.4 0.7 0.2"),
    context_settings={"ignore_unknown_options": True},  # what looks like one may be a negative number
)
def simulate_command(
    task: TaskArgument,
    numbers: Annotated[
        list[str],
        typer.Argument(metavar="X Y R [X2 Y2 R2]", help="Where the ball goes and how large it is, each from 0 to 1."),
    ],
    stable: Annotated[
        bool, typer.Option("--stable", help="Also try it shifted by half a pixel in eight directions.")
    ] = False,
    gif: Animation = None,
    png: Picture = None,
    events: Annotated[bool, typer.Option("--events", help="List when which bodies touch and part.")] = False,
    stride: Annotated[int, typer.Option(min=1, max=60, help="Animate every so many steps of 1/60 s.")] = 3,
    size: Size = 400,
    device: Device = "cpu",
) -> None:
    """Try one action on a task: one ball for a task of tier B, two for tier 2B."""
    from tumble.phyre.cli.simulate import simulate

    simulate(task, numbers, stable, gif, png, events, stride, size, device)


@app.command("sweep", epilog=examples("phyre", "sweep swept --tier 2B --actions 10000", "sweep swept --verify"))
def sweep_command(
    store: Annotated[Path, typer.Argument(help="The folder for the statuses; made if missing, else gone on with.")],
    tier: Annotated[str | None, typer.Option(help="B or 2B; by default that of the tasks, or B.")] = None,
    tasks: Annotated[
        str | None,
        typer.Option(metavar="ID,ID…", help="Ids, templates or files of tasks; by default all of the tier."),
    ] = None,
    actions: Annotated[int, typer.Option(min=1, help="How many random actions to try on each task.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Which random actions.")] = 0,
    device: Device = "cpu",
    at_once: Annotated[
        int | None,
        typer.Option(
            min=1, help="Shards of about 100,000 attempts to sweep and write together; 1, or 100 on a GPU, by default."
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check a store instead: is all there and undamaged?")
    ] = False,
) -> None:
    """Try the same random actions on many tasks and keep what came of each.

    A sweep that was stopped goes on where it was when the same command is given again.
    """
    from tumble.phyre.cli.sweep import sweep
    from tumble.phyre.cli.sweep import verify as check

    if verify:
        check(store)
    else:
        sweep(store, tier, tasks, actions, seed, device, at_once)


@app.command(
    "evaluate",
    epilog=examples(
        "phyre",
        "evaluate --agent mem --setting ball_within_template --fold 0 --runs runs",
        "evaluate --agent rand,mem,mem-o --setting all --fold 0-9 --runs runs",
        "evaluate --agent my_agent.py:MyAgent --setting ball_within_template --limit 25 --runs runs",
    ),
)
def evaluate_command(
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.py:CLASS",
            help="rand, mem, mem-o, dqn, dqn-o, explorer, explorer-o, optimal, or yours; several with commas.",
        ),
    ],
    setting: Annotated[
        str,
        typer.Option(
            help="ball_cross_template, ball_within_template, two_balls_cross_template, two_balls_within_template; "
            "several with commas, or all."
        ),
    ],
    runs: Runs,
    fold: Annotated[str, typer.Option(help="0 to 9; several as in 0,3,7 or 0-9.")] = "0",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many tasks.")] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(help="A file of tasks of your own to attempt; the agent still trains on the fold's."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="A sweep store, so that what it holds is not simulated again; by default that of 1,000 actions which "
            "comes with Tumble. none for none. It never changes a result.",
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="test, or validation for tuning.")] = "test",
    attempts: Annotated[int, typer.Option(min=1, help="Attempts allowed at each task.")] = 100,
    seed: Seeds = "0",
    settings: Settings = None,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Let agents train and attempt the test tasks of folds; every attempt goes into a run log.

    All combinations of agents, settings, folds, seeds and values run side by side. What is finished is not repeated,
    and what was stopped goes on where it was, when the same command is given again.
    """
    from tumble.phyre.cli.evaluate import evaluate

    evaluate(
        agent,
        setting,
        fold,
        runs,
        limit,
        tasks,
        store,
        split,
        attempts,
        seed,
        settings or [],
        device,
        workers,
        executor,
    )


@app.command(
    "analyse", epilog=examples("phyre", "analyse 00003:017 mine.py", "analyse --file mine.json --out mine.known")
)
def analyse_command(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(metavar="TASK…", help="Ids as in 00013:042, files (their first task), or FILE#ID."),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Analyse all tasks of a file.")] = None,
    out: Annotated[Path, typer.Option(help="Where to keep what is known; gone on with if there.")] = Path(
        "analysis.json"
    ),
    device: Device = "cpu",
) -> None:
    """Try random actions on tasks until it is known whether each is solvable and whether it is trivial.

    Tasks of tier 2B are also tried with one ball. An analysis that was stopped goes on where it was.
    """
    from tumble.phyre.cli.analyse import analyse

    analyse(tasks, file, out, device)


@app.command("import", epilog=examples("phyre", "import official_tasks.json.xz --out tasks.json", "import mine.py"))
def import_command(
    path: Annotated[
        Path, typer.Argument(help="The published tasks (JSON or binary, packed or not), tasks or a template of yours.")
    ],
    out: Annotated[Path | None, typer.Option(help="Write the tasks as JSON that every command reads.")] = None,
) -> None:
    """Read a file of tasks, say what it holds, and compare its published tasks with Tumble's own."""
    from tumble.phyre.cli.exchange import import_tasks

    import_tasks(path, out)
