"""What docker/spot-notice.sh tells Ray, and when, at a metadata server that behaves as those of the clouds."""

import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.docs.pages import ROOT

TOKEN = "a-token"
AWS, GOOGLE = "/latest/meta-data/spot/instance-action", "/computeMetadata/v1/instance/preempted"


class Metadata(HTTPServer):
    """Answers at a path only after it was asked there `silent` times in vain."""

    def __init__(self, path: str, answer: str, silent: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.path, self.answer, self.silent, self.asked = path, answer, silent, 0


class Handler(BaseHTTPRequestHandler):
    server: Metadata

    def do_PUT(self) -> None:
        has_token = self.server.path == AWS and self.path == "/latest/api/token"
        self._answer(TOKEN if has_token and self.headers["X-aws-ec2-metadata-token-ttl-seconds"] else "")

    def do_GET(self) -> None:
        shown = {AWS: self.headers["X-aws-ec2-metadata-token"] == TOKEN, GOOGLE: self.headers["Metadata-Flavor"]}
        if self.path != self.server.path or not shown[self.path]:
            self._answer("")
            return
        self.server.asked += 1
        has_notice = self.server.asked > self.server.silent
        self._answer(self.server.answer if has_notice else "FALSE" if self.path == GOOGLE else "")

    def log_message(self, *_: object) -> None:
        """Nothing on the screen."""

    def _answer(self, text: str) -> None:
        self.send_response(200 if text else 404)
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def metadata(request: pytest.FixtureRequest) -> Iterator[Metadata]:
    server = Metadata(*request.param)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("metadata", "seconds"),
    [((AWS, '{"action": "terminate"}', 0), 110), ((GOOGLE, "TRUE", 1), 25)],
    indirect=["metadata"],
    ids=["AWS", "Google Cloud"],
)
def test_ray_is_told_once_the_cloud_gives_notice(tmp_path, metadata, seconds):
    (tmp_path / "ray").write_text('#!/bin/sh\necho "$@" > "$(dirname "$0")/told"\n')
    (tmp_path / "ray").chmod(0o755)
    places = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "METADATA": f"http://127.0.0.1:{metadata.server_port}"}
    subprocess.run([ROOT / "docker/spot-notice.sh"], env={**os.environ, **places}, timeout=60, check=True)
    told = (tmp_path / "told").read_text()
    assert told.startswith("drain-node --reason DRAIN_NODE_REASON_PREEMPTION")
    assert told.endswith(f"--deadline-remaining-seconds {seconds}\n")
    assert metadata.asked == metadata.silent + 1
