"""All kinds of inputs."""

from fuzzing import comphy_inputs, phyq_inputs, phyre_inputs, run_logs, scenes
from fuzzing.kind import Kind

KINDS: tuple[Kind, ...] = (
    *scenes.KINDS,
    *phyre_inputs.KINDS,
    *phyq_inputs.KINDS,
    *comphy_inputs.KINDS,
    *run_logs.KINDS,
)
