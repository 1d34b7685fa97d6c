"""PCR, the Physical Concept Reasoner: concepts, properties and dynamics learned from questions and answers.

It sees a set through the perceiver, scores all concepts, and runs the programs of questions on the scores; its steps
and concepts can be told in words. Its ablations are the same agent with the weights of other trainings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from tumble.comphy.agents.agent import Agent, Concepts, Explanation, TraceKey
from tumble.comphy.agents.task_perception import (
    TaskPerception,
    TruthModules,
    check_world,
    checked_setting,
    perception_in,
    questions_in,
    weights_name,
)
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import CORRECT, WRONG, NamedGiven, QuestionSet, Task
from tumble.comphy.catalogue.video_set import Alteration, alterations
from tumble.comphy.models.pcr.concepts import COLLISION, END, IN, OUT, START
from tumble.comphy.models.pcr.network import LAYOUT, PcrNetwork
from tumble.comphy.models.pcr.operators import Mass, Scores, Value, Weights
from tumble.comphy.models.pcr.programs import Asked, answer_texts, asked_questions
from tumble.comphy.models.pcr.reason import Understanding, load_pcr, understand
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.questions.interpreter import Step
from tumble.comphy.questions.program import Answer, SetAnswers

_KIND_NAMES = {IN: "in", OUT: "out", COLLISION: "collision", START: "start", END: "end"}


def trace_steps(found: Understanding, one: Asked) -> tuple[Step, ...]:
    """The steps of a program in words, each with its result."""
    return tuple(Step(operation, _value_text(found, one, value)) for operation, value in found.trace(one))


def visible_concepts(found: Understanding) -> Concepts:
    """What the network believes about the shown frames."""
    scores, count = found.scenes.scores, len(found.kept)
    happens = (scores.events[0] > 0).tolist()
    slots = [k for k in range(len(LAYOUT)) if happens[k]]
    entered, left = ({LAYOUT.members[k][0] for k in slots if LAYOUT.kinds[k] == kind} for kind in (IN, OUT))
    moving = (scores.moving[0, :count] > 0).numpy()
    return Concepts(
        moving[:, 0],
        moving[:, 1],
        np.array([body in entered for body in range(count)]),
        np.array([body in left for body in range(count)]),
        frozenset((LAYOUT.members[k][0], LAYOUT.members[k][1]) for k in slots if LAYOUT.kinds[k] == COLLISION),
    )


def _value_text(found: Understanding, one: Asked, value: Value) -> str:
    if isinstance(value, Scores | Weights):
        chosen = value.values[0] > (0.0 if isinstance(value, Scores) else 0.5)
        names = [_element_name(found, value.of, k) for k in torch.nonzero(chosen).flatten().tolist()]
        return ", ".join(name for name in names if name) or "none"
    if isinstance(value, Mass):
        return "heavy" if float(value.heavy[0]) > 0 else "light"
    return answer_texts(one.compiled.skeleton, value)[0]


def _element_name(found: Understanding, of: str, number: int) -> str:
    if of == "body":
        return str(found.bodies[number]) if number < len(found.bodies) else ""
    members = LAYOUT.pairs[number] if of == "pair" else LAYOUT.members[number]
    bodies = " and ".join(str(found.bodies[k]) for k in members if k < len(found.bodies))
    if of == "pair":
        return f"collision of {bodies}"
    frame = int(found.scenes.scores.frames[0, number])
    kind = _KIND_NAMES[LAYOUT.kinds[number]]
    return f"{kind} of {bodies} at frame {frame}" if bodies else kind


PARSERS = ("given", "learned")


class Pcr(Agent):
    """Keeps its results for the last task."""

    name = "pcr"
    trained_with: NamedGiven = "tracks"

    def __init__(
        self,
        checkpoint: str = "",
        tracks: str = "detected",
        parser: str = "given",
        perceiver: str = "",
        device: str = "cpu",
        properties: str = "inferred",
        dynamics: str = "learned",
        transfer: bool = False,
        parser_checkpoint: str = "",
    ) -> None:
        """`device` is that of the perceiver; `properties` and `dynamics` may be "given" to analyse errors.

        `transfer` allows weights of another world than that of the sets.
        """
        self.checkpoint, self.perception = checkpoint, TaskPerception(tracks, perceiver, device, transfer)
        self.transfer, self.parser_checkpoint = transfer, parser_checkpoint
        self.modules = TruthModules(properties, dynamics)
        self.uses_truth = self.modules.any
        self.parser = checked_setting("parser", parser, PARSERS)
        self.last: tuple[Task, Understanding, Perception] | None = None
        self._network: PcrNetwork | None = None
        self._reader: Any = None

    def answer(self, task: Task) -> SetAnswers:
        asked = self._asked(task)
        found = self._understood(task)[1].answers(asked)
        answers: dict[int, Answer] = {}
        for one in asked:
            answer = found[one.question.id, one.choice]
            if one.choice is None:
                answers[one.question.id] = answer
            else:
                verdicts = answers.setdefault(one.question.id, {})
                assert isinstance(verdicts, dict)
                verdicts[one.question.choices[one.choice].id] = CORRECT if answer == "yes" else WRONG
        return answers

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self._understood(task)[1].bodies

    def explain(self, task: Task) -> Explanation:
        _, found, perception = self._understood(task)
        concepts: Concepts = visible_concepts(found)
        shown = perception if len(found.kept) == len(perception.appearances) else None
        traces = Traces(found, self._asked(task))
        return Explanation(found.bodies, shown, concepts=concepts, traces=traces, motions=Motions(found))

    def _asked(self, task: Task) -> list[Asked]:
        """The questions and options of a task, with the programs of the parser."""
        questions = task.questions
        if self.parser == "learned":
            questions = self._parsed(task)
        world = self._network_for(task).world
        return asked_questions([questions_in(questions, world)], world)

    def _parsed(self, task: Task) -> QuestionSet:
        questions = task.questions
        if self._reader is None:
            from tumble.comphy.models.learned_parser import LearnedParser

            name = weights_name("parser", task.world, self.transfer)
            self._reader = LearnedParser.load(checkpoint_path(name, self.parser_checkpoint))
        check_world("parser", self._reader.world, task, self.transfer)
        texts = [text for one in questions.questions for text in (one.text, *(choice.text for choice in one.choices))]
        programs = iter(self._reader.programs(texts))
        parsed = []
        for one in questions.questions:
            program = next(programs)
            choices = tuple(replace(choice, program=next(programs)) for choice in one.choices)
            parsed.append(replace(one, program=program, choices=choices))
        return replace(questions, questions=tuple(parsed))

    def _network_for(self, task: Task) -> PcrNetwork:
        if self._network is None:
            name = weights_name(self.name, task.world, self.transfer)
            self._network = load_pcr(self.name, checkpoint_path(name, self.checkpoint))
        check_world(self.name, self._network.world, task, self.transfer)
        return self._network

    def _understood(self, task: Task) -> tuple[Task, Understanding, Perception]:
        if self.last is None or self.last[0] is not task:
            network = self._network_for(task)
            perception = perception_in(self.perception.perceive(task), network.world)
            truth = self.modules.given(task, perception)
            found = understand(network, perception, task.videos(), truth.properties, truth.dynamics)
            self.last = task, found, perception
        return self.last


class Traces(Mapping[TraceKey, tuple[Step, ...]]):
    """The steps of the programs of questions and options, computed when they are asked for."""

    def __init__(self, found: Understanding, asked: list[Asked]) -> None:
        self._found = found
        self._asked = {_trace_key(one): one for one in asked}

    def __getitem__(self, key: TraceKey) -> tuple[Step, ...]:
        return trace_steps(self._found, self._asked[key])

    def __iter__(self) -> Iterator[TraceKey]:
        return iter(self._asked)

    def __len__(self) -> int:
        return len(self._asked)


class Motions(Mapping[Alteration | None, np.ndarray]):
    """The predicted motion of the target and after changes, computed when it is asked for."""

    def __init__(self, found: Understanding) -> None:
        self._found = found
        self._keys: tuple[Alteration | None, ...] = (None, *alterations(found.bodies))

    def __getitem__(self, key: Alteration | None) -> np.ndarray:
        if key not in self._keys:
            raise KeyError(key)
        return self._found.future_motion if key is None else self._found.altered_motion(key)

    def __iter__(self) -> Iterator[Alteration | None]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _trace_key(one: Asked) -> TraceKey:
    return one.question.id, None if one.choice is None else one.question.choices[one.choice].id


class PcrWithoutReferences(Pcr):
    """PCR that infers hidden properties from the target alone."""

    name = "pcr-without-references"


class PcrWithoutImagination(Pcr):
    """PCR that did not learn from what counterfactual questions suppose."""

    name = "pcr-without-imagination"


class PcrWithoutCurriculum(Pcr):
    """PCR that was asked all questions from the start."""

    name = "pcr-without-curriculum"
