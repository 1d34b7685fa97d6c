"""An OpenAI-compatible server on localhost that plays a scripted person, for tests and measurements of client code.

    with serving(Person("good", answer)) as server:
        get_model("openai-api/scripted/person", base_url=server.url, api_key="none")

`answer` gets the messages of a request and returns what a good person would say. All requests are kept, with
the times at which their answers were sent, so that it can be said which were repeated.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Manner = Literal["good", "wrong", "malformed", "slow", "refusing", "silent"]
Messages = Sequence[Mapping[str, Any]]

MALFORMED = ("{", "I would say five.", '{"guess": }', "```json\n[1, 2]\n```", '{"other": 1}', "\ud83d {", "null")
SECONDS_OF_THE_SLOW = 0.3


@dataclass
class Person:
    """How requests are answered."""

    manner: Manner
    answer: Callable[[Messages], str]
    wrong_answer: str = "{}"
    fails_after: int | None = None
    """Requests that are answered; all others get an error that clients do not retry."""
    calls: Callable[[Messages], Sequence[tuple[str, str]]] = lambda _: ()
    """The tools that are called, each with the text of its arguments, instead of an answer where there are any."""


@dataclass
class ScriptedServer:
    """A server that runs."""

    person: Person
    url: str = ""
    answered: list[dict[str, Any]] = field(default_factory=list)
    """The bodies of requests that got an answer."""
    sent_at: dict[int, float] = field(default_factory=dict)
    """When an answer was sent, by its index in `answered`, in seconds of `time.monotonic`; none if it could not be."""
    received: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, Any], int]:
        """The status and the body of a response, and its index in `answered`; -1 for an error."""
        person = self.person
        with self.lock:
            self.received += 1
            if person.fails_after is not None and len(self.answered) >= person.fails_after:
                error = {"message": "the scripted person has left", "type": "invalid_request_error"}
                return 400, {"error": error}, -1
            number = len(self.answered)
            self.answered.append(body)
        if person.manner == "slow":
            time.sleep(SECONDS_OF_THE_SLOW)
        message: dict[str, Any] = {"role": "assistant", "content": self._text(body["messages"], number)}
        if person.manner == "refusing":
            message["refusal"] = "I can't help with that."
        calls = [
            {"id": f"call-{number}-{k}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for k, (name, arguments) in enumerate(person.calls(body["messages"]))
        ]
        if calls:
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        response = {
            "id": f"chat-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
        return 200, response, number

    def _text(self, messages: Messages, number: int) -> str | None:
        match self.person.manner:
            case "good" | "slow":
                return self.person.answer(messages)
            case "wrong":
                return self.person.wrong_answer
            case "malformed":
                return MALFORMED[number % len(MALFORMED)]
            case "silent":
                return ""
        return None


def text_of(messages: Messages) -> str:
    """All texts of a request."""
    contents = [message["content"] for message in messages]
    parts = [[{"type": "text", "text": one}] if isinstance(one, str) else one or [] for one in contents]
    return "\n".join(part["text"] for own in parts for part in own if part["type"] == "text")


@contextmanager
def serving(person: Person) -> Iterator[ScriptedServer]:
    """Serves on a free port until it is left."""
    scripted = ScriptedServer(person)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer, number = scripted.reply(body)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            if status == 200:
                scripted.sent_at[number] = time.monotonic()

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # a client that was killed

    server = Server(("127.0.0.1", 0), Handler)
    scripted.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
