"""The losses of answers, and of what counterfactual questions suppose."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from tumble.comphy.models.pcr.concept_scores import ConceptScores
from tumble.comphy.models.pcr.operators import LogPairs, LogWords, Number, Value, YesNo, property_scores
from tumble.comphy.models.pcr.words import HEAVIER, LIGHTER, PROPERTIES

COUNT_WEIGHT = 0.5
MARGIN = 1.0
"""By which the body that a description names should be ahead of the next one."""


def answer_loss(value: Value, answers: Tensor) -> Tensor:
    """[question]: cross entropy of words and of yes and no, squared error of counts.

    Two words may be in either order: the loss is that of both pairings together.
    """
    if isinstance(value, YesNo):
        return binary_cross_entropy_with_logits(value.score, answers[:, 0].to(value.score.dtype), reduction="none")
    if isinstance(value, Number):
        return COUNT_WEIGHT * (value.value - answers[:, 0].to(value.value.dtype)) ** 2
    if isinstance(value, LogWords):
        return -value.values.gather(-1, answers[:, :1]).squeeze(-1)
    assert isinstance(value, LogPairs)
    questions = torch.arange(len(answers), device=answers.device)
    return -value.values[questions, answers[:, 0], answers[:, 1]]


def supposition_loss(described: Tensor, scenes: ConceptScores, changes: Tensor) -> tuple[Tensor, Tensor]:
    """What a counterfactual question says about the scene: losses [question] of the place and of the property.

    There is one body of its description, with scores [question, body]. It is light if it could be heavier, heavy if it
    could be lighter, and charged if its charge could be removed or negated.
    """
    best, second = described.topk(2, dim=-1).values.unbind(-1)
    place = torch.relu(MARGIN - (best - second)) + torch.relu(MARGIN - best)
    scores = property_scores(scenes)
    wanted = torch.full_like(changes, PROPERTIES.index("charged"))
    wanted = torch.where(changes == HEAVIER, PROPERTIES.index("light"), wanted)
    wanted = torch.where(changes == LIGHTER, PROPERTIES.index("heavy"), wanted)
    held = scores.gather(-1, wanted[:, None, None].expand(-1, scores.shape[1], 1)).squeeze(-1)
    weights = described.detach().softmax(-1)
    return place, -(weights * logsigmoid(held)).sum(-1)
