"""Dashboard and alerts name metrics that there are."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from learner.watching.metrics import METRICS
from tests.docs.pages import ROOT

DOCKER = ROOT / "docker"
DASHBOARD = json.loads((DOCKER / "grafana/dashboards/gobang.json").read_text(encoding="utf8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
RULES = yaml.safe_load((DOCKER / "alerts.yml").read_text(encoding="utf8"))["groups"][0]["rules"]
SHOWN = {
    *("positions_per_s", "batch_size", "batch_wait", "waiting", "cache_hits", "age", "version", "reuse", "window"),
    *("loss", "entropy", "elo", "gate_score", "restarts", "rejected"),
}


def named(expression: str) -> set[str]:
    return set(re.findall(r"ray_gobang_(\w+)", expression))


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_draws_metrics_of_a_run(panel):
    for target in panel["targets"]:
        assert named(target["expr"]) <= METRICS.keys()
        assert named(target["expr"])
        assert target["datasource"]["uid"] == "prometheus"


def test_the_panels_show_what_matters_and_do_not_overlap():
    assert {name for panel in PANELS for target in panel["targets"] for name in named(target["expr"])} >= SHOWN
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    cells = [cell for panel in DASHBOARD["panels"] for cell in covered(panel["gridPos"])]
    assert len(cells) == len(set(cells))


def covered(place: dict[str, int]) -> list[tuple[int, int]]:
    return [(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_asks_for_metrics_of_a_run(rule):
    assert named(rule["expr"])
    assert named(rule["expr"]) <= METRICS.keys()


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed (package prometheus)")
def test_prometheus_accepts_its_files_and_the_alerts_fire_when_they_should():
    checked = subprocess.run(
        ["promtool", "check", "config", DOCKER / "prometheus.yml"], capture_output=True, text=True, timeout=60
    )
    assert checked.returncode == 0, checked.stderr
    tested = subprocess.run(
        ["promtool", "test", "rules", Path(__file__).with_name("alerts.yml")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert tested.returncode == 0, tested.stdout + tested.stderr
