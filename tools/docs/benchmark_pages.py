"""What the galleries show of each benchmark: its templates under their headings, from their docstrings."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from gallery_pages import Entry, Group
from phyq_departures import departures
from phyq_templates import rule_text

from tumble.phyq.catalogue import templates as phyq_templates
from tumble.phyq.catalogue.template import Template
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.catalogue.templates import NAMES, template

PHYRE_TEXT = """
The 50 templates of [PHYRE](../guides/phyre.md): 25 with one ball to place (tier B) and 25 with two (tier 2B). The
picture is a published task; the clip shows its stored solution, with the placed balls in red. The green body has to
touch the blue or purple one for three seconds. `tumble phyre show 00003:001 --solution --gif solved.gif` makes such a
clip. Lengths are shares of the scene's width unless pixels are named.
""".strip()

PHYQ_TEXT = """
The 75 templates of [Phy-Q](../guides/phyq.md) in 15 scenarios. The picture is a task; the clip shows its stored
shots, which kill all pigs. `tumble phyq show 6.4:003 --solution --gif won.gif` makes such a clip. Up to three pieces
on the ground are distractors, which the solution does not need. Departures from the published level name pieces by
their number before the change; each continues from the one before it.
""".strip()


def phyre_groups() -> Iterator[Group]:
    """The templates by tier."""
    for tier in TIERS:
        own = [template(key) for key in NAMES if template(key).tier == tier]
        entries = tuple(Entry(one.id, f"{one.id} {one.name}", one.description) for one in own)
        yield Group(f"Tier {tier}", "", entries)


def phyq_groups() -> Iterator[Group]:
    """The templates by scenario, each scenario with what the docstring of its file says."""
    files = {name.split("_")[1]: name for _, name, _ in pkgutil.iter_modules(phyq_templates.__path__)}
    for number, name in phyq_templates.SCENARIOS.items():
        file = import_module(f"{phyq_templates.__name__}.{files[f'{number:02d}']}")
        own = [design for design in phyq_templates.templates().values() if design.scenario == number]
        entries = tuple(
            Entry(design.id, f"Template {design.id}", design.description, phyq_notes(design)) for design in own
        )
        yield Group(f"Scenario {number}: {name}", _after_colon(file.__doc__ or ""), entries)


def phyq_notes(design: Template) -> dict[str, str]:
    """The rule of a template, and each departure from the published one: its reason, and pieces before and after."""
    listed = [f"- {why} {f'*{pieces}*' if pieces else ''}".rstrip() for why, pieces in departures(design)]
    return {"Rule": rule_text(design), "Departures": "\n".join(listed) or "None."}


def _after_colon(docstring: str) -> str:
    """The rest of the first paragraph of "Scenario 6, bouncing: the bird …", as a sentence."""
    text = " ".join(docstring.partition("\n\n")[0].partition(":")[2].split())
    return text[:1].upper() + text[1:]


GALLERIES = {
    "phyre": ("PHYRE: the templates", PHYRE_TEXT, phyre_groups),
    "phyq": ("Phy-Q: the templates", PHYQ_TEXT, phyq_groups),
}
"""By name: title, introduction, templates."""
