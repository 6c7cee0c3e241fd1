"""What `ray up` reads is what Ray accepts, and holds no secret."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray.autoscaler
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

from learner.run.cluster import BOOTSTRAP
from tests.docs.pages import ROOT

SCHEMA = json.loads(Path(ray.autoscaler.__file__).with_name("ray-schema.json").read_text(encoding="utf8"))
AWS, GCP, ON_PREMISE = ROOT / "cluster.yaml", ROOT / "docker/gcp.yaml", ROOT / "docker/on-premise.yaml"
FILES = [AWS, GCP, ON_PREMISE]
OF_A_CLOUD = ("provider", "auth", "available_node_types", "head_setup_commands")

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf8"))


@each_file
def test_ray_accepts_it(path):
    config = read(path)
    jsonschema.validate(config, SCHEMA)
    validate_config(prepare_config(config))


def test_ray_does_not_accept_a_key_that_it_does_not_know():
    with pytest.raises(jsonschema.ValidationError, match="workers_max"):
        validate_config(prepare_config(read(AWS) | {"workers_max": 4}))


@each_file
def test_the_secret_is_shipped_and_the_dashboard_stays_on_the_head(path):
    config = read(path)
    assert config["file_mounts"]["~/.ray/auth_token"] == "~/.ray/auth_token"
    assert any("RAY_AUTH_MODE=token" in command for command in config["setup_commands"])
    starts = [config[f"{kind}_start_ray_commands"][1] for kind in ("head", "worker")]
    assert all(re.match(r"export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=\S+; .*ray start ", start) for start in starts)
    assert "--dashboard-host=127.0.0.1" in config["head_start_ray_commands"][-1]
    assert not re.search(r"\b[0-9a-f]{32,}\b", path.read_text(encoding="utf8"))


@each_file
def test_a_run_on_the_head_joins_the_cluster_and_finds_how_far_it_may_grow(path):
    config = read(path)
    assert any("RAY_ADDRESS=auto" in command for command in config["head_setup_commands"])
    assert f"--autoscaling-config=~/{BOOTSTRAP.name}" in config["head_start_ray_commands"][-1]


@each_file
def test_workers_need_no_torch(path):
    config = read(path)
    installs = {kind: " ".join(config[f"{kind}_setup_commands"]) for kind in ("head", "worker")}
    assert "[train]" in installs["head"]
    assert "[actor]" in installs["worker"]


@each_file
@pytest.mark.parametrize("kind", ["head", "worker"])
def test_a_node_that_is_up_gets_the_newest_wheel_even_of_the_same_version(path, kind, tmp_path):
    pip = tmp_path / "gobang/venv/bin/pip"
    pip.parent.mkdir(parents=True)
    pip.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    pip.chmod(0o755)
    (tmp_path / "gobang/dist").mkdir()
    for age, name in enumerate(("gobang_zero-0.1.0-py3-none-any.whl", "gobang-0.1.0-py3-none-any.whl", "z-1-py3.whl")):
        wheel = tmp_path / "gobang/dist" / name
        wheel.touch()
        os.utime(wheel, (1e9 - age, 1e9 - age))
    (command,) = [command for command in read(path)[f"{kind}_setup_commands"] if "constraints.txt" in command]
    subprocess.run(["bash", "-c", command], env={**os.environ, "HOME": str(tmp_path)}, check=True, timeout=60)
    first, second = (tmp_path / "calls").read_text().splitlines()
    newest = f"{tmp_path}/gobang/dist/gobang_zero-0.1.0-py3-none-any.whl"
    assert first.endswith(f"constraints.txt {newest}[{'train' if kind == 'head' else 'actor'}]")
    assert {"--force-reinstall", "--no-deps", newest} <= set(second.split())


@each_file
def test_what_a_user_must_change_is_marked(path):
    lines = path.read_text(encoding="utf8").splitlines()
    keys = ("region:", "project_id:", "ImageId:", "head_ip:", "worker_ips:", "ssh_private_key:")
    mine = [number for number, line in enumerate(lines) if line.strip().startswith(keys)]
    assert mine
    for number in mine:
        assert any("CHANGE" in line for line in lines[number - 3 : number + 1]), lines[number]


def test_both_clouds_do_the_same():
    aws, gcp = ({key: value for key, value in read(path).items() if key not in OF_A_CLOUD} for path in (AWS, GCP))
    assert aws == gcp
