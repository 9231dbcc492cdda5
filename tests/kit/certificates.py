"""Certificates that sign themselves, for tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def write_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate for a host and its key, as two PEM files."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the command openssl, to make a certificate")
    chain, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", key, "-out", chain, "-days", "1", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return chain, key
