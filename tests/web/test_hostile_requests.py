"""A short version of `benchmarks/play/play_fuzz.py` with a fixed seed."""

import asyncio
from pathlib import Path

import pytest
from http_client import Answer
from play_fuzz import FUZZED_STUDY, attack_all, problem
from study_files import study_file

from tumble.benchmark import benchmark, open_study
from tumble.web.app import make_app
from tumble.web.options import WebOptions
from tumble.web.study_app import make_study_app
from web_server import running


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # connections that were cut off
def test_hostile_requests_are_refused_and_valid_ones_still_answered() -> None:
    with running(make_app(WebOptions(requests_per_second=1e6, burst=10**6))) as address:
        port = int(address.rpartition(":")[2])
        statuses, findings = asyncio.run(attack_all(port, 1800, seed=18))
    assert findings == []
    assert statuses[-1] == 8  # valid attempts, one for each client
    assert {200, 400, 404, 405, 413, 422} <= statuses.keys()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_hostile_requests_to_phyq_and_a_study_are_refused(tmp_path: Path) -> None:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    study = open_study(study_file(tmp_path, FUZZED_STUDY))
    for pages, app in (
        ("phyq", make_app(options, {"phyq": benchmark("phyq").pages()})),
        ("study", make_study_app(study, "a-token-of-a-test", options, is_open=True)),
    ):
        with running(app) as address:
            statuses, findings = asyncio.run(attack_all(int(address.rpartition(":")[2]), 1800, 18, pages))
        assert findings == []
        assert statuses[-1] == 8
        assert {200, 400, 404, 422} <= statuses.keys()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (Answer(500, {}, b""), "status 500"),
        (Answer(404, {}, b"no file /root/x"), "the answer has b'/root'"),
        (Answer(503, {}, b"busy"), ""),
        (Answer(422, {}, b"wrong"), ""),
    ],
)
def test_what_counts_as_a_finding(answer: Answer, found: str) -> None:
    assert problem(answer) == found
