"""Every message of the protocol, byte by byte: the length of its reply, and what it changes."""

import json
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from protocol_client import LOST, PLAYING, WON, Client, bird_on_sling, features_of, labelled, top
from serving import LEVELS, MISS, Running, release_at, serving, winning_release

from tumble.phyq.observation.camera import to_world
from tumble.phyq.simulation.shots import shot_from
from tumble.phyq.simulation.simulator import play


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with serving(attempts=2) as server:
        yield server


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    """A client that has connected and sent nothing."""
    with Client(running.port) as connected:
        yield connected
        assert connected.is_silent(), "bytes that were not asked for"


@pytest.fixture
def player(client: Client) -> Client:
    """A client with level 2, which has two birds."""
    client.ask(68, "4I3B")
    assert client.number(51, "B", "I", 2) == 1
    return client


def test_nothing_is_sent_before_the_first_request(client: Client) -> None:
    assert client.is_silent()


def test_the_game_starts_before_the_main_menu_and_a_level_leads_to_playing(client: Client) -> None:
    assert client.state() == 9
    assert client.ask(1, "3B", "IB", 7, 1) == (0, 0, 0)
    assert client.state() == 9
    assert client.ask(68, "4I3B") == (0, 0, len(LEVELS), 2, 0, 0, 0)
    assert client.state() == 1
    assert client.ask(68, "4I3B")[2] == len(LEVELS)
    assert client.state() == 1
    assert client.number(53, "I") == 1
    assert client.state() == PLAYING
    client.ask(68, "4I3B")
    assert client.state() == PLAYING


@pytest.mark.parametrize(
    ("code", "reply", "form", "values", "expected"),
    [
        (1, "3B", "IB", (1, 1), (0, 0, 0)),
        (1, "3B", "IB", (1, 0), (0, 0, len(LEVELS))),
        (2, "B", "I", (100,), (1,)),
        (12, "B", "", (), (PLAYING,)),
        (13, f"{len(LEVELS)}I", "", (), None),
        (14, "I", "", (), (2,)),
        (15, "I", "", (), (len(LEVELS),)),
        (23, f"{1 + len(LEVELS)}I", "", (), (len(LEVELS), *[0] * len(LEVELS))),
        (31, "B", "4i", (*MISS, 0, 0), (1,)),
        (32, "B", "4i", (200, 18_000, 0, 0), (1,)),
        (33, "2B", "B" + "B6i" * 2, (2, *(31, 98, 253, 100, 0, 0, 0) * 2), (1, 1)),
        (33, "2B", "B" + "B6i" * 2, (2, *(32, 98, 253, 100, 18_000, 0, 0) * 2), (1, 1)),
        (34, "B", "", (), (1,)),
        (35, "B", "", (), (1,)),
        (36, "B", "", (), (1,)),
        (41, "B", "4i", (*MISS, 0, 0), (1,)),
        (42, "B", "4i", (200, 18_000, 0, 0), (1,)),
        (43, "2B", "B" + "B6i" * 2, (2, *(31, 98, 253, 100, 0, 0, 0) * 2), (1, 1)),
        (51, "B", "I", (1,), (1,)),
        (51, "B", "I", (0,), (0,)),
        (51, "B", "I", (1 + len(LEVELS),), (0,)),
        (52, "B", "", (), (1,)),
        (53, "I", "", (), (2,)),
        (65, "I", "", (), (0,)),
        (66, "B", "ffi3iii4s", (0.5, 0.5, 3, 1, 2, 3, 7, 4, b"none"), (1,)),
        (67, "B", "I3s", (3, b"new"), (1,)),
        (68, "4I3B", "", (), (0, 0, len(LEVELS), 2, 0, 0, 0)),
        (69, "i", "", (), (0,)),
    ],
)
def test_replies_of_fixed_length(
    player: Client, code: int, reply: str, form: str, values: tuple[float, ...], expected: tuple[int, ...] | None
) -> None:
    answer = player.ask(code, reply, form, *values)
    assert expected is None or answer == expected
    assert player.state() in (PLAYING, WON, LOST)


@pytest.mark.parametrize("code", [61, 62, 63, 64])
def test_ground_truth(player: Client, code: int) -> None:
    player.send(code)
    text = player.text()
    if code in (61, 63):
        width, height, pixels = player.picture()
        assert (width, height, len(pixels)) == (640, 480, 640 * 480 * 3)
        assert len(set(pixels[::1001])) > 5
    assert text.endswith(b"}]     ")
    json.loads(text)  # with its padding too
    features = features_of(text)
    assert [feature["properties"]["label"] for feature in features] == [
        "Ground", "Slingshot", "pig_basic_small_1", "bird_red_1", "bird_red_1",
    ]  # fmt: skip
    assert features[0]["geometry"] == {}
    assert features[0]["properties"]["yindex"] == 286
    assert features[1]["geometry"]["coordinates"] == [[[92, 286], [92, 248], [104, 248], [104, 286]]]


def test_the_screenshot_is_rows_of_red_green_and_blue_from_the_top(player: Client) -> None:
    player.send(11)
    width, height, pixels = player.picture()
    assert (width, height) == (640, 480)
    picture = np.frombuffer(pixels, np.uint8).reshape(480, 640, 3).astype(int)
    sky, grass = picture[5, 600], picture[288, 600]
    assert sky[2] > sky[0]
    assert grass[1] > max(grass[0], grass[2])


def test_numbers_have_the_types_that_java_needs(client: Client) -> None:
    client.number(51, "B", "I", 5)
    client.send(64)
    text = client.text()
    integers: list[str] = []
    json.loads(text, parse_int=lambda number: integers.append(number) or int(number))
    (collection,) = json.loads(text, parse_float=lambda number: f"float {number}")
    labels = set()
    for feature in collection["features"]:
        labels.add(feature["properties"]["label"])
        for ring in feature["geometry"].get("coordinates", []):
            assert all(type(number) is int for point in ring for number in point)
        for colour in feature["properties"]["colormap"]:
            assert type(colour["color"]) is int
            assert colour["percent"].startswith("float ")
            assert any(mark in colour["percent"] for mark in ".eE")
        assert isinstance(feature["properties"]["id"], str)
    assert integers
    assert labels == {
        "Ground", "Slingshot", "pig_basic_medium_1", "bird_black_1", "bird_white_1", "wood_triang_1",
        "ice_square_hole_1", "Platform",
    }  # fmt: skip


def test_noise_is_in_noisy_states_only(player: Client) -> None:
    assert player.truth(62) == player.truth(61)
    noisy = [player.truth(64) for _ in range(5)]
    assert any(state != player.truth() for state in noisy)
    for state in noisy:
        assert labelled(state, "bird_") == labelled(player.truth(), "bird_")
        (pig,), (plain,) = labelled(state, "pig_"), labelled(player.truth(), "pig_")
        shift = np.subtract(pig["geometry"]["coordinates"], plain["geometry"]["coordinates"])
        assert np.abs(shift).max() <= 3


def test_slingshot_is_in_every_state(client: Client) -> None:
    assert [feature["properties"]["label"] for feature in client.truth()] == ["Ground", "Slingshot"]
    client.number(51, "B", "I", 1)
    assert labelled(client.truth(), "Slingshot")
    client.shoot(winning_release())
    assert client.state() == WON
    assert labelled(client.truth(), "Slingshot")
    client.number(51, "B", "I", 1)
    client.shoot(MISS)
    assert client.state() == LOST
    assert labelled(client.truth(), "Slingshot")


def test_won_stands_until_the_next_level_and_shots_are_refused(player: Client) -> None:
    assert player.shoot(winning_release()) == 1
    for _ in range(3):
        assert player.state() == WON
        assert not labelled(player.truth(), "pig_")
        assert len(labelled(player.truth(), "bird_")) == 1
        assert player.number(65, "I") == 15000
    assert player.shoot(MISS) == 0
    assert player.number(41, "B", "4i", *MISS, 0, 0) == 0
    player.send(38, "5i", *MISS, 0, 0, 10)
    assert struct.unpack(">I", player.exactly(4)) == (1,)
    player.text()
    assert player.state() == WON
    assert player.number(52, "B") == 1
    assert (player.state(), player.number(65, "I")) == (PLAYING, 0)


def test_every_unfired_bird_is_listed_and_a_spent_one_is_not(client: Client) -> None:
    client.number(51, "B", "I", 3)
    for left, colour in ((3, "red"), (2, "blue"), (1, "yellow")):
        features = client.truth()
        assert len(labelled(features, "bird_")) == left
        assert bird_on_sling(features)["properties"]["label"] == f"bird_{colour}_1"
        assert min(labelled(features, "bird_"), key=top) == bird_on_sling(features)
        assert client.state() == PLAYING
        client.shoot(release_at(80.0), 900)
    assert client.state() in (WON, LOST)


def test_scores_of_levels(running: Running) -> None:
    with Client(running.port) as client:
        client.number(51, "B", "I", 2)
        client.shoot(winning_release())
        assert client.ask(23, f"{1 + len(LEVELS)}I")[:3] == (len(LEVELS), 0, 15000)
        assert client.ask(13, f"{len(LEVELS)}I")[1] == 15000
    with Client(running.port) as other:
        assert not any(other.ask(23, f"{1 + len(LEVELS)}I")[1:])
        assert other.ask(13, f"{len(LEVELS)}I")[1] == 15000


def test_a_shot_without_a_level_is_refused(client: Client) -> None:
    assert client.shoot(MISS) == 0
    assert client.number(32, "B", "4i", 100, 0, 0, 0) == 0
    assert client.number(52, "B") == 0
    assert client.number(14, "I") == 0
    assert client.state() == 9


def test_the_next_level_comes_as_often_as_there_are_attempts_and_then_the_end(client: Client) -> None:
    given = [client.number(53, "I") for _ in range(2 * len(LEVELS))]
    assert given == [number for number in range(1, len(LEVELS) + 1) for _ in range(2)]
    assert client.state() == PLAYING
    assert client.number(53, "I") == 0
    assert client.state() == 13
    assert client.number(51, "B", "I", 1) == 1
    assert client.state() == PLAYING


def test_recording_returns_states_of_the_flight(player: Client) -> None:
    player.send(38, "5i", *release_at(45.0), 0, 0, 10)
    (count,) = struct.unpack(">I", player.exactly(4))
    states = [features_of(player.text()) for _ in range(count)]
    assert count > 10
    (start, *_), (later, *_) = (
        [bird["geometry"]["coordinates"][0][0] for bird in labelled(state, "bird_")] for state in (states[0], states[5])
    )
    assert later[0] > start[0] + 50
    player.send(38, "5i", *MISS, 0, 0, 0)  # no recording: the state at the end
    assert struct.unpack(">I", player.exactly(4)) == (1,)
    assert not labelled(features_of(player.text()), "bird_")


def test_fast_shots_overlap_and_are_simulated_when_the_state_is_asked_for(running: Running, player: Client) -> None:
    x, y = release_at(60.0)
    shots = running.server.simulation.shots
    assert player.number(41, "B", "4i", x, y, 0, 0) == 1
    assert player.number(41, "B", "4i", x, y, 500, 0) == 1
    assert player.number(41, "B", "4i", x, y, 500, 0) == 0  # no bird is left
    assert running.server.simulation.shots == shots
    state, score = player.state(), player.number(65, "I")
    assert running.server.simulation.shots == shots + 1
    point = to_world(float(x), float(y))
    expected = play(LEVELS[1], [[shot_from(point), shot_from(point, delay=0.5)]])
    assert (state == WON, score) == (bool(expected.won[0]), int(expected.score[0]))


def test_a_pull_is_cut_to_full_stretch_from_the_rest_point(player: Client) -> None:
    x, y = winning_release()
    far = (round(98 + 30 * (x - 97.8)), round(253 + 30 * (y - 252.8)))
    assert player.shoot(far) == 1
    expected = play(LEVELS[1], [[shot_from(to_world(float(far[0]), float(far[1])))]])
    assert (player.state() == WON) == bool(expected.won[0])
