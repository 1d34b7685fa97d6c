"""The parser that comes with the package reads unseen questions, and refuses what it can't parse."""

from pathlib import Path

import pytest
from sample_scenes import random_scene

torch = pytest.importorskip("torch")

from tumble.comphy.models.learned_parser import (
    LearnedParser,
    is_well_formed,
    kind_of,
    program_tokens,
    texts_and_programs,
)
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.parser import ParseError, random_texts
from tumble.learning.settings import TrainingError

MUST = 0.99
"""Share of exact programs; a few hundred texts may have one or two wrong ones."""


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser.load()


def test_questions_and_options_of_unseen_sets_are_parsed(parser: LearnedParser) -> None:
    scenes = {number: random_scene(number, family) for number, family in enumerate(["mass", "charge"] * 10)}
    pairs = texts_and_programs(ask_block(scenes, 3, SPLIT_OPTIONS["test"]))
    assert len(pairs) > 100
    found = parser.programs([text for text, _ in pairs])
    right = sum(own == program for own, (_, program) in zip(found, pairs, strict=True))
    assert right >= MUST * len(pairs)


def test_random_texts_of_the_templates_are_parsed(parser: LearnedParser) -> None:
    pairs = list(random_texts(300, "unseen"))
    found = parser.programs([text for text, _ in pairs])
    assert sum(own == program for own, (_, program) in zip(found, pairs, strict=True)) >= MUST * len(pairs)


def test_a_question_has_its_kind_and_its_options(parser: LearnedParser) -> None:
    question = parser.question("What will happen next?", ["The red cube collides with the metal sphere"])
    assert (question.kind, question.program) == ("predictive", ("unseen_events", "belong_to"))
    assert question.choices[0].program[:4] == ("all_events", "objects", "red", "filter_color")
    altered = parser.question("If the gray sphere were heavier, which event would not happen?")
    assert altered.kind == kind_of(altered.program) == "counterfactual"
    assert altered.program[-1] == "not"


def test_polite_words_that_it_does_not_know_are_named_and_skipped(parser: LearnedParser) -> None:
    text = "Please, how many heavy spheres are there?"
    assert parser.unknown_words(text) == ["please"]
    assert parser.programs([text]) == parser.programs(["How many heavy spheres are there?"])


def test_no_texts_give_no_programs(parser: LearnedParser) -> None:
    assert parser.programs([]) == []


def test_the_most_likely_well_formed_program_is_taken(parser: LearnedParser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the most likely program is not well formed, a beam search finds the next one that is."""
    text = "How many heavy spheres are there?"
    expected = parser.programs([text])
    monkeypatch.setattr(LearnedParser, "_greedy", lambda self, encoded: torch.full((len(encoded.keys), 1), 3))
    assert not is_well_formed((program_tokens()[1],))
    assert parser.programs([text]) == expected


def test_a_text_without_a_well_formed_program_is_refused(
    parser: LearnedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tumble.comphy.models.learned_parser.is_well_formed", lambda program: False)
    with pytest.raises(ParseError, match="finds no well-formed program; it does not know these words: banana"):
        parser.programs(["banana"])


def test_the_shipped_weights_are_small() -> None:
    assert checkpoint_path("parser").stat().st_size <= 3_000_000


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "parser.pt").write_bytes(b"nothing")
    with pytest.raises(TrainingError, match="no checkpoint, or a damaged one"):
        LearnedParser.load(tmp_path / "parser.pt")
    with pytest.raises(TrainingError, match="no weights of 'poet' come with the package"):
        checkpoint_path("poet")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("objects count", True),
        ("unseen_events belong_to", True),
        ("all_events objects unique filter_collision unique", True),
        ("objects", False),
        ("events objects filter_in", False),
        ("count", False),
        ("", False),
    ],
)
def test_well_formed_programs_give_an_answer(program: str, expected: bool) -> None:
    assert is_well_formed(tuple(program.split())) == expected
