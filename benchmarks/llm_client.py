"""PHYRE through inspect_ai, against a server on localhost; llm_server.py starts it, kills it and starts it again.

    python benchmarks/llm_client.py http://127.0.0.1:8000/v1 FOLDER '{"limit": 40, "attempts": 3}' --connections 10

Cached answers, logs and, at the end, scores.json go to the folder. A process that is started again with the same
arguments resumes from the cached answers.
"""

import argparse
import json
import os
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("selection", type=json.loads, help="a JSON object, as for `inspect eval tumble/phyre -T`")
    parser.add_argument("--connections", type=int, default=10)
    options = parser.parse_args()

    os.environ["INSPECT_CACHE_DIR"] = str(options.folder / "cache")  # before inspect_ai is loaded
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    from tumble.inspect_tasks.tasks import TASKS

    model = get_model("openai-api/scripted/person", base_url=options.url, api_key="none")
    (log,) = inspect_eval(
        TASKS["phyre"](**options.selection),
        model=model,
        display="none",
        log_dir=str(options.folder / "logs"),
        max_connections=options.connections,
    )
    if log.status != "success" or log.results is None:
        raise SystemExit(f"the evaluation ended with {log.status}: {log.error}")
    scores = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
    (options.folder / "scores.json").write_text(json.dumps(scores, indent=2))


if __name__ == "__main__":
    main()
