"""Known vulnerabilities of the packages in the image, by pip-audit: `make audit`.

pip-audit asks PyPI. If PyPI knows nothing of a package, for example behind a mirror that has only the files, pip-audit
mentions in small print that it was skipped, and succeeds. This module reports it prominently; with AUDIT_REQUIRED=1 it
is a failure. PIP_AUDIT_VULNERABILITY_SERVICE=osv asks osv.dev instead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VERSION = "2.10.1"
INSTALLED = ["--frozen", "--no-dev", "--extra", "server", "--extra", "tracing"]
"""Packages that deploy/Dockerfile installs."""


@dataclass
class Audit:
    """The result of an audit."""

    examined: int = 0
    skipped: list[str] = field(default_factory=list)
    """Names of packages about which nothing is known."""
    vulnerable: list[str] = field(default_factory=list)
    """One line for each vulnerability."""
    failure: str = ""
    """The reason why nothing was audited."""

    def code(self, *, is_required: bool) -> int:
        """Return the exit code."""
        is_whole = not self.skipped and not self.failure
        return int(bool(self.vulnerable) or (is_required and not is_whole))

    def lines(self) -> Iterator[str]:
        """Yield the result as lines for people."""
        yield from self.vulnerable
        if self.failure or self.skipped:
            yield "*" * 100
            yield f"NOT AUDITED: {len(self.skipped) or 'all'} of {self.examined + len(self.skipped) or 'all'} packages."
            yield f"  {self.failure or 'PyPI tells nothing of ' + ', '.join(self.skipped[:8]) + ' …'}"
            yield "  Nobody has looked for known vulnerabilities. Run `make audit` where pypi.org or osv.dev answers."
            yield "*" * 100
        else:
            yield f"{self.examined} packages audited, {len(self.vulnerable)} known vulnerabilities"


def read(document: dict[str, Any]) -> Audit:
    """Parse the output of pip-audit with `--format json`."""
    audit = Audit()
    for package in document["dependencies"]:
        if "skip_reason" in package:
            audit.skipped.append(package["name"])
            continue
        audit.examined += 1
        audit.vulnerable += [
            f"{package['name']} {package['version']}: {found['id']}, repaired in "
            f"{', '.join(found['fix_versions']) or 'no version'}"
            for found in package["vulns"]
        ]
    return audit


def run(command: Sequence[str]) -> Audit:
    """Audit with this command, which is pip-audit and its arguments."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return read(json.loads(done.stdout))
    except ValueError:
        return Audit(failure=(done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1])


def main() -> None:
    uv = str(Path(sys.executable).with_name("uv"))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        export = [uv, "export", "--quiet", *INSTALLED, "--no-emit-project", "--no-header"]
        subprocess.run(export, stdout=requirements, check=True)
        audit = run(
            [
                *(uv, "tool", "run", "--quiet", "--from", f"pip-audit=={VERSION}", "pip-audit"),
                *("--requirement", requirements.name, "--require-hashes", "--disable-pip"),
                *("--format", "json", "--progress-spinner", "off", "--timeout", "10"),
            ]
        )
    code = audit.code(is_required=os.environ.get("AUDIT_REQUIRED") == "1")
    print(*audit.lines(), sep="\n", file=sys.stderr if code else sys.stdout, flush=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
