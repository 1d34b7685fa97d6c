"""The learned parser: exact programs of questions and options of unseen sets and of random texts, and its speed.

python benchmarks/comphy_parser.py                          generates 1,000 sets without video in .carry-comphy-parser
python benchmarks/comphy_parser.py --data DIR|FILE          uses a dataset, or a file of packed sets
python benchmarks/comphy_parser.py --checkpoint FILE        measures another checkpoint
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import torch
from table import Results

from tumble.comphy.catalogue.task import Program, QuestionSet
from tumble.comphy.dataset.layout import Layout, Split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.generation.generate import generate
from tumble.comphy.models.data.packed_sets import read_packed
from tumble.comphy.models.learned_parser import LearnedParser
from tumble.comphy.questions.parser import random_texts

SETS, SEED = 1000, 1616
DEFAULT_FOLDER = Path(__file__).resolve().parent.parent / ".carry-comphy-parser"
MUST, GOAL = "99.5 %", "100 %"
RANDOM_TEXTS = 5000
SHOWN_ERRORS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description="The learned parser's exact programs and speed")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="a dataset, or a file of packed sets")
    parser.add_argument("--split", default="test", help="of the dataset")
    parser.add_argument("--checkpoint", default="", help="by default the one that comes with the package")
    parser.add_argument("--workers", type=int, default=None, help="processes that generate sets")
    args = parser.parse_args()
    torch.set_num_threads(1)
    learned = LearnedParser.load(args.checkpoint)
    sets = questions_of(args.data, args.split, args.workers)
    results = Results(f"The learned parser on {len(sets):,} sets")
    questions = [(one.text, one.program) for own in sets for one in own.questions]
    options = [(one.text, one.program) for own in sets for question in own.questions for one in question.choices]
    add_exact(results, learned, "questions", questions)
    add_exact(results, learned, "options", options)
    add_exact(results, learned, "random texts of the templates", list(random_texts(RANDOM_TEXTS, "comphy_parser")))
    add_speed(results, learned, list(dict.fromkeys(text for text, _ in questions + options)))
    results.add("parameters", f"{sum(value.numel() for value in learned.network.parameters()):,}")
    results.finish("comphy-parser")


def questions_of(data: Path, split: Split, workers: int | None) -> Sequence[QuestionSet]:
    """The questions of a dataset's split or of packed sets; a missing dataset is generated."""
    if data.is_file():
        return read_packed(data).questions
    if not Layout(data).sums.exists():
        generate(data, SETS, SEED, video=False, split="test", workers=workers)
    return open_dataset(data).split_questions(split)


def add_exact(results: Results, learned: LearnedParser, name: str, pairs: Sequence[tuple[str, Program]]) -> None:
    """The share of texts whose program is exactly right."""
    found = learned.programs([text for text, _ in pairs])
    wrong = [(text, own) for (text, program), own in zip(pairs, found, strict=True) if own != program]
    for text, program in wrong[:SHOWN_ERRORS]:
        print(f"wrong: {text} -> {' '.join(program)}")
    note = f"{len(wrong)} of {len(pairs):,} wrong; {len({text for text, _ in pairs}):,} different texts"
    results.add(f"exact programs, {name}", f"{100 - 100 * len(wrong) / len(pairs):.2f} %", MUST, GOAL, note)


def add_speed(results: Results, learned: LearnedParser, texts: Sequence[str]) -> None:
    """Different texts a second on one core, in batches and one by one."""
    start = perf_counter()
    learned.programs(texts)
    results.add("texts/s, one core, in batches", f"{len(texts) / (perf_counter() - start):,.0f}")
    start = perf_counter()
    for text in texts[:100]:
        learned.programs([text])
    results.add("texts/s, one core, one by one", f"{min(len(texts), 100) / (perf_counter() - start):,.0f}")


if __name__ == "__main__":
    main()
