"""Wherever a runner is deployed, it has the rights that sandboxes need, its own secrets, and no others."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from arena.runner.server import DRAIN_FLUSH_S, DRAIN_GRACE_S
from arena.sandbox.cgroups import find_group_roots
from tests.deploy.compose import DEPLOY, ROOT, VARIABLE, image_stage, our_services, read_compose
from tests.deploy.kubernetes import KUBERNETES, RUNNERS, complaints, container, objects, of_kind, pods
from tests.deploy.reach import End, allows
from tests.deploy.test_kubernetes import ADDRESSES, TRIED, secrets_of
from tests.kit.lacking import give_up, require_sandboxes

MAY_HAVE: Final = {"REDIS_RUNNER_PASSWORD", "ARENA_RUNNER_TOKEN"}
"""The only secrets of a runner. A program that breaks out of its sandbox gains these, and must gain no others."""
CALLS: Final = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
UNIT: Final = (DEPLOY / "naqala-runner.service").read_text()


def runner_service() -> dict[str, Any]:
    return dict(read_compose()["services"]["runner"])


def runner_pod() -> dict[str, Any]:
    return dict(pods(RUNNERS)["runner"])


def capabilities() -> set[str]:
    return set(runner_service()["cap_add"])


# Secrets and networks


def test_the_runner_of_compose_has_no_other_secrets() -> None:
    service = runner_service()
    assert set(VARIABLE.findall(json.dumps(service))) == MAY_HAVE
    assert service["environment"].keys() == {"REDIS_URL", "ARENA_RUNNER_TOKEN"}
    assert "//arena_runner:" in service["environment"]["REDIS_URL"]
    # arena.env may have the keys of a store.
    assert service["env_file"] == []
    assert service["volumes"] == ["runner:/var/lib/arena-runner"]
    assert not service.keys() & {"privileged", "secrets", "configs", "devices", "pid", "network_mode", "extra_hosts"}


def test_the_runner_of_compose_reaches_its_gateways_and_redis() -> None:
    compose = read_compose()
    assert runner_service()["networks"] == ["runners"] and compose["networks"]["runners"] == {"internal": True}
    beside = {name for name, one in compose["services"].items() if "runners" in one.get("networks", [])}
    assert beside == {"runner", "gateway-1", "gateway-2", "redis"}
    measured = read_compose("compose.metrics.yaml")["services"]
    assert {name for name, one in measured.items() if "runners" in one.get("networks", [])} == {"prometheus"}


def test_a_pod_of_a_runner_has_no_other_secrets() -> None:
    one = container(runner_pod())
    assert secrets_of(one) == MAY_HAVE
    assert {entry["name"] for entry in one["env"]} == {"REDIS_URL", *MAY_HAVE}
    # Nothing but variables could hold one.
    text = json.dumps([found for found in objects(RUNNERS) if found["kind"] != "Namespace"])
    assert "DATABASE_URL" not in text and "POSTGRES" not in text and "SIGNING_KEY" not in text
    assert {next(iter(volume.keys() - {"name"})) for volume in runner_pod()["spec"]["volumes"]} == {"emptyDir"}
    (settings,) = of_kind(RUNNERS, "ConfigMap").values()
    assert settings["data"].keys() == {"ARENA_GATEWAY_ADDRESS", "ARENA_METRICS_PORT"}
    assert not of_kind(RUNNERS, "Secret", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")


def test_a_pod_of_a_runner_reaches_redis_gateways_and_names_alone() -> None:
    policies = list(of_kind(RUNNERS, "NetworkPolicy").values())
    runner = End("runner", runner_pod()["metadata"]["labels"])
    arena = {"kubernetes.io/metadata.name": "arena"}
    balancer = "192.0.2.20"
    others = [
        *(End(name, template["metadata"]["labels"], arena) for name, template in pods("small").items()),
        End("names", {"k8s-app": "kube-dns"}, {"kubernetes.io/metadata.name": "kube-system"}),
        End("prometheus", {}, {"naqala-arena/metrics": "yes"}),
        End("another runner", runner.pod),
        *(End(address, address=address) for address in (*ADDRESSES, balancer)),
    ]
    out = {(end.name, port) for end, port in product(others, TRIED) if allows(policies, runner, end, port)}
    assert out == {("redis", 6379), ("gateway", 50051), (balancer, 50051), ("names", 53)}
    into = {(end.name, port) for end, port in product(others, TRIED) if allows(policies, end, runner, port)}
    assert into == {("prometheus", 9464)}


# The pod


def test_a_pod_of_a_runner_is_that_of_compose_on_nodes_of_its_own() -> None:
    one, service = container(runner_pod()), runner_service()
    wrapper, own = one["command"][:6], one["command"][6:]
    assert wrapper == [
        *("tini", "--", "setpriv", "--inh-caps=-all"),
        "--bounding-set=-all," + ",".join(f"+{name.lower()}" for name in service["cap_add"]),
        "--no-new-privs",
    ]
    gateways = [word for word in service["command"] if word.startswith("http") or word == "--gateway"]
    assert [word for word in service["command"] if word not in gateways] == [
        word for word in own if word not in ("--gateway", "$(ARENA_GATEWAY_ADDRESS)", "--cores", "0-3")
    ]
    for probe in ("startupProbe", "livenessProbe"):
        assert ["CMD", *one[probe]["exec"]["command"]] == service["healthcheck"]["test"]
        assert one[probe]["timeoutSeconds"] >= 120
    spec = runner_pod()["spec"]
    assert spec["nodeSelector"] == {"naqala-arena/runners": "yes"} and spec["tolerations"][0]["effect"] == "NoSchedule"
    assert spec["serviceAccountName"] == "runner" and spec["automountServiceAccountToken"] is False
    assert of_kind(RUNNERS, "ServiceAccount")["runner"]["automountServiceAccountToken"] is False
    assert not spec.keys() & {"hostNetwork", "hostPID", "hostIPC"}
    # Two on a node would give a core to two bots.
    (apart,) = spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert apart["topologyKey"] == "kubernetes.io/hostname"
    assert 2 * DRAIN_FLUSH_S + DRAIN_GRACE_S < 5 and spec["terminationGracePeriodSeconds"] >= 20
    budget = of_kind(RUNNERS, "PodDisruptionBudget")["runner"]["spec"]
    assert budget["selector"] == of_kind(RUNNERS, "Deployment")["runner"]["spec"]["selector"]
    assert {place["metadata"].get("namespace") for place in objects(RUNNERS) if place["kind"] != "Namespace"} == {
        "arena-runners"
    }
    assert [complaint for found in objects(RUNNERS) for complaint in complaints(found)] == []


def test_another_runner_is_the_overlay_in_another_namespace(tmp_path: Path) -> None:
    """Its secret has another token, and it never shares a node with the first."""
    copy = tmp_path / "kubernetes"
    shutil.copytree(KUBERNETES, copy)
    overlay = copy / "overlays" / "runners" / "kustomization.yaml"
    before = overlay.read_text()
    overlay.write_text(before.replace("\nnamespace: arena-runners\n", "\nnamespace: arena-runners-2\n"))
    kubectl = Path(sys.executable).with_name("kubectl")
    command = [kubectl, "kustomize", overlay.parent]
    found = list(yaml.safe_load_all(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    assert len(found) == len(objects(RUNNERS))
    for one in found:
        if one["kind"] == "Namespace":
            assert one["metadata"]["name"] == "arena-runners-2"
            assert one["metadata"]["labels"]["naqala-arena/runners"] == "yes"
        else:
            assert one["metadata"]["namespace"] == "arena-runners-2"
    deployment = of_kind(RUNNERS, "Deployment")["runner"]["spec"]
    assert deployment["replicas"] == 1, "pods of one deployment share a token"
    (apart,) = deployment["template"]["spec"]["affinity"]["podAntiAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert apart["namespaceSelector"] == {"matchLabels": {"naqala-arena/runners": "yes"}}


def test_an_arena_without_micro_vms_leaves_one_component_out(tmp_path: Path) -> None:
    assert runner_pod()["spec"]["runtimeClassName"] == "kata"
    limits = container(runner_pod())["resources"]["limits"]
    assert limits["cpu"] == "4" and container(runner_pod())["command"][-2:] == ["--cores", "0-3"]
    kubectl = Path(sys.executable).with_name("kubectl")
    bare = subprocess.run(
        [kubectl, "kustomize", KUBERNETES / "runner"], capture_output=True, text=True, check=True
    ).stdout
    assert "runtimeClassName" not in bare and "--cores" not in bare


# The image


def test_the_image_of_runners_has_what_the_starter_kits_need() -> None:
    """The kits' own Dockerfiles say what builds and starts them on Debian."""
    stage = image_stage("runner")
    packages = set(re.search(r"--no-install-recommends ([^&]*)&&", stage)[1].split())  # type: ignore[index]
    assert {"bubblewrap", "python3", "tini", "nodejs", "default-jdk-headless"} <= packages
    starters = ROOT / "arena" / "starters"
    for kit in ("cpp", "ruby", "go"):
        lines = (starters / kit / "Dockerfile").read_text().replace("\\\n", " ")
        needed = {
            name
            for found in re.findall(r"--no-install-recommends (.*)", lines)
            for name in found.split("&&")[0].split()
        }
        assert {name for name in needed if not name.startswith(("ca-certificates", "libgrpc++1."))} <= packages, kit
    (wanted,) = re.findall(r"^FROM (golang:\S+) AS build", (starters / "go" / "Dockerfile").read_text(), re.MULTILINE)
    assert f"\nARG GO={wanted}\n" in (DEPLOY / "Dockerfile").read_text()
    assert "\nCOPY --from=go /usr/local/go /usr/local/go\n" in stage
    assert runner_service()["build"]["target"] == "runner"
    assert runner_service()["image"] not in {one["image"] for one in our_services().values()}
    # The sandboxes' users go through the folder.
    assert "--mode 0711 /var/lib/arena-runner" in stage


# Capabilities and system calls


def test_the_unit_of_systemd_has_the_same_rights() -> None:
    (bounding,) = re.findall(r"^CapabilityBoundingSet=(.*)$", UNIT, re.MULTILINE)
    assert {name.removeprefix("CAP_") for name in bounding.split()} == capabilities()
    assert {"Delegate=yes", "NoNewPrivileges=yes", "ProtectHome=yes"} <= set(UNIT.splitlines())
    # With any of these no sandbox can be made.
    names = "SystemCallFilter|RestrictNamespaces|PrivateUsers|ProtectProc|ProcSubset|ProtectKernel|ProtectControlGroups"
    assert not re.search(f"^({names})", UNIT, re.MULTILINE)


@pytest.mark.parametrize("language", ["en", "es", "fr", "ru"])
def test_the_guide_shows_the_unit(language: str) -> None:
    guide = (ROOT / "webui/site/docs" / language / "operators.md").read_text()
    (shown,) = re.findall(r"^```ini\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert shown.splitlines() and set(shown.splitlines()) <= set(UNIT.splitlines())


PROBE: Final = """
import ctypes, struct, sys, tempfile, time
from pathlib import Path

filter = bytes.fromhex(sys.argv[1])
program = ctypes.create_string_buffer(filter, len(filter))
header = struct.pack("HxxxxxxQ", len(filter) // 8, ctypes.addressof(program))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(22, 2, header) == 0, ctypes.get_errno()

from arena.sandbox.limits import Mounts, SandboxLimit, SandboxLimits
from arena.sandbox.running import start
from arena.sandbox.support import sandbox_support

support = sandbox_support()
assert support.is_fit_for_strangers and support.has_own_users, support.reasons
image = Path(tempfile.mkdtemp())
image.chmod(0o755)
fills = "open('/tmp/full', 'wb', 0).write(bytes(90 << 20))\\nimport time\\ntime.sleep(1000)"
sandbox = start(["/usr/bin/python3", "-I", "-c", fills], Mounts(image=image), SandboxLimits(scratch_bytes=1 << 20))
end = time.monotonic() + 60
while SandboxLimit.DISK not in sandbox._reached and time.monotonic() < end:
    time.sleep(0.05)
sandbox.freeze()
sandbox.pin(min(__import__("os").sched_getaffinity(0)))
sandbox.thaw()
sandbox.kill()
verdict = sandbox.wait(60)
image.rmdir()
assert SandboxLimit.DISK in verdict.reached, verdict
print("works")
"""
"""A runner's use of a sandbox, under the filter of system calls that its argument has."""


@pytest.fixture(scope="module")
def group() -> Iterator[list[Path]]:
    """Yield control groups of root, as a container has them: nobody else is in them."""
    require_sandboxes()
    if os.geteuid() != 0:
        give_up("the tests do not run as root, who alone can give a process the rights of a runner")
    roots = find_group_roots()
    if roots.unified is None:
        give_up("no control group of version 2 can be made here")
    groups = [root / f"arena-test-{os.getpid()}" for root in {*roots.v1.values(), roots.unified}]
    for folder in groups:
        folder.mkdir()
    yield groups
    for folder in groups:
        for left in folder.glob("*/"):  # of a probe that was not allowed to go on
            left.rmdir()
        folder.rmdir()


def denied_calls() -> bytes:
    """Return the filter that Docker makes of runner-seccomp.json, as a program for the kernel."""
    if not CALLS.exists():
        give_up(f"{CALLS} is missing: install Debian's package libc6-dev")
    profile = json.loads((DEPLOY / "runner-seccomp.json").read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    (rule,) = profile["syscalls"]
    numbers = dict(re.findall(r"#define __NR_(\w+) (\d+)", CALLS.read_text()))
    program = [struct.pack("=HBBI", 0x20, 0, 0, 0)]
    for name in rule["names"]:
        if name in numbers:
            program.append(struct.pack("=HBBI", 0x15, 0, 1, int(numbers[name])))
            program.append(struct.pack("=HBBI", 0x06, 0, 0, 0x00050000 | rule["errnoRet"]))
    return b"".join([*program, struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)])


def use_sandboxes_with(names: set[str], groups: list[Path]) -> subprocess.CompletedProcess[str]:
    """Run `PROBE` as root with these capabilities only."""
    join = " && ".join(f"echo $$ > {folder}/cgroup.procs" for folder in groups)
    bounding = ",".join(["-all", *(f"+{name.lower()}" for name in sorted(names))])
    command = ["setpriv", "--inh-caps=-all", f"--bounding-set={bounding}", "--no-new-privs"]
    return subprocess.run(
        ["sh", "-c", f'{join} && exec "$@"', "sh", *command, sys.executable, "-c", PROBE, denied_calls().hex()],
        capture_output=True, text=True, check=False, cwd="/", env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_a_runner_with_the_rights_of_compose_makes_sandboxes_for_strangers(group: list[Path]) -> None:
    done = use_sandboxes_with(capabilities(), group)
    assert done.stdout == "works\n", done.stdout + done.stderr


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(capabilities()))
def test_a_runner_needs_each_of_its_rights(name: str, group: list[Path]) -> None:
    done = use_sandboxes_with(capabilities() - {name}, group)
    assert done.returncode != 0 and "works" not in done.stdout, name
