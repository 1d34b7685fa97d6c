"""The commands of `tumble phyq`: what can be typed.

What they do is in tumble.phyq.cli, which is loaded when a command runs, so that help does not wait for Warp.
"""

from pathlib import Path
from typing import Annotated

import typer

from tumble.cli.options import Device, Executor, Runs, Seeds, Settings, Workers, examples

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble phyq shoot 6.4:003 --angle 38 --gif out.gif")

TaskArgument = Annotated[
    str,
    typer.Argument(metavar="TASK", help="An id as in 6.4:003, a template as in 6.4, or a level file (.json or .xml)."),
]
Picture = Annotated[Path | None, typer.Option(help="Write a screenshot (.png).")]
Animation = Annotated[Path | None, typer.Option(help="Write an animation of what happens (.gif or .webp).")]
Width = Annotated[int, typer.Option(min=64, max=640, help="Pixels that an animation is wide.")]
Scenario = Annotated[int | None, typer.Option(min=1, max=15, help="Only those of this scenario.")]


@app.command("list", epilog=examples("phyq", "list", "list --templates", "list --templates --scenario 6"))
def list_command(
    templates: Annotated[
        bool, typer.Option("--templates", help="One line for each template: its id, its idea.")
    ] = False,
    scenario: Scenario = None,
) -> None:
    """List the 15 scenarios, or their 75 templates."""
    from tumble.phyq.cli.browse import list_scenarios, list_templates

    if templates:
        list_templates(scenario)
    else:
        list_scenarios(scenario)


@app.command(
    "show", epilog=examples("phyq", "show 6.4:003", "show 12.1 --png out.png", "show 6.4:003 --solution --gif won.gif")
)
def show_command(
    task: TaskArgument,
    png: Picture = None,
    gif: Annotated[Path | None, typer.Option(help="With --solution: animate it (.gif or .webp).")] = None,
    solution: Annotated[bool, typer.Option("--solution", help="Tell the stored shots that win.")] = False,
    width: Width = 640,
) -> None:
    """Draw a level in the terminal and say what is in it."""
    from tumble.phyq.cli.browse import show

    show(task, png, gif, solution, width)


@app.command(
    "shoot",
    epilog=examples(
        "phyq",
        "shoot 6.4:003 --angle 38 --gif out.gif",
        "shoot 1.3:000 --angle 40 --stretch 0.8",
        "shoot 14.1 --shot 79 --shot 22,delay=10",
        "shoot 15.2:001 --shot 30,1,tap=0.6",
    ),
)
def shoot_command(
    task: TaskArgument,
    angle: Annotated[
        list[float] | None,
        typer.Option(help="Degrees above the horizontal at which a bird flies off; once for each bird."),
    ] = None,
    stretch: Annotated[
        list[float] | None,
        typer.Option(help="How far it is pulled back, up to 1, which is usual; once for all birds, or once for each."),
    ] = None,
    tap_ms: Annotated[list[float] | None, typer.Option(help="Milliseconds from the release to the tap.")] = None,
    tap_share: Annotated[
        list[float] | None, typer.Option(help="The tap as a share of the flight until the first contact, 0 to 1.")
    ] = None,
    delay: Annotated[
        list[float] | None,
        typer.Option(help="Seconds after the previous release; else a bird waits until everything rests."),
    ] = None,
    shot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ANGLE[,STRETCH][,tap=SHARE][,tap_ms=MS][,delay=S]", help="A whole shot; once for each bird."
        ),
    ] = None,
    gif: Animation = None,
    png: Annotated[Path | None, typer.Option(help="Write a screenshot of the end (.png).")] = None,
    events: Annotated[bool, typer.Option("--events", help="List all hits, not only those that matter.")] = False,
    width: Width = 640,
    device: Device = "cpu",
) -> None:
    """Shoot birds at a level and see what comes of it."""
    from tumble.phyq.cli.given import Given
    from tumble.phyq.cli.shoot import shoot

    given = Given(angle or [], stretch or [], tap_ms or [], tap_share or [], delay or [], shot or [])
    shoot(task, given, gif, png, events, width, device)


@app.command("play", epilog=examples("phyq", "play 6.4:003", "play 11.2:000 --gif game.gif"))
def play_command(task: TaskArgument, gif: Animation = None, width: Width = 640) -> None:
    """Play a level shot by shot: see the picture, type a shot, see what happens.

    A shot is typed as its angle and what else matters: 38, or 38 0.9 tap=0.6, or 22 delay=1.5 to shoot that long after
    the previous bird, while things still move. An empty line ends the game.
    """
    from tumble.phyq.cli.play import play

    play(task, gif, width)


@app.command("score", epilog=examples("phyq", "score --published", "score rates.json", "score runs"))
def score_command(
    place: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RATES.json|DIR|LOG]",
            help='Pass rates from 0 to 1 by scenario, template or task, as in {"3": 0.25, "4": 0.1, …}; or run logs.',
        ),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Score the published pass rates of the paper's agents.")
    ] = False,
) -> None:
    """Turn pass rates into the Phy-Q score: humans have 100, an agent that shoots at random has 0."""
    from tumble.phyq.cli.score import score_file, score_logs, score_published

    if published == (place is not None):
        raise typer.BadParameter("name a file of pass rates or run logs, or give --published")
    if place is None:
        score_published()
    elif place.suffix.lower() == ".json":
        score_file(place)
    else:
        score_logs(place)


@app.command("check", epilog=examples("phyq", "check", "check 6.4 12.1 --tasks 10", "check --make made --device cuda"))
def check_command(
    templates: Annotated[
        list[str] | None, typer.Argument(metavar="[TEMPLATE…]", help="Only these, as in 6.4; by default all.")
    ] = None,
    tasks: Annotated[int, typer.Option(min=1, max=1000, help="The first so many tasks of each template.")] = 100,
    make: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Make the tasks again in a folder instead, and compare; goes on where it was stopped.",
        ),
    ] = None,
    device: Device = "cpu",
) -> None:
    """Check tasks: at rest before the first shot, won by their stored solution, not won by direct shots.

    Solutions must also win with their angles turned by the template's tolerance.
    """
    from tumble.phyq.cli.check import check
    from tumble.phyq.cli.check import make as make_again

    if make is None:
        check(templates or [], tasks, device)
    else:
        make_again(templates or [], tasks, device, make)


@app.command("import", epilog=examples("phyq", "import level.xml -o level.json", "import mine.json"))
def import_command(
    path: Annotated[Path, typer.Argument(metavar="LEVEL", help="A level of Science Birds (.xml) or ours (.json).")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the level here (.json or .xml).")] = None,
) -> None:
    """Read a level, say what it holds and whether it is at rest, and write it in the other form if wanted."""
    from tumble.phyq.cli.exchange import import_level

    import_level(path, out)


@app.command(
    "export",
    epilog=examples(
        "phyq", "export 6.4:003 -o level.xml", "export --all -o levels", "export --all --tasks 100 -o levels"
    ),
)
def export_command(
    out: Annotated[Path, typer.Option("--out", "-o", help="The file (.json or .xml); with --all a folder.")],
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="An id as in 6.4:003, or a template as in 6.4.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All 75 templates, a file for each.")] = False,
    tasks: Annotated[
        int, typer.Option(min=0, max=1000, help="With --all: the first so many tasks of each template instead.")
    ] = 0,
    form: Annotated[str, typer.Option("--format", help="With --all: xml or json.")] = "xml",
) -> None:
    """Write levels as files for Science Birds (.xml) or as ours (.json)."""
    from tumble.phyq.cli.exchange import export, export_all

    if every == (task is not None):
        raise typer.BadParameter("name a task or a template, or give --all")
    if task is None:
        export_all(out, tasks, form)
    else:
        export(task, out)


@app.command(
    "evaluate",
    epilog=examples(
        "phyq",
        "evaluate --agent pig_shooter --runs runs",
        "evaluate --agent random --attempts 50 --runs runs",
        "evaluate --agent my_agent.py:MyAgent --setting tasks --only 3,6.4,6.5:017 --runs runs",
    ),
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
    settings: Settings = None,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Let agents attempt tasks; every attempt goes into a run log.

    All combinations of agents, settings, seeds and values run side by side. What is finished is not repeated, and what
    was stopped goes on where it was, when the same command is given again.
    """
    from tumble.phyq.cli.evaluate import evaluate

    evaluate(agent, setting, only, runs, limit, attempts, seed, settings or [], device, workers, executor)
