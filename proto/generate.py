"""Generate the protocol's Python code in arena/wire/v1 and the data of its reference on the site.

With --check, write nothing and fail if the files that are checked in differ.
"""

import argparse
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc
from reference import write_reference, write_refusals

PROTO = Path(__file__).resolve().parent
ROOT = PROTO.parent
SOURCES = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.glob("arena/wire/v*/*.proto"))
# protoc's types are not strict; mypy checks the generated code where it is used.
HEADER = "# mypy: ignore-errors\n# ruff: noqa\n"
SERVICES = ["arena/wire/v1/bot.proto"]


def generate(target: Path) -> None:
    """Write all generated files below `target`."""
    include = [f"-I{PROTO}", f"-I{files('grpc_tools') / '_proto'}"]
    for arguments in (
        [f"--python_out={target}", f"--pyi_out={target}", *SOURCES],
        [f"--grpc_python_out={target}", *SERVICES],
    ):
        if protoc.main(["protoc", *include, *arguments]) != 0:
            raise SystemExit("protoc failed")
    for path in target.glob("arena/wire/v*/*_pb2*.py*"):
        path.write_text(f"{HEADER}{path.read_text()}")
    write_reference(target, include, SOURCES)
    write_refusals(target)


def generated_paths(below: Path) -> list[Path]:
    """Return the files below a folder that are generated, or whose names look so."""
    return [
        *below.glob("arena/wire/v*/*_pb2*.py"),
        *below.glob("arena/wire/v*/*_pb2*.pyi"),
        *below.glob("webui/site/docs/*.json"),
    ]


def generated_files(below: Path) -> dict[str, str]:
    """Return the text of each generated file, by its path."""
    return {path.relative_to(below).as_posix(): path.read_text() for path in generated_paths(below)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing, fail if the checked-in code differs",
    )
    if not parser.parse_args().check:
        generate(ROOT)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        wanted, found = generated_files(Path(folder)), generated_files(ROOT)
    differing = sorted(name for name in wanted | found if wanted.get(name) != found.get(name))
    for name in differing:
        print(f"{name} is out of date: run `make proto`", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
