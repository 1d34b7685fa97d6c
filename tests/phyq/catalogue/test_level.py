"""Levels reject invalid values, survive JSON and XML exactly, and name mistakes in files."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tumble.phyq.catalogue import level_json, science_birds_xml
from tumble.phyq.catalogue.level import Block, Level, LevelError, Pig, Platform, Tnt
from tumble.phyq.catalogue.physics import BIRD_COLOURS, BLOCK_SHAPES, MATERIAL_NAMES, PIG_SIZES

xs = st.floats(-17.5, 17.5)
ys = st.floats(-3.5, 50.0)
turns = st.floats(-360.0, 360.0)
scales = st.floats(0.01, 50.0)
blocks = st.builds(Block, st.sampled_from(BLOCK_SHAPES), st.sampled_from(MATERIAL_NAMES), xs, ys, turns)
levels = st.builds(
    Level,
    st.lists(st.sampled_from(BIRD_COLOURS), min_size=1, max_size=4),
    st.lists(st.builds(Pig, st.sampled_from(PIG_SIZES), xs, ys, turns), min_size=1, max_size=3),
    st.lists(
        st.builds(Block, st.sampled_from(BLOCK_SHAPES), st.sampled_from(MATERIAL_NAMES), xs, ys, turns), max_size=3
    ),
    st.lists(st.builds(Platform, xs, ys, turns, scales, scales), max_size=3),
    st.lists(st.builds(Tnt, xs, ys, turns), max_size=2),
    st.tuples(xs, ys),
)

SMALL = Level(("red",), (Pig("small", -0.854, -1.993),), platforms=(Platform(-0.862, -2.474, 0.0, 2.089, 0.763),))
"""Template 1.5."""
AS_PUBLISHED = """<?xml version="1.0" encoding="utf-16"?>
<Level width ="2">
<Camera x="0" y="-1" minWidth="25" maxWidth="35">
</Camera>
<Score highScore ="0">
</Score>
<Birds>
<Bird type="BirdRed"/>
</Birds>
<Slingshot x="-12" y="-2.5">
</Slingshot>
<GameObjects>
<Pig type="BasicSmall" material="" x="-0.854" y="-1.993" rotation="0" />
<Platform type="Platform" material="" x="-0.862" y="-2.474" rotation="0" scaleX="-2.089" scaleY="0.763" />
</GameObjects>
</Level>
"""


@settings(max_examples=50, deadline=None)
@given(levels)
def test_json_round_trip(level: Level) -> None:
    assert level_json.from_json(level_json.to_json(level)) == level


@settings(max_examples=50, deadline=None)
@given(levels)
def test_xml_round_trip(level: Level) -> None:
    assert science_birds_xml.from_xml(science_birds_xml.to_xml(level)) == level


@pytest.mark.parametrize("encoding", ["ascii", "utf-8-sig", "utf-16"])
def test_published_files_declare_utf_16_but_are_read_in_their_actual_encoding(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "level.xml"
    path.write_bytes(AS_PUBLISHED.encode(encoding))
    assert science_birds_xml.load(path) == SMALL


def test_files_are_written_atomically(tmp_path: Path) -> None:
    for module, name in ((level_json, "level.json"), (science_birds_xml, "level.xml")):
        module.save(SMALL, tmp_path / name)
        assert module.load(tmp_path / name) == SMALL
    assert sorted(path.name for path in tmp_path.iterdir()) == ["level.json", "level.xml"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pig("huge", 0, 0), "no pig size 'huge'; there are small, medium, big"),
        (lambda: Block("cirle", "wood", 0, 0), r"no block shape 'cirle' \(did you mean 'circle'\?\); there are circle"),
        (lambda: Block("circle", "glass", 0, 0), "no material 'glass'; there are wood, ice, stone"),
        (lambda: Pig("small", 18.0, 0), "x must be from -17.5 to 17.5, got 18.0"),
        (lambda: Pig("small", 0, -4), "y must be from -3.5 to 50, got -4.0"),
        (lambda: Pig("small", math.nan, 0), "x must be a finite number"),
        (lambda: Tnt(0, "high"), "y must be a number, got 'high'"),  # type: ignore[arg-type]
        (lambda: Platform(0, 0, 0, 0.0, 1.0), "scale_x must be from 0.01 to"),
        (lambda: Level(("green",), SMALL.pigs), "bird 0: no bird 'green'; there are red, yellow"),
        (lambda: Level((), SMALL.pigs), "a level needs a bird"),
        (lambda: Level(("red",), ()), "a level needs a pig"),
        (lambda: Level(("red",), SMALL.platforms), "pig 0: must be a Pig, got Platform"),  # type: ignore[arg-type]
        (lambda: Level(("red",), SMALL.pigs, slingshot=(0.0, -9.0)), "the slingshot must stand inside the world"),
    ],
)
def test_invalid_values_are_rejected(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(LevelError, match=message):
        make()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blocks": [{"shape": "circle", "material": "glass", "x": 0, "y": 0}]}, "block 0: no material 'glass'"),
        ({"blocks": [{"shape": "circle", "x": 0, "y": 0}]}, "block 0: a block needs the field 'material'"),
        ({"pigs": [{"size": "small", "x": 0, "y": 0, "hat": 1}]}, "pig 0: a pig has no field 'hat'; there are size"),
        ({"pigs": 3}, "pigs must be a list, got 3"),
        ({"wind": 3}, "a level has no field 'wind'"),
        ({"version": 2}, "version must be 1, got 2"),
        ({"slingshot": 3}, "slingshot must be a pair of numbers"),
    ],
)
def test_mistakes_in_json_are_named(change: dict[str, object], message: str) -> None:
    record = {**json.loads(level_json.to_json(SMALL)), **change}
    with pytest.raises(LevelError, match=message):
        level_json.from_json(json.dumps(record))


@pytest.mark.parametrize("text", ["", "[", "3", "{}", "[" * 100_000, '{"version": 1, "birds": 3, "pigs": []}'])
def test_invalid_json_is_rejected(text: str) -> None:
    with pytest.raises(LevelError):
        level_json.from_json(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type="BirdRed"', 'type="BirdGreen"', "bird 0: no bird 'BirdGreen'; there are BirdRed, BirdYellow"),
        ('type="BasicSmall"', 'type="Small"', "Pig 0: no pig 'Small'; there are BasicSmall"),
        ('x="-0.862"', 'x="1e999"', "Platform 0: x must be a finite number, got '1e999'"),
        ('x="-0.862"', "", "Platform 0: Platform needs x"),
        ('width ="2"', 'width ="3"', "width must be 2"),
        ("<Birds>", "<Cats/><Birds>", "Level has no element 'Cats'"),
        ("<Pig ", "<Cow ", "GameObjects has no element 'Cow'"),
        ("</Level>", "", "this is not XML"),
        ("<Level ", '<!DOCTYPE a [<!ENTITY b "c">]><Level ', "no DOCTYPE and no entities"),
        ("<Level ", '<?x <!-- ?><!DOCTYPE a [<!ENTITY b "c">]><?y --> ?><Level ', "no DOCTYPE and no entities"),
        ("<Birds>", "<Birds>" + "<a>" * 100_000, "."),
        ("<Birds>", " " * 2_000_000 + "<Birds>", "too long for a level"),
    ],
)
def test_mistakes_in_xml_are_named(old: str, new: str, message: str) -> None:
    assert old in AS_PUBLISHED
    with pytest.raises(LevelError, match=message):
        science_birds_xml.from_xml(AS_PUBLISHED.replace(old, new, 1))


@given(st.text(max_size=200))
def test_any_text_is_a_level_or_an_error(text: str) -> None:
    for read in (level_json.from_json, science_birds_xml.from_xml):
        with pytest.raises(LevelError):
            read(text)
