"""The 50 templates, one file each, and which of their tasks were published.

Every file has the same four names: ID, TIER, PARAMETERS (in the order of the combinations: the first changes slowest)
and `build`, which adds the bodies of one combination to a world. Its docstring is its documentation.
"""

from functools import cache
from importlib import import_module, resources

from tumble.phyre.catalogue.task import TemplateError
from tumble.phyre.catalogue.template import Template, template_of_module

NAMES = {
    "00000": "two_balls_apart",
    "00001": "ball_to_side_wall",
    "00002": "ball_past_ledge",
    "00003": "stick_in_vase",
    "00004": "keep_on_beam",
    "00005": "miss_the_jar",
    "00006": "jar_through_gap",
    "00007": "funnel_to_pad",
    "00008": "stairs_to_jar",
    "00009": "tip_off_platform",
    "00010": "valley_jar",
    "00011": "cliff_gap",
    "00012": "peg_rows",
    "00013": "peg_chains",
    "00014": "under_divider",
    "00015": "shallow_cradle",
    "00016": "ramp_launch",
    "00017": "ball_on_pole",
    "00018": "covered_ball_drop",
    "00019": "upper_ball_to_pad",
    "00020": "slot_in_wall",
    "00021": "bridge_to_jar",
    "00022": "ledge_over_jar",
    "00023": "plank_on_ball",
    "00024": "hole_and_rival",
    "00100": "rim_to_jar",
    "00101": "two_posts",
    "00102": "two_plates",
    "00103": "divided_pair",
    "00104": "avoid_twin_jars",
    "00105": "tilted_jars",
    "00106": "twin_catapults",
    "00107": "ledge_then_gap",
    "00108": "random_shelves",
    "00109": "ramp_over_wall",
    "00110": "twin_pedestals",
    "00111": "twin_trestles",
    "00112": "domino_floor",
    "00113": "high_cover",
    "00114": "stepped_pit",
    "00115": "twin_sticks",
    "00116": "lob_over_wall",
    "00117": "lever_flip",
    "00118": "sideways_jars",
    "00119": "plank_and_jar",
    "00120": "shelf_cascade",
    "00121": "twin_alleys",
    "00122": "hooked_sticks",
    "00123": "twin_chutes",
    "00124": "topple_trestle",
}
"""The name of each template, which is that of its file, by id."""


@cache
def template(id_or_name: str) -> Template:
    """A template by its id or its name.

    >>> template("peg_chains").id
    '00013'
    """
    ids = {name: key for key, name in NAMES.items()}
    key = ids.get(id_or_name, id_or_name)
    if key not in NAMES:
        raise TemplateError(f"no template {id_or_name!r}; there are 00000 to 00024 (B) and 00100 to 00124 (2B)")
    module = import_module(f"{__name__}.{NAMES[key]}")
    return template_of_module(module, NAMES[key], NAMES[key])


@cache
def published_numbers() -> dict[str, list[int]]:
    """The numbers of the 100 published tasks of each template, by its id."""
    text = resources.files("tumble.phyre").joinpath("data", "published_tasks.txt").read_text(encoding="ascii")
    return {key: [int(number) for number in numbers] for key, *numbers in map(str.split, text.splitlines())}
