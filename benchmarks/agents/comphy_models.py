"""ComPhy's models from videos to answers, beside the published figures: the tables of the paper, and error analysis.

    python benchmarks/agents/comphy_models.py                              1,000 fresh test sets, in .carry-comphy-models
    python benchmarks/agents/comphy_models.py --data DIR --models pcr,shown
    python benchmarks/agents/comphy_models.py --device cuda --workers 16   renders and answers on the GPU
    python benchmarks/agents/comphy_models.py --errors 200                 also gives the truth to one module at a time
    python benchmarks/agents/comphy_models.py --world div                  the div world, beside table 8
    python benchmarks/agents/comphy_models.py --world div --transfer       models that were trained on the plain world

With --world div, checkpoints are those of that world (`comphy_train.py` makes them all); with --transfer those of the
plain world, which come with the package or are in the folder --checkpoints. Names of files then end in -div or
-transfer.

Writes comphy-models (accuracies), comphy-concepts (table 7) and comphy-errors. Sets without stored videos are rendered
first; models see the decoded files. It can be stopped and repeated: sets that were answered are not answered again.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from inspect import signature
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from model_answers import SetResult, Source, Variant, answer_set, answers_of, make_agent, most_given
from rich.console import Console
from rich.table import Table
from table import write_csv

from tumble.comphy import agents
from tumble.comphy.catalogue.task import Kind, QuestionSet
from tumble.comphy.catalogue.world import PLAIN, WORLDS
from tumble.comphy.dataset.layout import Layout, named_split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.answer_key import read_key, render_sets, tasks_with_videos
from tumble.comphy.evaluation.metrics import CONCEPTS, PROPERTIES, ConceptCounts, Mark, by_kind, total_counts
from tumble.comphy.generation.generate import generate
from tumble.errors import TumbleError
from tumble.jobs.executors import cores
from tumble.runs.header import machine

DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / ".carry-comphy-models"
MODELS = (
    "see-and-simulate",
    "pcr",
    "pcr-without-references",
    "pcr-without-imagination",
    "pcr-without-curriculum",
    "cpl",
    "cpl-dpi",
    "cnn-lstm",
    "cnn-lstm-ref",
    "hcrn",
    "mac",
    "mac-ref",
    "aloe",
    "aloe-ref",
    "simulation",
    "shown",
    "random",
)
MUST = {
    "see-and-simulate": "91; 88/76; 82/55",
    "pcr": "75; 72; 64",
    "mac": "58; -; -",
    "aloe": "-; 60; 55",
    "shown": "counterfactual at most 58",
}
"""Factual; predictive per option / question; counterfactual per option / question."""
DIV_MUST = {
    "see-and-simulate": "80; 72; 68 (goal 90; 82; 80)",
    "pcr": "66; 58; 58, counterfactual above every neural baseline",
    "shown": "counterfactual at most 58",
    **dict.fromkeys(("random", "frequent", "blind-lstm"), "-; 47 to 54; 47 to 54"),
}
"""On the div world: factual; predictive per option; counterfactual per option."""
LEARNING = ("frequent", "blind-lstm")
"""Models that learn in the run, from the dataset of --train."""
MODULES: dict[str, dict[str, Any]] = {
    "perception": {"tracks": "given"},
    "parser": {"parser": "given"},
    "properties": {"properties": "given"},
    "dynamics": {"dynamics": "given"},
    "perception, properties": {"tracks": "given", "properties": "given"},
    "perception, properties, dynamics": {"tracks": "given", "properties": "given", "dynamics": "given"},
    "nothing; learned parser": {"parser": "learned"},
}
"""The settings with which a model gets the truth in place of one of its modules, if it has such a setting. What is
wrong with the truth in place of all three is the executor's, of PCR with its words and events. Programs of the dataset
are the default of some models: for them the learned parser is of interest."""
PROBED = 3
"""Sets that are answered to find out whether a model has its checkpoint."""
PROPERTIES_RIGHT = ("masses", "charges")
ANALYSED = ("see-and-simulate", "pcr", "cpl")
CHOICE_KINDS: tuple[Kind, ...] = ("predictive", "counterfactual")
ACCURACIES = ("factual", "predictive", "predictive, questions", "counterfactual", "counterfactual, questions")
"""Per option, and per question where it says so."""


def main() -> None:
    parser = argparse.ArgumentParser(description="ComPhy's models beside the published figures")
    parser.add_argument("--data", type=Path, default=None, help="the folder of the dataset; else a new one")
    parser.add_argument("--sets", type=int, default=None, help="sets to answer; to generate 1,000 if there are none")
    parser.add_argument("--seed", type=int, default=date.today().toordinal(), help="seed, if sets are generated")
    parser.add_argument("--world", default=PLAIN.name, choices=list(WORLDS), help="of the sets")
    parser.add_argument("--transfer", action="store_true", help="allow checkpoints of another world")
    parser.add_argument("--split", default="test", help="train, validation or test")
    parser.add_argument("--train", type=Path, default=None, help="dataset with a train split, for frequent, blind-lstm")
    parser.add_argument("--models", default=None, help="names with commas; by default all that have a checkpoint")
    parser.add_argument(
        "--checkpoints", type=Path, default=Path("checkpoints"), help="folder of NAME.pt, before those of the package"
    )
    parser.add_argument("--errors", type=int, default=200, help="sets of the error analysis; 0 for none")
    parser.add_argument("--cache", type=Path, default=DEFAULT_FOLDER / "answers", help="folder for finished answers")
    parser.add_argument("--videos", type=Path, default=DEFAULT_FOLDER / "videos", help="folder for rendered videos")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--workers", type=int, default=None, help="processes; by default one per core")
    args = parser.parse_args()
    if args.data is None:
        args.data = DEFAULT_FOLDER / ("data" if args.world == PLAIN.name else f"data-{args.world}")
    sets = read_sets(args)
    if open_dataset(args.data).world.name != args.world:
        raise SystemExit(f"{args.data}: these sets are not of the {args.world} world")
    workers = args.workers or cores()
    videos = videos_folder(args.data, args.videos)
    threads = max(cores() // workers, 1)
    source = Source(args.data, args.split, videos, args.train, args.checkpoints, args.device, threads)
    variants = available(args.models, sets, source, args.transfer)
    results = answers_of(variants, sets, source, args.cache, workers)
    suffix = "-transfer" if args.transfer else "" if args.world == PLAIN.name else f"-{args.world}"
    write_models(results, args.device, args.world, suffix)
    write_concepts(results, args.device, suffix)
    if args.errors and not args.transfer:
        write_errors(variants, sets[: args.errors], source, args.cache, workers)


def read_sets(args: argparse.Namespace) -> list[QuestionSet]:
    """The questions with their answers; generates the dataset if there is none."""
    if not Layout(args.data).sums.exists():
        split = named_split(args.split)
        generate(
            args.data, args.sets or 1000, args.seed, video=False, split=split, workers=args.workers, world=args.world
        )
    return list(read_key(args.data, args.split).sets[: args.sets])


def videos_folder(data: Path, folder: Path) -> Path | None:
    """The folder for rendered videos of a dataset; None if the dataset has its own."""
    if open_dataset(data).has_videos:
        return None
    return folder / Layout(data).sums.read_text()[:16]  # the first checksum: videos belong to one dataset


def variant_of(name: str, transfer: bool) -> Variant:
    """A model, with transfer where it has that setting."""
    can_transfer = transfer and "transfer" in agents.settings_of(agents.class_of(name))
    return Variant(name, {"transfer": True} if can_transfer else {})


def available(names: str | None, sets: Sequence[QuestionSet], source: Source, transfer: bool) -> list[Variant]:
    """The models to run; by default those that can answer some of the first sets, the others are named."""
    if names is not None:
        return [variant_of(name, transfer) for name in names.split(",")]
    found = []
    for name in (*MODELS, *(LEARNING if source.train else ())):
        variant = variant_of(name, transfer)
        problem = "" if name in LEARNING else _problem(variant, sets[:PROBED], source)
        if problem:
            Console().print(f"{name} is left out: {problem}", highlight=False)
        else:
            found.append(variant)
    return found


def _problem(variant: Variant, sets: Sequence[QuestionSet], source: Source) -> str:
    """Why a model can't answer; empty if it can answer one of the sets."""
    try:
        agent = make_agent(variant, source)
    except TumbleError as error:
        return str(error)
    problem = ""
    if source.videos is not None:
        render_sets(source.data, [questions.index for questions in sets], source.videos, device=source.device)
    for questions, task in zip(
        sets, tasks_with_videos(source.data, sets, source.videos, agent.uses_truth), strict=True
    ):
        problem = answer_set(agent, "", questions, task, source.data).failure
        if not problem:
            return ""
    return problem


def write_models(results: Mapping[str, Sequence[SetResult]], device: str, world: str, suffix: str) -> None:
    """Tables 3, 5 and 6, or table 8: accuracies of each model, and the published ones."""
    must = MUST if world == PLAIN.name else {} if suffix == "-transfer" else DIV_MUST
    columns = ("model", "given", "trained with", *ACCURACIES, "masses right", "charges right", "s per set", "sets")
    columns += ("options", "must", "published", "note")
    rows = []
    for label, own in results.items():
        marks = [one for result in own for one in result.marks]
        found = Counter(result.properties for result in own if result.properties)
        shares = [100.0 * (found["both"] + found[name]) / max(found.total(), 1) for name in PROPERTIES_RIGHT]
        failures = [result.failure for result in own if result.failure]
        note = f"{len(failures)} sets failed, the first: {failures[0]}" if failures else ""
        rows.append(
            [
                label,
                most_given([result.given for result in own]),
                most_given([result.trained for result in own]),
                *accuracies(marks),
                *(f"{share:.1f}" if found else "" for share in shares),
                f"{fmean(result.seconds for result in own):.2f}",
                str(len(own)),
                "; ".join(f"{kind} {tally.histogram}" for kind, tally in by_kind(marks).items() if tally.histogram),
                must.get(label, ""),
                published_text(label.split()[0], world),
                note,
            ]
        )
    finish(f"comphy-models{suffix}", columns, rows, device)


def accuracies(marks: Sequence[Mark]) -> list[str]:
    """The values of ACCURACIES."""
    kinds = by_kind(marks)
    values = [f"{kinds['factual'].per_question:.1f}" if "factual" in kinds else ""]
    for kind in CHOICE_KINDS:
        tally = kinds.get(kind)
        values += [f"{tally.per_option:.1f}", f"{tally.per_question:.1f}"] if tally else ["", ""]
    return values


def published_text(model: str, world: str = PLAIN.name) -> str:
    """The published accuracies of a model on a world, as factual; predictive; counterfactual."""
    is_plain = world == PLAIN.name
    tables = {**paper.TABLE_3, **paper.TABLE_5} if is_plain else paper.TABLE_8
    accuracy = tables.get(paper.NAMES.get(model, ""))
    if accuracy is None and is_plain and paper.ABLATIONS.get(model):
        accuracy = paper.TABLE_6[paper.ABLATIONS[model]]
    accuracy = tables["Human"] if model == "see-and-simulate" else accuracy
    if accuracy is None:
        return ""
    who = "people: " if model == "see-and-simulate" else ""
    factual = "-" if accuracy.factual is None else f"{accuracy.factual}"
    predictive = f"{accuracy.predictive_per_option}/{accuracy.predictive_per_question}"
    return f"{who}{factual}; {predictive}; {accuracy.counterfactual_per_option}/{accuracy.counterfactual_per_question}"


def write_concepts(results: Mapping[str, Sequence[SetResult]], device: str, suffix: str) -> None:
    """Table 7: how often each model is right about concepts."""
    rows = []
    for label, own in results.items():
        counts = total_counts(ConceptCounts.of_text(result.concepts) for result in own)
        if counts:
            values = [f"{counts[name].accuracy:.1f}" if name in counts else "" for name in CONCEPTS]
            balanced = [f"{counts[name].balanced:.1f}" if name in counts else "" for name in PROPERTIES]
            rows.append([label, *values, *balanced, str(len(own))])
    for name, published in ({} if suffix else paper.TABLE_7).items():
        rows.append([f"{name}, published", *(f"{value}" for value in published.by_concept.values()), "", "", ""])
    finish(
        f"comphy-concepts{suffix}",
        ("model", *CONCEPTS, *(f"{name}, balanced" for name in PROPERTIES), "sets"),
        rows,
        device,
    )


def write_errors(
    variants: Sequence[Variant], sets: Sequence[QuestionSet], source: Source, cache: Path, workers: int
) -> None:
    """Where errors come from: accuracies with the truth in place of one module at a time."""
    analysed = [variant for variant in variants if variant.model in ANALYSED]
    with_truth = {
        (variant.model, module): Variant(variant.model, settings)
        for variant in analysed
        for module, settings in MODULES.items()
        if differs(variant.model, settings)
    }
    if not with_truth:
        return
    results = answers_of([*analysed, *with_truth.values()], sets, source, cache, workers)
    rows = []
    for variant in analysed:
        base = accuracies([one for result in results[variant.label] for one in result.marks])
        rows.append([variant.model, "nothing", *base, *([""] * len(base)), str(len(sets))])
        for (model, module), changed in with_truth.items():
            if model == variant.model:
                own = accuracies([one for result in results[changed.label] for one in result.marks])
                gains = [f"{float(new) - float(old):+.1f}" if new else "" for new, old in zip(own, base, strict=True)]
                rows.append([model, module, *own, *gains, str(len(sets))])
    columns = ("model", "true", *ACCURACIES, *(f"{name}: gain" for name in ACCURACIES), "sets")
    finish("comphy-errors", columns, rows, source.device)


def differs(model: str, settings: Mapping[str, Any]) -> bool:
    """Whether a model has settings whose values differ from its defaults."""
    parameters = signature(agents.class_of(model)).parameters
    return all(name in parameters and parameters[name].default != value for name, value in settings.items())


def finish(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]], device: str) -> None:
    """Prints a table and writes it."""
    own_machine = machine("" if device == "cpu" else device)
    table = Table(*columns, title=f"{name}\n{own_machine}")
    for row in rows:
        table.add_row(*row)
    Console(width=240).print(table)
    write_csv(f"{name}-gpu" if device != "cpu" else name, columns, rows, own_machine)


if __name__ == "__main__":
    main()
