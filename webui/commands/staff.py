"""`arena admin`: what staff do on their pages, at the command line. The audit log says that the operator did it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from arena.cli.files import InputError, printable
from webui.commands.database import connect

UserName = Annotated[str, typer.Argument(metavar="USER", help="A user's name.")]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="A bot's name.")]
Why = Annotated[str, typer.Option("--reason", help="Why; the audit log keeps it.")]
MatchId = Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match.")]


def lock_user(name: UserName, reason: Why) -> None:
    """Shut a user out: no sign-in, no token opens anything, and within seconds the bots' streams end.

    A bot in a running match forfeits it when its grace is over.
    """
    connect()
    from webui.ladder import actions

    _done(actions.lock_user, _user_id(name), reason, said=f"locked {name}", same=f"{name} is locked")


def unlock_user(name: UserName, reason: Why) -> None:
    """Let a user in again."""
    connect()
    from webui.ladder import actions

    _done(actions.unlock_user, _user_id(name), reason, said=f"unlocked {name}", same=f"{name} is not locked")


def lock_bot(name: BotName, reason: Why) -> None:
    """Give a bot no new matches, whatever its owner wants, who is told; those that run go on."""
    connect()
    from webui.ladder import actions

    _done(actions.lock_bot, _bot_id(name), reason, said=f"locked {name}", same=f"{name} is locked")


def unlock_bot(name: BotName, reason: Why) -> None:
    """Let a bot play again."""
    connect()
    from webui.ladder import actions

    _done(actions.unlock_bot, _bot_id(name), reason, said=f"unlocked {name}", same=f"{name} is not locked")


def message(name: UserName, text: Annotated[str, typer.Argument(help="What they are told.")]) -> None:
    """Write to a user: a notice on the site and, to an address that was confirmed, an email."""
    connect()
    from webui.ladder import actions

    _done(actions.message_user, _user_id(name), text, secrets.randbelow(2**53), said=f"told {name}", same="")


def again(match: MatchId, reason: Why) -> None:
    """Play a match again that ended without a result: a new one, with a new seed, in its place."""
    connect()
    from webui.ladder import actions

    try:
        another = actions.play_again(match, reason, by=actions.OPERATOR)
    except actions.LadderError as error:
        raise InputError(str(error)) from None
    typer.echo(f"{match}: played again as {another}")


def ladders() -> None:
    """The games of the ladders: whether the matchmaker plays them, with which share, under which clock."""
    connect()
    from webui.ladder import queries

    for game in queries.staff_games():
        terms, current = game.terms, game.current
        state = f"share {terms.share} ({game.percent:.0f} %)" if terms.is_open else "closed"
        clock = " + ".join(f"{terms.clock[name] / 1000:g} s" for name in ("bank_ms", "increment_ms"))
        flying = f", {current.running} run, {current.scheduled} wait, {current.matches} finished" if current else ""
        behind = f", spectators {current.ladder.delay} behind" if current and current.ladder.delay else ""
        typer.echo(f"{terms.game}: {state}, {clock}, at most {terms.clock['cap_ms'] / 1000:g} s{flying}{behind}")


def ladder(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="As `arena admin ladders` names it: 3, 4-artisans-whims.")
    ],
    reason: Why,
    is_open: Annotated[bool | None, typer.Option("--open/--close", help="Whether new rated matches are made.")] = None,
    share: Annotated[int | None, typer.Option("--share", metavar="N", help="Beside the shares of other games.")] = None,
    bank: Annotated[float | None, typer.Option("--bank", metavar="S", help="Thinking time, in seconds.")] = None,
    increment: Annotated[float | None, typer.Option("--increment", metavar="S", help="For each bid and turn.")] = None,
    cap: Annotated[float | None, typer.Option("--cap", metavar="S", help="The most that one request may take.")] = None,
    delay: Annotated[
        int | None, typer.Option("--delay", metavar="N", help="Decisions that spectators of its ladder are behind.")
    ] = None,
) -> None:
    """Set how the matchmaker plays a game, from the next match on; those in flight go on as they were agreed.

    With another clock its matches count for another ladder, which begins without
    ratings; the present one stays, and nothing is added to it.
    """
    connect()
    from webui.ladder import actions, queries

    changed = False
    try:
        terms = queries.terms_of_game(game)
        times = {"bank_ms": bank, "increment_ms": increment, "cap_ms": cap}
        changed = actions.set_ladder_terms(
            game,
            is_open=terms.is_open if is_open is None else is_open,
            share=terms.share if share is None else share,
            clock=_clock(terms.clock, times),
            revision=terms.revision,
            reason=reason,
            by=actions.OPERATOR,
        )
        if delay is not None:
            current = queries.staff_game(game).current
            if current is None:
                raise InputError(f"{game} has no ladder yet: its first match makes it")
            changed |= actions.set_delay(
                current.ladder.slug, delay, seen=current.ladder.delay, reason=reason, by=actions.OPERATOR
            )
    except actions.LadderError as error:
        raise InputError(str(error)) from None
    typer.echo(f"{game}: {'changed' if changed else 'as it was'}")


def processes() -> None:
    """The processes of the arena, as they say themselves, and what waits."""
    connect()
    from webui.ladder import queries

    now = queries.operations()
    for process in now.processes:
        state = "" if process.is_alive else ", silent"
        since = process.started_at.isoformat(timespec="seconds") if process.started_at else "?"
        typer.echo(f"{process.kind} {process.name[:8]}: since {since}, {process.version or '?'}{state}")
    typer.echo(
        f"{now.running} matches run, {now.matches.waiting} wait ({now.matches.oldest_s:.0f} s), "
        f"{now.leases_over} leases are over, {now.orders.waiting} orders wait ({now.orders.oldest_s:.0f} s)"
    )
    for what, queue in (("emails", now.mails), ("messages of webhooks", now.webhooks)):
        typer.echo(f"{queue.waiting} {what} are due ({queue.oldest_s:.0f} s), {queue.failed} were given up lately")


def audit(
    who: Annotated[str, typer.Option("--by", metavar="USER", help="By whom; - for the operator.")] = "",
    account: Annotated[str, typer.Option("--account", metavar="USER", help="To whose account.")] = "",
    subject: Annotated[str, typer.Option("--to", help="To what: a match, a bot, a ladder.")] = "",
    is_all: Annotated[bool, typer.Option("--all", help="What users did themselves, too.")] = False,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="Entries.")] = 50,
) -> None:
    """The audit log, the latest entries first: without an option what staff and the operator did."""
    connect()
    from webui.ladder import queries
    from webui.ladder.values.staff import AuditSearch

    wanted = AuditSearch(actor=who, account=account, subject=subject, is_all=is_all)
    for line in queries.search_audit(wanted, most=most):
        changes = ", ".join(f"{name} {pair[0]} → {pair[1]}" for name, pair in (line.changes or {}).items())
        parts = [line.at.isoformat(timespec="seconds"), line.actor or "-", str(line.act), line.subject, line.account]
        typer.echo(printable("  ".join(filter(None, [*parts, line.reason, changes]))))


COMMANDS: Mapping[str, Callable[..., None]] = {
    "again": again,
    "lock-user": lock_user,
    "unlock-user": unlock_user,
    "lock-bot": lock_bot,
    "unlock-bot": unlock_bot,
    "message": message,
    "ladders": ladders,
    "ladder": ladder,
    "processes": processes,
    "audit": audit,
}
"""Those that join `arena admin`."""


def _clock(clock: Mapping[str, Any], times: Mapping[str, float | None]) -> dict[str, Any]:
    """The clock with these times in seconds, where they are given."""
    return {**clock, **{name: round(1000 * seconds) for name, seconds in times.items() if seconds is not None}}


def _done(act: Callable[..., bool], *arguments: Any, said: str, same: str) -> None:
    from webui.ladder import actions

    try:
        typer.echo(said if act(*arguments, by=actions.OPERATOR) else same)
    except actions.LadderError as error:
        raise InputError(str(error)) from None


def _user_id(name: str) -> int:
    from webui.ladder import queries

    found = queries.user_id(name)
    if found is None:
        raise InputError(f"there is no user {name!r}")
    return found


def _bot_id(name: str) -> int:
    from webui.ladder import queries

    bot = queries.find_bot(name)
    if bot is None:
        raise InputError(f"there is no bot {name!r}")
    return bot.id
