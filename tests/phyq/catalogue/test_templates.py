"""Every template is the published one, is documented, and makes valid tasks that are the same on every machine."""

import json
import math
import re
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any

import phyq_published
import pytest

from tumble.draws import Draws
from tumble.phyq.catalogue import trajectory, variation
from tumble.phyq.catalogue.level import Level, Platform, bounding_box, outline, overlaps
from tumble.phyq.catalogue.level_json import to_json
from tumble.phyq.catalogue.physics import GROUND_Y
from tumble.phyq.catalogue.rule import Kill, as_names
from tumble.phyq.catalogue.tasks import Task, UncheckedTaskWarning, task, task_ids
from tumble.phyq.catalogue.template import (
    DISTRACTOR_CLEARANCE,
    MISS_MARGIN,
    NEAR_GROUND,
    SLOP,
    Change,
    Template,
    TemplateError,
    is_valid,
)
from tumble.phyq.catalogue.templates import SCENARIOS, template, templates
from tumble.phyq.catalogue.variation import (
    AlongX,
    BeyondLine,
    InBox,
    LeftOfLine,
    Offset,
    OnLine,
    UnderLine,
    Variation,
    block,
    pig,
    platform,
)

DIGESTS = Path(__file__).with_name("template_digests.json")
"""Digests of tasks 0 to 4 of each template; `python tests/phyq/catalogue/test_templates.py` writes the file again."""
HEADINGS = ["Bodies", "Parameters", "Goal", "Solvability"]
GOALS = {1: "The pig dies.", 2: "Both pigs die.", 3: "All three pigs die.", 4: "All four pigs die."}
COUNTS = (5, 5, 6, 5, 5, 6, 5, 4, 4, 4, 5, 6, 5, 2, 8)
KEYS = [f"{scenario}.{k + 1}" for scenario, count in enumerate(COUNTS, start=1) for k in range(count)]


def digest(design: Template) -> str:
    return sha256("".join(to_json(design.draw(number)) for number in range(5)).encode()).hexdigest()


def test_there_are_75_templates_in_15_scenarios() -> None:
    assert list(templates()) == KEYS
    assert len(KEYS) == 75
    assert {design.scenario for design in templates().values()} == set(SCENARIOS) == set(range(1, 16))
    levels = [design.published for design in templates().values()]
    counts = [sum(len(getattr(level, kind)) for level in levels) for kind in ("pigs", "blocks", "platforms")]
    assert counts == [104, 378, 385]


@pytest.mark.parametrize("key", KEYS)
def test_levels_are_the_published_ones_body_by_body(key: str, shared_data: Path) -> None:
    assert template(key).published == phyq_published.level(phyq_published.templates(shared_data)[key])


@pytest.mark.parametrize("key", KEYS)
def test_variations_are_the_published_ones_unless_the_template_says_otherwise(key: str, shared_data: Path) -> None:
    record = phyq_published.templates(shared_data)[key]["variation"]
    own = template(key).variation
    if own is None or record["sampler"] == "none":
        assert (own is None) == (record["sampler"] == "none") or template(key).variation_change
        return
    moves = {"all_xy": "all", "all_x": "all in x", "pig_x_only": "pig in x"}
    published = variation.Variation(own.anchor, published_sampler(record), moves[record["moves"]])
    if template(key).variation_change:
        assert own != published or own.anchor.kind != record["anchor"]["kind"], "the variation is the published one"
        return
    assert own == published
    anchor = record["anchor"]
    assert own.anchor.kind == anchor["kind"]
    if anchor["kind"] == "point":
        assert own.anchor.at == (anchor["x"], anchor["y"])
    if anchor["kind"] == "block":
        chosen = template(key).published.blocks[own.anchor.index]
        assert chosen.shape == phyq_published.snake(anchor["type"])
        assert chosen.material == anchor.get("material", chosen.material)


def published_sampler(record: dict[str, Any]) -> variation.Sampler:
    x, y = tuple(record.get("x", ())), tuple(record.get("y", ()))
    samplers = {
        "under_line": lambda: UnderLine(x, y),
        "on_line": OnLine,
        "x_left_of_line_at_y": lambda: LeftOfLine(x, record["y_ref"]),
        "uniform_x": lambda: AlongX(x),
        "uniform_xy": lambda: InBox(x, y),
        "right_half_full_left_half_low": lambda: InBox(x, y, "left"),
        "left_half_full_right_half_low": lambda: InBox(x, y, "right"),
        "unreachable": lambda: BeyondLine(y, record["xa"], record["xb"], record["back"]),
    }
    return samplers[record["sampler"]]()


def test_the_reach_line_is_the_published_one(shared_data: Path) -> None:
    line = phyq_published.everything(shared_data)["generator"]["reachability_line"]
    assert [list(place) for place in variation.REACH_LINE] == line


@pytest.mark.parametrize("key", KEYS)
def test_tasks_are_valid(key: str) -> None:
    design = template(key)
    for number in (0, 17, 99, 4321):
        level = design.level(number)
        assert is_valid(level)
        assert overlaps(level, SLOP) == []
        for anchor in design.out_of_reach:
            assert not trajectory.within_reach(anchor.position(level), MISS_MARGIN)


@pytest.mark.parametrize("key", KEYS)
def test_a_task_is_its_templates_level_shifted_with_distractors_added(key: str) -> None:
    design = template(key)
    base, level = design.base, design.level(3)
    own = level.blocks[: len(base.blocks)], level.platforms[: len(base.platforms)], level.pigs
    offsets = design.variation.offsets if design.variation else ()
    own_way = {(piece.kind, piece.index) for offset in offsets for piece in offset.pieces}
    kinds = (("block", base.blocks), ("platform", base.platforms), ("pig", base.pigs))
    pairs = [
        (new, old)
        for pieces, (kind, of_base) in zip(own, kinds, strict=True)
        for index, (new, old) in enumerate(zip(pieces, of_base, strict=True))
        if (kind, index) not in own_way
    ]
    shifts = {(round(new.x - old.x, 4), round(new.y - old.y, 4)) for new, old in pairs}
    if design.variation is None:
        assert shifts == {(0.0, 0.0)}
    elif design.variation.moves != "pig in x":
        assert len(shifts) == 1
    assert level.birds == base.birds
    extra = level.blocks[len(base.blocks) :] + level.platforms[len(base.platforms) :]
    assert 0 <= len(extra) <= 3


def test_distractors_stand_on_the_ground_and_keep_their_distance() -> None:
    count = 0
    for design in templates().values():
        base, level = design.base, design.level(8)
        extra = (*level.blocks[len(base.blocks) :], *level.platforms[len(base.platforms) :])
        count += len(extra)
        for piece in extra:
            box = bounding_box(outline(piece))
            assert box.bottom == pytest.approx(GROUND_Y + (0.0 if isinstance(piece, Platform) else 0.015), abs=1e-4)
            assert -9.96 <= piece.x <= 9.397
            for other in level.pieces:
                theirs = bounding_box(outline(other))
                if other is not piece and theirs.bottom < NEAR_GROUND:
                    assert max(theirs.left - box.right, box.left - theirs.right) > DISTRACTOR_CLEARANCE - 1e-4
    assert count > 0.95 * 3 * 75


def test_tasks_differ_and_draws_differ() -> None:
    design = template("3.5")
    levels = [design.draw(0), design.draw(1), design.draw(0, draw_number=1)]
    assert len(set(levels)) == 3
    assert design.draw(0) == levels[0]


def test_tasks_are_the_same_on_every_machine() -> None:
    assert {key: digest(design) for key, design in templates().items()} == json.loads(DIGESTS.read_text())


def test_tasks_by_id() -> None:
    found = task("6.4:017")
    assert found == Task("6.4:017", template("6.4").level(17), "6.4", 6, checked=True)
    assert len(task_ids()) == 7500
    assert task_ids(scenario=14)[-1] == "14.2:099"
    assert task_ids(template_id="1.4")[0] == "1.4:000"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncheckedTaskWarning)
        assert task("6.4:1234") == Task("6.4:1234", template("6.4").level(1234), "6.4", 6, checked=False)


@pytest.mark.parametrize(
    ("task_id", "message"),
    [
        ("6.4", "an id is a template and a number, as in 6.4:017"),
        ("6.4:-1", "an id is a template and a number"),
        ("16.1:000", r"no template '16\.1'; there are 1\.1 to 15\.8"),
        ("6.9:000", r"no template '6\.9'; scenario 6 has 6\.1, 6\.2, 6\.3, 6\.4, 6\.5, 6\.6"),
    ],
)
def test_unknown_tasks_are_named(task_id: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        task(task_id)


def test_a_template_with_impossible_constraints_is_an_error() -> None:
    design = template("1.5")
    impossible = Template("1.5", "", design.published, design.variation, out_of_reach=(pig(0),))
    with pytest.raises(TemplateError, match=r"template 1\.5: none of 2000 draws meets its constraints"):
        impossible.draw(0)


def test_changes_replace_remove_and_add() -> None:
    level = template("1.1").published
    added = Platform(3.0, 3.0)
    changed = Change("why", blocks={0: None}, platforms={1: Platform(1.0, 1.0)}, added=(added,)).apply(level)
    assert changed == Level(level.birds, level.pigs, (), (level.platforms[0], Platform(1.0, 1.0), added))


@pytest.mark.parametrize("key", KEYS)
def test_a_template_is_its_documentation(key: str) -> None:
    """An idea, then the headings of PHYRE's templates; ranges are those of the code."""
    design = template(key)
    assert re.findall(r"^(\w+)$", design.description, re.MULTILINE) == HEADINGS
    assert design.description.split("\n\n")[0].endswith("."), "the idea comes first"
    sections = sections_of(design)
    bodies = [line for line in sections["Bodies"].splitlines() if re.match(r" {4}\S", line)]
    assert all(re.match(r"    [\w ,]+: \S", line) for line in bodies)
    assert bodies[0].endswith(design.base.birds[0])
    documented = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", sections["Parameters"])]
    offsets = design.variation.offsets if design.variation else ()
    of_offsets = [bound for offset in offsets for span in (offset.x, offset.y) for bound in span if span != (0.0, 0.0)]
    for bound in (*sampler_bounds(design), *of_offsets):
        assert any(abs(number - bound) <= 0.0051 for number in documented), f"{bound} is not documented"
    assert sections["Goal"].split() == GOALS[len(design.base.pigs)].split()


@pytest.mark.parametrize("key", KEYS)
def test_every_template_has_a_rule_by_which_every_pig_dies(key: str) -> None:
    design = template(key)
    assert design.rule is not None
    killed = {name for event in design.rule.events if isinstance(event, Kill) for name in as_names(event.pig)}
    assert "pig" in killed or killed == {f"pig {k}" for k in range(len(design.base.pigs))}
    assert not re.search(r"\d", sections_of(design)["Solvability"]), "numbers are in docs/reference/phyq-templates.md"


def sections_of(design: Template) -> dict[str, str]:
    parts = re.split(rf"^(?:{'|'.join(HEADINGS)})\n", design.description, flags=re.MULTILINE)[1:]
    return dict(zip(HEADINGS, parts, strict=True))


def sampler_bounds(design: Template) -> list[float]:
    """The ends of the ranges from which positions are drawn; heights of 100 stand for the reach line."""
    sampler = design.variation.sampler if design.variation else None
    if isinstance(sampler, BeyondLine):
        return [*sampler.y, sampler.near - sampler.back, sampler.near, sampler.far]
    if isinstance(sampler, UnderLine | InBox):
        return [*sampler.x, *(bound for bound in sampler.y if bound < 100.0)]
    return [*sampler.x] if isinstance(sampler, LeftOfLine | AlongX) else []


def test_every_change_says_why() -> None:
    for design in templates().values():
        assert all(change.why.endswith(".") for change in design.changes)


@pytest.mark.parametrize(
    ("sampler", "x", "y"),
    [
        (UnderLine((-7.0, 6.0), (-2.8, 4.0)), (-7.0, 6.0), (-2.8, 4.0)),
        (OnLine(), (-6.51, 9.459), (-3.494, 7.1)),
        (LeftOfLine((-8.0, 9.397), 4.27), (-8.0, 0.025), (4.27, 4.27)),
        (InBox((10.0, 17.0), (-3.4, 4.0)), (10.0, 17.0), (-3.4, 4.0)),
        (BeyondLine((-2.4, 4.0), 10.397, 14.397, 7.0), (3.397, 14.397), (-2.4, 4.0)),
    ],
)
def test_samplers_stay_within_their_ranges(sampler: variation.Sampler, x: Any, y: Any) -> None:
    draws = Draws("ranges")
    places = [sampler.target(draws) for _ in range(500)]
    for (low, high), values in zip((x, y), zip(*places, strict=True), strict=True):
        assert low <= min(values) <= max(values) <= high
        assert math.isclose(low, high) or max(values) - min(values) > 0.8 * (high - low)
    if isinstance(sampler, UnderLine):
        assert all(height <= variation.line_height(at) for at, height in places)


def test_boxes_can_be_low_on_one_side() -> None:
    draws = Draws("sides")
    for low_on in ("left", "right"):
        for x, y in (InBox((0.0, 2.0), (0.0, 2.0), low_on).target(draws) for _ in range(200)):
            assert y <= 1.0 or (x > 1.0) == (low_on == "left")


if __name__ == "__main__":
    DIGESTS.write_text(json.dumps({key: digest(design) for key, design in templates().items()}, indent=0) + "\n")


def test_offsets_move_their_pieces_together_within_their_ranges() -> None:
    level = template("3.3").published
    offset = Offset((block(1), platform(3)), x=(-1.0, 2.0), y=(0.5, 0.5))
    moved = Variation(pig(0), InBox((0.0, 0.0), (0.0, 0.0)), offsets=(offset,)).apply(level, Draws("offset"))[0]
    shift = (-level.pigs[0].x, -level.pigs[0].y)
    by = [
        (new.x - old.x - shift[0], new.y - old.y - shift[1])
        for new, old in ((moved.blocks[1], level.blocks[1]), (moved.platforms[3], level.platforms[3]))
    ]
    assert by[0] == pytest.approx(by[1], abs=1e-3)
    assert -1.0 <= by[0][0] <= 2.0
    assert by[0][1] == pytest.approx(0.5, abs=1e-3)
    assert moved.blocks[0].x - level.blocks[0].x == pytest.approx(shift[0], abs=1e-3)
