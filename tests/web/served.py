"""A page that is served by a process of its own, and a client for it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

START_SECONDS = 300.0  # on a machine that has to compile
ANSWER_SECONDS = 300.0


class Served:
    """`gobang web`, and requests to it."""

    def __init__(self, *arguments: str, port: int = 0, browser: str = "") -> None:
        """Start it; `browser` is a program that it opens the page with."""
        command = [sys.executable, "-m", "gobang.cli", "web", "--port", str(port), *arguments]
        command += [] if browser else ["--no-browser"]
        variables = {**os.environ, "BROWSER": browser}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables)
        assert self.process.stdout is not None
        self.words = self.process.stdout.readline()
        match = re.search(r"http://([^:/]+):(\d+)/(?:\?token=(\S+))?", self.words)
        assert match, self.words
        self.port, self.token = int(match[2]), match[3]
        self.address = f"http://127.0.0.1:{self.port}/"

    def ask(self, path: str, body: object = None, **options: Any) -> tuple[int, Any]:
        """Status and answer; a body that is no bytes is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
        headers = {"Content-Type": "application/json", **options.get("headers", {})}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(options.get("method", "GET" if body is None else "POST"), path, data, headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        is_json = response.headers.get_content_type() == "application/json"
        return response.status, json.loads(text) if is_json else text

    def wait_for(self, path: str, found: Callable[[Any], bool]) -> Any:
        """Return the answer, once it is as it should be."""
        answers: list[Any] = []

        def is_there() -> bool:
            answers[:] = [self.ask(path)[1]]
            return found(answers[0])

        wait_until(is_there, answers)
        return answers[0]

    def close(self) -> None:
        """End it by Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(START_SECONDS) == 0
        assert self.process.stdout is not None
        self.process.stdout.close()


def wait_until(is_there: Callable[[], bool], seen: object = "nothing") -> None:
    """Wait for something to happen; `seen` is shown if it does not."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while not is_there():
        assert time.monotonic() < deadline, seen
        time.sleep(0.02)
