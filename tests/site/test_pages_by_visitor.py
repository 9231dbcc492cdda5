"""One table of pages that are only read: page, visitor and language, with the status and the sentences expected.

`test_routes` lists every route with its status for each visitor. This table has the rows that also need a sentence, a
language, or a query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from tests.site.world import World, text
from webui.core import wheel
from webui.core.headers import HEADERS

pytestmark = pytest.mark.django_db

NOTHING = "There is nothing here"
LANGUAGES = ("en", "es", "fr", "ru")
GLOSSARY_LINK = 'class="term" href="../glossary/#term-'
SERVER = "ARENA_SERVER=http://testserver:50051"
INSTALL = f"pip install http://testserver/docs/download/{wheel.NAME}\n"


@dataclass(frozen=True)
class Row:
    """A page, who reads it in which language, and the expected answer."""

    path: str
    """Address of the page. `{finished}` and other names in braces are attributes of the world."""
    says: tuple[str, ...] = ()
    """Sentences of the page, in this order."""
    hides: tuple[str, ...] = ()
    who: str = "stranger"
    language: str = "en"
    status: int = 200

    def __str__(self) -> str:
        return f"{self.path} for {self.who} in {self.language}"

    def check(self, answer: Any, world: World | None = None) -> None:
        """Check the answer to a request for this row's page."""
        assert answer.status_code == self.status
        assert {name: answer[name] for name in HEADERS} == HEADERS
        page, at = text(answer), 0
        for words in self.says:
            at = page.find(words.format(world=world), at)
            assert at >= 0, words
        for words in self.hides:
            assert words.format(world=world) not in page, words
        if answer["Content-Type"].startswith("text/html"):
            assert f'<html lang="{self.language}"' in page


def rows(path: str, who: str, *says: str, hides: tuple[str, ...] = ()) -> list[Row]:
    """Return a row for each visitor in `who`, whose names are separated by spaces."""
    return [Row(path, says, hides, who=visitor) for visitor in who.split()]


EVERYBODY_ELSE = "stranger owner other"
OF_THE_WORLD: list[Row] = [
    # Only staff see the way to the staff pages.
    *rows("/", EVERYBODY_ELSE, hides=("/staff/",)),
    *rows("/matches/", EVERYBODY_ELSE, hides=("/staff/",)),
    *rows("/matches/{world.finished}/", EVERYBODY_ELSE, hides=("/staff/",)),
    *rows("/", "staff", 'href="/staff/"'),
    *rows("/staff/", "staff", "has not run yet", "<code>arena admin doctor</code>"),
    *rows("/account/", "owner", hides=(">Administration</a>",)),
    *rows("/account/", "staff", ">Administration</a>"),
    # Only the owner sees tokens and state.
    *rows("/bots/long-ledger/", "owner", "Yours alone", "{world.token.token:.11}", hides=("/staff/",)),
    *rows("/bots/long-ledger/", "stranger other", hides=("{world.token.token:.11}", "Yours alone", "/staff/")),
    # Nobody sees who plays before a match begins.
    *rows("/matches/{world.waiting}/", EVERYBODY_ELSE, "Waiting for the bots", hides=("Long Ledger", "Bot 1")),
    *rows("/staff/matches/{world.waiting}/", "staff", "{world.waiting}", hides=("Long Ledger", "Bot 1")),
    *rows("/staff/matches/{world.waiting}/void/", "staff", "{world.waiting}", hides=("Long Ledger", "Bot 1")),
    *rows("/staff/matches/?match={world.waiting}", "staff", "{world.waiting}", hides=("Long Ledger", "Bot 1")),
    *rows("/matches/{world.aborted}/", "stranger", "A bot did not answer the offer"),
    # A parameter that is no filter filters nothing.
    *(
        Row(f"/matches/?{query}", ("{world.finished}",))
        for query in (
            "weakest=x",
            "weakest=-1",
            "strongest=99999",
            "excitement=most",
            "weakest=0",
            "best=year",
            "hosted=1",
        )
    ),
    Row("/matches/?hosted=no", ("{world.finished}",)),
    Row("/matches/?hosted=yes", ("No match fits these filters.",), hides=("{world.finished}",)),
    Row("/matches/?weakest=%00", status=400),
]
OF_AN_EMPTY_ARENA: list[Row] = [
    Row("/", ("Send the first bot", "No live match right now", "<svg", 'href="/learn/"')),
    Row("/matches/", ("No matches here",)),
    Row("/matches/?state=live", ("No live match",)),
    Row("/ladder/", ("A ladder begins with the first one",)),
    Row("/bots/", ("No bot yet",)),
    Row("/events/", ("No event is running",)),
    Row("/fairness/", ("no report yet", "within two minutes")),
    Row("/data/", ("CC BY 4.0", "There is no file yet")),
    Row("/statistics/", ("No game is counted yet.",)),
    Row("/records/", ("No game is counted yet.",)),
    Row("/people/", ("Nobody is rated yet.",)),
    Row("/tv", ("Nothing is on right now.",)),
    # The documentation, which is the same in every arena.
    Row("/docs/", ('href="/learn/"', 'href="/status/"')),
    *(Row(f"/docs/{slug}/", (GLOSSARY_LINK, 'href="/learn/"')) for slug in ("rules", "expansions", "djinns")),
    Row("/docs/protocol/", (SERVER,), ('class="term"',)),
    *(
        Row("/docs/quick-start/", (INSTALL, "arena play greedy", SERVER), language=language)
        for language in LANGUAGES
    ),
    # Nothing is there.
    *(
        Row(path, (NOTHING,), status=404)
        for path in (
            "/nope/", "/matches/nope/", "/matches/nope/replay.json", "/bots/nope/", "/ladder/nope/",
            "/docs/no-such-page/", "/matches/?page=0", "/matches/?page=x", "/matches/?page=99999999999999999999",
            "/docs/download/naqala_arena-0.0.9-py3-none-any.whl",
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("row", OF_THE_WORLD, ids=str)
def test_in_the_world(world: World, row: Row) -> None:
    path = row.path.format(world=world)
    row.check(world.client(row.who).get(path, headers={"Accept-Language": row.language}), world)


@pytest.mark.parametrize("row", OF_AN_EMPTY_ARENA, ids=str)
def test_in_an_empty_arena(row: Row) -> None:
    row.check(Client().get(row.path, headers={"Accept-Language": row.language}))
