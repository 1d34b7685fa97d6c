"""Models on sets of another world than they were trained on: only if that is asked for, and with words that they know.

A checkpoint knows its world. On a set of another world an agent refuses to answer unless its setting `transfer` is
true. Then words that the model does not know say nothing: descriptions in programs lose them ("the red teapot" is "the
red object"), and what is seen is called by words that it knows.
"""

from collections.abc import Iterator
from dataclasses import replace

from tumble.comphy.agents.agent import AgentInputError
from tumble.comphy.catalogue.task import Appearance, Program, QuestionSet, Task
from tumble.comphy.catalogue.world import ALL_MATERIALS, ALL_SHAPES, PLAIN, ObjectWorld
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.simulation.laws import SLIDES_AS

_ROLLS_AS = {"sphere": "cylinder"}


def weights_name(name: str, world: ObjectWorld, transfer: bool) -> str:
    """The name of the shipped weights of a model for a world: with transfer, those of the plain world.

    >>> from tumble.comphy.catalogue.world import DIV
    >>> weights_name("cpl", PLAIN, False), weights_name("cpl", DIV, False), weights_name("cpl", DIV, True)
    ('cpl', 'cpl-div', 'cpl')
    """
    return name if world is PLAIN or transfer else f"{name}-{world.name}"


def check_world(name: str, trained: ObjectWorld, task: Task, transfer: bool) -> None:
    """An error if a model was trained on another world than a task's, and transfer was not asked for."""
    if trained is not task.world and not transfer:
        raise AgentInputError(
            f"set {task.id} is of the {task.world.name} world, but this checkpoint of {name} was trained on the "
            f"{trained.name} world; give one of the {task.world.name} world, or ask for this by transfer=true"
        )


def questions_in(questions: QuestionSet, world: ObjectWorld) -> QuestionSet:
    """Questions whose programs describe bodies by words of a world only; other words are left out."""
    asked = []
    for question in questions.questions:
        choices = tuple(replace(choice, program=program_in(choice.program, world)) for choice in question.choices)
        asked.append(replace(question, program=program_in(question.program, world), choices=choices))
    return replace(questions, questions=tuple(asked))


def program_in(program: Program, world: ObjectWorld) -> Program:
    """A program without filters by words that a world does not have.

    >>> program_in(("objects", "red", "filter_color", "mug", "filter_shape", "count"), PLAIN)
    ('objects', 'red', 'filter_color', 'count')
    """
    return tuple(_kept(program, {*ALL_MATERIALS, *ALL_SHAPES} - {*world.materials, *world.shapes}))


def _kept(program: Program, unknown: set[str]) -> Iterator[str]:
    dropped = False
    for token in program:
        if token in unknown:
            dropped = True  # and the filter that follows
        elif dropped:
            dropped = False
        else:
            yield token


def perception_in(perception: Perception, world: ObjectWorld) -> Perception:
    """A perception with words of a world: a shape that slides alike, and the first material, for unknown ones."""
    looks = tuple(_look_in(look, world) for look in perception.appearances)
    return perception if looks == perception.appearances else replace(perception, appearances=looks, forms=())


def _look_in(look: Appearance, world: ObjectWorld) -> Appearance:
    material = look.material if look.material in world.materials else world.materials[0]
    if look.shape in world.shapes:
        return Appearance(look.color, material, look.shape)
    alike = _slides_as(look.shape)
    shape = alike if alike in world.shapes else next(one for one in world.shapes if _slides_as(one) == alike)
    return Appearance(look.color, material, shape)


def _slides_as(shape: str) -> str:
    return SLIDES_AS.get(shape, _ROLLS_AS.get(shape, shape))
