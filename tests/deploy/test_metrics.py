"""Metrics, alert rules and dashboards agree with the code, the runbook and Prometheus' conventions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.compose import DEPLOY, our_services, read_compose
from tests.kit.metrics_table import EVERY, FILE, Metric, document, metrics

ALERTS = DEPLOY / "prometheus" / "alerts.yaml"
DASHBOARDS = sorted((DEPLOY / "grafana" / "dashboards").glob("*.json"))
NAME = re.compile(r"\b(?:arena|process)_[a-z_]+\b|\bup\b")
OF_PROMETHEUS = {"up", "process_cpu_seconds_total", "process_resident_memory_bytes"}
"""Metrics of Prometheus itself and of its client library."""
LABELS = {
    "process", "version", "level", "kind", "status", "state", "result", "reason", "why", "by", "task",
    "check", "outcome", "lane", "fault",
}  # fmt: skip
"""Labels with few values, all named in the code; none comes from a match, a bot or a visitor."""


def series() -> set[str]:
    return {name for metric in metrics() for name in metric.series} | OF_PROMETHEUS


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def panels(path: Path) -> list[dict[str, Any]]:
    return [panel for panel in json.loads(path.read_text())["panels"] if panel["type"] != "row"]


def names_in(expression: str) -> set[str]:
    """Return the metrics in an expression, without text in quotation marks and in lists of labels."""
    bare = re.sub(r'"[^"]*"', '""', expression)
    bare = re.sub(r"\{[^}]*\}|\b(?:by|on|without)\s*\([^)]*\)", "", bare)
    return set(NAME.findall(bare))


def test_names_are_found_in_expressions() -> None:
    expression = 'sum by (up) (rate(arena_a_total{up="arena_b"}[5m])) > 0 and up{job="arena"} == 0'
    assert names_in(expression) == {"arena_a_total", "up"}


def test_the_table_of_metrics_is_true() -> None:
    assert document() == FILE.read_text()


def bad_names(metric: Metric) -> list[str]:
    """Return the violations of Prometheus' conventions."""
    faults = []
    if not re.fullmatch(r"arena(_[a-z0-9]+)+", metric.name):
        faults.append("its name")
    if (metric.kind == "counter") != metric.name.endswith("_total"):
        faults.append("_total is for counters")
    if re.search(r"_(ms|milliseconds|minutes|hours|kb|mb|percent)(_|$)", metric.name):
        faults.append("a unit that is not a base unit")
    if metric.kind == "histogram" and not metric.unit:
        faults.append("a unit is missing")
    if not set(metric.labels) <= LABELS:
        faults.append("a label without known values")
    return faults


def test_names_and_labels_follow_the_conventions() -> None:
    assert {metric.name: faults for metric in metrics() if (faults := bad_names(metric))} == {}
    wrong = Metric("arena_wait_ms", "counter", "", ("match",), EVERY, "")
    assert bad_names(wrong) == [
        "_total is for counters",
        "a unit that is not a base unit",
        "a label without known values",
    ]


def test_alerts_and_dashboards_use_metrics_that_there_are() -> None:
    known = series()
    used = {f"alert {rule['alert']}": rule["expr"] for rule in rules()}
    for path in DASHBOARDS:
        for panel in panels(path):
            used |= {f"{path.stem}: {panel['title']} {one['refId']}": one["expr"] for one in panel["targets"]}
    assert len(used) > 60
    assert {where: names_in(expr) - known for where, expr in used.items() if names_in(expr) - known} == {}
    assert {where for where, expr in used.items() if not names_in(expr)} == set()


def test_every_metric_of_ours_is_seen_somewhere() -> None:
    """Each is on a dashboard or in an alert: a metric that nobody reads need not be counted."""
    seen = {name for rule in rules() for name in names_in(rule["expr"])}
    for path in DASHBOARDS:
        seen |= {name for panel in panels(path) for one in panel["targets"] for name in names_in(one["expr"])}
    beside = {"arena_build_info", "arena_doctor_run_timestamp_seconds", "arena_gateway_matches"}
    assert {metric.name for metric in metrics() if not metric.series & seen} <= beside


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)
def test_every_panel_says_what_it_shows_and_in_which_unit(path: Path) -> None:
    dashboard = json.loads(path.read_text())
    assert dashboard["uid"] == path.stem and dashboard["title"].startswith("Arena: ")
    found = panels(path)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    for panel in found:
        assert panel["title"] and panel["description"], panel
        assert panel["fieldConfig"]["defaults"]["unit"] in {"short", "s", "bytes", "percentunit", "reqps", "cpm"}, panel
        assert {one["datasource"]["uid"] for one in panel["targets"]} == {"prometheus"}
    places = [panel["gridPos"] for panel in dashboard["panels"]]
    taken = [(x, y) for p in places for x in range(p["x"], p["x"] + p["w"]) for y in range(p["y"], p["y"] + p["h"])]
    assert len(taken) == len(set(taken)), "two panels lie one upon the other"


def anchors(text: str) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_alert_leads_to_a_place_of_the_runbook_that_names_it() -> None:
    runbook = (DEPLOY / "RUNBOOK.md").read_text()
    known, found = anchors(runbook), rules()
    for rule in found:
        file, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert file == "RUNBOOK.md" and anchor in known, rule["alert"]
        assert rule["labels"]["severity"] in {"warning", "critical"} and rule["annotations"]["summary"]
        assert f"`{rule['alert']}`" in runbook, rule["alert"]
    named = set(re.findall(r"`(Arena[A-Z]\w+)`", runbook))
    assert named == {rule["alert"] for rule in found}


def test_every_alert_is_tried_when_it_fires_and_when_it_does_not() -> None:
    tests = yaml.safe_load((ALERTS.parent / "alerts_test.yaml").read_text())["tests"]
    tried = {(one["alertname"], bool(one["exp_alerts"])) for test in tests for one in test["alert_rule_test"]}
    assert tried == {(rule["alert"], fires) for rule in rules() for fires in (True, False)}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool (apt-get install prometheus)")
def test_an_alert_that_is_weakened_is_noticed(tmp_path: Path) -> None:
    """`make check` runs the rules unchanged."""
    shutil.copy(ALERTS.parent / "alerts_test.yaml", tmp_path)
    text = ALERTS.read_text()
    assert "(arena_oldest_scheduled_match_seconds) > 120" in text
    (tmp_path / "alerts.yaml").write_text(text.replace("match_seconds) > 120", "match_seconds) > 3600"))
    command = ["promtool", "test", "rules", "alerts_test.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "ArenaMatchesWait" in done.stdout + done.stderr


def test_prometheus_finds_every_process_of_compose() -> None:
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    (job,) = config["scrape_configs"]
    (found,) = job["dns_sd_configs"]
    measured = read_compose("compose.metrics.yaml")["services"]
    ours = set(our_services()) - {"migrate"} | {"runner"}
    with_port = {name: one["environment"] for name, one in measured.items() if name in ours}
    assert set(found["names"]) == set(with_port) == ours
    assert {one["ARENA_METRICS_PORT"] for one in with_port.values()} == {str(found["port"])}
    assert job["job_name"] == "arena" and 'up{job="arena"}' in ALERTS.read_text()
    for service in ("prometheus", "grafana"):
        for volume in measured[service]["volumes"]:
            place = volume.split(":")[0]
            assert not place.startswith(".") or (DEPLOY / place).exists(), place
        assert all(port.startswith("127.0.0.1:") for port in measured[service]["ports"])
