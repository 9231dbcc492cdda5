"""Where an arena keeps what must outlive its processes. Django-free: `arena up` asks before there are settings."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def state_directory() -> Path:
    """ARENA_VAR, else `var` in the checkout; of an installed package, `var` where it is started."""
    if chosen := os.environ.get("ARENA_VAR"):
        return Path(chosen).resolve()
    return (ROOT if (ROOT / "pyproject.toml").exists() else Path.cwd()) / "var"
