"""All kinds of inputs."""

import fuzz_comphy_inputs as comphy_inputs
import fuzz_data_files as data_files
import fuzz_phyq_inputs as phyq_inputs
import fuzz_phyre_inputs as phyre_inputs
import fuzz_run_logs as run_logs
import fuzz_scenes as scenes
import fuzz_texts as texts
import fuzz_used_logs as used_logs
from fuzz_kind import Kind

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
