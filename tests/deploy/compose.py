"""deploy/compose.yaml and arena.env.example, read as Compose reads them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
ENVIRONMENT_FILE = DEPLOY / "arena.env.example"
OUR_IMAGE = "naqala-arena"
VARIABLE = re.compile(r"\$\{([A-Z_]+)(?::\?[^}]*)?\}")


def read_compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return document


def our_services() -> dict[str, dict[str, Any]]:
    """The services that run our image."""
    return {name: service for name, service in read_compose()["services"].items() if service["image"] == OUR_IMAGE}


def settings_explained() -> dict[str, str]:
    """Every variable of the example, set or commented out, with its value."""
    return dict(re.findall(r"^(?:# )?([A-Z_]+)=(.*)$", ENVIRONMENT_FILE.read_text(), re.MULTILINE))


def settings_set() -> dict[str, str]:
    """The variables that the example sets."""
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", ENVIRONMENT_FILE.read_text(), re.MULTILINE))


def image_environment() -> dict[str, str]:
    """What the Dockerfile's last stage puts into the environment."""
    last = (DEPLOY / "Dockerfile").read_text().split("\nFROM ")[-1].replace("\\\n", " ")
    lines = re.findall(r"^ENV (.*)$", last, re.MULTILINE)
    return dict(pair.split("=", 1) for line in lines for pair in line.split())


def fill_in(text: str, values: dict[str, str]) -> str:
    """With the variables of the environment file in their places."""
    return VARIABLE.sub(lambda found: values[found[1]], text)
