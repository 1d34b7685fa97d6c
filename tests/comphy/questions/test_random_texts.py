"""Random texts of the templates mean what their programs say."""

from tumble.comphy.questions.parser import PHRASES, parse_choice, parse_question, random_text, random_texts
from tumble.comphy.questions.phrases import normalise_text
from tumble.draws import Draws


def test_the_template_parser_reads_every_random_text_as_its_own_program() -> None:
    for text, program in random_texts(300, "seed 1"):
        parsed = parse_choice(text) if text.startswith("The ") else parse_question(text)
        assert parsed.program == program, text


def test_every_wording_is_drawn() -> None:
    """The words of a wording around its slots are the beginning of some text."""
    for phrase in PHRASES:
        draws = Draws("seed 2")
        texts = {random_text(phrase, draws)[0] for _ in range(60)}
        for wording in phrase.wordings:
            start = wording.partition("{")[0]
            assert any(text.startswith(start) for text in texts), wording


def test_no_text_has_two_programs() -> None:
    programs: dict[str, tuple[str, ...]] = {}
    for text, program in random_texts(2000, "seed 3"):
        assert programs.setdefault(normalise_text(text), program) == program, text


def test_texts_depend_on_the_seed_only() -> None:
    assert list(random_texts(5, "a")) == list(random_texts(5, "a"))
    assert list(random_texts(5, "a")) != list(random_texts(5, "b"))
