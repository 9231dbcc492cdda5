"""deploy/kubernetes agrees with compose.yaml, with the code, and with docs/ARCHITECTURE.md.

These tests need no cluster: they read the rendered objects. tests/gateway/test_reconnect.py,
tests/faults/test_celery.py and tests/deploy/test_as_processes.py show on real processes how these stop.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from arena.gateway.limits import RunnerServiceLimits
from arena.gateway.server import DRAIN_FLUSH_S, DRAIN_GRACE_S
from arena.hosting.limits import HostingLimits
from tests.deploy.compose import (
    DEPLOY,
    ROOT,
    VARIABLE,
    fill_in,
    image_stage,
    our_services,
    read_compose,
    secrets_set,
    settings_explained,
    settings_set,
)
from tests.deploy.kubernetes import KUBERNETES, OVERLAYS, complaints, container, objects, of_kind, pods
from tests.deploy.reach import End, allows
from tests.kit.arena.database import empty_sqlite
from tests.kit.command import ARENA
from webui.commands.admin import PORTS, DeployedProcess
from workers.metrics import OLDEST_SCHEDULED

README = (KUBERNETES / "README.md").read_text()
OURS = {"web", "gateway", "referee", "upkeep", "migrate", "backup"}
LONG_LIVED = {"web", "gateway", "referee", "upkeep"}
EXPANDED = re.compile(r"\$\(([A-Z_]+)\)")
SECRETS = {name: f"secret-{name.lower().replace('_', '-')}" for name in secrets_set()}
OF_COMPOSE = {"gateway": "gateway-1"}
"""Services of compose.yaml with another name."""

both = pytest.mark.parametrize("overlay", OVERLAYS)


def service(component: str) -> dict[str, Any]:
    """Return the service of compose.yaml."""
    return dict(read_compose()["services"][OF_COMPOSE.get(component, component)])


def environment(overlay: str, holder: dict[str, Any]) -> dict[str, str]:
    """Return the environment of a container, with `SECRETS` as the secret. An unknown secret or setting is a
    KeyError."""
    maps = of_kind(overlay, "ConfigMap")
    found: dict[str, str] = {}
    for one in holder.get("env", ()):
        source = one.get("valueFrom", {})
        if reference := source.get("secretKeyRef"):
            assert reference["name"] == "arena"
            found[one["name"]] = SECRETS[reference["key"]]
        elif reference := source.get("configMapKeyRef"):
            found[one["name"]] = maps[reference["name"]]["data"][reference["key"]]
        else:
            found[one["name"]] = EXPANDED.sub(lambda name: found[name[1]], one["value"])
    of_maps: dict[str, str] = {}
    for one in holder.get("envFrom", ()):
        of_maps |= maps[one["configMapRef"]["name"]]["data"]
    return of_maps | found


def secrets_of(holder: dict[str, Any]) -> set[str]:
    return {
        one["valueFrom"]["secretKeyRef"]["key"]
        for one in holder.get("env", ())
        if "secretKeyRef" in one.get("valueFrom", {})
    }


@both
def test_every_object_is_valid(overlay: str) -> None:
    """`make check` validates all objects; this shows that it would reject invalid ones."""
    deployments = of_kind(overlay, "Deployment")
    for change in ({"replica": 2}, {"replicas": "two"}, {"template": []}):
        wrong = deepcopy(deployments["gateway"])
        wrong["spec"] |= change
        assert complaints(wrong), change
    for scaled in of_kind("production", "ScaledObject").values():
        assert not complaints(scaled)
        assert complaints({**scaled, "spec": {**scaled["spec"], "maxReplicas": 3}})


def test_both_overlays_have_the_services_of_compose() -> None:
    services = read_compose()["services"].keys() - {"runner"}  # the overlay `runners` has it
    wanted = {name.removesuffix("-1").removesuffix("-2") for name in services} | {"backup"}
    assert set(pods("small")) == wanted
    assert set(pods("production")) == wanted - {"postgres"}  # others look after the database


@both
def test_commands_ports_and_probes_are_those_of_compose(overlay: str) -> None:
    services = our_services()
    for component in sorted(LONG_LIVED | {"migrate", "redis"}):
        compose, one = service(component), container(pods(overlay)[component])
        wanted = [VARIABLE.sub(r"$(\1)", word) for word in compose["command"]]
        assert (one["args"] if component == "redis" else one["command"]) == wanted, component
        if component == "migrate":
            continue
        ports = {int(port.rpartition(":")[2]) for port in compose.get("ports", ())}
        named = {port["name"]: port["containerPort"] for port in one.get("ports", ())}
        assert {port for name, port in named.items() if name not in ("metrics", "redis")} == ports
        kind, *check = compose["healthcheck"]["test"]
        assert kind == "CMD"
        for probe in ("startupProbe", "livenessProbe"):
            assert one[probe]["exec"]["command"] == check
            # A probe starts a program, on a machine that may be busy.
            assert one[probe]["timeoutSeconds"] >= (5 if component == "redis" else 120)
    gateway, web = container(pods(overlay)["gateway"]), container(pods(overlay)["web"])
    first = {
        kind: one["ports"][0]["containerPort"]
        for kind, one in ((DeployedProcess.WEB, web), (DeployedProcess.GATEWAY, gateway))
    }
    assert first == PORTS
    assert services.keys() - {"gateway-1", "gateway-2"} <= pods(overlay).keys()


@pytest.mark.slow
@both
def test_the_site_is_ready_if_it_shows_a_page_with_data(overlay: str, client: Any, db: None, settings: Any) -> None:
    """The probe asks for a page of the database, by the name of the site. Other names are refused."""
    hosts = environment(overlay, container(pods(overlay)["web"]))["ARENA_HOSTS"].split(",")
    settings.ALLOWED_HOSTS = hosts
    get = container(pods(overlay)["web"])["readinessProbe"]["httpGet"]
    (header,) = get["httpHeaders"]
    assert (header["name"], header["value"], get["port"]) == ("Host", hosts[0], "http")
    assert client.get(get["path"], headers={"host": header["value"]}).status_code == 200
    assert get["path"] == "/bots/"
    assert client.get("/bots/", headers={"host": "elsewhere.example.org"}).status_code == 400
    (ingress,) = of_kind(overlay, "Ingress").values()
    assert [rule["host"] for rule in ingress["spec"]["rules"]] == hosts[:1] == ingress["spec"]["tls"][0]["hosts"]


@both
def test_settings_are_those_of_compose(overlay: str) -> None:
    """Only the differences between any two deployments are left out: the database's address, TLS, and the proxies."""
    for component in sorted(LONG_LIVED | {"migrate"}):
        theirs = service(component)["environment"]
        wanted = {name: fill_in(value, SECRETS) for name, value in theirs.items()}
        one = container(pods(overlay)[component])
        found = environment(overlay, one)
        address = found.get("POSTGRES_ADDRESS", "")
        for name in [name for name in wanted if name.endswith("DATABASE_URL")]:
            wanted[name] = wanted[name].replace("postgres:5432/arena", address)
        if component == "gateway":
            tls = read_compose("compose.tls.yaml")["services"]["gateway-1"]["environment"]
            del wanted["ARENA_CLEAR_TEXT"]
            wanted |= {name: found[name] for name in tls if name != "ARENA_CLEAR_TEXT"}
        wanted |= {name: found[name] for name in wanted if name == "ARENA_PROXIES"}
        own = {name: value for name, value in found.items() if name in wanted}
        assert own == wanted, component
        # The others are in arena.env, or are parts of an address.
        assert secrets_of(one) == set(VARIABLE.findall(str(theirs))), component
        known = settings_explained().keys() | {"POSTGRES_ADDRESS"}
        assert found.keys() <= known, found.keys() - known
        assert settings_set().keys() <= found.keys()
    assert secrets_of(container(pods(overlay)["backup"])) == {"POSTGRES_PASSWORD"}
    assert secrets_of(container(pods(overlay)["redis"])) == {
        *("REDIS_PASSWORD", "REDIS_SITE_PASSWORD", "REDIS_RUNNER_PASSWORD"),
    }


@both
def test_what_containers_may_write_is_what_compose_lets_them(overlay: str) -> None:
    claims = of_kind(overlay, "PersistentVolumeClaim")
    for component in sorted(LONG_LIVED | {"migrate"}):
        template = pods(overlay)[component]
        compose = {volume.split(":")[1]: volume.endswith(":ro") for volume in service(component).get("volumes", ())}
        compose |= dict.fromkeys(service(component)["tmpfs"], False)
        mounts = container(template)["volumeMounts"]
        found = {mount["mountPath"]: mount.get("readOnly", False) for mount in mounts if mount["name"] != "tls"}
        assert found == compose, component
        for volume in template["spec"]["volumes"]:
            if claim := volume.get("persistentVolumeClaim"):
                assert claim["claimName"] in claims
            else:
                assert volume["name"] == "tls" or volume["emptyDir"]["sizeLimit"]
    limits = RunnerServiceLimits()
    most = max(limits.max_blob_bytes, HostingLimits().packed_bytes, HostingLimits().weights_bytes)
    (room,) = (one["emptyDir"] for one in pods(overlay)["gateway"]["spec"]["volumes"] if one["name"] == "tmp")
    # All files that it sends and receives at a time.
    assert int(room["sizeLimit"].removesuffix("Gi")) << 30 > limits.max_transfers * most
    assert claims["data"]["spec"]["accessModes"] == ["ReadWriteOnce" if overlay == "small" else "ReadWriteMany"]


@both
def test_containers_are_locked_down(overlay: str) -> None:
    (user,) = re.findall(r"^USER (\d+)$", image_stage("arena"), re.MULTILINE)
    for component, template in pods(overlay).items():
        spec = template["spec"]
        pod = spec["securityContext"]
        number = int(user) if component in OURS else 999
        assert (pod["runAsNonRoot"], pod["runAsUser"], pod["runAsGroup"], pod["fsGroup"]) == (True, *[number] * 3)
        assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is False
        assert spec["enableServiceLinks"] is False
        assert not spec.keys() & {"hostNetwork", "hostPID", "hostIPC"}
        for one in [*spec["containers"], *spec.get("initContainers", ())]:
            assert one["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert one["resources"]["requests"].keys() == {"cpu", "memory"} and one["resources"]["limits"]["memory"]
    (namespace,) = of_kind(overlay, "Namespace").values()
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    placed = {one["metadata"].get("namespace") for one in objects(overlay) if one["kind"] != "Namespace"}
    assert placed == {namespace["metadata"]["name"]}


@both
def test_one_image_for_all_processes(overlay: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    images = set()
    for component, template in pods(overlay).items():
        for one in [*template["spec"]["containers"], *template["spec"].get("initContainers", ())]:
            if component in OURS:
                images.add(one["image"])
            else:
                assert one["image"] == service(component)["image"]
    assert images == {f"registry.example.org/naqala-arena:{version}"}


@both
def test_a_new_version_waits_for_its_tables(overlay: str) -> None:
    """They wait as compose.yaml's services wait for `migrate`; each checks with its own role
    (tests/commands/test_roles.py)."""
    for component in sorted(LONG_LIVED):
        (first,) = pods(overlay)[component]["spec"]["initContainers"]
        assert first["command"] == ["sh", "-c", "until python -m django migrate --check; do sleep 2; done"]
        own = environment(overlay, container(pods(overlay)[component]))
        assert environment(overlay, first)["DATABASE_URL"] == own["DATABASE_URL"]


@both
def test_bots_and_matches_are_handed_over_before_a_pod_is_killed(overlay: str) -> None:
    assert 2 * DRAIN_FLUSH_S + DRAIN_GRACE_S < 5
    budgets = of_kind(overlay, "PodDisruptionBudget")
    deployments = of_kind(overlay, "Deployment")
    for component, deployment in deployments.items():
        spec = deployment["spec"]
        pod = spec["template"]["spec"]
        before = container(spec["template"]).get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        leaves_within = int(service(component)["stop_grace_period"].removesuffix("s"))
        assert pod["terminationGracePeriodSeconds"] >= before + 2 * leaves_within, component
        # A process that accepts connections is removed from its address before it closes, and replaced before it ends.
        assert (before >= 10) == (component in ("web", "gateway")), component
        assert spec["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
        assert spec["minReadySeconds"] >= 10
        budget = budgets[component]["spec"]
        assert budget == {"maxUnavailable": 1, "selector": {"matchLabels": spec["selector"]["matchLabels"]}}
    assert budgets.keys() == deployments.keys()
    gateway = of_kind(overlay, "Service")["gateway"]["spec"]
    assert (gateway["type"], gateway["externalTrafficPolicy"]) == ("LoadBalancer", "Local")


@both
def test_services_lead_to_the_pods_and_to_ports_that_they_have(overlay: str) -> None:
    found = of_kind(overlay, "Service")
    assert found.keys() == {"web", "gateway", "redis"} | ({"postgres"} if overlay == "small" else set())
    for name, one in found.items():
        template = pods(overlay)[name]
        assert one["spec"]["selector"].items() <= template["metadata"]["labels"].items()
        (port,) = one["spec"]["ports"]
        assert port["targetPort"] in {known["name"] for known in container(template)["ports"]}


def test_referees_are_scaled_by_the_oldest_waiting_match() -> None:
    (scaled,) = of_kind("production", "ScaledObject").values()
    deployment = of_kind("production", "Deployment")[scaled["spec"]["scaleTargetRef"]["name"]]
    assert deployment["metadata"]["name"] == "referee" and "replicas" not in deployment["spec"]
    by_age, by_cpu = scaled["spec"]["triggers"]
    (metric,) = OLDEST_SCHEDULED.describe()
    assert by_age["metadata"]["query"] == f'max({metric.name}{{namespace="arena"}})'
    assert (by_age["metricType"], by_cpu["type"]) == ("Value", "cpu")
    assert container(pods("production")["referee"])["resources"]["requests"]["cpu"]
    # There are enough places for all simultaneous matches, and only with the maximum number of referees.
    command = container(pods("production")["referee"])["command"]
    places = int(command[command.index("-c") + 1])
    settings = environment("production", container(pods("production")["upkeep"]))
    wanted = int(settings["ARENA_MATCHES"]) + int(settings["ARENA_EVENT_MATCHES"])
    assert scaled["spec"]["minReplicaCount"] * places < wanted < scaled["spec"]["maxReplicaCount"] * places


@both
def test_metrics_are_served_where_prometheus_is_sent(overlay: str) -> None:
    for component in sorted(LONG_LIVED):
        template = pods(overlay)[component]
        port = environment(overlay, container(template))["ARENA_METRICS_PORT"]
        notes = template["metadata"]["annotations"]
        assert (notes["prometheus.io/scrape"], notes["prometheus.io/port"]) == ("true", port)
        assert int(port) in {one["containerPort"] for one in container(template)["ports"]}


# Allowed connections

PUBLIC, PUBLIC_6, PRIVATE, METADATA, DATABASE = (
    "203.0.113.7",
    "2001:db8::7",
    "10.1.2.3",
    "169.254.169.254",
    "192.0.2.10",
)
ADDRESSES = (PUBLIC, PUBLIC_6, PRIVATE, METADATA, DATABASE)
TRIED = (25, 53, 80, 443, 587, 5432, 6379, 8000, 8443, 9464, 50051)
MAIL = (25, 587)


def table() -> dict[str, str]:
    """Return what each process connects to, by docs/ARCHITECTURE.md."""
    text = (ROOT / "docs/ARCHITECTURE.md").read_text().split("## Processes")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {row[0].split(",")[0]: row[2] for row in rows[2:]}


def expected(overlay: str) -> Iterator[tuple[str, str, int]]:
    """Yield source, target and port of all connections in the table, and of others: names, jobs, metrics."""
    database = [("postgres", 5432)] if overlay == "small" else [(DATABASE, 5432)]
    meant = {
        "database": database,
        "Redis": [("redis", 6379)],
        "mail server": list(product(ADDRESSES, MAIL)),
        "receivers of webhooks": list(product((PUBLIC, PUBLIC_6, DATABASE), TRIED)),
    }
    for process, text in table().items():
        component = {"site": "web"}.get(process, process)
        if component in LONG_LIVED:
            for word, targets in meant.items():
                if word in text:
                    yield from ((component, *target) for target in targets)
            if "browsers" in text:
                yield ("browsers", component, 8000)
            if "bots" in text:
                yield from ((address, component, 50051) for address in ADDRESSES)
        if process == "runner":
            yield from (("runner", *target) for target in [*meant["Redis"], ("gateway", 50051)])
    yield from ((job, *target) for job in ("migrate", "backup") for target in database)
    yield from (("prometheus", component, 9464) for component in LONG_LIVED)
    yield from ((component, "names", 53) for component in pods(overlay))


@both
def test_the_network_allows_the_table_of_processes_and_nothing_else(overlay: str) -> None:
    policies = of_kind(overlay, "NetworkPolicy").values()
    own = {name: End(name, template["metadata"]["labels"]) for name, template in pods(overlay).items()}
    others = {
        "browsers": End("browsers", {}, {"naqala-arena/ingress": "yes"}),
        "prometheus": End("prometheus", {}, {"naqala-arena/metrics": "yes"}),
        "names": End("names", {"k8s-app": "kube-dns"}, {"kubernetes.io/metadata.name": "kube-system"}),
        "stranger": End(
            "stranger", {"app.kubernetes.io/component": "referee"}, {"kubernetes.io/metadata.name": "other"}
        ),
        "runner": End("runner", {"app.kubernetes.io/component": "runner"}, {"naqala-arena/runners": "yes"}),
        "beside the runners": End("other", {}, {"naqala-arena/runners": "yes"}),
    }
    others |= {address: End(address, address=address) for address in ADDRESSES}
    ends = own | others
    found = {
        (source, target, port)
        for source, target, port in product(ends, ends, TRIED)
        if (source in own or target in own) and source != target and allows(policies, ends[source], ends[target], port)
    }
    wanted = set(expected(overlay))
    assert len(wanted) > 70 and {"Redis", "database"} <= table().keys()
    assert found == wanted, f"too much: {sorted(found - wanted)[:9]}; missing: {sorted(wanted - found)[:9]}"


def test_the_site_sends_mail_and_so_the_table_says() -> None:
    """Each process that has the mail server's address may connect to it, by the table."""
    with_mail = {name for name, one in our_services().items() if "ARENA_EMAIL_URL" in one["environment"]}
    assert with_mail == {
        {"site": "web"}.get(process, process) for process, text in table().items() if "mail server" in text
    }


# Backups, and the commands of the README


@pytest.mark.slow
def test_the_nightly_backup_keeps_two_weeks_of_them(tmp_path: Path) -> None:
    """Run the job's own command, with another folder than /backups and the database of this test."""
    backups = tmp_path / "backups"
    backups.mkdir()
    empty_sqlite(tmp_path / "arena.sqlite3")
    now = time.time()
    for days in (1, 13, 15, 40):
        former = backups / f"arena-{days}.dump"
        former.touch()
        os.utime(former, (now, now - days * 86400))
    one = container(pods("small")["backup"])
    (place,) = {mount["mountPath"] for mount in one["volumeMounts"]} - {"/tmp"}
    shell, option, line = one["command"]
    assert place in line
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "DATABASE_URL": f"sqlite:///{tmp_path}/arena.sqlite3",
        "ARENA_VAR": str(tmp_path / "var"),
    }
    command = [shell, option, line.replace(place, str(backups))]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300)
    left = {path.name for path in backups.iterdir()}
    new = left - {"arena-1.dump", "arena-13.dump"}
    assert len(new) == 1 and len(left) == 3
    assert re.fullmatch(r"arena-\d{4}-\d\d-\d\d-\d{6}\.dump", *new)

    # Without a new one the old ones stay.
    os.utime(backups / "arena-1.dump", (now, now - 40 * 86400))
    failed = subprocess.run(
        command, env={**environment, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"},
        check=False, capture_output=True, timeout=300,
    )  # fmt: skip
    assert failed.returncode and (backups / "arena-1.dump").exists()


def test_the_secret_that_the_readme_makes_has_all_that_pods_refer_to() -> None:
    (line,) = re.findall(r"^kubectl (.* --from-env-file=)deploy/secrets\.env\b", README, re.MULTILINE)
    *words, option = line.split()
    kubectl = Path(sys.executable).with_name("kubectl")
    command = [kubectl, *words, f"{option}{DEPLOY / 'secrets.env.example'}", "--dry-run=client", "--output=json"]
    made = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert made["metadata"]["name"] == "arena"
    known = set().union(*(secrets_of(container(pod)) for pod in pods("small").values()))
    assert made["data"].keys() == known | {"ARENA_RUNNER_TOKEN"}  # for compose.yaml


def test_the_restore_of_the_readme_is_a_job_that_restores(tmp_path: Path) -> None:
    """`kubectl create job --from` uses the CronJob's job template."""
    template = of_kind("small", "CronJob")["backup"]["spec"]["jobTemplate"]["spec"]
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "restore"}, "spec": template}
    (program,) = re.findall(r"jq '(.*?)'", README)
    restore = json.loads(
        subprocess.run(["jq", program], input=json.dumps(job), capture_output=True, text=True, check=True).stdout
    )
    assert not complaints(restore)
    one = container(restore["spec"]["template"])
    assert one["command"][:3] == ["arena", "admin", "restore"]
    asked = subprocess.run(
        [*ARENA, *one["command"][1:]], env={**os.environ, "ARENA_VAR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "there is no file /backups/FILE" in asked.stderr  # so it has understood its options
    assert one["env"] == container(pods("small")["backup"])["env"]


def test_the_readme_names_what_there_is() -> None:
    for path in re.findall(r"(?<!/)\bdeploy/[\w./-]+", README):
        assert (ROOT / path.rstrip(".")).exists() or path in ("deploy/secrets.env",), path
    known: dict[str, Any] = getattr(get_command(__import__("webui.commands.admin", fromlist=["app"]).app), "commands")  # noqa: B009
    commands = set(re.findall(r"arena admin ([a-z]+)", README))
    assert commands and commands <= known.keys()
    named = set(re.findall(r"\b(?:ARENA|POSTGRES|REDIS)_[A-Z_]+", README))
    assert named and named <= settings_explained().keys()
    known_objects = {one["metadata"]["name"] for overlay in OVERLAYS for one in objects(overlay)}
    objects_named = set(re.findall(r"(?:deployment|cronjob|job)/([a-z]+)", README))
    assert objects_named and objects_named <= known_objects | {"restore", "now"}, objects_named - known_objects
