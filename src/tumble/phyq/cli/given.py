"""Shots as people type them."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.output import plural
from tumble.phyq.simulation.shots import Shot, ShotError
from tumble.phyq.tasks.level import Level

NAMES = {"tap": "tap_share", "tap_ms": "tap_ms", "delay": "delay"}
FORM = "a shot is an angle, perhaps a stretch, and tap=SHARE, tap_ms=MS or delay=S, as in 38,0.9,tap=0.6"


@dataclass(frozen=True)
class Given:
    """The options of a command, each as often as it was typed."""

    angles: Sequence[float]
    stretches: Sequence[float]
    tap_ms: Sequence[float]
    tap_shares: Sequence[float]
    delays: Sequence[float]
    shots: Sequence[str]

    def sequence(self) -> list[Shot]:
        """The shots that are meant."""
        others = {
            "stretch": self.stretches,
            "tap_ms": self.tap_ms,
            "tap_share": self.tap_shares,
            "delay": self.delays,
        }
        if self.shots:
            if self.angles or any(others.values()):
                raise ShotError("give whole shots with --shot, or --angle with its options, not both")
            return [shot_of(text) for text in self.shots]
        if not self.angles:
            raise ShotError("no shot: give --angle, or --shot")
        rows: list[dict[str, float]] = [{"angle": angle} for angle in self.angles]
        for name, values in others.items():
            if len(values) not in (0, 1, len(rows)):
                option = f"--{name.replace('_', '-')}"
                wanted = f"give it once, or once for each of {plural(len(rows), 'angle')}"
                raise ShotError(f"{option} is given {len(values)} times; {wanted}")
            for k, row in enumerate(rows):
                if values:
                    row[name] = values[k if len(values) > 1 else 0]
        return [Shot(**row) for row in rows]


def shot_of(text: str) -> Shot:
    """The shot of a text like "38,0.9,tap=0.6"; spaces may stand for commas."""
    plain: list[float] = []
    named: dict[str, float] = {}
    for part in text.replace(",", " ").split():
        name, equals, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            raise ShotError(f"{part!r} is no part of a shot; {FORM}") from None
        if not equals:
            plain.append(number)
        elif name in NAMES and NAMES[name] not in named:
            named[NAMES[name]] = number
        else:
            raise ShotError(f"{part!r} is no part of a shot; {FORM}")
    if not 1 <= len(plain) <= 2:
        raise ShotError(f"{text.strip()!r} is no shot; {FORM}")
    return Shot(*plain, **named)


def check_birds(level: Level, shots: int) -> None:
    """Refuse more shots than there are birds."""
    if shots > len(level.birds):
        raise ShotError(f"{shots} shots, but the level has {plural(len(level.birds), 'bird')}")
