"""Ray's private names, all of them: a new version of Ray may drop any, and this file says which to look at."""

import re
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from learner.run import doors, guest
from learner.run.cluster import LOCAL, ClusterUnavailable, running_cluster
from learner.run.interrupts import Interrupts
from tests.docs.pages import ROOT

TESTED = "2.60.0"  # these names also exist in 2.52.0, the oldest version that is accepted
PRIVATE = {
    "ray._private.ray_constants": ("ENABLE_RAY_CLUSTER", "ENABLE_RAY_CLUSTERS_ENV_VAR"),
    "ray._private.services": ("canonicalize_bootstrap_address_or_die",),
    "ray._private.state": ("available_resources_per_node", "state.get_draining_nodes"),
    "ray._private.worker": ("_global_node",),
    "ray._private.node": ("Node.kill_log_monitor", "Node.kill_monitor"),  # the class of _global_node
    "ray._raylet": ("Config.initialize", "GcsClient"),
    "ray.autoscaler._private.fake_multi_node.node_provider": ("FAKE_HEAD_NODE_ID", "FakeMultiNodeProvider"),
    "ray.autoscaler._private.util": ("prepare_config", "validate_config"),
    "ray.experimental.internal_kv": ("_internal_kv_get",),
}
SEEN_FROM_ELSEWHERE = "ray._private.node"
IMPORT = re.compile(r"^\s*(?:from (ray[\w.]*) import (.+)|import (ray[\w.]*))", re.MULTILINE)


def imported() -> Iterator[tuple[str, str]]:
    """Each import of something private, also in programs that are texts: its module, and the file."""
    for folder in ("gobang", "actors", "learner", "evaluator", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            for package, names, alone in IMPORT.findall(path.read_text(encoding="utf8")):
                for name in names.split("#")[0].split(",") or [""]:
                    whole = f"{package or alone}.{name.strip()}"
                    if "._" in whole:
                        yield whole, str(path.relative_to(ROOT))


def test_the_list_names_every_private_import():
    found = dict(imported())
    allowed = {f"{module}.{name.split('.')[0]}" for module, names in PRIVATE.items() for name in names} | set(PRIVATE)
    assert {name: path for name, path in found.items() if name not in allowed} == {}
    used = {module for module in PRIVATE if any(name.startswith(module) for name in found)}
    assert used | {SEEN_FROM_ELSEWHERE} == set(PRIVATE)


@pytest.mark.parametrize(("module", "names"), PRIVATE.items())
def test_ray_has_each_of_them(module, names):
    for name in names:
        found = import_module(module)
        for part in name.split("."):
            assert hasattr(found, part), f"Ray {version('ray')} has no {module}.{name}: find what took its place"
            found = getattr(found, part)


def test_the_version_that_was_tested_is_the_pinned_one():
    assert f"\nray=={TESTED}\n" in (ROOT / "constraints.txt").read_text(encoding="utf8")


def test_pip_and_the_check_ask_for_the_same_version():
    least = ".".join(map(str, doors.OLDEST_RAY))
    assert f'"ray[default]>={least}"' in Path(ROOT / "pyproject.toml").read_text(encoding="utf8")


@pytest.mark.parametrize("old", ["2.50.0", "2.51.1", "1.13"])
def test_a_ray_without_tokens_is_refused_with_what_to_do(monkeypatch, old):
    monkeypatch.setattr(doors, "version", lambda package: old)
    starting = running_cluster(LOCAL, "gobang", dashboard=False, insecure=True, interrupts=Interrupts(print))
    expected = f"Ray {old} cannot ask for a token.*pip install 'ray\\[default\\]>=2.52'$"
    with pytest.raises(ClusterUnavailable, match=expected), starting:
        pass
    with pytest.raises(ClusterUnavailable, match=expected):
        guest.join("127.0.0.1:1", insecure=True)


@pytest.mark.parametrize("new", ["2.52.0", "2.60.0", "3.0.0rc1", "2.100.0"])
def test_newer_versions_pass(monkeypatch, new):
    monkeypatch.setattr(doors, "version", lambda package: new)
    doors.check_version()
