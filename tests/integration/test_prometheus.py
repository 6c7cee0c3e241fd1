"""Debian's Prometheus, with the file of docker/, reads the numbers of a run that trains."""

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.integration.nodes import free_port

SECONDS = 300  # for a number to arrive on a busy machine
DISCOVERY = "/tmp/ray/prom_metrics_service_discovery.json"  # where a Ray of the usual place writes its nodes
SERIES = (
    "positions_per_s",
    "batch_size",
    "batch_wait",
    "buffered",
    "loss",
    "loss_policy",
    "elo",
    "version",
    "restarts",
)


class Prometheus:
    """A server of a test's own; `session` is the folder of the Ray whose nodes it scrapes."""

    def __init__(self, folder: Path, session: Path) -> None:
        self._url = f"http://127.0.0.1:{free_port()}"
        shutil.copy(ROOT / "docker" / "alerts.yml", folder)
        text = (ROOT / "docker" / "prometheus.yml").read_text(encoding="utf8")
        assert DISCOVERY in text
        (folder / "prometheus.yml").write_text(text.replace(DISCOVERY, str(session / Path(DISCOVERY).name)))
        options = (f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data")
        address = f"--web.listen-address={self._url.removeprefix('http://')}"
        with (folder / "prometheus.out").open("w") as output:
            self._process = subprocess.Popen(["prometheus", *options, address], stdout=output, stderr=output)

    def value(self, expression: str) -> float | None:
        """The newest value, None if there is none."""
        try:
            result = self._ask("query", query=expression)["result"]
        except urllib.error.URLError:  # it has not begun to listen
            return None
        return float(result[0]["value"][1]) if result else None

    def wait_for(self, expression: str, condition: Callable[[float], bool]) -> float:
        """A value as soon as it fulfils the condition."""
        deadline = time.monotonic() + SECONDS
        while (value := self.value(expression)) is None or not condition(value):
            assert time.monotonic() < deadline, f"{expression}: {value}"
            time.sleep(0.5)  # other processes are waited for
        return value

    def alerts(self) -> set[str]:
        """Names of the alerts that it watches for."""
        return {rule["name"] for group in self._ask("rules")["groups"] for rule in group["rules"]}

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _ask(self, what: str, **parameters: str) -> dict:
        url = f"{self._url}/api/v1/{what}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)["data"]


@pytest.fixture
def prometheus(tmp_path) -> Iterator[Callable[[Path], Prometheus]]:
    started = []

    def start(session: Path) -> Prometheus:
        started.append(Prometheus(tmp_path, session))
        return started[-1]

    yield start
    for server in started:
        server.end()


@pytest.mark.heavy
@pytest.mark.skipif(not shutil.which("prometheus"), reason="there is no prometheus: apt install prometheus")
def test_prometheus_reads_the_numbers_of_a_run(tmp_path, launch, prometheus):
    launched = launch(tmp_path / "run", "--preset", "tiny", "--minutes", "30", "--set", "dashboard=true")
    launched.wait_for(lambda values: "loss" in values, seconds=SECONDS)
    server = prometheus(Path(json.loads((launched.run / "address.json").read_text())["session"]))
    found = {name: server.wait_for(f"ray_gobang_{name}", lambda value: value == value) for name in SERIES}  # no NaN
    server.wait_for("ray_gobang_positions_per_s", lambda rate: rate > 0)  # no game may have ended before the first look
    assert found["loss"] > found["loss_policy"] > 0
    assert 0 < server.wait_for("ray_gobang_games", lambda games: games > 0) <= launched.values()["games"]
    assert found["restarts"] == 0
    launched.part("SelfPlayActor").kill()
    server.wait_for("ray_gobang_restarts", lambda restarts: restarts == 1)
    assert {"LearnerStopped", "StaleWeights", "PartsRestart"} <= server.alerts()
