"""A study over HTTP: what participants get, what they don't, and what the administrator sees."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from study_files import PHYQ, PHYRE, study_file, valid_actions

from tumble.benchmark import open_study
from tumble.phyq.catalogue.tasks import task as phyq_task
from tumble.phyq.generation.solutions import solution as phyq_solution
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.studies.export import export_study, read_records
from tumble.studies.store import Store
from tumble.studies.study import StudyFileError
from tumble.web.options import WebOptions
from tumble.web.study_app import MOST_ROWS, make_study_app

BASE = "http://localhost:8000"
TOKEN = "a token of sixteen".replace(" ", "-")
ADMIN = {"Authorization": f"Bearer {TOKEN}"}
TWO_TASKS = """
benchmark = "phyre"
title = "Balls"
attempts = 2
practice = ["00000:001"]
order = "listed"
consent = "Do you agree?"
thanks = "Thanks."
[tasks]
ids = ["00003:000", "00013:042"]
[[questions]]
id = "how"
text = "How was it?"
options = ["good", "bad"]
required = true
"""
TAPPED = """
benchmark = "phyq"
title = "Birds"
attempts = 1
practice = ["1.1:000", "15.1:060"]
[tasks]
setting = "tasks"
only = ["2.1"]
limit = 1
"""
YELLOW = "15.1:060"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_study(study_file(tmp_path, TWO_TASKS))


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(make_study_app(store, TOKEN), base_url=BASE) as client:
        yield client


class Person:
    """A participant who sends what the pages send."""

    def __init__(self, client: TestClient, code: str | None) -> None:
        self.client = client
        self.step = client.post("/study/api/begin", json={"code": code} if code else {}).json()

    def post(self, path: str, **body: Any) -> Any:
        return self.client.post(f"/study/api/{path}", json={"participant": self.step["participant"], **body})

    def load(self) -> dict[str, Any]:
        self.step = self.client.get("/study/api/step").json()
        return self.step

    def place(self) -> dict[str, int]:
        return {name: self.step[name] for name in ("position", "attempt", "part")}

    def attempt(self, action: list[float | None]) -> Any:
        return self.post("attempts", **self.place(), action=action, touched_ms=800.0, released_ms=1500.5)


def test_a_full_disk_is_an_error_that_tells_nothing_of_the_server(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(code: str | None = None) -> str:
        raise StudyFileError(28, "database or disk is full", "/srv/study.sqlite")

    monkeypatch.setattr(store, "begin", full)
    answer = client.post("/study/api/begin", json={"code": "abcdef"})
    assert answer.status_code == 503
    assert answer.json() == {"error": "the server can't store this just now; try again in a moment"}
    assert [record.message for record in caplog.records] == ["/srv/study.sqlite: database or disk is full"]


def test_a_whole_study(client: TestClient, store: Store, tmp_path: Path) -> None:
    (code,) = store.invite(1)
    person = Person(client, f" {code[:6].upper()} {code[6:]} ")
    assert person.step["kind"] == "consent"
    assert person.step["consent"] == "Do you agree?"
    person.step = person.post("consent").json()
    kinds = []
    while "task" in person.load():
        kinds.append((person.step["kind"], person.step["position"], person.step["attempt"]))
        assert person.post("seen", position=person.step["position"], attempt=person.step["attempt"]).status_code == 200
        task = store.order(0)[person.step["position"]]
        found = solution("00003:000") if task == "00003:000" else None
        made = person.attempt(valid_actions("phyre", task, 1)[0] if found is None else found.tolist())
        assert made.status_code == 200, made.json()
        assert made.json()["motion"]["frames"] == made.json()["steps"] + 1
        assert made.json()["solved"] is (found is not None)
    assert kinds == [("practice", 0, 1), ("practice", 0, 2), ("task", 1, 1), ("task", 2, 1), ("task", 2, 2)]
    assert [question["id"] for question in person.step["questions"]] == ["how"]
    assert person.post("answers", answers={"how": "great"}).status_code == 422
    done = person.post("answers", answers={"how": "good"}).json()
    assert (done["kind"], done["thanks"], done["code"]) == ("finished", "Thanks.", code)
    (record,) = read_records(store)
    assert record.finished
    attempt = record.counted[0].attempts[0]
    assert (attempt.touched_ms, attempt.released_ms) == ([800.0], [1500.5])
    assert attempt.seen is not None
    assert len(export_study(store, tmp_path / "runs")) == 1


def test_the_cookie_is_out_of_reach_and_nothing_else_is_stored(client: TestClient, store: Store) -> None:
    (code,) = store.invite(1)
    response = client.post("/study/api/begin", json={"code": code})
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"study={code};")
    for part in ("HttpOnly", "SameSite=strict", "Path=/study"):
        assert part in cookie
    assert code not in response.text


def test_opening_a_link_changes_nothing_until_the_page_begins(client: TestClient, store: Store) -> None:
    (code,) = store.invite(1)
    assert client.get(f"/study/{code}").status_code == 200
    assert client.get("/study/", params={"code": code}).status_code == 200
    assert read_records(store)[0].begun is None
    assert client.get("/", follow_redirects=False).headers["location"] == "/study/"


def test_nothing_that_helps_is_served(client: TestClient, store: Store) -> None:
    person = Person(client, store.invite(1)[0])
    person.post("consent")
    task = person.load()["task"]
    assert not {"id", "template", "idea", "solution", "next", "previous"} & task.keys()
    assert person.step["ghosts"] is False
    assert "00000" not in str({name: value for name, value in person.step.items() if name != "task"})
    for path in ("gallery", "tasks/00003:000", "tasks/00003:000/solution", "tasks/00003:000/agents"):
        assert client.get(f"/phyre/api/{path}").status_code == 404
    for path in ("/phyre/", "/phyre/00003:000", "/phyre/pictures/00003:000.svg", "/phyq/static/play.js"):
        assert client.get(path).status_code == 404
    assert client.post("/phyre/api/attempts", json={"task": "00003:000", "action": [0.5] * 3}).status_code == 404
    assert '<body class="play study">' in client.get("/study/task").text


def test_two_tabs_make_one_attempt(client: TestClient, store: Store) -> None:
    person = Person(client, store.invite(1)[0])
    person.post("consent")
    person.load()
    first, second = valid_actions("phyre", "00000:001", 2)
    made = person.attempt(first)
    again = person.attempt(first)
    assert again.json() == {**made.json(), "counted": False}
    behind = person.attempt(second)
    assert behind.status_code == 409
    assert "load the page again" in behind.json()["error"]
    assert person.post("seen", position=0, attempt=1).status_code == 409
    assert person.load()["attempt"] == 2


def test_a_page_of_another_participant_in_the_same_browser_is_refused(client: TestClient, store: Store) -> None:
    one, other = (Person(client, code) for code in store.invite(2))
    assert one.post("consent").status_code == 409
    assert other.post("consent").status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("begin", {"code": "abcdefghjkmn"}, 404),
        ("begin", {"code": "../../etc"}, 404),
        ("begin", {}, 422),
        ("begin", {"code": 7}, 422),
        ("consent", {"participant": "x"}, 409),
        ("attempts", {"participant": "x", "position": 0, "attempt": 1, "part": 1, "action": []}, 422),
        ("attempts", {"participant": "x", "position": 0, "attempt": 1, "part": 1, "action": [1e300]}, 422),
        ("attempts", {"participant": "x", "position": -1, "attempt": 1, "part": 1, "action": [0.5]}, 422),
        ("attempts", {"participant": "x", "position": 0, "attempt": 1, "part": 1, "action": ["0.5"]}, 422),
        ("answers", {"participant": "x", "answers": {"how": "x" * 1001}}, 422),
    ],
)
def test_wrong_requests_are_refused_in_words(client: TestClient, path: str, body: dict[str, Any], status: int) -> None:
    response = client.post(f"/study/api/{path}", json=body)
    assert response.status_code == status
    assert response.json()["error"]


def test_an_invalid_place_costs_no_attempt(client: TestClient, store: Store) -> None:
    person = Person(client, store.invite(1)[0])
    person.post("consent")
    person.load()
    refused = person.attempt([0.0, 0.0, 0.5])
    assert refused.status_code == 422
    assert "leaves the scene" in refused.json()["error"]
    assert person.attempt([0.5, 0.5]).status_code == 422
    assert person.load()["attempt"] == 1


def test_anyone_may_take_part_where_the_study_is_open(tmp_path: Path) -> None:
    store = open_study(study_file(tmp_path, PHYRE))
    with TestClient(make_study_app(store, TOKEN, is_open=True), base_url=BASE) as client:
        assert client.get("/study/api/step").json()["open"]
        assert Person(client, None).step["kind"] == "practice"
        assert len(read_records(store)) == 1


def test_the_administrator_needs_the_token_and_wrong_ones_do_not_lock_out_the_right_one(store: Store) -> None:
    with TestClient(make_study_app(store, TOKEN, WebOptions(wrong_tokens_per_minute=5)), base_url=BASE) as client:
        assert client.get("/study/admin").status_code == 200
        assert client.get("/study/api/admin", headers=ADMIN).status_code == 200
        for wrong in ("", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}", "Bearer \xe9"):
            refused = client.get("/study/api/admin", headers={"Authorization": wrong.encode("latin-1")})
            assert refused.status_code == 401
        slowed = client.post("/study/api/admin/codes", json={"count": 3})
        assert slowed.status_code == 429
        assert int(slowed.headers["retry-after"]) >= 1
        assert client.get("/study/api/admin", headers=ADMIN).status_code == 200
        assert read_records(store) == []


def test_the_administrator_enters_where_an_address_has_used_up_its_requests(store: Store) -> None:
    options = WebOptions(requests_per_second=0.001, burst=2)
    with TestClient(make_study_app(store, TOKEN, options), base_url=BASE) as client:
        statuses = [client.get("/study/api/admin").status_code for _ in range(4)]
        assert statuses == [401, 401, 429, 429]
        assert client.get("/study/api/admin", headers=ADMIN).status_code == 200


def test_each_participant_of_an_address_has_a_limit_of_requests_of_their_own(store: Store) -> None:
    codes = store.invite(3)
    options = WebOptions(requests_per_second=0.001, burst=3)
    with TestClient(make_study_app(store, TOKEN, options), base_url=BASE) as client:

        def steps(code: str) -> list[int]:
            return [client.get("/study/api/step", headers={"Cookie": f"study={code}"}).status_code for _ in range(4)]

        for code in codes:
            assert steps(code) == [200, 200, 200, 429]
        assert steps("abcdefghjkmn") == [200, 200, 200, 429]  # nobody's code: the limit of the address
        assert steps("bbcdefghjkmn") == [429] * 4


def test_a_code_that_was_invited_while_the_server_runs_gets_its_own_limit(store: Store) -> None:
    with TestClient(
        make_study_app(store, TOKEN, WebOptions(requests_per_second=0.001, burst=3)), base_url=BASE
    ) as client:
        (code,) = store.invite(1)
        assert client.post("/study/api/begin", json={"code": code}).status_code == 200
        statuses = [client.get("/study/api/step").status_code for _ in range(4)]
        assert statuses == [200, 200, 200, 429]
        client.cookies.clear()
        assert [client.get("/study/api/step").status_code for _ in range(3)] == [200, 200, 429]


def test_an_address_can_add_only_so_many_newcomers_to_an_open_study(tmp_path: Path) -> None:
    store = open_study(study_file(tmp_path, PHYRE))
    options = WebOptions(newcomers_per_minute=2)
    with TestClient(make_study_app(store, TOKEN, options, is_open=True), base_url=BASE) as client:
        answers = [client.post("/study/api/begin", json={}) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert client.post("/study/api/begin", json={"code": store.invite(1)[0]}).status_code == 200


@pytest.mark.parametrize(
    ("proxies", "proto", "is_secure"),
    [
        ((), "https", False),
        (("192.0.2.9",), "https", False),
        (("10.0.0.0/8",), "https", True),
        (("10.1.2.3",), "http, https", True),
        (("10.1.2.3",), "http", False),
    ],
)
def test_the_cookie_is_secure_behind_a_trusted_proxy_with_https(
    store: Store, proxies: tuple[str, ...], proto: str, is_secure: bool
) -> None:
    app = make_study_app(store, TOKEN, WebOptions(trusted_proxies=proxies))
    with TestClient(app, base_url=BASE, client=("10.1.2.3", 5000)) as client:
        begun = client.post("/study/api/begin", json={"code": store.invite(1)[0]}, headers={"X-Forwarded-Proto": proto})
        cookie = begun.headers["set-cookie"].lower()
        assert ("; secure" in cookie) is is_secure
        assert "httponly" in cookie
        assert "samesite=strict" in cookie


def test_the_cookie_is_secure_at_https(store: Store) -> None:
    with TestClient(make_study_app(store, TOKEN), base_url="https://localhost:8000") as client:
        begun = client.post("/study/api/begin", json={"code": store.invite(1)[0]})
        assert "; secure" in begun.headers["set-cookie"].lower()


def test_large_studies_are_shown_in_pages(client: TestClient, store: Store) -> None:
    codes = store.invite(MOST_ROWS + 30)
    for code in codes[: MOST_ROWS + 10]:
        store.begin(code)
    first = client.get("/study/api/admin", headers=ADMIN).json()
    assert [row["code"] for row in first["participants"]] == codes[:MOST_ROWS]
    assert (first["began"], first["unused_codes"], first["unused"]) == (MOST_ROWS + 10, 20, codes[MOST_ROWS + 10 :])
    rest = client.get("/study/api/admin", params={"first": MOST_ROWS}, headers=ADMIN).json()
    assert [row["code"] for row in rest["participants"]] == codes[MOST_ROWS : MOST_ROWS + 10]


def test_progress_is_that_of_the_report(client: TestClient, store: Store) -> None:
    made = client.post("/study/api/admin/codes", json={"count": 2}, headers=ADMIN).json()["codes"]
    person = Person(client, made[0])
    person.post("consent")
    person.load()
    person.post("give-up", position=0)
    person.load()
    found = solution("00003:000")
    assert found is not None
    person.attempt(found.tolist())
    seen = client.get("/study/api/admin", headers=ADMIN).json()
    assert (seen["title"], seen["tasks"], seen["finished"], seen["unused"]) == ("Balls", 2, 0, [made[1]])
    (row,) = seen["participants"]
    assert (row["code"], row["solved"], row["attempts"], row["median_seconds"]) == (made[0], 1, 1, 1.5005)
    assert row["problems"] == ["unfinished"]
    assert [(one["task"], one["solved"]) for one in seen["by_task"]] == [("00003:000", 1)]


def test_outcomes_are_those_of_the_store(tmp_path: Path) -> None:
    from tumble.benchmark import benchmark
    from tumble.web.pages import StudyAttempt

    for number, (name, toml) in enumerate({"phyre": PHYRE, "phyq": PHYQ}.items()):
        store = open_study(study_file(tmp_path, toml, f"pilot{number}"))
        task = store.tasks.ids[0]
        asked = [StudyAttempt(task, tuple(action)) for action in valid_actions(name, task, 6)]
        shown = benchmark(name).pages().study(store.tasks).outcomes(asked)
        assert list(shown) == [store.tasks.simulate(one.task_id, one.action) for one in asked]
        assert all(one.shown["motion"] for one in shown)


def test_a_tap_in_flight_replaces_the_shot(tmp_path: Path) -> None:
    (shot,) = phyq_solution(YELLOW).shots
    assert phyq_task(YELLOW).level.birds == ("yellow",)
    store = open_study(study_file(tmp_path, TAPPED))
    code = store.begin()
    store.give_up(code, 0)
    assert store.next_task(code).task == YELLOW
    with TestClient(make_study_app(store, TOKEN), base_url=BASE) as client:
        person = Person(client, code)
        assert not {"rule", "rates", "title", "scenario", "id"} & person.step["task"].keys()
        place = person.place()
        untapped = person.attempt([shot.angle, shot.stretch, None, None, None]).json()
        assert untapped["status"] == "lost"
        assert untapped["step"]["position"] == place["position"] + 1
        for tap, tapped in ((20.0, False), (shot.tap_ms, True)):  # the first is too early to have an effect
            made = person.post("amendments", **place, action=[shot.angle, shot.stretch, tap, None, None])
            assert made.status_code == 200, made.json()
            assert (made.json()["tapped"] != [None]) is tapped
        assert made.json()["status"] == "won"
        other = person.post("amendments", **place, action=[1.0, 1.0, 2000.0, None, None])
        assert other.status_code == 409
        attempts = read_records(store)[0].tasks[place["position"]].attempts
        assert [(one.solved, one.action[2]) for one in attempts] == [(True, shot.tap_ms)]


def test_shots_that_were_begun_are_shown_again(tmp_path: Path) -> None:
    two_birds = PHYQ.replace('"1.1", "10.1"', '"14.1"').replace("title", 'order = "listed"\ntitle')
    store = open_study(study_file(tmp_path, two_birds))
    with TestClient(make_study_app(store, TOKEN, is_open=True), base_url=BASE) as client:
        person = Person(client, None)
        first = person.attempt([80.0, 0.3, None, None, None]).json()
        assert first["status"] == "open"
        resumed = person.load()
        assert (resumed["attempt"], resumed["part"], resumed["begun"]) == (1, 2, [80.0, 0.3, None, None, None])
        assert resumed["shown"]["motion"] == first["motion"]
        second = person.attempt([10.0, 1.0, None, None, None]).json()
        assert (second["shots_used"], second["from_shot"]) == (2, 1)
