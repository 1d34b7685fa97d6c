"""The 75 templates in 15 scenarios, one file for each scenario, numbered as in the paper.

A template's description is its documentation; pass rates and departures from the published levels are listed in
docs/reference/phyq-templates.md.
"""

from functools import cache
from importlib import import_module

from tumble.phyq.catalogue.template import Template, TemplateError

SCENARIOS = {
    1: "Single force",
    2: "Multiple forces",
    3: "Rolling",
    4: "Falling",
    5: "Sliding",
    6: "Bouncing",
    7: "Relative weight",
    8: "Relative height",
    9: "Relative width",
    10: "Shape difference",
    11: "Non-greedy actions",
    12: "Structural analysis",
    13: "Clearing paths",
    14: "Adequate timing",
    15: "Manoeuvring",
}
"""The paper's scenarios by number; the files of their templates are named after them."""


@cache
def templates() -> dict[str, Template]:
    """All templates by id, in the paper's order."""
    designs: dict[str, Template] = {}
    for number, name in SCENARIOS.items():
        file = f"scenario_{number:02d}_{name.lower().replace(' ', '_').replace('-', '_')}"
        designs |= {template.id: template for template in import_module(f"{__name__}.{file}").TEMPLATES}
    return designs


def template(template_id: str) -> Template:
    """The template of an id.

    >>> template("1.4").idea
    'The pig stands on the ground: hit it on the low or the high trajectory.'
    """
    if template_id not in templates():
        scenario = str(template_id).split(".")[0]
        siblings = ", ".join(key for key in templates() if key.split(".")[0] == scenario)
        hint = f"scenario {scenario} has {siblings}" if siblings else f"there are 1.1 to {list(templates())[-1]}"
        raise TemplateError(f"no template {template_id!r}; {hint}")
    return templates()[template_id]
