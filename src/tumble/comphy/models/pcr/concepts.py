"""How well a trained network knows each concept: the accuracies of table 7 of the paper, on sets with their truth."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.models.pcr.concept_scores import ConceptScores
from tumble.comphy.models.pcr.network import LAYOUT, Scenes
from tumble.comphy.models.pcr.slots import COLLISION, IN, OUT
from tumble.comphy.models.pcr.true_scores import true_scores
from tumble.comphy.models.pcr.words import ATTRIBUTES, SPANS
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene


@dataclass(frozen=True)
class ConceptAccuracy:
    """Right and all decisions about a concept."""

    right: int
    all: int

    @property
    def share(self) -> float:
        """The share of right decisions."""
        return self.right / max(self.all, 1)


def concept_accuracies(scenes: Scenes, truth: Sequence[SymbolicScene]) -> dict[str, ConceptAccuracy]:
    """The accuracy of each concept; scenes and truth are in the same order, and so are their bodies.

    Colour, material and shape: the word of the highest score. Moving and stationary: each body over the whole video,
    whether it is the one or not. In, out: whether each body comes in or goes out. Collision: whether a pair collides.
    Mass: each body heavy or light. Charge: each pair that is charged, and as many others, none, like or opposite.
    """
    scores = scenes.scores
    found = _stacked([true_scores(scene, LAYOUT) for scene in truth])
    present = scores.present.cpu() & found.present
    result = {
        name: _accuracy((_best(scores.words, k) == _best(found.words, k))[present]) for k, name in enumerate(ATTRIBUTES)
    }
    for k, name in enumerate(("moving", "stationary")):
        result[name] = _accuracy((_yes(scores.moving[..., k]) == _yes(found.moving[..., k]))[present])
    slots = LAYOUT.tensors(torch.device("cpu"))
    for name, kind in (("in", IN), ("out", OUT)):
        own, true = (_any_event(one, slots.kinds == kind, slots.member) for one in (scores, found))
        result[name] = _accuracy((own == true)[present])
    same_pair = (slots.member.float() @ slots.pair_member.float().T) == 2
    own, true = (_any_event(one, slots.kinds == COLLISION, same_pair) for one in (scores, found))
    both = (present.float() @ slots.pair_member.float().T) == 2
    result["collision"] = _accuracy((own == true)[both])
    result["mass"] = _accuracy((_yes(scores.heavy) == _yes(found.heavy))[present])
    result["charge"] = _charge_accuracy(scores.relations.cpu(), found.relations, both)
    return result


def _charge_accuracy(own: Tensor, true: Tensor, both: Tensor) -> ConceptAccuracy:
    """Of charged pairs and as many uncharged ones: the first ones of each set."""
    first, second = torch.tensor(LAYOUT.pairs).unbind(-1)
    right = own[:, first, second].argmax(-1) == true[:, first, second].argmax(-1)
    charged = (true[:, first, second].argmax(-1) != 0) & both
    uncharged = ~charged & both & charged.any(-1, keepdim=True)
    balanced = uncharged & (uncharged.cumsum(-1) <= charged.sum(-1, keepdim=True))
    return _accuracy(right[charged | balanced])


def _stacked(parts: Sequence[ConceptScores]) -> ConceptScores:
    return ConceptScores(**{name: torch.cat([getattr(one, name) for one in parts]) for name in vars(parts[0])})


def _best(words: Tensor, attribute: int) -> Tensor:
    first, count = SPANS[attribute]
    return words[..., first : first + count].argmax(-1).cpu()


def _yes(scores: Tensor) -> Tensor:
    return (scores > 0).cpu()


def _any_event(scores: ConceptScores, kind: Tensor, owner: Tensor) -> Tensor:
    """bool [set, body or pair]: whether an event of a kind happens to it, where owner is bool [slot, body or pair]."""
    happens = _yes(scores.events) & kind
    return (happens[..., None] & owner).any(1)


def _accuracy(right: Tensor) -> ConceptAccuracy:
    return ConceptAccuracy(int(right.sum()), right.numel())
