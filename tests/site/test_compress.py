"""What is sent packed: by which encoding, and that the browser gets what was said."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.test import Client, RequestFactory

from tests.site.world import World
from webui.core.compress import accepted, packed

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


def fetched(name: str, **headers: str) -> Any:
    answer = Client().get(static(f"site/{name}"), headers=headers)
    return answer, answer.getvalue()


@pytest.mark.parametrize("name", ["viewer/main.js", "site.js", "drawings.svg"])
def test_static_texts_are_packed_for_who_takes_it_and_kept_for_ever(name: str) -> None:
    plain, text = fetched(name)
    path = finders.find(f"site/{name}")
    assert text == Path(path).read_bytes() and "Content-Encoding" not in plain
    for encoding, unpack in (("zstd", zstandard.ZstdDecompressor().decompress), ("gzip", gzip.decompress)):
        answer, sent = fetched(name, **{"Accept-Encoding": f"{encoding}, br"})
        assert (answer["Content-Encoding"], answer["Content-Length"]) == (encoding, str(len(sent)))
        assert unpack(sent) == text and len(sent) < len(text) * 0.6
        assert answer["ETag"] == plain["ETag"] and answer["Content-Type"] == plain["Content-Type"]
        assert answer["Vary"] == plain["Vary"] == "Accept-Encoding"
        assert "immutable" in answer["Cache-Control"] == plain["Cache-Control"]


def test_packed_style_sheets_have_no_comments() -> None:
    _plain, text = fetched("match.css")
    _answer, sent = fetched("match.css", **{"Accept-Encoding": "zstd"})
    received = zstandard.ZstdDecompressor().decompress(sent)
    assert b"/*" in text and b"/*" not in received and b"*/" not in received
    assert received.count(b"{") == text.count(b"{") and received.count(b"}") == text.count(b"}")


def test_of_static_texts_a_part_is_sent_as_it_is_and_nothing_twice() -> None:
    accepted_encoding = {"Accept-Encoding": "zstd"}
    part, sent = fetched("site.js", **accepted_encoding, Range="bytes=3-9")
    _whole, text = fetched("site.js")
    assert part.status_code == 206 and "Content-Encoding" not in part and sent == text[3:10]
    whole, _text = fetched("site.js", **accepted_encoding)
    again, nothing = fetched("site.js", **accepted_encoding, **{"If-None-Match": whole["ETag"]})
    assert (again.status_code, nothing, again["Vary"]) == (304, b"", "Accept-Encoding")
    head = Client().head(static("site/site.js"), headers=accepted_encoding)
    assert (head["Content-Length"], head["Content-Encoding"]) == (whole["Content-Length"], "zstd")
    font, _sent = fetched("fonts/inter-latin.woff2", **accepted_encoding)
    assert "Content-Encoding" not in font and "Vary" not in font, "it is packed already"
