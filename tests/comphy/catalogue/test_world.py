"""Worlds: their words, the bodies that belong to them, and stages."""

import pytest

from tumble.comphy.catalogue.body import Body, BodyError, world_of_bodies
from tumble.comphy.catalogue.video_set import FLOORS, LIGHTS, Stage, StageError
from tumble.comphy.catalogue.world import DIV, PLAIN, WORLDS, WorldError, named_world, world_of


def test_no_shape_belongs_to_two_worlds() -> None:
    shapes = [shape for world in WORLDS.values() for shape in world.shapes]
    assert len(shapes) == len(set(shapes)) == 3 + 13
    assert all(world_of(shape) is world for world in WORLDS.values() for shape in world.shapes)


def test_no_word_has_two_meanings() -> None:
    for world in WORLDS.values():
        words = [*world.colors, *world.materials, *world.shapes]
        assert len(words) == len(set(words))


def test_a_body_has_the_materials_and_forms_of_its_world() -> None:
    assert Body("red", "wood", "mug", form=DIV.forms - 1).world is DIV
    assert Body("red", "metal", "cube").world is PLAIN
    with pytest.raises(BodyError, match="no material 'wood'; there are rubber, metal"):
        Body("red", "wood", "cube")
    with pytest.raises(BodyError, match="no form 1 of a cube; there are 1, from 0 on"):
        Body("red", "metal", "cube", form=1)
    with pytest.raises(BodyError, match="no form 1000 of a mug"):
        Body("red", "metal", "mug", form=DIV.forms)


def test_bodies_that_differ_in_form_look_alike_in_words() -> None:
    one, other = (Body("red", "wood", "mug", form=form) for form in (1, 2))
    assert one != other
    assert one.appearance == other.appearance == ("red", "wood", "mug")


def test_bodies_of_different_worlds_do_not_mix() -> None:
    assert world_of_bodies(()) is PLAIN
    with pytest.raises(BodyError, match="different worlds: red metal cube, red metal mug"):
        world_of_bodies((Body("red", "metal", "cube"), Body("red", "metal", "mug")))


@pytest.mark.parametrize("find", [named_world, world_of])
def test_an_unknown_world_or_shape_is_refused(find: object) -> None:
    with pytest.raises(WorldError, match=r"no (world|shape) 'moon'; there are"):
        find("moon")  # type: ignore[operator]


def test_stages_have_known_floors_and_lights() -> None:
    assert (len(FLOORS), len(LIGHTS)) == (9, 3)
    with pytest.raises(StageError, match="no floor 'lava'"):
        Stage("lava", "sky", 1)
    with pytest.raises(StageError, match="no light 'moon'"):
        Stage("sand", "moon", 1)
    with pytest.raises(StageError, match="seed of a stage"):
        Stage("sand", "sky", -1)
