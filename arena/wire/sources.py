"""The protocol for bot authors: the .proto files of `proto/`, which are installed beside the generated code."""

from __future__ import annotations

import io
import zipfile
from importlib.resources import files
from typing import Final

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from arena.wire.v1 import bot_pb2, game_pb2

PACKAGE: Final = "arena/wire/v1"
DESCRIPTORS: Final = "protocol.binpb"
EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
"""Time of every file in the archive. It is fixed, so that equal files give equal bytes."""


def proto_files() -> dict[str, str]:
    """Return the text of each file, by its path below the folder for `protoc -I`."""
    folder = files("arena.wire.v1")
    return {f"{PACKAGE}/{name}": (folder / name).read_text("utf-8") for name in ("game.proto", "bot.proto")}


def descriptor_set() -> bytes:
    """Return the files as a serialized `FileDescriptorSet` without comments. Each file follows its imports."""
    protos = [FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb) for module in (game_pb2, bot_pb2)]
    return FileDescriptorSet(file=protos).SerializeToString(deterministic=True)


def protocol_zip() -> bytes:
    """Return a zip archive of the files and the descriptor set. Its bytes are always the same."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path, text in proto_files().items():
            out.writestr(zipfile.ZipInfo(path, EARLIEST), text, zipfile.ZIP_DEFLATED)
        out.writestr(zipfile.ZipInfo(DESCRIPTORS, EARLIEST), descriptor_set(), zipfile.ZIP_DEFLATED)
    return archive.getvalue()
