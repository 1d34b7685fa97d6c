"""The relations that a goal can ask for: names, codes in the original's files, and words."""

from collections.abc import Sequence

from tumble.phyre.tasks.errors import TaskError
from tumble.scene import Body, Circle, Vec
from tumble.scene.checks import shown
from tumble.scene.convexity import convex_hull, convexity_problems

TOUCHING = "touching"
BRIEFLY = "touching briefly"
NOT_TOUCHING = "not touching"
CODES = {
    "above": 1,
    "below": 2,
    "left of": 3,
    "right of": 4,
    BRIEFLY: 5,
    TOUCHING: 6,
    "inside": 7,
    NOT_TOUCHING: 8,
    "not inside": 9,
}
"""The relations of a goal's first body to its second, with their codes in the original's binary files."""
MOST_CORNERS = 128
"""Of the area of a goal."""
NEED_AREA = ("inside", "not inside")


def relation_names(value: object) -> tuple[str, ...]:
    """The names of one relation or of several; a TaskError if one isn't known.

    >>> relation_names("LEFT_OF"), relation_names(["above", "not touching"])
    (('left of',), ('above', 'not touching'))
    """
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, Sequence) or not values:
        raise TaskError(f"'relation' must be the name of a relation, or a list of names, got {shown(value)}")
    names = []
    for item in values:
        name = item.lower().replace("_", " ") if isinstance(item, str) else ""
        if name not in CODES:
            raise TaskError(f"no relation {shown(item)}; there are {', '.join(CODES)}")
        if name in names:
            raise TaskError(f"the relation {name!r} is given twice")
        names.append(name)
    return tuple(names)


def relations_of_codes(codes: object) -> tuple[str, ...]:
    """The names of relations given by their codes."""
    names = {code: name for name, code in CODES.items()}
    if not isinstance(codes, Sequence):
        raise TaskError(f"'relations' must be a list of codes, got {shown(codes)}")
    for code in codes:
        if type(code) is not int or code not in names:
            known = ", ".join(f"{number} ({name})" for number, name in names.items())
            raise TaskError(f"no relation has the code {shown(code)}; there are {known}")
    return relation_names([names[code] for code in codes])


def needs_area(relations: Sequence[str]) -> bool:
    """Whether relations ask whether one body is inside the other."""
    return any(name in NEED_AREA for name in relations)


def enclosed_area(body: Body) -> tuple[Vec, ...]:
    """The convex hull of a body's polygons: for a jar all that it encloses, up to its rim."""
    points = [vertex for shape in body.shapes if not isinstance(shape, Circle) for vertex in shape.vertices]
    if not points:
        raise TaskError("a goal of 'inside' or 'not inside' needs an area: a ball encloses none")
    return convex_hull(points)


def check_area(area: Sequence[Vec]) -> None:
    """Raises a TaskError unless the area is a convex polygon, listed counter-clockwise."""
    if not 3 <= len(area) <= MOST_CORNERS:
        raise TaskError(f"the area of the goal must have 3 to {MOST_CORNERS} vertices, got {len(area)}")
    problem = next(convexity_problems(area), None)
    if problem is not None:
        raise TaskError(f"the area of the goal: {problem}")


def goal_words(relations: Sequence[str], body: str, other: str, seconds: float) -> str:
    """What a goal asks for, in words.

    >>> goal_words(["left of"], "the ball", "the bar", 3)
    'the ball has to be left of the bar for 3 seconds'
    """
    held = f"for {seconds:g} seconds"
    if tuple(relations) == (TOUCHING,):
        return f"{body} has to touch {other} {held}"
    if tuple(relations) == (BRIEFLY,):
        return f"{body} has to touch {other} once"
    if tuple(relations) == (NOT_TOUCHING,):
        return f"{body} must never touch {other}, or part from it {held}"
    words = [name.removesuffix(" briefly") for name in relations]
    joined = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    return f"{body} has to be {joined} {other} {held}"
