"""All kinds of inputs."""

from fuzzing import comphy_inputs, data_files, phyq_inputs, phyre_inputs, run_logs, scenes, texts, used_logs
from fuzzing.kind import Kind

KINDS: tuple[Kind, ...] = (
    *scenes.KINDS,
    *phyre_inputs.KINDS,
    *phyq_inputs.KINDS,
    *comphy_inputs.KINDS,
    *run_logs.KINDS,
    *data_files.KINDS,
    *texts.KINDS,
    *used_logs.KINDS,
)
