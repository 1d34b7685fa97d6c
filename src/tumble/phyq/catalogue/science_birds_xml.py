"""Levels in the XML format of Science Birds, read and written.

    <Level width="2"> <Camera …/> <Score …/>
      <Birds> <Bird type="BirdRed"/> … </Birds>
      <Slingshot x="-12" y="-2.5"/>
      <GameObjects> <Block type="RectBig" material="wood" x="0" y="0" rotation="90"/> <Pig …/> <TNT …/>
        <Platform type="Platform" x="0" y="0" rotation="0" scaleX="2" scaleY="1"/> … </GameObjects> </Level>

Such files declare UTF-16 but are usually plain ASCII, so the declaration is ignored, as are camera and score. A
negative scale mirrors a platform, which does not change a box.
"""

import codecs
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml
from xml.sax.saxutils import quoteattr

from tumble.bounded import BoundError, read_bytes
from tumble.phyq.catalogue.level import Block, Level, LevelError, Piece, Pig, Platform, Tnt
from tumble.scene.checks import shown
from tumble.scene.files import whole_file

LEVEL_WIDTH = 2.0
"""The width attribute of a level of 35 units; other widths are not supported."""
MOST_CHARACTERS = 1_000_000
MOST_FILE = 4 * MOST_CHARACTERS
"""Bytes of a file; no encoding takes more for these characters."""

_BIRDS = {f"Bird{colour.capitalize()}": colour for colour in ("red", "yellow", "blue", "white", "black")}
_PIGS = {f"Basic{size.capitalize()}": size for size in ("small", "medium", "big")}
_SHAPES = {
    "Circle": "circle",
    "CircleSmall": "circle_small",
    "RectBig": "rect_big",
    "RectMedium": "rect_medium",
    "RectSmall": "rect_small",
    "RectTiny": "rect_tiny",
    "RectFat": "rect_fat",
    "SquareHole": "square_hole",
    "SquareSmall": "square_small",
    "SquareTiny": "square_tiny",
    "Triangle": "triangle",
    "TriangleHole": "triangle_hole",
}
_SHAPE_NAMES = {shape: name for name, shape in _SHAPES.items()}


def from_xml(text: str) -> Level:
    """The level of an XML text; a LevelError where it is invalid."""
    root = _parsed(text)
    if root.tag != "Level":
        raise LevelError(f"expected the element Level, got {shown(root.tag)}")
    if "width" in root.attrib and _number(root, "width") != LEVEL_WIDTH:
        raise LevelError(f"Level: width must be {LEVEL_WIDTH:g}, got {shown(root.get('width'))}")
    known = ("Camera", "Score", "Birds", "Slingshot", "GameObjects")
    for child in root:
        if child.tag not in known:
            raise LevelError(f"Level has no element {shown(child.tag)}; there are {', '.join(known)}")
    found: dict[str, list[Piece]] = {"Pig": [], "Block": [], "Platform": [], "TNT": []}
    for element in _children(root, "GameObjects"):
        if element.tag not in found:
            raise LevelError(f"GameObjects has no element {shown(element.tag)}; there are {', '.join(found)}")
        where = f"{element.tag} {len(found[element.tag])}"
        try:
            found[element.tag].append(_piece(element))
        except LevelError as error:
            raise LevelError(f"{where}: {error}") from None
    pieces: dict[str, Any] = {f"{tag.lower()}s": tuple(placed) for tag, placed in found.items()}
    sling = root.find("Slingshot")
    slingshot = Level.slingshot if sling is None else (_number(sling, "x"), _number(sling, "y"))
    return Level(tuple(_birds(root)), **pieces, slingshot=slingshot)


def to_xml(level: Level) -> str:
    """The level as XML text, with numbers in full precision."""
    x, y = level.slingshot
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<Level width="{LEVEL_WIDTH:g}">']
    lines += ['  <Camera x="0" y="-1" minWidth="25" maxWidth="35" />', '  <Score highScore="0" />', "  <Birds>"]
    lines += [f'    <Bird type="Bird{colour.capitalize()}" />' for colour in level.birds]
    lines += ["  </Birds>", f"  <Slingshot{_attributes(x=x, y=y)} />", "  <GameObjects>"]
    lines += [f"    {_element(piece)}" for piece in level.pieces]
    return "\n".join([*lines, "  </GameObjects>", "</Level>", ""])


def save(level: Level, path: str | Path) -> None:
    """Writes the level to an XML file, atomically."""
    with whole_file(path) as temporary:
        temporary.write_text(to_xml(level), encoding="utf-8")


def load(path: str | Path) -> Level:
    """Reads a level from an XML file in UTF-8 or UTF-16."""
    try:
        content = read_bytes(path, MOST_FILE)
    except BoundError as error:
        raise LevelError(f"{path}: {error}") from None
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return from_xml(content.decode("utf-16" if wide else "utf-8-sig"))
    except UnicodeDecodeError:
        raise LevelError(f"{path}: this is neither UTF-8 nor UTF-16 text") from None
    except LevelError as error:
        raise LevelError(f"{path}: {error}") from None


def _parsed(text: str) -> Xml.Element:
    if len(text) > MOST_CHARACTERS:
        raise LevelError(f"this text is too long for a level: it has {len(text):,} characters")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise LevelError("a level has no DOCTYPE and no entities")
    try:
        return Xml.fromstring(re.sub(r"^\s*<\?xml.*?\?>", "", text, count=1, flags=re.DOTALL))
    except (Xml.ParseError, RecursionError, ValueError) as error:
        raise LevelError(f"this is not XML: {error}") from None


def _children(root: Xml.Element, name: str) -> list[Xml.Element]:
    """The children of the element with this name, which must occur once."""
    found = root.findall(name)
    if len(found) != 1:
        raise LevelError(f"Level needs the element {name} once, but has it {len(found)} times")
    return list(found[0])


def _birds(root: Xml.Element) -> Iterator[str]:
    for k, element in enumerate(_children(root, "Birds")):
        if element.tag != "Bird":
            raise LevelError(f"Birds has no element {shown(element.tag)}; there is only Bird")
        yield _known(f"bird {k}: no bird", element.get("type"), _BIRDS)


def _piece(element: Xml.Element) -> Piece:
    x, y = _number(element, "x"), _number(element, "y")
    rotation = _number(element, "rotation", 0.0)
    kind = element.get("type")
    if element.tag == "Pig":
        return Pig(_known("no pig", kind, _PIGS), x, y, rotation)
    if element.tag == "Block":
        return Block(_known("no block", kind, _SHAPES), element.get("material", ""), x, y, rotation)
    if element.tag == "TNT":
        return Tnt(x, y, rotation)
    scales = (abs(_number(element, name, 1.0)) for name in ("scaleX", "scaleY"))
    return Platform(x, y, rotation, *scales)


def _known(complaint: str, name: str | None, known: dict[str, str]) -> str:
    if name not in known:
        raise LevelError(f"{complaint} {shown(name)}; there are {', '.join(known)}")
    return known[name]


def _number(element: Xml.Element, name: str, default: float | None = None) -> float:
    text = element.get(name)
    if text is None:
        if default is None:
            raise LevelError(f"{element.tag} needs {name}")
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise LevelError(f"{name} must be a finite number, got {shown(text)}")
    return number


def _element(piece: Piece) -> str:
    place = {"x": piece.x, "y": piece.y, "rotation": piece.rotation}
    if isinstance(piece, Pig):
        return f"<Pig{_attributes(type=f'Basic{piece.size.capitalize()}', material='', **place)} />"
    if isinstance(piece, Block):
        return f"<Block{_attributes(type=_SHAPE_NAMES[piece.shape], material=piece.material, **place)} />"
    if isinstance(piece, Tnt):
        return f"<TNT{_attributes(type='', **place)} />"
    scales = {"scaleX": piece.scale_x, "scaleY": piece.scale_y}
    return f"<Platform{_attributes(type='Platform', material='', **place, **scales)} />"


def _attributes(**values: str | float) -> str:
    return "".join(f" {name}={quoteattr(str(value))}" for name, value in values.items())
