"""ComPhy's agents and models on generated questions, beside the published figures.

    python benchmarks/agents/comphy_models.py --data DIR [--world div] [--sets 1000] [--device cuda]
    python benchmarks/agents/comphy_models.py --data DIR --agents random frequent blind-lstm oracle simulation --blind

A dataset that is not there is generated, with a seed of today, and videos unless --blind; agents that learn are trained
on its train split. Runs are kept in --runs and resumed. Names of files end in the world, unless it is the plain one.
`comphy_perceiver.py` says what the perceiver sees in the same videos.
"""

import sys
from datetime import date
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from evaluated import results_of
from table import Results, arguments

from tumble.comphy import agents
from tumble.comphy.benchmark import COMPHY
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.result import ComPhyResult
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate

MODELS = ("see-and-simulate", "pcr", "cpl", "cpl-dpi", "shown", "random")
"""Those whose weights come with the package, and two without."""
COLUMNS = ("model", "given", "factual", "predictive", "per question", "counterfactual", "per question", "masses right")
COLUMNS += ("charges right", "sets", "must", "published")
"""Accuracies per option, unless they are per question."""
MUST = {
    (PLAIN.name, "see-and-simulate"): "91; 88/76; 82/55",
    (PLAIN.name, "pcr"): "75; 72; 64",
    (PLAIN.name, "shown"): "counterfactual at most 58",
    (PLAIN.name, "simulation"): "predictive 93, counterfactual 90",
    (PLAIN.name, "oracle"): "100",
    ("div", "see-and-simulate"): "80; 72; 68 (goal 90; 82; 80)",
    ("div", "pcr"): "66; 58; 58",
    ("div", "shown"): "counterfactual at most 58",
    **{("div", name): "-; 47 to 54; 47 to 54" for name in ("random", "frequent", "blind-lstm")},
    **{(PLAIN.name, name): "the published ones +- 6" for name in ("random", "frequent", "blind-lstm")},
}
"""Factual; predictive per option / question; counterfactual per option / question."""


def row(result: ComPhyResult, world: str) -> list[str]:
    """The cells of a run."""
    accuracies = []
    for kind in ("factual", "predictive", "counterfactual"):
        tally = result.kinds.get(kind)
        per_option, per_question = (tally.per_option, tally.per_question) if tally else (float("nan"),) * 2
        accuracies += [f"{per_option:.1f}"] + ([f"{per_question:.1f}"] if kind != "factual" else [])
    properties = dict.fromkeys(("both", "masses", "charges", "neither"), 0)
    for counts in result.correct_properties.values():
        for name, count in counts.items():
            properties[name] = properties.get(name, 0) + count
    inferred = sum(properties.values())
    right = [100.0 * (properties["both"] + properties[name]) / max(inferred, 1) for name in ("masses", "charges")]
    shown = [f"{share:.1f}" for share in right] if inferred else ["", ""]
    agent = result.spec.agent
    sets = str(len({mark.index for mark in result.marks}))
    return [agent, result.given, *accuracies, *shown, sets, MUST.get((world, agent), ""), published(agent, world)]


def published(agent: str, world: str) -> str:
    """The published accuracies of a model on a world, as factual; predictive; counterfactual; people's for ours."""
    tables = {**paper.TABLE_3, **paper.TABLE_5} if world == PLAIN.name else paper.TABLE_8
    known = tables["Human"] if agent == "see-and-simulate" else tables.get(paper.NAMES.get(agent, ""))
    if known is None:
        return ""
    pairs = [(known.predictive_per_option, known.predictive_per_question)]
    pairs.append((known.counterfactual_per_option, known.counterfactual_per_question))
    who = "people: " if agent == "see-and-simulate" else ""
    return f"{who}{known.factual or '-'}; " + "; ".join(f"{option}/{question}" for option, question in pairs)


def main() -> None:
    given = arguments(
        __doc__,
        data=Path("comphy-data"),
        agents=MODELS,
        world=PLAIN.name,
        sets=1000,
        limit=int,
        split="test",
        blind=False,
        runs=Path("comphy-runs"),
        device="cpu",
        seed=date.today().toordinal(),
    )
    if not Layout(given.data).sums.exists():
        one_split = None if any(agents.class_of(name).learns for name in given.agents) else given.split
        video = not given.blind
        generate(
            given.data, given.sets, given.seed, video=video, split=one_split, device=given.device, world=given.world
        )
    folder = str(given.data.resolve())
    specs = []
    for name in given.agents:
        settings = {"device": given.device} if "device" in agents.settings_of(agents.class_of(name)) else {}
        specs.append(ComPhyRunSpec(name, folder, given.split, settings=settings, limit=given.limit))
    results = Results(f"ComPhy, {given.world} world", given.device, COLUMNS)
    for result in results_of(COMPHY, specs, given.runs, "Sets", given.device):
        results.add_row(*row(result, given.world))
    name = "comphy-models-blind" if given.blind else "comphy-models"
    results.finish(name if given.world == PLAIN.name else f"{name}-{given.world}")


if __name__ == "__main__":
    main()
