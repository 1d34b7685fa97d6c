"""The page docs/reference/phyq-templates.md: rules, pass rates and kinds of departures of all 75 templates.

python tools/docs/phyq_templates.py

Run it when a template or one of its figures has changed: the page is kept in the repository, and a test compares it
with the templates. The figures are those of benchmarks/results/phyq-agents-local-*.csv and phyq-fixed-angles*.csv;
without these files their cells are empty. Of tables from several machines the last by name is used.
"""

import csv
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phyq_departures import kinds, percent, what
from result_tables import row

from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.templates import SCENARIOS, templates
from tumble.phyq.evaluation.published_results import LOCAL, LOCAL_AGENTS
from tumble.phyq.generation.checks import BLOCK_SIZE, FIXED_ANGLE_CAP, UNCAPPED_SCENARIOS
from tumble.phyq.report.scores import PUBLISHED
from tumble.scene.files import whole_file

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "phyq-templates.md"
RESULTS = ROOT / "benchmarks" / "results"
AGENTS = ("pig_shooter", "datalab_style", "eagles_wing_style", "bambirds_style", "random")
MISSING = "-"

INTRODUCTION = """
# Phy-Q: the templates, their rules and what we changed

Every template has the published level, with changes where that level does not ask for its rule in our physics.
[The guide](../guides/phyq.md#templates-and-tasks) says how tasks are accepted; the gallery of the site shows the idea,
a task and a solution of each template. The page is written by `python tools/docs/phyq_templates.py`.
""".strip()

RATES = """
## Pass rates

Per cent of attempts at tasks 80 to 99 (the setting `local`), published/ours. Ours are `pig_shooter`, which shoots as
the published program does; `datalab_style`, `eagles_wing_style` and `bambirds_style`, which are [agents of our
own](../guides/phyq-agents.md#built-in-agents); and `random`, for which the paper has no rates by template. Pig
Shooter's published attempts ended at the first pass, which overstates its rates. The best fixed angle is the one that
wins most of the 100 tasks when every bird repeats it. What each was given is [beside their scores](phyq-results.md).
""".strip()

RULES = """
## Rules

Numbers are those of the pieces in our level, from 0, with what they are at their first place; sizes are width and
height in world units.
""".strip()

DEPARTURES = """
## Departures

Every departure, with its reason and the pieces before and after it, stands beside the template in the gallery of the
site (`make docs`). `phyq.template("3.4")` has them as data: `changes`, each with its reason `why`, `variation_change`,
`direct_shots_may_win` and `fixed_angle_cap`.

| word | departure |
| --- | --- |
| level | pieces were moved, replaced, added or removed |
| range | tasks are drawn from other ranges than the published ones |
| direct | shots straight at a pig may win; in the other templates from scenario 3 on they may not |
| cap | a fixed angle may win this share of the tasks of a block |
""".strip()


@dataclass(frozen=True)
class Figures:
    """What was measured: our pass rates in per cent by (agent, template), and the best fixed angles by template."""

    rates: Mapping[tuple[str, str], float] = field(default_factory=dict)
    angles: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()


def read_figures(folder: Path) -> Figures:
    """The figures of the tables in a folder, as far as they are there."""
    rates, angles, sources = {}, {}, []
    for line in _last_table(folder, "phyq-agents-local*.csv", sources):
        found = re.fullmatch(r"(\w+), (\d+\.\d+), %", line["figure"])
        if found:
            rates[found[1], found[2]] = float(line["value"])
    for line in _last_table(folder, "phyq-fixed-angles*.csv", sources):
        angles[line["figure"]] = line["value"].replace(" degrees", "°").replace("%", " %")
    return Figures(rates, angles, tuple(sources))


def page(figures: Figures) -> str:
    """The whole page."""
    return "\n\n".join([INTRODUCTION, RATES, summary(figures), DEPARTURES, counts(), rules()]) + "\n"


def counts() -> str:
    """How many templates depart from the published ones, and how."""
    words = [kinds(design).split(", ") for design in templates().values()]
    number = {word: sum(word in own for own in words) for word in ("level", "range", "direct")}
    kept = sum(own == [""] for own in words)
    free = ", ".join(map(str, UNCAPPED_SCENARIOS))
    return textwrap.fill(
        f"Elsewhere an angle that every bird repeats may win {percent(FIXED_ANGLE_CAP)} of the {BLOCK_SIZE} tasks of a "
        f"block (scenarios {free}: any share). {kept} of {len(words)} templates have no departure. {number['level']} "
        f"have a changed level, {number['range']} other ranges; in {number['direct']} direct shots may win.",
        120,
    )


def summary(figures: Figures) -> str:
    """The table of all templates with published and our rates."""
    names = [PUBLISHED[agent] for agent in AGENTS]
    head = ["template", *(name if name in LOCAL_AGENTS else "random, ours" for name in names), "best fixed angle"]
    lines = [
        [key, *(_pair(figures, agent, [key]) for agent in AGENTS), figures.angles.get(key, MISSING), kinds(design)]
        for key, design in templates().items()
    ]
    mean = ["mean", *(_pair(figures, agent, list(templates())) for agent in AGENTS), "", ""]
    measured = " and ".join(f"`{source}`" for source in figures.sources) or "not measured yet"
    return f"{_table([*head, 'departures'], [*lines, mean])}\n\nOurs: {measured}."


def rules() -> str:
    """The rules by scenario, templates of one rule as one."""
    lines = []
    for number, name in SCENARIOS.items():
        named: dict[str, list[str]] = {}
        for design in templates().values():
            if design.scenario == number:
                named.setdefault(rule_text(design), []).append(design.id)
        lines += [[f"{name}: {', '.join(keys)}", rule] for rule, keys in named.items()]
    return f"{RULES}\n\n{_table(['templates', 'rule'], lines)}"


def rule_text(design: Template) -> str:
    """The rule of a template in words, with runs of numbers shortened, and what the pieces in it are."""
    words = [] if design.rule is None else [with_pieces(shortened(str(design.rule)), design)]
    if design.direct_shots_must_win:
        words.append("a shot straight at the pig, low or high, wins")
    return "; ".join(words) or "none"


def shortened(rule: str) -> str:
    """The text of a rule with lists of one kind of body shortened.

    >>> shortened("a bird touches block 1, block 2, block 3 or block 7, then pig 0 dies")
    'a bird touches block 1 to 3 or 7, then pig 0 dies'
    """
    return re.sub(r"\b([a-z]+) \d+(?:(?:, | or )\1 \d+)+", _shortened_list, rule)


def with_pieces(rule: str, design: Template) -> str:
    """A rule with what its blocks and platforms are, as in: a bird touches block 0 (wood circle), then …"""
    for kind, pieces in (("block", design.base.blocks), ("platform", design.base.platforms)):
        for number, piece in enumerate(pieces):
            rule = re.sub(rf"\b{kind} {number}\b(?!,? (?:or|to|\d))", rf"\g<0> ({what(piece)})", rule, count=1)
    return rule


def _shortened_list(found: re.Match[str]) -> str:
    words = _runs(sorted(map(int, re.findall(r"\d+", found[0]))))
    return f"{found[1]} {', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else f"{found[1]} {words[0]}"


def _runs(numbers: Iterable[int]) -> list[str]:
    """Sorted numbers as words, with three or more in a row as one: 1 to 3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [word for run in runs for word in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]


def _pair(figures: Figures, agent: str, keys: list[str]) -> str:
    """Published and our mean rate over templates; only ours if there are no published rates."""
    measured = [figures.rates[agent, key] for key in keys if (agent, key) in figures.rates]
    own = f"{sum(measured) / len(measured):.0f}" if len(measured) == len(keys) else MISSING
    if PUBLISHED[agent] not in LOCAL_AGENTS:
        return own
    column = LOCAL_AGENTS.index(PUBLISHED[agent])
    return f"{100.0 * sum(LOCAL[key][column] for key in keys) / len(keys):.0f}/{own}"


def _table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = list(head)
    return "\n".join([row(head), row(["---"] * len(head)), *(row(list(line)) for line in lines)])


def _last_table(folder: Path, pattern: str, sources: list[str]) -> list[dict[str, str]]:
    """The rows of the last file that fits, whose name is added to the sources; none without a file."""
    files = sorted(folder.glob(pattern))
    if not files:
        return []
    sources.append(files[-1].name)
    with files[-1].open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def main() -> None:
    """Writes the page."""
    with whole_file(PAGE) as partial:
        partial.write_text(page(read_figures(RESULTS)), encoding="utf-8")
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
