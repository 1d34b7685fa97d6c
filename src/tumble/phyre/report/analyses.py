"""What the paper looks into: how many actions are ranked (figure 4), how strongly online agents learn (figure 5), and
how DQN is built (figure 6). Each only where there are runs that differ in it."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tumble.phyre.report.groups import Group, Series
from tumble.phyre.report.scores import mean_and_spread, setting_name
from tumble.report import Document
from tumble.report.figures import Line, Look, bars, lines

STRENGTHS = {
    "mem-o": ("mem", "weight"),
    "dqn-o": ("dqn", "updates_online"),
    "explorer-o": ("explorer", "updates_online"),
}
"""By online agent: its offline counterpart, and the setting that says how strongly it learns from a test task."""
BUILT = ("fusion", "hidden", "balanced")
BASELINE = {"fusion": "last", "hidden": [512], "balanced": True}

Family = list[tuple[float, Series]]
"""Series that differ in one thing only, with what it is."""


def add_ranked(document: Document, group: Group) -> None:
    """Figure 4."""
    panels: dict[str, list[Line]] = {}
    for setting in group.settings:
        families = [family for family in _families(group, "ranked", setting) if len(family) > 1]
        folds = _common_folds([one for family in families for _, one in family], setting)
        if not folds:
            continue
        drawn = [_line(family, setting, folds, Look(family[0][1].look.colour)) for family in families]
        for one in group.of_agent("rand"):  # independent draws rank nothing: a level
            if one.variant.values.get("ranked") == 0 and set(folds) <= set(one.folds(setting)):
                level = float(np.mean([one.auccess(setting)[fold] for fold in folds]))
                drawn.append(Line("RAND, independent draws", Look(one.look.colour, "dotted"), [0], [level]))
        panels[f"{setting_name(setting)}, {_counted(folds)}"] = drawn
    if panels:
        document.heading("How many actions are ranked", 3)
        svg = lines(panels, "actions ranked", "AUCCESS")
        document.figure(svg, "AUCCESS against the size of the action set; mean of the folds and standard deviation.")


def add_strength(document: Document, group: Group) -> None:
    """Figure 5."""
    for agent, (offline, name) in STRENGTHS.items():
        panels: dict[str, list[Line]] = {}
        values: list[float] = []
        chosen = {}
        for setting in group.settings:
            family = max(
                (f for f in _families(group, name, setting) if f[0][1].variant.agent == agent), key=len, default=[]
            )
            if len(family) > 1:
                base = next((one for one in group.of_agent(offline) if _is_offline(one, family[0][1], setting)), None)
                chosen[setting] = ([(0.0, base)] if base else []) + [pair for pair in family if pair[0] != 0]
                values += [value for value, _ in chosen[setting] if value not in values]
        values.sort()
        for setting, points in chosen.items():
            folds = _common_folds([one for _, one in points], setting)
            if folds:
                placed: Family = [(values.index(value), one) for value, one in points]
                look = Look(points[-1][1].look.colour)
                panels[f"{setting_name(setting)}, {_counted(folds)}"] = [_line(placed, setting, folds, look)]
        if panels:
            document.heading(f"How strongly {agent.upper()} learns online", 3)
            names = [f"{value:g}" if value else "offline" for value in values]
            svg = lines(panels, name.replace("_", " "), "AUCCESS", names)
            caption = f"AUCCESS of {agent.upper()} against what a test task weighs in its learning ({name})."
            document.figure(svg, caption)


def add_variants(document: Document, group: Group) -> None:
    """Figure 6."""
    panels: dict[str, list[Line]] = {}
    names: list[str] = []
    chosen = {}
    for setting in group.settings:
        found: dict[str, list[tuple[str, Series]]] = {}
        for one in group.of_agent("dqn"):
            values = one.variant.values
            if one.folds(setting) and all(name in values for name in BUILT):
                rest = {name: value for name, value in values.items() if name not in BUILT}
                found.setdefault(json.dumps(rest), []).append((_built(values), one))
        family = max(found.values(), key=len, default=[])
        if len(family) > 1:
            chosen[setting] = family
            names += [name for name, _ in family if name not in names]
    names.sort(key=lambda name: (name != "baseline", name))
    for setting, members in chosen.items():
        folds = _common_folds([one for _, one in members], setting)
        if folds:
            placed: Family = sorted(((names.index(name), one) for name, one in members), key=lambda pair: pair[0])
            panels[f"{setting_name(setting)}, {_counted(folds)}"] = [_line(placed, setting, folds, members[0][1].look)]
    if panels:
        document.heading("How DQN is built", 3)
        caption = "AUCCESS of variants of DQN: where the action comes in, the units of its encoder, balanced batches."
        document.figure(bars(panels, names, "AUCCESS"), caption)


def _families(group: Group, name: str, setting: str) -> list[Family]:
    """Series that differ only in one setting, in the order of its values."""
    found: dict[tuple[str, str | None, str], Family] = {}
    for one in group.series:
        values = one.variant.values
        value = values.pop(name, None)
        if isinstance(value, int | float) and one.folds(setting) and not (name == "ranked" and value == 0):
            key = (one.variant.agent, one.variant.source, json.dumps(values, sort_keys=True))
            found.setdefault(key, []).append((float(value), one))
    return [sorted(family, key=lambda pair: float(pair[0])) for family in found.values()]


def _is_offline(one: Series, online: Series, setting: str) -> bool:
    """Whether a series is the offline counterpart: equal in all settings that it has."""
    theirs = online.variant.values
    return bool(one.folds(setting)) and all(theirs.get(name) == value for name, value in one.variant.values.items())


def _common_folds(series: Sequence[Series], setting: str) -> list[int]:
    folds = [set(one.folds(setting)) for one in series]
    return sorted(set.intersection(*folds)) if folds else []


def _line(family: Family, setting: str, folds: Sequence[int], look: Look) -> Line:
    scores = [[one.auccess(setting)[fold] for fold in folds] for _, one in family]
    means, spreads = zip(*map(mean_and_spread, scores), strict=True)
    label = family[-1][1].variant.agent.upper()
    spread = None if None in spreads else spreads
    return Line(label, look, [float(x) for x, _ in family], means, spread)


def _counted(folds: Sequence[int]) -> str:
    return f"fold {folds[0]}" if len(folds) == 1 else f"{len(folds)} folds"


def _built(values: dict[str, Any]) -> str:
    """What a variant of DQN is called: in what it differs from the paper's."""
    words = {
        "fusion": f"fusion {values['fusion']}",
        "hidden": "encoder " + "x".join(map(str, values["hidden"])),
        "balanced": "no balancing",
    }
    changed = [words[name] for name in BUILT if values[name] != BASELINE[name]]
    return ", ".join(changed) or "baseline"
