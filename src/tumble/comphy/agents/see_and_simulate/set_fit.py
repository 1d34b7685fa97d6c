"""Fits a whole set: the hidden properties and starts whose simulation follows its five videos best.

The references come first: they are short and have few bodies, so that most hypotheses are ruled out by them. What is
left is fitted to the target. Bodies that seem to move slowly at its start are at rest if the measurements allow it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import Fits, Guess, Problem, guess_starts, robust_costs, travelled
from tumble.comphy.agents.see_and_simulate.measure import Measured, estimated_forms, measure
from tumble.comphy.agents.see_and_simulate.search import Search
from tumble.comphy.agents.simulation import hypotheses
from tumble.comphy.catalogue.body import Body, world_of_bodies
from tumble.comphy.catalogue.video_set import world_key
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.perceiver.perception import Perception


def hidden_properties(bodies: tuple[Body, ...]) -> int:
    """How many bodies are heavy, and how many charged."""
    return sum(body.is_heavy for body in bodies) + sum(body.is_charged for body in bodies)


def all_hypotheses(looks: tuple[Body, ...], both: bool) -> list[tuple[Body, ...]]:
    """Hypotheses about bodies of these looks: at most one heavy body, at most one charged pair, or `both` at once."""
    found = hypotheses(looks)
    if both:
        return found
    return [one for one in found if not (any(b.is_heavy for b in one) and any(b.is_charged for b in one))]


VideoKey = tuple[tuple[int, ...], tuple[int, ...]]


def video_key(bodies: tuple[Body, ...], members: tuple[int, ...]) -> VideoKey:
    """What a hypothesis says about a video; a single charge has no effect there."""
    return world_key(tuple(bodies[k] for k in members))


def properties_in(bodies: tuple[Body, ...], members: tuple[int, ...], width: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses and charges [width] of a video's bodies; a single charge is left out, unused bodies are light."""
    masses, charges = np.ones(width), np.zeros(width)
    masses[: len(members)] = [bodies[k].mass for k in members]
    charges[: len(members)] = [bodies[k].charge for k in members]
    return masses, charges if np.count_nonzero(charges) > 1 else np.zeros(width)


SLOW_START = 0.3
"""Units per second."""
ALLOWED_COST_OF_REST = 8.0
"""A start at rest may cost more by this: it needs two parameters fewer, and is frequent."""
LONG_SLIDE, SHORT_SLIDE = 10.0, 1.0
"""Seconds in which a body comes to rest; half of that in which a sphere rolls on."""


def at_rest(problem: Problem, fit: Fits) -> Fits:
    """The one fit, with slow bodies at rest, one after the other, where its cost allows it."""
    cost = float(robust_costs(problem.deviations(fit)).sum())
    speeds = np.hypot(fit.start[0, :, 2], fit.start[0, :, 3])
    for body in np.flatnonzero((speeds < SLOW_START) & (speeds > 0.0)):
        shape = problem.measured.shapes[0, body]
        start = fit.start.copy()
        direction = start[0, body, 2:4] / speeds[body]
        candidates = []
        for seconds in (0.0, SHORT_SLIDE, LONG_SLIDE):
            moved = start.copy()
            moved[0, body, :2] += direction * travelled(shape, speeds[body], np.array(seconds))
            moved[0, body, 2:4] = 0.0
            candidates.append(moved[0])
        tried = replace(fit.take(np.zeros(len(candidates), int)), start=np.stack(candidates))
        costs = robust_costs(problem.deviations(tried)).sum(axis=1)
        best = int(costs.argmin())
        if costs[best] < cost + ALLOWED_COST_OF_REST:
            fit = replace(fit, start=tried.start[best : best + 1])
            cost = min(cost, float(costs[best]))
    return fit


LARGEST_COST = 150.0
"""The most that one video adds to the cost of a hypothesis."""
MARGIN = 120.0
"""Hypotheses that cost more than the best one by this in the references are not fitted to the target."""
MOST_IN_TARGET = 6
UNCERTAIN_MARGIN, MOST_UNCERTAIN = 60.0, 4
"""The same for everyday objects that were perceived."""
UNEXPLAINED = 6.0
"""Misfit of a video above which further hypotheses are tried."""
COST_OF_RATIO, FLOOR_COST = 60.0, 100.0
"""For everyday objects that were perceived: the cost of a hypothesis that deviates e times as much in a video as the
best one, and what is added to both."""
BOTH_GAIN = 200.0
"""By which a heavy body and a charged pair at once must lower the cost, to be preferred to one of the two: more than
LARGEST_COST, so that one badly perceived video is not enough."""
TIE = 3.0
"""Of hypotheses whose costs differ by less, the one with fewer hidden properties is chosen."""

Hypothesis = tuple[Body, ...]


@dataclass(frozen=True, eq=False)
class SetFit:
    """How a set is explained."""

    bodies: Hypothesis
    """With the properties that explain it best."""
    problem: Problem
    """The measurements of the target."""
    target: Fits
    """The one fit of the target."""
    information: np.ndarray
    """float64 [parameter, parameter]: of that fit's start."""
    misfits: np.ndarray
    """float64 [frame]: mean squares of the target's deviations, of the worst body in the frames before."""
    costs: dict[Hypothesis, float] = field(default_factory=dict)
    """Of each hypothesis, above that of the best one; those that the references rule out by the references only."""
    reference_misfits: tuple[float, ...] = ()
    """The largest misfit of each reference, of its best fit."""
    reference_cost: float = 0.0
    """Of `bodies` in the references, above those of the best fit of each."""


def fit_set(perception: Perception, device: str = "cpu", bodies: Hypothesis | None = None) -> SetFit:
    """The best explanation of what was perceived; with `bodies`, by these masses and charges only.

    Hypotheses with a heavy body and a charged pair at once are tried only if no simpler one explains it well, and
    preferred only if they explain it much better. They are never tried for everyday objects that were perceived, which
    no hypothesis explains well.
    """
    forms = perception.forms or estimated_forms(perception)
    looks = tuple(Body(*look, form=form) for look, form in zip(perception.appearances, forms, strict=True))
    everything = measure(perception.appearances, (perception.target, *perception.references), forms)
    guess = guess_starts(everything)
    everything = everything.scaled(guess.noise, guess.yaw_error)
    if bodies is not None:
        given = tuple(replace(body, form=form) for body, form in zip(bodies, forms, strict=True))
        return _fit_set(everything, guess, [given], device)
    simple = all_hypotheses(looks, both=False)
    if _problem(everything, guess, slice(1), device).is_uncertain:
        hidden = [one for one in simple if hidden_properties(one)]  # every set has a heavy body or a charged pair
        return _fit_set(everything, guess, hidden or simple, device)
    found = _fit_set(everything, guess, simple, device)
    if _may_need_both(found):
        hypotheses = all_hypotheses(looks, both=True)
        both = _fit_set(everything, guess, hypotheses, device, kept=found.bodies)
        if both.costs[found.bodies] > BOTH_GAIN:
            return both
    return found


def _fit_set(
    everything: Measured, guess: Guess, hypotheses: Sequence[Hypothesis], device: str, kept: Hypothesis | None = None
) -> SetFit:
    """The best explanation by some hypotheses; `kept` and those that the references favour are fitted to the target."""
    reference_costs = dict.fromkeys(hypotheses, 0.0)
    misfits: tuple[float, ...] = ()
    if len(everything.members) > 1:
        references = _problem(everything, guess, slice(1, None), device)
        reference_costs, misfits = _reference_costs(references, hypotheses)
    lowest = min(reference_costs.values())
    ranked = sorted(hypotheses, key=lambda one: (one != kept, reference_costs[one], hidden_properties(one)))
    members = everything.members[0]
    chosen: dict[VideoKey, Hypothesis] = {}
    target = _problem(everything, guess, slice(1), device)
    margin, most = (UNCERTAIN_MARGIN, MOST_UNCERTAIN) if target.is_uncertain else (MARGIN, MOST_IN_TARGET)
    for one in ranked:
        if (one == kept or reference_costs[one] <= lowest + margin) and len(chosen) < most:
            chosen.setdefault(video_key(one, members), one)
    keys = list(chosen)
    search = Search(target, _fits(target, [(0, chosen[key]) for key in keys])).run()
    target_costs = _above_best(search, np.arange(len(keys)))
    totals = {
        one: reference_costs[one] + target_costs[keys.index(video_key(one, members))]
        for one in hypotheses
        if video_key(one, members) in chosen
    }
    best_total = min(totals.values())
    best = min(
        (one for one in totals if totals[one] <= best_total + TIE),
        key=lambda one: (hidden_properties(one), totals[one]),
    )
    row = keys.index(video_key(best, members))
    search.polish(row)
    return SetFit(
        best,
        target,
        at_rest(target, search.fits.take(np.array([row])).at(search.lengths[:1])),
        search.information[row],
        search.misfits[row],
        {one: totals.get(one, reference_costs[one] + LARGEST_COST) - best_total for one in hypotheses},
        misfits,
        reference_costs[best],
    )


def _may_need_both(found: SetFit) -> bool:
    """Whether a heavy body and a charged pair at once might explain a set much better.

    Where only the target is unexplained they gain LARGEST_COST at most, which is not enough. So everyday objects, whose
    forms are not known exactly and whose targets often deviate late, also need references that disagree.
    """
    if max(found.reference_misfits, default=0.0) > UNEXPLAINED:
        return True
    is_unexplained = float(found.misfits.max()) > UNEXPLAINED
    if world_of_bodies(found.bodies) is PLAIN:
        return is_unexplained
    return is_unexplained and found.reference_cost > BOTH_GAIN - LARGEST_COST


def _problem(measured: Measured, guess: Guess, videos: slice, device: str) -> Problem:
    """The problem of some of the videos."""
    part = measured.take(videos)
    frames, bodies = part.weights.shape[1:]
    return Problem(part, guess.take(videos, frames, bodies), device)


def _fits(problem: Problem, pairs: Sequence[tuple[int, Hypothesis]]) -> Fits:
    """Fits of hypotheses to videos, from the guess."""
    measured = problem.measured
    width = measured.shapes.shape[1]
    found = [properties_in(bodies, measured.members[video], width) for video, bodies in pairs]
    video = np.array([video for video, _ in pairs])
    masses, charges = (np.array([one[k] for one in found]) for k in range(2))
    return Fits(video, masses, charges, problem.guess.start[video].copy(), measured.frames[video])


def _reference_costs(
    problem: Problem, hypotheses: Sequence[Hypothesis]
) -> tuple[dict[Hypothesis, float], tuple[float, ...]]:
    """The cost of each hypothesis, summed over the references; and the misfit of each reference's best fit."""
    members = problem.measured.members
    distinct: dict[tuple[int, VideoKey], Hypothesis] = {}
    for video, own in enumerate(members):
        for bodies in hypotheses:
            distinct.setdefault((video, video_key(bodies, own)), bodies)
    pairs = list(distinct)
    search = Search(problem, _fits(problem, [(video, distinct[video, key]) for video, key in pairs])).run()
    costs = dict.fromkeys(hypotheses, 0.0)
    misfits = []
    for video, own in enumerate(members):
        rows = [row for row, (number, _) in enumerate(pairs) if number == video]
        above = dict(zip((pairs[row][1] for row in rows), _above_best(search, np.array(rows)), strict=True))
        for bodies in hypotheses:
            costs[bodies] += above[video_key(bodies, own)]
        best = rows[int(search.costs[rows].argmin())]
        misfits.append(float(search.misfits[best].max()))
    return costs, tuple(misfits)


def _above_best(search: Search, rows: np.ndarray) -> np.ndarray:
    """[row]: costs of fits of one video above the lowest one, at most LARGEST_COST.

    Everyday objects that were perceived deviate more in some videos than in others, whatever the hypothesis is. So
    their costs are compared by ratio, as if the error of a video were not known.
    """
    if not search.problem.is_uncertain:
        costs = search.costs[rows]
        return np.asarray(np.minimum(costs - costs.min(), LARGEST_COST))
    costs = np.log(search.curves[rows].sum(axis=1) + FLOOR_COST)
    return np.asarray(np.minimum(COST_OF_RATIO * (costs - costs.min()), LARGEST_COST))
