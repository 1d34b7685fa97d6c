"""Parses shots from command-line options and from typed text."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.output import plural
from tumble.phyq.simulation.shots import Shot, ShotError
from tumble.phyq.tasks.level import Level

FIELDS = {"tap": "tap_share", "tap_ms": "tap_ms", "delay": "delay"}
SYNTAX = "a shot is ANGLE[,STRETCH][,tap=SHARE][,tap_ms=MS][,delay=S], as in 38,0.9,tap=0.6"


@dataclass(frozen=True)
class ShotOptions:
    """The values of the options of `tumble phyq shoot`, each of which may be repeated."""

    angles: Sequence[float]
    stretches: Sequence[float]
    tap_ms: Sequence[float]
    tap_shares: Sequence[float]
    delays: Sequence[float]
    shots: Sequence[str]

    @property
    def is_given(self) -> bool:
        """Whether any option is given."""
        return any((self.angles, self.stretches, self.tap_ms, self.tap_shares, self.delays, self.shots))

    def parse(self) -> list[Shot]:
        """The shots, one for each --shot or --angle."""
        others = {
            "stretch": self.stretches,
            "tap_ms": self.tap_ms,
            "tap_share": self.tap_shares,
            "delay": self.delays,
        }
        if self.shots:
            if self.angles or any(others.values()):
                raise ShotError("give complete shots with --shot, or --angle with its options, not both")
            return [parse_shot(text) for text in self.shots]
        if not self.angles:
            raise ShotError("no shot: give --angle or --shot")
        rows: list[dict[str, float]] = [{"angle": angle} for angle in self.angles]
        for name, values in others.items():
            if len(values) not in (0, 1, len(rows)):
                option = f"--{name.replace('_', '-')}"
                expected = f"give it once, or once for each of {plural(len(rows), 'angle')}"
                raise ShotError(f"{option} is given {len(values)} times; {expected}")
            for k, row in enumerate(rows):
                if values:
                    row[name] = values[k if len(values) > 1 else 0]
        return [Shot(**row) for row in rows]


def parse_shot(text: str) -> Shot:
    """The shot of a text like "38,0.9,tap=0.6" or "38 0.9 tap=0.6"."""
    positional: list[float] = []
    fields: dict[str, float] = {}
    for part in text.replace(",", " ").split():
        name, equals, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            raise ShotError(f"{part!r} is not part of a shot; {SYNTAX}") from None
        if not equals:
            positional.append(number)
        elif name in FIELDS and FIELDS[name] not in fields:
            fields[FIELDS[name]] = number
        else:
            raise ShotError(f"{part!r} is not part of a shot; {SYNTAX}")
    if not 1 <= len(positional) <= 2:
        raise ShotError(f"{text.strip()!r} is not a shot; {SYNTAX}")
    return Shot(*positional, **fields)


def check_shot_count(level: Level, shots: int) -> None:
    """Raises ShotError if there are more shots than birds."""
    if shots > len(level.birds):
        raise ShotError(f"{shots} shots, but the level has {plural(len(level.birds), 'bird')}")
