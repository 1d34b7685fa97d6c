"""What of a log is shown or given away: no folders, secrets or codes of participants, and no control characters."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from run_headers import header_of

from tumble.output import REMOVED, console, public, public_text
from tumble.runs.log import Log, LogError, open_log, read
from tumble.runs.public import public_log, without_private, write_public
from tumble.runs.spec import RunSpec

ROW = {"attempt": 1, "action": [0.5], "status": -1, "steps": 10}
PRIVATE = {
    "spec": {"agent": "/home/bob/nets/mine.py:Mine", "seed": 3, "data": "/home/bob/comphy", "settings": {}},
    "agent_settings": {"checkpoint": "nets/bob/last.pt", "base_url": "https://bob:s3cret@host:8/v1?key=s3cret"},
    "details": {"participant": "bobs3cret", "pools": ["~bob/a/b.npz"], "api_key": "s3cret", "max_tokens": 5},
}


def log(folder: Path, **header: Any) -> Log:
    with open_log(folder / "a.jsonl", header_of(**header)) as made:
        made.add_task("task", [ROW], "unreadable files: /home/bob/comphy/3.json: no such file")
        made.finish()
    return made


def test_nothing_private_is_left_in_a_log_that_is_given_away(tmp_path: Path) -> None:
    cleaned = public_log(log(tmp_path, **PRIVATE))
    text = str((cleaned.header, cleaned.given_up))
    assert "bob" not in text
    assert "s3cret" not in text
    assert cleaned.header.agent == "mine.py:Mine"
    assert cleaned.header.agent_settings == {"checkpoint": "last.pt", "base_url": "https://host:8/v1"}
    assert cleaned.header.details == {"pools": ["b.npz"], "api_key": REMOVED, "max_tokens": 5}
    assert cleaned.given_up == {"task": "unreadable files: 3.json: no such file"}
    assert (cleaned.tasks, cleaned.header.spec["seed"]) == ({"task": [{"task": "task", **ROW}]}, 3)


def test_a_log_without_anything_private_stays_as_it_is(tmp_path: Path) -> None:
    plain = replace(log(tmp_path, details={"ranked": 5, "usage": {"input_tokens": 3}}), given_up={})
    assert without_private(plain) == plain
    assert public_log(plain) == plain


def test_a_copy_has_all_attempts_and_can_be_read(tmp_path: Path) -> None:
    made = log(tmp_path, **PRIVATE)
    write_public(made, tmp_path / "b.jsonl.gz")
    copy = read(tmp_path / "b.jsonl.gz")
    assert copy.finished
    assert (copy.header, copy.tasks, copy.given_up) == (
        without_private(made).header,
        made.tasks,
        without_private(made).given_up,
    )


def test_characters_that_steer_a_terminal_are_escapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = "\x1b[2J\u202ename\ud800"
    header = header_of(agent_settings={odd: odd}, spec={"agent": f"a.py:{odd}", "seed": 0})
    shown = public_log(replace(log(tmp_path), header=header))
    assert shown.header.agent == r"a.py:\x1b[2J\u202ename\ud800"
    assert list(shown.header.agent_settings.items()) == [(r"\x1b[2J\u202ename\ud800",) * 2]
    console().print(odd)
    assert capsys.readouterr().out == "\\x1b[2J\\u202ename\\ud800\n"


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    shown = public_log(log(tmp_path, machine="m" * 10_000, spec={"agent": f"a.py:{'x' * 1000}", "seed": 0}))
    assert len(shown.header.machine) == 300
    assert len(shown.header.agent_label) == 80


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ("C:\\Users\\Bob Smith\\a.pt", "net", "a.pt"),
        ("/home/bob smith/a b.pt", "net", "a b.pt"),
        ("../bob/a.pt", "net", "a.pt"),
        ("1/2", "ratio", "1/2"),
        ("openai/gpt-5.1", "model", "openai/gpt-5.1"),
        ("hf//home/bob/llama", "model", "hf/llama"),
        ("bob:pw@host/v1", "base_url", "host/v1"),
        ("https://bob:p/w@host/v1#x", "base_url", "https://host/v1"),
        ("6.4:017", "only", "6.4:017"),
        ("a / b", "text", "a / b"),
    ],
)
def test_values_keep_what_is_no_place(value: str, name: str, expected: str) -> None:
    assert public(value, name) == expected


def test_hostile_texts_take_no_time() -> None:
    for part in ("/a", "a:", "~", "a.", "\\\\", "://", "@a"):
        assert len(public_text(part * 100_000)) <= 2000
        public(part * 100_000, "path")


def test_a_header_with_values_of_wrong_types_is_refused_by_the_name_of_the_field() -> None:
    from tumble.phyre.evaluation.run_spec import PhyreRunSpec

    spec: RunSpec = PhyreRunSpec("rand", "ball_within_template")
    right = header_of(spec=spec.plain())
    assert PhyreRunSpec.from_header(right) == spec
    for name, value in (("seed", "1"), ("seed", True), ("settings", []), ("limit", 0.5), ("fold", 10**30)):
        wrong = header_of(spec={**spec.plain(), name: value})
        with pytest.raises(LogError, match=rf"spec\.{name}"):
            PhyreRunSpec.from_header(wrong)
