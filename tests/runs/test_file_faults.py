"""Faults of the file system: logs and files that are written whole lose nothing that was acknowledged."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fault_shim
import pytest
from run_headers import header_of

ROBUSTNESS = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness"

pytestmark = pytest.mark.skipif(bool(fault_shim.missing()), reason=fault_shim.missing() or "it can be")

PROGRAM = """
import json, sys
from pathlib import Path
from fault_shim import armed, faults_of
from tumble.errors import TumbleError
from tumble.runs import log as run_log
from tumble.runs.header import RunHeader
from tumble.scene.files import whole_file

folder, header = Path(sys.argv[1]), RunHeader.model_validate_json(sys.argv[2])

def write_log(path, acknowledge):
    with run_log.open_log(path, header) as log:
        for index, task in enumerate("ab"):
            if task not in log.tasks:
                log.add_task(task, [{"attempt": 1, "action": [0.5], "status": -1, "steps": 3}])
            acknowledge(task)
        if not log.finished:
            log.finish()

def write_whole(path, acknowledge):
    for number in range(3):
        with whole_file(path) as partial:
            partial.write_text(f"{number}" * 10000)
        acknowledge(str(number))

def has_log(path, task):
    return task in run_log.read(run_log.finished_path(path) or path).tasks

def has_whole(path, number):
    text = path.read_text()
    return len(text) == 10000 and len(set(text)) == 1 and text[0] >= number

def check(name, fault, write, has):
    path, acknowledged = folder / f"{name} {fault}.jsonl", []
    path.parent.mkdir(exist_ok=True)
    problem, kinds = "", []
    try:
        with armed(folder, fault) as kinds:
            write(path, acknowledged.append)
    except (OSError, TumbleError) as error:
        if not str(error) or "\\n" in str(error):
            problem = repr(error)
    lost = [one for one in acknowledged if not has(path, one)]
    write(path, lambda _: None)
    return kinds, {"fault": f"{name}: {fault}", "problem": problem or ", ".join(lost), "made": bool(acknowledged)}

reports = []
for name, write, has in (("log", write_log, has_log), ("file", write_whole, has_whole)):
    kinds, _ = check(name, None, write, has)
    reports += [check(name, fault, write, has)[1] for fault in faults_of(kinds)]
print(json.dumps(reports))
"""


def test_no_fault_loses_an_attempt_or_leaves_a_half_file(tmp_path: Path) -> None:
    environment = {**os.environ, **fault_shim.with_library(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROBUSTNESS), *sys.path])
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "files"), header_of(task_count=2).model_dump_json()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reports = json.loads(done.stdout)
    assert len(reports) > 60
    assert [report for report in reports if report["problem"]] == []
    assert any(report["made"] for report in reports)


@pytest.mark.slow  # imports and warms up what jobs need
def test_jobs_survive_faults(tmp_path: Path) -> None:
    program = ROBUSTNESS / "file_faults.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for job in ("study", "sweep"):
        command = [sys.executable, str(program), "--jobs", job, "--faults", "12"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
