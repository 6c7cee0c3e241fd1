"""What docs/watching.md promises of Ray's dashboard and of its metrics is there."""

import contextlib
import json
import re
import signal
import urllib.error
import urllib.request
from pathlib import Path

import pytest


def fetch(url: str, token: str = "") -> str:
    asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return answer.read().decode()


def actors(address: str, token: str) -> dict[str, dict]:
    found = json.loads(fetch(f"{address}/logical/actors", token))["data"]["actors"]
    return {actor["name"]: actor for actor in found.values()}


def exported(run: Path) -> set[str]:
    session = Path(json.loads((run / "address.json").read_text())["session"])
    (service,) = json.loads((session / "prom_metrics_service_discovery.json").read_text())
    names: set[str] = set()
    for target in service["targets"]:
        with contextlib.suppress(urllib.error.URLError):  # one is that of the autoscaler, which a run ends
            names |= {line.split("{")[0] for line in fetch(f"http://{target}/metrics").splitlines()}
    return names


@pytest.mark.heavy
def test_the_dashboard_shows_the_parts_by_name_and_their_logs_and_the_gauges_are_exported(tmp_path, launch):
    launched = launch(tmp_path / "run", "--preset", "tiny", "--minutes", "30", "--set", "dashboard=true")
    launched.wait_for(lambda values: "loss" in values)
    found = re.search(r"dashboard: (http://[\w.:]+), log in with the token in (\S+)", launched.output)
    address, token = found[1], Path(found[2]).read_text().strip()
    with pytest.raises(urllib.error.HTTPError, match="401"):
        fetch(f"{address}/logical/actors")
    names = actors(address, token).keys()
    assert {"learner", "judge", "inference-0"} <= names
    assert sum(name.startswith("self_play:") for name in names) == 2
    launched.wait_for(lambda _: actors(address, token)["learner"]["processStats"])
    stats = actors(address, token)["learner"]["processStats"]
    assert stats["memoryInfo"]["rss"] > 1e8
    assert stats["cpuPercent"] >= 0
    (node,) = json.loads(fetch(f"{address}/nodes?view=summary", token))["data"]["summary"]
    logs = json.loads(fetch(f"{address}/api/v0/logs?node_id={node['raylet']['nodeId']}", token))
    assert logs["data"]["result"]["worker_out"]
    launched.wait_for(lambda _: {"ray_gobang_loss", "ray_gobang_games"} <= exported(launched.run))
    assert launched.end(signal.SIGINT) == 0
