"""What the level editor needs: all pieces and birds with how they are drawn, and the world."""

from typing import Any

from tumble.phyq.observation.appearance import EDGE, layers
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.scenery import sling
from tumble.phyq.tasks.constants import HALF_WIDTH, REST_OFFSET
from tumble.phyq.tasks.files import own_json
from tumble.phyq.tasks.level import HIGHEST, Level
from tumble.phyq.tasks.outlines import shape_corners
from tumble.phyq.tasks.pieces import BIRD_COLOURS, BLOCK_SHAPES, MATERIAL_NAMES, PIG_SIZES, PLATFORM_SIDE
from tumble.phyq.web.level_data import DIGITS, POWERS, RULES, colours, layer_data
from tumble.phyq.web.own_levels import MOST_BIRDS, MOST_PIECES
from tumble.phyq.web.task_data import known_task
from tumble.scene import Vec

VIEW = [-HALF_WIDTH, -5.0, HALF_WIDTH, 9.0]
"""Left, bottom, right and top of what is seen at first."""


def editor_data() -> dict[str, Any]:
    """Pieces by the list of a level file that they belong to, birds, and the world."""
    pigs = [_piece(GameObject("pig", size), {"size": size}) for size in PIG_SIZES]
    blocks = [
        _piece(GameObject("block", shape, material), {"shape": shape, "material": material})
        for shape in BLOCK_SHAPES
        for material in MATERIAL_NAMES
    ]
    side = (PLATFORM_SIDE, PLATFORM_SIDE)
    return {
        "pieces": {
            "pigs": pigs,
            "blocks": blocks,
            "tnts": [_piece(GameObject("tnt"), {})],
            "platforms": [_piece(GameObject("platform", size=side), {})],
        },
        "edge": EDGE,
        "birds": [_bird(colour) for colour in BIRD_COLOURS],
        "most_pieces": MOST_PIECES,
        "most_birds": MOST_BIRDS,
        "highest": HIGHEST,
        "view": VIEW,
        "rules": RULES,
        "colours": colours(),
        "slingshot": list(Level.slingshot),
        **sling_data(Level.slingshot),
    }


def sling_data(slingshot: Vec) -> dict[str, Any]:
    """The slingshot at a place, and where the bird rests."""
    rest = [place + offset for place, offset in zip(slingshot, REST_OFFSET, strict=True)]
    return {"sling": [layer_data(layer) for layer in sling(slingshot)], "rest": rest}


def level_file(task_id: str) -> dict[str, str]:
    """The level file of a task of Tumble's."""
    return {"text": own_json.to_json(known_task(task_id).level)}


def _piece(one: GameObject, values: dict[str, str]) -> dict[str, Any]:
    outline = [[round(x, DIGITS), round(y, DIGITS)] for x, y in shape_corners(one.shape).tolist()]
    return {"values": values, "layers": [layer_data(layer) for layer in layers(one)], "outline": outline}


def _bird(colour: str) -> dict[str, Any]:
    return {
        "colour": colour,
        "power": POWERS[colour],
        "layers": [layer_data(layer) for layer in layers(GameObject("bird", colour))],
    }
