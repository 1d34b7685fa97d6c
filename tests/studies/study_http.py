"""The server of `tumble study serve` as a process, with the requests of participants, for study_kills.py."""

import http.client
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tumble.benchmark import benchmark
from tumble.studies.store import task_order
from tumble.studies.study import read_study
from tumble.web.study_service import tag_of_participant

ANSWER_SECONDS = 120.0
LOST = (OSError, http.client.HTTPException)


@dataclass
class HttpServer:
    """Answers the requests that `study_kills.Server` does, over HTTP, by the command."""

    file: Path
    killed: Callable[[], Exception]
    """Makes the error of a request that the server did not answer."""
    kills: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    process: "subprocess.Popen[str] | None" = None

    def __post_init__(self) -> None:
        study = read_study(self.file).study
        tasks = benchmark(study.benchmark).study_tasks(study.tasks, study.attempts)
        self._order = lambda number: [*study.practice, *task_order(tasks.ids, study.order, study.seed, number)]
        self._orders: dict[str, list[str]] = {}

    def ask(self, request: dict[str, Any], kill: str = "", delay: float = 0.0) -> Any:
        """The answer to a request; with `kill`, the process is killed after a delay, whatever it is doing then."""
        if self.process is None:
            self._start()
        if request["ask"] == "begin":
            code = self._send("POST", "begin", {})[1]
            self._orders[code] = self._order(len(self._orders))
            return code
        code = request["code"]
        if request["ask"] == "next":
            step = self._send("GET", "step", None, code, kill, delay)[0]
            return {**step, "task": self._orders[code][step["position"]]} if "task" in step else step
        position, attempt, part, action = request["move"]
        place = {"participant": tag_of_participant(code), "position": position, "attempt": attempt}
        if part == 1 and not kill:
            self._send("POST", "seen", place, code)
        move = {**place, "part": part, "action": action, "touched_ms": 10.0, "released_ms": 20.0}
        answer = self._send("POST", "attempts", move, code, kill, delay)[0]
        return answer.get("recorded", {"error": "ConflictError"})

    def _send(
        self, method: str, path: str, body: Any, code: str = "", kill: str = "", delay: float = 0.0
    ) -> tuple[Any, str]:
        """The answer as JSON, and the code of its cookie; statuses other than 200 and 409 are errors of this test."""
        assert self.process is not None
        connection = http.client.HTTPConnection("localhost", self._port, timeout=ANSWER_SECONDS)
        try:
            headers = {"Cookie": f"study={code}", "Content-Type": "application/json"}
            connection.request(method, f"/study/api/{path}", None if body is None else json.dumps(body), headers)
            if kill:
                time.sleep(delay)
                self._kill()
            response = connection.getresponse()
            content = json.loads(response.read())
        except LOST:
            if not kill:
                raise SystemExit(f"the server does not answer: {self.process.poll()}") from None
            raise self.killed() from None
        finally:
            connection.close()
        if response.status not in (200, 409):
            raise SystemExit(f"{path}: {response.status} {content}")
        return content, (response.getheader("Set-Cookie") or "").partition("=")[2].partition(";")[0]

    def _kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        if self.process.wait() != -signal.SIGKILL:
            raise SystemExit(f"the server ended by itself, with {self.process.returncode}")
        self.kills["of the server over HTTP"] += 1
        self.stop()

    def _start(self) -> None:
        command = [sys.executable, "-m", "tumble", "study", "serve", str(self.file), "--port", "0", "--no-open"]
        self.process = subprocess.Popen([*command, "--anyone"], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line.startswith("Study at "):
            raise SystemExit(f"the server did not start: {line}")
        self._port = int(line.split()[2].removesuffix("/study/").rpartition(":")[2])
        self.restarts += 1

    def stop(self) -> None:
        """Ends the process, and waits for its end."""
        if self.process is not None:
            self.process.kill()
            with self.process:
                pass
        self.process = None
