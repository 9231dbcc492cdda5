"""`arena debug`: replay one decision of a recorded match for a bot, as often as needed and without clocks."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.competitors import ADDRESS
from arena.cli.doctor import bot_words
from arena.cli.files import InputError, print_json, printable, read_hex
from arena.cli.matches import find_match
from arena.cli.play_series import SOCKET, Interruptions, image_of, sandbox_folder
from arena.doctor.process import command_line

if TYPE_CHECKING:
    from arena.local.competitor import Competitor
    from arena.local.histories import RecordedMatch, SeatHistory
    from arena.local.reproduction import BotReply, Reproduction

FOR_EVER_S: Final = 7 * 86_400.0
"""Seconds that a bot may take to say hello: a person starts it, perhaps in a debugger."""

Site = Annotated[str, typer.Option(help="The address of the arena's pages, for a match's id.", envvar="ARENA_SITE")]
NEAR_SITE: Final = "http://127.0.0.1:8000"


def debug(
    match: Annotated[
        str,
        typer.Argument(
            help="The address of a match's page, a match's id, or a file: replays as JSON or JSON Lines, perhaps .gz or"
            " .zst, or a transcript, .binpb."
        ),
    ],
    bot: Annotated[
        list[str] | None,
        typer.Argument(
            help="Python file of a bot (file.py:Class if several), or any command that starts one: -- ruby bot.rb",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", min=0, help="Index of a decision, as ?d=137 in the viewer; by default the seat's last."),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option("--seat", min=1, max=5, help="Seat of the bot; by default the one that decided at --at."),
    ] = None,
    chosen: Annotated[str | None, typer.Option("--match", help="Id of the match, for a file with several.")] = None,
    times: Annotated[
        int | None, typer.Option("--times", min=1, help="Number of times to ask; by default until Ctrl-C.")
    ] = None,
    is_resumed: Annotated[
        bool,
        typer.Option("--resumed", help="Send no history: only what a restarted process would get."),
    ] = False,
    wait: Annotated[
        str | None,
        typer.Option("--wait", metavar="HOST:PORT", help="Wait at this address for a bot that you start yourself."),
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", help="The ARENA_TOKEN of that bot; by default a new one.")
    ] = None,
    is_sandboxed: Annotated[
        bool,
        typer.Option(
            "--sandbox",
            help="Run the folder or file in the sandbox of hosted bots, with bot.toml, as an arena would.",
        ),
    ] = False,
    from_here: Annotated[
        bool, typer.Option("--from-here", help="Continue the game from there against house players.")
    ] = False,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against", metavar="NAME", help="House player for the other seats, or one for each; by default greedy."
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option("--seed", help="With --from-here: 64 hex digits; by default a new seed.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="With --from-here: write the replays here.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="With --from-here: write a page to step through.")] = None,
    site: Site = NEAR_SITE,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each answer.")] = False,
) -> None:
    """Send a bot one decision of a match again: every message that its seat had received, then the request.

    This repeats until Ctrl-C, each time with the whole history. No clock runs, so a debugger may stop the bot. Each
    answer is printed with its legality and the action played in the match. Without --at it is the seat's last decision;
    after a forfeit, that is the decision that caused it.

    With --from-here the game continues from there, with the same cards and new chance. --times games are played; their
    seeds are made as those of `arena play`.

    Exit code: 0, or 2 for unusable input or a bot that does not play.
    """
    if (bot is None) == (wait is None):
        raise InputError("give a bot (-- FILE.py or -- COMMAND), or an address with --wait")
    if not from_here and (against or seed or out or html):
        raise InputError("--against, --seed, --out and --html need --from-here")
    if wait is not None and not ADDRESS.fullmatch(wait):
        raise InputError(f"--wait is host:port, such as 127.0.0.1:5001, not {wait!r:.80}")
    if is_sandboxed and (bot is None or len(bot) != 1 or not Path(bot[0]).exists()):
        raise InputError("--sandbox runs a folder with bot.toml, an archive of it or a single file: name one")
    words = None if bot is None or is_sandboxed else command_line(bot_words(bot))
    source = find_match(match, chosen, site)
    history, ask = _decision(source, at, seat)
    _say(_title(source, history, ask), json)
    name = _name(source, history.seat)
    started = _sandboxed(Path(bot[0]), name) if bot and is_sandboxed else _started(words, wait, token, name)
    with Interruptions(), started as competitor:
        from arena.local.competitor import NotStarted
        from arena.local.histories import NoHistory
        from arena.local.reproduction import NoReply, Reproduction
        from arena.wire.codec import CodecError

        try:
            competitor.ready()
            reproduction = Reproduction(competitor, history, ask, _tell, is_resumed=is_resumed)
            try:
                if from_here:
                    from arena.cli.onward import play_on

                    order = (against or ["greedy"], read_hex(seed) if seed else secrets.token_bytes(32), times or 1)
                    play_on(
                        source, reproduction, competitor.hello.version, (history.seat, ask), order, (out, html), json
                    )
                else:
                    _ask_again(reproduction, source, history, ask, times, json)
            finally:
                reproduction.close()
        except KeyboardInterrupt:
            return
        except (NotStarted, NoReply, NoHistory, CodecError) as error:
            raise InputError(str(error)) from None


# The decision


def _decision(source: RecordedMatch | SeatHistory, at: int | None, seat: int | None) -> tuple[SeatHistory, int]:
    """Return the messages of the chosen seat, and the index of the request."""
    from arena.local.histories import NoHistory, SeatHistory
    from arena.wire.codec import CodecError

    try:
        if isinstance(source, SeatHistory):
            if seat not in (None, source.seat):
                raise InputError(f"this is the transcript of seat {source.seat}: it has no messages of other seats")
            history = source
        else:
            if seat is None:
                seat = None if at is None else source.seat_at(at)
            if seat is None:
                named = ", ".join(f"{number} {name}" for number, name in enumerate(source.names, 1))
                raise InputError(printable(f"give a --seat: {named}"))
            history = source.history(seat)
        return history, history.ask_of(at)
    except NoHistory as error:
        raise InputError(str(error)) from None
    except CodecError as error:  # a number that no message can hold
        raise InputError(f"the bot cannot be sent this match: {error}") from None


def _name(source: RecordedMatch | SeatHistory, seat: int) -> str:
    from arena.local.histories import SeatHistory

    return f"seat {seat}" if isinstance(source, SeatHistory) else source.names[seat - 1]


def _title(source: RecordedMatch | SeatHistory, history: SeatHistory, ask: int) -> str:
    """Describe the decision and what was played there."""
    number = list(history.asks).index(ask) + 1
    which = f"match {history.match}, seat {history.seat} ({_name(source, history.seat)})"
    return f"{which}: decision {ask}, request {number} of {len(history.asks)}; {_then(source, history, ask)}"


def _then(source: RecordedMatch | SeatHistory, history: SeatHistory, ask: int) -> str:
    """Describe what was played there in the match."""
    from arena.local.histories import SeatHistory

    if ask not in history.played:
        return "the transcript does not say what was played then"
    played = history.played[ask][1]
    if isinstance(source, SeatHistory):
        return f"then {played!r} was played"
    facts = (source.document["events"][ask] + [{}])[2]
    forfeit = next(
        (
            incident
            for incident in source.document.get("incidents", ())
            if incident["kind"] == "forfeit" and _is_at(incident, history, ask)
        ),
        None,
    )
    if forfeit:
        return f"then the seat forfeited ({forfeit['reason']}), and the house played {played!r}"
    if "default" in facts:
        return f"then {played!r} was played by default ({facts['default']})"
    return f"then {played!r} was played"


def _is_at(incident: dict[str, Any], history: SeatHistory, ask: int) -> bool:
    return (incident["seat"], incident["at"]) == (history.seat, ask)


# The bot


@contextmanager
def _started(words: list[str] | None, wait: str | None, token: str | None, name: str) -> Iterator[Competitor]:
    """Yield the bot, and stop it at the end if it was started here."""
    from arena.local.dialled import CommandBot, DialledBot, new_token
    from arena.local.gateway import CannotListen, LocalGateway

    try:
        with LocalGateway((wait,) if wait else (), is_patient=True) as gateway:
            if words is not None:
                competitor: DialledBot = CommandBot(name, words, gateway, FOR_EVER_S, None, has_terminal=True)
            else:
                token = token or new_token()
                competitor = DialledBot(name, gateway, token, FOR_EVER_S)
                _tell(f"start your bot with ARENA_SERVER={wait} ARENA_TOKEN={token}")
            try:
                yield competitor
            finally:
                competitor.close()
    except CannotListen as error:
        raise InputError(str(error)) from None


@contextmanager
def _sandboxed(source: Path, name: str) -> Iterator[Competitor]:
    """Yield the bot of a folder, archive or file, in a sandbox."""
    from arena.local.gateway import LocalGateway
    from arena.local.sandboxed import SandboxedBot

    with ExitStack() as stack:
        folder = sandbox_folder(stack)
        image = image_of(source, folder / "bot")
        socket = folder / SOCKET
        gateway = stack.enter_context(LocalGateway((f"unix:{socket}",), is_patient=True))
        socket.chmod(0o666)  # the sandbox may have a user of its own
        yield stack.enter_context(closing(SandboxedBot(name, image, gateway, socket, FOR_EVER_S, None)))


# The answers


def _ask_again(
    reproduction: Reproduction,
    source: RecordedMatch | SeatHistory,
    history: SeatHistory,
    ask: int,
    times: int | None,
    json: bool,
) -> None:
    from arena.local.reproduction import judge

    request = history.until(ask)[-1]
    for number in count(1) if times is None else range(1, times + 1):
        reply = reproduction.ask()
        wrong = judge(reply, request)
        then = history.played.get(ask, (0, ""))[1]
        if json:
            print_json(
                {
                    "match": history.match,
                    "seat": history.seat,
                    "index": ask,
                    "time": number,
                    "actions": reply.actions,
                    "note": reply.note,
                    "legal": not wrong,
                    "wrong": wrong,
                    "played": then,
                    "took_ms": round(reply.took_ms, 3),
                }
            )
        else:
            print(printable(_line(number, reply, wrong, then)))
        sys.stdout.flush()


def _line(number: int, reply: BotReply, wrong: str, then: str) -> str:
    actions = " ".join(repr(action) for action in reply.actions) or "no action"
    as_then = "" if not then or not reply.actions else "; as then" if reply.actions[0] == then else f"; then {then!r}"
    note = f"\n   note: {reply.note}" if reply.note else ""
    return f"{number}: {actions}: {wrong or 'legal'}{as_then}; {reply.took_ms:.1f} ms{note}"


def _say(text: str, json: bool) -> None:
    print(printable(text), file=sys.stderr if json else sys.stdout, flush=True)


def _tell(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)
