"""`arena event` on an arena: hold tournaments and leagues through its HTTP API.

The user of the API token acts. The arena checks every decision.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import Annotated, Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request

import typer
import zstandard

from arena.cli.api import NEAR_SITE, Api, SiteAddress
from arena.cli.event_check import read_terms
from arena.cli.fetching import Away, open_answer, refused, with_patience
from arena.cli.files import MAX_EVENT, InputError, create_lines, print_json, printable, unpack_zstd
from arena.events import TermsError, parse_terms

Slug = Annotated[str, typer.Argument(metavar="EVENT", help="An event's name in addresses, as `autumn-cup-x2yz`.")]
Bot = Annotated[str, typer.Argument(metavar="BOT")]
Bots = Annotated[list[str], typer.Argument(metavar="BOT...")]
Round = Annotated[int, typer.Argument(min=1, help="Results up to this round are shown.")]
Entrant = Annotated[int, typer.Argument(help="The entrant's number.")]
Why = Annotated[str, typer.Option("--why", help="The reason. Everybody can read it in the event's log.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Token = Annotated[
    str,
    typer.Option(
        help="API token of your account with the scope `events`; ARENA_TOKEN keeps it out of the process list.",
        envvar="ARENA_TOKEN",
    ),
]
ReadToken = Annotated[
    str,
    typer.Option(help="API token with the scope `read`, to see what only organisers see.", envvar="ARENA_TOKEN"),
]


@contextmanager
def _answers() -> Iterator[None]:
    """Raise `InputError` for answers that are not those of an arena."""
    try:
        yield
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"this is not an arena: its answer is not about events ({error!r:.80})") from None


def _write(site: str, token: str, method: str, *path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Make a request about events as the user of the token, and return the answer."""
    if not token:
        raise typer.BadParameter("set ARENA_TOKEN or give --token; create an API token in your account on the site")
    return Api(site, token).write(method, "events", *path, body=body)


def _read(site: str, token: str, *path: str, **query: str) -> dict[str, Any]:
    api = Api(site, token)
    return with_patience(lambda: api.get("events", *path, query=query))


def new(
    file: Annotated[Path, typer.Argument(help="Terms of the event, TOML or JSON; `arena event check` checks them.")],
    is_published: Annotated[bool, typer.Option("--publish", help="Open it to entrants at once.")] = False,
    site: SiteAddress = NEAR_SITE,
    token: Token = "",
) -> None:
    """Create an event of yours as a draft, and print its name in addresses."""
    try:
        terms = parse_terms(read_terms(file)).document()
    except TermsError as error:
        raise InputError(f"{file}: {error}") from None
    with _answers():
        slug = str(_write(site, token, "POST", body=terms)["event"])
    if is_published:
        publish(slug, site, token)
    typer.echo(printable(slug))


def publish(event: Slug, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Open an event to entrants. The arena does so within seconds."""
    _write(site, token, "POST", event, "publish")


def cancel(event: Slug, why: Why, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Cancel an event. The arena does so within seconds."""
    _write(site, token, "POST", event, "cancel", body={"why": why})


def enter(event: Slug, bots: Bots, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Enter bots, by their names in addresses. All of them are entered, or none."""
    _write(site, token, "POST", event, "entries", body={"bots": bots})


def leave(event: Slug, bot: Bot, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Withdraw a bot. It is not drawn again."""
    _write(site, token, "DELETE", event, "entries", bot)


def start(event: Slug, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Freeze the field and start."""
    _write(site, token, "POST", event, "freeze")


def pause(event: Slug, why: Why = "", site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Schedule nothing more until the event is resumed. Running matches are played to their end."""
    _write(site, token, "POST", event, "pause", body={"why": why})


def resume(event: Slug, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Resume a paused event."""
    _write(site, token, "POST", event, "resume")


def reveal(event: Slug, round: Round, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Show hidden results."""
    _write(site, token, "POST", event, "reveal", body={"round": round})


def disqualify(event: Slug, entrant: Entrant, why: Why, site: SiteAddress = NEAR_SITE, token: Token = "") -> None:
    """Put an entrant last in all its games, and draw it no more."""
    _write(site, token, "POST", event, "entrants", str(entrant), "disqualify", body={"why": why})


def again(
    event: Slug,
    why: Why,
    games: Annotated[
        list[str] | None, typer.Argument(metavar="ROUND[.TABLE[.GAME]]...", help="Games count from 0.")
    ] = None,
    entrant: Annotated[
        list[int] | None, typer.Option("--entrant", help="All games of the tables of this entrant, by its number.")
    ] = None,
    site: SiteAddress = NEAR_SITE,
    token: Token = "",
) -> None:
    """Have games played again: a round, a table, a single game, or all games of an entrant."""
    chosen = [*map(_choice, games or ()), *({"entrant": number} for number in entrant or ())]
    if not chosen:
        raise InputError("say which games: ROUND, ROUND.TABLE, ROUND.TABLE.GAME or --entrant NUMBER")
    first, *also = chosen
    _write(site, token, "POST", event, "again", body={**first, "also": also, "why": why})


def _choice(text: str) -> dict[str, int]:
    """Return the selection of games that a text such as `2.1` names."""
    parts = text.split(".")
    if len(parts) > 3 or not all(part.isascii() and part.isdecimal() for part in parts):
        raise InputError(f"{text!r} is not of the form ROUND, ROUND.TABLE or ROUND.TABLE.GAME")
    return dict(zip(("round", "table", "game"), map(int, parts), strict=False))


def show(event: Slug, site: SiteAddress = NEAR_SITE, token: ReadToken = "", json: Json = False) -> None:
    """Print the standings as the user of the token sees them, and without a token as everybody sees them."""
    with _answers():
        document = _read(site, token, event)
        rows = [
            {
                "place": int(row["place"]),
                "bot": str(row["name"]),
                "points": str(row["points"]),
                "games": int(row["games"]),
                "tie_breaks": list(map(str, row["tie_breaks"])),
            }
            for row in document["standings"]
        ]
        name, state, drawn, shown = (document[key] for key in ("name", "state", "rounds", "shown_rounds"))
    if json:
        counts = {"rounds": drawn, "shown": shown}
        print_json({"event": event, "name": name, "state": state, **counts, "standings": rows})
        return
    typer.echo(printable(f"{name}: {state}, {drawn} rounds drawn, {shown} shown"))
    for row in rows:
        typer.echo(printable(f"{row['place']:>4} {row['points']:>6} {row['games']:>4}  {row['bot']}"))


def listing(site: SiteAddress = NEAR_SITE, json: Json = False) -> None:
    """Print the newest 100 events, newest first, without drafts."""
    with _answers():
        items = _read(site, "", limit="100")["items"]
        events = [{"event": item["slug"], "name": item["name"], "state": item["state"]} for item in items]
        lines = [f"{item['slug']}\t{item['state']}\t{item['entrants']} bots\t{item['name']}" for item in items]
    if json:
        print_json(events)
    else:
        for line in lines:
            typer.echo("\t".join(map(printable, line.split("\t"))))


def export(
    event: Slug,
    file: Annotated[Path, typer.Argument(help="Output file; compressed if named .gz or .zst.")],
    replays: Annotated[bool, typer.Option("--replays/--no-replays", help="Include the replays of its matches.")] = True,
    site: SiteAddress = NEAR_SITE,
) -> None:
    """Write the document of a finished event and the replays of its matches. `arena event verify` verifies them."""
    with_patience(
        lambda: _download(
            f"{site.rstrip('/')}/events/{quote(event, safe='')}/event.jsonl.zst", file, with_replays=replays
        )
    )


def _download(address: str, file: Path, *, with_replays: bool) -> None:
    """Write the archive of an event: its document, then replays, one a line. Raises `Away` if it breaks off."""
    try:
        with open_answer(Request(address)) as answer, unpack_zstd(answer) as lines:  # noqa: S310 - checked there
            document = lines.readline(MAX_EVENT + 1)
            if len(document) > MAX_EVENT:
                raise InputError(f"{address} is not an arena's archive: its first line is too long")
            with create_lines(file) as out:
                out.write(document)
                if with_replays:
                    shutil.copyfileobj(lines, out)
    except HTTPError as error:
        if error.code == HTTPStatus.NOT_FOUND:
            raise InputError(f"{address} does not exist: an event has it when it is over") from None
        raise refused(error) from None
    except HTTPException as error:
        raise Away(f"cannot read {address}: {error}") from None
    except (zstandard.ZstdError, ValueError) as error:
        raise InputError(f"{address} is not an arena's archive: {error}") from None
