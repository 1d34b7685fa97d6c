"""Frames and texts on the device: what is drawn fits together."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sample_questions import factual, multiple, question_set
from sample_set import question_set as questions
from sample_set import video_set

from tumble.comphy.catalogue.body import COLORS, MATERIALS
from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.baselines.frames import (
    FrameCounts,
    Recolouring,
    frame_numbers,
    pictures_of_videos,
    render_bank,
)
from tumble.comphy.models.baselines.question_bank import QuestionBank, vocabulary_of
from tumble.comphy.models.baselines.text import UNKNOWN, Vocabulary, answers_of
from tumble.comphy.models.data.packed_sets import pack_sets
from tumble.comphy.models.data.pictures import ChosenFrames, Placed
from tumble.comphy.observation.renderer import render_many
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")
ANSWERS = answers_of(PLAIN)


def cycled(versions: int = 2, sets: int = 1) -> Recolouring:
    """In version 1 every colour becomes the next one, and materials are swapped."""
    drawn = Recolouring.draw(versions, sets, 0)
    colors, materials = drawn.colors.copy(), drawn.materials.copy()
    colors[1], materials[1] = np.roll(np.arange(len(COLORS)), -1), (1, 0)
    return replace(drawn, colors=colors, materials=materials)


def sentence(vocabulary: Vocabulary, words: torch.Tensor) -> str:
    return " ".join(vocabulary.words[number] for number in words.tolist() if number)


def test_looks_change_alike_in_bodies_questions_and_answers() -> None:
    one = QuestionSet(
        0, (factual(0, "Which two colors do the metal objects near the yellow cube have?", "x", "red and gray"),)
    )
    vocabulary = vocabulary_of((one,))
    bank = QuestionBank((one,), vocabulary, cycled(), CPU)
    rows = torch.zeros(1, dtype=torch.long)
    drawn = [bank.draw_factual(torch.tensor([version]), rows, 1, False) for version in (0, 1)]
    texts = [sentence(vocabulary, batch.words[0, 0]) for batch in drawn]
    assert texts[0] == "which two colors do the metal objects near the yellow cube have ?"
    assert texts[1] == "which two colors do the rubber objects near the gray cube have ?"
    assert [ANSWERS[int(batch.targets[0, 0])] for batch in drawn] == ["gray and red", "blue and red"]
    placed = Placed(np.array([[[COLORS.index("yellow"), 1, 0], [-1, -1, -1]]]), np.zeros((1, 2, 3)))
    chosen = [ChosenFrames(0, 0, [7])]
    looks = [cycled().recoloured(placed, chosen, version).looks[0].tolist() for version in (0, 1)]
    assert looks == [placed.looks[0].tolist(), [[COLORS.index("gray"), 0, 0], [-1, -1, -1]]]


def test_drawn_looks_are_permutations() -> None:
    drawn = Recolouring.draw(3, 5, 1)
    assert (np.sort(drawn.colors) == np.arange(len(COLORS))).all()
    assert (np.sort(drawn.materials) == np.arange(len(MATERIALS))).all()
    assert (drawn.colors[0] == np.arange(len(COLORS))).all()
    assert (drawn.colors[1] != drawn.colors[2]).any()
    tables = drawn.answer_table()
    assert (np.sort(tables) == np.arange(len(ANSWERS))).all()


def test_mirrored_pictures_swap_left_and_right() -> None:
    one = QuestionSet(0, (factual(0, "In which direction does it move?", "x", "left"),))
    bank = QuestionBank((one,), vocabulary_of((one,)), Recolouring.draw(1, 1, 0), CPU)
    rows = torch.zeros(1, dtype=torch.long)
    drawn = [bank.draw_factual(rows, rows, 1, mirrored) for mirrored in (False, True)]
    assert [ANSWERS[int(batch.targets[0, 0])] for batch in drawn] == ["left", "right"]


def test_one_visible_word_is_masked() -> None:
    sets = (question_set(),)
    vocabulary = vocabulary_of(sets)
    bank = QuestionBank(sets, vocabulary, cycled(), CPU)
    rows = torch.zeros(1, dtype=torch.long)
    batch = bank.draw_masked(rows, rows, 20)
    assert batch.valid.sum() == 6  # all options name the red cube; a factual question has no visible word
    masked = batch.words == vocabulary.numbers[UNKNOWN]
    assert (masked.sum(dim=-1) == 1).all()
    assert {vocabulary.words[int(number)] for number in batch.targets[batch.valid]} == {"red", "cube"}


def test_texts_of_a_set_are_different_and_its_own() -> None:
    empty = QuestionSet(1, ())
    bank = QuestionBank((question_set(), empty), vocabulary_of((question_set(),)), Recolouring.draw(1, 2, 0), CPU)
    rows = torch.arange(2)
    factual_batch = bank.draw_factual(torch.zeros_like(rows), rows, 3, False)
    assert factual_batch.valid.tolist() == [[True, True, False], [False, False, False]]
    assert len({int(target) for target in factual_batch.targets[0, :2]}) == 2
    options = bank.draw_options(torch.zeros_like(rows), rows, 6)
    assert options.valid.tolist() == [[True] * 6, [False] * 6]
    assert int(options.targets[0].sum()) == 3


def test_opposite_questions_have_opposite_answers() -> None:
    question = multiple(0, "counterfactual", "c", ("The red cube and the cylinder would collide",))
    one = QuestionSet(0, (replace(question, text="What would happen if the red cube were heavier?"),))
    vocabulary = vocabulary_of((one,))
    bank = QuestionBank((one,), vocabulary, cycled(), CPU)
    rows = torch.zeros(1, dtype=torch.long)
    batch = bank.draw_options(rows, rows, 2)
    texts = [sentence(vocabulary, words) for words in batch.words[0]]
    found = dict(zip(texts, batch.targets[0].tolist(), strict=True))
    option = "happen if the red cube were heavier ? <option> the red cube and the cylinder would collide"
    assert found == {f"what would {option}": 1, f"what would not {option}": 0}
    uses = [bank.used_words(version, rows)[0, vocabulary.numbers["red"]] for version in (rows, rows + 1)]
    assert uses == [1.0, 0.0]  # red things have another colour in version 1


def test_questions_without_answers() -> None:
    one = QuestionSet(0, (factual(0, "Which one?", "x", None),))
    with pytest.raises(TrainingError, match="questions with answers"):
        QuestionBank((one,), vocabulary_of((one,)), Recolouring.draw(1, 1, 0), CPU)


def test_frames_are_those_of_the_sets() -> None:
    sets = pack_sets([(video_set(index), questions(index)) for index in (7, 8)])
    bank = render_bank(sets, cycled(2, 2), FrameCounts(3, 2), (24, 16), CPU, 0)
    assert bank.references is not None
    assert bank.target.shape == (2, 2, 3, 16, 24, 3)
    assert bank.references.shape == (2, 2, 4, 2, 16, 24, 3)
    target = render_many([sets.clip(1, 0, frame_numbers(125, 3))], (24, 16))[0].rgb
    reference = render_many([sets.clip(1, 3, frame_numbers(50, 2))], (24, 16))[0].rgb
    assert (bank.target[0, 1].numpy() == target).all()
    assert (bank.references[0, 1, 2].numpy() == reference).all()
    assert (bank.target[1, 1] != bank.target[0, 1]).any()


def test_frames_of_videos_of_any_size() -> None:
    draws = np.random.default_rng(0)
    videos = tuple(draws.integers(0, 256, (frames, 32, 48, 3), np.uint8) for frames in (125, 50, 50, 50))
    pictures = pictures_of_videos(videos, FrameCounts(5, 2), (24, 16))
    assert pictures.references is not None
    assert pictures.target.shape == (1, 5, 16, 24, 3)
    assert pictures.references.shape == (1, 3, 2, 16, 24, 3)
    pixel = videos[0][12, :2, :2].reshape(4, 3).mean(axis=0)
    assert np.abs(pictures.target[0, 0, 0, 0].numpy() - pixel).max() <= 0.51
