"""What is sent packed: by which encoding, and that the browser gets what was said."""

from __future__ import annotations

import gzip
import json

import pytest
import zstandard
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from tests.site.world import World
from webui.site.compress import accepted, packed

TEXT = "A caravan of words. " * 40


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate", "gzip"),
        ("GZIP;q=0.5, zstd;q=0", "gzip"),
        ("zstd ; q=0.0, br", ""),
        ("identity", ""),
        ("", ""),
    ],
)
def test_an_answer_is_packed_as_the_browser_takes_it(header: str, encoding: str) -> None:
    request = RequestFactory().get("/", headers={"Accept-Encoding": header})
    answer = packed(lambda request: HttpResponse(TEXT))(request)
    unpack = {"zstd": zstandard.ZstdDecompressor().decompress, "gzip": gzip.decompress, "": bytes}[encoding]
    assert accepted(request) == encoding == answer.headers.get("Content-Encoding", "")
    assert unpack(answer.content).decode() == TEXT and answer["Vary"] == "Accept-Encoding"
    assert (len(answer.content) < len(TEXT) / 2) == bool(encoding)


def test_what_is_short_or_packed_already_stays_as_it_is() -> None:
    def image(request: HttpRequest) -> HttpResponse:
        return HttpResponse(TEXT, headers={"Content-Encoding": "br"})

    request = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})
    assert packed(image)(request).content.decode() == TEXT
    assert packed(lambda request: HttpResponse("short"))(request).content == b"short"


@pytest.mark.django_db
def test_frames_are_the_same_in_every_encoding(world: World) -> None:
    where = f"/matches/{world.finished}/frames.json"
    by_zstd, by_gzip = (Client().get(where, headers={"Accept-Encoding": name}) for name in ("zstd", "gzip"))
    assert by_zstd["ETag"] != by_gzip["ETag"]
    assert all("Accept-Encoding" in answer["Vary"] for answer in (by_zstd, by_gzip))
    told = json.loads(zstandard.ZstdDecompressor().decompress(by_zstd.content))
    assert told == json.loads(gzip.decompress(by_gzip.content)) and told["frames"]["d"][0] is None
