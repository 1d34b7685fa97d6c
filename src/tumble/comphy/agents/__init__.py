"""Agents that answer ComPhy's questions, by name; the command line calls them models, as the field does."""

from tumble.comphy.agents.agent import Agent, AgentInputError
from tumble.comphy.catalogue.task import Task
from tumble.runs.participant import AgentRegistry, settings_of

__all__ = ["AGENTS", "REGISTRY", "Agent", "AgentInputError", "Task", "class_of", "make", "settings_of"]

AGENTS = {
    "oracle": "oracle:Oracle",
    "shown": "oracle:Shown",
    "random": "guessing:Random",
    "frequent": "guessing:Frequent",
    "blind-lstm": "blind_lstm:BlindLSTM",
    "simulation": "simulation:Simulation",
    "pcr": "pcr:Pcr",
    "pcr-without-references": "pcr:PcrWithoutReferences",
    "pcr-without-imagination": "pcr:PcrWithoutImagination",
    "pcr-without-curriculum": "pcr:PcrWithoutCurriculum",
    "see-and-simulate": "see_and_simulate.agent:SeeAndSimulate",
    "cpl": "cpl:Cpl",
    "cpl-dpi": "cpl:CplDpi",
    "cnn-lstm": "baselines:CnnLstm",
    "cnn-lstm-ref": "baselines:CnnLstmRef",
    "hcrn": "baselines:Hcrn",
    "mac": "baselines:Mac",
    "mac-ref": "baselines:MacRef",
    "aloe": "baselines:Aloe",
    "aloe-ref": "baselines:AloeRef",
}
"""Module and class of each agent."""

REGISTRY = AgentRegistry(__name__, AGENTS, Agent, "answer(self, task)")
make, class_of = REGISTRY.make, REGISTRY.class_of
