"""deploy/kubernetes, rendered as `kubectl kustomize` renders it; `python -m tests.deploy.kubernetes` validates it.

Every object is checked strictly against the schemas of the oldest and the newest supported Kubernetes: an unknown field
is an error. Kinds that Kubernetes itself does not know (KEDA) have a schema beside this module.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import yaml

from tests.deploy.compose import DEPLOY, ROOT

KUBERNETES = DEPLOY / "kubernetes"
OVERLAYS = ("small", "production")
"""Overlays of a whole arena."""
RUNNERS = "runners"
"""Overlay of the runners, for either of them."""
VERSIONS = ("1.30", "1.37")
OF_KEDA = Path(__file__).with_name("scaledobject.schema.json")
Object = dict[str, Any]


@cache
def rendered(overlay: str) -> str:
    """Return the input of `kubectl apply`."""
    kubectl = Path(sys.executable).with_name("kubectl")
    command = [kubectl, "kustomize", KUBERNETES / "overlays" / overlay]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@cache
def objects(overlay: str) -> tuple[Object, ...]:
    """Return the objects of an overlay. Callers must not change them."""
    return tuple(yaml.load_all(rendered(overlay), yaml.CSafeLoader))


def of_kind(overlay: str, *kinds: str) -> dict[str, Object]:
    """Return the objects of these kinds by name."""
    return {found["metadata"]["name"]: found for found in objects(overlay) if found["kind"] in kinds}


def pods(overlay: str) -> dict[str, Object]:
    """Return the pod templates by component."""
    found = {}
    for name, one in of_kind(overlay, "Deployment", "StatefulSet", "Job", "CronJob").items():
        spec = one["spec"]["jobTemplate"]["spec"] if one["kind"] == "CronJob" else one["spec"]
        found[name] = spec["template"]
    return found


def container(template: Object) -> Object:
    """Return the one container that keeps running."""
    (only,) = template["spec"]["containers"]
    return dict(only)


def complaints(one: Object) -> list[str]:
    """Return the errors of an object, by its schemas."""
    name = f"{one['kind']} {one['metadata']['name']}"
    if one["apiVersion"].startswith("keda.sh/"):
        validator = jsonschema.Draft202012Validator(json.loads(OF_KEDA.read_text()))
        return [f"{name}: {error.json_path}: {error.message}" for error in validator.iter_errors(one)]
    found = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{name}: Kubernetes {version}: {error.message}")
    return found


def main() -> None:
    """Validate all overlays, and write them to build/kubernetes for the linter of policies."""
    folder = ROOT / "build" / "kubernetes"
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for overlay in (*OVERLAYS, RUNNERS):
        found += [f"{overlay}: {complaint}" for one in objects(overlay) for complaint in complaints(one)]
        (folder / f"{overlay}.yaml").write_text(rendered(overlay))
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main()
