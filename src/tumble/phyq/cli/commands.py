"""The arguments and options of the commands of `tumble phyq`.

Their implementation is imported when a command runs, so that help does not wait for Warp.
"""

from pathlib import Path
from typing import Annotated

import typer

from tumble.cli.options import Device, Executor, Runs, Seeds, Settings, Workers, examples

TASKS_OF_TEMPLATE, LEVELS, MOST_LEVELS = 100, 20, 1000
RANKER_MINUTES = 8.0

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble phyq shoot 6.4:003 --angle 38 --gif out.gif")

TaskArgument = Annotated[
    str,
    typer.Argument(metavar="TASK", help="An id as in 6.4:003, a template as in 6.4, or a level file (.json or .xml)."),
]
Picture = Annotated[Path | None, typer.Option(help="Write a picture (.png).")]
Animation = Annotated[Path | None, typer.Option(help="Write an animation of the episode (.gif or .webp).")]
Angles = Annotated[
    list[float] | None, typer.Option(help="The release angle in degrees above the horizontal; once for each bird.")
]
Shots = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ANGLE[,STRETCH][,tap=SHARE][,tap_ms=MS][,delay=S]", help="A complete shot; once for each bird."
    ),
]
Width = Annotated[
    int | None,
    typer.Option(min=64, max=3840, help="The width in pixels; by default 1280 for pictures and 640 for animations."),
]
Zoom = Annotated[float, typer.Option(min=0.25, max=8.0, help="Above 1: only what is around the pigs, larger.")]
Scenario = Annotated[int | None, typer.Option(min=1, max=15, help="Only this scenario.")]


@app.command("list", epilog=examples("phyq", "list", "list --templates", "list --templates --scenario 6"))
def list_command(
    templates: Annotated[
        bool, typer.Option("--templates", help="Print one line for each template: its id and its idea.")
    ] = False,
    scenario: Scenario = None,
) -> None:
    """List the 15 scenarios, or their 75 templates."""
    from tumble.phyq.cli.tasks import list_scenarios, list_templates

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
    gif: Annotated[Path | None, typer.Option(help="With --solution: write an animation of it (.gif or .webp).")] = None,
    solution: Annotated[bool, typer.Option("--solution", help="Print the stored shots that win.")] = False,
    width: Width = None,
    zoom: Zoom = 1.0,
) -> None:
    """Draw a level in the terminal and list its pieces."""
    from tumble.phyq.cli.play import PictureSize
    from tumble.phyq.cli.tasks import show

    show(task, png, gif, solution, PictureSize(width, zoom))


@app.command(
    "shoot",
    epilog=examples(
        "phyq",
        "shoot 6.4:003 --angle 38 --gif out.gif",
        "shoot 1.3:000 --angle 40 --stretch 0.8",
        "shoot 14.1 --shot 79.5 --shot 26.5,delay=8",
        "shoot 15.2:001 --shot 30,1,tap=0.6",
    ),
)
def shoot_command(
    task: TaskArgument,
    angle: Angles = None,
    stretch: Annotated[
        list[float] | None,
        typer.Option(help="How far the sling is pulled, up to 1, the default; once for all birds, or once for each."),
    ] = None,
    tap_ms: Annotated[list[float] | None, typer.Option(help="Milliseconds from the release to the tap.")] = None,
    tap_share: Annotated[
        list[float] | None,
        typer.Option(help="The time of the tap as a share of the flight until the first contact, 0 to 1."),
    ] = None,
    delay: Annotated[
        list[float] | None,
        typer.Option(help="Seconds after the previous release; by default a bird waits until everything is at rest."),
    ] = None,
    shot: Shots = None,
    gif: Animation = None,
    png: Annotated[Path | None, typer.Option(help="Write a picture of the end (.png).")] = None,
    events: Annotated[bool, typer.Option("--events", help="List all events, not only notable ones.")] = False,
    width: Width = None,
    zoom: Zoom = 1.0,
    device: Device = "cpu",
) -> None:
    """Shoot birds in a level, and print what happens."""
    from tumble.phyq.cli.play import PictureSize, ShotOptions, shoot

    options = ShotOptions(angle or [], stretch or [], tap_ms or [], tap_share or [], delay or [], shot or [])
    shoot(task, options, gif, png, events, PictureSize(width, zoom), device)


@app.command(
    "explain",
    epilog=examples("phyq", "explain 4.4:003", "explain 3.2:010 --png causes.png", "explain 4.4:003 --angle 40"),
)
def explain_command(
    task: TaskArgument,
    angle: Angles = None,
    shot: Shots = None,
    png: Annotated[Path | None, typer.Option(help="Draw the chain of causes (.png).")] = None,
    width: Annotated[int, typer.Option(min=64, max=3840, help="The width of the picture in pixels.")] = 1280,
    device: Device = "cpu",
) -> None:
    """Explain the stored solution of a task, or given shots: who touched, pushed and killed whom.

    Also says whether this follows the physical rule of the task's template.
    """
    from tumble.phyq.cli.explain import explain_task
    from tumble.phyq.cli.play import ShotOptions

    explain_task(task, ShotOptions(angle or [], [], [], [], [], shot or []), png, width, device)


@app.command("play", epilog=examples("phyq", "play 6.4:003", "play 11.2:000 --gif game.gif"))
def play_command(task: TaskArgument, gif: Animation = None, width: Width = None, zoom: Zoom = 1.0) -> None:
    """Play a level shot by shot: the level is drawn, you type a shot, and see what happens.

    A shot is an angle, and optionally a stretch, a tap and a delay: 38, or 38 0.9 tap=0.6, or 22 delay=1.5, which
    shoots 1.5 s after the previous bird, while objects still move. An empty line ends the game.
    """
    from tumble.phyq.cli.play import PictureSize, play

    play(task, gif, PictureSize(width, zoom))


@app.command("score", epilog=examples("phyq", "score --published", "score rates.json", "score runs --people people"))
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
    people: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR|LOG",
            help="Logs of people (tumble study export_level), who have 100 in place of the published ones.",
        ),
    ] = None,
) -> None:
    """Compute the Phy-Q score from pass rates: humans have 100, an agent that shoots at random has 0."""
    from tumble.phyq.cli.evaluate import score_file, score_logs, score_published

    if published == (place is not None):
        raise typer.BadParameter("give a file of pass rates or run logs, or --published")
    if place is None:
        score_published(people)
    elif place.suffix.lower() == ".json":
        score_file(place, people)
    else:
        score_logs(place, people)


@app.command("check", epilog=examples("phyq", "check", "check 6.4 12.1 --tasks 10", "check --make made --device cuda"))
def check_command(
    templates: Annotated[
        list[str] | None, typer.Argument(metavar="[TEMPLATE…]", help="Only these, as in 6.4; by default all.")
    ] = None,
    tasks: Annotated[int, typer.Option(min=1, max=1000, help="The first N tasks of each template.")] = 100,
    make: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Generate the tasks again in a folder instead, and compare; resumes if it was stopped.",
        ),
    ] = None,
    device: Device = "cpu",
) -> None:
    """Check tasks: at rest before the first shot, won by their stored solution, not won by direct shots.

    Solutions must follow the rule of their template, and also win with their angles changed by its tolerance. Of each
    20 tasks of a template, no angle that all birds repeat may win more than a quarter.
    """
    from tumble.phyq.cli.make import check_tasks, make_again

    if make is None:
        check_tasks(templates or [], tasks, device)
    else:
        make_again(templates or [], tasks, device, make)


@app.command(
    "generate",
    epilog=examples(
        "phyq",
        "generate 3.1 --count 500 -o made",
        "generate 3.1 4.2 --count 40 --first 200 -o made --workers 2",
        "generate --seed 7 -o levels",
        "generate --seed 7 --count 100 -o more --device cuda",
    ),
)
def generate_command(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder; created if missing.")],
    templates: Annotated[
        list[str] | None, typer.Argument(metavar="[TEMPLATE]…", help="Templates, as in 3.1; none for complete levels.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Tasks of each template (100), or levels (20, at most 1,000).")
    ] = None,
    first: Annotated[
        int, typer.Option(min=0, help="The number of the first task; below 100 are the benchmark's own.")
    ] = 100,
    seed: Annotated[int, typer.Option(help="Decides levels: the same seed gives the same levels everywhere.")] = 0,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Generate tasks of templates that pass all checks of the benchmark's own, or complete levels; all with solutions.

    Of templates, it writes 3.1/levels/3.1-104.2.json (the level of task 3.1:104.2, the second draw after the first for
    number 104) and 3.1/solutions.txt. Complete levels are buildings with several pigs, and several birds: at rest
    before the first shot, won by shots that are stored in set.json, and not won by one bird. The same call gives the
    same on every machine; if it was stopped, repeat it to resume.
    """
    from tumble.phyq.cli.make import make_checked_tasks, make_levels

    if templates:
        make_checked_tasks(templates, count or TASKS_OF_TEMPLATE, first, out, device, workers, executor)
    elif count is not None and count > MOST_LEVELS:
        raise typer.BadParameter(f"--count: at most {MOST_LEVELS:,} levels")
    else:
        make_levels(out, seed, count or LEVELS, device)


@app.command("import", epilog=examples("phyq", "import level.xml -o level.json", "import mine.json"))
def import_command(
    path: Annotated[
        Path, typer.Argument(metavar="LEVEL", help="A level file of Science Birds (.xml) or of Tumble (.json).")
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the level here (.json or .xml).")] = None,
) -> None:
    """Read a level, print its contents and whether it is at rest, and optionally convert it."""
    from tumble.phyq.cli.tasks import import_level

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
        int, typer.Option(min=0, max=1000, help="With --all: the first N tasks of each template instead.")
    ] = 0,
    form: Annotated[str, typer.Option("--format", help="With --all: xml or json.")] = "xml",
) -> None:
    """Write levels as files of Science Birds (.xml) or of Tumble (.json)."""
    from tumble.phyq.cli.tasks import export_all, export_level

    if every == (task is not None):
        raise typer.BadParameter("give a task or a template, or --all")
    if task is None:
        export_all(out, tasks, form)
    else:
        export_level(task, out)


@app.command(
    "evaluate",
    epilog=examples(
        "phyq",
        "evaluate --agent pig_shooter --runs runs",
        "evaluate --agent random --attempts 50 --runs runs",
        "evaluate --agent my_agent.py:MyAgent --setting tasks --only 3,6.4,6.5:017 --runs runs",
        "evaluate --agent pig_shooter --levels levels --runs runs",
    ),
)
def evaluate_command(
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.py:CLASS",
            help="random, pig_shooter, datalab_style, eagles_wing_style, bambirds_style, shot-ranker, dddqn-symbolic, "
            "dddqn-image, relational-symbolic, relational-image, sb3, simulation, llm (a language model: --set "
            "model=PROVIDER/NAME), or your own; or several.",
        ),
    ],
    runs: Runs,
    setting: Annotated[
        str,
        typer.Option(
            help="broad (test templates of the scenarios), local (test tasks of every template), tasks (those of "
            "--only), or levels (those of --levels); several with commas."
        ),
    ] = "broad",
    only: Annotated[
        str, typer.Option(metavar="ID,ID…", help="Only these scenarios, templates or tasks, as in 3,6.4,6.5:017.")
    ] = "",
    levels: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR|FILE", help="A folder of levels or a level file; may be repeated."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first N tasks of each template; of levels: the first N.")
    ] = None,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each task; the published random agent had 50.")] = 5,
    train_on: Annotated[
        str,
        typer.Option(
            metavar="N,N…", help="Train on these scenarios, one run for each, and test on all: what transfers?"
        ),
    ] = "",
    train_templates: Annotated[
        str, typer.Option(metavar="N,N…", help="Train on the first N training templates of each scenario.")
    ] = "",
    train_tasks: Annotated[
        str, typer.Option(metavar="N,N…", help="Train on the first N training tasks of each template.")
    ] = "",
    seed: Seeds = "0",
    settings: Settings = None,
    device: Device = "cpu",
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Let agents attempt tasks; every attempt is written to a run log.

    All combinations of agents, settings, seeds and values run in parallel. When the command is repeated, finished runs
    are skipped and unfinished ones are resumed.
    """
    from tumble.phyq.cli.evaluate import evaluate

    if levels and (only or setting not in ("broad", "levels")):
        raise typer.BadParameter("give --levels, or --setting and --only, not both")
    places = levels or []
    training = train_on, train_templates, train_tasks
    evaluate(
        agent, setting, only, runs, limit, attempts, seed, settings or [], device, workers, executor, places, *training
    )


@app.command(
    "train",
    epilog=examples(
        "phyq",
        "train dddqn-symbolic --setting broad --device cuda -o checkpoints",
        "train relational-image --setting local --only 6.4 --preset paper -o checkpoints",
        "train shot-ranker --data shots.npz --device cuda -o ranker.pt --export half.pt",
        "train shot-ranker --data few.npz --tasks 4 --shots 60",
    ),
)
def train_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="dddqn-symbolic, dddqn-image, relational-symbolic, relational-image, or shot-ranker.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The folder for checkpoints and the page; of shot-ranker the checkpoint (.pt)."
        ),
    ] = None,
    setting: Annotated[
        str, typer.Option(help="broad (a network for each scenario) or local (a network for each template).")
    ] = "broad",
    only: Annotated[
        str, typer.Option(metavar="ID,ID…", help="Only these scenarios or templates, as in 3 or 6.4.")
    ] = "",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda; auto plays shots on the CPU.")] = "auto",
    preset: Annotated[
        str, typer.Option(help="sweep (the outcomes of all angles at the training tasks) or paper (as published).")
    ] = "sweep",
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of play and updates, instead of the preset's.")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(help="How long to train instead (shot-ranker: 8); the weights then depend on the machine."),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Of shot-ranker, instead of minutes: the same weights on every run.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed.")] = 0,
    settings: Settings = None,
    outcomes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Outcomes of first shots (.npz): read if it exists, and written at the end."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The shots that shot-ranker learns from (.npz): read if it exists, else played first."
        ),
    ] = None,
    tasks: Annotated[int, typer.Option(min=1, max=100, help="Of the shots: tasks of each training template.")] = 100,
    variants: Annotated[
        int, typer.Option(min=0, help="Of the shots: variants of each task, with pieces moved, exchanged, mirrored.")
    ] = 1,
    shots: Annotated[int, typer.Option(min=1, help="Of the shots: random ones on each level.")] = 150,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="TEMPLATE", help="Of the shots: a training template to leave out, to test on it."),
    ] = None,
    workers: Workers = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write shot-ranker's weights in half precision.")
    ] = None,
) -> None:
    """Train the networks of an agent; training that was stopped resumes if the command is repeated.

    The agent shot-ranker learns from random shots on the training templates of the broad setting: what every shot did
    to every object. They are played when their file does not exist; without --out nothing else is done.
    """
    from tumble.phyq.cli.train import collect_shots, train_learner, train_shot_ranker

    if name != "shot-ranker":
        if out is None:
            raise typer.BadParameter("--out: name the folder for checkpoints")
        train_learner(name, setting, only, out, device, preset, rounds, minutes, seed, settings or [], outcomes)
        return
    if data is None:
        raise typer.BadParameter("--data: name the file of shots (.npz)")
    if not data.exists():
        collect_shots(data, tasks, variants, shots, without or [], seed, device, workers)
    if out is not None:
        train_shot_ranker(data, out, device, minutes or RANKER_MINUTES, steps, seed, settings or [], export)


@app.command(
    "serve",
    epilog=examples(
        "phyq",
        "serve --tasks 3.1,6.4:080-099 --runs runs --agent Datalab",
        "serve --setting broad --attempts 5 --runs runs --agent PigShooter",
    ),
)
def serve_command(
    tasks: Annotated[
        str,
        typer.Option(
            metavar="ID,ID…", help="The levels: scenarios, templates, tasks or ranges, as in 3,6.4,6.5:017,8.1:080-099."
        ),
    ] = "",
    setting: Annotated[
        str,
        typer.Option(help="broad or local: test tasks, of --tasks if given; broad by default if there are no --tasks."),
    ] = "",
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")] = 2004,
    runs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder for run logs; without it nothing is recorded.")
    ] = None,
    agent: Annotated[str, typer.Option(metavar="NAME", help="The agent's name in run logs.")] = "",
    attempts: Annotated[
        int, typer.Option(min=1, help="Attempts at each task in a run, after which the next task follows.")
    ] = 1,
    device: Device = "cpu",
) -> None:
    """Let the original's agents play tasks, through its own protocol on TCP.

    Each client has its own game. Attempts are written to a run log when they are won, lost, or given up after a shot.
    """
    from tumble.phyq.cli.serve import serve

    serve(tasks, setting, host, port, runs, agent, attempts, device)
