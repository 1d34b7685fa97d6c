"""Flights of many shots as tensors: what each would touch, and how the bird bounces off what it touches first.

A flight is a sequence of legs. The first is the ballistic flight from the slingshot, with the effect of the tap;
every further leg begins where the one before met an object or the ground, with the velocity after a bounce of two
discs or of a disc and a wall. Objects do not move in this: it is what a player can foresee without a simulation.
Outlines and physical properties of each kind of object and each bird are tables on the device.
"""

import math
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from tumble.phyq.catalogue.physics import (
    BIRD_COLOURS,
    BIRDS,
    BLOCKS,
    EGG_VELOCITY,
    FALL,
    FIXED_FRICTION,
    GRAVITY,
    GROUND_Y,
    LAUNCH_SPEED,
    MATERIAL_NAMES,
    PIGS,
    STEP,
    TNT,
    Piece,
    shape_area,
    shape_box,
)
from tumble.phyq.models.ranker.scenes import KINDS
from tumble.scene import Polygon

FIXED_MASS = 1e6
PROPERTIES = 14
"""Numbers that describe a kind."""
_UNIT_BOX = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


@dataclass(frozen=True)
class KindTables:
    """A row for each of KINDS, or for each colour of birds."""

    corners: Tensor
    """float [kinds, 4, 2]."""
    margins: Tensor
    """float [kinds]: radii of round objects."""
    masses: Tensor
    friction: Tensor
    restitution: Tensor
    is_platform: Tensor
    """bool [kinds]."""
    is_pig: Tensor
    is_triangle: Tensor
    cuts: Tensor
    """float [kinds, 2, (x, y, offset)]: the lines that cut triangles from boxes, relative to the boxes' centres."""
    is_mortal: Tensor
    properties: Tensor
    """float [kinds, properties]: what the network gets."""
    unit_box: Tensor
    bird_radius: Tensor
    bird_centre: Tensor
    bird_mass: Tensor
    bird_friction: Tensor
    bird_restitution: Tensor
    boost: float
    """Speed that a yellow bird gains."""
    fan_turn: Tensor
    """float [2, 2]: turns velocities to the middle heading of a blue bird's fan."""


def kind_tables(device: torch.device) -> KindTables:
    """The tables on a device."""
    rows = [_kind_row(*kind) for kind in KINDS]
    birds = [BIRDS[colour] for colour in BIRD_COLOURS]
    turn = math.radians(sorted(BIRDS["blue"].fan_headings)[1])

    def tensor(values: object) -> Tensor:
        return torch.tensor(values, dtype=torch.float32, device=device)

    return KindTables(
        corners=tensor([row[0] for row in rows]),
        margins=tensor([row[1] for row in rows]),
        masses=tensor([row[2] for row in rows]),
        friction=tensor([row[3] for row in rows]),
        restitution=tensor([row[4] for row in rows]),
        is_platform=tensor([kind[0] == "platform" for kind in KINDS]) > 0,
        is_pig=tensor([kind[0] == "pig" for kind in KINDS]) > 0,
        is_triangle=tensor([kind[1].startswith("triangle") for kind in KINDS]) > 0,
        cuts=tensor([_triangle_cuts(row[0], kind[1]) for row, kind in zip(rows, KINDS, strict=True)]),
        is_mortal=tensor([kind[0] != "platform" for kind in KINDS]) > 0,
        properties=tensor([row[5] for row in rows]),
        unit_box=tensor(_UNIT_BOX),
        bird_radius=tensor([bird.circle.radius for bird in birds]),
        bird_centre=tensor([bird.circle.centre for bird in birds]),
        bird_mass=tensor([bird.piece.mass for bird in birds]),
        bird_friction=tensor([bird.piece.friction for bird in birds]),
        bird_restitution=tensor([bird.piece.restitution for bird in birds]),
        boost=BIRDS["yellow"].boost_impulse / BIRDS["yellow"].piece.mass,
        fan_turn=tensor([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]),
    )


def _kind_row(
    kind: str, name: str, material: str
) -> tuple[list[tuple[float, float]], float, float, float, float, list[float]]:
    """Corners, margin, mass, friction, restitution and properties of a kind."""
    if kind == "platform":
        return list(_UNIT_BOX), 0.0, FIXED_MASS, FIXED_FRICTION, 0.0, _kind_properties(kind, name, material, None)
    piece = TNT if kind == "tnt" else PIGS[name] if kind == "pig" else BLOCKS[name, material]
    corners, margin = _kind_corners(kind, name, piece)
    return corners, margin, piece.mass, piece.friction, piece.restitution, _kind_properties(kind, name, material, piece)


def _kind_corners(kind: str, name: str, piece: Piece) -> tuple[list[tuple[float, float]], float]:
    if kind == "pig" or name.startswith("circle"):
        return [(0.0, 0.0)] * 4, math.sqrt(shape_area(piece.shape) / math.pi)
    if name.startswith("triangle"):
        assert isinstance(piece.shape, Polygon)
        first, second, third = piece.shape.vertices
        return [first, second, third, third], 0.0
    left, bottom, right, top = shape_box(piece.shape)
    return [(left, bottom), (right, bottom), (right, top), (left, top)], 0.0


def _triangle_cuts(corners: list[tuple[float, float]], name: str) -> list[tuple[float, float, float]]:
    """The sides of a triangle that are not sides of the box around it, as outward normals and offsets."""
    if not name.startswith("triangle"):
        return [(0.0, 0.0, 1.0)] * 2
    middle = [(min(values) + max(values)) / 2.0 for values in zip(*corners, strict=True)]
    found = []
    for (ax, ay), (bx, by) in zip(corners[:3], [*corners[1:3], corners[0]], strict=True):
        if abs(ax - bx) > 0.05 and abs(ay - by) > 0.05:
            length = math.hypot(bx - ax, by - ay)
            x, y = (by - ay) / length, (ax - bx) / length
            found.append((x, y, x * (ax - middle[0]) + y * (ay - middle[1])))
    return (found * 2)[:2]


def _kind_properties(kind: str, name: str, material: str, piece: Piece | None) -> list[float]:
    is_round = kind == "pig" or name.startswith("circle")
    flags = [kind == "platform", kind == "tnt", kind == "pig", kind == "block"]
    flags += [is_round, name.startswith("triangle"), *(material == one for one in MATERIAL_NAMES)]
    if piece is None:
        return [*map(float, flags), 2.0, 0.0, 0.0, 0.0, 2.0]
    numbers = [math.log(piece.mass), piece.friction / 4.0, 5.0 * piece.restitution, piece.defence / 15.0]
    return [*map(float, flags), *numbers, math.log1p(piece.life) / 3.0]


POINTS = 120
"""Points of a leg."""
SPACING = 2.0 * STEP
"""Seconds between them."""
FAR = 9.0
"""Distance at which objects count as never passed."""
LEAVING = 3
"""Points after a bounce at which the bird does not touch again what it bounced off."""
BOUNCE_THRESHOLD = 1.0
"""Normal speed below which nothing bounces."""
_YELLOW, _BLUE, _WHITE, _BLACK = (BIRD_COLOURS.index(name) for name in ("yellow", "blue", "white", "black"))


@dataclass(frozen=True)
class Outlines:
    """Objects of scenes as polygons of four corners with a margin around them: discs are points with a margin."""

    corners: Tensor
    """float [scenes, objects, 4, 2], counter-clockwise."""
    centres: Tensor
    """float [scenes, objects, 2]: of the boxes around them in their own frames."""
    halves: Tensor
    """float [scenes, objects, 2]: half the sides of these boxes."""
    axes: Tensor
    """float [scenes, objects, (cosine, sine)] of their rotations."""
    cuts: Tensor
    """float [scenes, objects, lines, (x, y, offset)]: lines in the boxes' frames that cut off triangles."""
    margins: Tensor
    """float [scenes, objects]."""
    exists: Tensor
    """bool [scenes, objects]."""
    masses: Tensor
    """float [scenes, objects]: infinite for what is fixed."""
    friction: Tensor
    restitution: Tensor

    def __getitem__(self, rows: Tensor) -> "Outlines":
        return Outlines(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


@dataclass(frozen=True)
class Leg:
    """One leg of the flights of n shots."""

    distances: Tensor
    """float [n, objects]: the least distance between bird and object until the end of the leg; 0 for a touch."""
    touches: Tensor
    """bool [n, objects]: whether the bird would touch the object, if it flew on through all others."""
    lateness: Tensor
    """float [n, objects]: seconds from the end of the leg until that touch; 0 without a touch."""
    first: Tensor
    """bool [n, objects]: the object that ends the leg; none for the ground."""
    points: Tensor
    """float [n, 2]: the bird's centre at the end."""
    velocities: Tensor
    """float [n, 2]: at the end, before the bounce."""
    normals: Tensor
    """float [n, 2]: from what is touched to the bird."""
    seconds: Tensor
    """float [n]: the duration."""


def outlines_of(kinds: Tensor, poses: Tensor, sizes: Tensor, tables: KindTables) -> Outlines:
    """The outlines of the objects of scenes; kinds long [scenes, objects], as in `Scenes`."""
    index = kinds.clamp(min=0)
    local = tables.corners[index]
    boxes = tables.unit_box * sizes[..., None, :]
    local = torch.where(tables.is_platform[index][..., None, None], boxes, local)
    sine, cosine = torch.sin(poses[..., 2]), torch.cos(poses[..., 2])
    x = local[..., 0] * cosine[..., None] - local[..., 1] * sine[..., None] + poses[..., None, 0]
    y = local[..., 0] * sine[..., None] + local[..., 1] * cosine[..., None] + poses[..., None, 1]
    corners = torch.stack([x, y], dim=-1)
    low, high = local.amin(dim=2), local.amax(dim=2)
    middle = (low + high) / 2.0
    axes = torch.stack([cosine, sine], dim=-1)
    centres = torch.stack(
        [middle[..., 0] * cosine - middle[..., 1] * sine, middle[..., 0] * sine + middle[..., 1] * cosine], dim=-1
    )
    has_cuts = bool(tables.is_triangle[index].any())
    return Outlines(
        corners,
        centres + poses[..., :2],
        (high - low) / 2.0,
        axes,
        tables.cuts[index] if has_cuts else tables.cuts[index][:, :, :0],
        tables.margins[index],
        kinds >= 0,
        tables.masses[index],
        tables.friction[index],
        tables.restitution[index],
    )


def legs_of(
    shots: Tensor, birds: Tensor, rests: Tensor, outlines: Outlines, tables: KindTables, count: int
) -> list[Leg]:
    """The first `count` legs of flights; shots float [n, (angle, stretch, tap share)], all others [n, …]."""
    radius, centre = tables.bird_radius[birds], tables.bird_centre[birds]
    turn = torch.deg2rad(shots[:, 0])
    direction = torch.stack([torch.cos(turn), torch.sin(turn)], dim=-1)
    stretch = shots[:, 1:2]
    start = rests + centre - stretch * direction
    velocity = LAUNCH_SPEED * stretch * direction
    fall = torch.full_like(radius, FALL)
    path, speeds = _path(start, velocity, fall)
    leg = _leg(path, speeds, radius, outlines, None)
    if bool((birds > 0).any()):
        path, speeds = _tapped(path, speeds, leg.seconds, shots[:, 2], birds, tables)
        leg = _leg(path, speeds, radius, outlines, None)
    legs = [leg]
    for _ in range(count - 1):
        velocity = _bounced(legs[-1], birds, outlines, tables)
        path, speeds = _path(legs[-1].points, velocity, fall)
        legs.append(_leg(path, speeds, radius, outlines, legs[-1]))
    return legs


def _path(start: Tensor, velocity: Tensor, fall: Tensor) -> tuple[Tensor, Tensor]:
    """Positions and velocities [n, POINTS, 2] of a bird that falls freely."""
    times = SPACING * torch.arange(POINTS, device=start.device, dtype=start.dtype)
    drop = fall[:, None] * times * (times + STEP) / 2.0
    down = torch.tensor([0.0, 1.0], device=start.device)
    path = start[:, None] + velocity[:, None] * times[:, None] - drop[..., None] * down
    speeds = velocity[:, None] - (fall[:, None] * times)[..., None] * down
    return path, speeds


def _tapped(
    path: Tensor, speeds: Tensor, seconds: Tensor, shares: Tensor, birds: Tensor, tables: KindTables
) -> tuple[Tensor, Tensor]:
    """The path with the effect of a tap after a share of the flight: that of the egg for a white bird."""
    has_tap = torch.isfinite(shares) & (birds > 0)
    at = (torch.nan_to_num(shares) * seconds / SPACING).round().long().clamp(1, POINTS - 1)
    rows = torch.arange(len(path), device=path.device)
    start, velocity = path[rows, at], speeds[rows, at]
    speed = velocity.norm(dim=-1, keepdim=True).clamp(min=1e-6)
    boosted = velocity * (1.0 + tables.boost / speed)
    turned = velocity @ tables.fan_turn
    egg = torch.tensor(EGG_VELOCITY, device=path.device).expand_as(velocity)
    colour = birds[:, None]
    after = torch.where(colour == _YELLOW, boosted, torch.where(colour == _BLUE, turned, velocity))
    after = torch.where(colour == _WHITE, egg, torch.where(colour == _BLACK, torch.zeros_like(after), after))
    fall = torch.where(birds == _WHITE, GRAVITY, torch.where(birds == _BLACK, 1e-3, FALL))
    later, later_speeds = _path(start, after, fall)
    step = torch.arange(POINTS, device=path.device)
    since = (step - at[:, None]).clamp(min=0)[..., None].expand(-1, -1, 2)
    flown = (has_tap[:, None] & (step >= at[:, None]))[..., None]
    return torch.where(flown, later.gather(1, since), path), torch.where(flown, later_speeds.gather(1, since), speeds)


def _leg(path: Tensor, speeds: Tensor, radius: Tensor, outlines: Outlines, before: Leg | None) -> Leg:
    """The leg along a path; what ended the leg before is ignored at its first points."""
    distances = _distances(path, outlines) - outlines.margins[:, None] - radius[:, None, None]
    distances = torch.where(outlines.exists[:, None], distances, FAR)
    heights = path[..., 1:] - radius[:, None, None] - GROUND_Y
    if before is not None:
        distances[:, :LEAVING] = torch.where(before.first[:, None], FAR, distances[:, :LEAVING])
        grounded = ~before.first.any(dim=1)[:, None, None]
        heights[:, :LEAVING] = torch.where(grounded, FAR, heights[:, :LEAVING])
    step = torch.arange(POINTS, device=path.device)
    touched, at = _crossing(distances)
    is_down, down = _crossing(heights)
    down = torch.where(is_down, down, POINTS - 1.0)[:, 0]
    soonest, which = torch.where(touched, at, float(POINTS)).min(dim=1)
    by_object = soonest <= down
    end = torch.where(by_object, soonest, down)
    rows = torch.arange(len(path), device=path.device)
    last = end.long().clamp(max=POINTS - 2)
    share = (end - last)[:, None]
    points = path[rows, last] * (1.0 - share) + path[rows, last + 1] * share
    velocities = speeds[rows, last] * (1.0 - share) + speeds[rows, last + 1] * share
    nearest = _nearest_points(points, outlines.corners[rows, which])
    away = points - nearest
    up = torch.tensor([0.0, 1.0], device=path.device).expand_as(points)
    normals = torch.where(by_object[:, None], away / away.norm(dim=-1, keepdim=True).clamp(min=1e-6), up)
    until = torch.where(step[None, :, None] <= end[:, None, None], distances, FAR).amin(dim=1).clamp(0.0, FAR)
    lateness = torch.where(touched, SPACING * (at - end[:, None]), 0.0)
    first = torch.zeros_like(touched)
    first[rows, which] = by_object
    until = torch.where(first, 0.0, until)
    return Leg(until, touched, lateness, first, points, velocities, normals, SPACING * end)


def _crossing(distances: Tensor) -> tuple[Tensor, Tensor]:
    """Whether distances [n, points, k] become 0 or less, and the number of the point, interpolated: both [n, k]."""
    is_touch = distances <= 0.0
    at = is_touch.int().argmax(dim=1).clamp(min=1)
    before, after = (distances.gather(1, k[:, None])[:, 0] for k in (at - 1, at))
    share = (before / (before - after).clamp(min=1e-6)).clamp(0.0, 1.0)
    return is_touch.any(dim=1), at - 1 + share


def _bounced(leg: Leg, birds: Tensor, outlines: Outlines, tables: KindTables) -> Tensor:
    """Velocities [n, 2] after the bounce at the end of a leg."""
    mass = torch.where(leg.first, outlines.masses, 0.0).sum(dim=1)
    on_ground = ~leg.first.any(dim=1)
    mass = torch.where(on_ground, 1e6, mass)
    friction = torch.where(on_ground, FIXED_FRICTION, torch.where(leg.first, outlines.friction, 0.0).sum(dim=1))
    other = torch.where(leg.first, outlines.restitution, 0.0).sum(dim=1)
    restitution = torch.maximum(tables.bird_restitution[birds], other)
    friction = torch.sqrt(friction * tables.bird_friction[birds])
    normal_speed = (leg.velocities * leg.normals).sum(dim=-1).clamp(max=0.0)
    restitution = torch.where(normal_speed < -BOUNCE_THRESHOLD, restitution, 0.0)
    share = mass / (mass + tables.bird_mass[birds])
    normal_change = -(1.0 + restitution) * normal_speed * share
    tangent = torch.stack([-leg.normals[:, 1], leg.normals[:, 0]], dim=-1)
    along = (leg.velocities * tangent).sum(dim=-1)
    lost = torch.minimum(friction * normal_change, along.abs() / 3.0 * share) * torch.sign(along)
    return leg.velocities + normal_change[:, None] * leg.normals - lost[:, None] * tangent


def _distances(path: Tensor, outlines: Outlines) -> Tensor:
    """float [n, points, objects]: distances of points [n, points, 2] to outlines without margins; 0 inside.

    Outlines are boxes in their own frames; those of triangles are cut off by two lines, which gives distances that are
    a little too small near the corners between a line and a side.
    """
    own = outlines.centres[:, None]
    x, y = path[:, :, None, 0] - own[..., 0], path[:, :, None, 1] - own[..., 1]
    cosine, sine = outlines.axes[:, None, :, 0], outlines.axes[:, None, :, 1]
    along, across = cosine * x + sine * y, cosine * y - sine * x
    beside = (along.abs() - outlines.halves[:, None, :, 0]).clamp_(min=0.0)
    over = (across.abs() - outlines.halves[:, None, :, 1]).clamp_(min=0.0)
    distances = torch.hypot(beside, over)
    for k in range(outlines.cuts.shape[2]):
        cut = outlines.cuts[:, None, :, k]
        distances = torch.maximum(distances, cut[..., 0] * along + cut[..., 1] * across - cut[..., 2])
    return distances


def _nearest_points(points: Tensor, corners: Tensor) -> Tensor:
    """float [n, 2]: the points of outlines [n, 4, 2] that are nearest to points [n, 2]."""
    edges = corners.roll(-1, 1) - corners
    offsets = points[:, None] - corners
    share = ((offsets * edges).sum(-1) / (edges * edges).sum(-1).clamp(min=1e-9)).clamp(0.0, 1.0)
    candidates = corners + share[..., None] * edges
    nearest = ((points[:, None] - candidates) ** 2).sum(-1).argmin(dim=1)
    return candidates[torch.arange(len(points), device=points.device), nearest]
