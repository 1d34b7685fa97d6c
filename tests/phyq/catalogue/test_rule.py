"""Rules as data: their words, and names that must exist in the level."""

import pytest

from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.rule import Destroy, Kill, Move, Release, Rule, RuleError, Tap, Topple, Touch
from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.templates import templates

LEVEL = Level(("red", "blue"), (Pig("small", 0.0, -3.26683),))


def test_a_rule_reads_as_a_sentence() -> None:
    rule = Rule(
        (Release("bird 1"), Tap("bird 1"), Touch("split bird", ("block 0", "block 1")), Kill("pig 0", by="block 1")),
        (Move("block 0", 0.5), Topple("block 1"), Destroy("block 1", by="explosion"), Kill("pig", by=("fall", "egg"))),
        never=(Touch("bird", "ground"), Kill("pig 1")),
    )
    assert str(rule) == (
        "bird 1 is released, then bird 1 is tapped, then a split bird touches block 0 or block 1, "
        "then block 1 kills pig 0; block 0 moves by 0.5, then block 1 turns by 45 degrees, "
        "then an explosion destroys block 1, then a fall or an egg kills a pig; "
        "never: a bird touches the ground; never: pig 1 dies"
    )
    assert rule.needs_motion
    assert not Rule((Kill("pig 0"),)).needs_motion


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule((Kill("pig 1"),)), "there is no 'pig 1', the level has 1 of kind 'pig'"),
        (Rule((Touch("bird 0", "block 0"),)), "there is no 'block 0'"),
        (Rule((Kill("pig 0", by="birds"),)), "no body 'birds'"),
        (Rule((Touch("bird", "fall"),)), "no body 'fall'"),
        (Rule((Touch("bird", "ground 0"),)), "no body 'ground 0'"),
        (Rule(never=(Tap("bird 2"),)), "there is no 'bird 2'"),
    ],
)
def test_unknown_names_are_errors(rule: Rule, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        rule.check(LEVEL)
    with pytest.raises(RuleError, match=message):
        Template("3.1", "", LEVEL, None, rule=rule)


def test_known_names_pass() -> None:
    Rule((Touch(("bird 1", "split bird 1"), "pig 0"), Kill("pig 0", by=("fall", "explosion", "distractor")))).check(
        LEVEL
    )


def test_a_sequence_must_be_a_tuple() -> None:
    with pytest.raises(RuleError, match="must be a tuple"):
        Rule(Kill("pig 0"))  # type: ignore[arg-type]


def test_rules_of_templates_kill_every_pig() -> None:
    for design in templates().values():
        if design.rule is not None:
            killed = {event.pig for event in design.rule.events if isinstance(event, Kill)}
            names = {name for pig in killed for name in ((pig,) if isinstance(pig, str) else pig)}
            assert "pig" in names or names >= {f"pig {k}" for k in range(len(design.base.pigs))}, design.id
