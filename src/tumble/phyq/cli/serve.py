"""`tumble phyq serve`: lets the original's clients play tasks."""

import asyncio
import signal
from contextlib import nullcontext
from pathlib import Path

from tumble.cli.options import split_list
from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.output import plural, print_line, reports_errors, spinner
from tumble.phyq.agents.agent import external_name
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.server.server import GameServer, Recorder

MOST_LEVELS = 500
"""Datalab exits when it is given a level of a higher number."""


@reports_errors
def serve(
    tasks: str,
    setting: str,
    host: str,
    port: int,
    runs: Path | None,
    agent: str,
    attempts: int,
    device: str,
) -> None:
    """Serves tasks to clients until it is stopped."""
    check_device(device)
    if runs is not None and not agent:
        raise TumbleError("name the agent whose attempts are recorded, as in --agent Datalab")
    named = tuple(split_list(tasks)) if tasks else ()
    name = external_name(agent or "client")
    spec = PhyQRunSpec(name, setting or ("tasks" if named else "broad"), named, attempts, device)
    with Recorder(spec, runs) if runs is not None else nullcontext() as recorder:
        with spinner("Preparing levels …"):
            levels = [cached_task(task_id) for task_id in spec.task_ids()]
            server = GameServer(levels, attempts, recorder, print_line, device)
        if len(levels) > MOST_LEVELS:
            print_line(f"Datalab and its relatives exit at levels above {MOST_LEVELS}; serve fewer tasks to them.")
        asyncio.run(_run(server, host, port))
        if recorder is not None:
            logs = ", ".join(map(str, recorder.paths))
            print_line(f"Stopped; {plural(recorder.attempts, 'attempt')} recorded in {logs}.")
        else:
            print_line("Stopped; no attempt was recorded, for lack of --runs.")


async def _run(server: GameServer, host: str, port: int) -> None:
    """Runs the server until SIGINT (Ctrl-C) or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        used = await server.start(host, port)
        print_line(f"Serving {plural(len(server.levels), 'level')} on {host}:{used}; stop with Ctrl-C.")
        await stop.wait()
    finally:
        await server.close()
