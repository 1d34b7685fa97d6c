"""A short `benchmarks/robustness/fuzz.py` with a fixed seed: every format is refused in words, or used well."""

import os
import runpy
import socket
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from all_formats import FORMATS
from formats import Format, Tally, judge
from fuzz import Batch, check_all
from mutation import mutated_bytes, mutated_json
from names import CANARY, make_canary, named_bytes, watched

from tumble.errors import LONGEST_MESSAGE, TumbleError

SEED = 23
QUICK = {"worlds": 60, "phyre-attempts": 20, "phyq-episodes": 0, "comphy-annotations": 12, "logs-in-use": 0}
"""Inputs of the slow kinds; of all others there are 60."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [kind for kind in FORMATS if QUICK.get(kind.name, 1)], ids=lambda kind: kind.name)
def test_inputs_are_refused_in_words_or_used_well(kind: Format, tmp_path: Path) -> None:
    if kind.missing():
        pytest.skip(f"{kind.missing()} is not installed")
    make_canary()
    for name in ("samples", "input"):
        (tmp_path / name).mkdir()
    kind.prepare(tmp_path / "samples")
    count = QUICK.get(kind.name, 60)
    tally = kind.verify(SEED, 0, count, tmp_path / "input")
    assert [str(finding) for finding in tally.findings] == []
    assert tally.inputs == count
    assert tally.accepted


SLOW = ("dqn-checkpoints", "inspect-logs", "phyre-solving-actions")
"""Kinds whose samples take seconds to make; they are made in the test above anyway."""


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] if kind.name in SLOW else [], id=kind.name) for kind in FORMATS],
)
def test_a_number_makes_the_same_input_again(kind: Format, tmp_path: Path) -> None:
    if kind.missing():
        pytest.skip(f"{kind.missing()} is not installed")
    kind.prepare(tmp_path)
    inputs = [kind.input(SEED, number) for number in range(8)]
    assert inputs == [kind.input(SEED, number) for number in range(8)]
    assert any(one != inputs[0] for one in inputs)


def test_mutations_change_something() -> None:
    rng = Random(1)
    text = b'{"a": [1, 2.5, "x"], "b": {"c": null}}'
    assert sum(mutated_bytes(rng, text) != text for _ in range(100)) > 90
    assert len({mutated_json(rng, {"a": [1, 2.5, "x"], "b": {"c": None}}) for _ in range(100)}) > 60


def refuse(message: str) -> None:
    raise TumbleError(message)


def fail() -> None:
    raise KeyError("anything else")


def test_what_an_input_makes_this_process_open_or_run_is_noticed(tmp_path: Path) -> None:
    make_canary()
    (tmp_path / "own.txt").write_text("x")
    for work, expected in (
        (lambda: (tmp_path / "own.txt").read_text(), None),
        (lambda: (tmp_path / "new.txt").write_text("x"), None),
        (lambda: (CANARY / "secret.txt").read_text(), "reads"),
        (lambda: (tmp_path / ".." / "beside.txt").write_text("x"), "writes"),
        (lambda: list(CANARY.iterdir()), "lists"),
        (lambda: runpy.run_path(str(CANARY / "evil.py")), "reads"),
        (lambda: socket.create_connection(("127.0.0.1", 9), 1.0).close(), "socket.getaddrinfo"),
    ):
        with watched(tmp_path) as touched, suppress(OSError, SystemExit):
            work()
        assert [text.split()[0] for text in touched[:1]] == ([] if expected is None else [expected])
    (tmp_path / ".." / "beside.txt").unlink()
    with watched(tmp_path) as touched:
        exec(compile((CANARY / "evil.py").read_text(), "elsewhere", "exec"), {})
    assert "the canary ran" in touched


def test_names_are_put_into_the_texts_of_any_file() -> None:
    rng = Random(3)
    for data in (b'{"a": [1, "x"], "b": null}', b'title = "x"\n', b"0001 some words \xff\x00 and others"):
        assert sum(named_bytes(rng, data) != data for _ in range(20)) > 15


def test_only_an_error_in_one_line_is_a_refusal() -> None:
    tally = Tally()
    judge("any", 0, lambda: refuse("x must be a number"), tally)
    judge("any", 1, lambda: None, tally)
    judge("any", 2, fail, tally)
    judge("any", 3, lambda: refuse(" "), tally)
    assert (tally.refused, tally.accepted, [finding.number for finding in tally.findings]) == (1, 1, [2, 3])
    assert "KeyError at test_fuzz.py" in tally.findings[0].problem


def test_errors_are_one_printable_line_whatever_they_quote() -> None:
    assert str(TumbleError("no body a\nb \ud800")) == "no body a b \\ud800"
    assert len(str(TumbleError("x" * 10_000))) == LONGEST_MESSAGE


class Broken(Format):
    """Ends the process at input 2, hangs at no other."""

    def __init__(self) -> None:
        super().__init__("broken", "", str, lambda _: ())

    def __reduce__(self) -> tuple[object, ...]:
        return Broken, ()

    def verify(self, seed: int, first: int, count: int, folder: Path) -> Tally:
        if first <= 2 < first + count:
            os._exit(11)
        return Tally(accepted=count)


@pytest.mark.slow
def test_an_input_that_ends_the_process_is_found_among_the_others() -> None:
    tallies: list[Tally] = []
    check_all([Batch(Broken(), 0, 4)], SEED, 1, 5.0, lambda batch, tally, seconds: tallies.append(tally))
    assert tallies[0].accepted == 3
    assert [str(finding) for finding in tallies[0].findings] == ["broken 2: crash: the process ended with code 11"]
