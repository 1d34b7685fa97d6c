"""The differentiable operators of programs.

A set of objects or events is a vector of scores, a single one a vector of weights that sum to 1. "And" is the smaller
score, "exist" the largest. In training `unique` is a softmax and `count` the sum of probabilities; otherwise `unique`
is the largest score and `count` the number of scores above 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, one_hot

from tumble.comphy.models.pcr.concepts import (
    COLLISION,
    IN,
    LIMIT,
    NONE,
    OPPOSITE,
    SAME,
    START,
    Altered,
    ConceptScores,
    SlotTensors,
    device_constant,
    logit_of,
    words_of_width,
)


@dataclass(frozen=True, eq=False)
class Scores:
    """A set: scores [question, element] of bodies, of event slots or of pairs, as `of` says."""

    of: str
    values: Tensor


@dataclass(frozen=True, eq=False)
class Weights:
    """One element: weights [question, element]."""

    of: str
    values: Tensor


@dataclass(frozen=True, eq=False)
class YesNo:
    """Scores [question] of "yes", and of "yes" after a negation."""

    score: Tensor
    negated: Tensor


@dataclass(frozen=True, eq=False)
class Number:
    """Counts [question]."""

    value: Tensor


@dataclass(frozen=True, eq=False)
class LogWords:
    """Log probabilities [question, word] of the answers, over all words or over DIRECTIONS."""

    values: Tensor


@dataclass(frozen=True, eq=False)
class LogPairs:
    """Log probabilities [question, word, word] of the words of two bodies, symmetric."""

    values: Tensor


@dataclass(frozen=True, eq=False)
class Mass:
    """Scores [question] of being heavy."""

    heavy: Tensor


Value = Scores | Weights | YesNo | Number | LogWords | LogPairs | Mass


@dataclass(frozen=True, eq=False)
class Context:
    """What operators read: the scenes of a batch of questions of one skeleton."""

    scenes: ConceptScores
    slots: SlotTensors
    altered: Altered
    soft: bool
    """Whether this is for training."""


Operation = Callable[..., Value]


def _scores(value: Value) -> Tensor:
    """A set, or a single element as a set."""
    if isinstance(value, Weights):
        return logit_of(value.values.clamp(min=1e-4).log())
    assert isinstance(value, Scores)
    return value.values


def _weights(value: Value) -> Tensor:
    assert isinstance(value, Weights)
    return value.values


def _element(context: Context, of: str, scores: Tensor) -> Weights:
    """The one element of a set."""
    if context.soft:
        return Weights(of, scores.softmax(-1))
    return Weights(of, one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype))


def _sure(condition: Tensor, like: Tensor) -> Tensor:
    """Scores of what is known."""
    return torch.where(condition, LIMIT, -LIMIT).to(like.dtype)


def describe(context: Context, literals: Tensor, objects: Value | None = None) -> Value:
    """Bodies that match words for colour, material, shape and motion over the whole video."""
    scenes = context.scenes
    scores = _sure(scenes.present, scenes.words) if objects is None else _scores(objects)
    for place, (first, count) in enumerate(words_of_width(scenes.words.shape[-1]).spans):
        scores = torch.minimum(scores, _picked(scenes.words[..., first : first + count], literals[:, place]))
    return Scores("body", torch.minimum(scores, _picked(scenes.moving, literals[:, 3])))


def _picked(scores: Tensor, words: Tensor) -> Tensor:
    """The column of scores [question, body, word] that a literal names; sure where it names none."""
    padded = torch.cat([scores, torch.full_like(scores[..., :1], LIMIT)], dim=-1)
    words = words.clamp(max=scores.shape[-1])  # NO_WORD is beyond all words
    return padded.gather(-1, words[:, None, None].expand(-1, scores.shape[1], 1)).squeeze(-1)


def filter_property(context: Context, literals: Tensor, objects: Value) -> Value:
    """Light, heavy, charged, uncharged bodies, and those of an opposite or like pair."""
    scores = property_scores(context.scenes)
    chosen = scores.gather(-1, literals[:, :1, None].expand(-1, scores.shape[1], 1)).squeeze(-1)
    return Scores("body", torch.minimum(_scores(objects), chosen))


def property_scores(scenes: ConceptScores) -> Tensor:
    """[scene, body, property]: of PROPERTIES; a body is charged if it is related to any other one."""
    relations = logit_of(scenes.relations)
    charged = (-relations[..., NONE]).amax(-1)
    columns = [-scenes.heavy, scenes.heavy, charged, -charged]
    return torch.stack([*columns, relations[..., OPPOSITE].amax(-1), relations[..., SAME].amax(-1)], dim=-1)


def filter_motion(context: Context, literals: Tensor, objects: Value, time: Value) -> Value:
    """Bodies that are moving or stationary at an event."""
    at_slots = context.scenes.moving_at
    chosen = at_slots.gather(-1, literals[:, :1, None, None].expand(-1, *at_slots.shape[1:3], 1)).squeeze(-1)
    at_time = torch.einsum("qbs,qs->qb", chosen, _weights(time))
    return Scores("body", torch.minimum(_scores(objects), at_time))


def unique(context: Context, literals: Tensor, items: Value) -> Value:
    """The one element."""
    if isinstance(items, Mass | Weights):
        return items
    assert isinstance(items, Scores)
    return _element(context, items.of, items.values)


def events(context: Context, literals: Tensor) -> Value:
    """The events of the shown frames."""
    return Scores("slot", context.scenes.events)


def unseen_events(context: Context, literals: Tensor) -> Value:
    """The collisions after the shown frames."""
    return Scores("pair", context.scenes.future)


def all_events(context: Context, literals: Tensor) -> Value:
    """The possible collisions: those of all pairs of present bodies."""
    present = context.scenes.present.to(torch.float32)
    both = torch.einsum("qb,pb->qp", present, context.slots.pair_member.to(torch.float32)) == 2
    return Scores("pair", _sure(both, context.scenes.words))


def filter_passage(context: Context, literals: Tensor, items: Value, objects: Value) -> Value:
    """Events of bodies that come into view, or that leave it."""
    assert isinstance(items, Scores)
    right_kind = context.slots.kinds == (IN + literals[:, :1])
    taking_part = _any_member(_scores(objects), context.slots.member)
    return Scores("slot", torch.minimum(torch.minimum(items.values, _sure(right_kind, items.values)), taking_part))


def filter_collision(context: Context, literals: Tensor, items: Value, objects: Value) -> Value:
    """Collisions of bodies, among events or among possible collisions."""
    assert isinstance(items, Scores)
    if items.of == "pair":
        member = context.slots.pair_member
        return Scores("pair", torch.minimum(items.values, _any_member(_scores(objects), member)))
    right_kind = _sure(context.slots.kinds == COLLISION, items.values)
    taking_part = _any_member(_scores(objects), context.slots.member)
    return Scores("slot", torch.minimum(torch.minimum(items.values, right_kind), taking_part))


def _any_member(objects: Tensor, member: Tensor) -> Tensor:
    """[question, event]: the largest score of an event's bodies."""
    return torch.where(member, objects[:, None, :], -LIMIT).amax(-1)


def boundary(context: Context, literals: Tensor) -> Value:
    """The start or the end of the video."""
    is_boundary = context.slots.kinds == (START + literals[:, :1])
    return Weights("slot", is_boundary.to(context.scenes.words.dtype))


def filter_order(context: Context, literals: Tensor, items: Value) -> Value:
    """The first, second or last event, by frame."""
    assert isinstance(items, Scores)
    order = context.scenes.frames.argsort(dim=-1, stable=True)
    scores = items.values.gather(-1, order)
    if not context.soft:
        scores = torch.where(scores > 0, 50.0, -50.0)
    happens, absent = logsigmoid(scores), logsigmoid(-scores)
    none_before = _exclusive_sum(absent)
    none_after = absent.sum(-1, keepdim=True) - none_before - absent
    one_before = _one_before(happens, absent)
    choices = torch.stack([happens + none_before, happens + one_before, happens + none_after], dim=1)
    chosen = choices.gather(1, literals[:, :1, None].expand(-1, 1, choices.shape[-1])).squeeze(1)
    back = torch.zeros_like(chosen).scatter(-1, order, chosen)
    return _element(context, "slot", back)


def _exclusive_sum(values: Tensor) -> Tensor:
    """Sums of all earlier values."""
    return values.cumsum(-1) - values


def _one_before(happens: Tensor, absent: Tensor) -> Tensor:
    """Log probability that exactly one earlier event happens: sum of the odds, times the probability of none."""
    odds = (happens - absent).clamp(max=30.0).exp()
    return _exclusive_sum(absent) + _exclusive_sum(odds).clamp(min=1e-9).log()


def filter_side(context: Context, literals: Tensor, items: Value, event: Value) -> Value:
    """Events before or after an event."""
    assert isinstance(items, Scores)
    frames = context.scenes.frames
    later = frames[:, :, None] - frames[:, None, :]
    is_after = literals[:, :1, None] == 1
    right_side = _sure(torch.where(is_after, later > 0, later < 0), items.values)
    chosen = torch.einsum("qst,qt->qs", right_side, _weights(event))
    return Scores("slot", torch.minimum(items.values, chosen))


def query_object(context: Context, literals: Tensor, event: Value) -> Value:
    """The body of an event."""
    return _normalised(_weights(event) @ context.slots.member.to(torch.float32))


def query_collision_partner(context: Context, literals: Tensor, event: Value, body: Value) -> Value:
    """The other body of a collision."""
    member = context.slots.member.to(torch.float32)
    weights, one = _weights(event), _weights(body)
    other_members = one @ member.T  # [question, slot]
    own = torch.einsum("qs,sb,qb->qb", weights, member, one)
    return _normalised((weights * other_members) @ member - own)


def _normalised(weights: Tensor) -> Weights:
    weights = weights.clamp(min=0.0)
    return Weights("body", weights / weights.sum(-1, keepdim=True).clamp(min=1e-6))


def query_word(context: Context, literals: Tensor, body: Value) -> Value:
    """The word of a body, among those of an attribute; others have a log probability of minus infinity."""
    log_words = _log_words(context.scenes, literals[:, 0])
    mixed = torch.einsum("qb,qbw->qw", _weights(body), log_words.exp())
    return LogWords(mixed.clamp(min=1e-4).log())


def _log_words(scenes: ConceptScores, attribute: Tensor) -> Tensor:
    """[question, body, word]: log probabilities of the words of an attribute."""
    known = words_of_width(scenes.words.shape[-1])
    parts = [scenes.words[..., first : first + count].log_softmax(-1) for first, count in known.spans]
    log_words = torch.cat(parts, dim=-1)
    owners = device_constant(known.owners, log_words.device)
    return log_words.masked_fill(owners != attribute[:, None, None], -30.0)


def query_both(context: Context, literals: Tensor, objects: Value) -> Value:
    """The words of the two bodies of a set, in any order."""
    scores = _scores(objects)
    first, second = context.slots.pair_member.to(torch.float32).topk(2, dim=-1).indices.sort(-1).values.unbind(-1)
    weights = _element(context, "pair", scores[:, first] + scores[:, second]).values
    words = _log_words(context.scenes, literals[:, 0]).exp()
    both = torch.einsum("qp,qpv,qpw->qvw", weights, words[:, first], words[:, second])
    return LogPairs(((both + both.transpose(1, 2)) / 2.0).clamp(min=1e-4).log())


def query_direction(context: Context, literals: Tensor, body: Value) -> Value:
    """The direction of a body over the whole video."""
    words = context.scenes.direction.softmax(-1)
    return LogWords(torch.einsum("qb,qbd->qd", _weights(body), words).clamp(min=1e-4).log())


def query_direction_at(context: Context, literals: Tensor, body: Value, time: Value) -> Value:
    """The direction of a body at an event."""
    words = context.scenes.direction_at.softmax(-1)
    mixed = torch.einsum("qb,qs,qbsd->qd", _weights(body), _weights(time), words)
    return LogWords(mixed.clamp(min=1e-4).log())


def count(context: Context, literals: Tensor, items: Value) -> Value:
    """The number of elements."""
    scores = _scores(items)
    return Number(scores.sigmoid().sum(-1) if context.soft else (scores > 0).sum(-1).to(scores.dtype))


def exist(context: Context, literals: Tensor, items: Value) -> Value:
    """Whether there is an element."""
    return _yes_no(_scores(items).amax(-1))


def _yes_no(score: Tensor) -> YesNo:
    return YesNo(score, -score)


def negate(context: Context, literals: Tensor, value: Value) -> Value:
    """The opposite answer; of two bodies without charges neither that they are alike nor that they are opposite."""
    assert isinstance(value, YesNo)
    return YesNo(value.negated, value.score)


def filter_mass(context: Context, literals: Tensor, objects: Value) -> Value:
    """The mass of the only body of a set."""
    element = objects if isinstance(objects, Weights) else unique(context, literals, objects)
    return Mass((_weights(element) * context.scenes.heavy).sum(-1))


def compare_masses(context: Context, literals: Tensor, one: Value, other: Value) -> Value:
    """Whether one body is heavier (literal 0) or lighter (1) than another: one heavy and the other light."""
    assert isinstance(one, Mass)
    assert isinstance(other, Mass)
    sign = 1.0 - 2.0 * literals[:, 0]
    return _yes_no(logit_of(logsigmoid(sign * one.heavy) + logsigmoid(-sign * other.heavy)))


def equal_charge(context: Context, literals: Tensor, one: Value, other: Value) -> Value:
    """Whether two bodies have like charges; negated, whether they have opposite ones."""
    mixed = torch.einsum("qa,qb,qabr->qr", _weights(one), _weights(other), context.scenes.relations.exp())
    scores = logit_of(mixed.clamp(1e-6, 1.0).log())
    return YesNo(scores[:, SAME], scores[:, OPPOSITE])


def filter_counterfact(context: Context, literals: Tensor, items: Value, body: Value) -> Value:
    """The collisions that would happen after a change of a body."""
    assert isinstance(items, Scores)
    return Scores("pair", torch.minimum(items.values, context.altered(_weights(body), literals[:, 0])))


def belong_to(context: Context, literals: Tensor, item: Value, items: Value) -> Value:
    """Whether an event is among events, or a body takes part in one of them."""
    assert isinstance(item, Weights)
    assert isinstance(items, Scores)
    if item.of == "body":
        member = context.slots.pair_member if items.of == "pair" else context.slots.member
        taking_part = torch.where(member, items.values[:, :, None], -LIMIT).amax(1)
        return _yes_no((item.values * taking_part).sum(-1))
    weights = item.values
    if item.of == "slot" and items.of == "pair":
        member = context.slots.member.to(torch.float32)
        same_pair = member @ context.slots.pair_member.to(torch.float32).T == 2
        weights = weights @ same_pair.to(weights.dtype)
    return _yes_no((weights * items.values).sum(-1))


OPERATIONS: dict[str, Operation] = {
    **{
        function.__name__: function
        for function in (
            *(describe, filter_property, filter_motion, unique, events, unseen_events, all_events, filter_passage),
            *(filter_collision, boundary, filter_order, filter_side, query_object, query_collision_partner),
            *(query_word, query_both, query_direction, query_direction_at, count, exist, filter_mass, compare_masses),
            *(equal_charge, filter_counterfact, belong_to),
        )
    },
    "not": negate,
}
"""By the names of steps."""
