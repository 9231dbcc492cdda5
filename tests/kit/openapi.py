"""Writes the OpenAPI document of the HTTP API (`make openapi`).

With --check it fails if the checked-in document differs, or breaks clients of the last release (`make released` copies
the document as the released one).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.kit.openapi_breaks import breaks

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "webui/site/docs/en/openapi.json"
RELEASED = ROOT / "webui/api/released.json"


def generate() -> str:
    """Return the document, with separate lines for each schema and route."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    import django

    django.setup()
    from webui.site.api.api import api

    document: dict[str, Any] = api.get_openapi_schema()
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def faults(document: str) -> list[str]:
    """Return the errors of the checked-in files if this is the document."""
    found = breaks(json.loads(RELEASED.read_text(encoding="utf-8")), json.loads(document))
    if DOCUMENT.read_text(encoding="utf-8") != document:
        found.append(f"{DOCUMENT.name} differs from what it is made of: run `make openapi`")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the checked-in document is wrong")
    arguments = parser.parse_args()
    document = generate()
    if not arguments.check:
        DOCUMENT.write_text(document, encoding="utf-8")
        return 0
    found = faults(document)
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
