"""An audit that could not be made is not reported as one."""

from __future__ import annotations

import sys

import pytest

from tests.kit.audit import Audit, read, run

SAFE = {"name": "a", "version": "1", "vulns": []}
UNSAFE = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
SKIPPED = {"name": "c", "skip_reason": "Dependency not found on PyPI and could not be audited: c (1)"}


@pytest.mark.parametrize(
    ("packages", "code", "required", "said"),
    [
        ([SAFE, SAFE], 0, 0, "2 packages audited, 0 known"),
        ([SAFE, UNSAFE], 1, 1, "b 2: PYSEC-1, repaired in 3"),
        ([SAFE, SKIPPED], 0, 1, "NOT AUDITED: 1 of 2 packages"),
        ([UNSAFE, SKIPPED], 1, 1, "NOT AUDITED: 1 of 2 packages"),
    ],
)
def test_what_it_comes_to(packages: list[dict[str, object]], code: int, required: int, said: str) -> None:
    audit = read({"dependencies": packages})
    assert (audit.code(is_required=False), audit.code(is_required=True)) == (code, required)
    assert said in "\n".join(audit.lines())


def test_a_service_that_does_not_answer_is_said() -> None:
    audit = run([sys.executable, "-c", "import sys; sys.exit('ERROR:pip_audit: no route to host')"])
    assert audit == Audit(failure="ERROR:pip_audit: no route to host")
    assert audit.code(is_required=True) and "NOT AUDITED: all of all" in "\n".join(audit.lines())
