"""`arena event` on a server: tournaments and leagues in its database, without the site.

Each command acts as the event's organiser unless `--as` names another user.
"""

from __future__ import annotations

import json as jsons
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.event_check import read_terms
from arena.cli.files import InputError, open_lines, print_json, printable
from webui.commands.database import connect

if TYPE_CHECKING:
    from arena.events import FactKind

Slug = Annotated[str, typer.Argument(metavar="EVENT", help="An event's name in addresses, as `autumn-cup-x2yz`.")]
As = Annotated[str, typer.Option("--as", metavar="USER", help="User who acts; default: the organiser.")]
Why = Annotated[str, typer.Option("--why", help="The reason, for the audit log.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@contextmanager
def _errors() -> Iterator[None]:
    connect()
    from webui.core.errors import LadderError

    try:
        yield
    except LadderError as error:
        raise InputError(str(error)) from None


def _user(name: str) -> int:
    from webui.bots import queries as bot_queries

    found = bot_queries.user_id(name)
    if found is None:
        raise InputError(f"there is no user {name!r}")
    return found


def _online(event: str) -> frozenset[int]:
    """Return the versions that are online and play the game of the event."""
    from webui.events.facts import find_event, fold_event
    from webui.events.versions import online_versions

    return online_versions(fold_event(find_event(event)).terms.ruleset)


def _acting(slug: str, name: str) -> int:
    from webui.events import queries as event_queries

    return _user(name or event_queries.organiser(slug))


def _decide(slug: str, who: str, kind: FactKind, data: dict[str, Any] | None = None, why: str = "") -> None:
    from webui.events import actions as event_actions

    event_actions.decide(slug, _acting(slug, who), kind, data, why)


def new(
    file: Annotated[Path, typer.Argument(help="Terms of the event, TOML or JSON; `arena event check` checks them.")],
    organiser: Annotated[str, typer.Option("--organiser", metavar="USER", help="Organiser of the event.")],
    publish: Annotated[bool, typer.Option("--publish", help="Open it to entrants at once.")] = False,
) -> None:
    """Create an event as a draft, and print its name in addresses."""
    document = read_terms(file)
    with _errors():
        from webui.events import actions as event_actions

        user = _user(organiser)
        slug = event_actions.create_event(user, document)
        if publish:
            event_actions.ask_event(slug, user, "publish")
    typer.echo(slug)


def publish(event: Slug, who: As = "") -> None:
    """Open an event to entrants; a running arena does so within seconds."""
    with _errors():
        from webui.events import actions as event_actions

        event_actions.ask_event(event, _acting(event, who), "publish")


def cancel(event: Slug, why: Why = "", who: As = "") -> None:
    """Cancel an event; a running arena does so within seconds."""
    with _errors():
        from webui.events import actions as event_actions

        event_actions.ask_event(event, _acting(event, who), "cancel", why)


def enter(event: Slug, bots: Annotated[list[str], typer.Argument(metavar="BOT...")], who: As = "") -> None:
    """Enter bots, by their names in addresses. All of them are entered, or none."""
    with _errors():
        from django.db import transaction

        from webui.events import actions as event_actions

        user, online = _acting(event, who), _online(event)
        with transaction.atomic():
            for bot in bots:
                event_actions.enter_event(event, bot, user, online)


def leave(event: Slug, bot: Annotated[str, typer.Argument(metavar="BOT")], who: As = "") -> None:
    """Withdraw a bot. It is not drawn again."""
    with _errors():
        from webui.events import actions as event_actions

        event_actions.leave_event(event, bot, _acting(event, who))


def start(event: Slug, who: As = "") -> None:
    """Freeze the field and start."""
    with _errors():
        from webui.events import actions as event_actions

        event_actions.freeze_now(event, _acting(event, who), _online(event))


def pause(event: Slug, why: Why = "", who: As = "") -> None:
    """Schedule nothing more until the event is resumed. Running matches are played to their end."""
    with _errors():
        from arena.events import FactKind

        _decide(event, who, FactKind.PAUSED, why=why)


def resume(event: Slug, who: As = "") -> None:
    """Resume a paused event."""
    with _errors():
        from arena.events import FactKind

        _decide(event, who, FactKind.RESUMED)


def reveal(
    event: Slug, round: Annotated[int, typer.Argument(min=1, help="Results up to this round are shown.")], who: As = ""
) -> None:
    """Show hidden results."""
    with _errors():
        from arena.events import FactKind

        _decide(event, who, FactKind.REVEALED, {"round": round})


def disqualify(
    event: Slug,
    entrant: Annotated[int, typer.Argument(help="The entrant's number.")],
    why: Why = "",
    who: As = "",
) -> None:
    """Put an entrant last in all its games, and draw it no more."""
    with _errors():
        from arena.events import FactKind

        _decide(event, who, FactKind.DISQUALIFIED, {"entrant": entrant}, why)


def again(
    event: Slug,
    games: Annotated[
        list[str] | None, typer.Argument(metavar="ROUND[.TABLE[.GAME]]...", help="Games count from 0.")
    ] = None,
    entrant: Annotated[
        list[int] | None, typer.Option("--entrant", help="All games of the tables of this entrant, by its number.")
    ] = None,
    why: Why = "",
    who: As = "",
) -> None:
    """Have games played again: a round, a table, a single game, or all games of an entrant."""
    with _errors():
        from arena.events import FactKind
        from webui.events import queries as event_queries

        history = event_queries.event_page(event, _acting(event, who)).event.history()
        found = [game for number in entrant or () for game in history.games_at(entrant=number)]
        for text in games or ():
            parts = text.split(".")
            if len(parts) > 3 or not all(part.isdecimal() for part in parts):
                raise InputError(f"{text!r} is not of the form ROUND, ROUND.TABLE or ROUND.TABLE.GAME")
            number, table, game = (*map(int, parts), None, None)[:3]
            chosen = [key for key in history.games_at(number, table) if game in (None, key[2])]
            if not chosen:
                raise InputError(f"nothing was drawn for {text}")
            found += chosen
        if not found:
            raise InputError("say which games: ROUND, ROUND.TABLE, ROUND.TABLE.GAME or --entrant NUMBER")
        _decide(event, who, FactKind.AGAIN, {"games": [list(key) for key in sorted(set(found))]}, why)


def show(event: Slug, who: As = "", json: Json = False) -> None:
    """Print the standings as everybody sees them, or with `--as` as that user sees them."""
    with _errors():
        from webui.events import queries as event_queries

        page = event_queries.event_page(event, _user(who) if who else None)
    rows = [
        {
            "place": row.place,
            "bot": page.event.entrants[row.entrant - 1].name,
            "points": str(row.points),
            "games": row.games,
            "tie_breaks": [str(value) for value in row.tie_breaks],
        }
        for row in page.standings
    ]
    if json:
        drawn = {"rounds": page.line.rounds, "shown": page.shown}
        print_json({"event": event, "name": page.line.name, "state": page.line.state, **drawn, "standings": rows})
        return
    typer.echo(printable(f"{page.line.name}: {page.line.state}, {page.line.rounds} rounds drawn, {page.shown} shown"))
    for row in rows:
        typer.echo(printable(f"{row['place']:>4} {row['points']:>6} {row['games']:>4}  {row['bot']}"))


def listing(json: Json = False) -> None:
    """Print all events except drafts, newest first."""
    with _errors():
        from webui.events import queries as event_queries

        found = event_queries.events()
    if json:
        print_json([{"event": line.slug, "name": line.name, "state": line.state} for line in found])
        return
    for line in found:
        typer.echo(f"{line.slug}\t{line.state}\t{line.entrants} bots\t{printable(line.name)}")


def export(
    event: Slug,
    file: Annotated[Path, typer.Argument(help="Output file; compressed if named .gz or .zst.")],
    replays: Annotated[bool, typer.Option("--replays/--no-replays", help="Include the replays of its matches.")] = True,
) -> None:
    """Write the document of a finished event and the replays of its matches. `arena event verify` verifies them."""
    with _errors():
        from arena.events import EventError
        from arena.events.verify import event_document
        from webui.events import queries as event_queries

        page = event_queries.event_page(event)
        try:
            document = event_document(page.facts)
        except EventError as error:
            raise InputError(str(error)) from None
        with open_lines(file, "w") as out:
            for line in (document, *(_replays(page.event.matches.values()) if replays else ())):
                out.write(jsons.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def _replays(matches: Any) -> Iterator[dict[str, Any]]:
    from webui.matches import queries as match_queries

    for match in matches:
        if match and (record := match_queries.match_record(match)) is not None:
            yield record
