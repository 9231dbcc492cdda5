"""Allowed connections by the NetworkPolicies of a rendered overlay, as the API's reference defines them.

A pod that a policy selects for a direction connects in that direction only as some policy allows. If both ends are pods
of the namespace, both must allow the connection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

Labels = Mapping[str, str]
DIRECTIONS = {"Ingress": ("ingress", "from"), "Egress": ("egress", "to")}


@dataclass(frozen=True)
class End:
    """One end of a connection: a pod of this namespace or of another, or an address outside of the cluster."""

    name: str
    pod: Labels = field(default_factory=dict)
    namespace: Labels | None = None
    """Labels of the other namespace; `None` for this one, or for an address."""
    address: str = ""
    """Address of an end that is not a pod."""

    @property
    def is_ours(self) -> bool:
        """Whether policies of this namespace can select it."""
        return not self.address and self.namespace is None


def selects(selector: Mapping[str, Any], labels: Labels) -> bool:
    """Return whether a label selector matches these labels."""
    assert selector.keys() <= {"matchLabels", "matchExpressions"}
    for rule in selector.get("matchExpressions", ()):
        assert rule["operator"] == "In", rule
        if labels.get(rule["key"]) not in rule["values"]:
            return False
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())


def is_peer(peer: Mapping[str, Any], end: End) -> bool:
    """Return whether one entry of `from` or `to` matches this end."""
    if block := peer.get("ipBlock"):
        if not end.address:
            return False
        address = ip_address(end.address)
        return address in ip_network(block["cidr"]) and not any(
            address in ip_network(part) for part in block.get("except", ())
        )
    if end.address:
        return False
    of_namespace = peer.get("namespaceSelector")
    if of_namespace is None:
        return end.is_ours and selects(peer["podSelector"], end.pod)
    return selects(of_namespace, end.namespace or {}) and selects(peer.get("podSelector", {}), end.pod)


def has_port(rule: Mapping[str, Any], port: int) -> bool:
    """Return whether a rule applies to this TCP port."""
    return "ports" not in rule or any(
        one["protocol"] == "TCP" and one["port"] <= port <= one.get("endPort", one["port"]) for one in rule["ports"]
    )


def one_side_allows(policies: Iterable[Mapping[str, Any]], direction: str, own: End, other: End, port: int) -> bool:
    """Return whether `own`'s side allows the connection to go out (Egress) or come in (Ingress)."""
    rules, peers = DIRECTIONS[direction]
    chosen = [
        policy["spec"]
        for policy in policies
        if direction in policy["spec"]["policyTypes"] and selects(policy["spec"]["podSelector"], own.pod)
    ]
    return not chosen or any(
        has_port(rule, port) and any(is_peer(peer, other) for peer in rule[peers])
        for policy in chosen
        for rule in policy.get(rules, ())
    )


def allows(policies: Iterable[Mapping[str, Any]], source: End, target: End, port: int) -> bool:
    """Return whether a TCP connection from `source` to this port of `target` is allowed."""
    policies = list(policies)
    return (not source.is_ours or one_side_allows(policies, "Egress", source, target, port)) and (
        not target.is_ours or one_side_allows(policies, "Ingress", target, source, port)
    )
