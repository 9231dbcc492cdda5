"""The protocol in the form that bot authors get."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from arena.wire.sources import protocol_zip
from arena.wire.v1 import bot_pb2

PROTO = Path(__file__).resolve().parents[2] / "proto"


def test_the_archive_has_the_sources_and_usable_descriptors() -> None:
    archive = zipfile.ZipFile(io.BytesIO(protocol_zip()))
    assert archive.testzip() is None
    sources = {path.relative_to(PROTO).as_posix(): path.read_bytes() for path in PROTO.glob("arena/**/*.proto")}
    assert len(sources) == 2
    assert {name: archive.read(name) for name in archive.namelist() if name.endswith(".proto")} == sources
    assert {*archive.namelist()} - {*sources} == {"protocol.binpb"}

    # The descriptors alone give messages that the generated classes can read.
    pool = descriptor_pool.DescriptorPool()
    for file in FileDescriptorSet.FromString(archive.read("protocol.binpb")).file:
        pool.Add(file)  # in order: imported files come first
    answer = message_factory.GetMessageClass(pool.FindMessageTypeByName("arena.wire.v1.Answer"))(index=7, note="n")
    assert bot_pb2.Answer.FromString(answer.SerializeToString()) == bot_pb2.Answer(index=7, note="n")


def test_the_archive_is_always_the_same() -> None:
    assert protocol_zip() == protocol_zip()
