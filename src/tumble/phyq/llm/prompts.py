"""The texts of a dialogue about a level: the rules of the game, the level, and what to answer.

PROMPT_VERSION changes whenever any byte of any prompt, feedback or picture changes.
"""

from tumble.llm.prompt import Message, Part, Picture
from tumble.phyq.llm.scene_picture import scene_picture
from tumble.phyq.llm.scene_text import birds_text, scene_text, spent_text
from tumble.phyq.llm.settings import Settings
from tumble.phyq.observation.view import View, start
from tumble.phyq.tasks.level import Level

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

ANSWER = """\
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
    parts.append(ANSWER)
    if len(level.birds) > 1:
        parts.append(SEVERAL_BIRDS)
    return "\n\n".join(parts)


def opening(settings: Settings, level: Level) -> tuple[Message, ...]:
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
