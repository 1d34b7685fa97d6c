"""See and simulate: fits start states and hidden properties to the videos, then answers by simulation.

It sees the videos through the perceiver (or gets exact tracks), fits simulations of all five videos, and simulates
the future and the counterfactual worlds from the fit of the target. It uses no label and no annotation at test time.

Where the best fit has no answer, it takes the most frequent one of starts that are as likely. What a question speaks
of exists, so that its words correct the perceiver's: if the only trophy was perceived as painted, "the wood trophy"
is that one. Questions about everyday objects have two options, of which one is correct: if the simulation says both
or none, that whose bodies collide first, or else come closer, is the likelier one.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from tumble.comphy.agents.agent import Agent, AgentInputError, Explanation
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.see_and_simulate.measure import cleaned_perception
from tumble.comphy.agents.see_and_simulate.scene import FittedMotions, fitted_scene
from tumble.comphy.agents.see_and_simulate.search import drawn_starts
from tumble.comphy.agents.see_and_simulate.set_fit import SetFit, fit_set
from tumble.comphy.agents.simulation import SimulatedAlterations
from tumble.comphy.agents.task_perception import TaskPerception, TruthModules, questions_in
from tumble.comphy.catalogue.body import Body, Motion, world_of_bodies
from tumble.comphy.catalogue.task import CORRECT, WRONG, Appearance, NamedGiven, Program, Question, QuestionSet, Task
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.catalogue.world import PLAIN, SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.program import CHANGE_PREFIX, Answer, SetAnswers, Type, argument_count, check_program
from tumble.comphy.questions.symbolic_scene import ProgramEvent, SymbolicScene
from tumble.comphy.simulation.events import pair_distances

CHANGE_COSTS = {"material": 0.5, "color": 1.0, "shape": 1.5}
"""Of another word for a body: materials are perceived worst."""
UNMET_COST = 3.0
"""Of words by which no object, or not one alone, is found."""
SAME_COST = 2.0
"""Of two objects with the same looks: a set has no such objects."""
MOST_ROUNDS = 4
ATTRIBUTE_FILTERS = {f"filter_{name}": name for name in CHANGE_COSTS}


@dataclass(frozen=True)
class ObjectReference:
    """Words that refer to one object."""

    words: frozenset[tuple[str, str]]
    """Attributes and their words."""
    is_complete: bool
    """Whether the words alone tell which object it is; else it is also told by its motion or hidden properties."""


def references_in(questions: QuestionSet) -> frozenset[ObjectReference]:
    """The references in all programs."""
    programs = [
        program
        for question in questions.questions
        for program in ([choice.program + question.program for choice in question.choices] or [question.program])
    ]
    return frozenset(reference for program in programs for reference in _references(program))


def _references(program: Program) -> Iterator[ObjectReference]:
    """The sets of objects of a program that `unique` is applied to."""
    stack: list[Any] = []
    for token in program:
        first = len(stack) - argument_count(token)
        arguments, stack = stack[first:], stack[:first]
        own = arguments[0] if arguments and isinstance(arguments[0], ObjectReference) else None
        value: Any = token
        if token == "objects":
            value = ObjectReference(frozenset(), True)
        elif own is not None and token in ATTRIBUTE_FILTERS:
            value = ObjectReference(own.words | {(ATTRIBUTE_FILTERS[token], arguments[1])}, own.is_complete)
        elif own is not None and token.startswith("filter_"):
            value = ObjectReference(own.words, False)
        elif own is not None and token == "unique" and own.words:
            yield own
        stack.append(value)


def agreeing_looks(looks: Sequence[Appearance], questions: QuestionSet) -> tuple[Appearance, ...]:
    """The looks, with the fewest and most likely changes with which the references in the questions are met."""
    references = references_in(questions)
    words = sorted({word for reference in references for word in reference.words})
    found = tuple(looks)

    def cost(tried: tuple[Appearance, ...]) -> float:
        return _looks_cost(tried, looks, references)

    for _ in range(MOST_ROUNDS):
        best = min((found, *_looks_with_change(found, words)), key=cost)
        if cost(best) >= cost(found):
            best = _best_pair(found, words, cost)
        if cost(best) >= cost(found):
            return found
        found = best
    return found


def _looks_cost(
    tried: tuple[Appearance, ...], looks: Sequence[Appearance], references: frozenset[ObjectReference]
) -> float:
    changes = sum(
        CHANGE_COSTS[name]
        for one, other in zip(tried, looks, strict=True)
        for name in CHANGE_COSTS
        if getattr(one, name) != getattr(other, name)
    )
    same = len(tried) - len(set(tried))
    unmet = 0
    for reference in references:
        matches = sum(all(getattr(look, name) == word for name, word in reference.words) for look in tried)
        unmet += matches != 1 if reference.is_complete else matches == 0
    return changes + SAME_COST * same + UNMET_COST * unmet


def _looks_with_change(
    looks: tuple[Appearance, ...], words: Sequence[tuple[str, str]]
) -> Iterator[tuple[Appearance, ...]]:
    """All looks with another word for one body."""
    for (body, look), (name, word) in product(enumerate(looks), words):
        if getattr(look, name) != word:
            yield (*looks[:body], look._replace(**{name: word}), *looks[body + 1 :])


def _best_pair(
    looks: tuple[Appearance, ...],
    words: Sequence[tuple[str, str]],
    cost: Callable[[tuple[Appearance, ...]], float],
) -> tuple[Appearance, ...]:
    """The best looks with other materials of two bodies."""
    materials = sorted({word for name, word in words if name == "material"} | {look.material for look in looks})
    tried = [looks]
    for one, other in combinations(range(len(looks)), 2):
        for first, second in product(materials, materials):
            changed = list(looks)
            changed[one] = looks[one]._replace(material=first)
            changed[other] = looks[other]._replace(material=second)
            tried.append(tuple(changed))
    return min(tried, key=cost)


NEGATIONS = ("not", "negate")
UNKNOWN_DISTANCE = 1.5
"""Units: the distance that bodies are taken to have if one of them was not found."""


@dataclass(frozen=True, eq=False)
class Future:
    """The frames of a motion in which an option's event would happen."""

    motion: Motion
    first: int

    def score(self, event: object) -> float:
        """The lower, the likelier the event is: negative if it happens, else the least distance of the bodies."""
        if not isinstance(event, ProgramEvent) or len(event.bodies) != 2:
            return UNKNOWN_DISTANCE
        frames = [
            collision.step // STEPS_PER_FRAME
            for collision in self.motion.collisions
            if set(collision.pair) == set(event.bodies) and collision.step >= self.first * STEPS_PER_FRAME
        ]
        if frames:
            return min(frames) - float(self.motion.frames)
        return float(pair_distances(self.motion, *event.bodies)[self.first :].min())


def with_one_correct(answers: SetAnswers, scene: SymbolicScene, questions: QuestionSet) -> SetAnswers:
    """The answers; of two options of a question of which not one alone is said to be correct, the likelier one is."""
    interpreter = Interpreter(scene)
    completed = dict(answers)
    for question in questions.questions:
        verdicts = completed.get(question.id)
        known = verdicts.values() if isinstance(verdicts, Mapping) else ()
        if len(question.choices) == 2 and sorted(known) != sorted((CORRECT, WRONG)):
            completed[question.id] = _closest_option(question, interpreter, scene)
    return completed


def _closest_option(question: Question, interpreter: Interpreter, scene: SymbolicScene) -> dict[int, str]:
    future = _future(question, interpreter, scene)
    scores = [future.score(interpreter.values(choice.program)[-1]) for choice in question.choices]
    likelier = int(np.argmin(scores))
    correct = 1 - likelier if question.program[-1] in NEGATIONS else likelier
    return {choice.id: CORRECT if k == correct else WRONG for k, choice in enumerate(question.choices)}


def _future(question: Question, interpreter: Interpreter, scene: SymbolicScene) -> Future:
    """The motion after the video's end, or in its shown frames after the change that the question names."""
    places = [k for k, token in enumerate(question.program) if token.startswith(CHANGE_PREFIX)]
    if not places:
        shown = SHOWN_FRAMES if question.kind == "predictive" else 0
        return Future(scene.motion, min(shown, scene.motion.frames - 1))
    choice = question.choices[0].program
    body = interpreter.values(choice + question.program)[len(choice) + places[0] - 1]
    altered = scene.altered_events
    changes = [change for change in CHANGES if CHANGE_PREFIX + change == question.program[places[0]]]
    if not isinstance(body, int) or not changes or not isinstance(altered, SimulatedAlterations):
        return Future(scene.motion, 0)
    bodies = Alteration(body, changes[0]).apply(altered.bodies)
    return Future(scene.motion if bodies == altered.bodies else altered.motion(bodies), 0)


STARTS, SPREADS = 16, (1.0, 3.0)
"""Starts that are drawn from the posterior if an answer is missing, for each width in standard errors."""
ATTRIBUTES = {Type.COLOR: "color", Type.MATERIAL: "material", Type.SHAPE: "shape"}
FEW_STARTS = 4
"""The same for everyday objects that were perceived, whose words were misjudged rather than their starts."""


def fitted_answers(fit: SetFit, scene: SymbolicScene, questions: QuestionSet) -> SetAnswers:
    """The answers of the fit's scene, completed.

    A question presupposes something, as that two bodies collide. If that narrowly fails in the best fit, the question
    tells that another start is the right one. Everyday objects that were perceived may also have wrong words and are
    fitted worse: their looks are made to agree with the questions, and one of two options is always correct.
    """
    uncertain = fit.problem.is_uncertain
    if uncertain:
        scene = _with_agreeing_looks(scene, questions)
    answers = dict(answers_from_scene(scene, questions))
    if uncertain:
        answers = dict(with_one_correct(answers, scene, questions))
    missing = QuestionSet(questions.index, tuple(q for q in questions.questions if _is_missing(q, answers.get(q.id))))
    if not missing.questions:
        return answers
    widths = np.array(SPREADS)
    rows, draws = np.zeros(len(widths), int), np.random.default_rng(questions.index)
    count = FEW_STARTS if uncertain else STARTS
    starts = drawn_starts(fit.target.take(rows), fit.information[None][rows], count, widths, draws)
    others = []
    for row in range(len(starts)):
        varied = fitted_scene(replace(fit, target=starts.take(np.array([row]))), refit=not uncertain)
        others.append(answers_from_scene(replace(varied, bodies=scene.bodies), missing))
    for question in missing.questions:
        found = _most_frequent(question, answers.get(question.id), [own.get(question.id) for own in others])
        if found is None and uncertain:
            found = _guess(question, scene)
        if found is not None:
            answers[question.id] = found
    return answers


def _guess(question: Question, scene: SymbolicScene) -> str | None:
    """A word that a factual question may have as its answer: "no", or what most bodies are that it does not name."""
    kind = check_program(question.program)
    if kind == Type.YES_NO:
        return "no"
    attribute = ATTRIBUTES.get(kind)
    if attribute is None:
        return None
    words = Counter(word for body in scene.bodies if (word := str(getattr(body, attribute))) not in question.program)
    return words.most_common(1)[0][0] if words else None


def _with_agreeing_looks(scene: SymbolicScene, questions: QuestionSet) -> SymbolicScene:
    """The scene, with looks that agree with the questions."""
    looks = agreeing_looks([Appearance(*body.appearance) for body in scene.bodies], questions)
    bodies = tuple(
        replace(body, color=look.color, material=look.material, shape=look.shape)
        for body, look in zip(scene.bodies, looks, strict=True)
    )
    return replace(scene, bodies=bodies)


def _is_missing(question: Question, answer: Answer | None) -> bool:
    if answer is None or isinstance(answer, str):
        return answer is None
    return len(answer) < len(question.choices)


def _most_frequent(question: Question, own: Answer | None, others: Sequence[Answer | None]) -> Answer | None:
    """The most frequent word, or own verdicts completed by the most frequent ones."""
    if not question.choices:
        words = Counter(word for word in others if isinstance(word, str))
        return words.most_common(1)[0][0] if words else None
    verdicts = {} if own is None or isinstance(own, str) else dict(own)
    for choice in question.choices:
        counts = Counter(one[choice.id] for one in others if one and not isinstance(one, str) and choice.id in one)
        if choice.id not in verdicts and counts:
            verdicts[choice.id] = counts.most_common(1)[0][0]
    return verdicts


@dataclass(frozen=True, eq=False)
class Seen:
    """What it perceived, fitted and simulated of a task."""

    perception: Perception
    fit: SetFit
    scene: SymbolicScene


class SeeAndSimulate(Agent):
    """Keeps its results for the last task."""

    trained_with: NamedGiven = "tracks"
    """Its perceiver: with places, masks and looks, without masses and charges."""

    def __init__(
        self,
        tracks: str = "detected",
        device: str = "cpu",
        checkpoint: str = "",
        simulate_on: str = "cpu",
        properties: str = "inferred",
        transfer: bool = False,
    ) -> None:
        """`device` and `checkpoint` are those of the perceiver; simulations of one set run best on a CPU.

        `properties` may be "given" to analyse errors: only starts are fitted then. `transfer`
        allows a perceiver of another world than that of the sets, whose bodies are taken for those of its own world.
        """
        self.simulate_on, self.perception = simulate_on, TaskPerception(tracks, checkpoint, device, transfer)
        self.modules = TruthModules(properties)
        self.uses_truth = self.modules.any
        self.last: tuple[Task, Seen] | None = None

    def answer(self, task: Task) -> SetAnswers:
        seen = self.seen(task)
        questions = questions_in(task.questions, world_of_bodies(seen.fit.bodies))
        return fitted_answers(seen.fit, seen.scene, questions)

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self.seen(task).fit.bodies

    def explain(self, task: Task) -> Explanation:
        seen = self.seen(task)
        motions = FittedMotions(seen.fit, seen.scene)
        return Explanation(seen.fit.bodies, seen.perception, seen.scene, motions=motions)

    def seen(self, task: Task) -> Seen:
        """What it perceives, fits and simulates of a task."""
        if self.last is None or self.last[0] is not task:
            perception = self.perception.perceive(task)
            if world_of_bodies([Body(*look) for look in perception.appearances]) is not PLAIN:
                perception = cleaned_perception(perception)
            if not perception.appearances:
                raise AgentInputError(f"set {task.id}: no bodies were found in its videos")
            truth = self.modules.given(task, perception).properties
            bodies = truth.bodies(perception.appearances) if truth else None
            fit = fit_set(perception, self.simulate_on, bodies)
            self.last = task, Seen(perception, fit, fitted_scene(fit))
        return self.last[1]
