"""Write the data of the protocol's reference: services, messages and enums with their comments, and all refusals."""

import ast
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2 as pb
from grpc_tools import protoc

REFERENCE = "webui/site/docs/protocol.json"
REFUSALS = "webui/site/docs/refusals.json"
ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ".arena.wire.v1."

# Numbers of fields in descriptor.proto; they make up the path to a declaration's comment.
MESSAGES, ENUMS, SERVICES, MEMBERS = 4, 5, 6, 2
SYNTAX = 12
Comments = dict[tuple[int, ...], str]


def write_reference(target: Path, include: list[str], sources: list[str]) -> None:
    """Write the reference below `target`."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "descriptors"
        if protoc.main(["protoc", *include, f"--descriptor_set_out={out}", "--include_source_info", *sources]) != 0:
            raise SystemExit("protoc failed")
        files = pb.FileDescriptorSet.FromString(out.read_bytes())
    _write(target / REFERENCE, [_file(file) for file in files.file])


def write_refusals(target: Path) -> None:
    """Write all refusals below `target`: those of the gateway and of the rules, with the gateway's limits."""
    sys.path.insert(0, str(ROOT))  # before this folder, which has an `arena` of its own
    from arena.gateway import errors
    from arena.gateway.limits import GatewayLimits

    refusals = [value for value in vars(errors).values() if isinstance(value, errors.GatewayRefusal)]
    refusals += [errors.another_bot("Mirage", "Oud"), errors.bad_hello("max_matches must be at least 1")]
    refusals += errors.RESTING.values()
    refusals += [errors.left_out(datetime(2026, 1, 1, 14, 32, 5, tzinfo=UTC), 2, ["Oud"])]
    refusals += [errors.taken_off("1.3", 3, "k7m2xqzr9wpd")]
    refusals += [errors.bad_release("a version's note has at most 500 characters")]
    refusals += [errors.too_large(20_000, GatewayLimits().max_message_bytes), errors.nonce_size(64)]
    if missing := set(errors.ErrorReason) - {refusal.reason for refusal in refusals}:
        raise SystemExit(f"no refusal has the reason {', '.join(sorted(missing))}")
    _write(
        target / REFUSALS,
        {
            "gateway": [{"reason": r.reason, "status": r.status.name, "message": r.message} for r in refusals],
            "limits": asdict(GatewayLimits()),
            "rules": _codes(),
        },
    )


def _codes() -> dict[str, list[str]]:
    """Return the codes with which the rules refuse an action, each with the rules that it may cite."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "arena" / "rules").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if not (
                isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("IllegalAction", "ActionSyntaxError")
            ):
                continue
            words = [getattr(word, "value", None) for word in call.args]
            if isinstance(words[0], str):
                found.setdefault(words[0], set()).update(word for word in words[2:] if isinstance(word, str))
    return {code: sorted(rules) for code, rules in sorted(found.items())}


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _file(file: pb.FileDescriptorProto) -> dict[str, Any]:
    notes = {tuple(location.path): location for location in file.source_code_info.location}
    comments: Comments = {path: _text(location.leading_comments) for path, location in notes.items()}
    # The comments before `syntax` are about the whole file.
    opening = notes[SYNTAX,]
    about = [*opening.leading_detached_comments, opening.leading_comments]
    return {
        "name": file.name.rpartition("/")[2],
        "comment": "\n\n".join(filter(None, map(_text, about))),
        "services": list(_services(file, comments)),
        "messages": list(_messages(file, comments)),
        "enums": list(_enums(file, comments)),
    }


def _text(comment: str) -> str:
    return "\n".join(line.removeprefix(" ") for line in comment.splitlines()).strip("\n")


def _services(file: pb.FileDescriptorProto, comments: Comments) -> Iterator[dict[str, Any]]:
    for number, service in enumerate(file.service):
        yield {
            "name": service.name,
            "comment": comments[SERVICES, number],
            "methods": [
                {
                    "name": method.name,
                    "takes": method.input_type.removeprefix(PACKAGE),
                    "gives": method.output_type.removeprefix(PACKAGE),
                    "streams": method.client_streaming and method.server_streaming,
                    "comment": comments[SERVICES, number, MEMBERS, place],
                }
                for place, method in enumerate(service.method)
            ],
        }


def _messages(file: pb.FileDescriptorProto, comments: Comments) -> Iterator[dict[str, Any]]:
    for number, message in enumerate(file.message_type):
        yield {
            "name": message.name,
            "comment": comments[MESSAGES, number],
            "fields": [
                {
                    "number": field.number,
                    "name": field.name,
                    "type": _type(field),
                    "label": _label(field),
                    "comment": comments[MESSAGES, number, MEMBERS, place],
                }
                for place, field in enumerate(message.field)
            ],
        }


def _enums(file: pb.FileDescriptorProto, comments: Comments) -> Iterator[dict[str, Any]]:
    for number, enum in enumerate(file.enum_type):
        yield {
            "name": enum.name,
            "comment": comments[ENUMS, number],
            "values": [
                {"number": value.number, "name": value.name, "comment": comments[ENUMS, number, MEMBERS, place]}
                for place, value in enumerate(enum.value)
            ],
        }


def _type(field: pb.FieldDescriptorProto) -> str:
    return field.type_name.removeprefix(PACKAGE) or pb.FieldDescriptorProto.Type.Name(field.type)[5:].lower()


def _label(field: pb.FieldDescriptorProto) -> str:
    if field.label == pb.FieldDescriptorProto.LABEL_REPEATED:
        return "repeated"
    return "optional" if field.proto3_optional else "oneof" if field.HasField("oneof_index") else ""
