"""A client of the original's agent protocol, written from its description, and two players that use it.

It is as strict as the original's clients: a reply of fixed length is fetched with a single read and must be complete,
and nothing may follow a reply.
"""

import json
import select
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

TIME_OUT = 60.0
PLAYING, WON, LOST = 5, 6, 7
Release = tuple[int, int]


class Client:
    """Sends requests and reads replies."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIME_OUT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent: list[int] = []
        """The codes of all requests."""

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def send(self, code: int, form: str = "", *values: float) -> None:
        self.sent.append(code)
        self.socket.sendall(struct.pack(f">B{form}", code, *values))

    def fixed(self, form: str) -> tuple[Any, ...]:
        """The numbers of a reply of fixed length, which must come in one piece."""
        data = self.socket.recv(4096)
        assert len(data) == struct.calcsize(f">{form}"), f"{len(data)} bytes for {form}"
        return struct.unpack(f">{form}", data)

    def exactly(self, size: int) -> bytes:
        """The next bytes of a long reply."""
        data = bytearray()
        while len(data) < size:
            part = self.socket.recv(min(size - len(data), 1 << 16))
            assert part, "the connection was closed within a reply"
            data += part
        return bytes(data)

    def ask(self, code: int, reply: str, form: str = "", *values: float) -> tuple[Any, ...]:
        """Sends a request, and reads a reply of fixed length."""
        self.send(code, form, *values)
        return self.fixed(reply)

    def number(self, code: int, reply: str, form: str = "", *values: float) -> int:
        """The same for a reply of one number."""
        (value,) = self.ask(code, reply, form, *values)
        return int(value)

    def is_silent(self) -> bool:
        """Whether nothing has arrived that was not asked for."""
        return not select.select([self.socket], [], [], 0.05)[0]

    def text(self) -> bytes:
        """A text with its length before it."""
        (size,) = struct.unpack(">I", self.exactly(4))
        return self.exactly(size)

    def truth(self, code: int = 62) -> list[dict[str, Any]]:
        """The features of the ground truth; with 61 and 63 the screenshot is read and dropped."""
        self.send(code)
        features = features_of(self.text())
        if code in (61, 63):
            self.picture()
        return features

    def picture(self) -> tuple[int, int, bytes]:
        """Width, height and bytes of a screenshot whose request was sent."""
        width, height = struct.unpack(">II", self.exactly(8))
        return width, height, self.exactly(width * height * 3)

    def state(self) -> int:
        return self.number(12, "B")

    def shoot(self, release: Release, tap_ms: int = 0) -> int:
        return self.number(31, "B", "4i", *release, 0, tap_ms)


def features_of(text: bytes) -> list[dict[str, Any]]:
    """The features of a ground truth, whose last five characters are dropped."""
    (collection,) = json.loads(text[:-5].decode("ascii"))
    assert collection["type"] == "FeatureCollection"
    return list(collection["features"])


def labelled(features: list[dict[str, Any]], beginning: str) -> list[dict[str, Any]]:
    """The features whose label begins with a word."""
    return [feature for feature in features if feature["properties"]["label"].startswith(beginning)]


def top(feature: dict[str, Any]) -> int:
    """The row of a feature's upper edge."""
    return min(int(y) for _, y in feature["geometry"]["coordinates"][0])


def bird_on_sling(features: list[dict[str, Any]]) -> dict[str, Any]:
    """The bird whose upper edge is nearest to that of the slingshot."""
    (sling,) = labelled(features, "Slingshot")
    return min(labelled(features, "bird_"), key=lambda bird: abs(top(bird) - top(sling)))


@dataclass
class Record:
    """What a player recorded about a level."""

    level: int
    won: bool
    shots: int
    score: int
    birds: list[int] = field(default_factory=list)
    """Birds in the ground truth before each shot."""


Aim = Callable[[int, int], Release]
"""The release point for a level and the number of a shot in it."""


class PigShooterPlayer:
    """Sends messages in the order of the original's PigShooter, without its sleeps."""

    def __init__(self, client: Client, aim: Aim, images: bool = False) -> None:
        self.client, self.aim = client, aim
        self.truth_code = 61 if images else 62

    def start(self) -> None:
        """Connects as the original's `make` does, and loads level 1."""
        assert self.client.ask(1, "3B", "IB", 1, 1) == (0, 0, 0)
        assert self.client.number(2, "B", "I", 100) == 1
        if self.client.state() in (9, 10, 11):
            self.client.ask(68, "4I3B")
        for _ in range(10):
            state = self.client.state()
            if state == PLAYING:
                self.client.ask(68, "4I3B")
                return
            if state in (8, 9, 10, 11):
                self.client.ask(68, "4I3B")
            elif state in (1, 2, 3):
                self.client.number(69, "i")
                self.load(1)
            else:
                assert state == 4, f"an unchanged agent dies in state {state}"
        raise AssertionError("the server does not get to playing")

    def load(self, level: int) -> int:
        """Loads a level; returns the number of birds in its ground truth."""
        self.client.number(51, "B", "I", level)
        self.client.number(34, "B")
        self.client.state()
        for _ in range(5):
            features = self.client.truth()
            self.client.state()
            if labelled(features, "bird_") and labelled(features, "pig_"):
                break
        else:
            raise AssertionError("a level without birds or pigs")
        self.client.truth(self.truth_code)
        assert len(labelled(self.client.truth(), "Slingshot")) == 1
        return len(labelled(features, "bird_"))

    def play(self, level: int) -> Record:
        """Plays a level until it is won or lost."""
        birds = self.load(level)
        features = self.client.truth()
        record = Record(level, False, 0, 0)
        while True:
            self.client.state()
            assert len(labelled(self.client.truth(), "Slingshot")) == 1
            record.birds.append(len(labelled(features, "bird_")))
            assert top(bird_on_sling(features)) in range(246, 256)
            self.client.shoot(self.aim(level, record.shots))
            record.shots, birds = record.shots + 1, birds - 1
            features = self.client.truth()
            pigs = len(labelled(features, "pig_"))
            over = birds == 0 or pigs == 0
            if over:
                state = self.client.state()
                assert state in (WON, LOST), "not decided when the reply to the shot is sent"
                record.won = state == WON
            record.score = self.client.number(65, "I")
            if self.truth_code == 61:
                self.client.truth(61)
            if over:
                return record


def play_as_datalab(client: Client, aim: Aim) -> list[Record]:
    """Sends messages in the order of Datalab, without its sleeps, until the server reports the end."""
    client.ask(1, "3B", "IB", 23349, 1)
    client.number(2, "B", "I", 50)
    records: list[Record] = []
    rounds = 0
    while True:
        state = client.state()
        if state == 13:
            return records
        if state in (1, 2, 3, WON, LOST) or (state == PLAYING and rounds >= 10):
            if state in (WON, LOST):
                records[-1].won = state == WON
                records[-1].score = client.number(65, "I")
            level = client.number(53, "I")
            assert 0 <= level <= 500
            client.number(69, "i")
            if level:
                records.append(Record(level, False, 0, 0))
            rounds = 0
        elif state in (8, 9, 10, 11):
            client.ask(68, "4I3B")
        else:
            assert state == PLAYING
            features = client.truth(64)
            assert min(labelled(features, "bird_"), key=top) == bird_on_sling(features)
            client.number(34, "B")
            client.truth(64)
            records[-1].birds.append(len(labelled(features, "bird_")))
            client.shoot(aim(records[-1].level, records[-1].shots))
            records[-1].shots, rounds = records[-1].shots + 1, rounds + 1
            client.state()
