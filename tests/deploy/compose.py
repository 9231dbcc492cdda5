"""deploy/compose.yaml, arena.env.example and secrets.env.example, read as Compose reads them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SETTINGS_FILE = DEPLOY / "arena.env.example"
SECRETS_FILE = DEPLOY / "secrets.env.example"
OUR_IMAGE = "naqala-arena"
VARIABLE = re.compile(r"\$\{([A-Z_]+)(?::?\?[^}]*)?\}")


class Loader(yaml.SafeLoader):
    """Knows the tag of values that replace those of another file instead of being added to them."""


Loader.add_constructor("!override", lambda loader, node: loader.construct_sequence(node))


def read_compose(name: str = "compose.yaml") -> dict[str, Any]:
    document: dict[str, Any] = yaml.load((DEPLOY / name).read_text(), Loader)
    return document


def our_services() -> dict[str, dict[str, Any]]:
    """Return the services that run our image."""
    return {name: service for name, service in read_compose()["services"].items() if service["image"] == OUR_IMAGE}


def settings_explained() -> dict[str, str]:
    """Return every variable of the example, set or commented out, with its value."""
    text = SETTINGS_FILE.read_text() + SECRETS_FILE.read_text()
    return dict(re.findall(r"^(?:# )?([A-Z_]+)=(.*)$", text, re.MULTILINE))


def settings_set() -> dict[str, str]:
    """Return the variables that the example of the settings sets, in all our containers."""
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", SETTINGS_FILE.read_text(), re.MULTILINE))


def secrets_set() -> dict[str, str]:
    """Return the variables of the secrets, which containers have if compose.yaml says so."""
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", SECRETS_FILE.read_text(), re.MULTILINE))


def image_stage(name: str) -> str:
    """Return the lines of a stage of the Dockerfile, joined where they go on."""
    stages = (DEPLOY / "Dockerfile").read_text().split("\nFROM ")
    (found,) = (stage for stage in stages if stage.partition("\n")[0].endswith(f" AS {name}"))
    return found.replace("\\\n", " ")


def image_environment() -> dict[str, str]:
    """Return the environment that the image sets."""
    lines = re.findall(r"^ENV (.*)$", image_stage("arena"), re.MULTILINE)
    return dict(pair.split("=", 1) for line in lines for pair in line.split())


def users_of_redis(passwords: dict[str, str]) -> dict[str, list[str]]:
    """Return the rules of each user that compose.yaml gives to Redis, for `ACL SETUSER`, with these passwords."""
    command = read_compose()["services"]["redis"]["command"]
    starts = [at for at, word in enumerate(command) if word == "--user"]
    return {
        command[start + 1]: [fill_in(rule, passwords) for rule in command[start + 2 : end]]
        for start, end in pairwise([*starts, len(command)])
    }


def fill_in(text: str, values: dict[str, str]) -> str:
    """Fill in the variables of the environment file."""
    return VARIABLE.sub(lambda found: values[found[1]], text)
