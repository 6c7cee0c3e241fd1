"""What KubeRay and Kubernetes read is what they accept."""

import importlib.util
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.docs.pages import ROOT

TYPES = yaml.safe_load(Path(__file__).with_name("kuberay.yaml").read_text(encoding="utf8"))
OBJECTS = list(yaml.safe_load_all((ROOT / "docker/kubernetes.yaml").read_text(encoding="utf8")))
OF_RAY = {each["kind"]: each for each in OBJECTS if each["apiVersion"] == "ray.io/v1"}
CLUSTER = OF_RAY["RayCluster"]["spec"]
KUBERNETES = "1.31"


def check(kind: str, spec: dict[str, Any]) -> None:
    jsonschema.validate(spec, TYPES | {"$ref": f"#/$defs/{kind}"})


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob"])
def test_kuberay_knows_every_key(kind):
    check(kind, OF_RAY[kind]["spec"])


def test_a_key_that_kuberay_does_not_know_is_found():
    wrong = deepcopy(CLUSTER)
    wrong["workerGroupSpecs"][0]["replica"] = 2
    with pytest.raises(jsonschema.ValidationError, match="replica"):
        check("RayCluster", wrong)


def test_the_job_runs_on_the_cluster_and_the_secret_is_in_no_file():
    assert OF_RAY["RayJob"]["spec"]["clusterSelector"] == {"ray.io/cluster": OF_RAY["RayCluster"]["metadata"]["name"]}
    assert CLUSTER["authOptions"]["mode"] == "token"
    assert not [each for each in OBJECTS if each["kind"] == "Secret"]


@pytest.mark.skipif(not importlib.util.find_spec("kubernetes_validate"), reason="kubernetes-validate is not installed")
def test_kubernetes_knows_every_key_of_the_pods():
    import kubernetes_validate

    templates = [CLUSTER["headGroupSpec"]["template"], *(each["template"] for each in CLUSTER["workerGroupSpecs"])]
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, **template} for template in templates]
    volumes = [each for each in OBJECTS if each["apiVersion"] == "v1"]
    for each in [*pods, *volumes]:
        kubernetes_validate.validate(each, KUBERNETES, strict=True)
    pods[0]["spec"]["containers"][0]["imagge"] = json.dumps(KUBERNETES)
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(pods[0], KUBERNETES, strict=True)
