"""The wheel that bot authors install, made from this installation: the package `arena` in the site's own version.

It is a pure wheel: nothing is compiled, so the rules run in plain Python on every platform. `webui`, `workers` and the
dependencies of the extra `server` are left out. The same files give the same bytes in every process.
"""

import base64
import hashlib
import io
import zipfile
from functools import lru_cache
from importlib.metadata import distribution
from pathlib import Path

import arena
from arena._native import FOLDER

DISTRIBUTION = distribution("naqala-arena")
STEM = f"naqala_arena-{DISTRIBUTION.version}"
NAME = f"{STEM}-py3-none-any.whl"
LEFT_OUT = {"__pycache__", FOLDER, "node_modules"}
FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""Date of every file in the wheel: the earliest one that a zip file can have."""
TAGS = "Wheel-Version: 1.0\nGenerator: naqala-arena\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
COMMAND = "[console_scripts]\narena = arena.cli:main\n"


@lru_cache(maxsize=1)
def wheel() -> bytes:
    """Return the wheel as bytes."""
    about = f"{STEM}.dist-info"
    files = {
        **_package(),
        f"{about}/METADATA": _metadata().encode(),
        f"{about}/WHEEL": TAGS.encode(),
        f"{about}/entry_points.txt": COMMAND.encode(),
    }
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _package() -> dict[str, bytes]:
    root = Path(arena.__file__).parent
    files = {path.relative_to(root.parent): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {name.as_posix(): path.read_bytes() for name, path in files.items() if not LEFT_OUT & {*name.parts}}


def _metadata() -> str:
    metadata = DISTRIBUTION.metadata
    needs = [need for need in DISTRIBUTION.requires or [] if "extra ==" not in need]
    return "".join(
        f"{key}: {value}\n"
        for key, value in (
            ("Metadata-Version", "2.1"),
            *((key, metadata[key]) for key in ("Name", "Version", "Summary", "Requires-Python")),
            *(("Requires-Dist", need) for need in needs),
        )
    )


def _digest(content: bytes) -> str:
    """Return a digest in the form that RECORD requires."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
