"""The texts of a dialogue about a level: the rules, the level, what to answer, and what is told after shots and
attempts.

PROMPT_VERSION changes whenever any byte of any prompt, feedback or picture changes.
"""

from collections.abc import Sequence

from tumble.llm.puzzle import Message, Part, Picture
from tumble.output import plural
from tumble.phyq.catalogue.level import Level
from tumble.phyq.llm.pictures import scene_picture
from tumble.phyq.llm.scene_text import birds_text, digits, kind_words, object_words, place, scene_text, spent_text
from tumble.phyq.llm.settings import Settings
from tumble.phyq.llm.shot_report import Death, Hit, Miss, Moved, ShotReport
from tumble.phyq.observation.view import View, start
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot

PROMPT_VERSION = "phyq-1"

GAME = """\
You play a two-dimensional physics game with a slingshot. A level is won when all pigs are dead, and lost when no bird \
is left before that. An attempt is one try at the level with all its birds; the same shots always give the same result.

Lengths are in units, x to the right, y up; time in seconds; angles in degrees, counter-clockwise. Places are centres, \
sizes are width x height. The ground is at y = -3.5. What moves beyond x = -17.5 or x = 17.5 is removed; a removed pig \
is dead.

Flight: t seconds after the launch, until its first hit, a bird is at
x = x0 + power cos(angle) (10 t - 1)
y = y0 + power sin(angle) (10 t - 1) - 2.354 t (t + 0.02)
Gravity is 4.71 units/s² (9.81 for TNT and eggs). At power 1 the speed at the launch is 10 units/s, and a bird flies \
at most 21.6 units far before it hits the ground.

A hit does damage of about 5.6 x speed x mass of the attacker (11.2 for a bird that hits a block); what has lost its \
life is removed. Life of pigs: small 1 (nearly any hit or fall kills), medium 15, big 80. Mass per area: wood 1.5, ice \
0.75, stone 4, balls of any material and pigs 1; a red bird's mass is 0.64. Ice is slippery and weak, stone is strong. \
TNT explodes when it is hit (radius 2.5, damage up to 100). Platforms never move and can't be destroyed."""

PICTURE_KEY = """\
In pictures the grid has 1 unit, the numbers at the edges are x and y. Pigs are green and have letters, birds have \
their numbers in the queue. Wood is brown, ice light blue, stone grey; platforms are dark. Hills and clouds are \
background."""

ANSWER_FORM = """\
Answer with one JSON object for the next shot: {"angle": degrees above the horizontal to the right, -180 to 180, \
"power": 0.001 to 1, "tap": seconds after the launch or null}. A tap uses the bird's power; it works once the bird is \
2 units right of the slingshot and before its first hit."""

SEVERAL_BIRDS = """\
The next shot is made when everything is at rest, after you were told what happened. To shoot the next bird while \
things still move, add it to the same answer: {"angle": …, "power": …, "tap": …, "then": [{"angle": …, "power": …, \
"tap": …, "delay": seconds after the launch before}]}; a bird is launched no earlier than 0.1 s after the first hit \
of the one before."""


def system_text(settings: Settings, level: Level) -> str:
    """The rules of the game, and what to answer."""
    parts = [GAME]
    if settings.shows_pictures:
        parts.append(PICTURE_KEY)
    parts.append(ANSWER_FORM)
    if len(level.birds) > 1:
        parts.append(SEVERAL_BIRDS)
    return "\n\n".join(parts)


def opening_messages(settings: Settings, level: Level) -> tuple[Message, ...]:
    """The system message, and the first message of the user."""
    ask = f"Attempt 1 of {settings.attempts}. Your first shot?"
    seen = start(level)
    parts = (*level_parts(settings, level, seen, 0), ask)
    return Message("system", (system_text(settings, level),)), Message("user", parts)


def level_parts(settings: Settings, level: Level, view: View, shots: int) -> tuple[Part, ...]:
    """The level as it is after a number of shots of an attempt; what never moves is told before the first only."""
    lines = [birds_text(level, shots)]
    if settings.shows_text:
        lines += [scene_text(view.objects, platforms=not shots), spent_text(view.objects, level, shots)]
        lines += ["Platforms are as before."] if shots and level.platforms else []
    text = "\n".join(line for line in lines if line)
    if not settings.shows_pictures:
        return (text,)
    caption = "The level now" if shots else "The level at the start"
    return text, Picture(scene_picture(level, view, settings.picture_width), caption)


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
    words = [f"{_capitalised(object_words(one.victim, pigs))} died {_cause(one, pigs)}." for one in dead]
    words += [f"{_capitalised(object_words(one.victim, pigs))} exploded." for one in exploded]
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


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
