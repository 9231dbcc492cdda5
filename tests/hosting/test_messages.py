"""Messages of runners: successive versions understand each other, and hostile bytes are refused."""

from __future__ import annotations

import msgspec
import pytest

from arena.hosting.messages import (
    DecisionCost,
    HostedVersionInfo,
    HostedVersions,
    JobInfo,
    JobOffer,
    RunnerMessageError,
    SeatReport,
    decode_message,
    encode_message,
)
from arena.sandbox.limits import SandboxEnd, SandboxLimit

REPORT = SeatReport(
    match="m1",
    seat=2,
    number=1,
    version=7,
    started_at_ns=1_000,
    ended_at_ns=2_000,
    end=SandboxEnd.LIMIT,
    limit=SandboxLimit.MEMORY,
    fault="OUT_OF_MEMORY",
    decision=41,
    stderr="␛ Σ",
    decisions=(DecisionCost(0, 12, 10, 300), DecisionCost(2, 900, 880, 0)),
)


def test_messages_survive_their_bytes() -> None:
    assert decode_message(encode_message(REPORT), SeatReport) == REPORT
    offer = JobOffer(job=JobInfo(id=3, epoch=1, source="a" * 64, manifest="{}"))
    assert decode_message(encode_message(offer), JobOffer) == offer
    assert decode_message(encode_message(JobOffer()), JobOffer).job is None


def test_a_later_version_may_add_fields() -> None:
    later = {"versions": [{"version": 7, "bot": 3, "image": "a" * 64, "colour": "red"}], "next_in_s": 2}
    got = decode_message(msgspec.msgpack.encode(later), HostedVersions)
    assert got.versions == (HostedVersionInfo(version=7, bot=3, image="a" * 64),)


def test_an_earlier_version_may_lack_fields() -> None:
    names = ("match", "seat", "number", "version", "started_at_ns", "ended_at_ns", "end")
    earlier = {name: getattr(REPORT, name) for name in names}
    got = decode_message(msgspec.msgpack.encode(earlier), SeatReport)
    assert (got.limit, got.fault, got.decision, got.decisions) == (None, "", None, ())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x81\xa3job\x01",  # a job that is a number
        b"\x91" * 100_000,  # deeply nested
        msgspec.msgpack.encode({"job": {"id": 1, "epoch": 1, "source": b"\xff", "manifest": ""}}),
        b"\x81\xa3job\x84\xa2id\x01\xa5epoch\x01\xa6source\xa1\xff\xa8manifest\xa0",  # text that is not UTF-8
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(RunnerMessageError):
        decode_message(data, JobOffer)
