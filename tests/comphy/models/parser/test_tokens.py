"""Words and programs become numbers and come back."""

import pytest

from tumble.comphy.models.learned_parser import (
    END,
    PADDING,
    UNKNOWN,
    Vocabulary,
    padded_rows,
    program_numbers,
    program_of,
)
from tumble.learning.settings import TrainingError


def test_programs_come_back_from_their_numbers() -> None:
    program = ("objects", "red", "filter_color", "counterfact_heavier", "count")
    numbers = program_numbers(program)
    assert numbers[0] == numbers[-1] == END
    assert program_of(numbers[1:]) == program
    assert program_of([*numbers[1:], 5, 6]) == program


def test_an_unknown_token_is_refused() -> None:
    with pytest.raises(TrainingError, match="no operator or literal 'filter_smell'"):
        program_numbers(("objects", "filter_smell"))


def test_words_are_known_in_any_form() -> None:
    vocabulary = Vocabulary.of(["How many gray cubes are there?"])
    assert vocabulary.numbers("how many grey cube is there") == vocabulary.numbers("How many gray cubes are there?")
    assert vocabulary.numbers("How many orange cubes?")[2] == UNKNOWN
    assert vocabulary.unknown("How many orange cubes?") == ["orange"]


def test_rows_are_padded() -> None:
    assert padded_rows([[3, 4], [5]]).tolist() == [[3, 4], [5, PADDING]]
