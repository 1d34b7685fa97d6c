"""Accuracy of ComPhy's agents on generated questions, beside the published figures and beside `shown`.

    python benchmarks/agents/comphy_agents.py                  2,000 sets without video, in .carry-comphy
    python benchmarks/agents/comphy_agents.py --data DIR       uses an existing dataset

Agents that learn are trained on one half of the sets, with the options of the train split, and answer questions about
the other half, with the options of the test split; then the other way round. So all sets are answered. `shown` and
`simulation` get what is in view, as `task.observe()` gives it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from statistics import median
from time import process_time

sys.path.append(str(Path(__file__).parents[1]))

from table import Results

from tumble.comphy import agents
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.simulation import same_charges
from tumble.comphy.catalogue.task import KINDS, QuestionSet, Task
from tumble.comphy.dataset.annotations import read_set, read_target
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.observe import observe_stored
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.metrics import Mark, by_kind, mark, mark_all
from tumble.comphy.generation.generate import generate
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block, blocks
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.jobs import executors
from tumble.jobs.job import Job, ProgressCallback
from tumble.progress import bar

SEED = 1
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / ".carry-comphy"
TOLERANCE = 6.0
"""Points by which blind agents may differ from the published ones."""
MIX_TOLERANCE = 5.0
BLIND_MARGIN = 3.0
"""Points by which Blind-LSTM may be better than the published one."""
SHOWN_MUST = {"predictive": 65.0, "counterfactual": 58.0}
"""Percent of options that `shown` may answer at most."""
SIMULATION_MUST = {"predictive": 93.0, "counterfactual": 90.0}
"""Percent of options that `simulation` must answer."""
SETS_PER_JOB = 25


def main() -> None:
    parser = argparse.ArgumentParser(description="ComPhy's agents beside the published figures")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="the folder of the dataset")
    parser.add_argument("--sets", type=int, default=2000, help="sets to generate if the folder has none")
    parser.add_argument("--oracle", type=int, default=500, help="sets that the oracle answers")
    parser.add_argument("--simulated", type=int, default=100, help="sets that the simulation agent answers")
    parser.add_argument("--workers", type=int, default=None, help="processes; by default one per core")
    args = parser.parse_args()
    if not Layout(args.data).sums.exists():
        generate(args.data, args.sets, SEED, video=False, workers=args.workers)
    scenes = read_scenes(args.data, args.workers)
    results = Results(f"ComPhy's agents on {len(scenes):,} sets")
    add_mix(results, scenes)
    halves = [[index for index in scenes if index % 2 == half] for half in (0, 1)]
    train_halves = [ask(scenes, half, "train") for half in halves]
    test_halves = [ask(scenes, half, "test") for half in halves]
    for name in ("random", "frequent", "blind-lstm"):
        add_blind(results, name, train_halves, test_halves)
    questions = sorted((own for half in test_halves for own in half), key=lambda own: own.index)
    add_oracle(results, questions, scenes, args.oracle)
    add_shown(results, questions, args.data, args.workers)
    add_simulation(results, evenly_spaced(questions, args.simulated), args.data, args.workers)
    results.finish("comphy-agents")


def read_scenes(root: Path, workers: int | None) -> dict[int, SymbolicScene]:
    """The true scene of each set."""
    indices = list(Layout(root).indices())
    parts = [indices[first : first + SETS_PER_JOB] for first in range(0, len(indices), SETS_PER_JOB)]
    jobs = [Job(str(part[0]), scenes_of, (root, part)) for part in parts]
    scenes: dict[int, SymbolicScene] = {}
    with bar("Reading sets", len(indices)) as advance:
        for outcome in executors.make_executor("local", workers).run(jobs):
            if outcome.error:
                raise RuntimeError(outcome.error)
            scenes |= outcome.value
            advance(len(outcome.value))
    return dict(sorted(scenes.items()))


def scenes_of(root: Path, indices: Sequence[int], report: ProgressCallback) -> dict[int, SymbolicScene]:
    return {index: symbolic_scene(read_set(root, index).videos) for index in indices}


def ask(scenes: Mapping[int, SymbolicScene], indices: Sequence[int], split: str) -> list[QuestionSet]:
    """Questions about some sets, with the options of a split."""
    return [
        questions
        for block in blocks(indices)
        for questions in ask_block({index: scenes[index] for index in block}, SEED, SPLIT_OPTIONS[split])
    ]


def add_mix(results: Results, scenes: Mapping[int, SymbolicScene]) -> None:
    """Shares of the kinds of questions."""
    kinds = [question.kind for own in ask(scenes, list(scenes), "test") for question in own.questions]
    counts, published_total = Counter(kinds), sum(paper.QUESTION_MIX.values())
    for kind in KINDS:
        share, published = 100.0 * counts[kind] / len(kinds), 100.0 * paper.QUESTION_MIX[kind] / published_total
        must = f"within {MIX_TOLERANCE:g} points of {published:.1f}"
        note = f"{counts[kind]:,} of {len(kinds):,} questions; published {published:.1f} %"
        results.add(f"{kind} questions", f"{share:.1f} %", must, "", note)


def add_blind(
    results: Results,
    name: str,
    train_halves: Sequence[Sequence[QuestionSet]],
    test_halves: Sequence[Sequence[QuestionSet]],
) -> None:
    """An agent that uses no video: trained on one half, tested on the other, both ways."""
    marks: list[Mark] = []
    for train, test in zip(train_halves, reversed(test_halves), strict=True):
        agent = agents.make(name)
        agent.train([Task(own) for own in train])
        answers = {own.index: agent.answer(Task(without_answers(own))) for own in test}
        marks += mark_all(test, answers)
    accuracies = paper.TABLE_3[paper.NAMES[name]]
    margin = BLIND_MARGIN if name == "blind-lstm" else TOLERANCE
    for figure, value, options in figures(marks):
        published = getattr(accuracies, figure)
        must = f"{published - TOLERANCE:.1f} to {published + margin:.1f}"
        results.add(f"{name}, {figure.replace('_', ' ')}", f"{value:.1f}", must, "", f"published {published}{options}")


def figures(marks: Sequence[Mark]) -> list[tuple[str, float, str]]:
    """The five accuracies by their names in the paper's tables, each with the numbers of options."""
    rows = []
    for kind, tally in by_kind(marks).items():
        if kind == "factual":
            rows.append((kind, tally.per_question, f"; {tally.questions:,} questions"))
        else:
            options = f"; options {tally.histogram}"
            rows.append((f"{kind}_per_option", tally.per_option, options))
            rows.append((f"{kind}_per_question", tally.per_question, options))
    return rows


def add_oracle(
    results: Results, questions: Sequence[QuestionSet], scenes: Mapping[int, SymbolicScene], sets: int
) -> None:
    chosen = evenly_spaced(questions, sets)
    answers = {own.index: answers_from_scene(scenes[own.index], without_answers(own)) for own in chosen}
    for kind, tally in by_kind(mark_all(chosen, answers)).items():
        note = f"{tally.questions:,} questions about {len(chosen)} sets"
        results.add(f"oracle, {kind}", f"{tally.per_question:.1f} %", "100 %", "", note)


def add_shown(results: Results, questions: Sequence[QuestionSet], root: Path, workers: int | None) -> None:
    """What the video alone answers: as if no change had an effect and motion continued straight."""
    parts = [questions[first : first + SETS_PER_JOB] for first in range(0, len(questions), SETS_PER_JOB)]
    jobs = [Job(f"sets {part[0].index:05d} …", run_shown, (root, part)) for part in parts]
    marks: list[Mark] = []
    seconds = 0.0
    with bar("Shown", len(questions)) as advance:
        for outcome in executors.make_executor("local", workers).run(jobs):
            if outcome.error:
                raise RuntimeError(f"{outcome.job.name}: {outcome.error}")
            part_marks, taken = outcome.value
            marks += part_marks
            seconds += taken
            advance(SETS_PER_JOB)
    for figure, value, options in figures(marks):
        kind, _, what = figure.partition("_")
        must = f"at most {SHOWN_MUST[kind]:g}" if what == "per_option" else ""
        results.add(f"shown, {figure.replace('_', ' ')}", f"{value:.1f}", must, "", options.removeprefix("; "))
    note = "processor time, with reading"
    results.add("shown, seconds for 1,000 sets", f"{1000.0 * seconds / len(questions):.0f}", "", "", note)


def run_shown(root: Path, questions: Sequence[QuestionSet], report: ProgressCallback) -> tuple[list[Mark], float]:
    """Shown's marks on some sets, and its seconds."""
    agent = agents.make("shown")
    begin = process_time()
    marks = [one for own in questions for one in mark(own, agent.answer(seen_task(root, own)))]
    return marks, process_time() - begin


def seen_task(root: Path, questions: QuestionSet) -> Task:
    """A task with what is in view, without answers."""
    return Task(without_answers(questions), partial(observe_stored, dataset(root), questions.index))


@lru_cache(maxsize=1)
def dataset(root: Path) -> Dataset:
    return open_dataset(root)


def add_simulation(results: Results, questions: Sequence[QuestionSet], root: Path, workers: int | None) -> None:
    jobs = [Job(f"set {own.index:05d}", run_simulation, (root, own)) for own in questions]
    marks: list[Mark] = []
    inferred: Counter[str] = Counter()
    seconds = []
    with bar("Analysis by simulation", len(jobs)) as advance:
        for outcome in executors.make_executor("local", workers).run(jobs):
            if outcome.error:
                raise RuntimeError(f"{outcome.job.name}: {outcome.error}")
            set_marks, masses, charges, taken = outcome.value
            marks += set_marks
            seconds.append(taken)
            inferred.update({"masses": masses, "charges": charges, "both": masses and charges})
            advance(1)
    for figure, value, options in figures(marks):
        kind, _, what = figure.partition("_")
        must = f"{SIMULATION_MUST[kind]:g}" if what == "per_option" else ""
        results.add(f"simulation, {figure.replace('_', ' ')}", f"{value:.1f}", must, "", options.removeprefix("; "))
    for name in ("masses", "charges", "both"):
        share = f"{100.0 * inferred[name] / len(jobs):.1f} %"
        results.add(f"simulation, sets with {name} inferred correctly", share, "", "", f"{len(jobs)} sets")
    slowest = f"processor time, median; the longest {max(seconds):.1f}"
    results.add("simulation, seconds for a set", f"{median(seconds):.1f}", "", "", slowest)


def run_simulation(
    root: Path, questions: QuestionSet, report: ProgressCallback
) -> tuple[list[Mark], bool, bool, float]:
    """The simulation agent's marks on one set, whether its masses and charges are right, and its seconds."""
    agent, task = agents.make("simulation"), seen_task(root, questions)
    begin = process_time()
    inferred, answers = agent.infer_bodies(task), agent.answer(task)
    seconds = process_time() - begin
    assert inferred is not None
    truth = read_target(root, questions.index).bodies
    masses = [body.mass for body in inferred] == [body.mass for body in truth]
    return mark(questions, answers), masses, same_charges(inferred, truth), seconds


def evenly_spaced(sets: Sequence[QuestionSet], count: int) -> list[QuestionSet]:
    """A number of the sets, evenly spaced."""
    count = min(count, len(sets))
    return [sets[k * len(sets) // count] for k in range(count)]


if __name__ == "__main__":
    main()
