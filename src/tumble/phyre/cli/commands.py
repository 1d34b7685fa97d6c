"""The arguments and options of the commands of `tumble phyre`.

Their implementation is imported when a command runs, so that help does not wait for Warp.
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
Animation = Annotated[Path | None, typer.Option(help="Write an animation of the rollout (.gif or .webp).")]
Size = Annotated[int, typer.Option(min=16, max=4096, help="Pixels along the longer side of pictures and animations.")]


@app.command("list", epilog=examples("phyre", "list --tier 2B", "list peg_chains"))
def list_command(
    template: Annotated[str | None, typer.Argument(help="The id or name of a template to describe.")] = None,
    tier: Annotated[str | None, typer.Option(help="Only templates of this tier: B or 2B.")] = None,
) -> None:
    """List the 50 templates, or describe one and list its published tasks."""
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
    """Draw a task in the terminal and print its goal."""
    from tumble.phyre.cli.browse import show

    show(task, png, gif, solution, size)


@app.command(
    "simulate",
    epilog=examples(
        "phyre",
        "simulate 00003:017 0.4 0.7 0.2 --gif out.gif",
        "simulate mine.json#mine:003 0.4 0.7 0.2",
        'simulate 00003:017 --polygon "90,200 130,200 110,230"',
    ),
    context_settings={"ignore_unknown_options": True},  # it may be a negative number
)
def simulate_command(
    task: TaskArgument,
    numbers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[X Y R [X2 Y2 R2]]", help="Position and radius of the ball, each from 0 to 1."),
    ] = None,
    stable: Annotated[
        bool, typer.Option("--stable", help="Also simulate it shifted by half a pixel in eight directions.")
    ] = False,
    gif: Animation = None,
    png: Picture = None,
    events: Annotated[bool, typer.Option("--events", help="List the times when bodies touch and part.")] = False,
    stride: Annotated[int, typer.Option(min=1, max=60, help="Animate every Nth step of 1/60 s.")] = 3,
    size: Size = 400,
    device: Device = "cpu",
    balls: Annotated[
        list[str] | None, typer.Option("--ball", metavar='"X,Y,R"', help="Place a ball, in pixels; may be repeated.")
    ] = None,
    polygons: Annotated[
        list[str] | None,
        typer.Option("--polygon", metavar='"X,Y X,Y X,Y"', help="Place a polygon, in pixels; may be repeated."),
    ] = None,
    points: Annotated[
        Path | None, typer.Option(help="Place the drawn pixels of a text file: x and y on each line.")
    ] = None,
) -> None:
    """Simulate one action on a task: one ball for a task of tier B, two for tier 2B.

    In place of an action, --ball, --polygon and --points place bodies of any number and shape.
    """
    from tumble.phyre.cli.simulate import simulate

    placed = (balls or [], polygons or [], points)
    simulate(task, numbers or [], stable, gif, png, events, stride, size, device, *placed)


@app.command(
    "explain",
    epilog=examples("phyre", "explain 00003:001 0.607 0.729 0.544", "explain 00003:001 0.607 0.729 0.544 -o why.png"),
    context_settings={"ignore_unknown_options": True},  # it may be a negative number
)
def explain_command(
    task: TaskArgument,
    numbers: Annotated[
        list[str],
        typer.Argument(metavar="X Y R [X2 Y2 R2]", help="Position and radius of the ball, each from 0 to 1."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write a picture (.png) or a page with the table (.html).")
    ] = None,
    device: Device = "cpu",
) -> None:
    """Show which bodies mattered in an attempt, and by which contacts the ball led to the goal.

    Each body is removed, and held still from its first contact on: would the task have been solved all the same?
    """
    from tumble.phyre.cli.simulate import explain_attempt

    explain_attempt(task, numbers, out, device)


@app.command(
    "sweep",
    epilog=examples(
        "phyre",
        "sweep swept --tier 2B --actions 10000",
        "sweep swept --executor ray --workers 64",
        "sweep swept --verify",
    ),
)
def sweep_command(
    store: Annotated[Path, typer.Argument(help="The folder for the outcomes; created if missing, otherwise resumed.")],
    tier: Annotated[str | None, typer.Option(help="B or 2B; by default the tier of the tasks, or B.")] = None,
    tasks: Annotated[
        str | None,
        typer.Option(
            metavar="ID,ID…", help="Ids, templates or files of tasks; by default all published tasks of the tier."
        ),
    ] = None,
    actions: Annotated[int, typer.Option(min=1, help="The number of random actions for each task.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the actions.")] = 0,
    device: Device = "cpu",
    at_once: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Shards of about 100,000 attempts that are simulated together; by default 1 or, with several "
            "workers, a part of one; 100 on a GPU.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Processes that sweep in parallel, with one core each; by default this one with all cores, or all "
            "cores of a Ray cluster. It never changes a result.",
        ),
    ] = None,
    executor: Executor = "local",
    verify: Annotated[
        bool, typer.Option("--verify", help="Check that an existing store is complete and undamaged instead.")
    ] = False,
    shipped: Annotated[
        bool,
        typer.Option("--shipped", help="Take the outcomes of 100,000 actions that come with the package, if any."),
    ] = False,
) -> None:
    """Simulate the same random actions on many tasks and store the outcomes.

    A sweep that was stopped resumes when the command is repeated.
    """
    from tumble.phyre.cli.sweep import sweep
    from tumble.phyre.cli.sweep import verify as check

    if verify:
        check(store)
    else:
        sweep(store, tier, tasks, actions, seed, device, at_once, workers, executor, shipped)


@app.command(
    "train",
    epilog=examples(
        "phyre",
        "train --setting ball_cross_template --fold 0 --device cuda",
        "train --setting two_balls_within_template --fold 3 --agent explorer --set updates=20000 --checkpoint long.pt",
    ),
)
def train_command(
    setting: Annotated[
        str,
        typer.Option(
            help="ball_cross_template, ball_within_template, two_balls_cross_template or two_balls_within_template."
        ),
    ],
    fold: Annotated[int, typer.Option(min=0, max=9, help="0 to 9.")] = 0,
    agent: Annotated[
        str, typer.Option(help="dqn, dqn-o, explorer or explorer-o: whose evaluation is printed. All share a network.")
    ] = "dqn",
    checkpoint: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The network (.pt); by default dqn-SETTING-FOLD.pt. Resumed if it exists."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="A sweep store whose outcomes are not simulated again, or none for no store."),
    ] = None,
    split: Annotated[str, typer.Option(help="test, or validation to leave out the validation tasks.")] = "test",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the agent other than the recommended one."),
    ] = None,
    device: Annotated[str, typer.Option(help="Of the network and of the physics: auto, cpu or cuda.")] = "auto",
) -> None:
    """Train the network of dqn, dqn-o, explorer and explorer-o with the recommended settings.

    Training that was stopped resumes if the command is repeated. At its end the command that evaluates the agent is
    printed.
    """
    from tumble.phyre.cli.agents import train_network

    train_network(setting, fold, agent, checkpoint, store, split, settings or [], device)


@app.command(
    "evaluate",
    epilog=examples(
        "phyre",
        "evaluate --agent mem --setting ball_within_template --fold 0 --runs runs",
        "evaluate --agent rand,mem,mem-o --setting all --fold 0-9 --runs runs",
        "evaluate --agent my_agent.py:MyAgent --setting ball_within_template --limit 25 --runs runs",
        "evaluate --agent llm --set model=openai/gpt-5 --setting ball_within_template --limit 100 --runs runs",
    ),
)
def evaluate_command(
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.py:CLASS",
            help="rand, mem, mem-o, dqn, dqn-o, explorer, explorer-o, optimal, llm (a language model: --set "
            "model=PROVIDER/NAME), or your own; several with commas.",
        ),
    ],
    setting: Annotated[
        str,
        typer.Option(
            help="ball_cross_template, ball_within_template, two_balls_cross_template, two_balls_within_template; "
            "several with commas, or all. With _balanced at its end: its balanced folds."
        ),
    ],
    runs: Runs,
    fold: Annotated[str, typer.Option(help="0 to 9; several as in 0,3,7 or 0-9.")] = "0",
    limit: Annotated[int | None, typer.Option(min=1, help="Only N tasks, spread over the templates.")] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(
            help="A file of user-defined tasks to attempt; the agent still trains on the fold's training tasks."
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="A sweep store whose outcomes are not simulated again; by default Tumble's own, with 1,000 actions; "
            "none for no store. It never changes a result.",
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="test, or validation for tuning.")] = "test",
    attempts: Annotated[
        int | None, typer.Option(min=1, help="Attempts allowed at each task; by default 100, for llm 10.")
    ] = None,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced",
            help="Use balanced folds instead of the published ones: they test every template (within templates: every "
            "task) in two of the ten folds.",
        ),
    ] = False,
    seed: Seeds = "0",
    settings: Settings = None,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Train agents and let them attempt the test tasks of folds; every attempt is written to a run log.

    All combinations of agents, settings, folds, seeds and values run in parallel. When the command is repeated,
    finished runs are skipped and unfinished ones are resumed.
    """
    from tumble.phyre.cli.agents import evaluate

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
        balanced,
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
    out: Annotated[Path, typer.Option(help="The file for the results; resumed if it exists.")] = Path("analysis.json"),
    device: Device = "cpu",
) -> None:
    """Simulate random actions on tasks to decide whether each is solvable and whether it is trivial.

    Tasks of tier 2B are also simulated with one ball. An analysis that was stopped resumes when repeated.
    """
    from tumble.phyre.cli.analyse import analyse

    analyse(tasks, file, out, device)


@app.command("import", epilog=examples("phyre", "import official_tasks.json.xz --out tasks.json", "import mine.py"))
def import_command(
    path: Annotated[
        Path,
        typer.Argument(
            help="The published tasks (JSON or binary, compressed or not), or user-defined tasks or a template."
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Write the tasks to a file, which all commands read.")] = None,
    file_format: Annotated[
        str, typer.Option("--format", help="own (JSON), or the original's formats: published (JSON) or binary.")
    ] = "own",
) -> None:
    """Read a file of tasks, summarise it, and compare tasks that have a published id with Tumble's."""
    from tumble.phyre.cli.task_files import import_tasks

    import_tasks(path, out, file_format)
