"""The commands of `tumble comphy`: what can be typed.

What they do is in tumble.comphy.cli, which is loaded when a command runs, so that help does not wait for Warp.
"""

from pathlib import Path
from typing import Annotated

import typer

from tumble.cli.options import Executor, Runs, Seeds, Settings, Workers, examples

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble comphy generate --sets 100 --seed 1 -o data")

DataArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="A folder of data: ours, or the published files in their own folders.")
]
SetArgument = Annotated[str, typer.Argument(metavar="SET", help="The number of a set, as in 00042.")]
DataOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Take the set from this data; else it is made now from the seed.")
]
Seed = Annotated[int, typer.Option(min=0, help="All draws hang on it.")]
Family = Annotated[
    str | None,
    typer.Option(help="mass, charge, or both; by default as the published set of the same number has it."),
]
Size = Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Pixels of the videos.")]
Device = Annotated[str, typer.Option(help="Where videos are rendered: cpu or cuda.")]
Renderer = Annotated[str, typer.Option(help="analytic, or mitsuba: slow and fine, needs the extra hq.")]
Split = Annotated[str, typer.Option(help="train, validation or test.")]


@app.command(
    "generate",
    epilog=examples(
        "comphy",
        "generate --sets 100 --seed 1 --size 240x160 -o data",
        "generate --sets 2000 --no-video --workers 2 -o questions-only",
        "generate --sets 500 --split test --family charge --no-video -o charged",
    ),
)
def generate_command(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for the data.")],
    sets: Annotated[int, typer.Option(min=1, help="How many sets of a target and four references.")] = 100,
    seed: Seed = 1,
    size: Size = "480x320",
    video: Annotated[bool, typer.Option(help="Render videos, masks and boxes too.")] = True,
    split: Annotated[
        str | None, typer.Option(help="All in one split: train, validation or test; else as published.")
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="All of one family: mass, charge, or both at once; else as published.")
    ] = None,
    options: Annotated[
        int | None, typer.Option(help="Options of multiple-choice questions; else as published for each split.")
    ] = None,
    workers: Workers = None,
    executor: Executor = "local",
    device: Device = "cpu",
    renderer: Renderer = "analytic",
) -> None:
    """Make a dataset: annotations, questions and videos in the published layout, with checksums.

    Goes on where it was stopped when the same command is given again. The result hangs on the seed, not on the workers.
    """
    from tumble.comphy.cli.generate import generate

    generate(out, sets, seed, size, video, split, family, options, workers, executor, device, renderer)


@app.command(
    "show", epilog=examples("comphy", "show 00042 -o page.html", "show 00042 --data data -o page.html", "show 7")
)
def show_command(
    number: SetArgument,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The page to write (.html).")] = None,
    data: DataOption = None,
    seed: Seed = 1,
    family: Family = None,
    size: Size = "480x320",
    video: Annotated[bool, typer.Option(help="Put the videos on the page.")] = True,
    device: Device = "cpu",
    renderer: Renderer = "analytic",
) -> None:
    """Show a set: its bodies and questions, and a page with its five videos, tracks, events and programs."""
    from tumble.comphy.cli.browse import show

    show(number, out, data, seed, family, size, video, device, renderer)


@app.command("ask", epilog=examples("comphy", 'ask 00042 "How many heavy spheres are there?"'))
def ask_command(
    number: SetArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In the language of the templates.")],
    data: DataOption = None,
    seed: Seed = 1,
    family: Family = None,
) -> None:
    """Ask about a set: prints the question's program, what each step of it gives, and the answer."""
    from tumble.comphy.cli.browse import ask

    ask(number, question, data, seed, family)


@app.command("verify", epilog=examples("comphy", "verify data"))
def verify_command(folder: DataArgument) -> None:
    """Check that a dataset is whole; names every file that is missing, damaged or too many, with exit code 1."""
    from tumble.comphy.cli.generate import verify

    verify(folder)


@app.command(
    "score",
    epilog=examples(
        "comphy",
        "score data --model random,frequent",
        "score data --model blind-lstm --seed 0-2 --runs runs",
        "score data --model my_model.py:MyModel --split validation",
        "score data --submission answers.json",
    ),
)
def score_command(
    folder: DataArgument,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.py:CLASS",
            help="oracle, random, frequent, blind-lstm, simulation, or yours; or several.",
        ),
    ] = None,
    submission: Annotated[Path | None, typer.Option(help="Score the answers in this file (.json) instead.")] = None,
    split: Split = "test",
    runs: Runs = Path("runs"),
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many sets.")] = None,
    seed: Seeds = "0",
    settings: Settings = None,
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Let models answer the questions of a split; all answers go into a run log. Models learn from the train split."""
    from tumble.comphy.cli.evaluate import score_models
    from tumble.comphy.cli.score import score_submission

    if (model is None) == (submission is None):
        raise typer.BadParameter("name models with --model, or a file of answers with --submission")
    if submission is not None:
        score_submission(folder, split, submission)
    elif model is not None:
        score_models(folder, model, split, runs, limit, seed, settings or [], workers, executor)


@app.command("stats", epilog=examples("comphy", "stats data"))
def stats_command(folder: DataArgument) -> None:
    """Count what a dataset holds: sets, questions and their mix, options, answers."""
    from tumble.comphy.cli.generate import stats

    stats(folder)


@app.command(
    "export",
    epilog=examples(
        "comphy",
        "export data --to parquet -o table",
        "export data --to clevrer -o clevrer",
        "export runs/comphy-oracle-test-1b2c3d4e.parquet --to submission -o answers.json",
    ),
)
def export_command(
    place: Annotated[Path, typer.Argument(metavar="DIR|LOG", help="A folder of data; for a submission, a run log.")],
    form: Annotated[str, typer.Option("--to", help="parquet, clevrer, or submission.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write; for a submission, the file.")],
) -> None:
    """Write a dataset as Parquet tables or in CLEVRER's form, or the answers of a run log as a submission."""
    from tumble.comphy.cli.exchange import export

    export(place, form, out)
