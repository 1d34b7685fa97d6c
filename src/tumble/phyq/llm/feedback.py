"""What a model is told after its shots, and after an attempt."""

from collections.abc import Sequence

from tumble.output import plural
from tumble.phyq.llm.shot_report import Death, Hit, Miss, Moved, ShotReport
from tumble.phyq.llm.words import digits, kind_words, object_words, place
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.level import Level

MOST_MOVED = 4
"""Moved pieces that are told of each shot."""
MOST_DESTROYED = 6
"""Destroyed blocks that are told of each shot with their places."""
TOUCHED = 0.02
"""Units between a bird and a pig below which the bird touched it."""


def shots_text(reports: Sequence[ShotReport], shots: Sequence[Shot], level: Level) -> str:
    """What the shots of an answer did, a paragraph for each."""
    return "\n".join(_shot_text(report, shots[report.number], level) for report in reports)


def _shot_text(report: ShotReport, shot: Shot, level: Level) -> str:
    parts = [
        _shot_words(report, shot),
        _flight_words(report, shot, len(level.pigs)),
        *_death_words(report.deaths, len(level.pigs)),
        *_moved_words(report.moved, len(level.pigs)),
        *_miss_words(report.nearest),
    ]
    return " ".join(parts)


def _shot_words(report: ShotReport, shot: Shot) -> str:
    words = f"Shot {report.number + 1} ({report.colour}, angle {digits(shot.angle)}, power {digits(shot.stretch, 3)}"
    if shot.tap_ms is not None:
        words += f", tap {digits(shot.tap_ms / 1000.0)}"
    if shot.delay is not None:
        words += f", delay {digits(shot.delay)}"
    return f"{words}):"


def _flight_words(report: ShotReport, shot: Shot, pigs: int) -> str:
    words = f"the bird rose to {place(*report.highest)}"
    if report.tapped is not None:
        words += f", its tap worked at {digits(report.tapped)} s"
    elif shot.tap_ms is not None and report.colour != "red":
        words += ", its tap had no effect"
    hit = report.first_hit
    if hit is None:
        return f"{words}; it hit nothing{_end_words(report)}."
    subject = _hitting(report, hit)
    words += (
        f"; at {digits(hit.seconds)} s {subject} first hit {object_words(hit.other, pigs)} near {place(*hit.point)}"
    )
    return f"{words} with {digits(hit.speed, 1)} units/s{_end_words(report)}."


def _hitting(report: ShotReport, hit: Hit) -> str:
    if hit.bird.kind == "egg":
        return "its egg"
    return "one of its three parts" if report.colour == "blue" and report.tapped is not None else "it"


def _end_words(report: ShotReport) -> str:
    """Where the bird ended, unless it split or exploded."""
    if report.colour == "black" or (report.colour == "blue" and report.tapped is not None):
        return ""
    return f"; the bird ended at {place(*report.last_place)}"


def _death_words(deaths: Sequence[Death], pigs: int) -> list[str]:
    dead = [one for one in deaths if one.victim.kind == "pig"]
    exploded = [one for one in deaths if one.victim.kind == "tnt"]
    blocks = [one for one in deaths if one.victim.kind == "block"]
    words = [f"{_capital(object_words(one.victim, pigs))} died {_cause(one, pigs)}." for one in dead]
    words += [f"{_capital(object_words(one.victim, pigs))} exploded." for one in exploded]
    if blocks:
        named = [object_words(one.victim, pigs) for one in blocks[:MOST_DESTROYED]]
        more = len(blocks) - len(named)
        words.append(f"Destroyed: {', '.join(named)}{f' and {more} more' if more else ''}.")
    return words


def _cause(death: Death, pigs: int) -> str:
    at = f"at {digits(death.seconds)} s"
    if death.left_world:
        return f"by leaving the world {at}"
    if death.explosion:
        source = death.cause
        return f"by the explosion of {kind_words(source) if source else 'a bird'} {at}"
    if death.cause is None:
        return f"by hitting the ground {at}"
    cause = death.cause
    name = object_words(cause, pigs) if cause.kind in ("pig", "bird", "egg") else kind_words(cause)
    return f"from a hit with {name} {at}"


def _moved_words(moved: Sequence[Moved], pigs: int) -> list[str]:
    if not moved:
        return ["Nothing else moved."]
    named = [f"{object_words(one.before, pigs)} to {place(one.after.x, one.after.y)}" for one in moved[:MOST_MOVED]]
    more = len(moved) - len(named)
    return [f"Moved: {', '.join(named)}{f' and {more} more' if more else ''}."]


def _miss_words(nearest: Miss | None) -> list[str]:
    if nearest is None:
        return []
    pig = object_words(nearest.pig, nearest.pig.number + 1)
    at = f"at {place(*nearest.point)}, {digits(nearest.seconds)} s after the launch"
    if nearest.distance < TOUCHED:
        return [f"It touched {pig} {at}, without killing it."]
    return [f"Its nearest distance to a living pig was {digits(nearest.distance)} to {pig}, {at}."]


def end_text(made: Attempt, number: int, attempts: int) -> str:
    """How an attempt ended, and that the level starts again."""
    if made.won:
        return f"Attempt {number} of {attempts}: the level is won."
    return f"Attempt {number} of {attempts} is lost with {plural(made.pigs_left, 'pig')} left{_time_words(made)}."


def simulated_text(made: Attempt, level: Level) -> str:
    """How the level would be after the shots of a simulation."""
    if made.won:
        return "Simulation: the level would be won."
    pigs = plural(made.pigs_left, "pig")
    if made.status == "open":
        birds = plural(len(level.birds) - len(made.shots), "bird")
        return f"Simulation: when everything is at rest, {pigs} and {birds} would be left:"
    return f"Simulation: the attempt would be lost with {pigs} left{_time_words(made)}."


def _time_words(made: Attempt) -> str:
    return ", as time ran out" if made.status == "cap" else ""


def restart_text(number: int, attempts: int) -> str:
    """Asks for the first shot of a further attempt."""
    return f"The level starts again as it was at first. Attempt {number} of {attempts}. Your first shot?"


def next_text(birds_left: int, pigs_left: int) -> str:
    """Asks for a further shot of an attempt."""
    return f"Everything is at rest: {plural(pigs_left, 'pig')} and {plural(birds_left, 'bird')} left. Your next shot?"


def unread_text(number: int, attempts: int) -> str:
    """Tells that an attempt is lost because an answer was no shot."""
    return f"The answer could not be read, so that attempt {number} of {attempts} is lost."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
