"""ComPhy's models: what they reach on our questions, beside what was published.

    python benchmarks/comphy_models.py                      makes 2,000 sets without video in .carry-comphy, and goes on
    python benchmarks/comphy_models.py --data DIR           takes sets that are there

Models that learn do so from one half of the sets, with as many options as the train split has, and answer questions
about the other half, with as many options as the test split has; then the other way round. So all sets are answered.
"""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import process_time

from table import Results

from tumble.comphy import agents
from tumble.comphy.agents import Asked
from tumble.comphy.agents.inference import same_charges
from tumble.comphy.agents.oracle import answers_from
from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.metrics import Mark, by_kind, mark, mark_all
from tumble.comphy.generation.generate import generate
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block, blocks
from tumble.comphy.questions.programs.story import Story, story_of
from tumble.comphy.tasks.question import KINDS, QuestionSet
from tumble.jobs import local
from tumble.jobs.job import Job, ProgressCallback
from tumble.progress import bar

SEED = 1
HERE = Path(__file__).resolve().parent.parent / ".carry-comphy"
WITHIN = 6.0
"""Points by which blind models may differ from the published ones."""
MIX_WITHIN = 5.0
SIMULATION_MUST = {"predictive": 88.0, "counterfactual": 85.0}
AT_ONCE = 25
"""Sets that one job reads."""


def main() -> None:
    parser = argparse.ArgumentParser(description="ComPhy's models beside the published figures")
    parser.add_argument("--data", type=Path, default=HERE, help="the folder of the sets")
    parser.add_argument("--sets", type=int, default=2000, help="how many to make where there are none")
    parser.add_argument("--oracle", type=int, default=500, help="sets that the oracle answers")
    parser.add_argument("--simulated", type=int, default=100, help="sets that are analysed by simulation")
    parser.add_argument("--workers", type=int, default=None, help="processes; by default one per core")
    given = parser.parse_args()
    if not Layout(given.data).sums.exists():
        generate(given.data, given.sets, SEED, video=False, workers=given.workers)
    stories = all_stories(given.data, given.workers)
    results = Results(f"ComPhy's models on {len(stories):,} sets")
    add_mix(results, stories)
    halves = [[index for index in stories if index % 2 == half] for half in (0, 1)]
    to_learn = [ask(stories, half, "train") for half in halves]
    to_answer = [ask(stories, half, "test") for half in halves]
    for name in ("random", "frequent", "blind-lstm"):
        add_blind(results, name, to_learn, to_answer)
    both = sorted((own for half in to_answer for own in half), key=lambda own: own.index)
    add_oracle(results, both, stories, given.oracle)
    add_unchanged(results, both, stories)
    add_simulation(results, spread(both, given.simulated), given.data, given.workers)
    results.finish("comphy-models")


def all_stories(root: Path, workers: int | None) -> dict[int, Story]:
    """What is true of each set."""
    indices = list(Layout(root).indices())
    parts = [indices[first : first + AT_ONCE] for first in range(0, len(indices), AT_ONCE)]
    found: dict[int, Story] = {}
    with bar("Reading sets", len(indices)) as advance:
        for outcome in local.make("local", workers).run([Job(str(own[0]), stories_of, (root, own)) for own in parts]):
            if outcome.error:
                raise RuntimeError(outcome.error)
            found |= outcome.value
            advance(len(outcome.value))
    return dict(sorted(found.items()))


def stories_of(root: Path, indices: Sequence[int], report: ProgressCallback) -> dict[int, Story]:
    return {index: story_of(read_set(root, index).videos) for index in indices}


def ask(stories: Mapping[int, Story], indices: Sequence[int], split: str) -> list[QuestionSet]:
    """Questions about some sets, as of a split."""
    return [
        own
        for block in blocks(indices)
        for own in ask_block({index: stories[index] for index in block}, SEED, SPLIT_OPTIONS[split])
    ]


def add_mix(results: Results, stories: Mapping[int, Story]) -> None:
    asked = [question.kind for own in ask(stories, list(stories), "test") for question in own.questions]
    counts, published = Counter(asked), sum(paper.QUESTION_MIX.values())
    for kind in KINDS:
        share, wanted = 100.0 * counts[kind] / len(asked), 100.0 * paper.QUESTION_MIX[kind] / published
        note = f"{counts[kind]:,} of {len(asked):,} questions; published {wanted:.1f} %"
        results.add(f"{kind} questions", f"{share:.1f} %", f"within {MIX_WITHIN:g} points of {wanted:.1f}", "", note)


def add_blind(
    results: Results, name: str, to_learn: Sequence[Sequence[QuestionSet]], to_answer: Sequence[Sequence[QuestionSet]]
) -> None:
    """Learn from one half, answer about the other, both ways."""
    marks: list[Mark] = []
    for learnt, answered in zip(to_learn, reversed(to_answer), strict=True):
        model = agents.make(name)
        model.train([Asked(own, unseen) for own in learnt])
        answers = {own.index: model.answer(Asked(without_answers(own), unseen)) for own in answered}
        marks += mark_all(answered, answers)
    wanted = paper.TABLE_3[paper.NAMES[name]]
    for figure, value, options in figures(marks):
        published = getattr(wanted, figure)
        must = f"{published - WITHIN:.1f} to {published + WITHIN:.1f}"
        results.add(f"{name}, {figure.replace('_', ' ')}", f"{value:.1f}", must, "", f"published {published}{options}")


def unseen() -> None:
    raise AssertionError("a blind model looked at a video")


def figures(marks: Sequence[Mark]) -> list[tuple[str, float, str]]:
    """The five accuracies by their names in the paper's tables, each with its options."""
    found = []
    for kind, own in by_kind(marks).items():
        if kind == "factual":
            found.append((kind, own.per_question, f"; {own.questions:,} questions"))
        else:
            options = f"; options {own.histogram}"
            found.append((f"{kind}_per_option", own.per_option, options))
            found.append((f"{kind}_per_question", own.per_question, options))
    return found


def add_oracle(results: Results, asked: Sequence[QuestionSet], stories: Mapping[int, Story], sets: int) -> None:
    chosen = spread(asked, sets)
    marks = mark_all(chosen, {own.index: answers_from(stories[own.index], without_answers(own)) for own in chosen})
    for kind, own in by_kind(marks).items():
        note = f"{own.questions:,} questions about {len(chosen)} sets"
        results.add(f"oracle, {kind}", f"{own.per_question:.1f} %", "100 %", "", note)


def add_unchanged(results: Results, asked: Sequence[QuestionSet], stories: Mapping[int, Story]) -> None:
    """Answers counterfactual questions with what the video shows, as if no change mattered."""
    marks: list[Mark] = []
    for own in asked:
        story = stories[own.index]
        unchanged = replace(story, altered=dict.fromkeys(story.altered, story.shown))
        marks += mark_all([own], {own.index: answers_from(unchanged, without_answers(own))})
    for figure, value, options in figures([one for one in marks if one.kind == "counterfactual"]):
        note = options.removeprefix("; ")
        results.add(f"what the video shows, {figure.replace('_', ' ')}", f"{value:.1f}", "", "", note)


def add_simulation(results: Results, asked: Sequence[QuestionSet], root: Path, workers: int | None) -> None:
    jobs = [Job(f"set {own.index:05d}", simulated, (root, own)) for own in asked]
    marks: list[Mark] = []
    found: Counter[str] = Counter()
    seconds = []
    with bar("Analysing by simulation", len(jobs)) as advance:
        for outcome in local.make("local", workers).run(jobs):
            if outcome.error:
                raise RuntimeError(f"{outcome.job.name}: {outcome.error}")
            own, masses, charges, taken = outcome.value
            marks += own
            seconds.append(taken)
            found.update({"masses": masses, "charges": charges, "both": masses and charges})
            advance(1)
    for figure, value, options in figures(marks):
        kind, _, what = figure.partition("_")
        must = f"{SIMULATION_MUST[kind]:g}" if what == "per_option" else ""
        results.add(f"simulation, {figure.replace('_', ' ')}", f"{value:.1f}", must, "", options.removeprefix("; "))
    for name in ("masses", "charges", "both"):
        share = f"{100.0 * found[name] / len(jobs):.1f} %"
        results.add(f"simulation, sets with {name} exactly found", share, "", "", f"{len(jobs)} sets")
    slowest = f"processor time, median; the longest {max(seconds):.1f}"
    results.add("simulation, seconds for a set", f"{median(seconds):.1f}", "", "", slowest)


def simulated(root: Path, asked: QuestionSet, report: ProgressCallback) -> tuple[list[Mark], bool, bool, float]:
    """What analysis by simulation makes of one set, whether its masses and charges are right, and its seconds."""
    videos = read_set(root, asked.index).videos
    model, question = agents.make("simulation"), Asked(without_answers(asked), lambda: videos)
    begin = process_time()
    inferred, answers = model.properties(question), model.answer(question)
    seconds = process_time() - begin
    assert inferred is not None
    masses = [body.mass for body in inferred] == [body.mass for body in videos.bodies]
    return mark(asked, answers), masses, same_charges(inferred, videos.bodies), seconds


def spread(asked: Sequence[QuestionSet], count: int) -> list[QuestionSet]:
    """So many of them, evenly over all."""
    count = min(count, len(asked))
    return [asked[k * len(asked) // count] for k in range(count)]


if __name__ == "__main__":
    main()
