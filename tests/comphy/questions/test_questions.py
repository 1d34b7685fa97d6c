"""Questions are well formed, balanced and about what can be found out; nothing in their words gives answers away."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from sample_scenes import random_scene

from tumble.comphy.catalogue.task import CORRECT, Question, QuestionSet
from tumble.comphy.catalogue.video_set import Alteration
from tumble.comphy.questions.ask import BLOCK_SIZE, SPLIT_OPTIONS, OptionSettings, ask_block, blocks
from tumble.comphy.questions.described_scene import (
    MIN_ORDER_FRAMES,
    VISIBLE_ATTRIBUTES,
    DescribedScene,
    matching_bodies,
    minimal_expressions,
)
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.parser import QUESTION_FAMILIES, SLOT_PLACEHOLDERS
from tumble.comphy.questions.phrases import SLOT, Description
from tumble.comphy.questions.program import ANSWERS_BY_TYPE, CHANGE_PREFIX, Type, answer_type, check_question
from tumble.comphy.questions.selection import MAX_ODDS, SLACK, AnswerBalance, program_pattern
from tumble.comphy.questions.slot_values import HIDDEN
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.draws import Draws

COUNT = 60


@cache
def _scenes(family: str) -> dict[int, SymbolicScene]:
    return {number: random_scene(number, family) for number in range(COUNT)}


@cache
def _asked(family: str, split: str) -> list[QuestionSet]:
    return ask_block(_scenes(family), 1, SPLIT_OPTIONS[split])


def _questions(kind: str, split: str = "test") -> list[Question]:
    sets = _asked("mass", split) + _asked("charge", split)
    return [question for own in sets for question in own.questions if question.kind == kind]


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_the_interpreter_gives_every_correct_answer(family: str) -> None:
    for own in _asked(family, "test"):
        interpreter = Interpreter(_scenes(family)[own.index])
        for question in own.questions:
            check_question(question)
            correct = tuple(choice.answer for choice in question.choices) or (question.answer,)
            assert interpreter.answers(question) == correct
            assert "error" not in correct


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_no_question_of_a_set_resembles_another(family: str) -> None:
    for own in _asked(family, "test"):
        words = [tuple(sorted(question.program[:-1])) for question in own.questions if question.kind == "factual"]
        changed = [question.program for question in own.questions if question.kind == "counterfactual"]
        assert len(set(words)) == len(words) >= 3
        assert len({tuple(token for token in program if token != "not") for program in changed}) == len(changed)
        for question in own.questions:
            assert len({choice.program for choice in question.choices}) == len(question.choices)
            assert question.kind == "factual" or len(question.choices) >= 2


def test_factual_questions_come_first_and_are_numbered() -> None:
    for own in _asked("mass", "test"):
        kinds = [question.kind for question in own.questions]
        assert [question.id for question in own.questions] == list(range(len(kinds)))
        assert kinds == sorted(kinds, key=["factual", "predictive", "counterfactual"].index)


def test_questions_depend_on_scenes_and_seed_alone() -> None:
    again = ask_block(dict(reversed(_scenes("mass").items())), 1, SPLIT_OPTIONS["test"])
    assert again == _asked("mass", "test")
    assert ask_block(_scenes("mass"), 2, SPLIT_OPTIONS["test"]) != again


def test_a_set_is_asked_the_same_whatever_sets_follow_it() -> None:
    scenes = _scenes("charge")
    fewer = {index: scenes[index] for index in range(COUNT // 3)}
    assert ask_block(fewer, 1, SPLIT_OPTIONS["test"]) == _asked("charge", "test")[: COUNT // 3]


def test_blocks_are_successive_sets() -> None:
    indices = [12 * number + 1 for number in range(BLOCK_SIZE + 2)]
    assert blocks(reversed(indices)) == [indices[:BLOCK_SIZE], indices[BLOCK_SIZE:]]


@pytest.mark.parametrize(("split", "most"), [("train", 2), ("test", 4)])
def test_options_for_each_question(split: str, most: int) -> None:
    counts = Counter(len(question.choices) for question in _questions("counterfactual", split))
    assert max(counts) == most
    assert counts[most] > 0.6 * counts.total()


def test_options_can_be_configured() -> None:
    asked = ask_block(_scenes("charge"), 1, OptionSettings(counterfactual=3, predictive={3: 1.0}))
    counts = {len(q.choices) for own in asked for q in own.questions if q.kind != "factual"}
    assert counts == {3}


@pytest.mark.parametrize("split", ["train", "test"])
def test_correct_options_are_as_many_as_wrong_ones_whatever_the_words(split: str) -> None:
    counts: dict[object, Counter[bool]] = {}
    for question in _questions("counterfactual", split):
        negated = question.program[-1] == "not"
        change = next(token for token in question.program if token.startswith("counterfact_"))
        for choice in question.choices:
            wording = " and " in choice.text
            for key in (negated, (negated, change), (negated, wording)):
                counts.setdefault(key, Counter())[choice.answer == CORRECT] += 1
    for key, count in counts.items():
        share = count[True] / count.total()
        assert abs(share - 0.5) < 1.5 / count.total() ** 0.5, f"{key}: beyond three deviations of a coin"


def test_answers_of_a_template_are_flat() -> None:
    counts: dict[str, Counter[str]] = {}
    for question in _questions("factual"):
        if answer_type(question) in (Type.YES_NO, Type.MATERIAL, Type.SHAPE):
            key = f"{question.family} {answer_type(question).value}"
            counts.setdefault(key, Counter())[str(question.answer)] += 1
    for key, count in counts.items():
        if count.total() >= 20:
            assert max(count.values()) <= count.total() / len(count) + 2 * SLACK, (key, count)


def test_every_answer_is_one_of_its_type() -> None:
    types = Counter(answer_type(question) for question in _questions("factual"))
    assert set(types) == set(ANSWERS_BY_TYPE)
    assert all(question.answer in ANSWERS_BY_TYPE[answer_type(question)] for question in _questions("factual"))


def test_every_family_is_asked() -> None:
    asked = {question.family for kind in ("factual", "predictive", "counterfactual") for question in _questions(kind)}
    assert asked == set(QUESTION_FAMILIES)


def test_only_bodies_that_interact_are_compared() -> None:
    for family in ("mass", "charge"):
        for own in _asked(family, "test"):
            scene = _scenes(family)[own.index]
            for question in own.questions:
                if question.family.startswith(("mass_", "charge_opposite", "charge_same")):
                    assert tuple(sorted(_named(scene, question))) in scene.interacting_pairs


def _named(scene: SymbolicScene, question: Question) -> list[int]:
    program, found = list(question.program), []
    while "unique" in program:
        first, last = program.index("objects"), program.index("unique")
        name = [token for token in program[first : last + 1] if token != "filter_mass"]
        found.append(Interpreter(scene).subject((*name, "query_color"))[0])
        program = program[last + 1 :]
    return found


def test_only_charged_bodies_are_asked_for_opposite_charges() -> None:
    asked = [(own.index, question) for own in _asked("charge", "test") for question in own.questions]
    of_pairs = [(index, question) for index, question in asked if question.family == "charge_opposite"]
    assert {question.answer for _, question in of_pairs} == {"yes", "no"}
    for index, question in of_pairs:
        scene = _scenes("charge")[index]
        assert all(scene.bodies[k].is_charged for k in _named(scene, question))


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_no_answer_depends_on_the_order_of_close_events(family: str) -> None:
    gaps = [
        Interpreter(_scenes(family)[own.index]).order_gap(question.program)
        for own in _asked(family, "test")
        for question in own.questions
        if question.kind == "factual"
    ]
    ordered = [gap for gap in gaps if gap is not None]
    assert len(ordered) > 20
    assert min(ordered) >= MIN_ORDER_FRAMES


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_no_pattern_of_questions_has_a_constant_answer(family: str) -> None:
    answers: dict[object, Counter[str]] = {}
    for own in _asked(family, "test"):
        for question in own.questions:
            if question.kind == "factual" and answer_type(question) in (Type.YES_NO, Type.NUMBER):
                pattern = question.family, program_pattern(question.program)
                answers.setdefault(pattern, Counter())[str(question.answer)] += 1
    assert max(count.total() for count in answers.values()) > 2 * SLACK
    assert {
        pattern: c
        for pattern, c in answers.items()
        if max(c.values()) > MAX_ODDS * (c.total() - max(c.values())) + SLACK
    } == {}


def test_an_answer_is_given_only_where_another_one_occurs() -> None:
    balance = AnswerBalance()
    verdicts = []
    for answer in ("yes", "yes", "no", *["yes"] * (MAX_ODDS + SLACK + 1)):
        verdicts.append(balance.varies("pattern", answer))
        if verdicts[-1]:
            balance.add_answer(["pattern"], answer)
    assert verdicts == [False, False, *[True] * (1 + MAX_ODDS + SLACK), False]


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_a_hidden_property_alone_is_not_asked_about(family: str) -> None:
    alone = [("objects", f"filter_{word}", end) for word in HIDDEN[family] for end in ("exist", "count")]
    asked = {question.program for own in _asked(family, "test") for question in own.questions}
    assert asked.isdisjoint(alone)


def test_changes_are_asked_of_those_that_can_change() -> None:
    for family, changes in (("mass", {"heavier", "lighter"}), ("charge", {"heavier", "uncharged", "opposite"})):
        asked = {
            token.removeprefix("counterfact_")
            for own in _asked(family, "test")
            for question in own.questions
            for token in question.program
            if token.startswith("counterfact_")
        }
        assert asked == changes


@pytest.mark.parametrize("family", ["mass", "charge"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_a_copy_of_the_video_answers_about_half_of_the_counterfactual_options(family: str, split: str) -> None:
    copied = []
    for own in _asked(family, split):
        scene = _scenes(family)[own.index]
        unchanged = replace(scene, altered_events=dict.fromkeys(scene.altered_events, scene.shown_events))
        for question in own.questions:
            if question.kind == "counterfactual":
                answers = Interpreter(unchanged).answers(question)
                copied += [choice.answer == answer for choice, answer in zip(question.choices, answers, strict=True)]
    assert 0.42 < sum(copied) / len(copied) < 0.58


def test_each_counterfactual_world_is_asked_about_once() -> None:
    for own in _asked("charge", "test"):
        scene = _scenes("charge")[own.index]
        outcomes = [
            scene.altered_events[change]
            for change in (_change(scene, question) for question in own.questions)
            if change
        ]
        assert len(set(outcomes)) == len(outcomes)


def _change(scene: SymbolicScene, question: Question) -> Alteration | None:
    """The change that a question is about."""
    tokens = question.program
    place = next((k for k, token in enumerate(tokens) if token.startswith(CHANGE_PREFIX)), None)
    if place is None:
        return None
    (body,) = Interpreter(scene).subject((*tokens[1:place], "query_color"))
    return next(own for own in scene.altered_events if own == Alteration(body, tokens[place][len(CHANGE_PREFIX) :]))


def test_options_that_name_the_changed_body_are_as_often_correct_as_others() -> None:
    verdicts: dict[tuple[bool, bool], list[bool]] = {}
    for own in _asked("mass", "test") + _asked("charge", "test"):
        family = "mass" if own in _asked("mass", "test") else "charge"
        scene = _scenes(family)[own.index]
        for question in own.questions:
            change = _change(scene, question)
            for choice in question.choices if change else ():
                (event,) = Interpreter(scene).subject(choice.program)
                key = question.program[-1] == "not", change is not None and change.body in event.bodies
                verdicts.setdefault(key, []).append(choice.answer == CORRECT)
    assert len(verdicts) == 4
    for negated, names in verdicts:
        assert sum(verdicts[negated, names]) / len(verdicts[negated, names]) == pytest.approx(0.5, abs=0.12)


def test_nothing_is_asked_about_undetermined_pairs() -> None:
    scenes = dict(_scenes("mass"))
    for number, scene in scenes.items():
        pairs = frozenset({(0, 1), (1, 2)})
        scenes[number] = replace(scene, undetermined=dict.fromkeys((None, *scene.altered_events), pairs))
    named = 0
    for own in ask_block(scenes, 1, SPLIT_OPTIONS["test"]):
        for question in own.questions:
            for choice in question.choices:
                (event,) = Interpreter(scenes[own.index]).subject(choice.program)
                assert event.bodies not in {(0, 1), (1, 2)}
                named += 1
    assert named > 20


def test_a_set_without_other_questions_has_more_factual_ones() -> None:
    scene = _scenes("mass")[4]
    quiet = SymbolicScene(scene.bodies, scene.motion, scene.shown_events, (), {}, scene.interacting_pairs)
    asked = ask_block(dict.fromkeys(range(5), quiet), 1, SPLIT_OPTIONS["test"])
    alone = [own for own in asked if all(question.kind == "factual" for question in own.questions)]
    assert alone
    assert all(6 <= len(own.questions) <= 10 for own in alone)


@pytest.mark.parametrize("number", range(12))
def test_descriptions_are_unique_and_minimal(number: int) -> None:
    scene = DescribedScene(_scenes("charge")[number])
    for body in range(len(scene.words)):
        for words in minimal_expressions(scene.words, body, (*VISIBLE_ATTRIBUTES, "motion")):
            assert matching_bodies(scene.words, words) == [body]
            for name in words:
                fewer = {other: word for other, word in words.items() if other != name}
                assert len(matching_bodies(scene.words, fewer)) > 1
        description = scene.describe(body, Draws("name"))
        words = {name: word for name, word in vars(description).items() if word}
        assert matching_bodies(scene.words, words) == [body]


def test_missing_attributes_are_left_out_of_a_description() -> None:
    assert Description(color="red").text() == "red object"
    assert Description(material="metal", shape="cube").text(plural=True) == "metal cubes"
    assert Description().text(plural=True) == "objects"
    assert Description().filters == ()


def test_every_slot_has_a_placeholder() -> None:
    slots = {
        slot
        for _, phrase in QUESTION_FAMILIES.values()
        for wording in phrase.wordings
        for slot in SLOT.findall(wording)
    }
    assert slots <= set(SLOT_PLACEHOLDERS)
