"""Clients that send messages in the order of the original's agents play whole sets of levels."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from protocol_client import Client, PigShooterPlayer, play_as_datalab
from serving import LEVELS, MISS, TASKS, release_at, serving, winning_release

OUT_OF_REACH = (-595, 564)
ONE_TO_THREE_BIRDS = (1, 2, 3)


@pytest.mark.parametrize("images", [False, True])
def test_pig_shooter_plays_each_level_once(images: bool) -> None:
    with serving() as running, Client(running.port) as client:
        losing = PigShooterPlayer(client, lambda level, shot: MISS, images)
        losing.start()
        for level in ONE_TO_THREE_BIRDS:
            record = losing.play(level)
            assert not record.won
            assert record.birds == list(range(len(LEVELS[level - 1].birds), 0, -1))
        winning = PigShooterPlayer(client, lambda level, shot: winning_release() if shot == level - 1 else MISS, images)
        for level in ONE_TO_THREE_BIRDS:
            record = winning.play(level)
            assert (record.shots, record.score >= 5000) == (level, record.won)
        assert winning.play(1).won
        PigShooterPlayer(client, lambda level, shot: OUT_OF_REACH, images).play(4)
        assert client.sent.count(51) == 1 + 2 * len(ONE_TO_THREE_BIRDS) + 2
        assert sum("level" in line for line in running.lines) == client.sent.count(51) - 1


def test_datalab_plays_all_levels_and_stops() -> None:
    with serving() as running, Client(running.port) as client:
        records = play_as_datalab(client, lambda level, shot: winning_release())
        assert [record.level for record in records] == list(range(1, len(LEVELS) + 1))
        assert [record.won for record in records[:3]] == [True] * 3
        assert records[0].score == 5000


def test_clients_do_not_disturb_each_other() -> None:
    def playing(number: int) -> list[tuple[int, int, bool, int]]:
        release = release_at(10.0 + 7.0 * number)
        with Client(running.port) as client:
            records = play_as_datalab(client, lambda level, shot: release)
            return [(record.level, record.shots, record.won, record.score) for record in records]

    with serving() as running, ThreadPoolExecutor(8) as threads:
        together = list(threads.map(playing, range(8)))
        assert running.server.simulation.batches < running.server.simulation.shots
        alone = [playing(number) for number in range(8)]
    assert together == alone
    assert len(set(map(tuple, together))) > 1


def is_closed(client: Client) -> bool:
    """Whether the server has closed the connection, with or without a reset."""
    try:
        return client.socket.recv(100) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("garbage", [b"\xff", b"\x00", b"GET / HTTP/1.1\r\n\r\n", b"\x21\x01\x07" + bytes(24)])
def test_wrong_bytes_close_that_client_alone(garbage: bytes) -> None:
    with serving() as running, Client(running.port) as good, Client(running.port) as bad:
        assert good.number(51, "B", "I", 2) == 1
        bad.socket.sendall(garbage)
        assert is_closed(bad)
        assert good.shoot(MISS) == 1
        assert good.state() == 5
    assert sum("message" in line and "connection closed" in line for line in running.lines) == 1


def test_a_lost_connection_is_reported() -> None:
    with serving() as running:
        with Client(running.port) as client:
            client.number(51, "B", "I", 3)
            client.shoot(MISS)
            client.socket.sendall(b"\x1f\x00\x00")
        with Client(running.port) as client:
            assert client.state() == 9
    assert "client 1: disconnected within a message during level 3, an attempt that does not count" in running.lines
    assert "client 2: disconnected" in running.lines


def test_a_server_that_closes_does_not_wait_for_its_clients() -> None:
    with serving(TASKS[:1]) as running:
        client = Client(running.port)
        assert client.state() == 9
    assert client.socket.recv(1) == b""
    client.close()
